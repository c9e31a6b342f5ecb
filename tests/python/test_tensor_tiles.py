"""The fragments of mma.h, which a warp multiplies together, compared with NumPy."""

import ml_dtypes
import numpy as np
import pytest
from in_cuda_cpp import run

import heddle

MULTIPLY = """
#include <mma.h>
using namespace nvcuda;
typedef TYPE number;
__global__ void k(const STORED* a, const STORED* b, const SUM* c, SUM* d) {
  wmma::fragment<wmma::matrix_a, M, N, K, number, wmma::LAYOUT_A> fa;
  wmma::fragment<wmma::matrix_b, M, N, K, number, wmma::LAYOUT_B> fb;
  wmma::fragment<wmma::accumulator, M, N, K, SUM> sums;
  wmma::load_matrix_sync(fa, a, WIDTH_A);
  wmma::load_matrix_sync(fb, b, WIDTH_B);
  wmma::load_matrix_sync(sums, c, N, wmma::mem_row_major);
  wmma::mma_sync(sums, fa, fb, sums);
  wmma::store_matrix_sync(d, sums, M, wmma::mem_col_major);
}"""

# C++'s name, that of the arrays' elements, of the sums; NumPy's types of the factors and the sums
KINDS = {
    "half": ("half", "half", "float", np.float16, np.float32),
    "half in half": ("half", "half", "half", np.float16, np.float16),
    "bfloat16": ("__nv_bfloat16", "__nv_bfloat16", "float", ml_dtypes.bfloat16, np.float32),
    "signed char": ("signed char", "signed char", "int", np.int8, np.int32),
    "unsigned char": ("unsigned char", "unsigned char", "int", np.uint8, np.int32),
    "tf32": ("wmma::precision::tf32", "float", "float", np.float32, np.float32),
    "double": ("double", "double", "double", np.float64, np.float64),
}
OF_16 = [(16, 16, 16), (32, 8, 16), (8, 32, 16)]
SHAPES = [(kind, shape) for kind in list(KINDS)[:5] for shape in OF_16]
SHAPES += [("tf32", (16, 16, 8)), ("double", (8, 8, 4))]


