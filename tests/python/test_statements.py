"""Python statements and expressions in kernels; each kernel also runs as plain Python."""

from functools import partial

import in_kernels
import numpy as np
import pytest

from heddle import cuda
from heddle.errors import CompileError, TypingError, UnsupportedError

run = partial(in_kernels.run, dtype=np.int64)
check = partial(in_kernels.check, dtype=np.int64)


# Assignments


def test_one_value_goes_to_several_targets(device):
    def f(out):
        a = out[1] = b = 7
        out[0] = a + b

    check(f)


def test_tuples_are_taken_apart(device):
    def f(out):
        a, b = 1, 2
        (c, (d, e)), g = (3, (4, 5)), 6
        out[0], out[1] = b, a
        out[2], (out[3], out[4]) = c, (d, e)
        out[5] = g

    check(f)


def test_two_variables_swap(device):
    def f(out, a, b):
        a, b = b, a
        out[0], out[1] = a, b
        out[0], out[1] = out[1], out[0]

    check(f, 3, 4)


def test_a_list_of_names_is_a_target(device):
    def f(out):
        [a, b] = 1, 2
        out[0] = a - b

    check(f)


@pytest.mark.parametrize("n, m", [(7, 2), (-7, 2), (7, -3), (0, 5)])
def test_augmented_assignments_change_variables_and_elements(device, n, m):
    def f(out, n, m):
        out[0] = n
        out[0] += m
        out[1] -= n
        out[2] = n
        out[2] *= m
        out[3] = n
        out[3] //= m
        out[4] = n
        out[4] %= m
        x = n
        x <<= 3
        x ^= m
        x |= 1
        x &= 255
        x >>= 1
        out[5] = x
        out[6] = 3
        out[6] **= 2

    check(f, n, m)


def test_an_augmented_target_is_evaluated_once(device):
    @cuda.jit(device=True)
    def next_index(counter):
        counter[7] += 1
        return counter[7]

    @cuda.jit
    def k(out):
        out[next_index(out)] += 5

    out = np.zeros(8, np.int64)
    k[1, 1](out)
    np.testing.assert_array_equal(out, [0, 5, 0, 0, 0, 0, 0, 1])


def test_annotations_are_ignored(device):
    def f(out, n):
        a: int
        a: float = n + 1
        out[0] = a
        out[1]: int = 2

    check(f, 3)


def test_the_right_side_is_evaluated_before_the_target(device):
    def f(out):
        i = 0
        i = out[i] = 2
        out[i] = 9

    check(f)


# Branches


@pytest.mark.parametrize("n", [-1, 0, 1, 2])
def test_if_elif_else(device, n):
    def f(out, n):
        if n < 0:
            out[0] = 1
        elif n == 0:
            out[0] = 2
        elif n == 1:
            out[0] = 3
        else:
            out[0] = 4

    check(f, n)


@pytest.mark.parametrize("n", [0, 1, 5])
def test_early_return(device, n):
    def f(out, n):
        if n == 0:
            return
        out[0] = 1
        if n > 3:
            out[1] = 1
            return
        out[2] = 1

    check(f, n)


def test_code_after_a_return_is_ignored(device):
    def f(out):
        out[0] = 1
        return
        out[1] = undefined_name  # noqa: F821

    check(f)


@pytest.mark.parametrize("n", [0, 1, 2])
def test_conditional_expressions(device, n):
    def f(out, n):
        out[0] = 5 if n else 6
        out[1] = 1 if n == 0 else 2 if n == 1 else 3

    check(f, n)


@pytest.mark.parametrize("a, b, c", [(1, 2, 3), (3, 2, 1), (1, 1, 1), (1, 3, 2)])
def test_chained_comparisons(device, a, b, c):
    def f(out, a, b, c):
        out[0] = a < b < c
        out[1] = a <= b == c
        out[2] = a < b > c
        out[3] = 0 < a < 3 < c + 1 < 9
        out[4] = not a < b < c

    check(f, a, b, c)


def test_the_middle_of_a_chain_is_evaluated_once(device):
    @cuda.jit(device=True)
    def count(out, value):
        out[0] += 1
        return value

    @cuda.jit
    def k(out):
        out[1] = 1 < count(out, 2) < 3
        out[2] = 5 < count(out, 2) < count(out, 3)

    out = np.zeros(3, np.int64)
    k[1, 1](out)
    np.testing.assert_array_equal(out, [2, 1, 0])


