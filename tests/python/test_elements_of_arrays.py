"""Single array elements, assignments to many elements, searches, and NumPy's functions that describe an array."""

import numpy as np
import pytest
from in_kernels import run

from heddle import boolean, cuda, float32, int32, njit
from heddle.errors import TypingError


def filled(x, value):
    @cuda.jit
    def k(x, value):
        x.fill(value)

    k[1, 1](x, value)
    return x.tolist()


@pytest.mark.parametrize("value", [2, 2.75, True])
def test_an_array_is_filled_with_what_its_type_makes_of_a_value(device, value):
    assert filled(np.zeros((2, 2), np.int32), value) == np.full((2, 2), value, np.int32).tolist()


def test_an_array_of_any_layout_is_filled(device):
    x = np.zeros((3, 4))
    filled(x.T[::2, 1:], 1)
    wanted = np.zeros((3, 4))
    wanted.T[::2, 1:] = 1
    np.testing.assert_array_equal(x, wanted)


def test_local_and_shared_arrays_are_filled(device):
    def f(out):
        a = cuda.local.array(4, boolean)
        b = cuda.shared.array((2, 2), int32)
        a.fill(True)
        b.fill(1.5)
        out[0] = a[3] + b[1, 1]

    assert run(f)[0] == 2


def test_a_tuple_fills_no_array():
    def f(out):
        out.fill((1, 2))

    with pytest.raises(TypingError, match="cannot fill"):
        run(f)


@pytest.mark.parametrize("index", [[3, -1, 0, 3], np.array([1, 4], np.uint8), []])
def test_a_number_is_assigned_to_the_elements_that_integers_select(device, index):
    @cuda.jit
    def k(x, index, value):
        x[index] = value

    x, wanted = np.zeros(6, np.float32), np.zeros(6)
    index = np.array(index, None if len(index) else np.int64)
    k[1, 1](x, index, 2.5)
    wanted[index] = 2.5
    np.testing.assert_array_equal(x, wanted)


def test_a_number_is_assigned_to_the_elements_that_bools_select(device):
    @cuda.jit
    def k(x, mask):
        x[mask] = 7

    x = np.arange(5)
    k[1, 1](x, np.array([True, False, True, True, False]))
    assert x.tolist() == [7, 1, 7, 7, 4]


def test_a_number_is_assigned_to_the_rows_that_integers_select(device):
    @cuda.jit
    def k(x, rows):
        x[rows] = 1

    x = np.zeros((3, 2))
    k[1, 1](x, np.array([2, 0]))
    assert x.tolist() == [[1, 1], [0, 0], [1, 1]]


def test_an_index_in_an_array_is_checked_in_debug_mode(cpu):
    @cuda.jit(debug=True, opt=False)
    def k(x, rows):
        x[rows] = 1

    with pytest.raises(IndexError):
        k[1, 1](np.zeros(3), np.array([3]))


def test_an_array_reads_no_elements_and_takes_no_arrays():
    @cuda.jit
    def read(x, i):
        x[0] = x[i][0]

    @cuda.jit
    def write(x, i):
        x[i] = x

    x, i = np.zeros(3), np.array([1])
    with pytest.raises(TypingError, match="one number"):
        write[1, 1](x, i)
    with pytest.raises(Exception, match="an index array"):
        read[1, 1](x, i)


def test_the_only_element_is_an_item(device):
    @cuda.jit
    def k(x, out):
        out[0] = x[1:2].item() + x[0].item()

    out = np.zeros(1)
    k[1, 1](np.array([2.0, 3.0]), out)
    assert out[0] == 5


def test_an_item_of_several_elements_is_an_error(device):
    @cuda.jit
    def k(x):
        x[0] = x.item()

    with pytest.raises(ValueError, match="not have exactly one element"):
        k[1, 1](np.zeros(2))
        cuda.synchronize()


def test_elements_are_taken_by_their_number(device):
    @cuda.jit
    def k(x, out):
        for i in range(-x.size, x.size):
            out[i] = np.take(x, i) * 10 + x.take(i)

    x, out = np.arange(6.0).reshape(3, 2).T, np.zeros(6)
    k[1, 1](x, out)
    np.testing.assert_array_equal(out, x.ravel() * 11)


