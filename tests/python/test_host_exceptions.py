"""Exceptions that host functions catch: what handlers see, the code that runs on the way, the owner of memory."""

import numpy as np
import pytest

import heddle
from heddle import njit, prange

pytestmark = pytest.mark.usefixtures("everything_is_freed")


def quotient(a, b):
    return a // b


def checked(x):
    if x < 0:
        raise ValueError("negative", x)
    scratch = np.ones(x)
    if x > 3:
        raise ValueError(f"too large: {x}")
    return scratch.sum()


jitted_quotient = njit(quotient)
jitted_checked = njit(checked)


# Each is what Python makes of it, too, for 0 to 5.


def bare(n):
    x = 1
    try:
        x = 2
        x = 10 // n
        x = 100 // (n - 1)
    except:  # noqa: E722
        x += 1000
    return x


def with_else(n):
    log = 0
    try:
        log += jitted_quotient(10, n)
    except Exception:
        log += 100
    else:
        log += 10000
    return log


def with_finally(n):
    log = [0]
    for i in range(4):
        try:
            if i == n:
                continue
            if i + 1 == n:
                break
            log.append(i)
        finally:
            log.append(-i)
    return log


def returning_through_finally(n):
    out = np.zeros(3)
    try:
        out[0] = 1
        if n == 2:
            return out
        out[1] = 10 // n
    except Exception:
        out[1] = -1
        return out
    finally:
        out[2] += 7
    return out * 2


def nested(n):
    total = 0
    for i in range(3):
        try:
            try:
                total += 12 // (n - i)
            except Exception:
                total += 1000
                if i == 1:
                    raise ValueError("again")
                total += jitted_quotient(7, n - 1)
        except Exception:
            total += 100000
        finally:
            total *= 2
    return total


def arrays_on_the_way(n):
    kept = np.zeros(2)
    total = 0.0
    for i in range(6):
        try:
            kept = np.full(i + 2, float(i))
            total += jitted_checked(i - n)
            kept = np.arange(3.0)
        except Exception:
            total += kept.sum() * 100
    return kept, total


@njit
def recursive(n):
    if n == 0:
        raise ValueError("the end")
    try:
        return recursive(n - 1)
    except Exception:
        if n < 3:
            raise
        return np.full(2, n)


def while_true(n):
    tries = 0
    while True:
        try:
            tries += 1
            return 100 // (tries - n), tries
        except Exception:
            continue


def asserted(n):
    try:
        assert n > 2, "small"
        return n
    except Exception:
        return -n
    finally:
        n += 1


def variables_of_the_body(n):
    try:
        y = n + 1
        z = 10 // n
    except Exception:
        y = -1
        z = -2
    return y, z


def lists_in_the_body(n):
    out = []
    for i in range(n):
        try:
            out.append(i)
            out.pop(i)
        except Exception:
            out.append(-i)
    return out


programs = [
    *(bare, with_else, with_finally, returning_through_finally, nested, arrays_on_the_way),
    *(while_true, asserted, variables_of_the_body, lists_in_the_body),
]


def same(a, b):
    if isinstance(a, tuple):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    return np.array_equal(a, b)


@pytest.mark.parametrize("program", programs, ids=lambda f: f.__name__)
def test_handlers_run_as_in_python(program):
    compiled = njit(program)
    for n in range(6):
        assert same(compiled(n), program(n)), n


def test_an_exception_passes_a_recursion_until_it_is_caught():
    assert recursive(5).tolist() == [3, 3]
    with pytest.raises(ValueError, match="the end"):
        recursive(2)


def test_raise_alone_raises_what_was_caught_with_its_arguments_and_line():
    @njit
    def f(x):
        try:
            return jitted_checked(x)
        except Exception:
            try:
                jitted_checked(-5)
            except Exception:
                x += 1
            raise

    with pytest.raises(ValueError, match="too large: 9") as caught:
        f(9)
    assert caught.traceback[-1].name == "checked"
    with pytest.raises(ValueError) as caught:
        f(-2)
    assert caught.value.args == ("negative", -2)


def test_a_finally_clause_passes_the_exception_on():
    seen = np.zeros(2)

    @njit
    def f(seen, n):
        try:
            return 1 // n
        finally:
            seen[0] += 1

    with pytest.raises(ZeroDivisionError):
        f(seen, 0)
    assert f(seen, 1) == 1
    assert seen.tolist() == [2, 0]


@pytest.mark.parametrize("base", [0, 0.0])
def test_zero_is_not_raised_to_a_negative_power(base):
    power = njit(lambda x, n: x**n)
    with pytest.raises(ZeroDivisionError, match="negative power"):
        power(base, -1)
    assert power(base, 2) == 0 and power(base + 1, -1) == 1
    with pytest.raises(ZeroDivisionError):
        njit(lambda x: x**-2)(base)


def test_an_index_out_of_bounds_is_caught_where_indices_are_checked():
    @njit(boundscheck=True)
    def f(a, i):
        try:
            return a[i]
        except Exception:
            return -1.0

    assert [f(np.arange(3.0), i) for i in (2, 3, -4)] == [2.0, -1.0, -1.0]


