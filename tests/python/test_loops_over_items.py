"""Loops over tuples, arrays, enumerate(), zip() and reversed()."""

import math

import numpy as np
import pytest
from in_kernels import run

from heddle import cuda
from heddle.errors import TypingError


def test_a_loop_over_a_tuple_of_one_type_sees_each_element(device):
    @cuda.jit
    def k(out, t):
        i = 0
        for x in t:
            out[i] = x
            i += 1

    np.testing.assert_array_equal(run(k, (3, 5, 7)), [3, 5, 7, 0, 0, 0, 0, 0])


def test_a_loop_over_a_tuple_of_many_types_types_each_copy_by_itself(device):
    @cuda.jit
    def k(out, t):
        i = 0
        for x in t:
            out[i] = x / 2
            out[i + 1] = isinstance(x, float)
            i += 2

    np.testing.assert_array_equal(run(k, (3, 5.0, True)), [1.5, 0, 2.5, 1, 0.5, 0, 0, 0])


def test_break_continue_and_else_work_in_a_loop_over_many_types(device):
    @cuda.jit
    def k(out, t, stop):
        for i, x in enumerate(t):
            if i == 1:
                continue
            if x == stop:
                break
            out[i] = x
        else:
            out[7] = 1

    np.testing.assert_array_equal(run(k, (3, 5.5, 7, 8.5), 9), [3, 0, 7, 8.5, 0, 0, 0, 1])
    np.testing.assert_array_equal(run(k, (3, 5.5, 7, 8.5), 7), [3, 0, 0, 0, 0, 0, 0, 0])


def test_a_variable_carries_its_value_from_copy_to_copy(device):
    @cuda.jit
    def k(out, t):
        total = 0
        for x in t:
            total = total + x
        out[0] = total

    assert run(k, (1, 2.5, np.float32(3)))[0] == 6.5


def test_loops_over_tuples_of_many_types_nest(device):
    @cuda.jit
    def k(out, t):
        i = 0
        for pair in t:
            for x in pair:
                out[i] = x
                i += 1

    np.testing.assert_array_equal(
        run(k, ((1, 2.5), (3.5, 4, True), (6, 7))), [1, 2.5, 3.5, 4, 1, 6, 7, 0]
    )


def test_an_inner_loop_may_run_in_one_copy_and_be_unrolled_in_another(device):
    @cuda.jit
    def k(out, t):
        i = 0
        for group in t:
            for x in group:
                out[i] = x
                i += 1

    a = np.array([7.0, 8.0])
    np.testing.assert_array_equal(run(k, ((1, 2.5), a, (3, 4.5, 5))), [1, 2.5, 7, 8, 3, 4.5, 5, 0])


def test_an_empty_tuple_has_no_rounds(device):
    @cuda.jit
    def k(out, t):
        for x in t:
            out[0] = x
        else:
            out[1] = 1

    np.testing.assert_array_equal(run(k, ())[:2], [0, 1])


def test_literally_is_its_constant(device):
    @cuda.jit
    def k(out):
        a = cuda.local.array(cuda.literally(3), np.int64)
        out[0] = a.size + cuda.literally(1.5)

    np.testing.assert_array_equal(run(k)[:1], [4.5])


def test_literally_refuses_what_is_no_constant(device):
    @cuda.jit
    def k(out):
        out[0] = cuda.literally(out[1])

    with pytest.raises(TypingError, match="literally.. takes a compile-time constant"):
        run(k)


def test_literal_unroll_makes_the_items_constants(device):
    @cuda.jit
    def k(out):
        for n in cuda.literal_unroll((1, 2, 3)):
            scratch = cuda.local.array(n, np.float64)
            scratch[n - 1] = n
            out[n] = scratch[n - 1]

    np.testing.assert_array_equal(run(k)[:4], [0, 1, 2, 3])


def test_a_loop_over_the_indices_of_an_unrolled_tuple_is_compiled_for_each(device):
    @cuda.jit
    def k(out, t):
        for i in range(len(cuda.literal_unroll(t))):
            out[i] = t[i][0] if isinstance(t[i], tuple) else t[i]
        out[3] = len(cuda.literal_unroll(t))

    np.testing.assert_array_equal(run(k, (1, (2.5, 4), np.float32(6)))[:4], [1, 2.5, 6, 3])


def test_a_loop_over_functions_calls_each(device):
    @cuda.jit
    def k(out, x):
        i = 0
        for f in (math.sqrt, math.floor, abs):
            out[i] = f(x)
            i += 1

    np.testing.assert_array_equal(run(k, 6.25)[:3], [2.5, 6, 6.25])


def test_a_loop_over_an_array_sees_its_elements(device):
    @cuda.jit
    def k(out, a):
        total = 0.0
        for x in a:
            total += x
        out[0] = total

    a = np.arange(10, dtype=np.float32)
    assert run(k, a)[0] == 45
    assert run(k, a[::-2])[0] == 25
    assert run(k, a[:0])[0] == 0


