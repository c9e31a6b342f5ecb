"""Dicts in host functions: created, changed, iterated, returned; the owner of their memory."""

from collections.abc import Mapping

import numpy as np
import pytest

from heddle import njit, prange, types
from heddle.errors import TypingError
from heddle.typed import Dict, List

pytestmark = pytest.mark.usefixtures("everything_is_freed")


# Each is what Python makes of it, too.


def filled(n):
    d = {}
    for i in range(n):
        d[i * 7] = i / 2
    total = 0.0
    for k in d:
        total += d[k] * k
    return d, total, len(d), 7 in d, 8 in d, 8 not in d, bool(d), not d


def literals(n):
    d = {1: 2, n: 3}
    d[1] += 5
    return d, {1: 7, n: 3} == d, d == {n: 3, 1: 2}, d != {1: 7}


def deleted(n):
    d = {i: i * i for i in range(n)}
    for i in range(0, n, 3):
        del d[i]
    before = list(d.keys())
    one, none = d.pop(1), d.pop(100, -1)
    last = d.popitem()
    d[0] = 5
    return d, before, one, none, last, len(d), [v for v in d.values()]


def emptied(n):
    d = {i: i for i in range(n)}
    pairs = []
    while d:
        pairs.append(d.popitem())
        if len(d) > 2:
            del d[len(d) // 2]
    d[7] = 7
    return pairs, d


def grown_and_shrunk(n):
    d = {}
    for i in range(100 * n):
        d[(i * 7919) % 1009] = i
        if i % 3 == 0 and i in d:
            del d[i]
    return d, list(d), sum(d.values()), max(d.keys())


def tuples_as_keys(n):
    d = {}
    for i in range(n):
        for k in range(n):
            d[(i, k / 2)] = [i]
            d[(i, k / 2)].append(k)
    return d, d[(1, 2.0)], (n, 0.0) in d


def floats_as_keys(n):
    d = {0.0: 1}
    d[-0.0] = 2
    d[1.5] = n
    return d, d.get(1), d.get(3.0), d.get(3.0, 4)


def bools_and_complex(n):
    return {n > 3: 1j}, {1j: n > 3, 2j * n: False}


def counted(n):
    counts = {}
    for i in range(20):
        counts[i % n] = counts.get(i % n, 0) + 1
    return counts


def grouped(n):
    groups = {}
    for i in range(20):
        if i % n not in groups:
            groups[i % n] = []
        groups[i % n].append(i)
    groups.setdefault(77, []).append(3)
    groups.setdefault(77, []).append(4)
    return groups


def grouped_by_what_is_computed(n):
    groups, sizes = {}, []
    for i in range(20):
        if i % n not in groups:
            groups[i % n] = []
        if len(groups[i % n]) < 3:
            groups[i % n].append(i / 2)
    while len(sizes) < n:
        sizes.append(len(groups[0]))
    return groups, sizes


def nested(n):
    graph = {}
    for i in range(n):
        graph[i] = {}
    for i in range(n):
        graph[i][(i + 1) % n] = 0.5
        graph[(i * 2) % n][i] = 1.0
    total = 0.0
    for a, ends in graph.items():
        for b, weight in ends.items():
            total += (a + 1) * b * weight
    return graph, total


def iterated(n):
    d = {i: -i for i in range(n)}
    out = [(k, v) for k, v in d.items()]
    for k in d.keys():
        out.append((k, 0))
    for i, k in enumerate(d):
        out.append((i, k))
    for k, v in zip(d, d.values()):  # noqa: B905 - compiled code has no strict=
        out.append((v, k))
    return out, sorted(d), list(d.items())


def copied(n):
    a = {i: i for i in range(n)}
    b = a.copy()
    b[0] = 9
    c = dict(a)
    c.update(b)
    c.update([(100, 1), (101, 2)])
    e = dict([(1, 2.5)])
    a.clear()
    return a, b, c, e, len(a)


def changed_in_a_loop(n):
    d = {i: i for i in range(n)}
    for k in list(d):
        if k % 2:
            del d[k]
    return d


def strings(n):
    counts, of_words = {}, {"one": [1], "two": [2, n]}
    for word in "the cat and the dog and thé cat".split():
        counts[word] = counts.get(word, 0) + 1
    del counts["dog"]
    of_words["one"].append(3)
    by_pair = {("a", 1): "x" * n}
    by_pair[("a", 2)] = by_pair[("a", 1)] + "y"
    return counts, of_words, by_pair, "cat" in counts, "c" in counts, ", ".join(sorted(counts))


def two_names(n):
    a = {n: 1}
    b = a
    b[2] = 2
    b = {7: 7}
    return a, b


PROGRAMS = [
    *(filled, literals, deleted, emptied, grown_and_shrunk, tuples_as_keys, floats_as_keys),
    *(
        bools_and_complex,
        counted,
        grouped,
        grouped_by_what_is_computed,
        nested,
        iterated,
        copied,
        changed_in_a_loop,
        two_names,
    ),
]


def with_dicts_of_python(value):
    if isinstance(value, tuple):
        return tuple(with_dicts_of_python(item) for item in value)
    if isinstance(value, Mapping):
        return {key: with_dicts_of_python(item) for key, item in value.items()}
    return value


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_dicts_do_what_python_s_do(function):
    expected, got = function(6), njit(function)(6)
    assert got == expected
    assert str(with_dicts_of_python(got)) == str(expected)  # in the same order


def test_a_returned_dict_is_a_typed_one_that_functions_take_and_change():
    @njit
    def squares(n):
        return {k: k * k for k in range(n)}

    @njit
    def put(d, key):
        d[key] = 0
        return d

    made = squares(3)
    assert isinstance(made, Dict)
    assert put(made, 7) == made == {0: 0, 1: 1, 2: 4, 7: 0}


def test_a_variable_is_a_dict_of_the_program_or_a_new_one():
    @njit
    def added(d, new):
        if new:
            d = {}
        d["a"] = 2.5
        return d

    given = Dict.empty(types.unicode_type, types.float64)
    assert added(given, True) == {"a": 2.5}
    assert len(given) == 0
    assert added(given, False) == given == {"a": 2.5}


def test_a_dict_that_keeps_an_argument_is_whole_when_the_function_raises():
    @njit
    def kept(d, a, fails):
        e = {1: a}
        d[0] = e
        if fails:
            raise ValueError("late")
        return len(d)

    given = Dict.empty(types.int64, types.DictType(types.int64, types.float64[::1]))
    with pytest.raises(ValueError, match="late"):
        kept(given, np.arange(3.0), True)
    assert list(given[0][1]) == [0, 1, 2]


def test_arrays_are_values():
    @njit
    def by_length(n):
        d = {}
        for i in range(n):
            d[i] = np.arange(i)
        d[1] = np.ones(2, np.int64)
        longest = d.pop(n - 1)
        return d, longest

    d, longest = by_length(4)
    assert list(longest) == [0, 1, 2]
    assert [list(a) for a in d.values()] == [[], [1, 1], [0, 1]]


def test_a_function_takes_and_changes_a_dict():
    @njit
    def put(d, k):
        d[k] = k / 2
        return d

    @njit
    def caller(n):
        d = {n: 0.0}
        put(d, 3)
        return put(put(d, 4), 5), len(d)

    assert caller(1) == ({1: 0.0, 3: 1.5, 4: 2.0, 5: 2.5}, 4)


def test_narrow_numbers_are_keys():
    @njit
    def lengths(a):
        d = {}
        for x in a:
            d[x] = len(a)
        return d, a[0] in d

    assert lengths(np.array([-1, 127, -1], np.int8)) == ({-1: 3, 127: 3}, True)
    assert lengths(np.array([0.5, np.nan, np.inf], np.float32))[1]


def test_a_dict_of_each_round_of_a_parallel_loop():
    @njit(parallel=True)
    def distinct(out):
        for i in prange(out.size):
            seen = {}
            for k in range(100):
                seen[k % (i + 1)] = k
            out[i] = len(seen)

    out = np.zeros(50, np.int64)
    distinct(out)
    assert list(out) == list(range(1, 51))


def test_a_missing_key_raises_with_the_key():
    @njit
    def item(d, k):
        return {1: 2, 3: 4}[k]

    @njit
    def delete(d, k):
        e = {(1, 0.5): 2}
        del e[(k, 1.5)]

    @njit
    def pop(d, k):
        return {1: 2}.pop(k)

    for function, key in ((item, 5), (delete, (5, 1.5)), (pop, 5)):
        with pytest.raises(KeyError) as error:
            function(0, 5)
        assert error.value.args == (key,)
    with pytest.raises(KeyError, match="'no'"):
        njit(lambda word: {"yes": 1}[word])("no")


def test_popitem_of_an_empty_dict_raises():
    @njit
    def pop(n):
        d = {1: n}
        d.clear()
        return d.popitem()

    with pytest.raises(KeyError, match="dictionary is empty"):
        pop(1)


def test_what_is_caught_leaves_the_dict_usable():
    @njit
    def caught(n):
        d = {1: [n]}
        try:
            d[2].append(1)
        except Exception:
            d[2] = [0]
        return d

    assert caught(3) == {1: [3], 2: [0]}


def test_what_a_dict_cannot_hold_is_an_error():
    def mixed():
        d = {1: 2}
        d[2] = (1, 2)
        return d

    def untyped():
        return {}

    def lists_as_keys():
        return {len([1]): 1, 2: [1]}

    def arrays_as_keys(a):
        d = {}
        d[a] = 1
        return d

    def fractions():
        d = {1: 2}
        return 1.5 in d

    for function, arguments, message in [
        (mixed, (), "the values of this dict cannot be both"),
        (untyped, (), "the type of what this dict will hold is not known"),
        (lists_as_keys, (), "the values of this dict cannot be both"),
        (arrays_as_keys, (np.zeros(2),), "the keys of a dict are numbers"),
        (fractions, (), "cannot be float64"),
    ]:
        with pytest.raises(TypingError, match=message):
            njit(function)(*arguments)


def test_a_loop_over_a_dict_or_a_set_that_changes_its_size_is_an_error():
    @njit
    def grown(over):
        d, s = {0: 1, 1: 2}, {1, 2}
        if over == 0:
            for key in d:
                d[key + 5] = 0
        elif over == 1:
            for key, _ in d.items():
                del d[key]
        elif over == 2:
            for value in d.values():
                d[value + 10] = 0
        elif over == 3:
            for item in s:
                s.add(item + 10)
        for key in d:
            d[key] += 1
        return d[1]

    for over, message in enumerate(["dictionary"] * 3 + ["Set"]):
        with pytest.raises(RuntimeError, match=f"{message} changed size during iteration"):
            grown(over)
    assert grown(4) == 3


def keys_of_a_dict_that_grows():
    found = {1: 2.0}
    keys = found.keys()
    found[5] = 3.0
    total = 0
    for key in keys:
        total += key
    return total, [key for key in keys], [key * other for key in keys for other in keys]


def keys_of_a_dict_that_shrinks():
    found = {1: 2.0, 2: 1.0, 3: 5.0}
    keys = found.keys()
    found.pop(2)
    return [key for key in keys]


@pytest.mark.parametrize(
    "function", [keys_of_a_dict_that_grows, keys_of_a_dict_that_shrinks], ids=lambda f: f.__name__
)
def test_loops_over_keys_see_what_is_there_when_they_begin(function):
    assert njit(function)() == function()


def keys_with_values(found):
    for key, _ in zip(found.keys(), found.values()):  # noqa: B905
        found[key + 10] = 1.0


def numbered(found):
    for _, key in enumerate(found):
        found[key + 10] = 1.0


def numbered_items(found):
    for _, (key, _) in enumerate(found.items()):
        del found[key]


def beside_a_list(found):
    for _, value in zip([1, 2, 3], found.values()):  # noqa: B905
        found[int(value) + 20] = 1.0


def exchanged_keys(found):
    for key in found:
        del found[key]
        found[key + 10] = 1.0
        found[key + 20] = 1.0


@pytest.mark.parametrize(
    "function",
    [keys_with_values, numbered, numbered_items, beside_a_list, exchanged_keys],
    ids=lambda f: f.__name__,
)
def test_a_dict_that_changes_between_two_items_is_an_error(function):
    found = Dict.empty(types.int64, types.float64)
    found[1], found[2] = 1.0, 2.0
    with pytest.raises(RuntimeError, match="dictionary changed size during iteration"):
        njit(function)(found)


def views_of_a_dict_that_grows():
    found = {1: 2.0, 3: 4.0}
    keys, values, items = found.keys(), found.values(), found.items()
    found[5] = 1.0
    return (
        len(keys),
        len(values),
        len(items),
        5 in keys,
        [value for value in values],
        [(key, value) for key, value in items],
        [(key, value) for key, value in zip(keys, values)],  # noqa: B905
    )


def test_views_of_a_dict_show_what_is_there_by_then():
    assert njit(views_of_a_dict_that_grows)() == views_of_a_dict_that_grows()


def test_a_loop_over_two_typed_lists_of_which_one_grows_is_an_error():
    @njit
    def grow(a, b):
        for x, _ in zip(a, b):  # noqa: B905
            a.append(x)

    with pytest.raises(RuntimeError, match="list was mutated during iteration"):
        grow(List([1, 2]), List([1, 2]))


def lines_of_code(stores):
    """The number of LLVM IR lines of a function that stores to a dict ``stores`` times."""
    names = {}
    body = "".join(f"    d[{i}] = x\n" for i in range(stores))
    exec(f"def f(x):\n    d = {{0: x}}\n{body}    return len(d)\n", names)
    f = njit(names["f"])
    assert f(1) == max(stores, 1)
    return len(next(iter(f.inspect_llvm().values())).splitlines())


def test_the_code_that_looks_for_a_key_is_there_once():
    assert lines_of_code(24) - lines_of_code(4) < 20 * 300
