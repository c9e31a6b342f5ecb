import cupy as cp

code = r"""
template <typename T, int power>
__global__ void raise_to(T* x) {
    T v = x[threadIdx.x], r = 1;
    for (int k = 0; k < power; k++) r *= v;
    x[threadIdx.x] = r;
}
"""
names = ["raise_to<float, 2>", "raise_to<double, 3>"]
module = cp.RawModule(code=code, options=("-std=c++14",), name_expressions=names)
for name, dtype in zip(names, (cp.float32, cp.float64)):
    x = cp.arange(5, dtype=dtype)
    module.get_function(name)((1,), (5,), (x,))
    print(x.dtype, x)
