"""Fixed-length texts, NumPy's dtypes S and U, in arrays and records of kernels and host functions."""

import operator

import numpy as np
import pytest

from heddle import cuda, njit, types
from heddle.errors import TypingError
from heddle.typed import Dict

NAME, TAG = "café", b"tag"
ORDER = [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge]


def test_a_string_is_assigned_cut_off_and_padded(device):
    @cuda.jit
    def k(a):
        a[0] = "abc"
        a[1] = "too long"
        a[2] = NAME
        a[3] = ""
        a[-1] = "é€😀"

    a = np.full(6, "zzzzz", "U5")
    k[1, 1](a)
    assert a.tolist() == ["abc", "too l", "café", "", "zzzzz", "é€😀"]


def test_bytes_are_assigned_cut_off_and_padded(device):
    @cuda.jit
    def k(a):
        a[0] = b"abc"
        a[1] = b"too long"
        a[2] = TAG
        a[3] = b""

    a = np.full(5, b"zzzzz", "S5")
    k[1, 1](a)
    assert a.tolist() == [b"abc", b"too l", b"tag", b"", b"zzzzz"]


@pytest.mark.parametrize("wide, narrow", [("U7", "U3"), ("S7", "S3")])
def test_a_text_is_assigned_to_longer_and_shorter_ones(device, wide, narrow):
    @cuda.jit
    def k(a, b):
        i = cuda.grid(1)
        if i < 2:
            a[i], b[i] = b[i], a[i]
        else:
            a[i] = b[i]

    texts = ["abcdefg", "h", "xyzxyzx"]
    a, b = np.array(texts, wide), np.array(["klm", "", "no"], narrow)
    before = a[:2].astype(narrow)
    k[1, 3](a, b)
    np.testing.assert_array_equal(a, np.array(["klm", "", "no"], wide))
    np.testing.assert_array_equal(b, [*before, b[2]])


@pytest.mark.parametrize("compare", ORDER)
@pytest.mark.parametrize("left, right", [("U5", "U4"), ("U4", "U4"), ("S5", "S7")])
def test_texts_compare_as_in_numpy(device, compare, left, right):
    @cuda.jit
    def k(a, b, out):
        i = cuda.grid(1)
        if i < a.size:
            out[i] = compare(a[i], b[i])

    a = np.array(["ab", "abc", "", "b", "a", "abcd"], left)
    b = np.array(["ab", "ab", "x", "abcd", "", "abcd"], right)
    out = np.zeros(6, bool)
    k[1, 32](a, b, out)
    np.testing.assert_array_equal(out, compare(a, b))


def test_characters_beyond_ascii_compare_by_their_numbers(device):
    @cuda.jit
    def k(u, s, out):
        out[0], out[1] = u[0] < u[1], s[0] > s[1]

    out = np.zeros(2, bool)
    k[1, 1](np.array(["a€", "a😀"]), np.array([b"a\xff", b"a\x01"]), out)
    assert out.all()


def test_texts_compare_with_constants_of_their_kind(device):
    @cuda.jit
    def k(u, s, out):
        i = cuda.grid(1)
        out[i, 0], out[i, 1], out[i, 2] = u[i] == "ab", "ab" <= u[i], u[i] != NAME
        out[i, 3], out[i, 4], out[i, 5] = s[i] == b"tag", TAG < s[i], s[i] == b""
        out[i, 6], out[i, 7] = u[i] == b"ab", s[i] != "tag"

    u, s = np.array(["ab", "abc", NAME]), np.array([b"", b"tag", b"tags"])
    out = np.zeros((3, 8), bool)
    k[1, 3](u, s, out)
    columns = [
        u == "ab",
        u >= "ab",
        u != NAME,
        s == TAG,
        s > TAG,
        s == b"",
        [False] * 3,
        [True] * 3,
    ]
    np.testing.assert_array_equal(out, np.transpose(columns))


def test_the_length_and_the_truth_of_a_text_and_its_characters(device):
    @cuda.jit
    def k(u, s, out):
        i = cuda.grid(1)
        out[i, 0], out[i, 1] = len(u[i]), len(s[i])
        out[i, 2] = 1 if u[i] else 0
        out[i, 3] = s[i][0]

    out = np.zeros((3, 4), np.int64)
    k[1, 3](np.array(["", "é", "abc"]), np.array([b"ab", b"", b"c"]), out)
    assert out.tolist() == [[0, 2, 0, ord("a")], [1, 0, 1, 0], [3, 1, 1, ord("c")]]


