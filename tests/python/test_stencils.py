"""``stencil``: the results equal those of loops over the points in plain Python."""

import numpy as np
import pytest

import heddle
from heddle import njit, stencil
from heddle.errors import TypingError, UnsupportedError

STEP = 2


@stencil
def average(a):
    return 0.25 * (a[0, 1] + a[1, 0] + a[0, -1] + a[-1, 0])


def average_in_python(a, border=0.0):
    out = np.full(a.shape, border)
    for i in range(1, a.shape[0] - 1):
        for j in range(1, a.shape[1] - 1):
            out[i, j] = 0.25 * (a[i, j + 1] + a[i + 1, j] + a[i, j - 1] + a[i - 1, j])
    return out


@pytest.mark.parametrize("shape", [(5, 7), (3, 3), (2, 9), (1, 1), (0, 4), (70, 90)])
def test_a_cross_of_neighbours(shape):
    a = np.arange(shape[0] * shape[1], dtype=float).reshape(shape) % 13
    np.testing.assert_array_equal(average(a), average_in_python(a))
    np.testing.assert_array_equal(average(a.T), average_in_python(a.T))


def test_a_kernel_is_a_lambda():
    step = 2
    neighbours = stencil(lambda a: a[-1] + step * a[1])

    @njit
    def doubled(a):
        return 2 * neighbours(a)

    expected = [0.0, 4.0, 7.0, 10.0, 0.0]
    np.testing.assert_array_equal(neighbours(np.arange(5.0)), expected)
    np.testing.assert_array_equal(doubled(np.arange(5.0)), np.multiply(expected, 2))


def test_the_result_has_the_kernels_type():
    @stencil
    def difference(a):
        return a[1] - a[0]

    for dtype in np.int32, np.int64, np.float32, np.complex128:
        a = np.arange(6).astype(dtype) ** 2
        found = difference(a)
        assert found.dtype == (np.int64 if dtype is np.int32 else dtype)
        np.testing.assert_array_equal(found, [1, 3, 5, 7, 9, 0])
    assert average(np.zeros((4, 4), np.float32)).dtype == np.float64


def test_a_given_result_keeps_its_border_unless_there_is_a_cval():
    a = np.arange(30.0).reshape(5, 6)
    out = np.full(a.shape, 9.0)
    assert average(a, out=out) is out
    np.testing.assert_array_equal(out, average_in_python(a, 9.0))

    @stencil(cval=7.5)
    def same(a):
        return 0.25 * (a[0, 1] + a[1, 0] + a[0, -1] + a[-1, 0])

    np.testing.assert_array_equal(same(a), average_in_python(a, 7.5))
    np.testing.assert_array_equal(same(a, out=out), average_in_python(a, 7.5))


def test_a_neighborhood_allows_variables_as_indices():
    @stencil(neighborhood=((-3, 0),))
    def trailing_mean(a, weight):
        total = 0.0
        for i in range(-3, 1):
            total += a[i]
        return weight * total / 4

    a = np.arange(12.0) ** 2
    expected = [0] * 3 + [2 * a[i - 3 : i + 1].mean() for i in range(3, 12)]
    np.testing.assert_allclose(trailing_mean(a, 2), expected)
    assert trailing_mean.neighborhood == ((-3, 0),)


def sum_of_next(a):
    total = 0.0
    for i in range(4):
        total += a[i]
    return total


def sum_of_last(a):
    total = 0.0
    for i in range(0, -4, -1):
        total += a[i]
    return total


def sum_of_every_other(a):
    total = 0.0
    for i in range(-2, 4, 2):
        total += a[i]
    return total


def largest_so_far(a):
    i, most = -3, 0.0
    while i <= 0:
        most = max(most, a[i])
        i += 1
    return most


@pytest.mark.parametrize(
    ("kernel", "low", "high", "expected"),
    [
        (sum_of_next, 0, 3, lambda a, i: a[i : i + 4].sum()),
        (sum_of_last, -3, 0, lambda a, i: a[i - 3 : i + 1].sum()),
        (sum_of_every_other, -2, 2, lambda a, i: a[i - 2 : i + 3 : 2].sum()),
        (largest_so_far, -3, 0, lambda a, i: a[i - 3 : i + 1].max()),
    ],
)
def test_loops_of_a_neighborhood_give_what_slices_do(kernel, low, high, expected):
    a = np.arange(12.0) ** 2
    points = range(-low, 12 - high)
    want = [expected(a, i) if i in points else 0 for i in range(12)]
    np.testing.assert_array_equal(stencil(kernel, neighborhood=((low, high),))(a), want)


