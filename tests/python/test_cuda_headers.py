"""The headers that CUDA C++ programs include, compared with NumPy."""

from pathlib import Path

import numpy as np
import pytest
from in_cuda_cpp import run

import heddle
from heddle import cuda


def every_half():
    """All numbers of half precision."""
    return np.arange(65536, dtype=np.uint16).view(np.float16)


def bfloat16_bits(x):
    """The bits of the numbers rounded to the nearest bfloat16."""
    bits = np.asarray(x, np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def floats(bits):
    """The numbers with these bfloat16 bits."""
    return (bits.astype(np.uint32) << 16).view(np.float32)


# cuda_fp16.h


@pytest.mark.parametrize(
    "op, name", [("+", "__hadd"), ("-", "__hsub"), ("*", "__hmul"), ("/", "__hdiv")]
)
def test_half_arithmetic_rounds_to_nearest(device, op, name):
    source = """
    #include <cuda_fp16.h>
    __global__ void k(const __half* a, const half* b, __half* by_operator, __half* by_name) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      by_operator[i] = a[i] OP b[i];
      by_name[i] = NAME(a[i], b[i]);
    }""".replace("OP", op).replace("NAME", name)
    a, b = every_half(), np.random.default_rng(1).permutation(every_half())
    by_operator, by_name = np.zeros_like(a), np.zeros_like(a)
    run(source, a, b, by_operator, by_name, grid=256, block=256)
    with np.errstate(all="ignore"):
        expected = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide}[op](a, b)
    np.testing.assert_array_equal(by_operator, expected)
    np.testing.assert_array_equal(by_name, expected)


def test_half_fma_rounds_once(device):
    source = """
    #include <cuda_fp16.h>
    __global__ void k(const half* a, const half* b, const half* c, half* out) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      out[i] = __hfma(a[i], b[i], c[i]);
    }"""
    shuffled = np.random.default_rng(2).permutation
    a, b, c = every_half(), shuffled(every_half()), shuffled(every_half())
    out = np.zeros_like(a)
    run(source, a, b, c, out, grid=256, block=256)
    with np.errstate(all="ignore"):
        # 53 bits hold the product, and a sum that rounds as the exact one.
        np.testing.assert_array_equal(out, (a.astype("d") * b + c).astype(np.float16))


def test_half_becomes_float_and_back(device):
    source = """
    #include <cuda_fp16.h>
    __global__ void k(const half* a, float* wide, half* back) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      wide[i] = __half2float(a[i]);
      back[i] = __float2half(wide[i]);
    }"""
    a, wide = every_half(), np.zeros(65536, "f")
    back = np.zeros_like(a)
    run(source, a, wide, back, grid=256, block=256)
    np.testing.assert_array_equal(wide, a.astype("f"))
    np.testing.assert_array_equal(back, a)


def test_roundings_to_half_bracket_the_number(device):
    source = """
    #include <cuda_fp16.h>
    __global__ void k(const float* x, half* rd, half* rn, half* ru, half* rz) {
      int i = threadIdx.x;
      rd[i] = __float2half_rd(x[i]);
      rn[i] = __float2half_rn(x[i]);
      ru[i] = __float2half_ru(x[i]);
      rz[i] = __float2half_rz(x[i]);
    }"""
    x = np.array([1.0003, -1.0003, 2.0, 65519, -65519, 1e6, -1e6, 1e-9, -1e-9, 0.1], "f")
    rd, rn, ru, rz = (np.zeros(len(x), np.float16) for _ in range(4))
    run(source, x, rd, rn, ru, rz, block=len(x))
    with np.errstate(over="ignore"):
        nearest = x.astype(np.float16)
        down = np.where(nearest > x, np.nextafter(nearest, np.float16(-np.inf)), nearest)
        up = np.where(nearest < x, np.nextafter(nearest, np.float16(np.inf)), nearest)
    np.testing.assert_array_equal(rn, nearest)
    np.testing.assert_array_equal(rd, down)
    np.testing.assert_array_equal(ru, up)
    np.testing.assert_array_equal(rz, np.where(x < 0, up, down))


def test_half_becomes_integers_by_the_names_rounding(device):
    source = """
    #include <cuda_fp16.h>
    __global__ void k(half x, int* out, half* back) {
      out[0] = __half2int_rn(x); out[1] = __half2int_rd(x); out[2] = __half2int_ru(x); out[3] = __half2int_rz(x);
      back[0] = __int2half_rn(2049); back[1] = __int2half_ru(2049); back[2] = __ll2half_rd(70000);
    }"""
    out, back = np.zeros(4, "i4"), np.zeros(3, np.float16)
    run(source, np.float16(-2.5), out, back)
    assert out.tolist() == [-2, -3, -2, -2]
    assert back.tolist() == [2048, 2050, 65504]


def test_comparisons_of_half_know_nan(device):
    source = """
    #include <cuda_fp16.h>
    __global__ void k(half x, half y, int* out) {
      out[0] = x < y; out[1] = __hlt(x, y); out[2] = __hltu(x, y); out[3] = __hne(x, y); out[4] = __hneu(x, y);
      out[5] = __hisnan(y); out[6] = __hmax(x, y) == x; out[7] = __hisnan(__hmax_nan(x, y));
    }"""
    out = np.zeros(8, "i4")
    run(source, np.float16(1), np.float16(np.nan), out)
    assert out.tolist() == [0, 0, 1, 0, 1, 1, 1, 1]


@pytest.mark.parametrize(
    "name", ["sqrt", "exp", "exp2", "log", "log2", "log10", "sin", "cos", "tanh", "floor", "rint"]
)
def test_functions_of_half(device, name):
    source = """
    #include <cuda_fp16.h>
    __global__ void k(const half* x, half* out, half2* pairs) {
      int i = threadIdx.x;
      out[i] = NAME(x[i]);
      pairs[i] = PAIRS(half2(x[i], x[i]));
    }"""
    x = np.linspace(0.1, 8, 64).astype(np.float16)
    out, pairs = np.zeros_like(x), np.zeros((64, 2), np.float16)
    run(
        source.replace("NAME", "h" + name).replace("PAIRS", "h2" + name),
        x,
        out,
        pairs.view("u4"),
        block=64,
    )
    np.testing.assert_allclose(out, getattr(np, name)(x.astype("f")), rtol=1e-3)
    np.testing.assert_array_equal(pairs, np.stack([out, out], 1))


def test_pairs_of_half(device):
    source = """
    #include <cuda_fp16.h>
    __global__ void k(half* out) {
      half2 x = __floats2half2_rn(1, 2), y = __half2half2(3);
      half2 z[] = {x + y, __hmul2(x, y), __hfma2(x, y, x), __lowhigh2highlow(x), __hlt2(x, half2(2, 2))};
      for (int i = 0; i < 5; ++i) { out[2 * i] = __low2half(z[i]); out[2 * i + 1] = z[i].y; }
    }"""
    out = np.zeros(10, np.float16)
    run(source, out)
    assert out.tolist() == [4, 5, 3, 6, 4, 8, 2, 1, 1, 0]