def test_a_text_in_a_variable_is_a_copy(device):
    @cuda.jit(device=True)
    def longer(a, b):
        return a if len(a) > len(b) else b

    @cuda.jit
    def k(a, out):
        last = a[0]
        for i in range(1, a.size):
            current = a[i]
            if current != last:
                out[0] = longer(last, current)
            a[i] = last
            last = current

    a, out = np.array(["abc", "de", "fgh"]), np.zeros(1, "U2")
    k[1, 1](a, out)
    assert a.tolist() == ["abc", "abc", "de"] and out.tolist() == ["fg"]


@pytest.mark.parametrize("dtype", ["U1", "U2", "S1", "S6", "S7", "S8", "S15", "S40"])
def test_texts_of_every_length_are_copied_whole(device, dtype):
    @cuda.jit
    def k(a, b, equal):
        i = cuda.grid(1)
        b[i] = a[i]
        equal[i] = a[i] == b[i]

    a = np.array(["x" * 40, "abcdefghijklmnopqrstuvwxyz"]).astype(dtype)
    b, equal = np.full(3, "y" * 40, dtype), np.zeros(2, bool)
    k[1, 2](a, b, equal)
    np.testing.assert_array_equal(b[:2], a)
    assert equal.all() and b[2] == np.full(1, "y" * 40, dtype)[0]


def test_texts_in_records_are_assigned_and_compared(device):
    people = np.zeros(3, [("name", "U5"), ("tag", "S3"), ("n", np.int32)])
    people["name"], people["tag"] = ["bob", "al", "bob"], b"q"

    @cuda.jit
    def k(people):
        p = people[cuda.grid(1)]
        if p.name == "bob":
            p.tag = b"B"
            p.n = len(p.name)
        else:
            p["name"] = "nobody"

    k[1, 3](people)
    assert people.tolist() == [("bob", b"B", 3), ("nobod", b"q", 0), ("bob", b"B", 3)]


EMPTY = np.dtype([("a", "f8"), ("name", "U0"), ("b", "i4"), ("code", "S0")])


def test_records_may_have_texts_without_characters(device):
    @cuda.jit
    def k(records, out):
        i = cuda.grid(1)
        r = records[i]
        r.name = "cut off"
        out[i] = r.a + r.b + len(r.name) + (r.name == "") + (r.code == b"")

    records, out = np.ones(2, EMPTY), np.zeros(2)
    k[1, 2](records, out)
    assert out.tolist() == [4, 4] and records["name"].tolist() == ["", ""]


def test_functions_of_the_host_return_texts_without_characters():
    @njit
    def f(record):
        return record.name, record.name + "x", record.b

    assert f(np.ones(1, EMPTY)[0]) == ("", "x", 1)


def test_names_are_sorted_on_the_device(device):
    @cuda.jit
    def k(names, out):
        i = cuda.grid(1)
        place = 0
        for j in range(names.size):
            if names[j] < names[i]:
                place += 1
        out[place] = names[i]

    names = np.array(["pear", "fig", "apple", "date"])
    out = cuda.device_array_like(names)
    k[1, 4](cuda.to_device(names), out)
    assert out.copy_to_host().tolist() == sorted(names.tolist())


def test_shared_and_local_arrays_of_texts(device):
    text = types.UnicodeCharSeq(4)

    @cuda.jit
    def k(a):
        shared = cuda.shared.array(4, dtype="U4")
        local = cuda.local.array(1, text)
        i = cuda.threadIdx.x
        shared[i] = a[i]
        cuda.syncthreads()
        local[0] = shared[3 - i]
        a[i] = local[0]

    a = np.array(["a", "bb", "ccc", "dddd"])
    k[1, 4](a)
    assert a.tolist() == ["dddd", "ccc", "bb", "a"]


def test_a_constant_array_of_texts(device):
    table = np.array(["no", "yes"])

    @cuda.jit
    def k(out):
        out[cuda.grid(1)] = table[cuda.grid(1) % 2]

    out = np.zeros(3, "U3")
    k[1, 3](out)
    assert out.tolist() == ["no", "yes", "no"]


def test_a_function_of_the_host_takes_and_returns_texts():
    @njit
    def f(u, s, text):
        u[1] = "new"
        count = 0
        for x in u:
            if x == text:
                count += 1
        return u[0], s[0], u[0] == text, count, len(s[0])

    u = np.array(["ab", "cd", "ab"], "U4")
    result = f(u, np.array([b"xyz"]), "ab")
    assert result == ("ab", b"xyz", True, 2, 3)
    assert type(result[0]) is str and type(result[1]) is bytes
    assert u.tolist() == ["ab", "new", "ab"]


