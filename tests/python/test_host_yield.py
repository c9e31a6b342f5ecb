"""Host functions with ``yield`` behave as in Python, and the objects they hold are released."""

import array
import gc
import itertools
import math

import numpy as np
import pytest

import heddle
from heddle import njit, prange, types
from heddle.typed import Dict, List

pytestmark = pytest.mark.usefixtures("everything_is_freed")


def squares(n):
    for i in range(n):
        yield i * i


def fibonacci(n):
    a, b = 0, 1
    while a < n:
        yield a
        a, b = b, a + b


def primes(n):
    composite = np.zeros(n, np.bool_)
    for p in range(2, n):
        if composite[p]:
            continue
        yield p
        for q in range(p * p, n, p):
            composite[q] = True


def chunks(n, size):
    values = np.arange(n)
    for first in range(0, n, size):
        yield values[first : first + size]


def neighbours(rows, columns):
    for i in range(rows):
        for j in range(columns):
            for di, dj in ((-1, 0), (1, 0), (0, -1), (0, 1)):
                if 0 <= i + di < rows and 0 <= j + dj < columns:
                    yield (i, j), (i + di, j + dj)


def combinations(n, k):
    chosen = list(range(k))
    while True:
        yield np.array(chosen)
        place = k - 1
        while place >= 0 and chosen[place] == n - k + place:
            place -= 1
        if place < 0:
            return
        chosen[place] += 1
        for later in range(place + 1, k):
            chosen[later] = chosen[later - 1] + 1


def running_mean(n):
    total = 0.0
    for i, x in enumerate(np.sqrt(np.arange(n))):
        total += x
        yield total / (i + 1)


def permutations(n):
    a = np.arange(n)
    count = np.zeros(n, np.int64)
    yield a.copy()
    i = 0
    while i < n:
        if count[i] < i:
            j = 0 if i % 2 == 0 else count[i]
            a[i], a[j] = a[j], a[i]
            yield a.copy()
            count[i] += 1
            i = 0
        else:
            count[i] = 0
            i += 1


def tree(depth):
    stack = [(1, 0)]
    while len(stack) > 0:
        node, level = stack.pop()
        yield node
        if level < depth:
            stack.append((2 * node + 1, level + 1))
            stack.append((2 * node, level + 1))


def words(n):
    text = ""
    for i in range(n):
        text += "ab"[i % 2]
        yield text + "!"


def lists(n):
    held = [0.5]
    for i in range(n):
        held.append(i * 1.0)
        yield held.copy()


def tries(n):
    for i in range(n):
        try:
            if i % 2:
                raise ValueError("odd")
            yield i
        except ValueError:
            yield -i
        finally:
            n -= 0


programs = {
    "squares": (squares, (6,)),
    "none": (squares, (0,)),
    "fibonacci": (fibonacci, (1000,)),
    "primes": (primes, (60,)),
    "chunks": (chunks, (10, 4)),
    "neighbours": (neighbours, (3, 4)),
    "combinations": (combinations, (5, 3)),
    "running_mean": (running_mean, (7,)),
    "permutations": (permutations, (4,)),
    "tree": (tree, (3,)),
    "words": (words, (5,)),
    "lists": (lists, (4,)),
    "tries": (tries, (5,)),
}


def same(ours, expected):
    assert len(ours) == len(expected)
    for a, b in zip(ours, expected):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("name", programs)
def test_a_generator_gives_what_pythons_gives(name):
    function, arguments = programs[name]
    same(list(njit(function)(*arguments)), list(function(*arguments)))


@pytest.mark.parametrize("name", programs)
@pytest.mark.parametrize("count", [0, 1, 3])
def test_a_generator_deleted_half_way_releases_what_it_holds(name, count):
    function, arguments = programs[name]
    generator = njit(function)(*arguments)
    list(itertools.islice(generator, count))
    del generator  # no_leak counts


@pytest.mark.parametrize("name", ["squares", "fibonacci", "primes", "running_mean", "tree"])
def test_a_jitted_function_loops_over_a_generator(name):
    function, arguments = programs[name]
    jitted = njit(function)

    @njit
    def total():
        s = 0.0
        for k, x in enumerate(jitted(*arguments)):
            if k > 20:
                break
            s += (k + 1) * x
        return s

    expected = sum((k + 1) * x for k, x in enumerate(itertools.islice(function(*arguments), 21)))
    assert total() == pytest.approx(expected)


def test_items_outlive_the_next_round():
    jitted = njit(chunks)

    @njit
    def first_and_last(n):
        held = [np.zeros(1, np.int64)]
        kept = np.zeros(1, np.int64)
        for part in jitted(n, 3):
            held.append(part)
            if len(part) == 3:
                kept = part
        return held[1], kept

    same(first_and_last(8), ([0, 1, 2], [3, 4, 5]))


def test_an_exhausted_generator_stays_exhausted():
    generator = njit(squares)(1)
    assert iter(generator) is generator and next(generator) == 0
    for _ in range(3):
        with pytest.raises(StopIteration):
            next(generator)


