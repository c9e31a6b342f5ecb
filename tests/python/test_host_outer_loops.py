"""Outer loops whose rounds run together because inner loops carry sums: the same bits as one round after another."""

import math

import numpy as np
import pytest

from heddle import njit


def agrees(function, *arguments):
    """True if the compiled function changes the arrays and returns the same as Python."""
    ours, theirs = np.copy(arguments[-1]), np.copy(arguments[-1])
    result = njit(function)(*arguments[:-1], ours)
    expected = function(*arguments[:-1], theirs)
    return np.array_equal(ours, theirs, equal_nan=True) and result == expected


def numbers(*shape):
    return np.random.default_rng(len(shape)).random(shape)


def multiply(a, b, c):
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            total = 0.0
            for k in range(a.shape[1]):
                total += a[i, k] * b[k, j]
            c[i, j] = total


@pytest.mark.parametrize("columns", [0, 1, 3, 4, 5, 15, 16, 17, 19, 20, 37])
def test_every_number_of_rounds_is_run_once(columns):
    assert agrees(multiply, numbers(3, 7), numbers(7, columns), numbers(3, columns))


@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.int64])
def test_numbers_of_every_width_are_summed(dtype):
    a, b = (100 * numbers(5, 9)).astype(dtype), (100 * numbers(9, 23)).astype(dtype)
    assert agrees(multiply, a.astype(np.float64), b.astype(np.float64), np.zeros((5, 23), dtype))
    out = np.zeros((5, 23), dtype)
    njit(multiply)(a, b, out)
    np.testing.assert_allclose(out, a.astype(float) @ b, rtol=1e-5)


@pytest.mark.parametrize("shift", [-16, -3, -1, 0, 1, 3, 16])
def test_rounds_that_read_what_others_write_keep_their_order(shift):
    def smooth(a, out):
        for i in range(out.size):
            total = 0.0
            for k in range(4):
                total += a[i + k]
            out[i] = total

    ours, theirs = numbers(200), numbers(200)
    for compiled, memory in ((njit(smooth), ours), (smooth, theirs)):
        compiled(memory[40:120], memory[40 + shift : 100 + shift])
    assert np.array_equal(ours, theirs)