@pytest.mark.parametrize("a", [0, 1])
@pytest.mark.parametrize("b", [0, 1])
def test_and_and_or_skip_what_they_do_not_need(device, a, b):
    @cuda.jit(device=True)
    def note(out, i, value):
        out[i] += 1
        return value

    @cuda.jit
    def k(out, a, b):
        out[6] = note(out, 0, a) and note(out, 1, b)
        out[7] = note(out, 2, a) or note(out, 3, b)
        if not (note(out, 4, a) and note(out, 5, b)) or out[0] > 9:
            out[8] = 1

    out = np.zeros(9, np.int64)
    k[1, 1](out, a, b)
    np.testing.assert_array_equal(out, [1, a, 1, 1 - a, 1, a, a and b, a or b, not (a and b)])


def test_and_and_or_give_the_operand_itself(device):
    def f(out, n):
        out[0] = n and 7
        out[1] = n or 7
        out[2] = (n - n) or 0 or 9

    check(f, 5)


def test_a_walrus_assigns_inside_an_expression(device):
    def f(out, n):
        if (half := n // 2) > 2:
            out[0] = half
        while (n := n - 1) > 3:
            out[1] += n
        out[2] = n

    check(f, 8)


@pytest.mark.parametrize("n", [0, 3])
def test_membership_in_a_tuple(device, n):
    def f(out, n):
        out[0] = n in (1, 2, 3)
        out[1] = n not in (1, 2, 3)

    check(f, n)


def test_none_can_be_tested_for(device):
    def f(out):
        nothing = None
        out[0] = nothing is None
        out[1] = out is None
        out[2] = out is not None

    check(f)


def test_pass_and_docstrings_do_nothing(device):
    def f(out):
        """A docstring."""
        "another string"
        ...
        if out[0] == 0:
            pass
        else:
            out[0] = 1

    check(f)


# Loops


@pytest.mark.parametrize("n", [0, 1, 5])
def test_while_with_break_continue_and_else(device, n):
    def f(out, n):
        i = 0
        while i < n:
            i += 1
            if i == 2:
                continue
            if i == 4:
                break
            out[0] += i
        else:
            out[1] = 1
        out[2] = i

    check(f, n)


@pytest.mark.parametrize("n", [0, 3, 9])
def test_for_with_break_continue_and_else(device, n):
    def f(out, n):
        for i in range(n):
            if i % 2:
                continue
            if i > 5:
                break
            out[i % 8] = 1
        else:
            out[7] = 9

    check(f, n)


def test_nested_loops_break_and_continue_their_own(device):
    def f(out):
        for i in range(5):
            for j in range(5):
                if j > i:
                    break
                if j == 1:
                    continue
                out[i] += j + 1
            else:
                out[7] += 1

    check(f)


def test_a_return_leaves_nested_loops(device):
    def f(out):
        for i in range(5):
            while True:
                out[0] += 1
                if out[0] == 7:
                    return
                if out[0] % 3 == 0:
                    break
        out[1] = 1

    check(f)


def test_a_loop_variable_keeps_its_last_value(device):
    def f(out):
        for i in range(5):
            pass
        out[0] = i
        for j in range(10, 0, -3):
            j += 1
        out[1] = j

    check(f)


def test_assigning_the_loop_variable_does_not_change_the_rounds(device):
    def f(out):
        for i in range(4):
            out[i] = 1
            i = 100

    check(f)


def test_assigning_a_bound_does_not_change_the_rounds(device):
    def f(out, n):
        for i in range(n):
            n = 0
            out[i] = 1

    check(f, 4)


ranges = [
    (5,),
    (0,),
    (-3,),
    (2, 6),
    (6, 2),
    (-4, 3),
    (0, 10, 3),
    (1, 10, 3),
    (0, 9, 3),
    (10, 0, -1),
]
ranges += [
    (10, 0, -3),
    (0, 10, -1),
    (-1, -9, -2),
    (5, 5, 1),
    (5, 5, -1),
    (0, 7, 100),
    (0, -7, -100),
]


@pytest.mark.parametrize("bounds", ranges, ids=str)
def test_ranges_with_bounds_of_the_launch(device, bounds):
    @cuda.jit
    def k1(out, a):
        n = 0
        for i in range(a):
            out[n] = i
            n += 1
        out[-1] = n

    @cuda.jit
    def k2(out, a, b):
        n = 0
        for i in range(a, b):
            out[n] = i
            n += 1
        out[-1] = n

    @cuda.jit
    def k3(out, a, b, c):
        n = 0
        for i in range(a, b, c):
            out[n] = i
            n += 1
        out[-1] = n

    out, values = np.zeros(20, np.int64), list(range(*bounds))
    (k1, k2, k3)[len(bounds) - 1][1, 1](out, *bounds)
    assert list(out[: len(values)]) == values and out[-1] == len(values)


def test_ranges_with_constant_negative_steps(device):
    def f(out):
        n = 0
        for i in range(20, 0, -4):
            out[n] = i
            n += 1
        for i in range(3, -1, -1):
            out[7] += i

    check(f)


@pytest.mark.parametrize(
    "start, stop, step",
    [
        (np.int32(2**31 - 3), np.int32(2**31 - 1), np.int32(1)),
        (np.int32(2**31 - 9), np.int32(2**31 - 1), np.int32(7)),
        (np.int32(-(2**31) + 2), np.int32(-(2**31)), np.int32(-1)),
        (np.int32(-(2**31)), np.int32(2**31 - 1), np.int32(2**31 - 1)),
        (np.int64(2**63 - 4), np.int64(2**63 - 1), np.int64(2)),
        (np.int64(-(2**63)), np.int64(2**63 - 1), np.int64(2**62)),
        (np.int64(2**63 - 1), np.int64(-(2**63)), np.int64(-(2**62))),
        (np.uint64(2**64 - 5), np.uint64(2**64 - 1), np.uint64(2)),
        (np.uint64(0), np.uint64(2**64 - 1), np.uint64(2**63)),
    ],
    ids=str,
)
def test_ranges_near_the_limits_of_their_type(device, start, stop, step):
    @cuda.jit
    def k(out, a, b, c):
        n = 0
        for i in range(a, b, c):
            out[n] = i
            n += 1
        out[-1] = n

    values = list(range(int(start), int(stop), int(step)))
    out = np.zeros(8, start.dtype)
    k[1, 1](out, start, stop, step)
    assert list(out[: len(values)]) == values and out[-1] == len(values)


@pytest.mark.parametrize(
    "bounds", [(np.uint64(2**64 - 1),), (np.int64(-(2**63)), np.int64(2**63 - 1))]
)
def test_a_range_longer_than_int64_counts_can_be_left_early(device, bounds):
    @cuda.jit
    def k1(out, n):
        for i in range(n):
            out[0] += 1
            if out[0] == 3:
                break

    @cuda.jit
    def k2(out, a, b):
        for i in range(a, b):
            out[0] += 1
            if out[0] == 3:
                break

    out = np.zeros(1, np.int64)
    (k1, k2)[len(bounds) - 1][1, 1](out, *bounds)
    assert out[0] == 3


def test_a_range_can_be_kept_in_a_variable(device):
    def f(out, n):
        r = range(1, n)
        for i in r:
            out[0] += i
        for i in r:
            out[1] += i * i

    check(f, 6)


def test_a_range_step_of_zero_is_refused(device):
    def f(out):
        for i in range(0, 5, 0):
            out[0] = i

    with pytest.raises(TypingError, match="step of range"):
        run(f)


# Variables and their types


@pytest.mark.parametrize("n", [0, 1])
def test_a_variable_that_is_int_or_float_becomes_float(device, n):
    def f(out, n):
        if n:
            x = 1
        else:
            x = 2.5
        out[0] = x / 2

    check(f, n, dtype=np.float64)


def test_a_sum_that_starts_as_int_becomes_float_in_a_loop(device):
    def f(out, n):
        total = 0
        for i in range(n):
            total += i * 0.5
        out[0] = total

    check(f, 6, dtype=np.float64)


def test_a_variable_may_hold_different_types_one_after_the_other(device):
    def f(out):
        x = 1
        out[0] = x
        x = (2, 3)
        out[1] = x[1]
        x = out
        x[2] = 4

    check(f)


def test_a_variable_may_hold_different_types_in_branches_that_nobody_reads_later(device):
    def f(out, n):
        if n:
            x = (1, 2)
            out[0] = x[0]
        else:
            x = 3
            out[0] = x

    check(f, 1)


def test_a_merge_of_unlike_types_that_is_read_is_refused(device):
    def f(out, n):
        if n:
            x = (1, 2)
        else:
            x = 3
        out[0] = x

    with pytest.raises(TypingError, match="'x' cannot be both") as error:
        run(f, 1)
    assert "line" in str(error.value)


def test_a_narrow_variable_that_grows_in_a_loop_is_wide(device):
    def f(out, n, start):
        x = start
        for _ in range(n):
            x = x * 2
        out[0] = x

    assert run(f, 40, np.int8(1))[0] == 2**40


def test_a_variable_that_is_never_assigned_is_refused(device):
    def f(out):
        out[0] = x  # noqa: F821
        x = 1

    with pytest.raises(TypingError, match="'x' is used before it is assigned"):
        run(f)


def test_a_variable_that_another_branch_assigns_has_its_type(device):
    def f(out, n):
        if n:
            if n > 0:
                c = 0.5
            out[0] = c
        else:
            c += 1
            out[0] = c

    assert run(f, 1)[0] == 0
    assert run(f, 0)[0] == 1


def test_an_array_that_another_branch_assigns_is_empty(device):
    def f(out, n):
        if n > 0:
            row = out
        else:
            out[0] = row.size + row.ndim
            row = out

    assert run(f, 0)[0] == 1


def test_a_deleted_variable_has_no_value_in_a_later_branch(device):
    def f(out, n):
        c = 1
        if n > 0:
            del c
            out[0] = c  # noqa: F821

    with pytest.raises(TypingError, match="'c' is used before it is assigned"):
        run(f, 1)


def test_an_unknown_name_suggests_a_near_one(device):
    counter = 3

    def f(out):
        out[0] = countr + counter  # noqa: F821

    with pytest.raises(TypingError, match="name 'countr' is not defined") as error:
        run(f)
    assert "'counter'" in str(error.value)


# Statements that kernels do not have


@cuda.jit
def with_comprehension(out):
    out[0] = sum([i for i in range(3)])


@cuda.jit
def with_try(out):
    try:
        out[0] = 1
    except ValueError:
        pass


@cuda.jit
def with_with(out):
    with out:
        pass


@cuda.jit
def with_dict(out):
    out[0] = {1: 2}[1]


@cuda.jit
def with_list(out):
    out[0] = [1, 2][0]


@cuda.jit
def with_set(out):
    out[0] = 1 in {1, 2}


@cuda.jit
def with_yield(out):
    yield out[0]


@cuda.jit
def with_import(out):
    import math

    out[0] = math.pi


@cuda.jit
def with_class(out):
    class Inner:
        pass


@cuda.jit
def with_global(out):
    global counted
    counted = 1


@cuda.jit
def with_fstring(out):
    f"{out[0]}"


@cuda.jit
def with_star(out):
    a, *b = 1, 2, 3
    out[0] = a


@cuda.jit
def with_matmul(out):
    out[0] = out[0] @ out[1]


@cuda.jit
def with_match(out):
    match out[0]:
        case (1, 2):
            out[0] = 1


@cuda.jit
def with_sorted(out):
    out[0] = sorted((2, 1))[0]


@cuda.jit
def with_sum(out):
    out[0] = sum(out[0])


@cuda.jit
def with_string_value(out):
    out[0] = "text"


@cuda.jit
def with_huge_literal(out):
    out[0] = 99999999999999999999999999


@cuda.jit
def with_attribute_assignment(out):
    out.size = 3


@cuda.jit
def with_numpy_host_function(out):
    out[0] = np.median(out)


@cuda.jit
def with_numpy_array(out):
    a = np.zeros(3)
    out[0] = a[0]


@cuda.jit
def with_array_arithmetic(out):
    out[0] = (out + out)[0]


@cuda.jit
def with_method(out):
    out[0] = out.cumsum()


@cuda.jit
def with_launch(out):
    with_method[1, 1](out)


refused = [value for name, value in list(globals().items()) if name.startswith("with_")]


@pytest.mark.parametrize("kernel", refused, ids=lambda k: k.py_func.__name__)
def test_what_kernels_do_not_have_is_refused_with_a_line_and_a_caret(device, kernel):
    with pytest.raises(CompileError) as error:
        kernel[1, 1](np.zeros(4))
    text = str(error.value)
    assert "test_statements.py:" in text and "^" in text
    assert "builtins." not in text and "nternal" not in text
    kernel_is_alive(device)


def kernel_is_alive(device):
    def f(out):
        out[0] = 1

    check(f)


def test_the_error_for_a_statement_names_it(device):
    with pytest.raises(UnsupportedError, match="try statements are not supported"):
        with_try[1, 1](np.zeros(4))
