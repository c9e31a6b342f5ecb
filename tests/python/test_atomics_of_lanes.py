"""Atomics of threads that run as vector lanes: memory holds the same bits as after one thread at a time."""

import numpy as np
import pytest

from heddle import cuda, float32, int32

WIDTHS = [1, 4, 8, 16, 32]
SIZES = [1, 16, 100, 1001]
THREADS = 1024  # of one block: blocks run in any order


@pytest.fixture(autouse=True)
def on_the_cpu(device):
    if device.type != "cpu":
        pytest.skip("vectors are the CPU device's")


def add(out, x):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.add(out, 0, x[i])


def add_of_some(out, x):
    i = cuda.grid(1)
    if i < x.size and i % 3 != 1:
        cuda.atomic.add(out, 0, x[i])


def subtract(out, x):
    i = cuda.grid(1)
    if i < x.size and i % 5 != 1:
        cuda.atomic.sub(out, 0, x[i])


def greatest(out, x):
    i = cuda.grid(1)
    if i < x.size and i % 7 != 1:
        cuda.atomic.max(out, 0, x[i])


def least(out, x):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.min(out, 0, x[i])


def bits(out, x):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.or_(out, 0, x[i])
        cuda.atomic.xor(out, 1, x[i])
        cuda.atomic.and_(out, 2, x[i])


def places(out, x):
    own = cuda.shared.array(3, int32)
    t = cuda.threadIdx.x
    if t < 3:
        own[t] = 0
    cuda.syncthreads()
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.add(own, i % 3, 1)
    cuda.syncthreads()
    if t < 3:
        cuda.atomic.add(out, t, own[t])


def sums_in_shared_memory(out, x):
    own = cuda.shared.array(4, float32)
    t = cuda.threadIdx.x
    if t < 4:
        own[t] = 0
    cuda.syncthreads()
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.add(own, i % 3, x[i])
        cuda.atomic.add(own, 3, x[i])
    cuda.syncthreads()
    if t < 4:
        cuda.atomic.add(out, t, own[t])


def run(kernel, width, x):
    out = np.zeros(4, x.dtype)
    if x.dtype.kind == "f":
        out[0] = -0.0
    cuda.jit(width=width)(kernel)[1, THREADS](out, x)
    return out


def numbers(dtype, size):
    rng = np.random.default_rng(size)
    if np.dtype(dtype).kind != "f":
        return rng.integers(0, 1 << 20, size).astype(dtype)
    x = (rng.standard_normal(size) * 1000).astype(dtype)
    x[rng.integers(0, size, 1 + size // 20)] = -0.0
    return x


def same_at_every_width(kernel, x):
    one = run(kernel, 1, x)
    for width in WIDTHS[1:]:
        assert run(kernel, width, x).tobytes() == one.tobytes(), width
    return one


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", ["i4", "u4", "i8", "u8", "f4", "f8"])
@pytest.mark.parametrize("kernel", [add, add_of_some, subtract, greatest, least, places])
def test_atomics_on_one_place(kernel, dtype, size):
    same_at_every_width(kernel, numbers(dtype, size))


@pytest.mark.parametrize("kernel", [add, greatest, least])
def test_numbers_that_are_none(kernel):
    x = numbers("f4", 100)
    x[[3, 50]] = np.nan
    out = same_at_every_width(kernel, x)
    with np.errstate(invalid="ignore"):
        right = {
            add: x.sum(),
            greatest: max(0, np.nanmax(x[np.arange(100) % 7 != 1])),
            least: np.nanmin(x),
        }
    np.testing.assert_equal(out[0], np.float32(right[kernel]))


def test_bits():
    x = numbers("u8", 1000)
    out = same_at_every_width(bits, x)
    assert out[0] == np.bitwise_or.reduce(x) and out[1] == np.bitwise_xor.reduce(x)


def test_sums_of_floats_are_made_in_the_order_of_threads():
    x = numbers("f4", 1001)
    out = same_at_every_width(sums_in_shared_memory, x)
    one_by_one = np.float32(0)
    for v in x:
        one_by_one += v
    assert out[3] == one_by_one


def compact(out, count, x):
    i = cuda.grid(1)
    if i < x.size and x[i] > 500000:
        out[cuda.atomic.add(count, 0, 1)] = x[i]


def take_from_the_end(out, count, x):
    i = cuda.grid(1)
    if i < x.size:
        out[cuda.atomic.sub(count, 0, 3)] = x[i]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("size", SIZES)
def test_places_in_a_list(size, width):
    x = numbers("i4", size)
    out, count = np.zeros_like(x), np.zeros(1, np.int32)
    cuda.jit(width=width)(compact)[1, THREADS](out, count, x)
    chosen = x[x > 500000]
    assert count[0] == chosen.size
    np.testing.assert_array_equal(out[: chosen.size], chosen)


@pytest.mark.parametrize("width", WIDTHS)
def test_places_for_many_blocks(width):
    x = numbers("i4", 100_000)
    out, count = np.zeros_like(x), np.zeros(1, np.int32)
    cuda.jit(width=width)(compact)[782, 128](out, count, x)
    chosen = x[x > 500000]
    assert count[0] == chosen.size
    np.testing.assert_array_equal(np.sort(out[: chosen.size]), np.sort(chosen))


@pytest.mark.parametrize("width", WIDTHS)
def test_places_from_the_end(width):
    x = numbers("i8", 200)
    out, count = np.zeros(601, np.int64), np.full(1, 600)
    cuda.jit(width=width)(take_from_the_end)[1, THREADS](out, count, x)
    assert count[0] == 0
    np.testing.assert_array_equal(out[600:0:-3], x)
    assert not out[np.arange(601) % 3 != 0].any()


def test_places_that_lanes_choose():
    """They depend on the lanes' numbers, unless a shuffled value decides otherwise."""

    @cuda.jit
    def kernel(out):
        i = cuda.threadIdx.x
        bits = cuda.shared.array(32, np.int64)
        bits[i] = 64
        zero = cuda.shfl_sync(0xFFFFFFFF, 0.0, i)
        cuda.atomic.or_(bits, 0 if zero else i, i)
        out[i] = bits[i]

    out = np.zeros(32, np.int64)
    kernel[1, 32](out)
    assert out.tolist() == [64 | i for i in range(32)]
