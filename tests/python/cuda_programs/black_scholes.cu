// Prices of European calls and puts after Black and Scholes; the normal distribution's integral is
// the polynomial of Abramowitz and Stegun, 26.2.17.
#define DIV_UP(a, b) (((a) + (b) - 1) / (b))

__device__ inline float cndGPU(float d) {
  const float A1 = 0.31938153f;
  const float A2 = -0.356563782f;
  const float A3 = 1.781477937f;
  const float A4 = -1.821255978f;
  const float A5 = 1.330274429f;
  const float RSQRT2PI = 0.39894228040143267793994605993438f;

  float K = __fdividef(1.0f, (1.0f + 0.2316419f * fabsf(d)));
  float cnd =
      RSQRT2PI * __expf(-0.5f * d * d) * (K * (A1 + K * (A2 + K * (A3 + K * (A4 + K * A5)))));
  if (d > 0)
    cnd = 1.0f - cnd;
  return cnd;
}

__device__ inline void BlackScholesBody(float &CallResult, float &PutResult, float S, float X,
                                        float T, float R, float V) {
  float sqrtT = __fdividef(1.0F, rsqrtf(T));
  float d1 = __fdividef(__logf(S / X) + (R + 0.5f * V * V) * T, V * sqrtT);
  float d2 = d1 - V * sqrtT;
  float CNDD1 = cndGPU(d1);
  float CNDD2 = cndGPU(d2);
  float expRT = __expf(-R * T);
  CallResult = S * CNDD1 - X * expRT * CNDD2;
  PutResult = X * expRT * (1.0f - CNDD2) - S * (1.0f - CNDD1);
}

__launch_bounds__(128) __global__
    void BlackScholes(float2 *__restrict d_CallResult, float2 *__restrict d_PutResult,
                      const float2 *__restrict d_StockPrice,
                      const float2 *__restrict d_OptionStrike,
                      const float2 *__restrict d_OptionYears, float Riskfree, float Volatility,
                      int optN) {
  const int opt = blockDim.x * blockIdx.x + threadIdx.x;
  if (opt >= DIV_UP(optN, 2))
    return;
  float2 call, put;
  BlackScholesBody(call.x, put.x, d_StockPrice[opt].x, d_OptionStrike[opt].x, d_OptionYears[opt].x,
                   Riskfree, Volatility);
  BlackScholesBody(call.y, put.y, d_StockPrice[opt].y, d_OptionStrike[opt].y, d_OptionYears[opt].y,
                   Riskfree, Volatility);
  d_CallResult[opt] = call;
  d_PutResult[opt] = put;
}
