"""Arrays in kernels: elements, views, layouts, attributes, dtypes."""

from functools import partial

import in_kernels
import numpy as np
import pytest

from heddle import cuda
from heddle.errors import TypingError

check = partial(in_kernels.check, size=16)
run = partial(in_kernels.run, size=16)

matrix = np.arange(24.0).reshape(4, 6)
readonly = matrix.copy()
readonly.flags.writeable = False
layouts = {
    "C": matrix,
    "F": np.asfortranarray(matrix),
    "transposed": np.arange(24.0).reshape(6, 4).T,
    "strided": np.arange(96.0).reshape(8, 12)[::2, ::2],
    "reversed": matrix[::-1, ::-1],
    "readonly": readonly,
    "broadcast": np.broadcast_to(np.arange(6.0), (4, 6)),
}
each_layout = pytest.mark.parametrize("a", layouts.values(), ids=layouts)


@each_layout
def test_elements_are_read_from_every_layout(device, a):
    def f(out, a):
        k = 0
        for i in range(a.shape[0]):
            for j in range(a.shape[1]):
                out[k % 16] += a[i, j] * (k + 1)
                k += 1

    check(f, a)


@each_layout
@pytest.mark.parametrize("i, j", [(0, 0), (-1, -1), (-4, 5), (3, -6), (2, -2)])
def test_negative_indices_count_from_the_end(device, a, i, j):
    def f(out, a, i, j):
        out[0] = a[i, j]
        out[1] = a[i][j]
        out[-1] = a[-1, -2]

    check(f, a, i, j)


@pytest.mark.parametrize("a", [layouts[k] for k in ("C", "F", "transposed", "strided", "reversed")])
def test_elements_are_written_in_every_layout(device, a):
    a, expected = a.copy(order="K"), a.copy()

    @cuda.jit
    def k(a):
        i, j = cuda.grid(2)
        if i < a.shape[0] and j < a.shape[1]:
            a[i, j] = a[i, j] * 2 + 1

    k[(1, 1), (8, 8)](a)
    np.testing.assert_array_equal(a, expected * 2 + 1)


def test_writes_through_a_strided_argument_leave_the_gaps(device):
    base = np.zeros((4, 6))

    @cuda.jit
    def k(a):
        i, j = cuda.grid(2)
        a[i, j] = 1

    k[1, (2, 3)](base[::2, ::2])
    expected = np.zeros((4, 6))
    expected[::2, ::2] = 1
    np.testing.assert_array_equal(base, expected)


@each_layout
def test_attributes_are_numpys(device, a):
    def f(out, a):
        out[0], out[1] = a.shape
        out[2], out[3] = a.size, a.ndim
        out[4], out[5] = a.itemsize, a.nbytes
        out[6] = len(a)
        out[7], out[8] = a.T.shape
        out[9] = a.T[1, 0]

    check(f, a)


@pytest.mark.parametrize("name", ["C", "F", "transposed", "strided", "reversed"])
def test_strides_are_numpys(device, name):
    if device.type != "cpu" and name not in ("C", "F"):
        pytest.skip("copies to a device may be compact")

    def f(out, a):
        out[0], out[1] = a.strides
        out[2], out[3] = a.T.strides
        out[4], out[5] = a[::2, 1:].strides

    check(f, layouts[name])


@each_layout
def test_rows_and_columns_are_views(device, a):
    def f(out, a):
        row, column = a[2, :], a[:, 3]
        out[0], out[1] = row.size, column.size
        out[2], out[3] = row[4], column[-1]
        out[4], out[5] = a[1][5], a[..., 2][3]
        out[6] = a[:][1, 1]
        out[7] = row.ndim

    check(f, a)


slices = [(None, None), (1, 5), (-3, None), (None, -2), (4, 2), (2, 100), (-100, 3), (0, 0), (5, 5)]


@pytest.mark.parametrize("lower, upper", slices)
@pytest.mark.parametrize("a", [np.arange(6.0), np.arange(18.0)[::3], np.arange(6.0)[::-1]])
def test_slices_clamp_as_in_python(device, a, lower, upper):
    low, high = 0 if lower is None else lower, len(a) if upper is None else upper

    def f(out, a, low, high):
        v = a[low:high]
        out[0] = v.size
        for i in range(v.size):
            out[1 + i] = v[i]
        w = a[low:]
        out[8] = w.size
        x = a[:high]
        out[9] = x.size

    check(f, a, low, high)


