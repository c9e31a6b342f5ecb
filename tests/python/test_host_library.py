"""NumPy functions in host functions, each row compared with NumPy: values, dtypes, layouts, sizes."""

import numpy as np
import pytest

from heddle import njit

rng = np.random.RandomState(7)
V = rng.randint(-20, 20, 101) / 4.0
W = rng.randint(-20, 20, 101) / 4.0
I = rng.randint(0, 12, 37)
M = rng.randint(-9, 9, (4, 5)) * 1.5
Q = rng.randint(-9, 9, (4, 4)) * 1.0
EMPTY = np.empty(0)
ONE = np.array([2.5])
NANS = np.array([1.0, np.nan, -2.0, np.inf, np.nan, 7.0])
LONG = rng.randn(1000)

ROWS = {
    # sorted
    "sort": (
        lambda a: (np.sort(a), np.argsort(a, kind="mergesort"), np.partition(a, 0)[:1]),
        V,
        I,
        ONE,
        LONG,
    ),
    "sort of none": (lambda a: (np.sort(a), np.argsort(a), np.unique(a)), EMPTY),
    "sort of NaNs": (lambda a: (np.sort(a), np.unique(a)), NANS, -NANS),
    "sort of rows": (lambda a: np.sort(a), M, np.asfortranarray(M)),
    "sets": (
        lambda a, b: (
            np.unique(a),
            np.union1d(a, b),
            np.intersect1d(a, b),
            np.setdiff1d(a, b),
            np.setxor1d(a, b),
        ),
        (V, W),
        (I, I[:9]),
        (V, EMPTY),
    ),
    "isin": (lambda a, b: (np.isin(a, b), np.isin(b, a)), (V, W), (M, V), (I, EMPTY)),
    # order statistics
    "median": (lambda a: (np.median(a), np.nanmedian(a)), V, W[:100], I, ONE, M),
    "median of NaNs": (lambda a: (np.median(a), np.nanmedian(a)), NANS),
    "percentile": (
        lambda a: (
            np.percentile(a, 30),
            np.quantile(a, 0.77),
            np.percentile(a, np.array([0.0, 50, 99.5, 100])),
        ),
        V,
        I,
        ONE,
        LONG,
    ),
    "nanpercentile": (lambda a: (np.nanpercentile(a, 30), np.nanquantile(a, 0.7)), NANS, V),
    # joined
    "concatenate": (
        lambda a, b: (
            np.concatenate((a, b)),
            np.concatenate((a, b), 1),
            np.concatenate((a, b), axis=None),
        ),
        (M, M + 1),
        (np.asfortranarray(M), M),
    ),
    "concatenate vectors": (
        lambda a, b: (np.concatenate((a, b)), np.hstack((a, b)), np.append(a, b)),
        (V, I),
        (EMPTY, V),
    ),
    "stack": (
        lambda a, b: (
            np.stack((a, b)),
            np.stack((a, b), 1),
            np.stack((a, b), axis=-1),
            np.vstack((a, b)),
            np.column_stack((a, b)),
        ),
        (V, W),
        (M, M + 1),
        (EMPTY, EMPTY),
    ),
    "stack of rows": (lambda a, b: (np.hstack((a, b)), np.dstack((a, b))), (M, M + 1), (V, W)),
    "append": (lambda a: (np.append(a, 3), np.append(a, a)), V, I, EMPTY),
    # rearranged
    "repeat": (lambda a: (np.repeat(a, 3), a.repeat(2), np.repeat(a, 0)), V, I, M, EMPTY),
    "repeat each": (lambda a: np.repeat(a, a), I),
    "tile": (lambda a: (np.tile(a, 3), np.tile(a, (2, 2))), V[:5], M, EMPTY),
    "roll": (lambda a: (np.roll(a, 3), np.roll(a, -1), np.roll(a, 1000)), V, I, M, EMPTY, ONE),
    "roll along": (lambda a: (np.roll(a, 1, 0), np.roll(a, -2, axis=1)), M),
    "flip": (lambda a: (np.flip(a), a[::-1]), V, M),
    "rot90": (
        lambda a: (np.rot90(a), np.rot90(a, 2), np.rot90(a, 3), np.rot90(a, -1), np.rot90(a, 4)),
        M,
    ),
    "delete": (lambda a: (np.delete(a, 2), np.delete(a, -1), np.delete(a, np.array([0, 3]))), V, I),
    "insert": (lambda a: (np.insert(a, 2, 7), np.insert(a, -1, np.array([1, 2]))), V, I),
    "trim_zeros": (lambda a: np.trim_zeros(a), np.array([0, 0, 1, 0, 2, 0]), np.zeros(3), EMPTY),
    "meshgrid": (
        lambda a, b: (*np.meshgrid(a, b), *np.meshgrid(a, b, indexing="ij")),
        (V[:3], I[:2]),
    ),
    "meshgrid of three": (lambda a, b: np.meshgrid(a, b, a + 1), (V[:3], I[:2])),
    # matrices
    "triangles": (
        lambda a: (np.tril(a), np.tril(a, -1), np.triu(a), np.triu(a, 2), np.triu(a, -9)),
        M,
        Q,
    ),
    "tri": (
        lambda n: (np.tri(n), np.tri(n, n + 2), *np.tril_indices(n), *np.triu_indices(n, 1)),
        3,
        0,
    ),
    "diag": (
        lambda a, m: (
            np.diag(a),
            np.diag(a, 1),
            np.diag(m),
            np.diag(m, -1),
            np.diag(m, 9),
            np.diagflat(a),
        ),
        (V[:4], M),
    ),
    "trace": (lambda a: (np.trace(a), np.trace(a, 1)), Q),
    "vander": (lambda a: (np.vander(a), np.vander(a, 3, True)), V[:4], I[:3]),
    "linear": (
        lambda a, b: (np.kron(a, b), np.vdot(a, b), np.inner(a, b), np.outer(a, b)),
        (V[:3], W[:3]),
        (I[:4], I[:4]),
    ),
    "kron": (lambda a, b: (np.kron(a, b), np.inner(a, a)), (Q, M)),
    "cross": (lambda a, b: np.cross(a, b), (V[:3], W[:3]), (M[:, :3], M[:, 1:4])),
    # searching
    "where": (
        lambda a: (np.where(a > 1)[0], np.flatnonzero(a), np.argwhere(a > 0), np.extract(a > 0, a)),
        V,
        I,
        EMPTY,
    ),
    "searchsorted": (
        lambda a, v: (np.searchsorted(a, v), np.searchsorted(a, v, "right"), np.searchsorted(a, 3)),
        (np.sort(V), W),
    ),
    "digitize": (
        lambda a, b: (np.digitize(a, b), np.digitize(a, b, True)),
        (V, np.arange(-4.0, 5.0)),
    ),
    "select": (lambda a: np.select((a > 2, a < -2), (a, a * 2), 7), V),
    "take": (lambda a, i: np.take(a, i), (V, I)),
    # numbers
    "clip": (
        lambda a: (np.clip(a, -1, 2), a.clip(0, 1), np.clip(a, None, 1), np.clip(a, 0, None)),
        V,
        I,
        M,
    ),
    "round": (lambda a: (np.round(a), np.round(a, 1), np.around(a, -1), a.round(2)), V, M, I, LONG),
    "isclose": (
        lambda a: (np.isclose(a, a + 1e-9), np.allclose(a, a), np.isclose(a, 1.0, equal_nan=True)),
        V,
        NANS,
    ),
    # counts
    "bincount": (
        lambda a: (np.bincount(a), np.bincount(a, minlength=20), np.bincount(a, a * 0.5)),
        I,
    ),
    "bincount of none": (lambda a: (np.bincount(a), np.bincount(a, minlength=3)), I[:0]),
    "histogram": (
        lambda a: (*np.histogram(a), *np.histogram(a, 7), *np.histogram(a, 5, (-1.0, 2.0))),
        V,
        LONG,
        ONE,
    ),
    "histogram of values on edges": (
        lambda a: (
            np.histogram(a, 8, (0.0, 8.0))[0],
            np.histogram(a, 10, (0.0, 8.0))[0],
            np.histogram(a, 8)[0],
        ),
        np.arange(1000.0) % 9,
    ),
    "histogram of levels of grey": (
        lambda a: np.histogram(a, 256, (0.0, 256.0))[0],
        (np.arange(1000) * 7 % 256).astype(np.uint8),
    ),
    "histogram of edges": (lambda a, b: np.histogram(a, b), (V, np.array([-3.0, -1.0, 0.5, 4.0]))),
    "average": (lambda a: (np.average(a), np.average(a, weights=a * a)), V),
    "cov": (lambda a: (np.cov(a), np.corrcoef(a), np.cov(a, bias=True)), M),
    "cov of two": (lambda a, b: (np.cov(a, b), np.corrcoef(a, b), np.cov(a)), (V, W)),
    "interp": (
        lambda x, xp: (np.interp(x, xp, xp * xp), np.interp(0.3, xp, xp)),
        (V, np.arange(-3.0, 4.0)),
    ),
    "polyval": (lambda p: (np.polyval(p, 1.5), np.polyval(p, p)), V[:4]),
    "convolve": (
        lambda a, b: (
            np.convolve(a, b),
            np.convolve(a, b, "same"),
            np.convolve(a, b, mode="valid"),
        ),
        (V, W[:6]),
        (V[:4], W),
        (I, I[:3]),
    ),
    "correlate": (
        lambda a, b: (np.correlate(a, b), np.correlate(a, b, "same"), np.correlate(a, b, "full")),
        (V, W[:6]),
        (V[:4], W),
        (V[:3], W[:3]),
    ),
    # along the way
    "cumsum": (
        lambda a: (np.cumsum(a), np.cumprod(a[:3]), a.cumsum(), np.nancumsum(a)),
        V,
        I,
        M,
        EMPTY,
    ),
    "cumsum along": (lambda a: (np.cumsum(a, 0), np.cumsum(a, axis=-1), np.cumprod(a, 1)), M),
    "nancumsum": (lambda a: (np.nancumsum(a[:3]), np.nancumprod(a[:3])), NANS),
    "diff": (lambda a: (np.diff(a), np.diff(a, 2), np.ediff1d(a), np.ediff1d(a, 1, 2)), V, I, ONE),
    "diff of rows": (lambda a: np.diff(a), M),
    "gradient": (lambda a: (np.gradient(a), np.gradient(a, 0.5)), V),
    "trapezoid": (
        lambda a, b: (np.trapezoid(a), np.trapezoid(a, b), np.trapezoid(a, dx=0.25)),
        (V, W),
    ),
}
CASES = [
    pytest.param(function, case if isinstance(case, tuple) else (case,), id=f"{name}-{i}")
    for name, (function, *cases) in ROWS.items()
    for i, case in enumerate(cases)
]
_jitted = {}


