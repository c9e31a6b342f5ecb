"""objmode blocks in host functions."""

import subprocess
import sys
import threading

import numpy as np
import pytest

import heddle
from heddle import njit, objmode, prange, types


@njit
def sorted_by_python(x):
    n = 3
    with objmode(y="float64[:]", k="intp", s="unicode_type"):
        y = np.sort(x)[::-1] * n
        k = len({"a": 1, "b": 2})
        s = f"{x.sum():.2f} \u00fc"
    return y[:2], k, s


def test_a_block_gives_arrays_numbers_and_strings():
    y, k, s = sorted_by_python(np.array([1.0, 3.0, 2.0]))
    assert (y.tolist(), k, s) == ([9.0, 6.0], 2, "6.00 \u00fc")


def test_a_function_with_a_block_is_called_by_others():
    @njit
    def calls(x):
        return sorted_by_python(x)[0].sum() + 1

    assert calls(np.ones(3)) == 7.0


def test_a_block_in_a_loop():
    @njit
    def rows(n):
        out = np.empty((n, 2))
        for i in range(n):
            with objmode(row="float64[:]", late="boolean", c="complex128", u="uint8"):
                row = np.array([i, i * 2.0])
                late = i > 1
                c = complex(i, 1)
                u = i
            out[i] = row
        return out, late, c, u

    out, late, c, u = rows(3)
    assert (out.tolist(), late, c, u) == ([[0.0, 0.0], [1.0, 2.0], [2.0, 4.0]], True, 2 + 1j, 2)


def test_what_is_passed_to_a_block_can_be_written():
    @njit
    def written(a):
        with objmode():
            a[::2] = -1
        return a.sum()

    a = np.arange(5)
    assert written(a[::-1]) == 1
    assert a.tolist() == [-1, 1, -1, 3, -1]


def test_a_block_sees_globals_lists_tuples_and_variables_around_the_function():
    seen = []

    @njit
    def shown(x, flags, pair, name, nothing):
        with objmode():
            seen.append((x, flags, pair, name, nothing))

    shown(2.5, [1, 2], (1, 2.5), "\u00e4", None)
    assert seen == [(2.5, [1, 2], (1, 2.5), "\u00e4", None)]


def test_a_block_gives_tuples_and_types_are_values():
    @njit
    def given(x):
        with objmode(r=types.UniTuple(types.float64, 2), y=types.float64[::1]):
            r = (x + 1, x + 2)
            y = np.full(2, x)
        return r, y

    r, y = given(1.0)
    assert (r, y.tolist()) == ((2.0, 3.0), [1.0, 1.0])


def test_an_exception_of_a_block_is_the_callers():
    @njit
    def fails(key):
        with objmode(y="int64"):
            y = {}[key]
        return y

    with pytest.raises(KeyError, match="3"):
        fails(3)
    with pytest.raises(KeyError, match="4"):  # no second block was left waiting
        fails(4)


def test_a_result_of_another_type_is_refused():
    @njit
    def wrong():
        with objmode(y="float64[:]"):
            y = "text"
        return y

    with pytest.raises(TypeError, match="float64 array of 1 dimensions expected"):
        wrong()


