"""cuda.wgmma in Python kernels of many blocks, which copy tiles in the background."""

import sys
from pathlib import Path

import numpy as np
import pytest

from heddle import cuda
from heddle.cuda import wgmma

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
import warpgroup_product  # found in the folder above


@pytest.fixture(autouse=True)
def hopper(gpu):
    if gpu.compute_capability != (9, 0):
        pytest.skip("this GPU multiplies in software")


@pytest.mark.parametrize("plan", warpgroup_product.PLANS, ids=str)
def test_a_product_copies_tiles_while_warpgroups_multiply(plan):
    a = np.random.default_rng(1).integers(-4, 5, (1024, 2048)).astype(np.float16)
    b = np.random.default_rng(2).integers(-4, 5, (2048, 1280)).astype(np.float16)
    c = cuda.device_array((1024, 1280), np.float32)
    kernel = warpgroup_product.make_product(plan)
    warpgroup_product.launch(plan, kernel, cuda.to_device(a), cuda.to_device(b), c)
    np.testing.assert_array_equal(c.copy_to_host(), a.astype("f") @ b.astype("f"))
    (size,) = kernel.get_local_mem_per_thread().values()
    assert size == 0


def test_a_tile_that_does_not_start_at_a_pattern_is_a_value_error():
    @cuda.jit(debug=True)
    def kernel(c):
        tiles = cuda.shared.array((72, 64), np.float16)
        sums = wgmma.accumulator(64)
        wgmma.mma(sums, tiles[4:68], tiles[8:72])
        wgmma.store(c, (0, 0), sums)

    with pytest.raises(ValueError, match="a must start at a multiple of 1024 bytes"):
        kernel[1, 128](np.zeros((64, 64), np.float32))