def test_atomics_add_halves_side_by_side(device):
    source = """
    #include <cuda_fp16.h>
    __global__ void k(half* sums) {
      atomicAdd(sums + threadIdx.x % 2, half(threadIdx.x % 2 + 1));
      atomicAdd((half2*)(sums + 2), half2(1, 2));
    }"""
    sums = np.zeros(4, np.float16)
    run(source, sums, block=128)
    assert sums.tolist() == [64, 128, 128, 256]


def test_halves_are_shuffled(device):
    source = """
    #include <cuda_fp16.h>
    __global__ void k(half* x) {
      half v = x[threadIdx.x];
      for (int d = 16; d; d /= 2) v += __shfl_xor_sync(0xffffffff, v, d);
      x[threadIdx.x] = v + __shfl_sync(0xffffffff, half2(v, threadIdx.x), 3).y;
    }"""
    x = np.arange(32).astype(np.float16)
    run(source, x, block=32)
    assert x.tolist() == [499] * 32


def test_names_of_half_are_the_programs_own_without_the_header(device):
    source = """
    #ifdef NOWHERE
    #include <cuda_fp16.h>
    #endif
    typedef unsigned short half;
    struct half2 { half x, y; };
    __device__ int hsin[2] = {3, 4};
    __global__ void k(half* x) { half2 p{5, 6}; x[0] = hsin[1] + p.y; }"""
    x = np.zeros(1, "u2")
    run(source, x)
    assert x[0] == 10


# cuda_bf16.h


@pytest.mark.parametrize("op", ["+", "-", "*", "/"])
def test_bfloat16_arithmetic_rounds_to_nearest(device, op):
    source = """
    #include <cuda_bf16.h>
    __global__ void k(const unsigned short* a, const unsigned short* b, unsigned short* out) {
      int i = threadIdx.x;
      __nv_bfloat16 x = __ushort_as_bfloat16(a[i]), y = __ushort_as_bfloat16(b[i]);
      out[i] = __bfloat16_as_ushort(x OP y);
    }""".replace("OP", op)
    rng = np.random.default_rng(3)
    a, b = (bfloat16_bits(rng.normal(size=1024)) for _ in range(2))
    out = np.zeros_like(a)
    run(source, a, b, out, block=1024)
    ufunc = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide}[op]
    np.testing.assert_array_equal(out, bfloat16_bits(ufunc(floats(a), floats(b))))


def test_numbers_become_bfloat16_and_back(device):
    source = """
    #include <cuda_bf16.h>
    __global__ void k(const float* x, unsigned short* bits, float* back) {
      int i = threadIdx.x;
      __nv_bfloat16 v = __float2bfloat16(x[i]);
      bits[i] = __bfloat16_as_ushort(v);
      back[i] = __bfloat162float(v) + __bfloat162float(nv_bfloat16(2));
    }"""
    x = np.random.default_rng(4).normal(size=256).astype("f")
    bits, back = np.zeros(256, "u2"), np.zeros(256, "f")
    run(source, x, bits, back, block=256)
    np.testing.assert_array_equal(bits, bfloat16_bits(x))
    np.testing.assert_array_equal(back, floats(bits) + 2)


def test_a_long_integer_becomes_bfloat16_with_one_rounding(device):
    source = """
    #include <cuda_bf16.h>
    __global__ void k(long long x, unsigned short* out) {
      out[0] = __bfloat16_as_ushort(__ll2bfloat16_rn(x));
      out[1] = __bfloat16_as_ushort(__ll2bfloat16_rd(x));
      out[2] = __bfloat16_as_ushort(__ll2bfloat16_ru(x));
    }"""
    out = np.zeros(3, "u2")
    run(source, 2**60 + 2**52 + 1, out)  # just over the middle of two neighbours
    assert floats(out).tolist() == [2**60 + 2**53, 2**60, 2**60 + 2**53]


# cuComplex.h and cupy/complex.cuh


def test_cu_complex(device):
    source = """
    #include <cuComplex.h>
    __global__ void k(const cuDoubleComplex* z, cuDoubleComplex* out, cuComplex f) {
      out[0] = cuCadd(z[0], z[1]); out[1] = cuCsub(z[0], z[1]); out[2] = cuCmul(z[0], z[1]);
      out[3] = cuCdiv(z[0], z[1]);
      out[4] = cuConj(z[0]); out[5] = make_cuDoubleComplex(cuCabs(z[0]), cuCimagf(cuCmulf(f, make_cuComplex(0, 1))));
    }"""
    z, out = np.array([1 + 2j, 3 - 4j]), np.zeros(6, "D")
    run(source, z, out, np.complex64(5 + 6j))
    a, b = z
    np.testing.assert_allclose(out, [a + b, a - b, a * b, a / b, a.conj(), abs(a) + 5j], rtol=1e-14)


COMPLEX_FUNCTIONS = {
    **{name: name for name in "exp log log10 sqrt sin cos tan sinh cosh tanh conj".split()},
    **{"asin": "arcsin", "acos": "arccos", "atan": "arctan"},
    **{"asinh": "arcsinh", "acosh": "arccosh", "atanh": "arctanh"},
}


@pytest.mark.parametrize("name", COMPLEX_FUNCTIONS)
def test_functions_of_complex_numbers(device, name):
    source = """
    #include <cupy/complex.cuh>
    template <class T> __device__ void apply(const complex<T>* z, complex<T>* out) {
      out[threadIdx.x] = NAME(z[threadIdx.x]);
    }
    __global__ void k(const complex<float>* z, complex<float>* out, const complex<double>* w, complex<double>* wide) {
      apply(z, out);
      apply(w, wide);
    }""".replace("NAME", name)
    rng = np.random.default_rng(5)
    w = 2 * rng.normal(size=256) + 2j * rng.normal(size=256)
    z, out, wide = w.astype("F"), np.zeros(256, "F"), np.zeros(256, "D")
    run(source, z, out, w, wide, block=256)
    function = getattr(np, COMPLEX_FUNCTIONS[name])
    np.testing.assert_allclose(out, function(z), rtol=2e-6)
    np.testing.assert_allclose(wide, function(w), rtol=4e-15)


