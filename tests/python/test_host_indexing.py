"""Index arrays in host functions: selection and assignment as in NumPy."""

import numpy as np
import pytest

from heddle import njit, prange
from heddle.errors import TypingError

VECTOR = np.arange(-5, 6) * 1.0
MATRIX = np.arange(12).reshape(3, 4)
CUBE = np.arange(24.0).reshape(2, 3, 4)
INDICES = np.array([2, 0, -1])
SQUARE = np.arange(100.0).reshape(10, 10)


pytestmark = pytest.mark.usefixtures("everything_is_freed")


def copies(arguments):
    """Separate arrays with the same layout."""
    out = []
    for a in arguments:
        if isinstance(a, np.ndarray):
            a = np.array(a, order="K", copy=True) if a.flags.forc else np.repeat(a, 2, -1)[..., ::2]
        out.append(a)
    return out


def check(function, *arguments):
    want, got = function(*copies(arguments)), njit(function)(*copies(arguments))
    if not isinstance(want, tuple):
        want, got = (want,), (got,)
    assert len(got) == len(want)
    for one, other in zip(got, want, strict=True):
        np.testing.assert_array_equal(one, other)
        assert np.asarray(one).dtype == np.asarray(other).dtype


READ = {
    "mask": (lambda v: (v[v > 0], v[v > 99], v[~(v > 0) & (v < -2)]), VECTOR),
    "mask of two dimensions": (lambda m: (m[m % 2 == 0], m[m >= 0], m[m < 0]), MATRIX),
    "mask of three dimensions": (lambda c: c[c > 5], CUBE),
    "mask of the first dimensions": (
        lambda c: (c[c[:, :, 0] > 3], c[:, c[0, :, 0] > 3], c[0, 1, c[1, 1] > 17]),
        CUBE,
    ),
    "indices": (lambda v, i: (v[i], v[i[:0]], v[i.astype(np.int16)]), VECTOR, INDICES),
    "indices of two dimensions": (lambda v, i: v[i], VECTOR, MATRIX % 11),
    "rows and columns": (lambda m, i: (m[i], m[:, i], m[1, i], m[i, 1]), MATRIX, INDICES),
    "pairs": (lambda m, i: (m[i, i], m[i[:, None], i], m[1:, i]), MATRIX, INDICES),
    "mixed": (
        lambda c, i: (
            c[1, :, i],
            c[..., i],
            c[i % 2, :, i],
            c[:, i, i],
            c[i % 2, i],
            c[None, 1, i],
        ),
        CUBE,
        INDICES,
    ),
    "mask and integer": (lambda m: (m[1, m[1] > 5], m[m[:, 0] > 3, 2]), MATRIX),
    "tuple of indices": (lambda m: m[np.nonzero(m > 5)], MATRIX),
    "where": (lambda m: np.where(m > 5)[0] + np.where(m > 5)[1], MATRIX),
    "argwhere": (lambda m: (np.argwhere(m > 5), np.flatnonzero(m % 3), m.nonzero()[1]), MATRIX),
}


@pytest.mark.parametrize("name", READ)
@pytest.mark.parametrize("layout", ["C", "F", "strided"])
def test_arrays_select_what_they_select_in_numpy(name, layout):
    function, array, *rest = READ[name]
    if layout == "F":
        array = np.asfortranarray(array)
    if layout == "strided":
        array = np.repeat(array, 2, -1)[..., ::2]
    check(function, array, *rest)


def assign_by_masks(v, m):
    v[v > 3] = 0
    v[v < -3] = np.array([7.0, 8.0])
    m[m > 7] *= 2
    m[m == 0] = m[m == 1]
    m[0, m[1] > 5] = 4
    m[:, m[2] > 10] = 1
    return v, m


def assign_by_indices(m, i):
    m[i] = 5
    m[:, i] += 3
    m[1, i] = i
    m[i, 0] = np.array([9, 8, 7])
    m[i, i] -= 1
    m[i] = np.arange(4)
    m[i[:2], 1:3] = np.array([[1, 2], [3, 4]])
    return m


def test_what_arrays_select_is_assigned():
    check(assign_by_masks, VECTOR, MATRIX)
    check(assign_by_indices, MATRIX, INDICES)
    check(assign_by_indices, np.asfortranarray(MATRIX), INDICES)


def test_overlapping_views_of_any_size_are_assigned():
    def shift(a):
        a[1:] = a[:-1]
        a[:, ::-1] = a + 1
        a[::-1] = a
        a[1:-1, 1:-1] += a[2:, 2:]
        a[:] = a.T
        return a

    check(shift, SQUARE)


@pytest.mark.parametrize(
    "function",
    [
        lambda v: v[np.array([0, 11])],
        lambda v: v[np.array([-12])],
        lambda v: v[np.ones(3, np.bool_)],
    ],
)
def test_an_array_that_does_not_fit_is_an_index_error(function):
    with pytest.raises(IndexError):
        njit(function)(VECTOR)


def test_values_of_another_number_than_a_mask_selects_are_an_error():
    @njit
    def assign(v):
        v[v > 0] = np.ones(3)

    with pytest.raises(ValueError, match="as many values as the mask selects"):
        assign(VECTOR.copy())


def test_an_array_of_floats_is_no_index():
    with pytest.raises(TypingError, match="an index array must hold integers or bools"):
        njit(lambda v: v[v])(VECTOR)