def test_an_unsigned_index_is_told_as_it_is():
    f = njit(boundscheck=True)(lambda a, i: a[i])
    with pytest.raises(IndexError, match=f"index {2**64 - 1} is out of bounds"):
        f(np.arange(3.0), np.uint64(2**64 - 1))


def test_an_error_of_numpys_functions_is_caught():
    @njit
    def f(a):
        try:
            return np.linalg.inv(a)
        except Exception:
            return np.zeros((1, 1))

    assert f(np.zeros((2, 2))).tolist() == [[0.0]]
    assert f(np.eye(2)).tolist() == np.eye(2).tolist()


@pytest.mark.parametrize("threads", [1, 2])
def test_an_exception_of_a_parallel_loop_is_caught(threads):
    @njit(parallel=True)
    def f(n, bad):
        total = 0
        try:
            for i in prange(n):
                scratch = np.ones(3)
                if i == bad:
                    raise ValueError("bad", i)
                total += i + int(scratch[0])
        except Exception:
            return -1
        return total

    before = heddle.get_num_threads()
    heddle.set_num_threads(min(threads, before))
    try:
        assert f(100, 50) == -1
        assert f(100, 200) == 5050
    finally:
        heddle.set_num_threads(before)


def test_rounds_of_a_parallel_loop_catch_their_own():
    @njit(parallel=True)
    def f(n, out):
        for i in prange(n):
            try:
                if i % 3 == 0:
                    raise ZeroDivisionError
                out[i] = 100 // (i % 3)
            except Exception:
                out[i] = -1
        return out

    assert f(6, np.zeros(6, np.int64)).tolist() == [-1, 100, 50] * 2


class Wrong(ValueError):
    pass


class Unrelated(Exception):
    pass


@njit
def raising(i):
    if i == 0:
        raise ValueError("v", i)
    if i == 1:
        raise KeyError("k")
    if i == 2:
        raise Wrong("w")
    if i == 3:
        raise Unrelated
    if i == 4:
        return 1 // (i - 4)
    return [i][i - 5]


def first_clause(i):
    done = 0
    try:
        done = raising(i) + 100
    except Wrong:
        done = -1
    except (KeyError, ArithmeticError):
        done = -2
    except ValueError as e:
        if i == 0:
            raise
        raise e
    else:
        done += 1000
    return done


def nested_clauses(i):
    total = 0
    for k in range(2):
        try:
            try:
                total += raising(i)
            except LookupError as e:
                total += 10
                if k:
                    raise e
            finally:
                total += 1
        except (ValueError, Unrelated):
            total += 100
    return total


def raising_in_a_clause(i):
    try:
        return raising(i)
    except ValueError:
        raise TypeError("another") from None
    except BaseException:
        return -1


CLAUSES = [first_clause, nested_clauses, raising_in_a_clause]


@pytest.mark.parametrize("function", CLAUSES, ids=lambda f: f.__name__)
def test_the_clause_of_the_class_runs(function):
    def outcome(call, i):
        try:
            return call(i)
        except Exception as e:
            return type(e), e.args

    compiled = njit(function)
    assert [outcome(compiled, i) for i in range(7)] == [outcome(function, i) for i in range(7)]


def test_a_clause_is_chosen_by_rounds_of_a_parallel_loop():
    @njit(parallel=True)
    def f(n):
        try:
            for i in prange(n):
                if i == 7:
                    raise Wrong("seventh")
        except KeyError:
            return 1
        except ValueError:
            return 2
        return 3

    assert (f(5), f(100)) == (3, 2)


def test_except_takes_classes():
    def f(x):
        try:
            x += 1
            x //= x
        except 3:
            pass
        return x

    with pytest.raises(heddle.TypingError, match="except takes a class of exceptions"):
        njit(f)(1)


def test_instances_of_a_function_raise_their_own_arguments():
    @njit
    def check(x, wrong):
        if wrong:
            raise ValueError(x)
        return 1

    @njit
    def both(a, b):
        return check(a, True) + check(b, False)

    for a, b in [(5, "abc"), ((1, 2), 2.5), ((1, 4096, 100000, 1), "abc"), ("x", 3)]:
        with pytest.raises(ValueError) as error:
            both(a, b)
        assert error.value.args == (a,)


def test_missing_keys_of_several_types_are_the_arguments():
    @njit
    def both(i, name):
        return {1: 1}[i] + {"a": 2}[name]

    for i, name, missing in [(5, "a", 5), (1, "b", "b")]:
        with pytest.raises(KeyError) as error:
            both(i, name)
        assert error.value.args == (missing,)


def test_functions_made_with_several_constants_raise_their_own():
    def make(text):
        @njit
        def check(wrong):
            if wrong:
                raise ValueError(text)
            return 1

        return check

    one, two = make("one"), make("two")

    @njit
    def both(a, b):
        return one(a) + two(b)

    for wrong, text in [((True, False), "one"), ((False, True), "two")]:
        with pytest.raises(ValueError, match=text):
            both(*wrong)


def test_a_bare_raise_without_an_exception_is_an_error():
    @njit
    def check(wrong):
        if wrong:
            raise
        return 1

    assert check(False) == 1
    with pytest.raises(RuntimeError, match="No active exception to reraise"):
        check(True)
