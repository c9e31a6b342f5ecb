"""cuda_fp8.h: 8-bit floats in CUDA C++, compared with ml_dtypes."""

import ml_dtypes
import numpy as np
import pytest
from in_cuda_cpp import run

KINDS = {"e4m3": ml_dtypes.float8_e4m3fn, "e5m2": ml_dtypes.float8_e5m2}
BYTES = np.arange(256, dtype=np.uint8)


def numbers(kind):
    """All 8-bit floats, the midpoints between neighbours, and numbers close to these."""
    exact = BYTES.view(KINDS[kind]).astype(np.float64)
    exact = np.sort(exact[np.isfinite(exact)])
    between = (exact[1:] + exact[:-1]) / 2
    near = np.concatenate([between * (1 + 1e-6), between * (1 - 1e-6)])
    beyond = [448.5, 464, 464.1, 479, 480, 57344, 61439, 61440, 1e6, 1e30, np.inf, 1e-9, 1e-40]
    return np.concatenate([exact, between, near, beyond, np.negative(beyond)])


def rounded(x, kind, saturates):
    """Rounded by ml_dtypes, which has no saturation."""
    largest = float(ml_dtypes.finfo(KINDS[kind]).max)
    y = x.astype(KINDS[kind]).astype(np.float64)
    if saturates:
        return np.where(np.isfinite(y), y, np.copysign(largest, x))
    return y


@pytest.mark.parametrize("saturates", [True, False])
@pytest.mark.parametrize("type", ["float", "double"])
@pytest.mark.parametrize("kind", KINDS)
def test_numbers_are_rounded_to_the_nearest(device, kind, type, saturates):
    x = numbers(kind).astype(np.float32 if type == "float" else np.float64)
    bits = np.zeros(x.size, np.uint8)
    source = """
    #include <cuda_fp8.h>
    __global__ void k(const TYPE* x, unsigned char* bits, int n) {
      for (int i = 0; i < n; ++i) bits[i] = __nv_cvt_TYPE_to_fp8(x[i], SATURATE, KIND);
    }""".replace("TYPE", type).replace("KIND", f"__NV_{kind.upper()}")
    run(
        source.replace("SATURATE", "__NV_SATFINITE" if saturates else "__NV_NOSAT"), x, bits, x.size
    )
    expected = rounded(x.astype(np.float64), kind, saturates)
    np.testing.assert_array_equal(bits.view(KINDS[kind]).astype(np.float64), expected)
    np.testing.assert_array_equal(
        bits[~np.isnan(expected)] >> 7, np.signbit(x[~np.isnan(expected)])
    )


@pytest.mark.parametrize("kind", KINDS)
def test_every_number_becomes_a_half_and_a_float(device, kind):
    halves, floats = np.zeros(256, np.float16), np.zeros(256, np.float32)
    source = """
    #include <cuda_fp8.h>
    __global__ void k(const __nv_fp8_KIND* x, __half* halves, float* floats) {
      halves[threadIdx.x] = (__half)x[threadIdx.x];
      floats[threadIdx.x] = float(x[threadIdx.x]);
    }"""
    run(source.replace("KIND", kind), BYTES, halves, floats, block=256)
    expected = BYTES.view(KINDS[kind]).astype(np.float32)
    np.testing.assert_array_equal(halves, expected)
    assert (halves.view(np.uint16)[np.isnan(expected)] == 0x7FFF).all()
    np.testing.assert_array_equal(floats, expected)


def test_not_a_number_is_kept(device):
    bits = np.zeros(3, np.uint8)
    run(
        """
    #include <cuda_fp8.h>
    __global__ void k(float nan, unsigned char* bits) {
      bits[0] = __nv_fp8_e4m3(nan).__x;
      bits[1] = __nv_fp8_e5m2(nan).__x;
      bits[2] = __nv_fp8_e5m2((double)nan).__x;
    }""",
        np.nan,
        bits,
    )
    assert bits.tolist() == [0x7F] * 3


@pytest.mark.parametrize("kind", KINDS)
def test_pairs_and_fours_are_made_and_read(device, kind):
    x = np.array([1.5, -2, 1e9, 0.1], np.float32)
    out = np.zeros((5, 4), np.float32)
    source = """
    #include <cuda_fp8.h>
    __global__ void k(const float4* x, float4* out) {
      float4 v = *x;
      __half2 a = __floats2half2_rn(v.x, v.y), b = __floats2half2_rn(v.z, v.w);
      out[0] = float4(__nv_fp8x4_KIND(v));
      out[1] = float4(__nv_fp8x4_KIND(a, b));
      float2 low = float2(__nv_fp8x2_KIND(a)), high = __half22float2(__half2(__nv_fp8x2_KIND(b)));
      out[2] = make_float4(low.x, low.y, high.x, high.y);
      out[3] = make_float4(float(__nv_fp8_KIND(v.x)), float(__nv_fp8_KIND(-2)),
                           float(__nv_fp8_KIND(__float2bfloat16(v.z))), float(__nv_fp8_KIND(a.x)));
      out[4] = make_float4(int(__nv_fp8_KIND(2.5)), bool(__nv_fp8_KIND(0.0f)),
                           double(__nv_fp8_KIND(3.0)), (unsigned)__nv_fp8_KIND(7.0f));
    }"""
    run(source.replace("KIND", kind), x, out)
    expected = rounded(x.astype(np.float64), kind, True).astype(np.float32)
    np.testing.assert_array_equal(out[:3], [expected] * 3)
    np.testing.assert_array_equal(out[3], [*expected[:3], 1.5])
    np.testing.assert_array_equal(out[4], [2, 0, 3, 7])