def test_next_in_a_jitted_function():
    jitted = njit(squares)

    @njit
    def third(n):
        g = iter(jitted(n))
        next(g)
        next(g)
        return next(g)

    assert third(5) == 4
    with pytest.raises(StopIteration):
        third(2)


def test_next_catches_the_end():
    jitted = njit(squares)

    @njit
    def count(n):
        g = jitted(n)
        k = 0
        try:
            while True:
                next(g)
                k += 1
        except Exception:
            return k

    assert count(7) == 7


@njit
def failing(n):
    held = np.ones(n)
    names = ["a", "b"]
    for i in range(n):
        if i == 2:
            raise KeyError("late", i)
        yield held[i] + len(names)


def test_an_exception_reaches_who_asks_for_the_value():
    generator = failing(5)
    assert next(generator) == 3 and next(generator) == 3
    with pytest.raises(KeyError) as caught:
        next(generator)
    assert caught.value.args == ("late", 2)
    assert caught.traceback[-1].lineno + 1 == failing.py_func.__code__.co_firstlineno + 6
    with pytest.raises(StopIteration):
        next(generator)


def test_an_exception_passes_and_is_caught_in_jitted_functions():
    @njit
    def passes(n):
        s = 0.0
        for x in failing(n):
            s += x
        return s

    @njit
    def catches(n):
        s = 0.0
        try:
            for x in failing(n):
                s += x
        except Exception:
            s += 100
        return s

    assert passes(2) == 6 and catches(5) == 106
    with pytest.raises(KeyError, match="late"):
        passes(3)


def test_arguments_are_kept():
    @njit
    def each(a, names, text):
        for x in a:
            yield x + len(names)
        for name in names:
            yield len(name) + len(text)

    generator = each(np.arange(3.0), ["x", "yz"], "abc" * 3)
    gc.collect()
    assert list(generator) == [2, 3, 4, 10, 11]


def test_a_yielded_argument_is_the_programs_own_array():
    @njit
    def views(a):
        for i in range(len(a)):
            yield a[i]

    a = np.zeros((2, 3))
    for row in njit(views.py_func)(a):
        row += 1
    assert a.sum() == 6


def test_a_yielded_random_generator_is_the_programs_own():
    @njit
    def twice(rng):
        yield rng
        yield rng

    rng = np.random.default_rng(1)
    assert [one is rng for one in twice(rng)] == [True, True]


def test_memory_of_a_buffer_stays_while_a_generator_reads_it():
    @njit
    def each(a):
        for x in a:
            yield 1 * x

    numbers = array.array("d", [1, 2, 3])
    generator = each(numbers)
    assert next(generator) == 1
    with pytest.raises(BufferError):
        numbers.extend(range(1000))
    assert list(generator) == [2, 3]
    del generator
    numbers.append(4)


def test_a_generator_fills_typed_lists():
    @njit
    def fill(numbers, rows, a):
        for i in range(len(a)):
            numbers.append(a[i, 0])
            rows.append(a[i])
            yield len(rows)
            if i == 1:
                raise ValueError("late")

    numbers, rows = List.empty_list(types.float64), List.empty_list(types.float64[::1])
    generator = fill(numbers, rows, np.arange(6.0).reshape(3, 2))
    assert next(generator) == 1 and list(numbers) == [0]
    assert next(generator) == 2
    with pytest.raises(ValueError, match="late"):
        next(generator)
    del generator
    assert list(numbers) == [0, 2]
    same(list(rows), [[0, 1], [2, 3]])


def test_a_list_that_a_generator_changes():
    @njit
    def fill(a):
        for i in range(3):
            a.append(i)
            yield len(a)

    a = [7]
    generator = fill(a)
    assert next(generator) == 2 and a == [7, 0]
    assert list(generator) == [3, 4] and a == [7, 0, 1, 2]


def test_generators_of_generators():
    jitted = njit(squares)

    @njit
    def twice(values):
        for x in values:
            yield x
            yield -x

    @njit
    def nested(n):
        for x in twice(jitted(n)):
            yield x + 1

    assert list(nested(3)) == [1, 1, 2, 0, 5, -3]


def test_a_generator_that_calls_itself():
    @njit
    def walk(node, last):
        if node <= last:
            yield node
            for x in walk(2 * node, last):
                yield x
            for x in walk(2 * node + 1, last):
                yield x

    assert list(walk(1, 7)) == [1, 2, 4, 5, 3, 6, 7]


def test_several_at_once_zip_stops_at_the_shortest():
    jitted = njit(squares)

    @njit
    def together(n, m):
        a, b = jitted(n), jitted(m)
        s = 0
        for x, y in zip(a, b):
            s += 10 * x + y
        for x in a:
            s += 1000
        return s

    def expected(n, m):
        a, b = squares(n), squares(m)
        s = sum(10 * x + y for x, y in zip(a, b))
        return s + sum(1000 for x in a)

    for n, m in ((5, 3), (3, 5), (4, 4), (0, 2)):
        assert together(n, m) == expected(n, m)


