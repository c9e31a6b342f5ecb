"""prange loops in host functions: reductions, variables private to a round, exceptions, threads."""

import multiprocessing
import re
import threading
import time
import types

import numpy as np
import pytest
from sanitizers import not_under_the_thread_sanitizer

import heddle
from heddle import get_num_threads, get_thread_id, njit, prange, set_num_threads

N = 1003


pytestmark = pytest.mark.usefixtures("everything_is_freed")


def parallel(function):
    return njit(parallel=True)(function)


# Writes and reductions of the iterations


def test_rounds_write_to_their_elements():
    @parallel
    def squares(a, out):
        for i in prange(a.size):
            out[i] = a[i] * a[i]

    a, out = np.arange(N, dtype=np.float64), np.zeros(N)
    squares(a, out)
    np.testing.assert_array_equal(out, a * a)


def test_a_range_has_a_start_and_a_step():
    @parallel
    def mark(out, start, step):
        for i in prange(start, out.size, step):
            out[i] += 1
        for i in prange(out.size - 1, -1, -2):
            out[i] += 10

    out, expected = np.zeros(N), np.zeros(N)
    mark(out, 3, 7)
    expected[3::7] += 1
    expected[::-2] += 10
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("n", [0, 1, 2, 9, N])
def test_numbers_are_reduced(n):
    @parallel
    def all_of_them(a):
        total, less, product = 1, 0.5, 1.0
        low, high = np.inf, -np.inf
        both, either, odd = -1, 0, 0
        for i in prange(a.size):
            total += a[i]
            less = less - a[i]
            product *= 1 + a[i] / 1000000
            low = min(low, a[i])
            high = max(a[i], high)
            both &= int(a[i]) | 4
            either |= int(a[i])
            odd ^= int(a[i])
        return total, less, product, low, high, both, either, odd

    a = np.random.default_rng(1).integers(0, 100, n).astype(np.float64)
    whole = a.astype(np.int64)
    got = all_of_them(a)
    assert got[0] == 1 + a.sum() and type(got[0]) is float
    assert got[1] == 0.5 - a.sum()
    assert got[2] == pytest.approx(np.prod(1 + a / 1000000))
    assert got[3:5] == (a.min(initial=np.inf), a.max(initial=-np.inf))
    assert got[5] == np.bitwise_and.reduce(whole | 4, initial=-1)
    assert got[6:] == (np.bitwise_or.reduce(whole), np.bitwise_xor.reduce(whole))


def test_narrow_and_complex_numbers_are_reduced():
    @parallel
    def sums(a, z):
        single, pair = np.float32(0), 0j
        for i in prange(a.size):
            single += a[i]
            pair += z[i]
        return single, pair

    a, z = np.ones(N, np.float32), np.full(N, 1 - 2j)
    assert sums(a, z) == (N, N - 2j * N)


@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_are_reduced_in_place(order):
    @parallel
    def rows(a, total):
        product = np.full(a.shape[1], 2.0)
        for i in prange(a.shape[0]):
            total += a[i]
            product *= 1 + a[i] * 0.0
        return total, product

    a = np.asarray(np.arange(30.0).reshape(10, 3), order=order)
    total = np.ones(3)
    got, product = rows(a, total)
    assert got is total
    np.testing.assert_array_equal(total, 1 + a.sum(axis=0))
    np.testing.assert_array_equal(product, [2, 2, 2])


def test_a_matrix_is_reduced_in_fortran_order():
    @parallel
    def tables(a, total):
        for i in prange(a.shape[0]):
            total += a[i]

    a = np.arange(60.0).reshape(5, 4, 3)
    total = np.zeros((4, 3), order="F")
    tables(a, total)
    np.testing.assert_array_equal(total, a.sum(axis=0))


def test_a_sum_is_the_same_each_time():
    @parallel
    def total(a):
        s = 0.0
        for i in prange(a.size):
            s += a[i]
        return s

    a = np.random.default_rng(2).random(100003)
    assert len({total(a) for _ in range(20)}) == 1


# Variables of a round


