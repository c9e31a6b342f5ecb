"""The names of ``cuda`` for kernels, except memory and atomics, which have their own tests."""

import math

import numpy as np
import pytest

from heddle import cuda
from heddle.errors import CompileError, TypingError


def test_indices_of_threads_and_blocks(device):
    @cuda.jit
    def k(out):
        i = (cuda.blockIdx.z * 2 + cuda.blockIdx.y) * 3 + cuda.blockIdx.x
        j = (cuda.threadIdx.z * 3 + cuda.threadIdx.y) * 4 + cuda.threadIdx.x
        out[i, j, 0], out[i, j, 1], out[i, j, 2] = (
            cuda.threadIdx.x,
            cuda.threadIdx.y,
            cuda.threadIdx.z,
        )
        out[i, j, 3], out[i, j, 4], out[i, j, 5] = (
            cuda.blockIdx.x,
            cuda.blockIdx.y,
            cuda.blockIdx.z,
        )

    out = np.full((12, 24, 6), -1)
    k[(3, 2, 2), (4, 3, 2)](out)
    for i, j in np.ndindex(12, 24):
        thread = (j % 4, j // 4 % 3, j // 12)
        block = (i % 3, i // 3 % 2, i // 6)
        assert tuple(out[i, j]) == (*thread, *block)


def test_extents_of_block_and_grid(device):
    @cuda.jit
    def k(out):
        out[0], out[1], out[2] = cuda.blockDim.x, cuda.blockDim.y, cuda.blockDim.z
        out[3], out[4], out[5] = cuda.gridDim.x, cuda.gridDim.y, cuda.gridDim.z
        out[6] = cuda.warpsize

    out = np.zeros(7, np.int64)
    k[(3, 2, 4), (5, 6, 7)](out)
    assert list(out) == [5, 6, 7, 3, 2, 4, 32]


def test_grid_and_gridsize_in_one_dimension(device):
    @cuda.jit
    def k(out):
        i = cuda.grid(1)
        out[i] = i * 1000 + cuda.gridsize(1)

    out = np.zeros(12, np.int64)
    k[3, 4](out)
    np.testing.assert_array_equal(out, np.arange(12) * 1000 + 12)


def test_grid_and_gridsize_in_two_dimensions(device):
    @cuda.jit
    def k(out):
        x, y = cuda.grid(2)
        w, h = cuda.gridsize(2)
        out[x, y] = x * 10000 + y * 100 + w * 10 + h

    out = np.zeros((6, 4), np.int64)
    k[(3, 2), (2, 2)](out)
    np.testing.assert_array_equal(
        out, [[x * 10000 + y * 100 + 64 for y in range(4)] for x in range(6)]
    )


def test_grid_and_gridsize_in_three_dimensions(device):
    @cuda.jit
    def k(out):
        x, y, z = cuda.grid(3)
        w, h, d = cuda.gridsize(3)
        out[x, y, z] = ((x * 10 + y) * 10 + z) * 1000 + w * 100 + h * 10 + d

    out = np.zeros((2, 6, 4), np.int64)
    k[(1, 3, 2), (2, 2, 2)](out)
    for x, y, z in np.ndindex(2, 6, 4):
        assert out[x, y, z] == ((x * 10 + y) * 10 + z) * 1000 + 264


@pytest.mark.parametrize("n", [0, 4, -1])
def test_grid_takes_one_two_or_three(device, n):
    @cuda.jit
    def k(out):
        out[0] = cuda.grid(n)

    with pytest.raises(TypingError, match="1, 2 or 3"):
        k[1, 1](np.zeros(1))


def test_the_lane_counts_threads_of_the_block_modulo_32(device):
    @cuda.jit
    def k(out):
        out[cuda.threadIdx.y, cuda.threadIdx.x] = cuda.laneid

    out = np.zeros((4, 20), np.int64)
    k[1, (20, 4)](out)
    np.testing.assert_array_equal(out.ravel(), np.arange(80) % 32)


def test_a_dimension_may_be_kept_in_a_variable(device):
    @cuda.jit
    def k(out):
        t = cuda.threadIdx
        b, d = cuda.blockIdx, cuda.blockDim
        out[b.x * d.x + t.x] = t.x

    out = np.zeros(6, np.int64)
    k[2, 3](out)
    assert list(out) == [0, 1, 2, 0, 1, 2]


def test_the_types_of_indices_are_numbas(device):
    @cuda.jit
    def k():
        a = cuda.threadIdx.x
        b = cuda.grid(1)
        c = cuda.grid(2)
        d = cuda.laneid
        e = cuda.syncthreads_count(1)

    k[1, 1]()
    lines = k.variants()[0].typed_source.splitlines()
    for name, kind in [
        ("threadIdx.x", "int32"),
        ("cuda.laneid", "int32"),
        ("call cuda.grid", "int64"),
        ("call cuda.grid", "UniTuple(int64 x 2)"),
        ("call cuda.syncthreads_count", "int32"),
    ]:
        assert any(name in line and f":: {kind}" in line for line in lines)


# Arithmetic


@pytest.mark.parametrize("condition", [True, False])
@pytest.mark.parametrize(
    "a, b", [(1, 2), (1.5, -2.5), (np.float32(1), np.float32(2)), (np.uint8(7), np.uint8(8))]
)
def test_selp_selects(device, condition, a, b):
    @cuda.jit
    def k(out, c, a, b):
        out[0] = cuda.selp(c, a, b)

    out = np.zeros(1)
    k[1, 1](out, condition, a, b)
    assert out[0] == (a if condition else b)


def test_fma_rounds_once(device):
    @cuda.jit
    def k(out, a, b, c):
        out[0] = cuda.fma(a, b, c)

    out = np.zeros(1)
    k[1, 1](out, 1 + 2**-30, 1 + 2**-30, -1.0)
    assert out[0] == 2**-29 + 2**-60


def test_fma_of_float32_is_float32(device):
    @cuda.jit
    def k(out, a):
        out[0] = cuda.fma(a, a, a)

    out, a = np.zeros(1), np.float32(0.1)
    k[1, 1](out, a)
    assert out[0] == np.float32(np.float64(a) * np.float64(a) + np.float64(a))


integers = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]


def bits_of(value):
    return int(value) % 2 ** (8 * value.itemsize)


@pytest.mark.parametrize("dtype", integers)
def test_popc_clz_and_ffs_count_bits(device, dtype):
    info = np.iinfo(dtype)
    values = np.array([0, 1, 2, 3, 12, 100, info.max, info.max - 1, info.min, info.min + 1], dtype)

    @cuda.jit
    def k(values, popc, clz, ffs):
        i = cuda.grid(1)
        popc[i], clz[i], ffs[i] = cuda.popc(values[i]), cuda.clz(values[i]), cuda.ffs(values[i])

    popc, clz, ffs = np.zeros((3, len(values)), np.int64)
    k[1, len(values)](values, popc, clz, ffs)
    for value, p, c, f in zip(values, popc, clz, ffs):
        bits = bits_of(value)
        assert p == bits.bit_count() and c == info.bits - bits.bit_length()
        assert f == (bits & -bits).bit_length()


@pytest.mark.parametrize("dtype", [np.uint32, np.uint64])
def test_brev_reverses_bits(device, dtype):
    values = np.array([0, 1, 2, 0x12345678, np.iinfo(dtype).max - 5], dtype)

    @cuda.jit
    def k(values, out):
        i = cuda.grid(1)
        out[i] = cuda.brev(values[i])

    out = np.zeros(len(values), dtype)
    k[1, len(values)](values, out)
    width = np.iinfo(dtype).bits
    assert [int(x) for x in out] == [int(f"{int(v):0{width}b}"[::-1], 2) for v in values]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_cbrt(device, dtype):
    values = np.array([0, 1, -8, 27, 2, 1e-30, -1e30, np.inf], dtype)

    @cuda.jit
    def k(values, out):
        i = cuda.grid(1)
        out[i] = cuda.cbrt(values[i])

    out = np.zeros_like(values)
    k[1, len(values)](values, out)
    np.testing.assert_array_max_ulp(out, np.cbrt(values), 1)


def test_bit_operations_take_the_bits_of_floats_as_int8(device):
    @cuda.jit
    def k(x, out):
        out[0] = cuda.popc(x[0])
        out[1] = cuda.clz(x[0])

    out = np.zeros(2)
    k[1, 1](np.array([7.9]), out)
    assert out.tolist() == [3, 5]


def test_bit_operations_refuse_complex_numbers(device):
    @cuda.jit
    def k(out):
        out[0] = cuda.popc(out[0])

    with pytest.raises(TypingError, match="takes numbers, not complex64"):
        k[1, 1](np.zeros(1, np.complex64))


def test_brev_of_an_int64_reverses_its_low_32_bits(device):
    @cuda.jit
    def k(out):
        i = cuda.grid(1)
        out[i] = cuda.brev(i) >> 29  # as public FFTs have it

    out = np.zeros(8, np.int64)
    k[1, 8](out)
    assert out.tolist() == [0, 4, 2, 6, 1, 5, 3, 7]


def test_brev_of_a_uint64_reverses_64_bits(device):
    @cuda.jit
    def k(x, out):
        out[0] = cuda.brev(x[0])

    out = np.zeros(1, np.uint64)
    k[1, 1](np.array([1], np.uint64), out)
    assert out[0] == 2**63


def test_fences_and_sleep_leave_values_alone(device):
    @cuda.jit
    def k(out):
        out[0] = 1
        cuda.threadfence()
        out[1] = out[0] + 1
        cuda.threadfence_block()
        cuda.threadfence_system()
        cuda.nanosleep(100)
        out[2] = out[1] + 1

    out = np.zeros(3)
    k[1, 1](out)
    assert list(out) == [1, 2, 3]


@pytest.mark.parametrize(
    "use",
    [
        lambda: cuda.grid(1),
        lambda: cuda.syncthreads(),
        lambda: cuda.atomic.add(np.zeros(1), 0, 1),
        lambda: cuda.threadIdx.x + 1,
        lambda: cuda.shared.array(3, np.float32),
    ],
    ids=["grid", "syncthreads", "atomic", "threadIdx", "shared"],
)
def test_device_operations_explain_themselves_on_the_host(use):
    with pytest.raises(RuntimeError, match="only works inside a kernel"):
        use()


def test_an_operation_that_heddle_lacks_is_refused_by_name(device):
    @cuda.jit
    def k(out):
        out[0] = cuda.sinh_fast(1.0)

    with pytest.raises(CompileError, match="sinh_fast"):
        k[1, 1](np.zeros(1))


def test_math_is_importable_under_another_name(device):
    square_root = math.sqrt

    @cuda.jit
    def k(out):
        out[0] = square_root(9.0)

    out = np.zeros(1)
    k[1, 1](out)
    assert out[0] == 3