def test_a_function_returns_a_generator_and_takes_one():
    jitted = njit(squares)

    @njit
    def make(n, k=2):
        return jitted(n + k)

    @njit
    def total(values):
        s = 0
        for x in values:
            s += x
        return s

    @njit
    def both(n):
        return total(make(n))

    assert list(make(2)) == [0, 1, 4, 9] and both(3) == 30


def test_a_closure_that_yields():
    @njit
    def outer(n, k):
        def inner(m):
            for i in range(m):
                yield i + k

        s = 0
        for x in inner(n):
            s += x
        return s

    assert outer(4, 10) == 46


def test_a_lambda_that_yields():
    @njit
    def outer(n):
        once = lambda x: (yield x)  # noqa: E731
        s = 0
        for x in once(n):
            s += x
        return s

    assert outer(4) == 4


def test_library_functions_go_over_generators():
    jitted = njit(squares)

    @njit
    def several(n):
        return list(jitted(n)), [2 * x for x in jitted(n)], max(jitted(n)), sum(jitted(n))

    assert several(4) == ([0, 1, 4, 9], [0, 2, 8, 18], 9, 14)


def test_yields_have_one_type_and_give_none():
    @njit
    def mixed():
        x = yield 1
        if x is None:
            yield 2.5

    @njit
    def nothing():
        yield

    values = list(mixed())
    assert values == [1.0, 2.5] and type(values[0]) is float
    assert list(nothing()) == [None]


def test_defaults_return_values_and_parallel():
    @njit(parallel=True)
    def limited(a, most=2):
        for i in prange(len(a)):
            if i == most:
                return 5
            yield a[i] * 2

    assert list(limited(np.arange(5))) == [0, 2] and list(limited(np.arange(5), 1)) == [0]


def test_a_generator_outlives_recompile():
    jitted = njit(squares)
    generator = jitted(4)
    next(generator)
    jitted.recompile()
    assert list(generator) == [1, 4, 9] and list(jitted(2)) == [0, 1]


def test_inspect_types_shows_the_yields(capsys):
    jitted = njit(squares)
    next(jitted(3))
    jitted.inspect_types()
    assert " = yield %" in capsys.readouterr().out


def test_what_is_refused_is_told():
    @njit
    def never():
        if False:
            yield 1

    @njit
    def both(flag):
        yield 1
        yield "a"

    @njit
    def delegates(n):
        yield from range(n)

    for function, arguments, text in (
        (never, (), "never yields a value"),
        (both, (True,), r"both\(\) yields unicode_type at one place and int64"),
        (delegates, (3,), "(?s)yield from is not supported.*for x in values: yield x"),
    ):
        with pytest.raises(heddle.errors.CompileError, match=text):
            function(*arguments)


def test_a_generator_is_unpacked():
    numbers = njit(squares)

    @njit
    def first_two(count):
        values = numbers(count)
        a, b = values
        return a, b

    assert first_two(2) == (0, 1)
    for wrong in (1, 3):
        with pytest.raises(ValueError, match="unpacking needs 2 values"):
            first_two(wrong)


def test_a_map_is_unpacked():
    @njit
    def in_radians(a, b):
        a, b = map(math.radians, [a, b])
        (c, _), d = zip(map(math.radians, (a, b)), (1, 2))
        return a, b, c, d

    a, b = math.radians(10.0), math.radians(20.0)
    expected = (a, b, math.radians(a), (math.radians(b), 2))
    assert in_radians(10.0, 20.0) == expected


def test_a_kernel_refuses_a_generator():
    from heddle import cuda

    jitted = njit(squares)

    @cuda.jit
    def k(out):
        for x in jitted(3):
            out[0] += x

    with pytest.raises(heddle.errors.CompileError, match="write the values into an array"):
        k[1, 1](np.zeros(1))


@pytest.mark.parametrize(
    "values",
    [[5, 6, 7], (5, 6, 7), {5}, "xyz", np.arange(5, 8), np.ones((3, 2)), "", List([5, 6])],
    ids=str,
)
def test_iter_makes_an_iterator_that_next_takes(values):
    @njit
    def parts(values):
        iterator = iter(values)
        count = 0
        for _ in iterator:
            count += 1
        return count, list(iter(values))[:1]

    @njit
    def first(values):
        return next(iter(values))

    count, some = parts(values)
    assert count == len(values)
    if count:
        np.testing.assert_array_equal(first(values), some[0])
    else:
        with pytest.raises(StopIteration):
            first(values)


def test_a_loop_goes_on_where_next_has_come_to():
    @njit
    def sums(n, x, table):
        numbers, pairs = iter(range(n)), iter(zip(x, x[1:]))
        total = next(numbers)
        for i in numbers:
            total += i * next(numbers)
        return total, next(pairs), next(pairs), next(iter(table.items()))

    table = Dict()
    table["a"] = 3
    assert sums(5, np.arange(4), table) == (1 * 2 + 3 * 4, (0, 1), (1, 2), ("a", 3))