def test_a_loop_over_a_matrix_sees_its_rows(device):
    @cuda.jit
    def k(out, a):
        for i, row in enumerate(a):
            for x in row:
                out[i] += x

    a = np.arange(12.0).reshape(3, 4)
    np.testing.assert_array_equal(run(k, a)[:3], a.sum(axis=1))
    np.testing.assert_array_equal(run(k, np.asfortranarray(a))[:3], a.sum(axis=1))


def test_rows_of_a_loop_can_be_written(device):
    @cuda.jit
    def k(a):
        for row in a:
            row[0] = 7

    a = np.zeros((3, 2))
    k[1, 1](a)
    np.testing.assert_array_equal(a, [[7, 0]] * 3)


def test_enumerate_counts_from_its_start(device):
    @cuda.jit
    def k(out, a, start):
        for i, x in enumerate(a, start):
            out[i] = x
        for i, x in enumerate(a, start=5):
            out[i] = -x

    np.testing.assert_array_equal(run(k, np.array([1.0, 2.0]), 2), [0, 0, 1, 2, 0, -1, -2, 0])


def test_a_negative_start_of_enumerate_counts_from_the_end(device):
    @cuda.jit
    def k(out, a):
        for i, x in enumerate(a, -2):
            out[i] = x

    np.testing.assert_array_equal(run(k, np.array([1.0, 2.0, 3.0])), [3, 0, 0, 0, 0, 0, 1, 2])


def test_zip_stops_with_the_shortest(device):
    @cuda.jit
    def k(out, a, b):
        i = 0
        for x, y, z in zip(a, range(100), b):
            out[i] = x + 10 * y + 100 * z
            i += 1

    a, b = np.array([1.0, 2.0, 3.0]), np.array([4, 5])
    np.testing.assert_array_equal(run(k, a, b)[:3], [401, 512, 0])


def test_zip_of_an_array_and_a_tuple_of_many_types_stops_with_the_shorter(device):
    @cuda.jit
    def k(out, a, t):
        for i, (x, y) in enumerate(zip(a, t)):
            out[i] = x + y

    np.testing.assert_array_equal(run(k, np.array([1.0, 2.0]), (10, 0.5, True))[:3], [11, 2.5, 0])
    np.testing.assert_array_equal(run(k, np.arange(9.0), (10, 0.5))[:3], [10, 1.5, 0])


def test_zip_of_nothing_has_no_rounds(device):
    @cuda.jit
    def k(out):
        for x in zip():
            out[0] = 1

    assert run(k)[0] == 0


@pytest.mark.parametrize("bounds", [(5,), (2, 6), (7, 0, -2), (0, 7, 3), (3, 3)])
def test_reversed_range_counts_down(device, bounds):
    @cuda.jit
    def k(out, b):
        i = 0
        for x in reversed(range(*b)):
            out[i] = x
            i += 1
        out[7] = i

    expected = list(reversed(range(*bounds)))
    got = run(k, bounds)
    assert list(got[: len(expected)]) == expected and got[7] == len(expected)


def test_reversed_tuples_and_arrays_start_at_the_end(device):
    @cuda.jit
    def k(out, t, a):
        for i, x in enumerate(reversed(t)):
            out[i] = x
        for i, x in enumerate(reversed(a)):
            out[3 + i] = x

    np.testing.assert_array_equal(
        run(k, (1, 2.5, True), np.array([4.0, 5.0]))[:5], [1, 2.5, 1, 5, 4]
    )


def test_a_loop_over_an_array_that_the_body_breaks_out_of_skips_else(device):
    @cuda.jit
    def k(out, a, limit):
        for x in a:
            if x > limit:
                out[0] = x
                break
        else:
            out[0] = -1

    a = np.array([1.0, 4.0, 9.0])
    assert run(k, a, 3)[0] == 4 and run(k, a, 10)[0] == -1


def test_a_loop_over_a_number_is_refused(device):
    @cuda.jit
    def k(out, n):
        for x in n:
            out[0] = x

    with pytest.raises(TypingError, match="cannot loop over int64"):
        run(k, 3)


def test_reversed_takes_no_enumerate(device):
    @cuda.jit
    def k(out, a):
        for x in reversed(enumerate(a)):
            out[0] = x[0]

    with pytest.raises(TypingError, match="takes a range, a tuple or an array"):
        run(k, np.zeros(2))


def test_more_copies_of_a_body_than_any_program_needs_are_refused(device):
    @cuda.jit
    def k(out, t):
        for a in t:
            for b in t:
                for c in t:
                    for d in t:
                        out[0] += a * b * c * d

    from heddle.errors import UnsupportedError

    with pytest.raises(UnsupportedError, match="too many branches"):
        run(k, (1, 2.5) * 10)
