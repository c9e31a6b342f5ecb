#include <cupy/atomics.cuh>
#include <cupy/carray.cuh>
#include <cupy/complex.cuh>
#include <cupy/cuComplex_bridge.h>

extern "C" __global__ void headers(float *f, float16 *h, cuDoubleComplex *z, complex<float> *c) {
  int i = threadIdx.x;
  atomicMax(f, f[i + 1]);
  atomicMin(f + 1, -f[i]);
  atomicAdd(h + i % 2, float16(0.5f));
  z[i] = cuCmul(z[i], z[i]) * 2.0 + complex<double>(1, 0);
  c[i] = exp(c[i]) * conj(c[i]) + polar(1.0f, 2.0f) + abs(c[i]);
}
