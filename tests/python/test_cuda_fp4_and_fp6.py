"""cuda_fp4.h and cuda_fp6.h: 4- and 6-bit floats in CUDA C++, compared with ml_dtypes."""

import ml_dtypes
import numpy as np
import pytest
from in_cuda_cpp import run

KINDS = {
    "fp4_e2m1": (ml_dtypes.float4_e2m1fn, 4, 4),
    "fp6_e2m3": (ml_dtypes.float6_e2m3fn, 6, 8),
    "fp6_e3m2": (ml_dtypes.float6_e3m2fn, 6, 8),
}


def spell(source, kind):
    """The source with the names of the format, such as fp4, __NV_E2M1 and e2m1."""
    name, form = kind.split("_")
    source = source.replace("KIND", name).replace("__NV_FORMAT", f"__NV_{form.upper()}")
    return source.replace("FORMAT", form)


def values_of(kind):
    dtype, bits, _ = KINDS[kind]
    return np.arange(2**bits, dtype=np.uint8).view(dtype).astype(np.float64)


def numbers(kind):
    """All numbers of the format, the midpoints between neighbours, and numbers close to these."""
    exact = np.unique(values_of(kind))
    between = (exact[1:] + exact[:-1]) / 2
    near = np.concatenate([x * f for x in (exact, between) for f in (1 + 1e-6, 1 - 1e-6)])
    beyond = [exact[-1] * 1.01, 33, 1e6, 1e30, np.inf, 1e-9, 1e-40, 0.0]
    return np.concatenate([exact, between, near, beyond, np.negative(beyond)])


def rounded_to_zero(x, kind):
    sizes = np.unique(np.abs(values_of(kind)))
    return np.copysign(sizes[np.searchsorted(sizes, np.abs(x), side="right") - 1], x)


def rounded(x, kind):
    largest = values_of(kind).max()
    return np.clip(x, -largest, largest).astype(KINDS[kind][0]).astype(np.float64)


@pytest.mark.parametrize("mode", ["Nearest", "Zero"])
@pytest.mark.parametrize("type", ["float", "double"])
@pytest.mark.parametrize("kind", KINDS)
def test_numbers_are_rounded_and_saturate(device, kind, type, mode):
    x = numbers(kind).astype(np.float32 if type == "float" else np.float64)
    bits = np.zeros(x.size, np.uint8)
    source = """
    #include <cuda_KIND.h>
    __global__ void k(const TYPE* x, unsigned char* bits, int n) {
      for (int i = 0; i < n; ++i)
        bits[i] = __nv_cvt_TYPE_to_KIND(x[i], __NV_FORMAT, cudaRoundMODE);
    }"""
    run(spell(source, kind).replace("TYPE", type).replace("MODE", mode), x, bits, x.size)
    wide = x.astype(np.float64)
    expected = rounded(wide, kind) if mode == "Nearest" else rounded_to_zero(wide, kind)
    found = values_of(kind)[bits]
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(np.signbit(found), np.signbit(x))


@pytest.mark.parametrize("kind", KINDS)
def test_every_number_becomes_a_half_and_a_float(device, kind):
    x = np.arange(values_of(kind).size, dtype=np.uint8)
    halves, floats = np.zeros(x.size, np.float16), np.zeros(x.size, np.float32)
    source = """
    #include <cuda_KIND.h>
    __global__ void k(const __nv_KIND_FORMAT* x, __half* halves, float* floats) {
      halves[threadIdx.x] = (__half)x[threadIdx.x];
      floats[threadIdx.x] = float(x[threadIdx.x]);
    }"""
    run(spell(source, kind), x, halves, floats, block=x.size)
    np.testing.assert_array_equal(halves, values_of(kind))
    np.testing.assert_array_equal(floats, values_of(kind))


