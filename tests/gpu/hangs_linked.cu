// Right code that hangs on an H200 if the driver's linker (CUDA 13.0) has assembled it. Made by tests/fuzz, then made
// smaller.
__device__ long long helper(long long *o, const int *x, int *h, int *s, int *g, int *c, int i,
                            int t, long long n, int b, int lane, int count, long long v0,
                            long long v1, long long v2) {
  if (!(t % 16 == 10)) {
    for (int q1 = 0; q1 < t % 4; ++q1) {
      v0 = (v0 + q1) % 1009;
      o[8 * i + 4] = (1 + v0);
      v1 = ((v1 * s[23] % 1009) + 2 * s[(t + 1) % count]) % 10007;
    }
    for (int q1 = 0; q1 < t % 4; ++q1) {
      v0 = (v0 + q1) % 1009;
      if (s[t] % 3 == 0) {
        atomicAdd(&h[2], int(s[(t + 18) % count] % 10007));
        o[8 * i + 0] = ((v2 + 2 * s[4]) * (s[5] + 2 * x[i]) % 1009);
      }
    }
  }
  return (v0 + v1 + v2) % 10007;
}
extern "C" __global__ void kernel(long long *o, const int *x, int *h, int *g, long long n) {
  __shared__ int s[160], c[4];
  int tx = threadIdx.x, ty = threadIdx.y;
  int count = blockDim.x * blockDim.y * blockDim.z;
  int t = (threadIdx.z * blockDim.y + ty) * blockDim.x + tx, b = blockIdx.x, i = b * count + t;
  int lane = t & 31;
  long long v0 = t % 5, v1 = x[i], v2 = n;
  int k0 = 0, k1 = 0;
  s[t] = 3 * t + n;
  g[i] = x[i];
  if (t < 4)
    c[t] = t;
  __syncthreads();
  v1 = s[(t + 24) % count] % 10007;
  v2 = helper(o, x, h, s, g, c, i, t, n, b, lane, count, v0, v1, v2);
  v2 = helper(o, x, h, s, g, c, i, t, n, b, lane, count, v0, v1, v2);
  v0 = (s[(t + 1) % count] + 2 * (s[(t + 28) % count] + s[(t + n) % count])) % 10007;
  k0 = b + 2;
  while (k0 > 0) {
    k0 -= 1;
    v1 = __popc(__ballot_sync(0xffffffff, n % 2 == 0));
    k1 = n % 4;
    while (k1 > 0) {
      k1 -= 1;
      for (int q0 = 0; q0 < n % 4; ++q0) {
        v0 = (v0 + q0) % 1009;
        atomicAdd(&h[(g[b * count + (t + 5) % count] + 2 * s[(t + 1) % count]) % 4], int(1));
        if (t == 5 || t > n + 12) {
          v1 = ((t + 2 * t) * g[b * count + (t + 5) % count] % 1009) % 10007;
        } else {
          atomicSub(&h[1], int(v2 % 10007));
        }
      }
      if (k1 == 2) {
        if (lane == 6 || t > n + 5) {
          o[8 * i + 4] += 6 % 10007;
        }
        v2 = (c[1] ^ g[b * count + (t + 1) % count]) % 10007;
        atomicSub(&h[1], int((x[i] + (x[i] ^ s[(t + n) % count])) % 10007));
      } else {
        v2 = x[i];
        if (t > n + 2) {
          v0 = (v1 ^ (c[0] + 2 * t)) % 10007;
        } else {
          v1 = ((s[t] * 2 % 1009) * (s[(t + n) % count] + t) % 1009) % 10007;
        }
        v1 = int(__syncthreads_or(v0 % 3 == 1));
      }
    }
    v1 = (s[t] ^ s[(t + 5) % count]) % 10007;
    v2 = helper(o, x, h, s, g, c, i, t, n, b, lane, count, v0, v1, v2);
  }
  o[8 * i + 7] = v0 + 10007 * v1 + v2;
}