"""CUDA C++ functions of numbers: conversions by rounding direction, loads and stores with hints, vector atomics."""

from fractions import Fraction

import numpy as np
import pytest

import heddle
from heddle import cuda


def run(source, *arrays):
    there = [cuda.to_device(array) for array in arrays]
    heddle.RawKernel(source, "k")(1, 1, (*there, arrays[0].size))
    return [array.copy_to_host() for array in there]


EDGES = {
    "int": [0, 1, -1, 2**24 + 1, -(2**24) - 1, 2**31 - 1, -(2**31), 2**31 - 65, 123456789],
    "uint": [0, 1, 2**24 + 1, 2**32 - 1, 2**32 - 129, 2**31, 4000000001],
    "ll": [0, 1, -1, 2**53 + 1, -(2**53) - 1, 2**63 - 1, -(2**63), 2**62 + 1, -(2**62) - 1],
    "ull": [0, 1, 2**53 + 1, 2**64 - 1, 2**64 - 1025, 2**63 + 1, 2**63 - 1],
}
DTYPES = {"int": ("i4", "int"), "uint": ("u4", "unsigned")}
DTYPES |= {"ll": ("i8", "long long"), "ull": ("u8", "unsigned long long")}


def is_rounded(exact, found, direction):
    """True if a float is the exact number or its neighbour in that direction."""
    value = Fraction(float(found))
    if direction == "rz":
        direction = "rd" if exact > 0 else "ru"
    if direction == "rd":
        above = Fraction(float(np.nextafter(found, found.dtype.type(np.inf))))
        return value <= exact < above
    below = Fraction(float(np.nextafter(found, found.dtype.type(-np.inf))))
    return below < exact <= value


@pytest.mark.parametrize("direction", ["rd", "ru", "rz"])
@pytest.mark.parametrize("to", ["float", "double"])
@pytest.mark.parametrize("kind", EDGES)
def test_integers_become_floats_in_a_direction(device, kind, to, direction):
    if to == "double" and "ll" not in kind:
        return  # every number fits
    dtype, name = DTYPES[kind]
    numbers = np.array(EDGES[kind], dtype)
    source = f"""__global__ void k(const {name}* x, {to}* y, int n) {{
      for (int i = 0; i < n; ++i) y[i] = __{kind}2{to}_{direction}(x[i]);
    }}"""
    found = run(source, numbers, np.zeros(numbers.size, "f4" if to == "float" else "f8"))[1]
    for exact, result in zip(EDGES[kind], found, strict=True):
        assert is_rounded(exact, result, direction), (exact, result)


HINTED = [("float", 1), ("double", 1), ("float2", 2), ("float4", 4), ("unsigned char", 1)]
HINTED += [("__half", 1), ("uint3", 3)]


@pytest.mark.parametrize("name, parts", HINTED)
def test_values_are_loaded_and_stored_through(device, name, parts):
    source = f"""#include <cuda_fp16.h>
    __global__ void k(const char* x, char* y, int n) {{
      auto *from = (const {name}*)x; auto *to = ({name}*)y;
      for (int i = 0; i < n / (int)sizeof({name}); ++i) __stwt(to + i, __ldcv(from + i));
    }}"""
    bytes_in = np.arange(96, dtype="u1")
    np.testing.assert_array_equal(run(source, bytes_in, np.zeros(96, "u1"))[1], bytes_in)


@pytest.mark.parametrize("parts", [2, 4])
@pytest.mark.parametrize("scope", ["", "_block", "_system"])
def test_vectors_are_added_to(device, parts, scope):
    out = cuda.to_device(np.zeros(parts, "f"))
    members = ", ".join("1.0f 2.0f 3.0f 4.0f".split()[:parts])
    source = f"""__global__ void k(float{parts}* p) {{
      atomicAdd{scope}(p, make_float{parts}({members}));
    }}"""
    heddle.RawKernel(source, "k")(1, 64, (out,))
    np.testing.assert_array_equal(out.copy_to_host(), 64 * np.arange(1, parts + 1))


def test_floats_have_the_functions_of_doubles(device):
    source = """__global__ void k(float* out, int n) {
      sincos(out[0], out + 1, out + 2);
      sincospi(0.5f, out + 3, out + 4);
      out[5] = __isnanf(out[0]) + 2 * __isinf(1e300 * 1e300) + 4 * (__signbitf(-1.0f) != 0) + 8 * __finite(1.0);
    }"""
    (out,) = run(source, np.array([0.5, 0, 0, 0, 0, 0], "f"))
    np.testing.assert_allclose(out[1:5], [np.sin(0.5), np.cos(0.5), 1, 0], rtol=1e-6, atol=1e-7)
    assert out[5] == 14


def test_a_shuffle_gives_nothing_of_a_lane_that_takes_no_part(cpu):
    source = """__global__ void k(int* out) {
      int i = threadIdx.x;
      unsigned some = __ballot_sync(~0u, i < 2);
      if (i < 2) {
        out[i] = __shfl_down_sync(some, 7, 16);
        out[2 + i] = __shfl_sync(some, 7, 5);
        out[4 + i] = __shfl_xor_sync(some, 7, 8);
        out[6 + i] = __shfl_down_sync(some, 7, 16, 16); // outside the width: its own
      }
    }"""
    out = cuda.to_device(np.full(8, -1, "i4"))
    heddle.RawKernel(source, "k")(1, 32, (out,))
    assert out.copy_to_host().tolist() == [0] * 6 + [7, 7]