@pytest.mark.parametrize("kind", KINDS)
def test_not_a_number_becomes_the_largest_number(device, kind):
    out = np.zeros(3, np.float32)
    source = """
    #include <cuda_KIND.h>
    __global__ void k(float nan, float* out) {
      out[0] = float(__nv_KIND_FORMAT(nan));
      out[1] = float(__nv_KIND_FORMAT(-(double)nan));
      out[2] = float(__nv_KIND_FORMAT(__float2half(nan)));
    }"""
    run(spell(source, kind), np.nan, out)
    assert out.tolist() == [values_of(kind).max()] * 3


@pytest.mark.parametrize("kind", KINDS)
def test_pairs_and_fours_are_made_and_read(device, kind):
    x = np.array([1.5, -2, 1e9, 0.6], np.float32)
    out = np.zeros((5, 4), np.float32)
    source = """
    #include <cuda_KIND.h>
    __global__ void k(const float4* x, float4* out) {
      float4 v = *x;
      __half2 a = __floats2half2_rn(v.x, v.y), b = __floats2half2_rn(v.z, v.w);
      out[0] = float4(__nv_KINDx4_FORMAT(v));
      out[1] = float4(__nv_KINDx4_FORMAT(a, b));
      float2 low = float2(__nv_KINDx2_FORMAT(a)), high = __half22float2(__half2(__nv_KINDx2_FORMAT(b)));
      out[2] = make_float4(low.x, low.y, high.x, high.y);
      out[3] = make_float4(float(__nv_KIND_FORMAT(v.x)), float(__nv_KIND_FORMAT(-2)),
                           float(__nv_KIND_FORMAT(__float2bfloat16(v.z))), float(__nv_KIND_FORMAT(a.x)));
      out[4] = make_float4(int(__nv_KIND_FORMAT(2.5)), bool(__nv_KIND_FORMAT(-0.0f)),
                           double(__nv_KIND_FORMAT(3.0)), (unsigned)__nv_KIND_FORMAT(6.0f));
    }"""
    run(spell(source, kind), x, out)
    expected = rounded(x.astype(np.float64), kind)
    np.testing.assert_array_equal(out[:3], [expected] * 3)
    np.testing.assert_array_equal(out[3], [*expected[:3], 1.5])
    np.testing.assert_array_equal(out[4], [2, 0, 3, 6])


@pytest.mark.parametrize("kind", KINDS)
def test_the_first_of_two_numbers_is_in_the_low_bits(device, kind):
    bits = np.zeros(6, np.uint32)
    source = """
    #include <cuda_KIND.h>
    static_assert(sizeof(__nv_KINDx2_FORMAT) == sizeof(__nv_KINDx2_storage_t), "");
    static_assert(alignof(__nv_KINDx4_FORMAT) == sizeof(__nv_KINDx4_storage_t), "");
    __global__ void k(unsigned* bits) {
      __half2 h = __floats2half2_rn(1, -2);
      __nv_bfloat162 b = __floats2bfloat162_rn(1, -2);
      bits[0] = __nv_cvt_float2_to_KINDx2(make_float2(1, -2), __NV_FORMAT, cudaRoundNearest);
      bits[1] = __nv_cvt_double2_to_KINDx2(make_double2(1, -2), __NV_FORMAT, cudaRoundZero);
      bits[2] = __nv_cvt_halfraw2_to_KINDx2(__half2_raw{1 << 10 | 14 << 10, 0xc000}, __NV_FORMAT, cudaRoundZero);
      bits[3] = __nv_KINDx2_FORMAT(b).__x;
      bits[4] = __nv_KIND_FORMAT(1).__x | __nv_KIND_FORMAT(-2).__x << DISTANCE;
      __half2_raw back = __nv_cvt_KINDx2_to_halfraw2(__nv_KINDx2_FORMAT(h).__x, __NV_FORMAT);
      bits[5] = back.x == 0x3c00 && back.y == 0xc000;
    }"""
    run(spell(source, kind).replace("DISTANCE", str(KINDS[kind][2])), bits)
    assert bits[:4].tolist() == [bits[4]] * 4
    assert bits[5] == 1
