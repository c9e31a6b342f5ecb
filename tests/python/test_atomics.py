"""Atomic operations: the values they store and return, and that no update is lost."""

import operator

import ml_dtypes
import numpy as np
import pytest

from heddle import cuda, int32, int64
from heddle.errors import TypingError

integers = [np.int32, np.uint32, np.int64, np.uint64]
numbers = [*integers, np.float32, np.float64]
spaces = ["global", "shared"]


def wrapped(value, dtype):
    if np.dtype(dtype).kind == "f":
        return dtype(value)
    return np.array(int(value) % 2 ** (8 * np.dtype(dtype).itemsize), np.uint64).astype(dtype)


operations = {
    "add": (cuda.atomic.add, operator.add, numbers),
    "sub": (cuda.atomic.sub, operator.sub, numbers),
    "min": (cuda.atomic.min, min, numbers),
    "max": (cuda.atomic.max, max, numbers),
    "nanmin": (cuda.atomic.nanmin, min, numbers),
    "nanmax": (cuda.atomic.nanmax, max, numbers),
    "and_": (cuda.atomic.and_, operator.and_, integers),
    "or_": (cuda.atomic.or_, operator.or_, integers),
    "xor": (cuda.atomic.xor, operator.xor, integers),
    "exch": (cuda.atomic.exch, lambda old, value: value, numbers),
    "inc": (
        cuda.atomic.inc,
        lambda old, value: 0 if old >= value else old + 1,
        [np.uint32, np.uint64],
    ),
    "dec": (
        cuda.atomic.dec,
        lambda old, value: value if old == 0 or old > value else old - 1,
        [np.uint32, np.uint64],
    ),
}
cases = [(name, dtype) for name, (_, _, dtypes) in operations.items() for dtype in dtypes]


@pytest.mark.parametrize("space", spaces)
@pytest.mark.parametrize("name, dtype", cases)
def test_an_operation_changes_the_element_and_returns_the_old_value(device, name, dtype, space):
    atomic, python, _ = operations[name]

    @cuda.jit
    def on_global(a, value, old):
        i = cuda.grid(1)
        old[i] = atomic(a, i, value[i])

    @cuda.jit
    def on_shared(a, value, old):
        i = cuda.grid(1)
        s = cuda.shared.array(16, a.dtype)
        s[i] = a[i]
        old[i] = atomic(s, i, value[i])
        a[i] = s[i]

    a = np.array([0, 1, 5, 7, 100, 12, 3, 6, 9], dtype)
    value = np.array([3, 0, 5, 2, 50, 10, 3, 200, 1], dtype)
    old, before = np.zeros_like(a), a.copy()
    (on_shared if space == "shared" else on_global)[1, len(a)](a, value, old)
    np.testing.assert_array_equal(old, before)
    exact = value.tolist()
    expected = [wrapped(python(x, v), dtype) for x, v in zip(before.tolist(), exact)]
    np.testing.assert_array_equal(a, expected)


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_signed_extremes_are_signed(device, dtype):
    @cuda.jit
    def k(a):
        cuda.atomic.min(a, 0, -3)
        cuda.atomic.max(a, 1, -3)

    a = np.array([2, -5], dtype)
    k[1, 1](a)
    assert list(a) == [-3, -3]


@pytest.mark.parametrize("dtype", [np.uint32, np.uint64])
def test_unsigned_extremes_are_unsigned(device, dtype):
    big = np.iinfo(dtype).max

    @cuda.jit
    def k(a, v):
        cuda.atomic.min(a, 0, v)
        cuda.atomic.max(a, 1, v)

    a = np.array([2, 2], dtype)
    k[1, 1](a, dtype(big))
    assert [int(x) for x in a] == [2, big]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_nan_in_extremes(device, dtype):
    nan = np.nan

    @cuda.jit
    def k(a, b):
        cuda.atomic.min(a, 0, nan)
        cuda.atomic.max(a, 1, nan)
        cuda.atomic.nanmin(b, 0, nan)
        cuda.atomic.nanmax(b, 1, nan)
        cuda.atomic.nanmin(b, 2, 5.0)
        cuda.atomic.nanmax(b, 3, -5.0)

    a, b = np.array([1, 2], dtype), np.array([1, 2, nan, nan], dtype)
    k[1, 1](a, b)
    np.testing.assert_array_equal(a, [1, 2])
    np.testing.assert_array_equal(b, [1, 2, 5, -5])