def test_variables_and_arrays_of_a_round_are_its_own():
    @parallel
    def sorted_rows(a, out):
        scale = 5.0
        for i in prange(a.shape[0]):
            row = np.zeros(a.shape[1])
            for j in range(a.shape[1]):
                x = a[i, j] * 2
                row[j] = x
            if i % 2:
                scale = 7.0
            out[i] = row.sum() * scale

    a, out = np.random.default_rng(3).random((50, 6)), np.zeros(50)
    sorted_rows(a, out)
    np.testing.assert_allclose(out, 2 * a.sum(axis=1) * np.where(np.arange(50) % 2, 7, 5))


def test_loops_within_loops_and_functions_that_have_loops():
    @parallel
    def row_sum(a):
        s = 0.0
        for j in prange(a.size):
            s += a[j]
        return s

    @parallel
    def table(a, out):
        for _ in range(2):
            for i in prange(a.shape[0]):
                weight = lambda x: x + out.shape[0]  # noqa: E731
                for j in prange(a.shape[1]):
                    out[i, j] += weight(a[i, j])
                out[i, 0] += row_sum(a[i])

    a, out = np.random.default_rng(4).random((9, 30)), np.zeros((9, 30))
    table(a, out)
    expected = 2 * (a + 9)
    expected[:, 0] += 2 * a.sum(axis=1)
    np.testing.assert_allclose(out, expected)


def test_a_loop_that_is_left_is_an_ordinary_one():
    @parallel
    def first_above(a, limit):
        for i in prange(a.size):
            if a[i] > limit:
                return i
        return -1

    assert first_above(np.arange(10.0), 3.5) == 4


def append_to(found, i):
    found.append(i)


njit_append_to = njit(append_to)


@pytest.mark.parametrize("n", [0, 100_000])
def test_rounds_that_change_a_list_are_run_by_one_thread(n):
    @parallel
    def appended(n, of_program):
        found, by_call = [-1], [-1]
        for i in prange(n):
            found.append(i)
            njit_append_to(by_call, i)
            of_program.append(i)
        return found, by_call

    of_program = [-1]
    expected = list(range(-1, n))
    assert appended(n, of_program) == (expected, expected)
    assert of_program == expected