@pytest.mark.parametrize("offset", [0, 1, -1, 2, -3, 9])
def test_a_trace_is_numpys(device, offset):
    @cuda.jit
    def k(x, offset, out):
        out[0] = np.trace(x, offset)
        out[1] = np.trace(x)

    x, out = np.arange(12.0).reshape(3, 4), np.zeros(2)
    k[1, 1](x, offset, out)
    assert out.tolist() == [np.trace(x, offset), np.trace(x)]


@pytest.mark.parametrize("x", [[3, -4, 9], [2.5, 1.0], [1.0, np.nan, 3.0]])
def test_the_reach_of_an_array_is_numpys(device, x):
    @cuda.jit
    def k(x, out):
        out[0] = np.ptp(x)

    out = np.zeros(1)
    k[1, 1](np.array(x), out)
    np.testing.assert_array_equal(out[0], np.ptp(x))


@pytest.mark.parametrize(("dtype", "kind"), [("u1", float), ("u8", float), ("i4", int)])
def test_ptp_of_unsigned_integers_is_a_float(dtype, kind):
    x = np.array([7, 100, 3]).astype(dtype)
    found = njit(lambda x: np.ptp(x))(x)
    assert type(found) is kind
    assert found == np.ptp(x)


@pytest.mark.parametrize("other", [[1, 2, 3], [1, 2, 4], [1, 2]])
def test_arrays_are_equal_as_numpy_has_it(device, other):
    @cuda.jit
    def k(x, y, out):
        out[0] = np.array_equal(x, y)
        out[1] = np.array_equal(x, x[None])
        out[2] = np.array_equal(x[0], y[0])

    x, y, out = np.array([1, 2, 3]), np.array(other, np.float32), np.zeros(3)
    k[1, 1](x, y, out)
    assert out.tolist() == [np.array_equal(x, y), 0, 1]


SORTED = [[], [2.0], [1, 1, 2, 5, 5, 5, 9], [1.0, 2.0, np.inf, np.nan, np.nan]]


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("x", SORTED, ids=len)
def test_places_in_a_sorted_array_are_numpys(device, x, side):
    @cuda.jit
    def k(x, values, out):
        i = cuda.grid(1)
        out[i] = np.searchsorted(x, values[i], side=side)

    values = np.array([-1, 1, 2, 3.5, 5, 9, 10, np.inf, np.nan])
    x, out = np.array(x), np.zeros(len(values), np.int64)
    k[1, len(values)](x, values, out)
    np.testing.assert_array_equal(out, np.searchsorted(x, values, side))


@pytest.mark.parametrize("right", [False, True])
@pytest.mark.parametrize("bins", [[0.0, 1, 2.5, 4], [4.0, 2.5, 1, 0], [3.0]], ids=str)
def test_bins_are_numpys(device, bins, right):
    @cuda.jit
    def k(bins, values, out):
        i = cuda.grid(1)
        out[i] = np.digitize(values[i], bins, right)

    values = np.array([-1, 0, 0.5, 1, 2.5, 3, 4, 5])
    bins, out = np.array(bins), np.zeros(len(values), np.int64)
    k[1, len(values)](bins, values, out)
    np.testing.assert_array_equal(out, np.digitize(values, bins, right))


@pytest.mark.parametrize(
    "body, message",
    [
        (lambda x: np.searchsorted(x, x), "several values"),
        (lambda x: np.searchsorted(x, 1, side="middle"), "side is the constant"),
        (lambda x: np.searchsorted(x[None], 1), "takes a 1-D array"),
        (lambda x: np.take(x, x), "several elements"),
        (lambda x: np.trace(x), "two dimensions"),
        (lambda x: np.ptp(1), "takes an array"),
    ],
    ids=["searchsorted", "side", "rank", "take", "trace", "ptp"],
)
def test_what_would_be_a_new_array_is_refused(body, message):
    function = cuda.jit(device=True)(body)

    @cuda.jit
    def k(x):
        x[0] = function(x)

    with pytest.raises(TypingError, match=message):
        k[1, 1](np.zeros(3))