def test_a_text_is_looked_for_in_a_tuple(device):
    @cuda.jit
    def k(u, s, out):
        i = cuda.grid(1)
        out[i, 0], out[i, 1] = u[i] in ("no", "yes", "perhaps"), s[i] not in (b"a", b"")

    out = np.zeros((3, 2), bool)
    k[1, 3](np.array(["yes", "ye", "perha"]), np.array([b"a", b"b", b""]), out)
    assert out.tolist() == [[True, False], [False, True], [False, False]]


def test_a_text_is_one_of_several_strings(device):
    @cuda.jit
    def k(names, numbers, lengths):
        i = cuda.grid(1)
        parity = "even" if numbers[i] % 2 == 0 else "odd"
        name = names[i]
        for step in range(numbers[i]):
            name = "longer" if step else parity
        if name == "odd" or name == "longer":
            lengths[i] = len(name)
        names[i] = name

    names, lengths = np.array(["zero", "one", "two", "five"], "U5"), np.zeros(4, np.int64)
    k[1, 4](names, np.array([0, 1, 2, 3]), lengths)
    assert names.tolist() == ["zero", "odd", "longe", "longe"]
    assert lengths.tolist() == [0, 3, 6, 6]


def test_a_text_is_one_of_several_bytes(device):
    @cuda.jit
    def k(tags, up):
        i = cuda.grid(1)
        tags[i] = b"high" if up[i] else tags[i - 1]

    tags = np.array([b"a", b"b", b"c"], "S3")
    k[1, 1](tags, np.array([True]))
    assert tags.tolist() == [b"hig", b"b", b"c"]


def test_a_string_of_the_host_is_made_of_a_text():
    @njit
    def f(names):
        return [str(x) + "!" for x in names], str(names[0]).upper(), {str(names[1]): 1}

    names = np.array(["café", "", "€😀"])
    assert f(names) == (["café!", "!", "€😀!"], "CAFÉ", {"": 1})


METHODS = [
    lambda a: (a[0].upper(), a[2].strip(), a[0].find("b"), a[0].split("b"), a[0].zfill(5)),
    lambda a: (a[0] + a[1], a[0] + "x", "x" + a[0], a[0] * 2, len(a[0]), a[0][1], a[0][-1:]),
    lambda a: ("xaby".find(a[0]), "abc".startswith(a[0]), a[0].replace("a", a[1])),
    lambda a: ("a" in a[0], a[3] in a[0], a[0] in "xxaby", a[1].lower() == "cd", not a[3]),
    lambda a: [x.upper() for x in a],
    lambda a: (hash(a[0]) == hash("ab"), int(a[4]), float(a[4])),
]


@pytest.mark.parametrize("function", METHODS)
def test_a_text_is_a_string_in_functions_of_the_host(function):
    names = np.array(["ab", "Cd", "  x ", "", "12"])
    assert njit(function)(names) == function(names)


def test_a_string_that_a_function_of_the_host_makes_is_assigned():
    @njit
    def f(names, n):
        for i in range(len(names)):
            names[i] = str(i * n) + "é€"
        names[0] = ""

    names = np.full(3, "zzzzz", "U5")
    f(names, 1234)
    assert names.tolist() == ["", "1234é", "2468é"]


def test_a_text_of_bytes_has_no_methods():
    with pytest.raises(TypingError, match="fixed-length strings support comparison"):
        njit(lambda a: a[0].upper())(np.array([b"a"]))


@pytest.mark.parametrize("other", ["3", "b'a'", "np.arange(1)"])
def test_arrays_of_texts_are_not_compared_with_other_values(other):
    with pytest.raises(TypingError, match="cannot compare an array of strings with =="):
        njit(eval(f"lambda a: a == {other}", {"np": np}))(np.array(["a"]))


def test_kernels_do_not_compare_arrays_of_texts(device):
    @cuda.jit
    def k(a, out):
        out[0] = a == "a"

    with pytest.raises(TypingError, match="compare its elements in a loop"):
        k[1, 1](np.array(["a"]), np.zeros(1))


@pytest.mark.parametrize("value", ["b'x'", "3", "a[0] + 'x'"])
def test_what_is_no_string_is_refused(value):
    space = {}
    exec(f"def k(a):\n    a[0] = {value}", space)
    with pytest.raises(TypingError):
        cuda.jit(space["k"])[1, 1](np.zeros(2, "U3"))


TEXTS = np.array(["b", "", "abc", "\u00e4", "ab", "b", ""])
BYTES = np.array([b"b", b"", b"abc", b"ab", b"b", b""])


