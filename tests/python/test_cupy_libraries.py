"""cupy.cuda.curand and cupy.cuda.nvrtc: libraries of the CUDA toolkit under CuPy's names."""

import numpy as np
import pytest

from heddle.compat import cupy as cp
from heddle.compat.cupy.libraries import curand, nvrtc

pytestmark = pytest.mark.usefixtures("cpu")


@pytest.fixture
def generator():
    handle = curand.createGenerator(curand.CURAND_RNG_PSEUDO_PHILOX4_32_10)
    yield handle
    curand.destroyGenerator(handle)


def uniform(generator, count=1000):
    x = cp.empty(count, np.float32)
    curand.generateUniform(generator, x.data.ptr, count)
    return x


def test_uniform_numbers_are_above_0_and_at_most_1(generator):
    x = uniform(generator)
    assert x.min() > 0 and x.max() <= 1 and abs(x.mean() - 0.5) < 0.05


def test_a_seed_begins_the_same_numbers(generator):
    curand.setPseudoRandomGeneratorSeed(generator, 7)
    first = uniform(generator).tolist()
    curand.setPseudoRandomGeneratorSeed(generator, 7)
    assert uniform(generator).tolist() == first


def test_normal_numbers_have_their_mean_and_come_in_pairs(generator):
    x = cp.empty(2000)
    curand.generateNormalDouble(generator, x.data.ptr, 2000, 5.0, 2.0)
    assert abs(x.mean() - 5) < 0.3 and abs(x.std() - 2) < 0.3
    with pytest.raises(curand.CURANDError, match="LENGTH_NOT_MULTIPLE: .* 3 is odd"):
        curand.generateNormal(generator, x.data.ptr, 3, 0.0, 1.0)


def test_integers_fill_their_type(generator):
    x = cp.zeros(1000, np.uint32)
    curand.generate(generator, x.data.ptr, 1000)
    assert x.max() > 2**31
    curand.generatePoisson(generator, x.data.ptr, 1000, 4.0)
    assert abs(x.mean() - 4) < 0.5


def test_a_generator_that_was_destroyed_is_refused():
    handle = curand.createGenerator(curand.CURAND_RNG_PSEUDO_DEFAULT)
    curand.destroyGenerator(handle)
    with pytest.raises(curand.CURANDError, match="no generator has this number") as caught:
        curand.setStream(handle, 0)
    assert caught.value.status == 101


TEMPLATE = "template <typename T> __global__ void k(T* x) { *x = 1; }"


def test_a_program_becomes_ptx_with_the_symbols_of_its_expressions():
    program = nvrtc.createProgram(TEMPLATE, "k.cu", [], [])
    nvrtc.addNameExpression(program, "k<int>")
    nvrtc.compileProgram(program, ["-std=c++17", "--gpu-architecture=compute_80"])
    ptx, symbol = nvrtc.getPTX(program), nvrtc.getLoweredName(program, "k<int>")
    assert b".target sm_80" in ptx and symbol.encode() in ptx
    nvrtc.destroyProgram(program)


def test_the_log_says_why_a_program_does_not_compile():
    program = nvrtc.createProgram("__global__ void k(int* x) { *x = y; }", "k.cu", (), ())
    with pytest.raises(nvrtc.NVRTCError, match="NVRTC_ERROR_INVALID_OPTION"):
        nvrtc.compileProgram(program, ["-arch=sm_999"])
    assert "unknown GPU architecture 'sm_999'" in nvrtc.getProgramLog(program)
    with pytest.raises(nvrtc.NVRTCError, match="NVRTC_ERROR_COMPILATION"):
        nvrtc.compileProgram(program, ())
    assert "undeclared identifier 'y'" in nvrtc.getProgramLog(program)


def test_the_version_is_the_runtimes():
    major, minor = cp.cuda.nvrtc.getVersion()
    assert major * 1000 + minor * 10 == cp.cuda.runtime.runtimeGetVersion()
