import cupy as cp
from numba import cuda


@cuda.jit
def double(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= 2


x = cp.arange(6, dtype=cp.float32)
double[1, 32](x)
double[1, 32, cp.cuda.Stream()](cuda.as_cuda_array(x))
cuda.synchronize()
print(x)
