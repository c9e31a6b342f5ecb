"""Arguments of NumPy functions in host functions other than numeric arrays: sequences, numbers, dates, options."""

import numpy as np
import pytest
from numpy.polynomial import polynomial as P
from numpy.polynomial import polyutils as PU

from heddle import njit

V = np.array([3.5, -1.0, 2.0, 2.0, 7.25, 0.0])
I = np.array([4, 1, 3, 1, 0, 2])
M = np.arange(6.0).reshape(2, 3)
B = np.arange(24.0).reshape(2, 3, 4)
C = np.array([1 + 2j, 3 - 1j, 1 + 1j, 0j])
NANS = np.array([1.0, np.nan, np.inf, -np.inf])
DAYS = np.array(["2020-01-03", "2020-01-01", "2020-01-02"], "M8[D]")
DAY = np.datetime64("2020-01-02")
LATE = np.array(["2020-01-05", "NaT"], "M8[D]")

CALLS = {
    "sequences": [
        (lambda: (np.bincount([1, 1, 3]), np.bincount(np.array([1, 2]), weights=[1, 2])),),
        (lambda: (np.searchsorted([1, 2, 3], 2), np.where([True, False], [1, 2], [3, 4])),),
        (
            lambda: (
                np.histogram(np.arange(10.0), [0, 2, 5])[0],
                np.size([1, 2]),
                np.shape([[1, 2]]),
            ),
        ),
        (lambda: (np.cov([[1, 2], [3, 5]]), np.array_equal([1, 2], [1, 2]), np.ptp([1, 5])),),
        (lambda: (np.average(np.array([1.0, 2]), weights=[1, 3]), np.resize([1, 2], (2, 2))),),
        (lambda: (np.array([[[1], [2]]]), np.array(((1, 2), (3, 4))), np.flipud([1, 2])),),
        (lambda: (np.insert(np.arange(3), [0, 2], [8, 9]), np.insert(np.arange(3), [2, 0], 5)),),
        (lambda a: (a.repeat([1, 2, 3, 0, 1, 1]), a.take([0, 2])), V),
    ],
    "options": [
        (lambda a: (np.isin(a, [1, 2], invert=True), np.setdiff1d(a, [1], assume_unique=True)), I),
        (lambda a: (np.isin(2, a), np.isin(a, 2), np.intersect1d([1, 2], [2, 3], True)), I),
        (lambda a: (np.take(a, np.array([0, -1]), axis=1), np.take(a, 1, axis=0)), M),
        (lambda a: (np.trim_zeros(a, "f"), np.trim_zeros(a, trim="B")), np.array([0, 1, 0, 2, 0])),
        (lambda a: (a.sum(dtype=np.complex128), np.sum(a, dtype=np.float64)), I),
        (lambda a: (np.average(a, axis=0), np.count_nonzero(a, axis=0), np.trapezoid(a)), M),
        (lambda a: (np.delete(a, slice(1, 3)), np.argpartition(a, 0)[0]), V),
    ],
    "names of parameters": [
        (lambda a: np.split(a, indices_or_sections=3, axis=1), M),
        (lambda a: np.array_split(ary=a, indices_or_sections=[1]), M),
        (lambda a: np.hsplit(a, indices_or_sections=(1,))[1], M),
        (lambda a: np.zeros_like(np.empty_like(prototype=a, dtype=np.int8)), M),
    ],
    "numbers and rows": [
        (lambda: (np.ascontiguousarray(3), np.asfortranarray(2.5)),),
        (lambda a: (np.nanargmin(a, axis=0), np.nanargmax(a, 1), np.nanargmax(a[0], axis=-1)), M),
        (lambda a: np.trapezoid(a, a * 2), M),
    ],
    "arrays without dimensions": [
        (lambda a, i: (a[i], a[0, i], a[i, :], a[..., i], a[i, np.array([0, 1])]), M, np.array(1)),
        (lambda a: (float(a), int(a), bool(a), complex(a), a.dtype.type(a)), np.array(2.5)),
        (lambda r: np.zeros_like(r), np.ones(1, [("a", "i4")])[0]),
        (lambda a: (np.ascontiguousarray(a), np.asfortranarray(a), np.unique(a)), np.array(2.5)),
        (lambda a, i: (np.expand_dims(a, i), np.expand_dims(a, -1)), np.array(2.5), 0),
    ],
    "lists of lists": [
        (
            lambda n: np.array(
                [[[i * j * k for k in range(n)] for j in range(n)] for i in range(n)]
            ),
            3,
        ),
        (lambda n: np.array([[i + j for j in range(n)] for i in range(n)], np.float32), 3),
        (lambda n: np.array([[np.arange(n)] for _ in range(2)]), 3),
    ],
    "infinities among numbers that are none": [
        (lambda a: (np.nanargmax(-a), np.nanargmin(a)), np.array([np.nan, np.inf])),
        (lambda a: (np.nanargmax(a), np.nanargmin(a)), NANS),
    ],
    "dimensions": [
        (lambda a: (np.tril(a), np.triu(a, 1), np.tri(-1), np.tri(2, -1)), I),
        (lambda a: (np.triu(a), np.rot90(a), np.rot90(a, 2), np.rot90(a, 3)), B),
        (lambda a: (np.outer(a, 2), np.outer(2, 3), np.broadcast_to(3, (2, 2))), M),
        (lambda a: (np.cross(a, np.arange(3.0)), np.cross(np.arange(3.0), a)), M),
        (lambda: (np.zeros_like(2.5), np.full_like(1, 7), np.append(1, 2), np.argwhere(5)),),
        (lambda a: (np.partition(a, 1)[:, 1], np.argpartition(a, (0, 1))[:, 0]), -M),
        (lambda a: np.select((a > 1, a.T.T < 0), (a, a.copy())), M),
        (lambda a: np.select([a > 1, a > 2], [a, a * 2], np.nan), M),
        (lambda a: (np.kron(a, a[0]), np.kron(a[0], a), np.diagflat(3), np.diagflat(2, -1)), M),
        (lambda a: (np.extract([1, 0, 1], a), np.extract(a > 2, a), np.extract(True, 3)), M),
        (lambda a: np.take_along_axis(a, np.array([[1]]), 1), M),
    ],
    "kinds of numbers": [
        (lambda a: (np.sort(a), np.argsort(a), np.round(a * 1.25), a.conj()), C),
        (lambda a: (np.round(25, -1), np.round(a, -1), np.vander(a > 2)), I * 7),
        (lambda a: (np.angle(a), np.angle(a, True), np.angle(a[0], deg=True)), C),
        (lambda a: (np.cov(a, a[::-1]), np.corrcoef(a, a[::-1]), np.cov(a)), C),
        (lambda a: np.corrcoef(a, np.ones(6)), V),
        (lambda a: (np.digitize(a, (0.0, 1.0)), np.digitize(2.0, [3, 2, 2, 1], right=True)), V),
        (lambda a: (np.nan_to_num(a), np.nan_to_num(a, nan=1.0, posinf=5)), NANS),
        (lambda a: (np.sinc(a), np.nan_to_num(a * (1 + 1j)), a.conjugate()), V),
        (lambda x: np.interp(x, np.array([1, 2, 3]), np.array([1j, 2, 3])), np.array([1.5, 9])),
        (
            lambda x, f: np.interp(x, np.array([1.0, 2, 3]), f),
            np.array([1.5, 2.5]),
            NANS[[2, 2, 0]],
        ),
    ],
    "windows": [
        (lambda a: np.lib.stride_tricks.sliding_window_view(a, 2, axis=-1), M),
        (lambda a: np.lib.stride_tricks.sliding_window_view(a, (2, 1), axis=(1, -2)), M),
    ],
    "complex numbers": [
        (
            lambda a: (np.sort(a), np.argsort(a), np.ptp(a[:3])),
            np.append(C, [1 + 1j * np.nan, np.nan]),
        ),
        (lambda a: np.sort(a.reshape((2, 2))), C),
        (lambda a: (a.imag, a.real), I),
    ],
    "into two arrays": [
        (lambda a, b, c: (np.divmod(a, 3, b, c), b, c), I, I.copy(), I.copy()),
    ],
    "sequences that are called for": [
        (lambda n: (min(range(n)), max(range(-4, -n, -1)), min([(3, 4), (1, n)])), 7),
        (lambda: (np.int32([1.5, 2]), np.float32((1, 2)), np.complex64([(1, 2j), (3, 4)])),),
        (lambda: (np.array(((), ())), np.array(((),), np.int8)),),
    ],
    "polynomials": [
        (lambda c: (P.polyadd(c, 3), P.polysub(1, c), P.polymul(2.0, c), P.polydiv(c, 2)[0]), V),
        (lambda c: (P.polyval(2.0, c), P.polyval(np.array([1.0, 2]), c)), M),
        (lambda c: np.roots(c), np.array([1, -3, 2])),
        (lambda c: (P.polyint(c), P.polyint(c, 2), P.polyint(c, m=0)), M),
        (
            lambda c: (PU.trimseq(c), PU.trimseq(c * 0), PU.as_series(c)[4]),
            np.array([0, 1, 3, 0, 0]),
        ),
        (
            lambda c: (PU.as_series((c[1], c[0]))[1], PU.as_series([c[0], c[1]])[0]),
            M * (M < 5) + 0.0,
        ),
        (lambda c: (PU.as_series(c)[1], PU.as_series(c, trim=False)[1]), M * (M < 5)),
    ],
    "integers": [
        (lambda a: (np.floor(a), np.ceil(a[0]), np.trunc(a > 2), np.fmod(a - 2, 3)), I),
        (lambda a: (np.fmod(a, np.int8(3)), np.float_power(a, 2)), I.astype(np.int8)),
        (lambda a: (np.logaddexp(a, a[::-1]), np.logaddexp2(a, 1)), I.astype(np.uint32)),
        (lambda a: (np.logaddexp(a, a[::-1]), np.float_power(a, a)), M.astype(np.float32)),
        (lambda a: (np.gcd(a, a[::-1]), np.lcm(a, a)), I.astype(np.int16)),
        (lambda a: np.spacing(a), I),
        (lambda a: (np.float_power(a, 2), np.kron(a, 2.5)), C),
        (lambda a: (np.rint(a / 4), np.rint(a[1] / 4), np.rint(a, np.zeros_like(a))), C),
        (lambda a: (np.sign(a), np.sign(a[1]), np.sign(a * np.nan)), C),
    ],
    "dtypes that are None": [
        (lambda a: (np.zeros_like(a, None), np.full_like(a, 3, dtype=None), np.array(a, None)), I),
        (lambda: (np.array((1, 2), dtype=None), np.asarray([1, 2], None), np.full(2, 3, None)),),
    ],
    "tuples in lists": [
        (lambda: (np.array([(1, 2), (3, 4)]), np.asarray([((1, 2.5), (3, 4))], np.float32)),),
        (lambda: (np.array(()), np.asarray_chkfinite(np.array([1, 2]), np.float32)),),
    ],
    "spirals": [
        (lambda: (np.geomspace(1j, 16j, 5), np.geomspace(-1, 2 + 1j, 4)),),
        (lambda a: (np.sinc(a), np.sinc(a[0]), np.sinc(a.imag / 4)), C),
    ],
    "places": [
        (lambda a, v: (np.searchsorted(a, v), np.isin(a, np.array(3))), np.arange(5), [1, 3]),
        (lambda a: (np.searchsorted(np.sort(a), a), np.searchsorted(np.sort(a), 1 + 1j)), C),
        (lambda a: np.searchsorted(np.sort(a), a, side="right"), C),
        (lambda x: np.digitize(x, np.array([1.5, np.nan])), NANS),
        (lambda x, y: np.interp(x, y, np.arange(6.0)), np.linspace(-2, 8, 31), V),
        (lambda x, y: np.interp(x, NANS, y), V, np.arange(4.0)),
        (lambda b, x: np.interp(b, x, x + 1), np.array([True, False]), np.arange(3)),
    ],
    "rows of rows": [
        (lambda a: np.cross(a.reshape((2, 4, 3)), a.reshape((8, 3))[:4]), B),
        (lambda a: (np.unwrap(a * 2), np.unwrap(np.array([1, 2, 3, 9]), period=4)), M),
        (lambda a: (np.roll(5, 1), np.repeat(a, [2])), I),
        (lambda a: np.select([a > 1, a > 3], (a, a * 2), 0.5), I),
        (lambda a: np.select([a > 1], [a.astype(np.int16)], 7.0), I),
    ],
    "dates": [
        (lambda a, t: (a > t, a[a >= t], np.where(a < t, a, t), (a == t).sum()), DAYS, DAY),
        (lambda a, t: (a - t, -(a - t), (a - t) / np.timedelta64(1, "h"), (a - t) * 2), DAYS, DAY),
        (lambda a, t: (a + np.timedelta64(3, "D"), np.sort(a), np.argsort(a)), DAYS, DAY),
        (lambda a, t: (a.min(), np.max(a), a.argmax(), np.argmin(a), np.unique(a)), DAYS, DAY),
        (lambda a, t: (np.sum(a - t), np.sort(a)), np.array(["2020-01-05", "NaT"], "M8[D]"), DAY),
        (lambda a, t: (np.mean(a - t), np.median(a - t), (a - t).mean(), np.max(t)), DAYS, DAY),
        (lambda a, t: (np.searchsorted(np.sort(a), t), np.searchsorted(np.sort(a), a)), DAYS, DAY),
        (lambda a, t: (max(a), min(a), max(a - t)), DAYS, DAY),
        (lambda a, t: (np.maximum(a, t), np.minimum(a[::-1], a), np.fmax(a[0], t)), DAYS, DAY),
        (
            lambda a, t: (np.maximum(a, t), np.minimum(a, t), np.fmax(a, t), np.fmin(a, t)),
            LATE,
            DAY,
        ),
    ],
}


