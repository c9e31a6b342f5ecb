"""RawModule(path=) with PTX from our compiler, and the machine code that the driver makes from it."""

import numpy as np
import pytest

import heddle
from heddle import _heddle, cuda

SOURCE = """
__device__ int offset = 5;
struct Pair { double a, b; };
extern "C" __global__ void k(float* x, int n, Pair p, char c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = x[i] * p.a + p.b + c + offset;
}"""


@pytest.fixture(params=["asm", "object"])
def module(request, tmp_path):
    options = _heddle.CudaOptions([])
    code, _, _ = _heddle.compile_cuda_ahead(
        SOURCE, "k.cu", options, [], "cuda", None, request.param
    )
    path = tmp_path / "k"
    path.write_bytes(code)
    return heddle.RawModule(path=str(path))


def test_a_kernel_of_a_file_runs(module):
    x = cuda.to_device(np.arange(100, dtype="f"))
    module.get_global("offset").copy_from_host(np.array([10], "i4"))
    # Our compiler passes a structure by its numbers.
    module.get_function("k")(1, 128, (x, np.int32(90), 2.0, np.float64(1), 3))
    i = np.arange(100)
    np.testing.assert_array_equal(x.copy_to_host(), np.where(i < 90, 2 * i + 14, i))


def test_too_few_arguments_are_refused(module):
    with pytest.raises(TypeError, match="kernel k has 5 parameters, 1 argument was given"):
        module.get_function("k")(1, 1, (1,))