REDUCTIONS = {
    "sum": lambda a, k: (a.sum(k), np.sum(a, axis=k), (a > 3).sum(k), a.prod(k)),
    "mean": lambda a, k: (a.mean(k), a.var(axis=k), np.std(a, k)),
    "extremes": lambda a, k: (np.min(a, k), a.max(axis=k), np.amax(a, k), a.argmin(k), a.argmax(k)),
    "truth": lambda a, k: ((a > 3).any(k), np.all(a, k)),
}


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("array", [VECTOR, MATRIX, np.asfortranarray(MATRIX), CUBE, CUBE[:, ::2]])
def test_reductions_along_each_axis(name, array):
    jitted = njit(REDUCTIONS[name])
    for axis in range(-array.ndim, array.ndim):
        for got, want in zip(jitted(array, axis), REDUCTIONS[name](array, axis), strict=True):
            np.testing.assert_allclose(got, want, rtol=1e-14)
            assert np.asarray(got).dtype == np.asarray(want).dtype


def test_an_axis_that_the_array_has_not_is_an_error():
    with pytest.raises(
        np.exceptions.AxisError, match="^axis 2 is out of bounds for array of dimension 2$"
    ):
        njit(lambda a: a.sum(axis=2))(MATRIX)
    with pytest.raises(
        np.exceptions.AxisError, match="^axis -4 is out of bounds for array of dimension 3$"
    ):
        njit(lambda a, axis: a.max(axis))(CUBE, -4)


def test_more_axes_than_dimensions_are_an_error():
    with pytest.raises(
        np.exceptions.AxisError, match="^axis 2 is out of bounds for array of dimension 2$"
    ):
        njit(lambda a: a.sum(axis=(0, 1, 2)))(MATRIX)
    with pytest.raises(ValueError, match="^duplicate value in 'axis'$"):
        njit(lambda a: a.sum(axis=(0, 1, -1)))(MATRIX)


def test_a_list_is_assigned_to_a_view():
    @njit
    def assign(a, x):
        a[0] = [x, x + 1, x + 2]
        a[1, 1:] = [7.5, 8.5]
        return a

    np.testing.assert_array_equal(assign(np.zeros((2, 3)), 4), [[4, 5, 6], [0, 7.5, 8.5]])


def test_a_list_of_another_length_than_the_view_is_an_error():
    @njit
    def assign(a, n):
        a[:] = [1 for _ in range(n)]

    with pytest.raises(ValueError, match="shape"):
        assign(np.zeros(3), 2)


@pytest.mark.parametrize("parallel", [False, True])
@pytest.mark.parametrize("dtype", ["i4", "i8", "f4", "f8"])
def test_an_element_is_read_before_it_is_replaced(dtype, parallel):
    """LLVM's vectorizer would read it after the store."""

    def take(chosen, x, out):
        for i in prange(x.size):
            if chosen[i] > 0:
                v = x[i]
                x[i] = 7
            else:
                v = -1
            out[i] = v

    rng = np.random.default_rng(0)
    x, chosen = rng.integers(10, 100, 1000).astype(dtype), rng.integers(0, 2, 1000)
    out, expected = np.zeros_like(x), np.where(chosen > 0, x, -1)
    njit(parallel=parallel)(take)(chosen, x, out)
    np.testing.assert_array_equal(out, expected)
    assert (x[chosen > 0] == 7).all()


# Views with fewer dimensions than what is assigned to them


@pytest.mark.parametrize("parallel", [False, True])
def test_the_first_dimensions_of_what_is_assigned_may_have_one_element(parallel):
    @njit(parallel=parallel)
    def assign(out, row, cube):
        out[1, :] = row
        out[2:, 1:] = cube
        out[0, :] = row.T[:, 0]

    out = np.zeros((4, 3))
    row = np.array([[1.0, 2.0, 3.0]])
    cube = np.arange(4.0).reshape(1, 1, 2, 2)
    assign(out, row, cube)
    np.testing.assert_array_equal(out, [[1, 2, 3], [1, 2, 3], [0, 0, 1], [0, 2, 3]])


def test_the_first_dimensions_of_what_is_assigned_are_checked():
    @njit
    def assign(out, rows):
        out[0, :] = rows

    for rows in (2, 0):
        with pytest.raises(ValueError, match="shapes"):
            assign(np.zeros((4, 3)), np.ones((rows, 3)))


# Attributes of dtypes


@pytest.mark.parametrize("dtype", ["?", "i1", "i8", "f4", "f8", "c8", "M8[s]", "m8[D]"])
def test_a_dtype_tells_its_kind_and_its_size(dtype):
    @njit
    def what(a, dtype):
        if a.dtype.kind == "f":
            return "a float", a.dtype.itemsize, dtype.itemsize
        return a.dtype.kind, a.dtype.itemsize, dtype.itemsize

    dtype = np.dtype(dtype)
    kind = "a float" if dtype.kind == "f" else dtype.kind
    assert what(np.zeros(2, dtype), dtype) == (kind, dtype.itemsize, dtype.itemsize)


def test_the_kind_of_all_integers_is_i_as_in_numba():
    assert njit(lambda a: a.dtype.kind)(np.zeros(2, np.uint8)) == "i"
