"""numba.typed.Dict: a dict changed by Python and host functions; the owners of the objects in it."""

import gc
from collections.abc import MutableMapping

import numpy as np
import pytest

from heddle import from_dtype, njit, types
from heddle.errors import TypingError
from heddle.typed import Dict, List

pytestmark = pytest.mark.usefixtures("everything_is_freed")


def of_words():
    return Dict.empty(key_type=types.unicode_type, value_type=types.int64)


def test_a_function_changes_the_programs_dict():
    @njit
    def counted(words, counts):
        for word in words:
            counts[word] = counts.get(word, 0) + 1

    counts = of_words()
    counts["c"] = 10
    counted(List(["a", "b", "a", "né"]), counts)
    counts["b"] += 5
    assert dict(counts) == {"c": 10, "a": 2, "b": 6, "né": 1}


def test_methods_do_what_those_of_dicts_do():
    plain, table = {}, Dict()
    for values in (plain, table):
        for i in range(40):
            values[i * 7 % 41] = i * 0.5
        del values[7]
        values.update({3: 9.0, 100: 1.0})
        values.setdefault(200, 4.0)
        values.setdefault(3, 4.0)
    assert list(table.items()) == list(plain.items())
    assert (list(table), list(table.keys()), list(table.values())) == (
        list(plain),
        list(plain),
        list(plain.values()),
    )
    assert (table.pop(3), table.pop(3, None), table.popitem()) == (
        plain.pop(3),
        plain.pop(3, None),
        plain.popitem(),
    )
    assert (table.get(100), table.get(7), table.get(7, 2.5)) == (1.0, None, 2.5)
    assert (100 in table, 7 in table, len(table)) == (True, False, len(plain))
    assert (table == plain, table.copy() == plain, table != plain) == (True, True, False)
    table.clear()
    assert not table


def test_it_shows_itself_as_numba_does():
    table = of_words()
    table["a"] = 1
    assert (repr(Dict()), repr(table)) == (
        "None({})",
        "DictType[unicode_type,int64]<iv=None>({a: 1})",
    )
    assert str(table) == "{a: 1}"
    assert isinstance(table, MutableMapping)


@pytest.mark.parametrize(
    "wrong, error",
    [
        (lambda table: table["z"], KeyError),
        (lambda table: table.pop("z"), KeyError),
        (lambda table: table.__delitem__("z"), KeyError),
        (lambda table: Dict()[1], KeyError),
        (lambda table: Dict().popitem(), KeyError),
        (lambda table: table.__setitem__(3, 4), TypingError),
        (lambda table: table.__setitem__("b", "c"), TypingError),
        (lambda table: hash(table), TypeError),
    ],
    ids=range(8),
)
def test_mistakes_are_those_of_dicts(wrong, error):
    table = of_words()
    table["a"] = 1
    with pytest.raises(error):
        wrong(table)
    assert dict(table) == {"a": 1}


def test_functions_make_them_and_return_them():
    @njit
    def made(n):
        named = Dict.empty(key_type=types.int64, value_type=types.float64)
        by_use = Dict()
        for i in range(n):
            named[i] = i * 0.5
            by_use[(i, i + 1)] = i
        return named, by_use

    named, by_use = made(2)
    assert repr(named) == "DictType[int64,float64]<iv=None>({0: 0.0, 1: 0.5})"
    assert dict(by_use) == {(0, 1): 0, (1, 2): 1}


array_of_floats = types.float64[:]


def test_values_are_arrays_lists_and_dicts():
    @njit
    def filled(arrays, lists, a):
        arrays["given"] = a
        arrays["made"] = np.ones(2)
        for i in range(4):
            if i % 2 not in lists:
                lists[i % 2] = List.empty_list(types.int64)
            lists[i % 2].append(i)

    arrays = Dict.empty(types.unicode_type, array_of_floats)
    lists = Dict.empty(types.int64, types.ListType(types.int64))
    given = np.arange(3.0)
    filled(arrays, lists, given)
    lists[0].append(8)
    assert np.shares_memory(arrays["given"], given)
    del given
    gc.collect()
    assert {k: list(v) for k, v in arrays.items()} == {"given": [0, 1, 2], "made": [1, 1]}
    assert {k: list(v) for k, v in lists.items()} == {0: [0, 2, 8], 1: [1, 3]}


