"""Arrays created by host functions: their values, the owner of their memory, when it is freed."""

import gc

import numpy as np
import pytest

from heddle import _heddle, njit

A = np.arange(12.0).reshape(3, 4) + 1
B = np.arange(4.0) + 1
I8 = np.arange(6)

EXPRESSIONS = {
    "zeros": lambda a, b: np.zeros(4),
    "zeros of a dtype": lambda a, b: np.zeros((2, 3), np.int32),
    "ones": lambda a, b: np.ones((2, 3)),
    "full": lambda a, b: np.full((2, 2), 7),
    "like": lambda a, b: (np.zeros_like(a), np.ones_like(a), np.full_like(b, 3)),
    "arange": lambda a, b: (np.arange(5), np.arange(1, 10, 3), np.arange(0.0, 1.0, 0.25)),
    "arange by keywords": lambda a, b: (
        np.arange(7, step=2),
        np.arange(2, stop=9),
        np.arange(5.5, step=2),
    ),
    "arange downwards": lambda a, b: np.arange(5, 0, -2),
    "linspace": lambda a, b: np.linspace(0, 1, 7),
    "eye": lambda a, b: (np.eye(3), np.identity(2), np.eye(2, 3, 1)),
    "array": lambda a, b: (np.array([1, 2.5, 3]), np.array([[1, 2], [3, 4]])),
    "array of a number": lambda a, b: (np.asarray(3.5).size, np.array(-1, dtype=np.int32).ndim),
    "copy": lambda a, b: (a.copy(), a.T.copy(), np.copy(b)),
    "astype": lambda a, b: a.astype(np.float32),
    "another shape": lambda a, b: (a.T.flatten(), a.T.ravel(), a.T.reshape(2, 6)),
    "broadcast sum": lambda a, b: a + b,
    "fused": lambda a, b: np.sqrt(a * a + b) * 2 - 1 / a,
    "comparison": lambda a, b: (a > 3) & (a != 5),
    "unary": lambda a, b: -a,
    "where": lambda a, b: np.where(a > 3, a, 0.0),
    "cumsum": lambda a, b: (np.cumsum(a), b.cumprod()),
    "diff": lambda a, b: np.diff(b),
    "products": lambda a, b: (np.dot(a, a.T), a @ b, np.dot(b, a.T), np.dot(b, b), np.outer(b, b)),
    "concatenate": lambda a, b: (np.concatenate((b, b)), np.concatenate((a, a), 1)),
    "along an axis": lambda a, b: (a.sum(axis=0), np.mean(a, 1), np.max(a, axis=-1), a.min(0)),
    "division by zero": lambda a, b: (a - 1) / (b - b),
}


def equal(got, want):
    if isinstance(want, tuple):
        assert len(got) == len(want)
        for one, other in zip(got, want, strict=True):
            equal(one, other)
    else:
        np.testing.assert_allclose(got, want, rtol=1e-15)
        assert np.asarray(got).dtype == np.asarray(want).dtype


pytestmark = pytest.mark.usefixtures("everything_is_freed")


