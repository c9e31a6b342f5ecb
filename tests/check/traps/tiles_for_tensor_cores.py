"""Warps multiply tiles that the block has copied in the background."""

import numpy as np

from heddle import cuda
from heddle.cuda import wmma


@cuda.jit
def product(a, b, c):
    tiles_a = cuda.shared.array((2, 16, 24), np.float16)
    tiles_b = cuda.shared.array((2, 16, 40), np.float16)
    t, steps = cuda.threadIdx.x, a.shape[1] // 16
    sums = wmma.fragment(wmma.accumulator, 16, 16, 16, np.float32)
    fa = wmma.fragment(wmma.matrix_a, 16, 16, 16, np.float16)
    fb = wmma.fragment(wmma.matrix_b, 16, 16, 16, np.float16)
    wmma.fill_fragment(sums, 0)
    for step in range(steps + 1):
        if step < steps:
            stage, k = step % 2, step * 16
            if t < 32:
                cuda.pipeline.memcpy_async(
                    tiles_a, (stage, t // 2, t % 2 * 8), a, (t // 2, k + t % 2 * 8), 8
                )
            cuda.pipeline.memcpy_async(
                tiles_b, (stage, t // 4, t % 4 * 8), b, (k + t // 4, t % 4 * 8), 8
            )
        cuda.pipeline.commit()
        cuda.pipeline.wait_prior(1)
        cuda.syncthreads()
        if step > 0:
            wmma.load_matrix_sync(fa, tiles_a, ((step - 1) % 2, 0, 0))
            wmma.load_matrix_sync(fb, tiles_b, ((step - 1) % 2, 0, t // 32 * 16))
            wmma.mma_sync(sums, fa, fb, sums)
        cuda.syncthreads()
    wmma.store_matrix_sync(c, (0, t // 32 * 16), sums)


rng = np.random.default_rng(1)
a = rng.integers(-4, 5, (16, 48)).astype(np.float16)
b = rng.integers(-4, 5, (48, 32)).astype(np.float16)
c = np.zeros((16, 32), np.float32)
product[1, 64](a, b, c)
np.testing.assert_array_equal(c, a.astype("f") @ b.astype("f"))