pytestmark = pytest.mark.usefixtures("everything_is_freed")


def equal(got, want):
    if isinstance(want, tuple):
        assert len(got) == len(want)
        for one, other in zip(got, want, strict=True):
            equal(one, other)
    else:
        np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-14)
        assert np.asarray(got).dtype == np.asarray(want).dtype


@pytest.mark.parametrize(("function", "arguments"), CASES)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_function_gives_what_numpys_does(function, arguments):
    jitted = _jitted.setdefault(function, njit(function))
    equal(jitted(*arguments), function(*arguments))


def test_means_have_the_type_of_narrow_floats():
    @njit
    def mean(a):
        return np.mean(a)

    for dtype, expected in (
        ("f4", "float32"),
        ("c8", "complex64"),
        ("i4", "float64"),
        ("f8", "float64"),
    ):
        mean(np.ones(3, dtype))
        assert str(mean.nopython_signatures[-1].return_type) == expected
    assert mean(np.full(3, 1.1, np.float32)) == float(np.float32(1.1))


def test_percentiles_take_numbers_and_arrays_without_dimensions():
    @njit
    def quantiles(a, q):
        return np.percentile(a, q), np.nanquantile(a, q / 100)

    assert quantiles(5.0, 50.0) == (5.0, 5.0)
    assert quantiles(np.array(5.0), np.array(50.0)[()]) == (5.0, 5.0)

    @njit
    def at(a, q):
        return np.percentile(a, q)

    assert at(np.arange(5.0), np.array(25.0)) == 1.0


