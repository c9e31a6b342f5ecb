"""Assignment to array views in kernels, compared with NumPy."""

import numpy as np
import pytest

from heddle import cuda
from heddle.errors import TypingError


def check(function, *args, debug=False):
    """Check that ``function``, called by one thread, changes the arrays as in Python."""
    expected = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
    function(*expected)
    cuda.jit(function, debug=debug, opt=not debug)[1, 1](*args)
    for a, wanted in zip(args, expected, strict=True):
        np.testing.assert_array_equal(a, wanted)


def counted(*shape, dtype=np.float64):
    return np.arange(np.prod(shape)).reshape(shape).astype(dtype)


def test_a_number_is_assigned_to_a_slice(device):
    def f(a):
        a[1:3] = 7

    check(f, counted(5))


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_number_is_assigned_to_everything(device, order):
    def f(a):
        a[...] = 1

    check(f, np.asarray(counted(3, 4), order=order))


def test_a_number_is_assigned_to_an_array_without_dimensions(device):
    def f(a):
        a[...] = 3

    check(f, np.array(1.0))


def test_a_column_is_assigned_to_a_column(device):
    def f(a, b):
        a[:, 1] = b[:, 0]

    check(f, counted(4, 3), -counted(4, 2))


def test_an_array_of_another_type_is_converted(device):
    def f(a, b):
        a[1:, :] = b

    check(f, counted(3, 4, dtype=np.int32), counted(2, 4) + 0.75)


def test_a_row_is_broadcast_to_every_row(device):
    def f(a, b):
        a[:, 1:] = b

    check(f, counted(4, 3), np.array([5.0, 6.0]))


def test_a_column_is_broadcast_to_every_column(device):
    def f(a, b):
        a[:] = b[:, np.newaxis]

    check(f, counted(3, 4), np.array([5.0, 6.0, 7.0]))


def test_a_tuple_is_assigned_to_a_row(device):
    def f(a, x):
        a[1] = x, 2, 3.5

    check(f, counted(3, 3), 9)


def test_bools_are_assigned_to_a_view(device):
    def f(a, b):
        a[::2] = b[1::2]

    check(f, np.zeros(6, bool), np.array([False, True] * 3))


def test_complex_numbers_are_assigned_to_a_view(device):
    def f(a, b):
        a[1:] = b[::-1]
        a[0] = 3j
        a[:2] *= 2 - 1j

    check(f, counted(4) * (1 + 2j), counted(3) * 1j)


def test_records_are_assigned_to_a_view(device):
    def f(a, b):
        a[1:] = b
        a[:2] = a[2:]

    kind = np.dtype([("x", np.float32), ("n", np.int64)])
    check(f, np.zeros(4, kind), np.array([(1, 2), (3, 4), (5, 6)], kind))


def test_fields_of_packed_records_are_assigned_as_a_view(device):
    @cuda.jit
    def k(a):
        a["n"][1:] += a["n"][:-1]

    a = np.array([(1, 2), (3, 4), (5, 6)], np.dtype([("x", np.int8), ("n", np.int64)]))
    k[1, 1](a)
    np.testing.assert_array_equal(a["n"], [2, 6, 10])


def test_steps_may_be_negative_and_known_at_run_time_only(device):
    def f(a, b, step):
        a[::step] = b[::-2]

    check(f, counted(9), -counted(6), -3)


def test_an_array_of_three_dimensions_is_assigned(device):
    def f(a, b):
        a[1:, ::2, ::-1] = b

    check(f, counted(3, 4, 5), -counted(2, 2, 5))


def test_a_shared_array_is_filled_from_a_global_one(device):
    @cuda.jit
    def k(a, out):
        s = cuda.shared.array((2, 3), np.float64)
        s[:] = a.T
        out[:, 1:] = s
        out[:, 0] = s[:, 2]

    a, out = counted(3, 2), np.zeros((2, 4))
    k[1, 1](a, out)
    np.testing.assert_array_equal(out, np.column_stack([a.T[:, 2], a.T]))


def test_every_thread_assigns_its_row(device):
    @cuda.jit
    def k(a, b):
        i = cuda.grid(1)
        if i < a.shape[0]:
            a[i] = b[i, ::-1]
            a[i, 1:] *= 2

    a, b = np.zeros((100, 5)), counted(100, 5)
    k[2, 64](a, b)
    expected = b[:, ::-1].copy()
    expected[:, 1:] *= 2
    np.testing.assert_array_equal(a, expected)


def test_a_device_function_assigns_to_its_argument(device):
    @cuda.jit
    def clear(row, value):
        row[1:-1] = value

    @cuda.jit
    def k(a):
        clear(a[1], 8)
        clear(a[:, 0], 9)

    a = counted(4, 4)
    k[1, 1](a)
    expected = counted(4, 4)
    expected[1, 1:-1] = 8
    expected[1:-1, 0] = 9
    np.testing.assert_array_equal(a, expected)


# Augmented assignment


def test_a_number_is_added_to_a_column(device):
    def f(a):
        a[:, 1] += 1

    check(f, counted(4, 3))


def test_an_array_is_multiplied_by_another(device):
    def f(a, b):
        a[:] *= b

    check(f, counted(4, 3), counted(4, 3) + 2)


def test_an_array_is_multiplied_under_its_own_name(device):
    def f(a, b):
        a -= b
        row = a[1]
        row *= 2

    check(f, counted(4, 3), counted(3))


