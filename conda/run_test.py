"""Runs after `conda build` in an environment with the package: kernels in Python and CUDA C++ on the CPU device."""

import os

os.environ["HEDDLE_DEVICE"] = "cpu"

import numpy as np

import heddle
from heddle import cuda


@cuda.jit
def double(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= 2


halve = heddle.RawKernel(
    'extern "C" __global__ void halve(float* x) { x[threadIdx.x] /= 2; }', "halve"
)

values = np.arange(100, dtype=np.float32)
double[4, 32](values)
assert (values == 2 * np.arange(100)).all()
halve((1,), (100,), (values,))
assert (values == np.arange(100)).all()
