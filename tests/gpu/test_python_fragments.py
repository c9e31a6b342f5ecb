"""cuda.wmma and cuda.pipeline in Python kernels of many blocks."""

import sys
from pathlib import Path

import numpy as np
import pytest

from heddle import cuda

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
import tensor_cores  # found in the folder above


@pytest.fixture(autouse=True)
def ampere(gpu):
    if gpu.compute_capability < (8, 0):
        pytest.skip("this GPU copies in software")


@pytest.mark.parametrize("plan", tensor_cores.PLANS, ids=str)
def test_a_product_copies_tiles_while_tensor_cores_multiply(plan):
    n = 1024
    a, b = np.random.default_rng(1).integers(-4, 5, (2, n, n)).astype(np.float16)
    c = cuda.device_array((n, n), np.float32)
    kernel = tensor_cores.make_product(plan)
    tensor_cores.launch(plan, kernel, cuda.to_device(a), cuda.to_device(b), c)
    np.testing.assert_array_equal(c.copy_to_host(), a.astype("f") @ b.astype("f"))


@pytest.mark.parametrize("plan", tensor_cores.PLANS, ids=str)
def test_a_product_keeps_its_sums_in_registers(plan):
    kernel = tensor_cores.make_product(plan)
    a = cuda.to_device(np.zeros((256, 256), np.float16))
    tensor_cores.launch(plan, kernel, a, a, cuda.device_array((256, 256), np.float32))
    (size,) = kernel.get_local_mem_per_thread().values()
    assert size == 0