def test_complex_arithmetic_mixes_with_numbers(device):
    source = """
    #include <cupy/complex.cuh>
    __global__ void k(const complex<double>* z, complex<double>* out, complex<float> f) {
      complex<double> a = z[0], b = z[1];
      out[0] = a * b + 1; out[1] = 2.0f * a / b; out[2] = a - thrust::complex<double>(f); out[3] = pow(a, b);
      out[4] = pow(a, 2); out[5] = polar(2.0, 0.5); out[6] = complex<double>(norm(a), arg(a)); out[7] = a;
      out[7] *= 2; out[7] += b; out[8] = a == a && a != b && b.real() == 3.0 ? -a : b;
    }"""
    z, out = np.array([1 + 2j, 3 - 4j]), np.zeros(9, "D")
    run(source, z, out, 1j)
    a, b = z
    expected = [
        a * b + 1,
        2 * a / b,
        a - 1j,
        a**b,
        a**2,
        2 * np.exp(0.5j),
        5 + 1j * np.angle(a),
        2 * a + b,
        -a,
    ]
    np.testing.assert_allclose(out, expected, rtol=1e-14)


def test_complex_division_does_not_overflow(device):
    source = """
    #include <cupy/complex.cuh>
    __global__ void k(complex<float> a, complex<float> b, complex<float>* out) { out[0] = a / b; }"""
    out = np.zeros(1, "F")
    run(source, np.complex64(3e30 + 1e30j), np.complex64(1e30 + 1e30j), out)
    np.testing.assert_allclose(out, [2 - 1j], rtol=1e-6)


# cooperative_groups.h


def groups(body):
    return f"""
    #include <cooperative_groups.h>
    #include <cooperative_groups/reduce.h>
    #include <cooperative_groups/scan.h>
    namespace cg = cooperative_groups;
    __global__ void k(int* out) {{
      cg::thread_block block = cg::this_thread_block();
      int i = block.thread_rank();
      {body}
    }}"""