def equal(got, want):
    if isinstance(want, tuple):
        for one, other in zip(got, want, strict=True):
            equal(one, other)
    else:
        assert np.asarray(got).dtype == np.asarray(want).dtype
        assert np.shape(got) == np.shape(want)
        if np.asarray(want).dtype.kind in "mMV":
            np.testing.assert_array_equal(got, want)
        else:
            np.testing.assert_allclose(got, want, rtol=1e-12)


@pytest.mark.parametrize(
    "call",
    [
        pytest.param(call, id=f"{name}-{i}")
        for name, calls in CALLS.items()
        for i, call in enumerate(calls)
    ],
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_call_gives_what_numpys_does(call):
    function, *arguments = call
    equal(njit(function)(*arguments), function(*arguments))


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (lambda: np.partition(np.array([3, 1, 2]), 5), "kth out of bounds"),
        (lambda: np.digitize(np.array([1.0]), np.array([1, 3, 2])), "monotonically"),
        (lambda: np.trapezoid(np.ones(3), np.ones(2)), "broadcast"),
        (lambda: np.digitize(1.0, np.array([1, 3, 2])), "monotonically"),
        (lambda: np.bincount(np.array([1]), minlength=-1), "must not be negative"),
        (lambda: np.extract(np.array([0, 0, 1]), np.ones(2)), "condition shape"),
        (lambda: np.fill_diagonal(np.zeros((2, 3, 2)), 1), "equal length"),
        (lambda: np.broadcast_shapes((-1,), (3,)), "negative dimensions"),
        (lambda: np.cov(np.ones((2, 3)), ddof=1.5), "integral value"),
        (lambda: np.cov(np.ones((2, 3)), ddof=np.nan), "non-finite"),
        (lambda: np.repeat(np.ones(2), np.array([1, -1])), "negative dimensions"),
        (lambda: np.vsplit(np.ones(4), 2), "2 or more dimensions"),
        (lambda: np.dsplit(np.ones((4, 2)), 2), "3 or more dimensions"),
        (lambda: np.geomspace(0j, 2), "include zero"),
    ],
)
def test_what_numpy_refuses_is_refused(call, problem):
    with pytest.raises(ValueError, match=problem):
        njit(call)()