def test_threads_run_blocks():
    @njit(parallel=True)
    def squares(n):
        out = np.zeros(n)
        for i in prange(n):
            with objmode(v="float64"):
                v = float(i) ** 2
            out[i] = v
        return out

    expected = [float(i) ** 2 for i in range(50)]
    results = []
    threads = [threading.Thread(target=lambda: results.append(squares(50))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [result.tolist() for result in results] == [expected] * 3


def test_a_block_is_not_left_by_return():
    @njit
    def left(x):
        with objmode():
            return x

    with pytest.raises(heddle.UnsupportedError, match="cannot be left by return"):
        left(1)


def test_a_wrong_type_is_told():
    @njit
    def wrong(x):
        with objmode(y="flat64"):
            y = x
        return y

    with pytest.raises(heddle.TypingError, match="objmode's type of 'y' is not a type"):
        wrong(1)


def test_an_exception_of_a_block_in_a_shared_loop_is_the_callers():
    @njit(parallel=True)
    def fails(n):
        for i in prange(n):
            with objmode():
                if i == 7:
                    raise KeyError("seven")

    with pytest.raises(KeyError, match="seven"):
        fails(20)


def test_a_block_takes_lists_dicts_and_sets_of_numbers_and_strings():
    seen = []

    @njit
    def listed(n):
        names, groups, numbers = [("a", n)], {"x": [n, n]}, {n}
        with objmode():
            seen.extend([names, groups, numbers])
        return len(names)

    assert listed(2) == 1
    assert seen == [[("a", 2)], {"x": [2, 2]}, {2}]


def test_a_block_takes_copies_of_records():
    seen = []

    @njit
    def tagged(a, i):
        row, pair = a[i], (a[0], i)
        with objmode(tag="unicode_type"):
            seen.append(row)
            row["s"][0] = 9
            tag = f"{row['tag']}{pair[0].n}"
        return tag, row.s[0]

    kind = np.dtype([("n", "i4"), ("tag", "U3"), ("s", "i8", (2,))])
    rows = np.array([(1, "a", (2, 3)), (4, "bc", (5, 6))], kind)
    assert tagged(rows, 1) == ("bc1", 5)
    rows["n"] = 0
    assert seen[0].n == 4 and seen[0].dtype == kind


def test_a_block_does_not_take_what_it_could_keep_too_long():
    @njit
    def kept(n):
        arrays = [np.zeros(n)]
        with objmode():
            print(arrays)

    with pytest.raises(heddle.TypingError, match="lists, dicts and sets of numbers and strings"):
        kept(2)


def test_a_block_gives_and_takes_what_may_be_none():
    seen = []

    @njit
    def halved(n, a):
        given = None
        if n > 1:
            given = a
        with objmode(half="optional(float64)", copy="optional(float64[:])"):
            seen.append(None if given is None else list(given))
            half, copy = (n / 2, None) if n % 2 else (None, given)
        return half, copy

    assert halved(3, np.ones(2)) == (1.5, None)
    half, copy = halved(2, np.ones(2))
    assert (half, list(copy)) == (None, [1, 1])
    assert halved(1, np.ones(2)) == (0.5, None)
    assert seen == [[1, 1], [1, 1], None]


def test_an_argument_that_may_be_none_is_its_value_for_the_library():
    @njit("float64(optional(int64))")
    def drawn(seed):
        if seed is None:
            seed = 7
        np.random.seed(seed)
        return np.random.random()

    assert drawn(None) == drawn(7) == np.random.RandomState(7).random_sample()


def test_a_block_is_known_by_an_attribute_of_a_module_that_nothing_has_read(tmp_path):
    script = """
import heddle

@heddle.njit
def doubled(x):
    with heddle.objmode(y="float64"):
        y = 2 * x
    return y

print(doubled(1.5))
"""
    file = tmp_path / "doubled.py"
    file.write_text(script)
    assert subprocess.check_output([sys.executable, str(file)], text=True) == "3.0\n"


def test_a_block_on_one_side_of_a_branch_gives_a_variable_its_first_value():
    @njit
    def order(x, n):
        if n > 3:
            with objmode(result="intp[:]"):
                result = np.argsort(x)
        else:
            result = np.argsort(-x)
        return result

    x = np.array([3.0, 1.0, 2.0])
    assert order(x, 4).tolist() == [1, 2, 0] and order(x, 2).tolist() == [0, 2, 1]


def test_a_block_reads_what_only_some_of_its_ways_assign():
    @njit
    def steps(n):
        k = total = 0
        for i in range(n):
            with objmode(k="int64", total="int64"):
                if i % 2:
                    k = 10
                total += k
        return k, total

    assert steps(4) == (10, 30)


def test_a_variable_of_a_blocks_loop_is_one_outside_too():
    @njit
    def count(n):
        with objmode(total="int64"):
            total = 0
            for i in range(n):
                step = i + 1
                total += step
        step = 2
        i = 1
        return total * step + i

    assert count(3) == 13