@pytest.mark.parametrize("name", EXPRESSIONS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_an_expression_has_numpys_value(name):
    function = EXPRESSIONS[name]
    equal(njit(function)(A, B), function(A, B))


def test_a_result_owns_its_memory():
    result = njit(lambda n: np.arange(n))(5)
    live = _heddle.live_arrays()
    view = result[1:]
    del result
    np.testing.assert_array_equal(view, [1, 2, 3, 4])
    del view
    gc.collect()
    assert _heddle.live_arrays() == live - 1


def test_a_view_keeps_the_array_that_the_function_made():
    @njit
    def halves(n):
        whole = np.arange(n)
        return whole[: n // 2], whole[n // 2 :]

    first, second = halves(6)
    del first
    gc.collect()
    np.testing.assert_array_equal(second, [3, 4, 5])


def test_arrays_that_change_places_in_a_loop_are_kept():
    def steps(n):
        u, v = np.zeros(n), np.ones(n)
        for _ in range(5):
            u, v = v, u + v
        return u, v

    equal(njit(steps)(4), steps(4))


@pytest.mark.parametrize("flag", [True, False])
def test_one_of_two_arrays_is_returned(flag):
    def chosen(flag):
        a = np.zeros(3) if flag else np.ones(3)
        return a[1:]

    equal(njit(chosen)(flag), chosen(flag))


def test_an_array_or_none_is_returned():
    @njit
    def maybe(n):
        return np.ones(n) if n > 0 else None

    np.testing.assert_array_equal(maybe(2), [1, 1])
    assert maybe(0) is None


def test_arrays_of_a_tuple_are_kept():
    @njit
    def last_of_both(n):
        kept = np.zeros(n)
        for x in (np.arange(n) * 1.0, np.ones(n)):
            kept = x
        return kept

    np.testing.assert_array_equal(last_of_both(3), np.ones(3))


def test_functions_return_arrays_to_each_other():
    @njit
    def parts(x):
        return x[::2], x

    @njit
    def sums(n):
        p, q = parts(np.arange(n))
        return p + q[: p.size]

    np.testing.assert_array_equal(sums(7), [0, 3, 6, 9])


def test_an_array_that_was_passed_in_is_returned_itself_through_calls():
    @njit
    def either(a, flag):
        return np.zeros(2) if flag else a

    a = np.ones(2)
    assert either(a, False) is a
    assert either(a, True) is not a


def test_a_loop_frees_what_it_makes():
    @njit
    def total(n):
        s = 0.0
        for i in range(n):
            s += np.full(1000, 1.0 * i).sum()
        return s

    assert total(1000) == sum(1000.0 * i for i in range(1000))


def test_an_exception_frees_what_was_made():
    @njit
    def raises(n):
        x = np.zeros(n)
        y = x + 1
        if n > 3:
            raise ValueError("too large")
        return y

    for _ in range(3):
        with pytest.raises(ValueError, match="too large"):
            raises(5)
    np.testing.assert_array_equal(raises(2), [1, 1])


def test_a_negative_extent_and_a_huge_one_are_exceptions():
    zeros = njit(lambda n: np.zeros(n))
    with pytest.raises(ValueError, match="negative dimensions"):
        zeros(-1)
    with pytest.raises(MemoryError, match="no memory for an array of"):
        zeros(2**50)


def test_shapes_that_do_not_go_together_are_an_exception():
    with pytest.raises(ValueError, match="shapes"):
        njit(lambda a, b: a + b)(np.ones(3), np.ones(4))


def test_clip_needs_a_bound():
    for clip in (
        lambda a, low, high: np.clip(a, low, high),
        lambda a, low, high: a.clip(low, high, np.empty_like(a)),
    ):
        with pytest.raises(ValueError, match="must set either max or min"):
            njit(clip)(np.ones(3), None, None)


def test_elements_of_a_new_array_are_assigned():
    def changed(a):
        b = a.copy()
        b[0] += 10
        b[:, 1] = b[:, 0] * 2
        b *= 2
        return b

    equal(njit(changed)(A), changed(A))


def test_operands_are_read_before_they_are_written():
    def shifted(a):
        b = a.copy()
        c = b * 2
        b[:] = 0
        return c + b

    equal(njit(shifted)(A), shifted(A))


def test_operations_on_arrays_without_dimensions_give_numbers():
    @njit
    def operations(a):
        return a + 1, -a, np.sqrt(a), a > 2, a * a

    got = operations(np.array(4.0))
    assert got == (5, -4, 2, True, 16) and [type(x) for x in got] == [
        float,
        float,
        float,
        bool,
        float,
    ]


def test_a_step_of_nditer_goes_into_a_list_of_numbers():
    @njit
    def steps(a):
        found = []
        for x in np.nditer(a):
            found.append(x + 1)
            found.append(0)
        return found

    assert steps(np.arange(3)) == [1, 0, 2, 0, 3, 0]


@pytest.mark.parametrize(
    "a",
    [
        np.array([(1, 2), (3, 4)], np.dtype([("id", np.int32), ("tag", np.int8)])),
        np.array(["2020-01-01", "2021-01-01"], "M8[D]"),
        np.array([3, 4], "m8[s]"),
    ],
    ids=["records", "dates", "times"],
)
def test_arrays_of_any_dtype_are_returned_as_they_came(a):
    @njit
    def whole_and_rest(a):
        return a, a[1:]

    whole, rest = whole_and_rest(a)
    assert whole is a
    assert rest.dtype == a.dtype
    np.testing.assert_array_equal(rest, a[1:])


@pytest.mark.parametrize("parallel", [False, True])
def test_an_array_that_was_changed_in_place_is_assigned_to_another(parallel):
    @njit(parallel=parallel)
    def sums(a):
        total, out = np.zeros(len(a)), np.zeros(a.shape)
        for j in range(a.shape[1]):
            total += a[:, j]
            out[:, j] = total
        out[:, 0] += total
        return out

    expected = np.cumsum(A, axis=1)
    expected[:, 0] += A.sum(axis=1)
    np.testing.assert_array_equal(sums(A), expected)