def test_an_array_without_dimensions_is_assigned_to_an_element():
    @njit
    def assign(point):
        out, other = np.zeros(3), np.empty(())
        out[1] = point
        other[...] = point
        return out, other, point.copy()

    out, other, copy = assign(np.array(4.0))
    np.testing.assert_array_equal(out, [0, 4, 0])
    assert (float(other), float(copy)) == (4.0, 4.0)


@pytest.mark.parametrize("dtype", [np.uint8, np.int32, np.float32])
def test_clip_keeps_the_dtype(dtype):
    clipped = njit(lambda a: np.clip(a, 0, 2.0))(np.array([3, 1, 200], dtype))
    assert clipped.dtype == dtype
    np.testing.assert_array_equal(clipped, [2, 1, 2])


@pytest.mark.parametrize("name", ["d", "f4", "bool_", "?", "c16", "float", "i", "uint8", "<i2"])
def test_a_dtype_is_named_as_numpy_names_it(name):
    made = njit(lambda: np.zeros(2, name))()
    assert made.dtype == np.dtype(name)


def test_a_list_of_arrays_becomes_an_array():
    @njit
    def rows(n):
        return np.array([np.arange(n) * i for i in range(3)])

    np.testing.assert_array_equal(rows(2), [[0, 0], [0, 1], [0, 2]])
    with pytest.raises(ValueError, match="one length"):
        njit(lambda: np.array([np.arange(i) for i in range(2)]))()


