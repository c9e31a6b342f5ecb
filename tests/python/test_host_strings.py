"""Strings in host functions: passed, created, compared, iterated, returned; the owner of their memory."""

import gc

import numpy as np
import pytest

import heddle
from heddle import njit

pytestmark = pytest.mark.usefixtures("everything_is_freed")


# ASCII, Latin-1, what takes two, three and four bytes in UTF-8, half of a surrogate pair, white space of several kinds.
TEXTS = [
    "",
    "a",
    "banana",
    " a b  c\t",
    "-42",
    "123",
    "१२३",
    "café",
    "Straße",
    "日本日",
    "\U0001f600a",
    "\ud83dx",
    "x\u3000y\u2003",
    "\ufeffz",
    "l1\nl2\r\nl3\u2028z",
    "aXbXX",
]


def outcome(function, *arguments):
    try:
        return function(*arguments)
    except Exception as e:
        return type(e), e.args


def characters(s):
    out = [c for c in s]  # noqa: C416 - each is one string
    backwards = ""
    for c in s:
        backwards = c + backwards
    return len(s), bool(s), out, backwards, s + "!", s * 2, 0 * s, "é" + s


def slices(s):
    return s[:], s[1:], s[:-1], s[1:3], s[::-1], s[::2], s[-2:], s[5:2], s[3:0:-2], s[True:]


def classes(s):
    return (
        s.isalpha(),
        s.isdigit(),
        s.isdecimal(),
        s.isnumeric(),
        s.isalnum(),
        s.isspace(),
        s.isprintable(),
        s.isascii(),
        s.islower(),
        s.isupper(),
        s.istitle(),
        s.isidentifier(),
    )


def cases(s):
    return s.upper(), s.lower(), s.title(), s.capitalize(), s.swapcase(), s.casefold()


def ends(s):
    return s.strip(), s.lstrip(), s.rstrip(), s.strip("aX "), s.lstrip("b"), s.rstrip("é日")


def padded(s):
    return s.zfill(6), s.ljust(8), s.rjust(8, "é"), s.center(9, "*"), s.center(4), s.ljust(-1)


def divided(s):
    return s.split(), s.split("X"), s.split("a", 1), s.rsplit(None, 1), s.rsplit("X", 1)


def lines(s):
    return s.splitlines(), s.splitlines(True), s.partition("a"), s.rpartition("X")


def replaced(s):
    return s.replace("a", "日"), s.replace("X", "", 1), s.replace("", "-"), s.replace("", "é", 2)


def without_ends(s):
    return s.removeprefix("ba"), s.removesuffix("X"), s.removeprefix("nothing"), "-".join(s)


def with_tabs(s):
    return (
        s.expandtabs(),
        s.expandtabs(3),
        ("ab\tc\n\td" + s).expandtabs(tabsize=4),
        "a\tb".expandtabs(0),
    )


def number_in(s):
    return int(s) * 2


def hexadecimal(s):
    return int(s, 16)


def float_in(s):
    return float(s)


OF_ONE = [
    characters,
    slices,
    classes,
    cases,
    ends,
    padded,
    divided,
    lines,
    replaced,
    without_ends,
    with_tabs,
    number_in,
    hexadecimal,
    float_in,
]


@pytest.mark.parametrize("function", OF_ONE, ids=lambda f: f.__name__)
def test_a_function_of_a_string_does_what_python_does(function):
    compiled = njit(function)
    assert [outcome(compiled, s) for s in TEXTS] == [outcome(function, s) for s in TEXTS]


def compared(a, b):
    return a == b, a != b, a < b, a <= b, a > b, a >= b, a in b, b not in a


def looked_for(a, b):
    return a.find(b), a.rfind(b), a.count(b), a.startswith(b), a.endswith(b), a.startswith((b, "x"))


def looked_for_in_parts(a, b):
    return a.find(b, 1), a.find(b, -3, -1), a.rfind(b, 1, 4), a.count(b, 2), a.startswith(b, 1)