def test_arrays_indexed_as_usual_and_several_arrays():
    @stencil(standard_indexing=("weights",))
    def weighted(a, b, weights):
        return weights[0] * a[-1] + weights[1] * b[0] + weights[2] * a[1]

    a, b, weights = np.arange(9.0), np.arange(10.0) ** 2, np.array([1.0, 10.0, 100.0])
    expected = np.zeros(9)
    expected[1:-1] = a[:-2] + 10 * b[1:8] + 100 * a[2:]
    np.testing.assert_array_equal(weighted(a, b, weights), expected)
    with pytest.raises(ValueError, match="array b is smaller than a"):
        weighted(a, b[:5], weights)


def test_constants_of_the_program_are_indices():
    back = -1

    @stencil
    def apart(a):
        return a[STEP] - a[back]

    a = np.arange(8.0) ** 2
    np.testing.assert_array_equal(apart(a)[1:-2], a[3:] - a[:-3])
    assert apart.neighborhood == ((-1, 2),)


def test_jitted_functions_call_stencils():
    @njit
    def repeated(a, times):
        for _ in range(times):
            a = average(a)
        return a

    @njit(parallel=True)
    def scaled(a):
        return average(a) * 2 + a

    a = np.arange(42.0).reshape(6, 7)
    np.testing.assert_array_equal(repeated(a, 2), average_in_python(average_in_python(a)))
    np.testing.assert_array_equal(scaled(a), average_in_python(a) * 2 + a)


def test_three_dimensions():
    @stencil
    def laplacian(a):
        sides = a[1, 0, 0] + a[-1, 0, 0] + a[0, 1, 0] + a[0, -1, 0] + a[0, 0, 1] + a[0, 0, -1]
        return sides - 6 * a[0, 0, 0]

    a = np.arange(5 * 6 * 7, dtype=float).reshape(5, 6, 7) ** 2
    inner = a[1:-1, 1:-1, 1:-1]
    expected = np.zeros_like(a)
    expected[1:-1, 1:-1, 1:-1] = (
        a[2:, 1:-1, 1:-1] + a[:-2, 1:-1, 1:-1] + a[1:-1, 2:, 1:-1] + a[1:-1, :-2, 1:-1]
    ) + (a[1:-1, 1:-1, 2:] + a[1:-1, 1:-1, :-2] - 6 * inner)
    np.testing.assert_array_equal(laplacian(a), expected)


def test_a_kernel_with_variable_indices_says_what_to_give():
    with pytest.raises(
        TypingError, match=r"test_stencils.py:\d+: the relative index i is not a constant"
    ):

        @stencil
        def wrong(a):
            i = 1
            i += 1
            return a[i]


def by_slice(a):
    return a[0:]


def by_other_rank(a):
    return a[0] + a[0, 1]


def that_writes(a):
    a[0] = 1
    return a[1]


def without_neighbours(a):
    return 3


def with_out(a, out):
    return a[1] * out


def with_a_default(a, k=1):
    return a[0] + k


