"""Ufuncs of single precision, called with numbers of Python's; linked C++ sources that call each other."""

import numpy as np
from numba import cuda, guvectorize, vectorize


@vectorize(["float32(float32, float32)"], target="cuda")
def relative_difference(x, y):
    return 2 * (x - y) / (x + y)


@guvectorize(["void(int32, int32[:], int32[:])"], "(),(n)->(n)", target="cuda")
def scaled(factor, x, out):
    for i in range(x.shape[0]):
        out[i] = factor * x[i]


a = np.arange(1, 5, dtype=np.float32)
print(*np.round(relative_difference(a, a * 2), 4), round(float(relative_difference(1, 3)), 4))
print(scaled(2, np.arange(4)).tolist())

square = cuda.CUSource(
    'extern "C" __device__ int square(int *out, int x) { *out = x * x; return 0; }'
)
fourth = cuda.CUSource(
    'extern "C" __device__ int square(int *out, int x);'
    'extern "C" __device__ int fourth(int *out, int x) { square(&x, x); return square(out, x); }'
)
fourth_power = cuda.declare_device("fourth", "int32(int32)", link=[square, fourth])


@cuda.jit
def powers(out):
    i = cuda.grid(1)
    if i < len(out):
        out[i] = fourth_power(i)


out = np.zeros(5, np.int32)
powers[1, 32](out)
print(out.tolist())