@pytest.mark.parametrize("dtype", integers)
@pytest.mark.parametrize("space", spaces)
def test_cas_exchanges_only_what_it_expects(device, dtype, space):
    @cuda.jit
    def k(a, old):
        i = cuda.grid(1)
        s = cuda.shared.array(4, a.dtype)
        s[i] = a[i]
        old[i] = cuda.atomic.cas(s, i, 5, 9) if space == "shared" else cuda.atomic.cas(a, i, 5, 9)
        if space == "shared":
            a[i] = s[i]

    a, old = np.array([5, 4, 5, 9], dtype), np.zeros(4, dtype)
    k[1, 4](a, old)
    np.testing.assert_array_equal(a, [9, 4, 9, 9])
    np.testing.assert_array_equal(old, [5, 4, 5, 9])


def test_compare_and_swap_is_cas_of_the_first_element(device):
    @cuda.jit
    def k(a, old):
        old[0] = cuda.atomic.compare_and_swap(a, 5, 9)
        old[1] = cuda.atomic.compare_and_swap(a[1:], 5, 9)

    a, old = np.array([5, 4]), np.zeros(2, np.int64)
    k[1, 1](a, old)
    assert list(a) == [9, 4] and list(old) == [5, 4]


indices = [(1, 2), (-1, -1), (0, -3), (np.int8(1), np.uint64(0)), (True, 2)]


@pytest.mark.parametrize("index", indices, ids=str)
def test_an_index_may_be_a_tuple_and_negative(device, index):
    @cuda.jit
    def k(a, i, j):
        cuda.atomic.add(a, (i, j), 5)

    a = np.zeros((2, 3))
    k[1, 1](a, *index)
    expected = np.zeros((2, 3))
    expected[int(index[0]), int(index[1])] = 5
    np.testing.assert_array_equal(a, expected)


def test_an_index_of_one_dimension_may_be_negative(device):
    @cuda.jit
    def k(a):
        cuda.atomic.add(a, -1, 5)
        cuda.atomic.max(a, (-2,), 3)

    a = np.zeros(4, np.int32)
    k[1, 1](a)
    assert list(a) == [0, 0, 3, 5]


def test_atomics_work_through_views_of_any_layout(device):
    @cuda.jit
    def k(a):
        cuda.atomic.add(a[1::2], 1, 5)
        cuda.atomic.add(a[::-1], 0, 7)

    base = np.zeros(12, np.int64)
    k[1, 1](base[::2])
    np.testing.assert_array_equal(base[::2], [0, 0, 0, 5, 0, 7])


@pytest.mark.parametrize("dtype", numbers)
def test_no_addition_of_many_blocks_is_lost(device, dtype):
    @cuda.jit
    def k(a):
        i = cuda.grid(1)
        cuda.atomic.add(a, i % 3, 1)
        cuda.atomic.add(a, 3, 2)

    a = np.zeros(4, dtype)
    k[100, 96](a)
    np.testing.assert_array_equal(a, [3200, 3200, 3200, 19200])


def test_old_values_of_contending_additions_are_all_different(device):
    @cuda.jit
    def k(counter, seen):
        seen[cuda.atomic.add(counter, 0, 1)] += 1

    counter, seen = np.zeros(1, np.int32), np.zeros(6400, np.int32)
    k[100, 64](counter, seen)
    assert counter[0] == 6400
    np.testing.assert_array_equal(seen, 1)


def test_a_histogram_through_shared_memory(device):
    @cuda.jit
    def histogram(x, h):
        s = cuda.shared.array(16, int32)
        t = cuda.threadIdx.x
        if t < 16:
            s[t] = 0
        cuda.syncthreads()
        for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
            cuda.atomic.add(s, x[i], 1)
        cuda.syncthreads()
        if t < 16:
            cuda.atomic.add(h, t, s[t])

    x = np.random.default_rng(0).integers(0, 16, 10_000)
    h = np.zeros(16, np.int64)
    histogram[8, 64](x, h)
    np.testing.assert_array_equal(h, np.bincount(x, minlength=16))