def test_numbers_have_items_and_views(device):
    def f(out):
        x = float32(1.5)
        out[0] = x.view(np.int32)
        out[1] = np.uint32(0x40000000).view(np.float32)
        out[2] = x.item() + (3).item()
        out[3] = True.view(np.int8) + np.int64(1).view("u8")

    assert run(f).tolist()[:4] == [np.float32(1.5).view(np.int32), 2, 4.5, 2]


def test_a_view_of_a_number_keeps_its_size():
    def f(out):
        out[0] = out[0].view(np.int32)

    with pytest.raises(TypingError, match="as many bits"):
        run(f)


INFO = "eps epsneg max min tiny smallest_normal smallest_subnormal resolution".split()
COUNTS = "bits nmant nexp iexp maxexp minexp precision machep negep".split()


@pytest.mark.parametrize("name", INFO + COUNTS)
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_the_limits_of_floats_are_numpys(cpu, name, dtype):
    limits = cuda.jit(device=True)(lambda: getattr(np.finfo(dtype), name))

    @cuda.jit
    def k(out):
        out[0] = limits()

    out = np.zeros(1, dtype if name in INFO else np.int64)
    k[1, 1](out)
    assert out[0] == getattr(np.finfo(dtype), name)


@pytest.mark.parametrize("name", ["max", "min", "bits"])
@pytest.mark.parametrize("dtype", "int8 int16 int32 int64 uint8 uint16 uint32 uint64".split())
def test_the_limits_of_integers_are_numpys(cpu, name, dtype):
    dtype = np.dtype(dtype)
    limits = cuda.jit(device=True)(lambda: getattr(np.iinfo(dtype), name))

    @cuda.jit
    def k(out):
        out[0] = limits()

    out = np.zeros(1, np.uint64 if dtype == np.uint64 else np.int64)
    k[1, 1](out)
    assert out[0] == getattr(np.iinfo(dtype), name)


def test_types_are_made_of_values_and_names(device):
    @cuda.jit
    def k(x, out):
        out[0] = type(x)(2.75)
        out[1] = np.dtype("i4").type(7.5)
        out[2] = out.dtype.type(1) / 2
        out[3] = np.finfo(out[0]).eps > 0
        local = cuda.local.array(2, np.dtype("f4"))
        local[0] = 0.1
        out[4] = local[0]

    out = np.zeros(5)
    k[1, 1](1, out)
    assert out.tolist() == [2, 7, 0.5, 1, np.float32(0.1)]


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["u1", "f4", "f8", "i8"])
def test_rows_of_a_few_elements(dtype, order):
    """The code is compiled for the length of short rows; each launch uses its own code."""

    @cuda.jit
    def sums_of_rows(a, out):
        i = cuda.grid(1)
        if i < a.shape[0]:
            total = 0.0
            for j in range(a.shape[1]):
                total += a[i, j] * (j + 1)
            out[i] = total
            a[i, a.shape[1] - 1] = a[i, -1] + a.shape[1]

    for _ in range(2):
        for length in (3, 1, 4, 2, 5, 3, 8):
            a = np.asarray(np.arange(100 * length).reshape(100, length) % 100, dtype, order=order)
            out = np.zeros(100)
            expected = (a * np.arange(1.0, length + 1)).sum(axis=1)
            changed = a.copy()
            changed[:, -1] += length
            sums_of_rows[4, 32](a, out)
            np.testing.assert_allclose(out, expected)
            np.testing.assert_array_equal(a, changed)


def test_rows_of_pixels():
    @cuda.jit
    def to_gray(image, gray):
        row, column = cuda.grid(2)
        if row < gray.shape[0] and column < gray.shape[1]:
            pixel = image[row, column]
            gray[row, column] = (
                0.299 * image[row, column, 0] + 0.587 * pixel[1] + 0.114 * image[row, column, 2]
            )

    for channels in (3, 4, 3, 6):
        image = np.random.default_rng(channels).integers(0, 255, (37, 50, channels), np.uint8)
        gray = np.zeros((37, 50), np.uint8)
        to_gray[(3, 4), (16, 16)](image, gray)
        expected = 0.299 * image[..., 0] + 0.587 * image[..., 1] + 0.114 * image[..., 2]
        assert np.abs(gray.astype(int) - expected.astype(int)).max() <= 1