def test_a_block_knows_its_threads(device):
    source = groups("""
      block.sync();
      int* o = out + 4 * cg::this_grid().thread_rank();
      o[0] = block.size(); o[1] = block.thread_index().y; o[2] = block.group_index().x; o[3] = cg::this_grid().size();
    """)
    out = np.zeros((2 * 12, 4), "i4")
    run(source, out, grid=2, block=(4, 3))
    rank = np.arange(24)
    np.testing.assert_array_equal(
        out, np.stack([0 * rank + 12, rank % 12 // 4, rank // 12, 0 * rank + 24], 1)
    )


@pytest.mark.parametrize("n", [1, 4, 16, 32])
def test_tiles_reduce(device, n):
    source = groups("""
      cg::thread_block_tile<N> tile = cg::tiled_partition<N>(block);
      int sum = i;
      for (int d = tile.size() / 2; d > 0; d /= 2) sum += tile.shfl_xor(sum, d);
      out[i] = sum == cg::reduce(tile, i, cg::plus<int>()) ? sum : -1;
    """).replace("N>", f"{n}>")
    out = np.zeros(96, "i4")
    run(source, out, block=96)
    np.testing.assert_array_equal(out, np.repeat(np.arange(96).reshape(-1, n).sum(1), n))


@pytest.mark.parametrize(
    "name, ufunc", [("plus", "add"), ("less", "minimum"), ("greater", "maximum"), ("bit_and", "bitwise_and"),
                    ("bit_or", "bitwise_or"), ("bit_xor", "bitwise_xor")]
)  # fmt: skip
def test_reductions_by_operator(device, name, ufunc):
    source = groups(
        f"out[i] = cg::reduce(cg::tiled_partition<32>(block), out[i], cg::{name}<int>());"
    )
    x = np.random.default_rng(6).integers(-1000, 1000, 32).astype("i4")
    out = x.copy()
    run(source, out, block=32)
    assert out.tolist() == [getattr(np, ufunc).reduce(x)] * 32


def test_tiles_vote_and_shuffle_in_their_own_ranks(device):
    source = groups("""
      auto tile = cg::tiled_partition<8>(cg::tiled_partition<32>(block));
      int* o = out + 8 * i;
      o[0] = tile.thread_rank(); o[1] = tile.meta_group_rank(); o[2] = tile.meta_group_size();
      o[3] = tile.ballot(i % 2); o[4] = tile.any(i == 8); o[5] = tile.shfl(i, 7);
      o[6] = tile.shfl_up(i, 1); o[7] = tile.match_any(i % 4);
    """)
    out = np.zeros((64, 8), "i4")
    run(source, out, block=64)
    i = np.arange(64)
    first = i // 8 * 8
    expected = [
        i % 8,
        i % 32 // 8,
        0 * i + 4,
        0 * i + 0xAA,
        i // 8 == 1,
        first + 7,
        np.maximum(i - 1, first),
        0x11 << i % 4,
    ]
    np.testing.assert_array_equal(out, np.stack(expected, 1))


def test_coalesced_threads_count_themselves(device):
    source = groups("""
      if (i % 3 == 1) {
        cg::coalesced_group g = cg::coalesced_threads();
        out[i] = g.size() * 10000 + g.thread_rank() * 100 + g.shfl(i, g.size() - 1);
      }
    """)
    out = np.zeros(32, "i4")
    run(source, out, block=32)
    i = np.arange(32)
    np.testing.assert_array_equal(out, np.where(i % 3 == 1, 110000 + i // 3 * 100 + 31, 0))


def test_a_function_takes_any_group(device):
    source = """
    #include <cooperative_groups.h>
    using namespace cooperative_groups;
    __device__ int sum(thread_group g, int* at, int v) {
      for (int i = g.size() / 2; i > 0; i /= 2) {
        at[g.thread_rank()] = v;
        g.sync();
        if (g.thread_rank() < i) v += at[g.thread_rank() + i];
        g.sync();
      }
      return v;
    }
    __global__ void k(int* out) {
      __shared__ int s[64];
      int i = threadIdx.x;
      out[i] = sum(this_thread_block(), s, i);
      out[64 + i] = sum(tiled_partition(this_thread_block(), 16), s + i / 16 * 16, i);
      out[128 + i] = sum(tiled_partition<8>(this_thread_block()), s + i / 8 * 8, i);
    }"""
    out, i = np.zeros(192, "i4"), np.arange(64)
    run(source, out, block=64)
    assert out[0] == i.sum()
    np.testing.assert_array_equal(out[64:128:16], i.reshape(-1, 16).sum(1))
    np.testing.assert_array_equal(out[128::8], i.reshape(-1, 8).sum(1))


def test_a_group_of_unknown_kind_is_tiled(device):
    source = """
    #include <cooperative_groups.h>
    namespace cg = cooperative_groups;
    __device__ int rank(cg::thread_group g, unsigned n) {
      cg::thread_group tile = cg::tiled_partition(g, n);
      return tile.size() * 100 + tile.thread_rank();
    }
    __global__ void k(int* out) {
      int i = threadIdx.x;
      out[i] = rank(cg::this_thread_block(), 16);
      out[48 + i] = rank(cg::tiled_partition<8>(cg::this_thread_block()), 2);
    }"""
    out, i = np.zeros(96, "i4"), np.arange(48)
    run(source, out, block=48)
    np.testing.assert_array_equal(out[:48], 1600 + i % 16)
    np.testing.assert_array_equal(out[48:], 200 + i % 2)


def test_a_thread_works_between_arriving_at_a_barrier_and_waiting(device):
    source = """
    #include <cooperative_groups.h>
    __global__ void k(int* out) {
      __shared__ int s[50];
      auto block = cooperative_groups::this_thread_block();
      s[threadIdx.x] = threadIdx.x;
      auto token = block.barrier_arrive();
      int mine = threadIdx.x * 100;
      block.barrier_wait(std::move(token));
      out[threadIdx.x] = mine + s[49 - threadIdx.x];
    }"""
    out, i = np.zeros(50, "i4"), np.arange(50)
    run("#include <utility>" + source, out, block=50)
    np.testing.assert_array_equal(out, i * 100 + 49 - i)


def test_a_tile_of_a_block_is_a_tile(device):
    source = """
    #include <cooperative_groups.h>
    using namespace cooperative_groups;
    __device__ int first(thread_block_tile<8> tile, int v) { return tile.shfl(v, 0); }
    template <unsigned n> __device__ int size(const thread_block_tile<n>& tile) { return tile.size(); }
    template <unsigned n, class P> __device__ int last(const thread_block_tile<n, P>& tile, int v) {
      return tile.shfl(v, n - 1);
    }
    __global__ void k(int* out) {
      int i = threadIdx.x;
      auto tile = tiled_partition<8>(this_thread_block());
      thread_block_tile<8> same = tile;
      out[i] = first(tile, i) * 10000 + last(tile, i) * 100 + size(tile) * 10 + size(same);
    }"""
    out, i = np.zeros(32, "i4"), np.arange(32)
    run(source, out, block=32)
    np.testing.assert_array_equal(out, i // 8 * 8 * 10000 + (i // 8 * 8 + 7) * 100 + 88)


def test_a_structure_is_shuffled(device):
    source = groups("""
      struct Item { double weight; short tag; char name[3]; } item{i * 0.5, (short)i, {'a', 'b', (char)i}};
      Item other = cg::tiled_partition<4>(block).shfl(item, 2);
      out[i] = other.weight * 2 == other.tag && other.name[2] == other.tag ? other.tag : -1;
    """)
    out = np.zeros(32, "i4")
    run(source, out, block=32)
    np.testing.assert_array_equal(out, np.arange(32) // 4 * 4 + 2)


def test_scans_of_groups(device):
    source = groups("""
      auto tile = cg::tiled_partition<16>(block);
      out[i] = cg::inclusive_scan(tile, i);
      out[32 + i] = cg::exclusive_scan(tile, i, cg::plus<int>());
    """)
    out = np.zeros(64, "i4")
    run(source, out, block=32)
    inclusive = np.arange(32).reshape(2, 16).cumsum(1).ravel()
    np.testing.assert_array_equal(out, np.concatenate([inclusive, inclusive - np.arange(32)]))


def test_groups_are_split_by_a_condition(device):
    source = groups("""
      auto tile = cg::tiled_partition<32>(block);
      out[i] = cg::binary_partition(tile, i % 4 == 0).size();
      out[32 + i] = cg::reduce(cg::labeled_partition(tile, i % 5), 1, cg::plus<int>());
      out[64 + i] = cg::tiled_partition(block, 4).shfl(i, 0);
    """)
    out = np.zeros(96, "i4")
    run(source, out, block=32)
    i = np.arange(32)
    np.testing.assert_array_equal(out[:32], np.where(i % 4, 24, 8))
    np.testing.assert_array_equal(out[32:64], np.bincount(i % 5)[i % 5])
    np.testing.assert_array_equal(out[64:], i // 4 * 4)


# cuda/atomic


@pytest.mark.parametrize(
    "type, dtype", [("int", "i4"), ("unsigned long long", "u8"), ("float", "f4"), ("double", "f8")]
)
@pytest.mark.parametrize("scope", ["system", "device", "block"])
def test_a_number_is_added_to_through_a_reference(device, type, dtype, scope):
    source = f"""
    #include <cuda/atomic>
    __global__ void k({type}* x) {{
      cuda::atomic_ref<{type}, cuda::thread_scope_{scope}> a(x[0]);
      x[1 + threadIdx.x] = a.fetch_add(2, cuda::memory_order_relaxed);
    }}"""
    x = np.zeros(65, dtype)
    run(source, x, block=64)
    assert x[0] == 128 and sorted(x[1:]) == list(range(0, 128, 2))


def test_integers_are_combined_through_a_reference(device):
    source = """
    #include <cuda/atomic>
    __global__ void k(int* x, unsigned* u) {
      int i = threadIdx.x;
      cuda::atomic_ref<int> low(x[0]), high(x[1]), sum(x[2]);
      low.fetch_min(-i); high.fetch_max(i); sum -= i;
      cuda::atomic_ref<unsigned, cuda::thread_scope_device> all(u[0]), any(u[1]), parity(u[2]), most(u[3]);
      all &= ~(1u << i); any |= 1u << i; parity ^= i; most.fetch_max(i - 1);
    }"""
    x, u = np.zeros(3, "i4"), np.array([2**32 - 1, 0, 0, 0], "u4")
    run(source, x, u, block=31)
    assert x.tolist() == [-30, 30, -465] and u.tolist() == [1 << 31, (1 << 31) - 1, 31, 2**32 - 1]


@pytest.mark.parametrize(
    "header, type, name", [("fp16", "half", "half"), ("bf16", "nv_bfloat16", "bfloat16")]
)
def test_small_floats_are_multiplied_as_complex_numbers_and_become_chars(
    device, header, type, name
):
    source = f"""
    #include <cuda_{header}.h>
    __global__ void k(float* out) {{
      {type}2 x{{{type}(1.0f), {type}(2.0f)}}, y{{{type}(3.0f), {type}(-4.0f)}}, z{{{type}(0.5f), {type}(-1.0f)}};
      {type}2 w = __hcmadd(x, y, z);
      out[0] = w.x; out[1] = w.y;
      out[2] = __{name}2char_rz({type}(-7.5f)); out[3] = __{name}2char_rz({type}(-300.0f));
      out[4] = __{name}2uchar_rz({type}(300.0f)); out[5] = __{name}2uchar_rz({type}(-3.0f));
      out[6] = htanh_approx({type}(0.5f)); out[7] = h2tanh_approx(x).y;
      out[8] = __{name}2char_rz({type}(0.0f / 0.0f)); out[9] = __{name}2uchar_rz({type}(1.0f / 0.0f));
    }}"""
    out = np.zeros(10, "f4")
    run(source, out)
    assert out[:6].tolist() == [11.5, 1, -7, -128, 255, 0]
    assert out[8:].tolist() == [0, 255]
    np.testing.assert_allclose(out[6:8], np.tanh([0.5, 2]), rtol=1e-2)


def test_pairs_of_floats_are_rounded_as_named(device):
    source = """
    __global__ void k(const float2* x, float2* out) {
      out[0] = __fadd2_rn(x[0], x[1]); out[1] = __fadd2_ru(x[0], x[1]);
      out[2] = __fmul2_rd(x[0], x[1]); out[3] = __ffma2_rz(x[0], x[1], x[1]);
      out[4] = {__tanhf(x[0].x), 0};
    }"""
    x, out = np.array([[1, 3], [2**-30, 0.1]], "f4"), np.zeros((5, 2), "f4")
    run(source, x, out)
    (a, b), (c, d) = x.astype("f8")
    assert out[0].tolist() == [1, np.float32(b + d)]
    assert out[1, 0] == np.float32(1 + 2**-23) and b + d <= out[1, 1] <= b + d + 2**-21
    assert out[2, 0] == c and b * d - 2**-24 <= out[2, 1] <= b * d
    assert out[3, 0] == 2 * c and b * d + d - 2**-24 <= out[3, 1] <= b * d + d
    np.testing.assert_allclose(out[4, 0], np.tanh(1), rtol=1e-5)


@pytest.mark.parametrize("suffix", ["", "_block", "_system"])
def test_16_bits_are_exchanged_at_the_end_of_an_array(device, suffix):
    source = f"""
    __device__ unsigned short variable[3];
    __global__ void k(unsigned short* x, int* winners) {{
      __shared__ unsigned short shared;
      if (threadIdx.x == 0) shared = 0;
      __syncthreads();
      unsigned short none = 0, mine = threadIdx.x + 1;
      if (atomicCAS{suffix}(&shared, none, mine) == 0) winners[0] = mine;
      if (atomicCAS{suffix}(variable + 2, none, mine) == 0) winners[1] = mine;
      if (atomicCAS{suffix}(x + 2, none, mine) == 0) winners[2] = mine;
      __syncthreads();
      if (threadIdx.x == 0) winners[3] = shared, winners[4] = variable[2];
    }}"""
    x, winners = np.array([7, 8, 0], "u2"), np.zeros(5, "i4")
    run(source, x, winners, block=40)
    assert x[:2].tolist() == [7, 8] and 1 <= winners.min() <= winners.max() <= 40
    assert winners[:3].tolist() == [winners[3], winners[4], x[2]]


@pytest.mark.parametrize("type, dtype", [("__half", "f2"), ("__nv_bfloat16", "u2")])
def test_16_bit_floats_are_added_to_a_single_element(device, type, dtype):
    source = f"""
    #include <cuda_fp16.h>
    #include <cuda_bf16.h>
    __global__ void k({type}* x) {{ atomicAdd(x, {type}(2.0f)); }}"""
    x = np.zeros(1, dtype)
    run(source, x, block=50)
    assert (x if dtype == "f2" else floats(x))[0] == 100


SMALL_TYPES = [
    ("signed char", "i1"),
    ("unsigned char", "u1"),
    ("short", "i2"),
    ("unsigned short", "u2"),
]


@pytest.mark.parametrize("type, dtype", SMALL_TYPES)
def test_a_small_integer_is_updated_beside_others(device, type, dtype):
    source = f"""
    #include <cuda/atomic>
    __global__ void k({type}* x) {{
      cuda::atomic_ref<{type}, cuda::thread_scope_device> a(x[threadIdx.x % 5]);
      a.fetch_add(7, cuda::memory_order_relaxed);
    }}"""
    x = np.array([100, 2, 3, 4, 250, 9, 9, 9]).astype(dtype)
    run(source, x, block=64)
    expected = np.array([100, 2, 3, 4, 250, 9, 9, 9]) + 7 * np.bincount(
        np.arange(64) % 5, minlength=8
    )
    np.testing.assert_array_equal(x, expected.astype(dtype))


@pytest.mark.parametrize("type, dtype", SMALL_TYPES)
def test_small_integers_are_combined_through_a_reference(device, type, dtype):
    source = f"""
    #include <cuda/atomic>
    __global__ void k({type}* x) {{
      int i = threadIdx.x;
      typedef cuda::atomic_ref<{type}, cuda::thread_scope_block> Reference;
      Reference(x[1]).fetch_min(({type})(60 - i)); Reference(x[2]).fetch_max(({type})(i - 2));
      Reference(x[3]).fetch_or(({type})(1 << i % 8)); Reference(x[4]).fetch_xor(({type})i);
      Reference(x[5]).fetch_and(({type})~(1 << i % 3)); Reference(x[6]).fetch_sub(1);
      if (i == 5) x[7] = Reference(x[8]).exchange(44);
    }}"""
    x = np.array([1, 100, 0, 0, 0, -1, 3, 0, 55, 2]).astype(dtype)
    run(source, x, block=63)
    least, most = (-2, 60) if dtype[0] == "i" else (0, np.iinfo(dtype).max)
    expected = np.array([1, max(least, -2), most, 255, 63, -8, -60, 55, 44, 2]).astype(dtype)
    np.testing.assert_array_equal(x, expected)


def test_an_atomic_flag_is_found_by_one_thread(device):
    source = """
    #include <cuda/atomic>
    __device__ cuda::atomic<bool> taken[3];
    __global__ void k(bool* flags, int* winners) {
      bool free = false;
      if (taken[1].compare_exchange_strong(free, true)) atomicAdd(winners, 1);
      else if (free) atomicAdd(winners + 1, 1);
      if (threadIdx.x == 9) ((cuda::atomic<bool>*)flags + 2)->store(true, cuda::memory_order_relaxed);
      __syncthreads();
      if (threadIdx.x == 0) flags[0] = taken[0] || taken[2], flags[4] = taken[1];
    }"""
    flags, winners = np.zeros(5, "?"), np.zeros(2, "i4")
    run(source, flags, winners, block=40)
    assert flags.tolist() == [False, False, True, False, True] and winners.tolist() == [1, 39]


def test_an_atomic_object_is_shared_and_global(device):
    source = """
    #include <cuda/atomic>
    __device__ cuda::atomic<int, cuda::thread_scope_device> total{3};
    __global__ void k(int* x) {
      __shared__ cuda::atomic<unsigned, cuda::thread_scope_block> count;
      if (threadIdx.x == 0) count = 0;
      __syncthreads();
      ++count;
      total += 2;
      __syncthreads();
      x[threadIdx.x] = count;
      if (threadIdx.x == 0) x[32] = total.load(cuda::std::memory_order_acquire);
    }"""
    x = np.zeros(33, "i4")
    run(source, x, block=32)
    assert x[:32].tolist() == [32] * 32 and x[32] == 67


def test_an_exchange_by_comparison_makes_a_lock(device):
    source = """
    #include <cuda/atomic>
    __global__ void k(int* lock, int* count) {
      cuda::atomic_ref<int, cuda::thread_scope_device> taken(*lock);
      for (bool done = false; !done;) {
        int free = 0;
        if (taken.compare_exchange_weak(free, 1, cuda::memory_order_acquire)) {
          *(volatile int*)count += 1;
          taken.store(0, cuda::memory_order_release);
          done = true;
        }
      }
    }"""
    lock, count = np.zeros(1, "i4"), np.zeros(1, "i4")
    run(source, lock, count, grid=4, block=64)
    assert count[0] == 256 and lock[0] == 0


def test_a_block_waits_for_the_value_of_another(device):
    source = """
    #include <cuda/std/atomic>
    __global__ void k(int* ready, int* x) {
      cuda::std::atomic_ref<int> flag(*ready);
      if (blockIdx.x == 0) {
        x[0] = 5;
        flag.store(1, cuda::std::memory_order_release);
        flag.notify_all();
      } else {
        flag.wait(0, cuda::std::memory_order_acquire);
        x[1] = x[0] + 1;
      }
    }"""
    ready, x = np.zeros(1, "i4"), np.zeros(2, "i4")
    run(source, ready, x, grid=2)
    assert x.tolist() == [5, 6]


def test_pitched_memory_is_passed_to_a_kernel(device):
    source = """
    __global__ void k(cudaPitchedPtr p, cudaExtent e) {
      for (unsigned y = 0; y < e.height; ++y) ((int*)((char*)p.ptr + y * p.pitch))[threadIdx.x] += y;
    }"""
    x = cuda.to_device(np.zeros((3, 8), "i4"))
    pitched = np.dtype([(name, "u8") for name in ("ptr", "pitch", "xsize", "ysize")])
    extent = np.dtype([(name, "u8") for name in ("width", "height", "depth")])
    address = x.__cuda_array_interface__["data"][0]
    memory = np.array((address, 32, 20, 3), pitched)[()]
    heddle.RawKernel(source, "k")(1, 5, (memory, np.array((20, 3, 1), extent)[()]))
    np.testing.assert_array_equal(x.copy_to_host(), [[0] * 8, [1] * 5 + [0] * 3, [2] * 5 + [0] * 3])


def test_four_lognormal_doubles_are_exponentials_of_normal_ones(device):
    source = """
    #include <curand_kernel.h>
    __global__ void k(double4* out) {
      curandStatePhilox4_32_10_t a, b;
      curand_init(1, threadIdx.x, 0, &a);
      curand_init(1, threadIdx.x, 0, &b);
      out[2 * threadIdx.x] = curand_log_normal4_double(&a, 0.5, 2);
      out[2 * threadIdx.x + 1] = curand_normal4_double(&b);
    }"""
    out = np.zeros((8, 2, 4))
    run(source, out, block=8)
    np.testing.assert_allclose(out[:, 0], np.exp(0.5 + 2 * out[:, 1]), rtol=1e-12)


SCOPED_UPDATES = {
    "add": ("int", [0, 5], [12, 17]),
    "sub": ("unsigned", [0, 5], [2**32 - 12, 2**32 - 7]),
    "and": ("unsigned", [6, 3], [4, 0]),
    "or": ("unsigned long long", [1 << 40, 2], [(1 << 40) + 12, 14]),
    "xor": ("int", [6, 3], [10, 15]),
    "min": ("long long", [-1, 99], [-1, 12]),
    "max": ("int", [-1, 99], [12, 99]),
}


@pytest.mark.parametrize("name", SCOPED_UPDATES)
def test_updates_with_an_order_and_a_scope_return_the_old_value(device, name):
    c_type, before, after = SCOPED_UPDATES[name]
    source = f"""
    __global__ void k({c_type}* x, {c_type}* old) {{
      int i = threadIdx.x;
      old[i] = __nv_atomic_fetch_{name}(x + i, 12, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
      __nv_atomic_{name}(x + 2 + i, 12, __NV_ATOMIC_SEQ_CST);
    }}"""
    dtype = {"int": "i4", "unsigned": "u4", "long long": "i8", "unsigned long long": "u8"}[c_type]
    x, old = np.array(2 * before, dtype), np.zeros(2, dtype)
    run(source, x, old, block=2)
    assert x.tolist() == 2 * after and old.tolist() == before


@pytest.mark.parametrize("c_type, dtype", [("float", "f4"), ("double", "f8")])
def test_sums_of_floats_with_an_order_and_a_scope(device, c_type, dtype):
    source = f"""
    __global__ void k({c_type}* x) {{
      __nv_atomic_add(x, 0.5f, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_BLOCK);
      __nv_atomic_fetch_sub(x + 1, 2, __NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_SYSTEM);
    }}"""
    x = np.zeros(2, dtype)
    run(source, x, block=64)
    assert x.tolist() == [32, -128]


@pytest.mark.parametrize(
    "c_type, dtype",
    [
        ("char", "i1"),
        ("unsigned short", "u2"),
        ("float", "f4"),
        ("volatile int", "i4"),
        ("long", "i8"),
    ],
)
def test_loads_and_stores_with_an_order_and_a_scope(device, c_type, dtype):
    source = f"""
    __global__ void k({c_type}* x) {{
      auto a = __nv_atomic_load_n(x, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_CLUSTER), b = a;
      __nv_atomic_load(x + 1, &b, __NV_ATOMIC_ACQUIRE);
      __nv_atomic_store_n(x + 2, b, __NV_ATOMIC_RELEASE);
      __nv_atomic_store(x + 3, &a, __NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_THREAD);
    }}"""
    x = np.array([3, 7, 0, 0], dtype)
    run(source, x)
    assert x.tolist() == [3, 7, 7, 3]


@pytest.mark.parametrize(
    "c_type, dtype", [("int", "i4"), ("double", "f8"), ("unsigned long", "u8")]
)
def test_exchanges_with_an_order_and_a_scope(device, c_type, dtype):
    source = f"""
    __global__ void k({c_type}* x, int* swapped) {{
      {c_type} old, expected = 3, mine = 8;
      x[4] = __nv_atomic_exchange_n(x, 5, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
      __nv_atomic_exchange(x + 1, &mine, &old, __NV_ATOMIC_RELAXED);
      x[5] = old;
      swapped[0] = __nv_atomic_compare_exchange_n(
          x + 2, &expected, 9, false, __NV_ATOMIC_RELAXED, __NV_ATOMIC_RELAXED);
      swapped[1] = __nv_atomic_compare_exchange(
          x + 3, &expected, &mine, true, __NV_ATOMIC_ACQ_REL, __NV_ATOMIC_RELAXED);
      x[6] = expected;
    }}"""
    x, swapped = np.array([1, 2, 3, 4, 0, 0, 0], dtype), np.zeros(2, "i4")
    run(source, x, swapped)
    assert x.tolist() == [5, 8, 9, 4, 1, 2, 4] and swapped.tolist() == [1, 0]


# The C and C++ libraries


@pytest.mark.parametrize("header", ["cassert", "assert.h", "cuda/std/cassert"])
def test_an_assertion_is_left_out_where_the_program_says_so(device, header):
    source = f"""
    #define NDEBUG
    #include <{header}>
    __global__ void k(int* x) {{ assert(x[0]); x[0] = 3; }}"""
    x = np.zeros(1, "i4")
    run(source, x)
    assert x[0] == 3


@pytest.mark.parametrize(
    "call", ["__assert_fail(m, __FILE__, 7, 0)", "__assertfail(m, __FILE__, 7, 0, sizeof(char))"]
)
def test_a_failed_assertion_of_a_library_raises(device, call):
    source = f"""
    #define CHECK(x) ((x) ? (void)0 : fail(#x))
    __device__ __forceinline__ void fail(const char* m) {{ {call}; }}
    __global__ void k(int* x) {{ CHECK(x[0] == 2); }}"""
    kernel = heddle.RawKernel(source, "k", ("-G",))
    with pytest.raises(AssertionError, match="x\\[0\\] == 2"):
        kernel(1, 1, (cuda.to_device(np.zeros(1, "i4")),))


def test_minima_and_maxima_are_constant_expressions(device):
    source = """
    #include <algorithm>
    __global__ void k(float* x) {
      constexpr int n = 8 / std::min(sizeof(int), sizeof(short));
      __shared__ float tile[std::max(n, 3u)];
      static_assert(std::max(2.5, 1.5) == 2.5 && std::min(-1.0f, 2.0f) == -1 && min(3LL, 4LL) == 3);
      tile[n - 1] = x[0];
      x[0] = std::max(tile[n - 1], x[1]);
    }"""
    x = np.array([np.nan, 2], "f4")
    run(source, x)
    assert x[0] == 2


@pytest.mark.parametrize("header", ["stdlib.h", "cstdlib", "sys/types.h"])
def test_integer_types_of_glibc(device, header):
    source = f"""
    #include <{header}>
    __global__ void k(ulong* out) {{
      out[0] = sizeof(uint) + sizeof(ushort) + sizeof(u_int8_t);
      out[1] = (ssize_t)-1 < 0;
    }}"""
    out = np.zeros(2, "u8")
    run(source, out)
    assert out.tolist() == [7, 1]


@pytest.mark.parametrize(
    "header", ["climits", "limits.h", "cuda/std/climits", "cuda/std/limits", "cuda/std/cstdint"]
)
def test_macros_of_limits(device, header):
    source = f"""
    #include <{header}>
    __global__ void k(long long* out) {{ out[0] = INT_MIN; out[1] = UINT_MAX; out[2] = LLONG_MAX; }}"""
    out = np.zeros(3, "i8")
    run(source, out)
    assert out.tolist() == [-(2**31), 2**32 - 1, 2**63 - 1]


def test_limits_of_types(device):
    source = """
    #include <cfloat>
    #include <climits>
    #include <cstdint>
    #include <limits>
    static_assert(std::numeric_limits<int>::min() == INT_MIN && std::numeric_limits<uint64_t>::max() == UINT64_MAX);
    static_assert(std::numeric_limits<short>::digits10 == 4 && std::numeric_limits<bool>::max());
    __global__ void k(double* out) {
      out[0] = std::numeric_limits<float>::max(); out[1] = DBL_EPSILON; out[2] = std::numeric_limits<float>::lowest();
      out[3] = std::numeric_limits<double>::infinity(); out[4] = std::numeric_limits<float>::min();
    }"""
    out = np.zeros(5)
    run(source, out)
    f = np.finfo("f")
    assert out.tolist() == [f.max, np.finfo("d").eps, f.min, np.inf, f.tiny]


def test_constants_of_mathematics(device):
    source = """
    #include <cmath>
    #include <math_constants.h>
    __global__ void k(double* out) {
      out[0] = CUDART_PI; out[1] = CUDART_PI_F; out[2] = M_E; out[3] = CUDART_INF_F; out[4] = NAN;
      out[5] = CUDART_SQRT_TWO;
    }"""
    out = np.zeros(6)
    run(source, out)
    np.testing.assert_array_equal(out, [np.pi, np.float32(np.pi), np.e, np.inf, np.nan, np.sqrt(2)])


def test_type_traits_choose_functions(device):
    source = """
    #include <type_traits>
    template <class T> __device__ std::enable_if_t<std::is_floating_point<T>::value, int> kind(T) { return 1; }
    template <class T> __device__ std::enable_if_t<std::is_integral_v<T>, int> kind(T) { return 2; }
    static_assert(std::is_same_v<std::remove_cvref_t<const int&>, std::make_signed_t<unsigned>>);
    static_assert(std::is_same_v<std::common_type_t<char, int, double>, std::conditional_t<true, double, int>>);
    static_assert(std::is_invocable_v<int (*)(int), int> && !std::is_convertible_v<int*, int>);
    __global__ void k(int* out) { out[0] = kind(1.0f); out[1] = kind('c'); }"""
    out = np.zeros(2, "i4")
    run(source, out)
    assert out.tolist() == [1, 2]


def test_type_traits_know_copies_and_storage(device):
    source = """
    #include <type_traits>
    struct Plain { int a; float b; };
    struct Copied { __device__ Copied(const Copied&) {} };
    static_assert(std::is_pod<Plain>::value && !std::is_pod_v<Copied>);
    static_assert(std::is_trivially_copy_constructible_v<Plain> && !std::is_trivially_copy_constructible_v<Copied>);
    static_assert(std::is_trivially_move_assignable_v<Plain> && std::is_trivially_constructible_v<Plain>);
    static_assert(std::has_unique_object_representations_v<int> && !std::has_unique_object_representations_v<float>);
    static_assert(std::is_member_object_pointer_v<int Plain::*> && !std::is_member_function_pointer_v<int Plain::*>);
    __global__ void k(float* out) {
      std::aligned_storage_t<sizeof(Plain), 16> room;
      Plain* p = new (&room) Plain{3, 4.5f};
      out[0] = p->a + p->b; out[1] = alignof(decltype(room)); out[2] = (size_t)p % 16;
    }"""
    out = np.zeros(3, "f4")
    run(source, out)
    assert out.tolist() == [7.5, 16, 0]


def test_pairs_and_tuples_are_taken_apart(device):
    source = """
    #include <tuple>
    __device__ std::pair<int, float> two() { return {3, 4.5f}; }
    __device__ std::tuple<int, double, char> three() { return {1, 2.5, 'c'}; }
    __global__ void k(double* out) {
      auto [a, b] = two();
      auto [x, y, z] = three();
      int p; double q;
      std::tie(p, q, std::ignore) = three();
      double sum = std::apply([](int a, double b, char c) { return a + b + c; }, three());
      double same = std::make_tuple(1, 2) == std::tuple{1, 2};
      double all[] = {double(a), b, double(x), y, double(z), p + q, sum, same};
      for (int i = 0; i < 8; ++i) out[i] = all[i];
    }"""
    out = np.zeros(8)
    run(source, out)
    assert out.tolist() == [3, 4.5, 1, 2.5, 99, 3.5, 102.5, 1]


def test_arrays_of_a_fixed_size(device):
    source = """
    #include <array>
    __constant__ constexpr std::array<int, 3> table{5, 6, 7};
    __global__ void k(int* out) {
      std::array<int, 4> a{4, 3, 2, 1};
      std::swap(a[0], a.back());
      for (int v : a) out[0] = out[0] * 10 + v;
      out[1] = table[threadIdx.x + 2]; out[2] = std::get<1>(a); out[3] = a.size();
    }"""
    out = np.zeros(4, "i4")
    run(source, out)
    assert out.tolist() == [1324, 7, 3, 4]


def test_algorithms(device):
    source = """
    #include <algorithm>
    #include <functional>
    __global__ void k(int* out) {
      int x[] = {1, 3, 5, 7, 9};
      out[0] = std::lower_bound(x, x + 5, 5) - x; out[1] = std::upper_bound(x, x + 5, 5) - x;
      std::reverse(x, x + 5);
      out[2] = x[0]; out[3] = std::clamp(12, 0, 10); out[4] = std::min({4, 2, 8});
      out[5] = std::max<float>(2, 3.0f); out[6] = std::find(x, x + 5, 3) - x;
      out[7] = std::max(3, 4, std::greater<int>());
    }"""
    out = np.zeros(8, "i4")
    run(source, out)
    assert out.tolist() == [2, 3, 9, 10, 2, 3, 3, 3]


def test_cuda_std_is_std(device):
    source = """
    #include <cuda/std/array>
    #include <cuda/std/cmath>
    #include <cuda/std/cstdint>
    #include <cuda/std/limits>
    #include <cuda/std/tuple>
    #include <cuda/std/type_traits>
    static_assert(cuda::std::is_same_v<cuda::std::int32_t, int>);
    __global__ void k(double* out) {
      cuda::std::array<int, 2> a{1, 2};
      auto [x, y] = cuda::std::make_tuple(a[0], cuda::std::sqrt(16.0));
      out[0] = x + y + cuda::std::numeric_limits<int8_t>::max();
    }"""
    out = np.zeros(1)
    run(source, out)
    assert out.tolist() == [132]


def test_complex_numbers_of_cuda_std(device):
    source = """
    #include <cuda/std/complex>
    __global__ void k(cuda::std::complex<double> z, cuda::std::complex<double>* out) {
      out[0] = cuda::std::exp(z) * 2.0;
      out[1] = cuda::std::abs(z) + cuda::std::sqrt(4.0);
    }"""
    out = np.zeros(2, "D")
    run(source, 3 + 4j, out)
    np.testing.assert_allclose(out, [2 * np.exp(3 + 4j), 7], rtol=1e-14)


@pytest.mark.parametrize(
    "header",
    "stdint.h stddef.h limits.h float.h math.h assert.h stdio.h cassert cstdio cstddef initializer_list utility cuda.h "
    "cuda_runtime.h device_launch_parameters.h vector_types.h vector_functions.h device_functions.h thrust/complex.h "
    "cooperative_groups/memcpy_async.h cuda/std/utility cuda/std/cstddef cstring string.h new "
    "cuda/atomic cuda/std/atomic".split(),
)
@pytest.mark.parametrize("standard", ["c++14", "c++17", "c++20"])
def test_a_header_stands_alone(cpu, header, standard):
    out = np.zeros(1, "i4")
    source = (
        f"#include <{header}>\n#include <{header}>\n__global__ void k(int* out) {{ out[0] = 5; }}"
    )
    run(source, out, options=("-std=" + standard,))
    assert out[0] == 5


FORWARDING = Path(__file__).parents[2] / "src" / "frontend" / "cuda" / "forwarding_headers.txt"


def test_each_header_that_only_includes_others_finds_them(cpu):
    listed = [line.split(":")[0] for line in FORWARDING.read_text().splitlines() if line]
    includes = "".join(f"#include <{header}>\n" for header in listed if header[0] != "#")
    out = np.zeros(1, "i4")
    run(includes + "__global__ void k(int* out) { out[0] = 5; }", out)
    assert out[0] == 5 and len(listed) > 50


OTHERS = """stdbool.h stdlib.h cstdlib inttypes.h ctime time.h cuda_device_runtime_api.h sm_20_intrinsics.h
sm_35_intrinsics.h sm_60_atomic_functions.h sm_61_intrinsics.h device_double_functions.h library_types.h
vector_functions.hpp thrust/pair.h thrust/tuple.h cuda/std/cstdlib cupy/math_constants.h cupy/cuda_workaround.h
cupy/float16.cuh cupy/carray.cuh"""


def test_programs_include_what_they_are_used_to(device):
    includes = "".join(f"#include <{header}>\n" for header in OTHERS.split())
    out = cuda.to_device(np.zeros(1, "i8"))
    heddle.RawKernel(includes + "__global__ void k(int64_t* x) { *x = INT64_C(1) << 40; }", "k")(
        1, 1, (out,)
    )
    assert out.copy_to_host()[0] == 1 << 40


def test_pairs_become_tuples(device):
    source = """
    #include <tuple>
    #include <utility>
    __device__ std::pair<float, int> halves(int x) { return {x / 2.0f, x / 2}; }
    extern "C" __global__ void k(double* out) {
      float whole; int part;
      std::tie(whole, part) = halves(7);
      std::tuple<double, double> both(halves(5));
      std::tuple<float, long long> later;
      later = halves(9);
      out[0] = whole; out[1] = part;
      out[2] = std::get<0>(both); out[3] = std::get<1>(both);
      out[4] = std::get<0>(later); out[5] = std::get<1>(later);
    }"""
    out = np.zeros(6)
    run(source, out)
    assert out.tolist() == [3.5, 3, 2.5, 2, 4.5, 4]


def test_thrust_tuples_include_pairs(device):
    source = """
    #include <thrust/tuple.h>
    __global__ void k(int* out) { out[0] = thrust::get<1>(thrust::make_pair(3, 5)); }"""
    out = cuda.to_device(np.zeros(1, "i4"))
    heddle.RawKernel(source, "k")(1, 1, (out,))
    assert out.copy_to_host()[0] == 5
