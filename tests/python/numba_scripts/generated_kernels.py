"""Kernels that a template makes: one for each operator, in a class that a library might have."""

import textwrap

import numpy as np
from numba import cuda, float64

THREADS = 64

TEMPLATE = """
    def combine(a, b):
        return {combined}

    def reduce_block(values, results):
        shared = cuda.shared.array(THREADS, float64)
        t = cuda.threadIdx.x
        i = cuda.grid(1)
        shared[t] = values[i] if i < values.size else {neutral}
        cuda.syncthreads()
        step = cuda.blockDim.x // 2
        while step > 0:
            if t < step:
                shared[t] = combine(shared[t], shared[t + step])
            cuda.syncthreads()
            step //= 2
        if t == 0:
            results[cuda.blockIdx.x] = shared[0]
"""


class Reduction:
    def __init__(self, combined, neutral):
        self.neutral = float(neutral)
        names = {"cuda": cuda, "float64": float64, "THREADS": THREADS}
        exec(textwrap.dedent(TEMPLATE.format(combined=combined, neutral=neutral)), names)
        names["combine"] = cuda.jit(names["combine"], device=True)
        self.kernel = cuda.jit("void(float64[:], float64[:])")(names["reduce_block"])

    def __call__(self, values):
        while values.size > 1:
            blocks = -(-values.size // THREADS)
            results = np.full(blocks, self.neutral)
            self.kernel[blocks, THREADS](values, results)
            values = results
        return float(values[0])


total = Reduction("a + b", "0.0")
largest = Reduction("a if a > b else b", "-1e300")
values = np.sin(np.arange(5000.0)) + np.arange(5000.0)
print(np.isclose(total(values), values.sum()), largest(values) == values.max())
