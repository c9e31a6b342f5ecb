"""Kernels that wait for their whole grid."""

import numpy as np
import pytest

from heddle import cuda


@cuda.jit
def sum_of_all(partial, out):
    """Each block writes; after the grid's barrier each block sums what all have written."""
    grid = cuda.cg.this_grid()
    if cuda.threadIdx.x == 0:
        partial[cuda.blockIdx.x] = cuda.blockIdx.x + 1
    grid.sync()
    if cuda.threadIdx.x == 0:
        total = 0
        for i in range(cuda.gridDim.x):
            total += partial[i]
        out[cuda.blockIdx.x] = total


def test_all_blocks_see_what_all_have_written(gpu):
    blocks = gpu.MULTIPROCESSOR_COUNT
    partial, out = np.zeros(blocks, np.int64), np.zeros(blocks, np.int64)
    sum_of_all[blocks, 64](partial, out)
    assert (out == blocks * (blocks + 1) // 2).all()


def test_many_rounds_stay_in_step(gpu):
    @cuda.jit
    def rounds(x, n):
        grid = cuda.cg.this_grid()
        i = cuda.grid(1)
        for r in range(n):
            left = x[r % 2, (i + 1) % x.shape[1]]
            grid.sync()
            x[(r + 1) % 2, i] = left + 1
            grid.sync()

    n = gpu.MULTIPROCESSOR_COUNT * 64
    x = np.zeros((2, n), np.int64)
    rounds[n // 64, 64](x, 20)
    assert (x[0] == 20).all()


def test_a_grid_that_does_not_fit_is_refused_with_the_number_that_does(gpu):
    partial, out = np.zeros(10**6, np.int64), np.zeros(10**6, np.int64)
    sum_of_all[1, 64](partial, out)
    (compiled,) = sum_of_all.overloads.values()
    most = compiled.max_cooperative_grid_blocks(64)
    assert most >= gpu.MULTIPROCESSOR_COUNT
    with pytest.raises(ValueError, match=f"at most {most} blocks"):
        sum_of_all[most + 1, 64](partial, out)
    sum_of_all[most, 64](partial, out)
    assert (out[:most] == most * (most + 1) // 2).all()
