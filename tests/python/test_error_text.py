"""Error messages: the expression above the caret, the types, and a hint about what to do."""

import math

import numpy as np
import pytest

from heddle import cuda, njit
from heddle.errors import CompileError, TypingError


def message(function, *args):
    with pytest.raises(CompileError) as error:
        cuda.jit(function)[1, 1](np.zeros(4), *args)
    return str(error.value)


def underlined(function, *args):
    """The text above the carets of the error."""
    lines = message(function, *args).splitlines()
    carets = next(
        i for i, line in enumerate(lines) if set(line) >= {"|", "^"} and "^" in line.split("|")[1]
    )
    start, end = lines[carets].index("^"), lines[carets].rindex("^") + 1
    return lines[carets - 1][start:end]


def test_the_caret_is_under_a_variables_use_not_its_assignment(device):
    def f(out, n):
        half = n / 2
        out[0] = 1
        out[half] = 2

    assert underlined(f, 3) == "half" and "out[half] = 2" in message(f, 3)


def test_the_caret_is_under_the_argument_of_a_call(device):
    def f(out):
        number = 1
        out[0] = math.sin(out) + len(number)

    assert underlined(f) == "out"


def test_the_caret_is_under_the_stored_value(device):
    def f(out):
        pair = (1, 2)
        out[0] = pair

    assert underlined(f) == "pair" and "UniTuple(int64 x 2)" in message(f)


def test_the_caret_is_under_the_tested_value(device):
    def f(out, record):
        if record:
            out[0] = 1

    record = np.zeros(1, [("a", np.int32)])[0]
    assert underlined(f, record) == "record" and "if record:" in message(f, record)


def test_the_caret_is_under_one_element_of_an_index(device):
    def f(out, n):
        table = cuda.local.array((2, 2), np.int32)
        out[0] = table[0, n]

    assert underlined(f, 1.5) == "n"


def test_the_caret_is_under_the_index_of_an_atomic(device):
    def f(out, place):
        cuda.atomic.add(out, place, 1)

    assert underlined(f, 1j) == "place"


@pytest.mark.parametrize(
    "function, hint",
    [
        (lambda out: input(out[0]), "the builtins that kernels have are abs, "),
        (lambda out: sorted((1, 2)), "sort with loops"),
        (lambda out: map(abs, (1, 2)), "write a loop"),
        (lambda out: filter(None, (1, 2)), "write a loop with an if"),
        (lambda out: out.sort(), "sort with loops"),
        (lambda out: np.median(out), "loop over the elements"),
        (lambda out: np.zeros(3), "cuda.local.array and cuda.shared.array make arrays"),
        (lambda out: out.copy(), "cuda.local.array(8, a.dtype) and r[:] = a"),
        (lambda out: math.factorial(3), "@cuda.jit(device=True)"),
        (lambda out: message(out), "decorate it with @cuda.jit(device=True)"),
        (lambda out: cuda.to_device(out), "before the launch"),
        (lambda out: np.longdouble(1), "kernels have no type for elements of dtype float128"),
    ],
    ids=[
        "input",
        "sorted",
        "map",
        "filter",
        "sort",
        "np.median",
        "np.zeros",
        "copy",
        "factorial",
        "function",
        "to_device",
        "longdouble",
    ],
)
def test_a_call_that_kernels_cannot_make_says_what_to_do_instead(device, function, hint):
    assert f"hint: {hint}" in message(function) or hint in message(function).split("hint: ")[1]


@pytest.mark.parametrize(
    "function",
    [
        lambda out: min(1),
        lambda out: abs(1, 2),
        lambda out: round("a"),
        lambda out: divmod(1, (2,)),
        lambda out: abs + 1,
    ],
    ids=["min", "abs", "round", "divmod", "abs itself"],
)
def test_builtins_are_called_by_their_plain_names(device, function):
    assert "builtins." not in message(function)


def test_the_types_of_the_launch_are_told(device):
    def k(out, n):
        out.nothing

    assert "compiling k(array(float64, 1d, C), int64) for" in message(k, 3)


@pytest.mark.parametrize(
    ("use", "value", "hint"),
    [
        (lambda x: x.sqrt(), 2.0, r"math.sqrt\(x\)"),
        (lambda x: x.sqrt(), np.ones(2), r"np.sqrt\(a\)"),
        (lambda x: x.length, np.ones(2), r"len\(x\)"),
        (lambda x: x.push(1), [1], r"x.append\(item\)"),
        (lambda x: x.apend(1), [1], "'append'"),
        (lambda x: {x}.append(1), 1, r"x.add\(item\)"),
        (lambda x: {x: x}.has_key(1), 1, "key in x"),
        (lambda x: x.uper(), "a", "'upper'"),
    ],
)
def test_a_method_of_another_name_is_told(use, value, hint):
    with pytest.raises(TypingError, match=f"has no attribute(.|\n)*hint: .*{hint}"):
        njit(use)(value)


def test_a_function_of_a_number_is_told_in_kernels():
    @cuda.jit
    def roots(a):
        a[0] = a[0].sqrt()

    with pytest.raises(TypingError, match=r"hint: write math.sqrt\(x\)"):
        roots[1, 1](np.ones(1))


def test_a_debugger_in_a_kernel_says_how_to_run_it_as_plain_python():
    import pdb

    @cuda.jit
    def k(x):
        pdb.set_trace()

    with pytest.raises(TypingError, match="'set_trace' of a debugger") as error:
        k[1, 1](np.zeros(1))
    assert "hint: with HEDDLE_DISABLE_JIT=1" in str(error.value)


def test_the_error_for_arguments_that_a_library_function_does_not_take():
    with pytest.raises(TypingError) as error:
        njit(lambda text: np.vander(text))("ab")
    assert "hint: it takes other types, or another number of arguments" in str(error.value)


def test_the_error_for_a_list_in_an_f_string_names_the_types_that_f_strings_take():
    with pytest.raises(CompileError) as error:
        njit(lambda values: f"values: {values}")([1, 2])
    assert "take numbers, strings and tuples of these, not list(int64)" in str(error.value)
