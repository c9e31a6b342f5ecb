// Tricks with an integer's bits, a row of results each: counts, first and last bits, reversal,
// Morton codes, rotations, Gray codes, bytes in another order.
typedef unsigned int uint32;

__device__ uint32 part1By1(uint32 x) {
  x &= 0x0000ffff;
  x = (x ^ (x << 8)) & 0x00ff00ff;
  x = (x ^ (x << 4)) & 0x0f0f0f0f;
  x = (x ^ (x << 2)) & 0x33333333;
  return (x ^ (x << 1)) & 0x55555555;
}

extern "C" __global__ void bits(const uint32 *__restrict__ in, uint32 *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const uint32 x = in[i];
  out[0 * n + i] = __popc(x);
  out[1 * n + i] = __clz(x);
  out[2 * n + i] = __ffs(x);
  out[3 * n + i] = __brev(x);
  out[4 * n + i] = __byte_perm(x, 0, 0x0123);
  out[5 * n + i] = __funnelshift_l(x, x, 7);
  out[6 * n + i] = part1By1(x) | part1By1(x >> 16) << 1;
  out[7 * n + i] = x ^ (x >> 1);
  out[8 * n + i] = __popcll(((unsigned long long)x << 32) | ~x);
  out[9 * n + i] = __umulhi(x, 0x9E3779B9u);
}
