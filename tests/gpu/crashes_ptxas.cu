// Right code on which the optimizer of ptxas 13.0 ends with a segmentation fault. Made by tests/fuzz, then made smaller.
#define FUEL (fuel && fuel--)
__device__ unsigned meet(unsigned x) {
  __shared__ unsigned values[32];
  values[threadIdx.x] = x;
  __syncthreads();
  x = values[threadIdx.x ^ 1];
  __syncthreads();
  return x;
}
__device__ unsigned walk(unsigned t, unsigned *o) {
  unsigned a = t * 77 + 1u, b = t * 3 + 71u, c = t * 77 + 88u, d = t * 0 + 67u, e = t * 1 + 5u,
           fuel = 92 + t % 7, m[4] = {1, t, 3, 4};
  switch (d % 4u) {
  L0:;
    e = meet(e);
    if (FUEL && (a & 1))
      goto L0;
    if (!FUEL)
      return 0u;
    goto L0;
  case 3:;
    b = meet(b);
  }
  if ((b & 6)) {
    switch (d % 7u) {
    case 4:;
      switch (a % 4u) {
      case 1:;
      case 0:;
        if ((e % 7 == 3)) {
        case 2:;
          if (FUEL && ((!(b & 2) && !(c & 1)) && (e < (a + 5u))))
            goto L0;
        }
        e = meet(e);
        d ^= ({
          unsigned r = (((a & 6) && (!(d & 1) || (c != d))) ? (m[3] ^ b) : 5u);
          r + e;
        });
      }
    }
  }
  if ((c < (a | m[3])))
    return ((c - 5u) >> 11);
  switch (d % 2u) {
  case 1:;
    switch (d % 6u) {
    case 5:;
      switch (b % 5u) {
      case 1:;
        if (FUEL && (c % 7 == 0))
          goto L0;
        do {
        default:;
          switch (a % 2u) {
            do {
            case 1:;
              d = (((c & 1) || (e == e)) ? ((3u ^ d) ^ (255u & c)) : (3u | d));
            } while (FUEL && !(d & 1));
            do {
              m[c & 3] -= (((m[e & 3] + m[0]) + a) ^ ((e << 23) ^ (c + 255u)));
            } while (FUEL && (a == e));
          }
        case 3:;
        } while (FUEL && (c % 5 > 0));
      case 2:;
        e ^= (((a ^ c) >> 3) ^ ((31u + m[c & 3]) % (b | 1)));
      case 0:;
      }
      d ^= (((((d & 1) || (d & 2)) ? e : 0u) ^ a) % (((4294967295u | e) >> 25) | 1));
    }
    c += (((31u << 15) / ((c ^ 1u) | 1)) / ((b + (c - d)) | 1));
  }
  return a + 3 * b + 5 * c + 7 * d + 9 * e + m[0] + 2 * m[1] + 4 * m[2] + 8 * m[3];
}
extern "C" __global__ void run(unsigned *out) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned *o = out + 4 * i;
  unsigned r = walk(blockIdx.x, o);
  o[0] ^= r;
}