def test_rounds_that_change_a_dict_or_a_set_are_run_by_one_thread():
    @parallel
    def counted(n, typed):
        squares, seen = {-1: 1}, {-1}
        total = 0
        for i in prange(n):
            squares[i] = i * i
            seen.add(i)
            if i % 2 == 0:
                del typed[i]
            total += i
        return len(squares), len(seen), total

    n = 20_000
    typed = heddle.typed.Dict()
    for i in range(n):
        typed[i] = i
    assert counted(n, typed) == (n + 1, n + 1, n * (n - 1) // 2)
    assert len(typed) == n // 2


def test_rounds_fill_what_is_empty_and_has_its_type_from_them():
    @parallel
    def evens(n):
        found, places, seen = [], {}, set()
        for i in prange(n):
            if i % 2 == 0:
                found.append(i)
                places[i] = np.array([i, 1.0])
                seen.add(i)
        return found, len(places), places[4][0], len(seen)

    assert evens(10) == ([0, 2, 4, 6, 8], 5, 4.0, 5)


def test_rounds_that_read_containers_are_shared(capsys):
    @parallel
    def total(n, numbers):
        of = {0: 1.5, 1: 2.5}
        sum_ = 0.0
        for i in prange(n):
            own = [i]
            own.append(1)
            sum_ += of[i % 2] * numbers[i % 3] * own[1]
        return sum_

    assert total(6, [1, 2, 3]) == sum([1.5, 5.0, 4.5, 2.5, 3.0, 7.5])
    total.parallel_diagnostics()
    assert "several threads share its iterations" in capsys.readouterr().out


def test_without_parallel_prange_is_range():
    @njit
    def last_of(n):
        for i in prange(n):
            x = i
        return x

    assert last_of(5) == 4
    assert list(prange(1, 7, 2)) == [1, 3, 5]


# Rejected code


def message_of(function, *arguments):
    with pytest.raises(heddle.TypingError) as caught:
        function(*arguments)
    return str(caught.value)


def test_every_call_of_a_wrong_loop_is_rejected():
    @parallel
    def running_totals(out):
        total = 0.0
        for i in prange(out.size):
            total += i
            out[i] = total
        return total

    for _ in range(2):
        assert "its value is unknown while" in message_of(running_totals, np.zeros(3))


def test_a_variable_of_the_rounds_has_no_value_after_them():
    @parallel
    def largest(a):
        best = 0.0
        where = 0
        for i in prange(a.size):
            where = i
        return best + where

    message = message_of(largest, np.ones(3))
    assert "'where' has no value here" in message and "return best + where" in message


CHANGES_SCALE = False


def test_a_variable_that_no_compiled_path_of_the_rounds_assigns_keeps_its_value():
    @parallel
    def scaled(a):
        scale = 2.0
        for step in range(3):
            for i in prange(a.size):
                if CHANGES_SCALE:
                    scale = a[i]
                a[i] += scale
        return scale

    a = np.zeros(5)
    assert scaled(a) == 2.0
    np.testing.assert_array_equal(a, np.full(5, 6.0))


def test_a_round_cannot_read_what_another_assigned():
    @parallel
    def running(a):
        x = 1.0
        for i in prange(a.size):
            x = x * 2 + a[i]
            a[i] = x

    message = message_of(running, np.ones(3))
    assert "'x' is read here before the iteration" in message and "x = x * 2 + a[i]" in message


def test_the_rounds_cannot_read_a_reduction():
    @parallel
    def counted(a):
        n = 0
        for i in prange(a.size):
            n += 1
            a[i] = n

    message = message_of(counted, np.ones(3))
    assert "'n' is a reduction" in message and "a[i] = n" in message


def test_a_variable_has_one_reduction():
    @parallel
    def mixed(a):
        s = 0.0
        for i in prange(a.size):
            s += a[i]
            s *= 2.0
        return s

    assert "'s' is reduced in two ways" in message_of(mixed, np.ones(3))


# Exceptions


def test_the_first_exception_reaches_the_caller():
    @parallel
    def checked(a):
        total = 0.0
        for i in prange(a.size):
            tile = np.ones(3)
            if a[i] < 0:
                raise ValueError("negative", i, a[i])
            if a[i] == 0:
                raise ZeroDivisionError
            total += tile.sum() / a[i]
        return total

    a = np.ones(N)
    assert checked(a) == 3 * N
    a[10] = 0
    a[900] = -1
    for _ in range(20):
        with pytest.raises(ZeroDivisionError):
            checked(a)
    a[5] = -1
    with pytest.raises(ValueError) as caught:
        checked(a)
    assert caught.value.args == ("negative", 5, -1.0)


@not_under_the_thread_sanitizer("it keeps at most 65,536 calls of a thread")
def test_a_function_catches_exceptions_of_loops_with_reductions():
    @parallel
    def tried(a):
        caught = 0.0
        for last in (a.size, a.size - 1):
            sums, total = np.zeros(3), 0
            try:
                for i in prange(last):
                    if a[i] < 0:
                        raise ValueError(i)
                    sums += np.float32(a[i])
                    total += a[i] > 2
                caught += sums.sum() + total
            except ValueError:
                caught += 0.5
        return caught

    a = np.arange(1, N + 1)
    a[-1] = -1
    assert tried(a) == 0.5 + 3 * a[:-1].sum() + N - 3


def test_a_recursion_through_a_loop_ends():
    @parallel
    def endless(n):
        s = 0
        for i in prange(2):
            s += endless(n + i)
        return s + n if n >= 0 else 0

    with pytest.raises(RecursionError):
        endless(1)


def test_rounds_print(capfd):
    @parallel
    def show(n):
        for i in prange(n):
            print("round", i)

    show(20)
    assert sorted(capfd.readouterr().out.split("\n")) == sorted(
        ["", *(f"round {i}" for i in range(20))]
    )


# Threads


@parallel
def threads_of(n):
    most = 0
    for _ in prange(n):
        most = max(most, get_thread_id())
    return get_num_threads(), most


def test_the_number_of_threads_is_a_thread_s_own():
    most = get_num_threads()
    try:
        set_num_threads(1)
        assert threads_of(1000) == (1, 0)
        found = []
        other = threading.Thread(target=lambda: found.append(get_num_threads()))
        other.start()
        other.join()
        assert found == [most]
        for wrong in (0, most + 1):
            with pytest.raises(ValueError):
                set_num_threads(wrong)
    finally:
        set_num_threads(most)
    count, highest = threads_of(1000)
    assert count == most and highest < most
    assert get_thread_id() == 0
    assert heddle.threading_layer() == "workqueue"


def test_the_size_of_chunks():
    with heddle.parallel_chunksize(3):
        assert heddle.get_parallel_chunksize() == 3
        assert threads_of(10)[1] < get_num_threads()
    assert heddle.get_parallel_chunksize() == 0


@parallel
def total_of(a):
    s = 0
    for i in prange(a.size):
        s += a[i]
    return s


def test_several_threads_run_loops_at_once():
    a = np.arange(20000)
    results = []

    def work():
        results.extend(total_of(a) for _ in range(50))

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert results == [a.sum()] * 200


class SlowModule(types.ModuleType):
    """A module in which other threads run while a name is looked up."""

    @property
    def prange(self):
        time.sleep(0.02)
        return prange


def test_threads_compile_the_same_loop_at_once():
    slow = SlowModule("slow")

    @parallel
    def doubled(n):
        out = np.zeros(n)
        for i in slow.prange(n):
            out[i] = 2 * i
        return out

    results = []
    workers = [threading.Thread(target=lambda: results.append(doubled(5))) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [result.tolist() for result in results] == [[0, 2, 4, 6, 8]] * 3


def _in_child(queue):
    queue.put(total_of(np.arange(1000)))


def test_a_fork_has_threads_of_its_own():
    assert total_of(np.arange(1000)) == 499500
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_in_child, args=(queue,))
    child.start()
    assert queue.get(timeout=60) == 499500
    child.join(60)
    assert child.exitcode == 0


def test_a_function_sets_the_number_of_threads():
    @njit(parallel=True)
    def count(n):
        before = heddle.get_num_threads()
        heddle.set_num_threads(1)
        total = 0
        for i in prange(n):
            total += i
        alone = heddle.get_num_threads()
        heddle.set_num_threads(before)
        return total, alone

    before = heddle.get_num_threads()
    assert count(100) == (4950, 1)
    assert heddle.get_num_threads() == before
    with pytest.raises(ValueError, match="the number of threads is 1 to"):
        njit(lambda: heddle.set_num_threads(0))()


def test_a_function_sets_the_size_of_chunks_for_a_block():
    @njit(parallel=True)
    def count(n):
        total = 0
        with heddle.parallel_chunksize(8):
            inside = heddle.get_parallel_chunksize()
            for i in prange(n):
                total += i
        old = heddle.set_parallel_chunksize(0)
        return total, inside, old

    assert count(100) == (4950, 8, 0)


@pytest.mark.skipif(get_num_threads() == 1, reason="one thread runs the rounds as they are")
def test_rounds_see_no_size_of_chunks():
    @njit(parallel=True)
    def sizes(n):
        inside = np.full(n, -1)
        with heddle.parallel_chunksize(7):
            for i in prange(n):
                inside[i] = heddle.get_parallel_chunksize()
            after = heddle.get_parallel_chunksize()
        return inside, after

    inside, after = sizes(100)
    assert not inside.any() and after == 7


def test_the_size_of_chunks_is_set_back_when_a_block_is_left():
    @njit
    def leave(n):
        with heddle.parallel_chunksize(n):
            if n == 3:
                return heddle.get_parallel_chunksize()
            raise KeyError(n)

    assert leave(3) == 3
    with pytest.raises(KeyError):
        leave(4)
    assert heddle.get_parallel_chunksize() == 0


@pytest.mark.parametrize("dtype", [np.float64, np.int64])
def test_rounds_divide_by_zero_as_numpy_does(dtype):
    """As in numba; functions called by them, and loops with one thread, raise."""

    def ratios(a, b):
        out, whole, total = np.zeros((len(a), 2)), np.zeros(len(a)), 0.0
        for i in prange(len(a)):
            ratio = lambda x, y: x / y  # noqa: E731
            out[i, 0] = a[i] / b[i]
            out[i, 1] = ratio(a[i], b[i])
            whole[i] = a[i] // b[i] + a[i] % b[i]
            total += a[i] / b[i]
        return out, whole, total

    @njit
    def called(x, y):
        return x / y

    @njit(parallel=True)
    def calling(a, b):
        out = np.zeros(len(a))
        for i in prange(len(a)):
            out[i] = called(a[i], b[i])
        return out

    a, b = np.array([1, 2, 0], dtype), np.array([2, 0, 0], dtype)
    out, whole, total = njit(parallel=True)(ratios)(a, b)
    np.testing.assert_array_equal(out, [[0.5, 0.5], [np.inf, np.inf], [np.nan, np.nan]])
    np.testing.assert_array_equal(whole, [1, np.nan, np.nan] if dtype == np.float64 else [1, 0, 0])
    assert np.isnan(total)
    for function in (njit(ratios), calling):
        with pytest.raises(ZeroDivisionError):
            function(a, b)


@pytest.mark.parametrize("counter, expected", [(None, [-1, -1]), (np.arange(2), [0, 1])])
def test_what_is_known_of_a_type_before_a_loop_decides_a_branch_in_it(counter, expected):
    @njit(parallel=True)
    def f(x, counter):
        counts = counter is not None
        for i in prange(x.size):
            if counts:
                x[i] += counter[i]
            else:
                x[i] -= 1

    x = np.zeros(2, np.int64)
    f(x, counter)
    assert x.tolist() == expected


def quotients(a, start):
    left, once = start, np.full(2, 64.0)
    for i in prange(a.size):
        left /= a[i]
        once /= 2.0
    right = start
    for i in prange(a.size):
        right = right / a[i]
    return left, once, right


@pytest.mark.parametrize("start", [1000.0, 1000])
def test_numbers_and_arrays_are_divided(start):
    a = np.array([2.0, 4.0, 0.5])
    for found, expected in zip(
        njit(parallel=True)(quotients)(a, start), quotients(a, start), strict=True
    ):
        np.testing.assert_array_equal(found, expected)


def test_a_divisor_is_no_reduction():
    @njit(parallel=True)
    def divided(a):
        s = 1.0
        for i in prange(a.size):
            s = a[i] / s
        return s

    assert "'s' is read here before the iteration" in message_of(divided, np.ones(3))


@njit(parallel=True)
def sum_of_squares(a):
    total = 0.0
    for i in prange(a.shape[0]):
        for j in range(a.shape[1]):
            if a[i, j] > 0:
                total += a[i, j] * a[i, j]
    return total


@njit(parallel=True)
def difference_and_product(a):
    total, product, last = 1.0, 1.0, np.zeros(len(a))
    for i in prange(len(a)):
        total -= a[i]
        product *= 1 + a[i] / len(a)
        own = 0.0
        for k in range(i % 5):
            own += a[k] / 3
        last[i] = own
    return total, product, last


def test_what_threads_reduce_is_computed_by_vectors():
    a = np.random.default_rng(3).random((123, 457)) - 0.3
    np.testing.assert_allclose(sum_of_squares(a), (a[a > 0] ** 2).sum(), rtol=1e-12)
    assert re.search(r"fadd reassoc <\d+ x double>", str(sum_of_squares.inspect_llvm()))
    total, product, last = difference_and_product(a[0])
    np.testing.assert_allclose(total, 1 - a[0].sum(), rtol=1e-12)
    np.testing.assert_allclose(product, np.prod(1 + a[0] / 457), rtol=1e-12)
    # A sum of one round's own keeps its order.
    expected = [sum((a[0, k] / 3 for k in range(i % 5)), 0.0) for i in range(457)]
    np.testing.assert_array_equal(last, expected)


def test_a_round_for_each_thread_is_run_by_that_thread_as_in_numba():
    @njit(parallel=True)
    def numbers(n):
        out = np.full(n, -1)
        for i in prange(n):
            out[i] = get_thread_id()
        return out

    n = get_num_threads()
    for _ in range(50):
        assert numbers(n).tolist() == list(range(n))


def add(n):
    t = np.zeros(4)
    for x in prange(n):
        t = t + x
    return t


def add_from_the_right(n):
    t = np.zeros(4)
    for x in prange(n):
        t = x + t
    return t


def subtract(n):
    t = np.zeros(4)
    for x in prange(n):
        t = t - x
    return t


def multiply(n):
    t = np.ones(4)
    for x in prange(n):
        if x > 3:
            t = t * x
        else:
            t *= 2
    return t


@pytest.mark.parametrize("function", [add, add_from_the_right, subtract, multiply])
def test_a_reduction_that_replaces_its_array_is_refused(function):
    with pytest.raises(heddle.TypingError, match="write to the array in place, as in total \\+= x"):
        njit(parallel=True)(function)(100)