def test_slices_with_steps(device):
    def f(out, a, n):
        out[0], out[1], out[2] = a[::2].size, a[1::2].size, a[::-1].size
        out[3], out[4], out[5] = a[::-1][0], a[::-2][1], a[5:1:-2][1]
        out[6], out[7] = a[n:0:-1].size, a[n::-3][1]
        out[8], out[9] = a[::100].size, a[-2::-4][0]
        out[10] = a[1:n:3][-1]

    check(f, np.arange(11.0), 7)


def test_a_view_of_a_view_of_a_view(device):
    def f(out, a):
        v = a[1:, ::2][::-1].T[1:]
        out[0], out[1] = v.shape
        for i in range(v.shape[0]):
            for j in range(v.shape[1]):
                out[2 + i * 3 + j] = v[i, j]

    check(f, matrix)


def test_writes_through_views_reach_the_array(device):
    def f(out, n):
        v = out[2:n]
        v[0] = 1
        v[-1] = 2
        w = out[::-4]
        w[0] = 3
        w[1:][0] = 4
        v[1:3][1] += 5

    check(f, 9)


@each_layout
def test_an_index_may_be_a_tuple(device, a):
    def f(out, a):
        place = (1, 2)
        out[0] = a[place]
        out[1] = a[(-1, 0)]

    check(f, a)


@pytest.mark.parametrize(
    "index", [np.int8(-2), np.uint8(3), np.int32(-4), np.uint64(2), True, np.uint32(1)]
)
def test_an_index_may_have_any_integer_type(device, index):
    def f(out, a, i):
        out[0] = a[i]

    assert run(f, np.arange(5.0), index)[0] == np.arange(5.0)[int(index)]


def test_a_float_index_is_refused_with_a_hint(device):
    def f(out, i):
        out[0] = out[i / 2]

    with pytest.raises(TypingError, match="must be an integer") as error:
        run(f, 4)
    assert "//" in str(error.value)


def test_too_many_indices_are_refused(device):
    def f(out):
        out[0] = out[1, 2]

    with pytest.raises(TypingError, match="cannot index a 1-D array with 2 indices"):
        run(f)


def test_an_index_of_the_threads_numbers_is_told_their_names(device):
    def f(out):
        out[0] = cuda.blockDim[0]

    with pytest.raises(TypingError, match="cannot index cuda.blockDim") as error:
        run(f)
    assert "hint: its numbers have names: cuda.blockDim.x, .y and .z" in str(error.value)


def test_an_array_without_dimensions_has_one_element(device):
    def f(out, a):
        out[0] = a[()]
        out[1] = a.size
        out[2] = a.ndim
        a[()] = 5

    a = np.array(3.0)
    assert list(run(f, a)[:3]) == [3, 1, 0] and a == 5


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (2, 0, 4)])
def test_empty_arrays_have_a_shape_and_no_elements(device, shape):
    @cuda.jit
    def k(a, out):
        out[0], out[1], out[2] = a.size, len(a), a.shape[a.ndim - 1]

    out = np.full(3, -1)
    k[1, 1](np.zeros(shape), out)
    assert list(out) == [0, shape[0], shape[-1]]


def test_an_array_of_many_dimensions(device):
    a = np.arange(2.0**6).reshape((2,) * 6)

    def f(out, a):
        out[0] = a[1, 0, 1, 1, 0, 1]
        out[1] = a[1, :, 0, ..., 1][1, 0, 1]
        out[2] = a.T[1, 0, 0, 0, 0, 0]

    check(f, a)


dtypes = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
dtypes += ["float32", "float64"]


@pytest.mark.parametrize("dtype", dtypes)
def test_every_dtype_is_copied_exactly(device, dtype):
    info = np.iinfo(dtype) if dtype[0] in "iu" else None
    values = [info.min, info.max, 1, 0] if info else [0, 1, True, 1]
    a, b = np.array(values, dtype), np.zeros(4, dtype)

    @cuda.jit
    def k(a, b):
        i = cuda.grid(1)
        b[i] = a[i]

    k[1, 4](a, b)
    np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("to", dtypes)
