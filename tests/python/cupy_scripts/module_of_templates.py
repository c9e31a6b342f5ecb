"""Instances of a template by name expressions."""

import cupy as cp

code = r"""
template <typename T, int N>
__global__ void power(const T* x, T* y, int n) {
  int i = threadIdx.x + blockDim.x * blockIdx.x;
  if (i < n) {
    T r = 1;
    for (int k = 0; k < N; ++k) r *= x[i];
    y[i] = r;
  }
}
"""
names = ["power<float, 2>", "power<double, 3>"]
module = cp.RawModule(code=code, options=("-std=c++14",), name_expressions=names)
for name, dtype in zip(names, (cp.float32, cp.float64)):
    x = cp.arange(10, dtype=dtype)
    y = cp.empty_like(x)
    module.get_function(name)((1,), (32,), (x, y, cp.int32(10)))
    print(float(y[3]), float(y.sum()))