def test_an_array_without_dimensions_is_an_index():
    @njit
    def column(a, i):
        return a[:, i], a[i]

    a = np.arange(6.0).reshape(2, 3)
    for got, want in zip(column(a, np.array(1)), (a[:, 1], a[1]), strict=True):
        np.testing.assert_array_equal(got, want)


NUMBERS = ["sum", "prod", "mean", "std", "max", "min", "ptp", "all", "size", "nanmax", "cumsum"]


@pytest.mark.parametrize("name", NUMBERS)
def test_a_number_is_an_array_of_one(name):
    function = getattr(np, name)
    np.testing.assert_array_equal(njit(lambda x: function(x))(3.5), function(3.5))


OTHERS = {
    "delete a slice": lambda a: np.delete([1, 2, 3, 4], slice(1, 3, 1)),
    "bins that end in nan": lambda a: np.digitize(a, np.array([0.0, 1.0, np.nan])),
    "falling bins that begin with nan": lambda a: np.digitize(a, np.array([np.nan, 1.0, 0.0])),
    "nothing to partition": lambda a: np.partition(a[:0], 0),
    "nanvar": lambda a: (np.nanvar(a, ddof=1), np.nanstd(a, ddof=1)),
    "round": lambda a: np.around(a, 1, np.empty_like(a)),
    "several": lambda a: np.atleast_2d(a, 3.0),
    "several axes": lambda a: np.moveaxis(np.ones((2, 3, 4)), (0, 1), (2, 0)).shape,
    "columns": lambda a: np.asfortranarray(np.arange(6).reshape(2, 3)).strides,
    "imaginary parts": lambda a: np.imag(a),
    "parts of the memory": lambda a: (
        np.frombuffer(a, np.float32, count=3, offset=4),
        np.frombuffer(a, dtype=np.int64, offset=8),
        np.frombuffer(a, np.int16, 2),
    ),
    "strides or a shape alone": lambda a: (
        np.lib.stride_tricks.as_strided(a[:2], strides=(16,)),
        np.lib.stride_tricks.as_strided(a, shape=(2,)),
    ),
    "a view of a part": lambda a: (a[1:3].view(np.float32), a.reshape(2, 2)[:, :1].view(np.int32)),
    "conditions": lambda a: np.round(
        [np.linalg.cond(np.array([[4.0, 1], [2, 3]]), p) for p in (2, -2, 1, -1, np.inf, -np.inf)],
        9,
    ),
    "broadcast tuples": lambda a: np.broadcast_arrays((1, 2), ((3,), (4,))),
    "infinities into an array": lambda a: np.isneginf(-1 / a, np.zeros(4, np.bool_)),
    "complex bounds": lambda a: np.arange(1, 3 + 4j),
    "broadcast list": lambda a: np.broadcast_to([1, 2], (2, 2)),
}
if np.lib.NumpyVersion(np.__version__) < "2.5.0":  # which refuses vectors of two elements
    OTHERS["a vector in a plane"] = lambda a: np.cross(a[2:], np.array([1.0, 2.0, 3.0]))