def test_what_a_function_did_before_it_raised_stays():
    @njit
    def filled(table, n):
        for i in range(n):
            table[str(i)] = np.ones(i)
        return table["missing"]

    table = Dict.empty(types.unicode_type, types.float64[::1])
    for _ in range(3):
        with pytest.raises(KeyError, match="missing"):
            filled(table, 20)
    assert [len(a) for a in table.values()] == list(range(20))


def test_results_of_a_recursion_are_kept():
    @njit
    def paths(i, j, known):
        if i == 0 or j == 0:
            return 1
        if (i, j) in known:
            return known[(i, j)]
        found = paths(i - 1, j, known) + paths(i, j - 1, known)
        known[(i, j)] = found
        return found

    known = Dict.empty(types.UniTuple(types.int64, 2), types.int64)
    assert (paths(16, 16, known), known[(2, 2)], len(known)) == (601080390, 6, 256)


def test_types_are_those_of_numba():
    found = types.DictType(types.unicode_type, types.int64)
    assert found == types.typeof(of_words())
    assert (str(found), found.key_type, found.value_type) == (
        "DictType[unicode_type,int64]<iv=None>",
        types.unicode_type,
        types.int64,
    )
    length = njit("int64(DictType(unicode_type, int64))")(lambda table: len(table))
    assert length(of_words()) == 0


def test_integers_of_another_width_are_keys():
    @njit
    def use(d, k):
        d[k] = 1.5
        return d[k], k in d, d.get(k + 1, 0.0)

    d = Dict.empty(types.int32, types.float64)
    assert use(d, 7) == (1.5, True, 0.0)
    d[np.int64(8)] = 2
    assert dict(d) == {7: 1.5, 8: 2.0}


def test_tuples_of_integers_of_another_width_are_keys():
    d = Dict.empty(types.UniTuple(types.int32, 2), types.int64)
    d[1, 2] = 3
    assert d[1, 2] == 3 and (2, 1) not in d


def test_without_compiling_they_are_containers_of_pythons(run_script):
    result = run_script(
        "from heddle import njit, types\n"
        "from heddle.typed import Dict, List\n"
        "@njit\n"
        "def made():\n"
        "    return Dict.empty(types.int64, types.int64), List.empty_list(types.int64), Dict(), List([1])\n"
        "print(made())\n",
        env={"HEDDLE_DISABLE_JIT": "1"},
    )
    assert result.stdout == "({}, [], {}, [1])\n"


def test_numbas_functions_make_containers():
    from heddle.compat.numba.typed_objects import new_dict, new_list

    @njit
    def made(n):
        squares, items = new_dict(types.int32, types.float64), new_list(types.int64)
        for i in range(n):
            squares[i] = i * i
            items.append(i)
        return squares, items

    squares, items = made(3)
    assert dict(squares) == {0: 0.0, 1: 1.0, 2: 4.0} and list(items) == [0, 1, 2]


def test_containers_tell_their_types_by_numbas_names():
    words, numbers = of_words(), List([1, 2])
    assert words._dict_type == types.DictType(types.unicode_type, types.int64)
    assert numbers._list_type == types.ListType(types.int64)
    with pytest.raises(TypeError, match="untyped dictionary"):
        Dict()._dict_type  # noqa: B018 - raises


def test_texts_of_arrays_are_values_and_keys():
    names = Dict.empty(types.UnicodeCharSeq(3), types.UnicodeCharSeq(2))
    names[np.str_("abc")] = np.str_("né")

    @njit
    def of(names, codes, number):
        codes[number] = codes[0]
        return names["abc"] + "!"

    codes = Dict.empty(types.int64, types.CharSeq(5))
    njit(lambda codes, a: codes.setdefault(0, a[0]))(codes, np.array([b"five"], "S5"))
    assert of(names, codes, 7) == "né!"
    assert (dict(names), codes[7]) == ({"abc": "né"}, b"five")


def test_a_typed_dict_holds_records_which_may_be_missing():
    price = np.dtype([("id", "i8"), ("price", "f8")])

    @njit
    def price_of(book, name):
        row = book.get(name)
        if row is None:
            return -1.0
        row.price += 1
        return row.price

    book = Dict.empty(types.unicode_type, from_dtype(price))
    book["a"] = np.array([(1, 2.5)], price)[0]
    assert [price_of(book, "a"), price_of(book, "b"), book["a"].price] == [3.5, -1.0, 3.5]
