"""Functions as arguments of host functions: the callee is compiled for them."""

import pickle

import numpy as np
import pytest

import heddle
from heddle import njit, types
from heddle.errors import ArgumentError, TypingError


@njit
def square(x):
    return x * x


@njit
def half(x):
    return x / 2


@njit
def applied(f, x):
    return f(x)


def added_to(n):
    @njit
    def add(x):
        return x + n

    return add


def test_a_jitted_function_is_an_argument():
    assert (applied(square, 3), applied(half, 3), applied(square, 1.5)) == (9, 1.5, 2.25)


def test_each_function_is_another_specialization():
    calls = [applied(added_to(n), 10) for n in range(3)]
    assert calls == [10, 11, 12]
    known = added_to(5)
    before = len(applied.signatures)
    assert [applied(known, i) for i in range(3)] == [5, 6, 7]
    assert len(applied.signatures) == before + 1


def test_functions_come_in_tuples():
    @njit
    def total(functions, x):
        out = 0.0
        for f in functions:
            out += f(x)
        return out + functions[1](x)

    assert total((square, half), 4) == 16 + 2 + 2


def test_a_function_made_inside_is_passed_on():
    @njit
    def f(x):
        def plus(y):
            return x + y

        return applied(plus, x) + applied(lambda y: y * x, 3)

    assert f(4) == 8 + 12


def test_a_function_gets_a_function_with_arrays():
    @njit
    def bisect(f, a, b, *rest):
        while b - a > 1e-9:
            middle = (a + b) / 2
            if f(middle, *rest) > 0:
                b = middle
            else:
                a = middle
        return a

    @njit
    def polynomial(x, c):
        return c[0] + c[1] * x + c[2] * x * x

    root = bisect(polynomial, 0.0, 2.0, np.array([-2.0, 0.0, 1.0]))
    np.testing.assert_allclose(root, np.sqrt(2))


def test_a_type_is_an_argument():
    @njit
    def zeros(n, dtype):
        return np.zeros(n, dtype)

    assert zeros(2, np.float32).dtype == np.float32
    assert zeros(2, np.int16).dtype == np.int16


def test_a_function_by_name_and_by_default():
    @njit
    def g(x, f=square):
        return f(x)

    assert (g(3), g(3, f=half)) == (9, 1.5)


def test_a_function_that_is_not_compiled_is_refused_with_advice():
    with pytest.raises(ArgumentError, match="argument 1 .f. of applied.*\n.*@njit"):
        applied(lambda x: x, 1)


@pytest.mark.parametrize("dtype", ["int32", "complex64", "bool"])
def test_a_dtype_is_an_argument(dtype):
    made = njit(lambda n, dtype: np.zeros(n, dtype=dtype))(2, np.dtype(dtype))
    assert made.dtype == np.dtype(dtype) and made.shape == (2,)


def test_signatures_name_lists_sets_and_optional_values():
    @njit("int64(List(int64), Set(int64), optional(float64))")
    def count(numbers, found, x):
        numbers.append(len(found))
        return len(numbers) if x is None else int(x)

    numbers = [1]
    assert count(numbers, {7, 8}, None) == 2
    assert numbers == [1, 2]
    assert count(numbers, {7}, 40.0) == 40
    assert heddle.typeof([1, 2]) == types.List(types.int64)
    assert isinstance(heddle.typeof({1.5}), types.Set)


def test_extend_gives_none():
    @njit
    def extend():
        numbers = [1]
        return numbers.extend((2, 3)), numbers

    assert extend() == (None, [1, 2, 3])


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_bytes_are_arrays_of_uint8(kind):
    @njit
    def facts(data):
        total = 0
        for byte in data:
            total += byte
        return len(data), data[0], data[-1], total

    assert facts(kind(b"abc")) == (3, 97, 99, 294)


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_an_array_over_bytes_is_an_array(kind):
    @njit
    def over(data):
        return np.frombuffer(data, np.uint8)

    array = over(kind(b"abc"))
    assert type(array) is np.ndarray and array.tolist() == [97, 98, 99]


def test_bytearrays_are_changed_in_place_and_bytes_are_not():
    @njit
    def change(data):
        data[0] = 65

    data = bytearray(b"abc")
    change(data)
    assert data == b"Abc"
    with pytest.raises(TypingError, match="cannot write to a read-only array"):
        change(b"abc")


@pytest.mark.parametrize("form", ["types", "text"])
def test_a_signature_takes_any_function_of_a_type(form):
    of_numbers = types.FunctionType(types.float64(types.float64))
    signature = types.float32(of_numbers, types.float64)
    if form == "text":
        signature = "float32(FunctionType(float64(float64)), float64)"

    @njit(signature)
    def called(f, x):
        return f(x) + type(x)(0.25)

    assert [called(square, 3), called(half, 3), called(x=1.5, f=square)] == [9.25, 1.75, 2.5]
    assert {s.return_type for s in called.nopython_signatures} == {types.float32}
    assert {s.args[1] for s in called.nopython_signatures} == {types.float64}
    assert njit(lambda x: called(square, x) + called(half, x))(2.0) == 4.25 + 1.25


def test_a_signature_of_functions_refuses_what_does_not_fit():
    of_numbers = types.FunctionType(types.float64(types.float64))
    called = njit((of_numbers, types.float64))(lambda f, x: f(x))
    for arguments in [(1, 2.0), (square, "x"), (square, np.zeros(2))]:
        with pytest.raises(TypeError, match="no signature"):
            called(*arguments)
    with pytest.raises(TypeError, match="missing"):
        called(square)


def test_the_type_of_a_function_is_one_of_signatures():
    of_square = heddle.typeof(square)
    called = njit((of_square, types.float64))(lambda f, x: f(x))
    assert called(square, 3) == 9 and isinstance(of_square, types.Callable)
    with pytest.raises(TypeError, match="no signature"):
        called(half, 3)


def test_a_function_whose_signature_takes_functions_is_pickled():
    again = pickle.loads(pickle.dumps(integral))
    assert again(square, 4) == integral(square, 4) == 14


@njit(types.float64(types.FunctionType(types.float64(types.float64)), types.int64))
def integral(f, n):
    total = 0.0
    for i in range(n):
        total += f(float(i))
    return total


@pytest.mark.parametrize(
    ("signature", "value", "error"),
    [
        ("uint64(uint64)", -5, OverflowError),
        ("uint8(uint8)", np.int32(-3), OverflowError),
        ("uint32(uint32)", -1.5, OverflowError),
        ("int64(int64)", 2**63, OverflowError),
        ("int64(int64)", np.inf, OverflowError),
        ("int64(int64)", 1e20, OverflowError),
        ("int32(int32)", -2147483649.0, OverflowError),
        ("uint64(uint64)", 2.0**64, OverflowError),
        ("int32(int32)", np.nan, ValueError),
    ],
)
def test_a_signature_refuses_numbers_that_its_integers_do_not_have(signature, value, error):
    with pytest.raises(error, match="convert"):
        njit(signature)(lambda x: x)(value)


def test_a_signature_names_functions_in_tuples():
    of_numbers = types.FunctionType(types.float64(types.float64))

    @njit(types.float64(types.UniTuple(of_numbers, 2), types.float64))
    def both(functions, x):
        return functions[0](x) + functions[1](x)

    assert (both((square, half), 4.0), both((half, half), 3)) == (18.0, 3.0)
    with pytest.raises(TypeError, match="no signature of both takes"):
        both((square, 2.0), 4.0)