def place_of(a, b):
    return a.index(b) * 10 + a.rindex(b)


def in_tuples(a, b):
    return (a, 1) == (b, 1), (a, b) < (b, a), a in (b, "a"), max([a, b]), (a, (b, 2))


PIECES = ["", "a", "an", "X", "日", "é", "\ud83d", "nana", "banana"]


@pytest.mark.parametrize(
    "function",
    [compared, looked_for, looked_for_in_parts, place_of, in_tuples],
    ids=lambda f: f.__name__,
)
def test_a_function_of_two_strings_does_what_python_does(function):
    compiled = njit(function)
    pairs = [(a, b) for a in TEXTS for b in PIECES]
    assert [outcome(compiled, *p) for p in pairs] == [outcome(function, *p) for p in pairs]


# Numbers as text


def texts_of(i, x, b):
    return str(i), str(x), str(b), repr(x), str((i, x)), f"{i} {x} {b}", f"{i!r}{x!s:>9}"


def formatted(i, x, b):
    by_method = "{} {:>6}".format(i, x)  # noqa: UP032 - the method is what is tested
    by_percent = "%d %s %5.1f" % (i, x, x)  # noqa: UP031 - the same
    return f"{i:5d}|{x:.3f}|{x:e}", f"{i:<{i % 9}}", by_percent, by_method


@pytest.mark.parametrize("function", [texts_of, formatted], ids=lambda f: f.__name__)
@pytest.mark.parametrize(
    "x", [0.0, -0.0, 1.5, 1e16, 9.999e15, 1e-4, 1e-5, 5e-324, 1.7976931348623157e308, float("inf")]
)
def test_numbers_have_pythons_text(function, x):
    for i in (0, -5, 2**63 - 1, -(2**63)):
        assert njit(function)(i, x, True) == function(i, x, True)


MAY_BE_NUMBERS = ["", "_1", "1__0", "1_0", "9223372036854775807", "-9223372036854775808", "0x1f"]
MAY_BE_NUMBERS += [" +.5e+3 ", "1_0.5", "nan", "-Infinity", "1e400", "1e-400", ".", "-"]


def test_texts_that_may_be_numbers():
    whole, real = njit(lambda s: int(s)), njit(float_in)
    for compiled, python in ((whole, int), (real, float)):
        found = [outcome(compiled, text) for text in MAY_BE_NUMBERS]
        assert repr(found) == repr([outcome(python, text) for text in MAY_BE_NUMBERS])


def test_an_integer_of_more_than_64_bits_is_an_error():
    with pytest.raises(OverflowError, match="int too large"):
        njit(lambda s: int(s))("9223372036854775808")


def test_characters_and_their_numbers():
    def both(s, i):
        return [ord(c) for c in s], chr(i)

    for i in (0, 65, 233, 0x3042, 0x1F600, 0x10FFFF):
        assert njit(both)("aé日\U0001f600", i) == both("aé日\U0001f600", i)
    with pytest.raises(ValueError, match="chr"):
        njit(both)("", -1)
    with pytest.raises(TypeError, match="ord"):
        njit(lambda s: ord(s))("ab")


# Where strings may be


def test_one_variable_has_different_strings():
    def sign(x):
        text = "zero"
        if x < 0:
            text = "négatif"
        elif x > 0:
            text = "plus"
        return text

    compiled = njit(sign)
    assert [compiled(x) for x in (-1, 0, 1)] == ["négatif", "zero", "plus"]
    assert len(compiled.signatures) == 1


def test_a_function_is_compiled_once_for_all_strings():
    compiled = njit(lambda s: len(s))
    assert (compiled("a"), compiled("abc"), compiled("日本")) == (1, 3, 2)
    assert len(compiled.signatures) == 1