@pytest.mark.parametrize("origin", dtypes)
def test_a_store_converts_as_numpy_does(device, origin, to):
    values = [0, 1, 3, 100]
    if origin.startswith(("int", "float")) and not to.startswith("u"):
        values += [-1, -100]
    a = np.array(values, origin)
    b = np.zeros(len(a), to)

    @cuda.jit
    def k(a, b):
        i = cuda.grid(1)
        b[i] = a[i]

    k[1, len(a)](a, b)
    np.testing.assert_array_equal(b, a.astype(to))


def test_bool_arrays_hold_the_truth_of_what_is_stored(device):
    a = np.zeros(5, bool)

    @cuda.jit
    def k(a):
        a[0], a[1], a[2], a[3] = 2, 0.5, 0, not a[4]
        a[4] = np.nan

    k[1, 1](a)
    assert list(a) == [True, True, False, True, True]


def test_the_dtype_of_an_array_makes_another_array(device):
    @cuda.jit
    def k(a):
        s = cuda.shared.array(2, a.dtype)
        s[0] = 3.7
        a[0] = s[0]

    a = np.zeros(1, np.int16)
    k[1, 1](a)
    assert a[0] == 3


def test_a_read_only_array_is_not_written(device):
    def f(out, a):
        a[0, 0] = 1

    with pytest.raises(TypingError, match="read-only"):
        run(f, readonly)


def test_a_view_of_a_read_only_array_is_not_written(device):
    def f(out, a):
        a[1:].T[0, 0] = 1

    with pytest.raises(TypingError, match="read-only"):
        run(f, readonly)


def test_a_slice_of_zero_steps_is_refused(device):
    def f(out):
        out[0] = out[::0].size

    with pytest.raises(TypingError, match="step of a slice cannot be zero"):
        run(f)


def test_an_unknown_attribute_suggests_a_near_one(device):
    def f(out):
        out[0] = out.shpe[0]

    with pytest.raises(TypingError, match="no attribute 'shpe'") as error:
        run(f)
    assert "'shape'" in str(error.value)


@pytest.mark.parametrize("n", [0, 1])
def test_a_variable_may_be_one_array_or_another(device, n):
    def f(out, a, b, n):
        v = a if n else b
        out[0] = v[1, 2]
        out[1] = v.shape[0]

    check(f, matrix, np.asfortranarray(matrix[:3] * 2), n)


def test_a_frozen_array_is_indexed_by_variables(device):
    table = np.array([[1.5, 2.5], [3.5, 4.5]])

    def f(out, n):
        for i in range(n):
            out[i] = table[i, 1 - i] + table[-1, i]
        out[5] = table.shape[0]
        out[6] = table[:, 1][0]

    check(f, 2)


def test_a_frozen_array_is_not_written(device):
    table = np.zeros(3)

    def f(out):
        table[0] = 1

    with pytest.raises(TypingError, match="read-only"):
        run(f)


def test_an_index_that_overflowed_counts_from_the_end(device):
    @cuda.jit
    def k(a, out):
        h = 1
        for i in range(out.size):
            h = h * 2654435761 + i
            out[i] = a[h >> 61]

    a, out = np.arange(10.0), np.zeros(40)
    k[1, 1](a, out)
    with np.errstate(over="ignore"):
        h, expected = np.int64(1), []
        for i in range(40):
            h = h * np.int64(2654435761) + np.int64(i)
            expected.append(a[h >> 61])
    assert min(expected) >= 0 and max(expected) > 3
    np.testing.assert_array_equal(out, expected)


def test_an_array_without_dimensions_is_an_index(device):
    @cuda.jit
    def k(x, i, j):
        x[i] = 5
        x[i, j] += x[j, i]
        x[j][i] = 9

    x = np.arange(9).reshape(3, 3)
    k[1, 1](x, np.array(1), np.array(2, np.uint8))
    assert x.tolist() == [[0, 1, 2], [5, 5, 12], [6, 9, 8]]
