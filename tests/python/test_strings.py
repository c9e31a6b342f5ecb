"""Constant strings in compiled code, also as launch arguments."""

import numpy as np
import pytest

from heddle import cuda
from heddle.errors import TypingError, UnsupportedError

N = 7


def run(kernel, *args):
    out = np.zeros(4)
    kernel[1, 1](out, *args)
    return out


@cuda.jit(device=True)
def reduce(a, how):
    if how == "sum":
        return a[0] + a[1]
    if how == "product":
        return a[0] * a[1]
    return a[0] / 0 if how == "nothing" else -1.0


@cuda.jit
def reduced(out, a, how="product"):
    out[0] = reduce(a, how)


@pytest.mark.parametrize("how, expected", [("sum", 7), ("product", 12), ("other", -1)])
def test_a_string_is_an_argument_of_a_launch(device, how, expected):
    assert run(reduced, (3.0, 4.0), how)[0] == expected


def test_a_string_is_the_default_of_a_parameter(device):
    assert run(reduced, (3.0, 4.0))[0] == 12


def test_a_string_is_given_by_keyword(device):
    out = np.zeros(1)
    reduced[1, 1](out, a=(3.0, 4.0), how="sum")
    assert out[0] == 7


def test_each_string_has_its_variant(device):
    @cuda.jit
    def k(out, s):
        out[0] = len(s)

    for text in ("a", "bc", "a"):
        assert run(k, text)[0] == len(text)
    assert len(k.variants()) == 2


def test_strings_are_arguments_in_tuples(device):
    @cuda.jit
    def k(out, options):
        name, value = options[1]
        out[0] = value if name == "scale" and options[0] == "on" else -1

    assert run(k, ("on", ("scale", 3.5)))[0] == 3.5
    assert run(k, ("on", ("shift", 3.5)))[0] == -1


def test_a_numpy_string_is_a_string(device):
    assert run(reduced, (3.0, 4.0), np.str_("sum"))[0] == 7


def test_a_branch_on_a_string_is_not_compiled_for_others(device):
    @cuda.jit
    def k(out, a, mode):
        if mode == "array":
            out[0] = a[0]
        else:
            out[0] = a

    assert run(k, np.ones(1), "array")[0] == 1
    assert run(k, 2.0, "number")[0] == 2


def test_a_declared_kernel_takes_no_strings(device):
    @cuda.jit("void(float64[:], float64)")
    def k(out, x):
        out[0] = x

    with pytest.raises(TypeError, match=r"(?s)Literal\[str\]\(no\).*leave out the signatures"):
        k[1, 1](np.zeros(1), "no")


def test_a_kernel_is_specialized_for_a_string(device):
    @cuda.jit
    def k(out, s):
        out[0] = len(s)

    special = k.specialize(np.zeros(4), "abc")
    assert run(special, "abc")[0] == 3
    with pytest.raises(TypeError, match=r"Literal\[str\]\(four\)"):
        run(special, "four")


def test_kernels_with_strings_tell_their_signatures(device):
    @cuda.jit
    def k(out, s, t):
        out[0] = len(s)

    run(k, "abc", ("d", 1))
    (signature,) = k.overloads
    assert [str(t) for t in signature][1:] == [
        "Literal[str](abc)",
        "Tuple(Literal[str](d), int64)",
    ]


def test_a_string_that_is_not_valid_unicode_is_refused(device):
    with pytest.raises(TypeError, match="not valid Unicode"):
        run(reduced, (3.0, 4.0), "\ud800")


def test_a_string_is_not_stored(device):
    @cuda.jit
    def k(out, s):
        out[0] = s

    with pytest.raises(TypingError, match="cannot store"):
        run(k, "x")


@pytest.mark.parametrize("text", ["", "a", "x\ny\0z", "größer 😀", "%d {}", "a" * 5000])
def test_any_text_is_compared(device, text):
    @cuda.jit
    def k(out, s, length):
        out[0] = s == text
        out[1] = len(s) == length
        out[2] = "ö" in s

    np.testing.assert_array_equal(run(k, text, len(text)), [1, 1, "ö" in text, 0])


