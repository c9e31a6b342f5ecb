"""Tuples in kernels: created, unpacked, indexed, compared, passed as arguments and returned."""

import numpy as np
import pytest
from in_kernels import check, run

from heddle import cuda, njit
from heddle.compat.numba.unsafe_tuples import to_fixed_tuple, tuple_setitem
from heddle.errors import TypingError


def test_a_tuple_is_indexed_by_constants(device):
    def f(out, n):
        t = (n, 2.5, True)
        out[0], out[1], out[2], out[3] = t[0], t[1], t[2], t[-3]

    check(f, 7)


@pytest.mark.parametrize("i", [0, 1, 2, -1, -3])
def test_a_tuple_of_one_type_is_indexed_by_a_variable(device, i):
    def f(out, i):
        t = (10, 20, 30)
        out[0] = t[i]

    check(f, i)


def test_a_tuple_of_several_types_needs_a_constant_index(device):
    def f(out, i):
        out[0] = (1, 2.5)[i]

    with pytest.raises(TypingError, match="must be a constant"):
        run(f, 0)


def test_a_constant_index_out_of_range_is_refused(device):
    def f(out):
        out[0] = (1, 2)[2]

    with pytest.raises(TypingError, match="tuple index 2 is out of range"):
        run(f)


def test_a_tuple_counts_a_number(device):
    def f(out, n):
        t = (n, 2.0, 2, n + 1)
        out[0], out[1], out[2] = t.count(2), t.count(n), (1, 1).count(3)

    check(f, 2)


def test_slices_of_tuples_are_tuples(device):
    def f(out, n):
        t = (n, n + 1, n + 2, n + 3)
        a, b = t[1:3]
        (c,) = t[-1:]
        out[0], out[1], out[2], out[3] = a, b, c, len(t[:2])

    check(f, 3)


def test_tuples_are_joined(device):
    def f(out, n):
        t = (n,) + (2.5, n + 1)
        out[0], out[1], out[2], out[3] = t[0], t[1], t[2], len(t)

    check(f, 3)


def test_len_and_truth_of_tuples(device):
    def f(out):
        out[0] = len((1, 2, 3))
        out[1] = len(())
        out[2] = 1 if () else 2
        out[3] = 1 if (0,) else 2

    check(f)


@pytest.mark.parametrize("a, b", [(1, 2), (2, 1), (1, 1)])
def test_tuples_compare_by_their_first_difference(device, a, b):
    def f(out, a, b):
        s, t = (1, a, b), (1, b, a)
        out[0], out[1], out[2] = s == t, s != t, s < t
        out[3], out[4], out[5] = s <= t, s > t, s >= t

    check(f, a, b)


def test_tuples_of_different_lengths_differ(device):
    def f(out, n):
        out[0], out[1] = (n, 2) == (n, 2, 3), (n, 2) != (n,)

    check(f, 1)


def test_tuples_nest(device):
    def f(out, n):
        t = ((n, (n + 1, 2.5)), n * 2)
        (a, (b, c)), d = t
        out[0], out[1], out[2], out[3] = a, b, c, d
        out[4] = t[0][1][1]

    check(f, 4)


@pytest.mark.parametrize("n", [0, 1])
def test_tuples_of_two_branches_unify_element_by_element(device, n):
    def f(out, n):
        t = (1, 2.5) if n else (2.5, 1)
        out[0], out[1] = t

    check(f, n)


def test_a_tuple_changes_its_type_in_a_loop(device):
    def f(out, n):
        t = (0, 1)
        for _ in range(n):
            t = (t[1], t[0] + t[1] * 0.5)
        out[0], out[1] = t

    check(f, 5)


def test_a_tuple_is_an_argument(device):
    def f(out, t):
        out[0], out[1], out[2] = t[0], t[1], t[2][0] + t[2][1]

    check(f, (1, 2.5, (3, 4)))


def test_a_tuple_of_numpy_scalars_is_an_argument(device):
    def f(out, t):
        out[0], out[1] = t

    check(f, (np.int8(-3), np.float32(0.5)))


def test_a_closure_tuple_is_frozen(device):
    shape, table = (2, 3), ((1, 2), (3.5, 4))

    def f(out):
        out[0] = shape[0] * shape[1]
        out[1] = table[1][0] + table[0][1]
        for i in range(shape[1]):
            out[2 + i] = i

    check(f)