def sum_pairs(a, out):
    for i in range(out.size // 2):
        total = 0.0
        for k in range(8):
            total += a[i + k] * k
        out[2 * i] = total
        out[2 * i + 1] = -total


def sum_downwards(a, out):
    for i in range(out.size - 1, -1, -1):
        total = 0.0
        for k in range(8):
            total += a[i + k] * k
        out[i] = total


def store_partial_sums(a, out):
    for i in range(out.size // 4 - 1):
        total = 0.0
        for k in range(6):  # the next iteration overwrites the last two
            total += a[i + k] * k
            out[4 * i + k] = total


@pytest.mark.parametrize("function", [sum_pairs, sum_downwards, store_partial_sums])
@pytest.mark.parametrize("step", [-2, -1, 1, 2])
@pytest.mark.parametrize("shift", [-33, -3, 0, 2, 90])
def test_iterations_that_store_to_overlapping_views_keep_their_order(function, step, shift):
    ours, theirs = numbers(600), numbers(600)
    for compiled, memory in ((njit(function), ours), (function, theirs)):
        views = memory[200:320], memory[200 + shift : 200 + shift + 80 * abs(step)][::step]
        compiled(*views)
    assert np.array_equal(ours, theirs)


def test_rounds_that_write_the_same_place_keep_their_order():
    def last(a, out):
        for i in range(a.shape[0]):
            total = 0.0
            for k in range(a.shape[1]):
                total += a[i, k]
            out[i % 3] = total

    assert agrees(last, numbers(50, 6), numbers(3))


def test_rows_that_share_memory_keep_their_order():
    def fill(a, out):
        for i in range(out.shape[0]):
            for j in range(out.shape[1]):
                total = 0.0
                for k in range(a.size):
                    total += a[k] * i
                out[i, j] = total + j

    ours, theirs = np.zeros(90), np.zeros(90)
    for compiled, memory in ((njit(fill), ours), (fill, theirs)):
        compiled(numbers(5), np.lib.stride_tricks.as_strided(memory, (20, 30), (8, 16)))
    assert np.array_equal(ours, theirs)


def test_what_rounds_write_before_one_raises_is_all_that_is_written():
    def means(a, counts, out):
        for i in range(out.size):
            total = 0.0
            for k in range(a.shape[0]):
                total += a[k, i] / counts[k, i]
            out[i] = total

    a, counts = numbers(6, 50), numbers(6, 50)
    counts[4, 29] = 0
    ours, theirs = np.zeros(50), np.zeros(50)
    with pytest.raises(ZeroDivisionError):
        njit(means)(a, counts, ours)
    with np.errstate(divide="ignore"):
        means(a, counts, theirs)
    assert np.array_equal(ours[:29], theirs[:29])
    assert not ours[29:].any()


def test_the_first_round_that_raises_is_told():
    def check(a, limit, out):
        for i in range(out.size):
            total = 0.0
            for k in range(a.shape[0]):
                total += a[k, i]
                if total > limit[k]:
                    raise ValueError(i, k)
            out[i] = total

    a = np.ones((4, 40))
    a[3, 21], a[1, 22] = 100, 100
    with pytest.raises(ValueError) as raised:
        njit(check)(a, np.full(4, 50.0), np.zeros(40))
    assert raised.value.args == (21, 3)


def test_rounds_that_end_at_different_times_count_right():
    def escapes(height, out):
        for y in range(height):
            for x in range(out.shape[1]):
                c = complex(-2.0 + 3.0 * x / out.shape[1], -1.0 + 2.0 * y / height)
                z = 0.0j
                for n in range(50):
                    if z.real * z.real + z.imag * z.imag > 4.0:
                        break
                    z = z * z + c
                    out[y, x] = n

    assert agrees(escapes, 20, np.zeros((20, 45), np.int64))


def test_what_the_last_round_leaves_in_a_variable_is_returned():
    def sums(a, out):
        total = -1.0
        for i in range(out.size):
            total = 0.0
            for k in range(a.shape[0]):
                total += a[k, i]
            out[i] = total
        return total, i

    assert agrees(sums, numbers(5, 32), np.zeros(32))


def test_rounds_that_count_down_or_in_steps_are_run():
    def sums(a, step, out):
        for i in range(out.size - 1, -1, -1):
            total = 0.0
            for k in range(a.shape[0]):
                total += a[k, i]
            out[i] = total
        for i in range(0, out.size, 3):
            total = 0.0
            for k in range(a.shape[0]):
                total += a[k, i] * 2
            out[i] += total

    assert agrees(sums, numbers(5, 61), 2, np.zeros(61))


def test_sums_that_begin_at_what_is_there_are_right():
    def forces(x, out):
        for i in range(x.size):
            total = out[i]
            for k in range(x.size):
                d = x[k] - x[i]
                total += d / (d * d + 0.1) / math.sqrt(1.0 + d)
            out[i] = total

    assert agrees(forces, numbers(45) * 0.5, numbers(45))


def test_rounds_that_may_raise_run_together_and_keep_their_bits():
    def ratios(a, b, out):
        for i in range(out.size):
            out[i] = a[i] / b[i] + math.sqrt(a[i]) / (1.0 + b[i])

    assert agrees(ratios, numbers(61), numbers(61) + 0.5, np.zeros(61))


def test_a_round_that_raises_among_others_leaves_what_was_before():
    def ratios(a, b, out):
        for i in range(out.size):
            out[i] = a[i] / b[i]

    b = np.ones(61)
    b[43] = 0
    out = np.full(61, -1.0)
    with pytest.raises(ZeroDivisionError):
        njit(ratios)(numbers(61), b, out)
    assert np.array_equal(out, np.append(numbers(61)[:43], np.full(18, -1.0)))


def test_functions_of_math_are_near_pythons_in_rounds_that_run_together():
    def values(a, b, out):
        for i in range(out.size):
            out[i] = math.exp(-a[i]) * math.erf(b[i]) / math.log(2.0 + a[i]) ** b[i]

    out, expected = np.zeros(45), np.zeros(45)
    njit(values)(numbers(45), numbers(45), out)
    values(numbers(45), numbers(45), expected)
    np.testing.assert_allclose(out, expected, rtol=1e-14)


def test_rounds_that_write_under_a_condition_and_may_raise_keep_their_order():
    def some(a, b, out):
        for i in range(out.size):
            if a[i] > 0.5:
                out[i] = a[i] / b[i]

    assert agrees(some, numbers(77), numbers(77) + 0.5, np.zeros(77))
