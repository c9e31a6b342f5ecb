"""The PTX of loops in CUDA C++ programs: how often it repeats a body, and which divisions it contains."""

import re

import pytest

from heddle import _heddle

LOOP = """#include <curand_kernel.h>
__global__ void k(const float *x, float *out, curandState *states, int n) {
  curandState state = states[threadIdx.x];
  float sum = 0;
  HINT
  for (int i = threadIdx.x; i < n; i += 256) sum += BODY;
  out[threadIdx.x] = sum;
}"""


@pytest.fixture
def count():
    """A function that counts an instruction in the PTX of the loop with a body and a hint."""

    def compile_loop(body, instruction, hint=""):
        source = LOOP.replace("BODY", body).replace("HINT", hint)
        code, _, _ = _heddle.compile_cuda_ahead(
            source, "k.cu", _heddle.CudaOptions([]), [], "cuda", (9, 0), "asm"
        )
        return len(re.findall(rf"\s{instruction}", code.decode()))

    return compile_loop


@pytest.mark.parametrize(
    "body, instruction",
    [
        ("sqrtf(x[i])", "sqrt"),
        ("floorf(x[i])", "cvt.rmi"),
        ("fmaf(x[i], x[i], 2)", "fma"),
        ("fmaxf(x[i], 3)", "max"),
    ],
)
def test_math_functions_do_not_keep_a_loop_rolled(count, body, instruction):
    assert count(body, instruction) > 4


def test_a_loop_with_a_long_body_has_the_copies_that_the_program_asks_for(count):
    assert count("1 / x[i]", "rcp") == 1
    assert count("1 / x[i]", "rcp", "#pragma unroll 8") == 8 + 1
    assert count("__expf(curand_normal(&state))", "ex2", "#pragma unroll 8") == 8 + 1


def test_only_fdividef_divides_approximately(count):
    assert count("__fdividef(x[i], x[i + 1])", "div.approx") > 4
    assert (
        count("x[i] / x[i + 1]", "div.approx")
        == count("fdividef(x[i], x[i + 1])", "div.approx")
        == 0
    )