def test_min_and_max_take_a_tuple(device):
    def f(out, a, b):
        out[0], out[1] = min((a, b, 3)), max((a, b, 2.5))

    check(f, 5, 1)


def test_a_wrong_number_of_names_is_refused(device):
    def f(out):
        a, b = 1, 2, 3
        out[0] = a

    with pytest.raises(TypingError, match="cannot unpack 3 values into 2 names"):
        run(f)


def test_a_number_is_not_unpacked(device):
    def f(out, n):
        a, b = n
        out[0] = a

    with pytest.raises(TypingError, match="cannot unpack int64"):
        run(f, 3)


def test_a_function_is_not_unpacked_into_what_it_captures(device):
    def f(out, n):
        add = lambda x: x + n
        (a,) = add
        out[0] = a

    with pytest.raises(TypingError, match="cannot unpack function 'lambda' into 1 name\n"):
        run(f, 3)


def test_a_function_is_no_class(device):
    def f(out):
        same = lambda x: x
        out[0] = isinstance(1, same)

    with pytest.raises(TypingError, match="takes a class or a tuple of classes"):
        run(f)


def test_an_element_of_a_tuple_cannot_be_assigned(device):
    def f(out, t):
        t[0] = 1

    with pytest.raises(TypingError, match="tuples cannot be changed"):
        run(f, (1, 2))


@pytest.mark.parametrize(
    "call, wanted",
    [
        (lambda a, x: sum((a, 2, 3)), 6),
        (lambda a, x: sum((a, x)), 3.5),
        (lambda a, x: sum((True, True, a)), 3),
        (lambda a, x: sum((a, a), 10), 12),
        (lambda a, x: sum((a, a), x), 4.5),
        (lambda a, x: sum(()), 0),
        (lambda a, x: sum((x, x), start=0.5), 5.5),
    ],
)
def test_the_sum_of_a_tuple(device, call, wanted):
    function = cuda.jit(device=True)(call)

    @cuda.jit
    def k(a, x, out):
        out[0] = function(a, x)

    out = np.zeros(1)
    k[1, 1](1, 2.5, out)
    assert out[0] == wanted


def test_the_sum_of_an_array_of_two_dimensions_is_refused(device):
    @cuda.jit
    def k(out):
        out[0, 0] = sum(out)

    with pytest.raises(TypingError, match="sum\\(\\) takes a tuple of numbers or an array of one"):
        k[1, 1](np.zeros((3, 3)))


def test_an_index_out_of_range_is_an_error_in_functions_of_the_host():
    at = njit(lambda t, i: t[i])
    assert at((1, 2, 3), -1) == 3
    for i in (3, -4):
        with pytest.raises(IndexError, match="tuple index out of range"):
            at((1, 2, 3), i)


def test_numbas_functions_of_tuples_set_and_make_items():
    @njit
    def turned(t):
        result = t
        for i in range(len(t)):
            result = tuple_setitem(result, i, t[len(t) - 1 - i])
        return result

    @njit
    def transposed(a, axes):
        return np.transpose(a, to_fixed_tuple(axes, a.ndim)).shape

    @njit
    def of_length(a, n):
        return to_fixed_tuple(a, n)

    assert turned((1, 2, 3)) == (3, 2, 1)
    assert turned((1.5, 2.5)) == (2.5, 1.5)
    assert transposed(np.zeros((2, 3, 4)), np.array([1, 2, 0])) == (3, 4, 2)
    with pytest.raises(TypingError, match="length. argument must be a constant"):
        of_length(np.arange(3), 2)


def test_the_largest_of_arrays_without_dimensions():
    @njit
    def extremes(a, b):
        return max([a, b]) + 1, min((a, b)), max([a, b])

    one, least, most = extremes(np.array(3), np.array(4))
    assert (one, least.shape, int(least), int(most)) == (5, (), 3, 4)


@pytest.mark.parametrize(
    "expression",
    [
        "sum((1, 2, 3j), 0)",
        "sum((1, 2.5, x))",
        "sum((1, 2), x)",
        "sum((x, x), start=0.5)",
        "sum((True, 2, x * x))",
    ],
)
def test_sums_of_complex_numbers(expression):
    function = eval(f"lambda x: {expression}")
    result = njit(function)(1.5 - 2j)
    assert type(result) is complex
    assert result == function(1.5 - 2j)