def test_a_string_may_be_none():
    def first(words):
        found = None
        for word in words:
            if found is None and len(word) > 1:
                found = word
        return found

    assert njit(first)(["a", "bc", "def"]) == "bc"
    assert njit(first)(["a"]) is None


def test_lists_of_strings_are_taken_changed_and_returned():
    def change(words):
        words.append("nouveau é")
        words[0] = words[0].upper()
        words.sort()
        return [w * 2 for w in words], "é" in words, words.index("b"), ", ".join(words)

    with pytest.raises(ValueError, match="not in list"):
        njit(change)(["c"])
    words = ["x", "b"]
    expected_words = ["x", "b"]
    assert njit(change)(words) == change(expected_words)
    assert words == expected_words


def test_a_part_of_an_argument_outlives_nothing():
    def parts(s):
        return s[1:4], s.split(",")

    text = "".join(["a,b,", "c,d"])
    result = njit(parts)(text)
    del text
    gc.collect()
    assert result == (",b,", ["a", "b", "c", "d"])


def test_strings_pass_through_other_functions():
    @njit
    def repeated(s, n):
        return s if n == 0 else repeated(s + "x", n - 1)

    @njit
    def choose(flag):
        return repeated("a", 2) if flag else repeated("bé", 1)

    assert (choose(True), choose(False)) == ("axx", "béx")


def test_words_are_counted():
    def most_common(text):
        words = [""]
        counts = [0]
        for word in text.lower().split():
            plain = word.strip(".,")
            if plain in words:
                counts[words.index(plain)] += 1
            else:
                words.append(plain)
                counts.append(1)
        return words[counts.index(max(counts))]

    text = "The cat saw the dog, and the dog saw it."
    assert njit(most_common)(text) == most_common(text) == "the"


def test_a_signature_names_strings():
    @njit("unicode_type(unicode_type, int64)")
    def times(s, n):
        return s * n

    assert times("é", 2) == "éé"
    assert str(times.signatures[0]) == "(unicode_type, int64)"
    assert njit((heddle.types.unicode_type,))(lambda s: len(s))("日") == 1


def test_print_writes_strings(capsys):
    @njit
    def show(s):
        print(s, len(s), (s, 1.5), "end")

    show("it's 日xy")
    show("\ud83d"[:0])
    assert capsys.readouterr().out == "it's 日xy 8 (\"it's 日xy\", 1.5) end\n 0 ('', 1.5) end\n"


def test_exceptions_have_strings():
    @njit
    def check(name, n):
        if n < 0:
            raise ValueError(f"{name} is {n}")
        raise KeyError(name.upper() + "!", n)

    with pytest.raises(ValueError) as caught:
        check("größe", -2)
    assert caught.value.args == ("größe is -2",)
    with pytest.raises(KeyError) as caught:
        check("日x", 2)
    assert caught.value.args == ("日X!", 2)


def test_an_index_out_of_a_string_is_an_error():
    with pytest.raises(IndexError, match="string index out of range"):
        njit(lambda s, i: s[i])("abc", 3)
    with pytest.raises(ValueError, match="slice step cannot be zero"):
        njit(lambda s, i: s[::i])("abc", 0)
    with pytest.raises(ValueError, match="empty separator"):
        njit(lambda s, sep: s.split(sep))("abc", "")


def test_an_error_of_pythons_formats_is_raised():
    with pytest.raises(ValueError, match="Unknown format code"):
        njit(lambda s: f"{s:d}")("abc")


def message_of(function, *arguments):
    with pytest.raises(heddle.CompileError) as caught:
        njit(function)(*arguments)
    return str(caught.value)


def test_what_strings_do_not_do_is_explained():
    assert "str(x) is the text of a number" in message_of(lambda s, i: s + i, "a", 1)
    assert "has no attribute 'encode'" in message_of(lambda s: s.encode(), "a")
    assert "the index of a string must be an integer" in message_of(lambda s: s[1.5], "a")