def test_cas_makes_a_lock_free_maximum(device):
    @cuda.jit
    def k(a, x):
        i = cuda.grid(1)
        old = a[0]
        while old < x[i]:
            seen = cuda.atomic.cas(a, 0, old, x[i])
            if seen == old:
                break
            old = seen

    a, x = np.zeros(1, np.int64), np.random.default_rng(1).integers(0, 10**9, 4096)
    k[64, 64](a, x)
    assert a[0] == x.max()


@pytest.mark.parametrize("place", range(4))
@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
def test_add_takes_floats_of_16_bits_and_leaves_their_neighbours(device, dtype, place):
    @cuda.jit
    def kernel(a, place, before):
        before[cuda.grid(1)] = cuda.atomic.add(a, place, 0.5)

    a, before = np.ones(4, dtype), np.zeros(128, np.float32)
    kernel[2, 64](a, place, before)
    np.testing.assert_array_equal(a.astype(np.float32), np.where(np.arange(4) == place, 65, 1))
    np.testing.assert_array_equal(np.sort(before), np.arange(128) / 2 + 1)


@pytest.mark.parametrize("dtype", [np.int16, np.uint16])
def test_cas_takes_integers_of_16_bits(device, dtype):
    @cuda.jit
    def kernel(a, seen):
        i = cuda.grid(1)
        seen[i] = cuda.atomic.cas(a, 1, dtype(-1), dtype(i))

    a, seen = np.full(3, -1, np.int16).view(dtype), np.zeros(64, dtype)
    kernel[1, 64](a, seen)
    winner = a.view(np.int16).tolist()
    assert winner[::2] == [-1, -1] and 0 <= winner[1] < 64
    assert sorted(np.unique(seen.view(np.int16))) == [-1, winner[1]]


@pytest.mark.parametrize("name", ["add", "min", "xor", "inc"])
@pytest.mark.parametrize("dtype", [np.int8, np.uint16, bool])
def test_narrow_elements_are_refused_with_the_types_that_work(device, name, dtype):
    atomic = operations[name][0]

    @cuda.jit
    def k(a):
        atomic(a, 0, 1)

    with pytest.raises(TypingError, match="works on elements of type .*uint32") as error:
        k[1, 1](np.zeros(2, dtype))
    assert f"cuda.atomic.{name}" in str(error.value)


@pytest.mark.parametrize(
    "call, message",
    [
        (cuda.jit(lambda a: cuda.atomic.add(a, 0)), "needs an argument for 'val'"),
        (cuda.jit(lambda a: cuda.atomic.add(a[0], 0, 1)), "takes an array"),
        (cuda.jit(lambda a: cuda.atomic.add(a, (0, 1), 1)), "cannot index a 1-D array"),
        (cuda.jit(lambda a: cuda.atomic.add(a, 0.5, 1)), "index must be an integer"),
        (cuda.jit(lambda a: cuda.atomic.add(a, 0, (1, 2))), "takes numbers"),
        (cuda.jit(lambda a: cuda.atomic.add(a, slice(1), 1)), "slice"),
        (cuda.jit(lambda a: cuda.atomic.xor(a, 0, 1)), "int32, uint32, int64 or uint64"),
    ],
    ids=["too few", "no array", "rank", "float index", "tuple value", "slice", "float xor"],
)
def test_wrong_arguments_are_refused(device, call, message):
    with pytest.raises(TypingError, match=message):
        call[1, 1](np.zeros(3))


def test_a_read_only_array_is_refused(device):
    @cuda.jit
    def k(a):
        cuda.atomic.add(a, 0, 1)

    a = np.zeros(3)
    a.flags.writeable = False
    with pytest.raises(TypingError, match="read-only"):
        k[1, 1](a)


def test_a_thread_may_use_atomics_on_its_local_array(device):
    @cuda.jit
    def k(out):
        a = cuda.local.array(2, int64)
        a[0] = 3
        out[0] = cuda.atomic.add(a, 0, 4)
        out[1] = a[0]

    out = np.zeros(2, np.int64)
    k[1, 1](out)
    assert list(out) == [3, 7]