@pytest.mark.parametrize("dtype", [np.int8, np.uint32, np.int64])
def test_integers_are_changed_in_place(device, dtype):
    def f(a, b):
        a[1:] += b
        a[::2] *= 3
        a[:2] //= 2
        a[3:] %= 5
        a[:] &= 13
        a[1:3] <<= 1

    check(f, counted(6, dtype=dtype), counted(5, dtype=dtype))


def test_a_cell_of_a_float32_array_computes_as_its_element_does(device):
    @cuda.jit
    def k(a, b, x):
        a[:] += x
        for i in range(b.size):
            b[i] += x

    a, b = counted(5, dtype=np.float32) / 3, counted(5, dtype=np.float32) / 3
    k[1, 1](a, b, 0.1)
    np.testing.assert_array_equal(a, b)


# Overlap


@pytest.mark.parametrize("n", [5, 100])
def test_elements_move_up_in_their_own_array(device, n):
    def f(a):
        a[1:] = a[:-1]

    check(f, counted(n))


@pytest.mark.parametrize("n", [5, 100])
def test_elements_move_down_in_their_own_array(device, n):
    def f(a):
        a[:-1] = a[1:]

    check(f, counted(n))


@pytest.mark.parametrize("n", [5, 100])
def test_elements_move_in_a_reversed_view(device, n):
    def f(a):
        a[::-1][2:] = a[::-1][:-2]

    check(f, counted(n))


@pytest.mark.parametrize("step", [1, -1])
def test_rows_move_in_their_own_array(device, step):
    def f(a, step):
        b = a[::step, ::step]
        b[1:, 1:] = b[:-1, :-1]

    check(f, counted(10, 11), step)


def test_a_column_moves_to_its_neighbour(device):
    def f(a):
        a[:, 1] = a[:, 0]
        a[:, 3] += a[:, 2]

    check(f, counted(50, 4))


def test_a_small_array_is_reversed_in_place(device):
    def f(a):
        a[:] = a[::-1]

    check(f, counted(9))


def test_a_small_matrix_is_transposed_in_place(device):
    def f(a):
        a[:] = a.T

    check(f, counted(5, 5))


def test_an_element_is_spread_over_its_own_array(device):
    def f(a):
        a[:] = a[3:4]
        a[::2] -= a[:3]

    check(f, counted(5))


def test_a_row_is_subtracted_from_its_own_matrix(device):
    def f(a):
        a -= a[1]

    check(f, counted(4, 4))


def test_arguments_that_overlap_are_read_before_they_are_written(device):
    @cuda.jit
    def k(a, b):
        a[:] = b

    d = cuda.to_device(counted(100))
    k[1, 1](d[1:], d[:-1])
    np.testing.assert_array_equal(d.copy_to_host(), np.r_[0, np.arange(99)])


def test_overlap_without_an_order_is_an_error_for_many_elements(device):
    @cuda.jit
    def k(a):
        a[:] = a[::-1]

    with pytest.raises(ValueError, match="overlap in memory.* limited to 32 elements"):
        k[1, 1](counted(33))
        cuda.synchronize()


# Errors


def test_shapes_that_do_not_match_are_an_error_in_debug_mode(device):
    @cuda.jit(debug=True, opt=False)
    def k(a, b):
        a[1:] = b

    with pytest.raises(ValueError, match="shapes of this assignment's two sides do not match"):
        k[1, 1](counted(5), counted(3))
        cuda.synchronize()


def test_shapes_that_broadcast_are_no_error_in_debug_mode(device):
    def f(a, b):
        a[1:, :] = b
        a[:, 1:2] *= 2

    check(f, counted(3, 5), counted(1, 5), debug=True)


def refused(function, *args, match):
    with pytest.raises(TypingError, match=match):
        cuda.jit(function)[1, 1](*args)


def test_an_array_with_more_dimensions_is_refused(device):
    def f(a, b):
        a[1:] = b

    refused(f, counted(3), counted(2, 3), match="more dimensions than the view")


def test_a_view_of_a_read_only_array_is_not_changed_in_place(device):
    a = counted(3)
    a.flags.writeable = False

    def f(a):
        a[1:] += 1

    refused(f, a, match="read-only")


def test_an_operator_that_the_elements_do_not_have_is_refused(device):
    def f(a):
        a[1:] <<= 1

    refused(f, counted(3), match="bad operands for <<=")


def test_a_string_is_not_assigned_to_a_view(device):
    def f(a):
        a[1:] = "x"

    refused(f, counted(3), match="cannot assign .* to the view")


def test_an_array_of_indices_is_refused_by_name(device):
    def f(a, i):
        a[0] = a[i][0]

    with pytest.raises(Exception, match="an index array.*is not supported"):
        cuda.jit(f)[1, 1](counted(3), counted(3, dtype=np.int64))


def test_an_expression_of_arrays_tells_of_the_output(device):
    def f(a):
        a[:] = a + a

    refused(f, counted(3), match=r"np.add\(x, y, out\)")


def test_an_array_that_was_changed_in_place_is_assigned_to_another(device):
    @cuda.jit
    def k(out, rows):
        i = cuda.grid(1)
        row = rows[i]
        row += 1
        out[i, 1:] = row
        two = cuda.local.array(2, np.float64)
        two[:] = i
        two *= 3
        out[i, :1] = two[1:]
        out[i, 1:] += row

    out, rows = np.zeros((2, 3)), np.arange(4.0).reshape(2, 2)
    k[1, 2](out, rows)
    np.testing.assert_array_equal(rows, [[1, 2], [3, 4]])
    np.testing.assert_array_equal(out, [[0, 2, 4], [3, 6, 8]])