def test_kernels_have_no_strings_at_run_time():
    @heddle.cuda.jit
    def kernel(a, s):
        a[0] = len(s + "bc") + ord(s)

    import numpy as np

    a = np.zeros(1)
    kernel[1, 1](a, "a")
    assert a[0] == 3 + 97


@pytest.mark.parametrize("a", [None, "x", "y"])
@pytest.mark.parametrize("b", [None, "x"])
def test_strings_that_may_be_none_are_compared(a, b):
    @njit
    def compared(a, b, has_a, has_b):
        left = a if has_a else None
        right = b if has_b else None
        return left == right, left != right, left == "x", "x" != right

    given = a or "", b or "", a is not None, b is not None
    assert compared(*given) == (a == b, a != b, a == "x", b != "x")


@pytest.mark.parametrize("name, place", [("fluid", 1), ("gas", 2), ("plasma", -1)])
def test_tuples_of_strings_tell_the_place_of_one(name, place):
    phases = ("solid", "fluid", "gas")

    @njit
    def place_of(name):
        return phases.index(name) if name in phases else -1

    assert place_of(name) == place
    assert njit(lambda name: phases.count(name))(name) == phases.count(name)


def test_a_string_that_is_not_in_a_tuple_has_no_place_in_it():
    with pytest.raises(ValueError, match="x not in tuple"):
        njit(lambda name: ("solid", "gas").index(name))("plasma")


def test_the_place_of_what_no_string_equals_is_a_number_that_is_not_found():
    values = np.array([1.5, 2.5])

    @njit
    def value_of(name):
        return values[("solid", "gas").index(name)] + values[["solid", "gas"].index(name)]

    assert value_of("gas") == 5.0
    with pytest.raises(ValueError, match="x not in tuple"):
        value_of(None)


def test_what_is_no_string_is_in_no_tuple_of_strings():
    in_tuple = njit(lambda x: x in ("a", "b"))
    assert not in_tuple(None)
    assert not in_tuple(1)
    assert njit(lambda x: x not in ("a", "b"))(None)


def test_tuples_in_a_tuple_are_found():
    pairs = ((1, 2), (3, 4))
    found = njit(lambda pair: (pair in pairs, pairs.count(pair)))
    assert found((3, 4)) == (True, 1)
    assert found((3, 5)) == (False, 0)


@pytest.mark.parametrize(
    "x, held", [("a", True), (1, True), (None, True), (7, False), ("b", False)]
)
def test_tuples_of_several_types_hold_values_of_any(x, held):
    assert njit(lambda x: x in ("a", 1, None))(x) == held


@pytest.mark.parametrize("case", [1, 2, 3])
def test_branches_share_a_string_selected_from_a_tuple(case):
    def labels(pairs, case):
        text = ""
        for pair in pairs:
            if case == 1:
                text += f"{pair[0]}a"
            elif case == 2:
                text += f"{pair[0]}b"
        return text

    pairs = (("x" * 3, "b"), ("é", "d"))
    assert njit(labels)(pairs, case) == labels(pairs, case)


@pytest.mark.parametrize("place", [0, 1, -1])
def test_branches_share_a_string_at_an_index(place):
    def label(texts, place):
        text = texts[place]
        if len(text) > 4:
            return text + "!"
        if len(text) > 1:
            return text + "?"
        return "-"

    texts = ("a longer text", "ab")
    assert njit(label)(texts, place) == label(texts, place)


@pytest.mark.parametrize("first", [True, False])
def test_branches_share_a_part_of_an_array_from_a_tuple(first):
    def parts(arrays, first):
        found = []
        for array in arrays:
            if first:
                found.append(array[:1])
            else:
                found.append(array[1:])
        return found

    arrays = (np.arange(3), np.arange(3, 7))
    results = njit(parts)(arrays, first)
    assert [a.tolist() for a in results] == [a.tolist() for a in parts(arrays, first)]