def pad_rows(matrix):
    """Rows of tiles must be multiples of 16 bytes apart."""
    width = max(matrix.shape[1], 16 // matrix.itemsize)
    return np.ascontiguousarray(np.pad(matrix, ((0, 0), (0, width - matrix.shape[1]))))


def product_in_tiles(kind, shape, layouts, a, b, c):
    m, n, k = shape
    name, stored, sums, factor, result = KINDS[kind]
    bits = np.uint16 if kind == "bfloat16" else factor
    factors = [
        pad_rows((x if layout == "row_major" else x.T).astype(factor).view(bits))
        for x, layout in zip((a, b), layouts, strict=True)
    ]
    words = {"TYPE": name, "STORED": stored, "SUM": sums, "LAYOUT_A": layouts[0]}
    words |= {"LAYOUT_B": layouts[1]}
    words |= {
        "WIDTH_A": factors[0].shape[1],
        "WIDTH_B": factors[1].shape[1],
        "M": m,
        "N": n,
        "K": k,
    }
    defines = "".join(f"#define {word} {value}\n" for word, value in words.items())
    d = np.zeros((n, m), result)
    run(defines + MULTIPLY, *factors, c.astype(result), d, block=32)
    return d.T


@pytest.mark.parametrize("layouts", [("row_major", "col_major"), ("col_major", "row_major")])
@pytest.mark.parametrize("kind, shape", SHAPES)
def test_a_warp_multiplies_tiles(device, kind, shape, layouts):
    m, n, k = shape
    rng = np.random.default_rng(1)
    low = 0 if kind == "unsigned char" else -8
    a, b, c = (rng.integers(low, 8, size) for size in ((m, k), (k, n), (m, n)))
    np.testing.assert_array_equal(product_in_tiles(kind, shape, layouts, a, b, c), a @ b + c)


def test_factors_that_are_not_rounded_to_tf32_lose_their_last_bits(device):
    a = np.full((16, 8), 1 + 2**-10 + 2**-11)
    b = np.ones((8, 16))
    d = product_in_tiles("tf32", (16, 16, 8), ("row_major", "col_major"), a, b, np.zeros((16, 16)))
    np.testing.assert_array_equal(d, np.full((16, 16), 8 + 2**-7))


def test_numbers_are_rounded_to_tf32(device):
    x = np.array([1 + 2**-11, -1 - 2**-11, 1 + 2**-12, np.inf, np.nan], "f")
    y = np.zeros_like(x)
    run(
        """
    #include <mma.h>
    __global__ void k(const float* x, float* y) {
      y[threadIdx.x] = nvcuda::wmma::__float_to_tf32(x[threadIdx.x]);
    }""",
        x,
        y,
        block=5,
    )
    np.testing.assert_array_equal(y, [1 + 2**-10, -1 - 2**-10, 1, np.inf, np.nan])


def test_sums_of_chars_stop_at_the_ends_of_int_if_asked(device):
    out = np.zeros((2, 16, 16), np.int32)
    run(
        """
    #include <mma.h>
    using namespace nvcuda::wmma;
    __global__ void k(int* out) {
      fragment<matrix_a, 16, 16, 16, unsigned char, row_major> a;
      fragment<matrix_b, 16, 16, 16, unsigned char, col_major> b;
      fragment<accumulator, 16, 16, 16, int> c, d;
      fill_fragment(a, 255);
      fill_fragment(b, 255);
      fill_fragment(c, 0x7fffffff);
      mma_sync(d, a, b, c, true);
      store_matrix_sync(out, d, 16, mem_row_major);
      mma_sync(d, a, b, c);
      store_matrix_sync(out + 256, d, 16, mem_row_major);
    }""",
        out,
        block=32,
    )
    wrapped = np.int64(2**31 - 1 + 16 * 255 * 255).astype(np.uint32).view(np.int32)
    np.testing.assert_array_equal(out[0], np.full((16, 16), 2**31 - 1))
    np.testing.assert_array_equal(out[1], np.full((16, 16), wrapped))


def test_warps_of_a_block_scale_the_numbers_of_their_fragments(device):
    """As in most programs: alpha * a @ b + beta * c, with one tile per warp."""
    m, n, k = 32, 48, 64
    rng = np.random.default_rng(2)
    a, b = (rng.integers(-4, 5, size).astype(np.float16) for size in ((m, k), (k, n)))
    c = rng.integers(-4, 5, (m, n)).astype(np.float32)
    expected = 2 * (a.astype(np.float32) @ b.astype(np.float32)) - 3 * c
    run(
        """
    #include <mma.h>
    using namespace nvcuda;
    __global__ void k(const half* a, const half* b, float* c, int n, int k, float alpha, float beta) {
      __shared__ half tile[256];
      int row = blockIdx.x * 16, column = threadIdx.x / warpSize * 16;
      wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
      wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
      wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums, old;
      wmma::fill_fragment(sums, 0.0f);
      for (int i = 0; i < k; i += 16) {
        for (int t = threadIdx.x; t < 256; t += blockDim.x)
          tile[t] = a[(row + t / 16) * k + i + t % 16];
        __syncthreads();
        wmma::load_matrix_sync(fa, tile, 16);
        wmma::load_matrix_sync(fb, b + i * n + column, n);
        wmma::mma_sync(sums, fa, fb, sums);
        __syncthreads();
      }
      float* out = c + row * n + column;
      wmma::load_matrix_sync(old, out, n, wmma::mem_row_major);
      for (int t = 0; t < sums.num_elements; ++t)
        old.x[t] = alpha * sums.x[t] + beta * old.x[t];
      wmma::store_matrix_sync(out, old, n, wmma::mem_row_major);
    }""",
        a,
        b,
        c,
        n,
        k,
        2.0,
        -3.0,
        grid=2,
        block=96,
    )
    np.testing.assert_array_equal(c, expected)


def test_sums_in_half_start_from_sums_in_float(device):
    rng = np.random.default_rng(3)
    a, b, c = (rng.integers(-4, 5, (16, 16)) for _ in range(3))
    d = np.zeros((16, 16), np.float16)
    source = """
    #include <mma.h>
    using namespace nvcuda::wmma;
    __global__ void k(const half* a, const half* b, const float* c, half* d) {
      fragment<matrix_a, 16, 16, 16, half, row_major> fa;
      fragment<matrix_b, 16, 16, 16, half, row_major> fb;
      fragment<accumulator, 16, 16, 16, float> old;
      fragment<accumulator, 16, 16, 16, half> sums;
      load_matrix_sync(fa, a, 16);
      load_matrix_sync(fb, b, 16);
      load_matrix_sync(old, c, 16, mem_row_major);
      mma_sync(sums, fa, fb, old);
      for (int e = 0; e < sums.num_elements; ++e) sums.x[e] = sums.x[e] * __float2half(0.5f);
      store_matrix_sync(d, sums, 16, mem_row_major);
    }"""
    run(source, a.astype(np.float16), b.astype(np.float16), c.astype("f"), d, block=32)
    np.testing.assert_array_equal(d, (a @ b + c) / 2)


def test_tiles_are_in_any_memory(device):
    """The code does not show whether the pointers lead to shared or global memory."""
    rng = np.random.default_rng(4)
    a = rng.integers(-8, 8, (16, 16)).astype(np.int8)
    d = np.zeros((2, 16, 16), np.int32)
    source = """
    #include <mma.h>
    using namespace nvcuda::wmma;
    __global__ void k(const signed char* a, int* d) {
      __shared__ __align__(32) signed char tile[256];
      __shared__ __align__(32) int sums_here[256];
      int block = blockIdx.x;
      for (int i = threadIdx.x; i < 256; i += 32) tile[i] = a[i];
      __syncwarp();
      fragment<matrix_a, 16, 16, 16, signed char, row_major> fa;
      fragment<matrix_b, 16, 16, 16, signed char, row_major> fb;
      fragment<accumulator, 16, 16, 16, int> sums;
      load_matrix_sync(fa, block == 0 ? a : tile, 16);
      load_matrix_sync(fb, block == 0 ? tile : a, 16);
      fill_fragment(sums, block);
      mma_sync(sums, fa, fb, sums);
      store_matrix_sync(block == 0 ? d : sums_here, sums, 16, mem_row_major);
      __syncwarp();
      if (block == 1)
        for (int i = threadIdx.x; i < 256; i += 32) d[256 + i] = sums_here[i];
    }"""
    run(source, a, d, grid=2, block=32)
    product = a.astype(int) @ a
    np.testing.assert_array_equal(d, [product, product + 1])


@pytest.mark.parametrize(
    "fragment, message",
    [
        ("matrix_a, 16, 16, 8, half, row_major", "16-bit floats and of chars are 16x16x16"),
        ("matrix_a, 16, 16, 16, half", "a fragment of matrix_a is row_major or col_major"),
        ("accumulator, 16, 16, 16, long long", "sums are float, half, int or double"),
    ],
)
def test_a_fragment_that_is_not_there_is_named(device, fragment, message):
    source = """
    #include <mma.h>
    using namespace nvcuda::wmma;
    __global__ void k(int* out) { fragment<FRAGMENT> f; out[0] = f.num_elements; }"""
    with pytest.raises(heddle.TypingError, match=message):
        run(source.replace("FRAGMENT", fragment), np.zeros(1, np.int32))


def test_a_warp_of_many_tiles_runs_as_vectors(cpu):
    """One thread after another would have to wait for the warp at each number that it fetches."""
    source = """
    #include <mma.h>
    using namespace nvcuda;
    extern "C" __global__ void k(const half* a, const half* b, float* c) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
      wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb[4];
      wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums[2][4];
      #pragma unroll
      for (int i = 0; i < 2; ++i) {
        wmma::load_matrix_sync(fa, a + i * 256, 16);
        #pragma unroll
        for (int j = 0; j < 4; ++j) {
          if (i == 0) wmma::load_matrix_sync(fb[j], b + j * 256, 16);
          wmma::fill_fragment(sums[i][j], 1.0f);
          wmma::mma_sync(sums[i][j], fa, fb[j], sums[i][j]);
          wmma::store_matrix_sync(c + i * 16 * 64 + j * 16, sums[i][j], 64, wmma::mem_row_major);
        }
      }
    }"""
    a, b = np.split(np.random.default_rng(5).integers(0, 9, (96, 16)).astype(np.float16), [32])
    c = np.zeros((32, 64), np.float32)
    kernel = heddle.RawKernel(source, "k")
    kernel(1, 32, (a, b, c))
    np.testing.assert_array_equal(c, a.astype(np.float32) @ b.astype(np.float32).T + 1)
    assert kernel.inspect_remarks()[0] == "k: runs 32 threads along x at a time, as vectors"