@pytest.mark.parametrize("texts", [TEXTS, TEXTS[::2], TEXTS[:0], BYTES, BYTES[::-1]])
@pytest.mark.parametrize("name", ["sort", "argsort", "unique", "nonzero", "count_nonzero"])
def test_texts_are_sorted_and_found_by_functions_of_the_host(name, texts):
    function = getattr(np, name)
    stable = {"kind": "stable"} if name == "argsort" else {}
    ours, expected = njit(lambda a: function(a))(texts), function(texts, **stable)
    np.testing.assert_array_equal(ours, expected)
    assert np.asarray(ours).dtype == np.asarray(expected).dtype


def test_rows_of_texts_are_sorted_in_place_and_searched():
    @njit
    def f(a):
        a.sort()
        return np.nonzero(a)

    ours, expected = TEXTS[:6].reshape(2, 3).copy(), np.sort(TEXTS[:6].reshape(2, 3))
    np.testing.assert_array_equal(f(ours), np.nonzero(expected))
    np.testing.assert_array_equal(ours, expected)


@pytest.mark.parametrize("value", [b"tag", b"it's", b"'\"", b"\xe9\t\n\\", b""])
def test_print_writes_bytes_of_an_array_as_python_does(value, capsys):
    njit(lambda a, n: print("bytes:", a[0], n))(np.array([value]), 3)
    assert capsys.readouterr().out == f"bytes: {value!r} 3\n"


def test_print_writes_fields_that_are_texts(capsys):
    records = np.array([("caf\u00e9", 2.5)], [("name", "U6"), ("x", "f8")])
    njit(lambda r: print(r.name, r.x))(records[0])
    assert capsys.readouterr().out == "caf\u00e9 2.5\n"


WORDS = np.array(["x", "yz", "x"])


def test_texts_of_an_array_are_keys_and_items_as_strings():
    @njit
    def f(words):
        counts, places, seen = {}, {w: i for i, w in enumerate(words)}, set()
        for w in words:
            counts[w] = counts.get(w, 0) + 1
            seen.add(w)
        return counts, places, seen, [w for w in words], [words[1], "a"]

    counts, places, seen, items, pair = f(WORDS)
    assert dict(counts) == {"x": 2, "yz": 1} and dict(places) == {"x": 2, "yz": 1}
    assert (seen, items, pair) == ({"x", "yz"}, ["x", "yz", "x"], ["yz", "a"])


def test_texts_of_an_array_are_looked_for_in_containers_of_strings():
    @njit
    def f(words, strings, numbers):
        strings.append(words[1])
        numbers[words[1]] = 7
        found = words[1] in strings, words[2] in strings, words[1] in {"q", "yz"}
        return found, strings.index(words[1]), numbers[words[0]], numbers.get(words[1], 0)

    numbers = Dict.empty(types.unicode_type, types.int64)
    numbers["x"] = 5
    assert f(WORDS, ["a"], numbers) == ((True, False, True), 1, 5, 7)
    assert dict(numbers) == {"x": 5, "yz": 7}


def test_texts_of_an_array_are_joined():
    joined = njit(
        lambda a: (
            ",".join(a),
            "-".join([a[0], a[1]]),
            "".join((a[1], a[2])),
            a[0].join(["1", "2"]),
        )
    )
    assert joined(WORDS) == ("x,yz,x", "x-yz", "yzx", "1x2")


@pytest.mark.parametrize("operator", ["==", "!=", "<", "<=", ">", ">="])
@pytest.mark.parametrize("one", ["a", "a[1:, None]", "'b'", "a[0]", "text"])
def test_arrays_of_texts_are_compared_with_texts(operator, one):
    function = eval(f"lambda a, text: (a {operator} {one}, {one} {operator} a)", {"np": np})
    a = np.array(["b", "abc", "", "c", "é"])
    for found, expected in zip(njit(function)(a, "abc"), function(a, "abc"), strict=True):
        assert found.dtype == bool
        np.testing.assert_array_equal(found, expected)


def test_arrays_of_fixed_length_bytes_are_compared():
    function = lambda a, b: (a == b"ab", b"ab\0" <= a, a > b"a", a != b, a < b)
    arguments = np.array([[b"ab", b"c"], [b"", b"abc"]]), np.array([b"ab", b"d"])
    for found, expected in zip(njit(function)(*arguments), function(*arguments), strict=True):
        np.testing.assert_array_equal(found, expected)


def test_a_comparison_of_texts_selects_elements():
    names, values = np.array(["x", "y", "x"]), np.array([1, 2, 4])
    assert njit(lambda names, values: values[names == "x"].sum())(names, values) == 5


def test_arrays_of_texts_that_do_not_broadcast_are_an_error():
    with pytest.raises(ValueError, match="broadcast"):
        njit(lambda a: a == a[1:])(np.array(["x", "y", "x"]))