def test_parts_of_strings(device):
    @cuda.jit
    def k(out, s):
        out[0] = s[0] == "h" and s[-1] == "e"
        out[1] = s[1:] == "eddle" and s[:-2] + "!" == "hedd!"
        out[2] = ord(s[0]) + ord("€")
        out[3] = chr(65) == "A" and chr(8364) == "€" and ord(chr(0x1F600)) == 0x1F600

    np.testing.assert_array_equal(run(k, "heddle"), [1, 1, ord("h") + ord("€"), 1])


def test_an_index_outside_of_a_string_is_refused(device):
    @cuda.jit
    def k(out, s):
        out[0] = ord(s[3])

    with pytest.raises(TypingError, match="string index 3 is out of range for 3 characters"):
        run(k, "abc")


values = [3, -2.5, 0.1, 1e16, 1e-7, 123456.0, True, None, "it's", (1, "a"), (2.0,), 2j, 1 - 0.5j]


@pytest.mark.parametrize("value", values, ids=repr)
def test_the_text_of_a_constant_is_python_s(device, value):
    text, shown = str(value), repr(value)

    @cuda.jit
    def k(out):
        out[0] = str(value) == text
        out[1] = repr(value) == shown
        out[2] = f"<{value}|{value!r}>" == "<" + text + "|" + shown + ">"

    np.testing.assert_array_equal(run(k), [1, 1, 1, 0])


def test_str_is_still_a_class(device):
    @cuda.jit
    def k(out, s):
        out[0] = isinstance(s, str)
        out[1] = isinstance(out, str)

    np.testing.assert_array_equal(run(k, "x")[:2], [1, 0])


def test_an_f_string_of_constants_is_the_message_of_an_error(device):
    @cuda.jit(debug=True)
    def k(out, mode):
        raise ValueError(f"bad {mode}, not {N} or {N + 1!r}")

    with pytest.raises(ValueError, match="bad fast, not 7 or 8"):
        run(k, "fast")


def test_an_f_string_is_the_message_of_an_assertion(device):
    @cuda.jit(debug=True)
    def k(out):
        assert out[0] > N, f"more than {N}"

    with pytest.raises(AssertionError, match="more than 7"):
        run(k)


def test_an_assertion_leaves_out_a_message_of_values(device):
    @cuda.jit(debug=True)
    def k(out):
        assert out[0] > 1, f"found {out[0]:.2f} and {out[1]}"

    with pytest.raises(AssertionError):
        run(k)


def test_an_error_s_message_of_values_is_refused(device):
    @cuda.jit
    def k(out):
        raise ValueError(f"bad {out[0]}")

    with pytest.raises(UnsupportedError, match=r"(?s)run-time values.*hint: print"):
        run(k)


def test_an_f_string_of_constants_is_printed(device, capfd):
    @cuda.jit
    def k(out):
        print(f"N is {N}", out[0])

    run(k)
    cuda.synchronize()
    assert capfd.readouterr().out == "N is 7 0.000000\n"


@pytest.mark.parametrize(
    "function, match",
    [
        (lambda x: f"{N:3d}", "f-strings with formats"),
        (lambda x: len(repr(x)), "takes constants"),
        (lambda x: ord("ab"), "one character, not of 2"),
        (lambda x: ord(x), "a constant string"),
        (lambda x: ord(chr(-1)), "-1 is not the number of a character"),
        (lambda x: ord(chr(0xD800)), "not the number of a character"),
        (lambda x: ord(chr(x)), "a constant integer"),
        (lambda x: "abc"[x], "index of a string must be a constant"),
        (lambda x: "a" + x, "bad operands"),
    ],
)
def test_what_only_strings_at_run_time_could_do_is_refused(device, function, match):
    device_function = cuda.jit(device=True)(function)

    @cuda.jit
    def k(out, x):
        device_function(x)

    with pytest.raises((TypingError, UnsupportedError), match=match):
        run(k, 1)


def test_the_text_of_a_value_is_the_name_of_its_type(device):
    @cuda.jit
    def f(out):
        out[0] = str(out[0]) == "float64"
        out[1] = str(out) == "array(float64, 1d, C)"

    assert list(run(f)[:2]) == [1, 1]