@pytest.mark.parametrize("y", [2, np.uint8(2), np.arange(3), np.int16(3)], ids=str)
def test_arrays_of_complex64_stay_so_beside_integers(y):
    @njit
    def computed(x, y):
        return x + y, y * x, x / (y + 1), x**y, np.maximum(x, y)

    x = np.array([1, 2j, 3 - 1j], np.complex64)
    for result, expected in zip(computed(x, y), computed.py_func(x, y), strict=True):
        assert result.dtype == np.complex64
        np.testing.assert_allclose(result, expected, rtol=1e-6)


def test_numbers_between_complex64():
    x = np.array([1, 1 + 2j], np.complex64)
    found = njit(lambda x: np.linspace(x[0], x[1], 3))(x)
    np.testing.assert_array_equal(found, np.linspace(x[0], x[1], 3))


def test_no_date_is_the_last_of_the_unique_ones():
    dates = np.array(["2001-01-02", "NaT", "1960-01-01", "NaT"], "M8[D]")
    np.testing.assert_array_equal(njit(lambda a: np.unique(a))(dates), np.unique(dates))


def test_the_truth_of_an_array_is_that_of_its_one_element():
    @njit
    def is_true(a):
        return 1 if a else 0

    assert (is_true(np.array([[2]])), is_true(np.array(0))) == (1, 0)
    with pytest.raises(ValueError, match="more than one element is ambiguous"):
        is_true(np.ones(2))
    with pytest.raises(ValueError, match="an empty array is ambiguous"):
        is_true(np.ones(0))


def test_an_array_in_f_order_is_not_contiguous():
    contiguous = njit(lambda a: a.flags.contiguous)
    assert (contiguous(np.ones((2, 3))), contiguous(np.ones((2, 3)).T)) == (True, False)


@pytest.mark.parametrize("element", [np.uint8, np.uint64])
def test_differences_of_unsigned_integers_are_those_of_numpy(element):
    a, b = np.array([0, 1, 2], element), np.array([4, 3, 2], element)
    np.testing.assert_array_equal(njit(lambda a, b: np.cross(a, b))(a, b), np.cross(a, b))
    np.testing.assert_array_equal(njit(lambda b: np.gradient(b))(b), np.gradient(b))