@pytest.mark.parametrize("function", OTHERS.values(), ids=OTHERS)
@pytest.mark.filterwarnings("ignore:Arrays of 2-dimensional:DeprecationWarning")
def test_other_arguments_give_numpys_results(function):
    a = np.array([0.24, np.nan, 1.37, 3.0])
    ours, expected = njit(function)(a), function(a)
    if not isinstance(expected, tuple):
        ours, expected = (ours,), (expected,)
    for one, other in zip(ours, expected, strict=True):
        np.testing.assert_array_equal(one, other)


VARYING = {
    "transpose": lambda a, i, j, k: (np.transpose(a, (i, j, k)), np.transpose(a, axes=(k, i, j))),
    "method": lambda a, i, j, k: (a.transpose(i, j, k), a.transpose((j, k, i))),
    "swapaxes": lambda a, i, j, k: (np.swapaxes(a, i, k), np.swapaxes(a, 1, k)),
    "expand_dims": lambda a, i, j, k: (np.expand_dims(a, i), np.expand_dims(a, -1 - k)),
}


@pytest.mark.parametrize("function", VARYING.values(), ids=VARYING)
def test_axes_may_be_known_at_run_time_only(function):
    for one, other in zip(njit(function)(B, 2, 0, 1), function(B, 2, 0, 1), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("side", ["left", "right"])
def test_the_side_of_searchsorted_may_be_known_at_run_time_only(side):
    search = njit(
        lambda a, x, side: (np.searchsorted(a, x, side), np.searchsorted(a, 2, side=side))
    )
    for ours, expected in zip(
        search(M[0], M, side), (M[0].searchsorted(M, side), M[0].searchsorted(2, side)), strict=True
    ):
        np.testing.assert_array_equal(ours, expected)
    with pytest.raises(ValueError, match="^Invalid value given for 'side': middle$"):
        search(M[0], M, "middle")


def test_wrong_axes_at_run_time_are_an_error():
    transpose = njit(lambda a, i, j: np.transpose(a, (i, j)))
    for axes in ((0, 0), (0, 2)):
        with pytest.raises(ValueError, match="axis"):
            transpose(M, *axes)


@pytest.mark.parametrize("value", [7, np.array([1.0, 2.0])], ids=["number", "array"])
def test_the_diagonal_of_an_array_of_any_rank_is_filled(value):
    ours, expected = np.zeros((3, 3, 3)), np.zeros((3, 3, 3))
    njit(lambda a, v: np.fill_diagonal(a, v))(ours, value)
    np.fill_diagonal(expected, value)
    np.testing.assert_array_equal(ours, expected)


NONES = {
    "arange": lambda none: (np.arange(1, none), np.arange(1, 4, none, np.float32)),
    "count_nonzero": lambda none: np.count_nonzero(M, none),
    "outer": lambda none: np.outer(V, V, out=none),
    "rank": lambda none: np.linalg.matrix_rank(M, none),
    "condition": lambda none: np.linalg.cond(M[:, :2], none),
}


@pytest.mark.parametrize("function", NONES.values(), ids=NONES)
def test_none_stands_for_what_is_left_out(function):
    ours = njit(function)(None)
    expected = (np.arange(1), np.arange(1, 4, dtype=np.float32))
    equal(ours, expected if function is NONES["arange"] else function(None))


def test_a_product_is_written_to_an_array():
    @njit
    def products(a, out, vectors):
        return np.dot(a, a, out) is out, np.outer(a[0], a[1], vectors) is vectors

    a, out, vectors = M[:, :2].copy(), np.empty((2, 2)), np.empty((2, 2))
    assert products(a, out, vectors) == (True, True)
    np.testing.assert_array_equal(out, a @ a)
    np.testing.assert_array_equal(vectors, np.outer(a[0], a[1]))


def test_take_checks_a_number():
    take = njit(lambda a, i: np.take(a, i))
    assert take(np.arange(4), -1) == 3
    for place in (4, -5):
        with pytest.raises(IndexError, match="out of bounds"):
            take(np.arange(4), place)


def test_a_list_larger_than_memory_is_a_memory_error():
    repeated = njit(lambda n: [1] * n)
    for count in (2**45, 2**62):
        with pytest.raises(MemoryError):
            repeated(count)


def test_arrays_without_dimensions_are_stacked():
    @njit
    def f(v):
        return np.stack((np.asarray(v[..., 0] * 2.0), np.asarray(v[..., 1])), axis=-1)

    np.testing.assert_array_equal(f(np.array([1.0, 4.0, 2.0])), [2.0, 4.0])


def test_asarray_of_an_array_is_the_array_itself():
    @njit
    def write(a):
        np.asarray(a)[0] = 7
        np.asarray(a, a.dtype)[1] = 8
        np.asarray(a, np.float32)[2] = 9
        return np.asarray(a, dtype=None)

    a = np.zeros(3)
    assert write(a) is a
    np.testing.assert_array_equal(a, [7, 8, 0])


def test_an_array_like_one_in_columns_is_in_columns():
    @njit
    def like(a):
        return np.zeros_like(a), np.full_like(a, 3), np.ones_like(a, np.int8), a.astype(np.float32)

    a = np.asfortranarray(M)
    for got, value in zip(like(a), (0, 3, 1, a), strict=True):
        assert got.flags.f_contiguous
        np.testing.assert_array_equal(got, np.broadcast_to(value, a.shape))


def test_a_function_returns_dtypes():
    got = njit(lambda a: (a.dtype, np.angle(a).dtype, np.int8))(C.astype(np.complex64))
    assert got == (np.complex64, np.float32, np.int8)
    assert isinstance(got[2], np.dtype)


def test_dates_are_hashed_and_known_by_their_classes():
    @njit
    def about(day):
        return hash(day), isinstance(day, np.datetime64), isinstance(day, np.timedelta64)

    assert about(DAY) == (hash(DAY.astype(np.int64).item()), True, False)


def test_a_record_that_is_returned_has_its_fields_as_attributes():
    records = np.array([(1, 2.5), (3, 4.5)], [("a", np.int32), ("b", np.float64)])
    record = njit(lambda records: records[1])(records)
    assert (record.a, record["b"]) == (3, 4.5)
    assert record == records[1]


def test_the_limits_of_a_type_are_results():
    floats, integers = njit(lambda a: (np.finfo(a.dtype), np.iinfo(np.int16)))(np.zeros(2, "f4"))
    assert (floats.eps, floats.dtype) == (np.finfo("f4").eps, np.dtype("f4"))
    assert (integers.min, integers.max) == (-(2**15), 2**15 - 1)


@pytest.mark.parametrize("name", ["ascontiguousarray", "ravel"])
def test_a_loop_changes_the_layout_of_an_argument(name):
    namespace = {"np": np}
    exec(
        f"""def f(a, b):
    total = 0.0
    for i in range(3):
        c = np.{name}(a)
        total += c.sum() + c[1]
        a = b[::-1]
    return total, c""",
        namespace,
    )
    f, a, b = namespace["f"], np.arange(4.0), np.arange(4.0) * 10
    (expected, last), (got, own) = f(a, b), njit(f)(a, b)
    assert got == expected
    np.testing.assert_array_equal(own, last)