@pytest.mark.parametrize(
    ("kernel", "text"),
    [
        (by_slice, "a relative slice has a start, a stop and no step"),
        (with_out, "cannot have a parameter 'out'"),
        (by_other_rank, "has 2 indices, but others have 1"),
        (that_writes, "does not change its arrays"),
        (without_neighbours, "no relative index of its first array 'a'"),
        (with_a_default, "plain parameters only"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_what_is_no_kernel_is_refused(kernel, text):
    with pytest.raises(TypingError, match=text):
        stencil(kernel)


def test_what_is_no_option_is_refused():
    with pytest.raises(ValueError, match="a stencil's mode is 'constant', not 'wrap'"):
        stencil("wrap")
    with pytest.raises(TypeError, match="stencil has no option 'border'"):
        stencil(border=1)
    with pytest.raises(ValueError, match="2 pairs, but by_one uses 1"):

        @stencil(neighborhood=((-1, 1), (-1, 1)))
        def by_one(a):
            return a[0]

    with pytest.raises(ValueError, match="standard_indexing names 'b', which is not a parameter"):
        stencil(standard_indexing="b")(by_slice)


def test_it_is_a_name_of_heddle():
    assert heddle.stencil is stencil


def test_relative_slices_are_the_neighbours():
    @stencil
    def middle(a):
        return np.median(a[-1:2, -1:STEP])

    a = np.random.default_rng(3).random((6, 8))
    expected = np.zeros(a.shape)
    for i in range(1, 5):
        for j in range(1, 7):
            expected[i, j] = np.median(a[i - 1 : i + 2, j - 1 : j + 2])
    np.testing.assert_array_equal(middle(a), expected)


def test_a_variable_that_is_one_constant_is_a_relative_index():
    @stencil
    def shifted(a):
        t = 1
        return a[t, 0] - a[0, -t]

    a = np.arange(20.0).reshape(4, 5) ** 2
    expected = np.zeros(a.shape)
    expected[:-1, 1:] = a[1:, 1:] - a[:-1, :-1]
    np.testing.assert_array_equal(shifted(a), expected)


def test_a_jitted_function_makes_a_stencil_of_a_lambda():
    @njit
    def smoothed(a, out):
        heddle.stencil(lambda x: 0.5 * (x[-1] + x[1]))(a, out=out)
        return stencil(lambda x: x[1] - x[-1], cval=-1)(a)

    out = np.zeros(5)
    np.testing.assert_array_equal(smoothed(np.arange(5.0) ** 2, out), [-1, 4, 8, 12, -1])
    np.testing.assert_array_equal(out, [0, 2, 5, 10, 0])


def test_a_jitted_function_makes_a_stencil_of_a_function_inside():
    @njit(parallel=True)
    def differences(a):
        step = 2

        def ahead(x):
            return x[step] - x[0]

        @stencil
        def behind(x):
            return x[0] - x[-1]

        return stencil(ahead)(a), behind(a)

    ahead, behind = differences(np.arange(5) ** 2)
    np.testing.assert_array_equal(ahead, [4, 8, 12, 0, 0])
    np.testing.assert_array_equal(behind, [0, 1, 3, 5, 7])


def test_an_argument_that_is_a_constant_may_be_a_relative_index():
    @njit
    def sums(a):
        near = 1
        return stencil(lambda x, step: x[-step] + x[step + 1])(a, near)

    np.testing.assert_array_equal(sums(np.arange(6)), [0, 3, 5, 7, 0, 0])


def test_a_neighborhood_may_be_known_at_the_call_only():
    @njit(parallel=True)
    def sums(a, near, border):
        def around(x, near):
            total = 0.0
            for i in range(-near, near + 2):
                total += x[i]
            return total

        return stencil(around, neighborhood=((-near, near + 1),), cval=border)(a, near)

    a = np.arange(8.0)
    np.testing.assert_array_equal(sums(a, 1, 2.5), [2.5, 6, 10, 14, 18, 22, 2.5, 2.5])
    np.testing.assert_array_equal(sums(a, 2, 9.0), [9, 9, 15, 21, 27, 9, 9, 9])
    np.testing.assert_array_equal(sums(a, 5, 0.0), np.zeros(8))


def test_a_neighborhood_of_two_axes_may_be_variables():
    @njit
    def corners(a, up, left):
        return stencil(lambda x, i, j: x[i, j], neighborhood=((up, 0), (left, 0)))(a, up, left)

    a = np.arange(20).reshape(4, 5)
    expected = np.zeros_like(a)
    expected[1:, 2:] = a[:-1, :-2]
    np.testing.assert_array_equal(corners(a, -1, -2), expected)


def test_options_of_the_wrong_kind_are_typing_errors_as_in_numba():
    with pytest.raises(TypingError, match="the cval of a stencil is a number, not 'a'"):
        stencil(cval="a")(by_slice)
    with pytest.raises(TypingError, match="mode is 'constant'"):
        stencil("wrap")


def test_a_kernel_inside_reads_no_variable_of_the_function():
    @njit
    def scaled(a, factor):
        return stencil(lambda x: factor * x[1])(a)

    with pytest.raises(UnsupportedError, match="reads the variable 'factor'"):
        scaled(np.arange(3.0), 2.0)
