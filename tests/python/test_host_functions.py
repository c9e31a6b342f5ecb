"""Host functions: their arguments, results and exceptions, and how they are compiled."""

import enum
import gc
import math
import pickle
import re
import threading
import weakref
from collections import namedtuple

import numpy as np
import pytest

import heddle
from heddle import cuda, jit, njit, prange, typed, types, vectorize
from heddle.extending import overload

Point = namedtuple("Point", "x y")


class Color(enum.Enum):
    RED = 1
    BLUE = 2


class Level(enum.IntEnum):
    LOW = 3
    HIGH = 4


@njit
def same(x):
    return x


@njit
def added(a, b):
    return a + b


@njit
def factorial(n):
    return 1 if n < 2 else n * factorial(n - 1)


# Values


@pytest.mark.parametrize(
    "value",
    [
        *(0, -(2**63), 2**64 - 1, 1.5, float("inf"), True, False, 1 - 2j, None, "text", ""),
        *((1, 2.5), ((), (None, "x")), (1,), Color.BLUE, Level.HIGH, Point(1, 2.5)),
        *(Point((1, 2), None), np.datetime64("2024-02-29", "D"), np.timedelta64(5, "ms")),
    ],
    ids=repr,
)
def test_a_value_comes_back_as_it_went_in(value):
    result = same(value)
    assert (type(result), result) == (type(value), value)


@pytest.mark.parametrize(
    "name", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
)
def test_integers_of_every_width_come_back_as_ints(name):
    for value in (np.iinfo(name).min, np.iinfo(name).max):
        result = same(np.dtype(name).type(value))
        assert (type(result), result) == (int, value)


@pytest.mark.parametrize("name", ["float16", "float32", "float64"])
def test_floats_of_every_width_come_back_as_floats(name):
    result = same(np.dtype(name).type(0.1))
    assert (type(result), result) == (float, float(np.dtype(name).type(0.1)))


def test_narrow_integers_are_added_as_numba_does():
    assert added(np.int8(100), np.int8(100)) == 200
    assert added(np.uint64(1), np.int64(-2)) == -1.0
    assert added(2**62, 2**62) == -(2**63)
    assert added(np.float32(0.1), np.float32(0.2)) == np.float32(0.1) + np.float32(0.2)


def test_what_may_be_none_is_returned():
    @njit
    def first_above(values, bound):
        for v in values:
            if v > bound:
                return v
        return None

    values = np.array([1.0, 5.0])
    assert first_above(values, 2.0) == 5.0
    assert first_above(values, 9.0) is None


# Arrays

LAYOUTS = {
    "C": lambda a: np.ascontiguousarray(a),
    "F": lambda a: np.asfortranarray(a),
    "strided": lambda a: np.repeat(a, 2, axis=1)[:, ::2],
    "reversed": lambda a: a[::-1, ::-1],
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    "dtype", ["?", "i1", "u2", "i4", "u8", "f2", "f4", "f8", "c8", "c16", "M8[s]", "i4,f8"]
)
def test_arrays_of_every_dtype_and_layout_are_read_and_written(dtype, layout):
    @njit
    def transposed_into(a, out):
        for i in range(a.shape[0]):
            for j in range(a.shape[1]):
                out[j, i] = a[i, j]

    a = LAYOUTS[layout](np.arange(6).reshape(2, 3).astype(np.dtype(dtype)))
    out = np.zeros((3, 2), dtype)
    transposed_into(a, out)
    np.testing.assert_array_equal(out, a.T)


def test_an_array_that_was_passed_in_comes_back_itself():
    a = np.arange(4.0)
    assert same(a) is a
    assert same((a, 1))[0] is a


def test_a_view_is_in_the_memory_of_the_array_and_keeps_it():
    @njit
    def odd(a):
        return a[1::2]

    a = np.arange(6)
    view = odd(a)
    a[1] = 10
    del a
    gc.collect()
    np.testing.assert_array_equal(view, [10, 3, 5])


def test_a_transposed_view_has_the_strides_of_its_array():
    @njit
    def turned(a):
        return a.T[::-1]

    a = np.arange(6).reshape(2, 3)
    np.testing.assert_array_equal(turned(a), a.T[::-1])
    assert np.shares_memory(turned(a), a)


def test_a_read_only_array_stays_read_only():
    @njit
    def set_first(a):
        a[0] = 1

    a = np.zeros(3)
    a.flags.writeable = False
    with pytest.raises(heddle.TypingError):
        set_first(a)
    assert not same(a).flags.writeable


def test_a_global_array_is_a_constant_of_the_function():
    table = np.array([2, 3, 5])

    @njit
    def whole():
        return table

    result = whole()
    np.testing.assert_array_equal(result, table)
    assert not np.shares_memory(result, table)


# Calls


def test_functions_call_each_other_and_themselves():
    @njit
    def of_sum(a, b):
        return factorial(added(a, b))

    assert of_sum(2, 3) == 120


def test_a_kernels_device_function_is_called():
    @cuda.jit(device=True)
    def squared(x):
        return x * x

    @njit
    def four(x):
        return squared(squared(x))

    assert four(3) == 81


def test_a_kernel_calls_a_function_of_the_host(device):
    @njit
    def doubled(x):
        return x + x

    @cuda.jit
    def kernel(out):
        out[cuda.grid(1)] = doubled(cuda.grid(1))

    out = np.zeros(4, np.int64)
    kernel[1, 4](out)
    np.testing.assert_array_equal(out, [0, 2, 4, 6])


def test_a_closure_is_a_constant():
    def make(n):
        @njit
        def add_n(x):
            def inner(y):
                return y + n

            return inner(x)

        return add_n

    assert make(3)(4) == 7


def test_arguments_are_given_by_name_and_by_default():
    @njit
    def weighted(a, b=2, *rest, scale=10):
        return (a + b + len(rest)) * scale

    assert weighted(1) == 30
    assert weighted(1, b=5) == 60
    assert weighted(1, 2, 3, 4, scale=1) == 5


def test_a_method_gets_its_instance():
    class Numbers:
        second = njit(lambda self, x: x + 1)

    assert types.int64 is not None
    with pytest.raises(TypeError, match="argument 1"):
        Numbers().second(1)


# Numbers as Python has them


def test_whole_numbers_of_floats_are_ints():
    @njit
    def whole(x):
        return math.floor(x), math.ceil(x), math.trunc(x), round(x), int(x)

    for x in (2.5, -2.5, np.float32(7.75), 3, True, np.int8(-4)):
        result = whole(x)
        plain = x.item() if isinstance(x, np.generic) else x
        assert result == (
            *(math.floor(plain), math.ceil(plain), math.trunc(plain)),
            *(round(plain), int(plain)),
        )
        assert {type(value) for value in result} == {int}
    assert whole(np.uint64(2**63))[0] == 2**63
    assert list(range(100))[njit(lambda n: math.floor(n / 3))(100)] == 33


# Exceptions


@njit
def divided(a, b):
    return a // b, a % b, a / b


@pytest.mark.parametrize("values", [(1, 0), (1.0, 0.0), (1, 0j)], ids=repr)
def test_a_division_by_zero_raises(values):
    with pytest.raises(ZeroDivisionError):
        added(*values) and njit(lambda a, b: a / b)(*values)


def test_with_numpys_error_model_a_division_by_zero_is_an_infinity():
    quotient = njit(error_model="numpy")(lambda a, b: a / b)
    assert quotient(1.0, 0.0) == float("inf")
    assert divided(7, -2) == (7 // -2, 7 % -2, 7 / -2)


class OwnError(Exception):
    pass


@pytest.mark.parametrize("kind", [ValueError, IndexError, KeyError, StopIteration, OwnError])
def test_an_exception_has_its_class_and_arguments(kind):
    @njit
    def raises(x):
        if x > 0:
            raise kind("too large", 3, (1.5, None))
        return x

    assert raises(0) == 0
    with pytest.raises(kind) as caught:
        raises(1)
    assert caught.value.args == ("too large", 3, (1.5, None))


def test_an_exception_has_arguments_of_run_time():
    @njit
    def raises(n, x, pair):
        if n > 0:
            raise ValueError("too large", n, pair, -n)
        if n < 0:
            raise KeyError(f"{n} is negative, x is {x}")
        assert x < 1, f"x = {x}"

    calls = {
        (3, 0.5, (1, 2j)): ValueError("too large", 3, (1, 2j), -3),
        (-3, 0.5, (1, 2j)): KeyError("-3 is negative, x is 0.5"),
        (0, 1.5, (1, 2j)): AssertionError("x = 1.5"),
    }
    for arguments, expected in calls.items():
        with pytest.raises(type(expected)) as caught:
            raises(*arguments)
        assert caught.value.args == expected.args


def test_the_last_frame_of_a_traceback_is_the_line_that_raised():
    @njit
    def inner(x):
        assert x < 3, "x is too large"
        return x

    @njit
    def outer(x):
        return inner(x) + 1

    with pytest.raises(AssertionError) as caught:
        outer(5)
    assert caught.value.args == ("x is too large",)
    frame = caught.traceback[-1]
    assert (frame.name, str(frame.statement).strip()) == ("inner", 'assert x < 3, "x is too large"')


def test_an_assertion_without_a_message_has_no_arguments():
    @njit
    def positive(x):
        assert x > 0

    with pytest.raises(AssertionError) as caught:
        positive(0)
    assert caught.value.args == ()


def test_an_index_out_of_bounds_raises_where_it_is_asked_for():
    second = njit(boundscheck=True)(lambda a: a[1])
    with pytest.raises(IndexError, match="index 1 is out of bounds for axis 0 .*size 1"):
        second(np.zeros(1))


def test_a_wrong_step_and_a_wrong_shape_raise_always():
    @njit
    def assign(a, b, step):
        for _ in range(0, 3, step):
            a[:] = b

    assign(np.zeros(3), np.ones(3), 1)
    with pytest.raises(ValueError, match="zero"):
        assign(np.zeros(3), np.ones(3), 0)
    with pytest.raises(ValueError, match="shapes"):
        assign(np.zeros(3), np.ones(2), 1)


def test_endless_recursion_is_an_exception():
    @njit
    def down(n):
        return 0 if n == -1 else down(n + 1) + 1

    with pytest.raises(RecursionError):
        down(0)


# Mistakes


def test_a_function_that_is_not_compiled_says_what_to_do():
    def plain(x):
        return x

    with pytest.raises(heddle.TypingError, match="decorate it with @njit"):
        njit(lambda x: plain(x))(1)


def test_an_operation_of_kernels_is_refused():
    with pytest.raises(heddle.TypingError, match="cuda.grid is not supported in jitted functions"):
        njit(lambda: cuda.grid(1))()


def test_a_result_that_python_has_no_object_for_is_refused():
    with pytest.raises(heddle.TypingError, match="cannot return this to Python"):
        njit(lambda n: range(n))(3)


def test_variables_have_the_types_that_locals_gives_them():
    @njit(locals={"total": types.float32, "n": np.int8})
    def total_of(values):
        total = 0
        for n in range(127, 129):
            total += values[0]
        return total, n

    total, n = total_of(np.array([0.1]))
    assert total == np.float32(np.float32(0.1) + 0.1)
    assert n == -128


def test_a_function_with_a_signature_calls_itself():
    @njit("int64(int64)")
    def fibonacci(n):
        return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)

    assert fibonacci(10) == 55


def test_a_function_of_a_module_with_a_signature_calls_itself():
    space = {"njit": njit}
    exec("@njit('int64(int64)')\ndef f(n):\n    return 1 if n < 2 else n * f(n - 1)\n", space)
    assert space["f"](5) == 120


def test_locals_names_the_types_of_arrays_and_tuples_too():
    @njit(locals={"a": types.float64[::1], "pair": types.UniTuple(types.int64, 2)})
    def f(n):
        a = np.zeros(n)
        pair = (n, n + 1)
        return a.size + pair[1]

    assert f(3) == 7


def test_locals_takes_types_of_numbers():
    with pytest.raises(TypeError, match="'x' is 3"):
        njit(locals={"x": 3})(same.py_func)


def test_object_mode_leaves_the_function_to_python():
    @jit(forceobj=True)
    def marked(objects):
        objects["marked"] = object
        return objects

    assert marked({}) == marked.py_func({}) == {"marked": object}


@pytest.mark.parametrize(
    "options", [{"fastmth": True}, {"error_model": "c"}, {"fastmath": {"quick"}}], ids=repr
)
def test_a_wrong_option_is_refused(options):
    with pytest.raises((TypeError, ValueError)):
        njit(**options)(lambda x: x)


def test_what_is_no_function_is_refused():
    with pytest.raises(TypeError, match="put @staticmethod above @njit"):
        njit(staticmethod(lambda x: x))


# Signatures and what was compiled


def test_a_signature_compiles_at_once_and_converts_arguments():
    @njit("f4(i4, f8)")
    def scaled(n, x):
        return n * x

    assert scaled.nopython_signatures == [types.float32(types.int32, types.float64)]
    assert scaled(2.9, 0.1) == float(np.float32(0.2))
    with pytest.raises(TypeError, match="no signature of scaled takes"):
        scaled(np.zeros(2), 1.0)


def test_the_best_of_several_signatures_is_called():
    @njit(["i8(i8)", "f8(f8)"])
    def doubled(x):
        return x + x

    assert [type(doubled(v)) for v in (1, 1.5, np.float32(2))] == [int, float, float]


@pytest.mark.parametrize(
    "declared, value, chosen",
    [
        (["float32", "float64"], 1, "float64"),  # int64 to float32 may lose
        (["float32", "float64"], np.int32(1), "float64"),
        (["float32", "int32"], np.int8(1), "int32"),
        (["uint8", "float32"], np.int8(1), "float32"),
        (["int32", "float64"], 1, "float64"),
        (["float64", "int32"], np.uint64(3), "float64"),
        (["complex64", "float64"], np.float32(1), "float64"),
    ],
)
def test_the_signature_that_loses_least_is_called_as_in_numba(declared, value, chosen):
    def type_of(x):
        pass

    @overload(type_of)
    def _type_of(x):
        name = str(x)
        return lambda x: name

    assert njit([f"({name},)" for name in declared])(lambda x: type_of(x))(value) == chosen


def test_a_parameter_may_be_declared_optional():
    @njit([(types.Optional(types.int64),)])
    def or_seven(x):
        return 7 if x is None else x

    assert (or_seven(None), or_seven(3)) == (7, 3)


def test_each_list_of_types_is_compiled_once():
    @jit(nopython=True)
    def twice(x):
        return x + x

    for value in (1, -5, 2, 1.5, 2.5):
        assert twice(value) == value + value
    assert twice.signatures == [(types.int64,), (types.float64,)]
    assert twice.py_func(3) == 6


def test_a_function_can_be_inspected(capsys):
    added(1, 2)
    text = added.inspect_llvm((types.int64, types.int64))
    assert "define" in text and "add" in text
    assert all("ret" in code for code in added.inspect_asm().values())
    assert [list(data) for data in added.get_metadata().values()] == [["parallel_notes"]] * len(
        added.signatures
    )
    added.inspect_types()
    assert "added" in capsys.readouterr().out


def test_no_more_is_compiled_after_disable_compile():
    @njit
    def once(x):
        return x

    once(1)
    once.disable_compile()
    assert once(2) == 2
    with pytest.raises(TypeError, match="no signature"):
        once("a")


def test_recompile_looks_up_globals_anew():
    scale = 2

    @njit
    def scaled(x):
        return x * scale

    assert scaled(3) == 6
    scale = 5
    assert scaled(3) == 6
    scaled.recompile()
    assert scaled(3) == 15


def test_callers_convert_to_the_declared_types_after_recompile():
    doubled = njit("int64(int64)")(lambda x: x * 2)
    doubled.recompile()
    assert njit(lambda: doubled(2.75))() == 4


def test_a_variant_outlives_recompile():
    added = njit(lambda x: x + 1)
    added(1), added(1.5)
    first, second = added.overloads.values()
    added.recompile()
    assert "define" in first.llvm_ir and "define" in second.llvm_ir
    assert [str(v.signature) for v in (first, second)] == [
        "(int64) -> int64",
        "(float64) -> float64",
    ]


FACTOR, CALLED = 1, None  # rebound below


def times_factor(x):
    return x * FACTOR


def factor_of_called(x):
    return CALLED(x)


def test_a_function_is_compiled_into_its_callers_with_the_globals_that_it_was_compiled_with(
    monkeypatch,
):
    monkeypatch.setitem(globals(), "FACTOR", 2)
    declared, called = njit("int64[:](int64[:])")(times_factor), njit(times_factor)
    element_by_element = vectorize(["int64(int64)"])(times_factor)
    assert called(10) == 20
    monkeypatch.setitem(globals(), "FACTOR", 3)
    for function, x in ((called, 10), (declared, np.array([10])), (element_by_element, 10)):
        monkeypatch.setitem(globals(), "CALLED", function)
        assert njit(factor_of_called)(x) == 20
    monkeypatch.setitem(globals(), "CALLED", called)
    assert njit(factor_of_called)(10.5) == 31.5  # it is compiled for floats now
    called.recompile()
    assert njit(factor_of_called)(10) == called(10) == 30


def test_a_function_that_its_globals_refer_to_is_freed():
    namespace = {}
    exec("def count(n):\n    return 0 if n == 0 else 1 + count(n - 1)", namespace)  # noqa: S102
    namespace["count"] = njit(namespace["count"])
    assert namespace["count"](5) == 5
    freed = weakref.ref(namespace["count"])
    del namespace
    gc.collect()
    assert freed() is None


def test_compiled_code_is_kept_on_disk(tmp_path, monkeypatch):
    monkeypatch.setenv("HEDDLE_CACHE_DIR", str(tmp_path))

    def power(x):
        return x**7 + 123456789

    assert njit(cache=True)(power)(2) == 2**7 + 123456789
    again = njit(cache=True)(power)
    assert again(2) == 2**7 + 123456789
    assert again.stats.cache_hits


def test_a_function_is_pickled_by_its_name():
    assert pickle.loads(pickle.dumps(added)) is added


def test_fastmath_allows_other_orders_of_operations():
    @njit(fastmath=True)
    def total(a):
        s = 0.0
        for v in a:
            s += v
        return s

    assert total(np.arange(1000.0)) == 499500.0
    assert "reassoc" in next(iter(total.inspect_llvm().values()))


@pytest.mark.parametrize(
    ("flags", "allowed", "others"),
    [
        ({"reassoc"}, {"reassoc"}, {"nsz", "arcp", "contract", "afn"}),
        ({"nsz": True, "contract": True, "afn": False}, {"nsz", "contract"}, {"reassoc", "afn"}),
        (set(), set(), {"reassoc", "nsz", "arcp", "contract", "afn"}),
    ],
    ids=["one", "a dict", "none"],
)
def test_fastmath_may_name_what_is_allowed(flags, allowed, others):
    @njit(fastmath=flags)
    def total(x, y):
        return x / y + x

    assert total(3.0, 4.0) == 3.75
    words = next(iter(total.inspect_llvm().values())).split()
    assert allowed <= set(words)
    assert others.isdisjoint(words)


def test_a_sum_is_reordered_where_that_alone_is_allowed():
    @njit(fastmath={"reassoc", "nsz"})
    def rest(x, y):
        return (x - y) + y

    assert rest(0.5, np.inf) == 0.5


# Output and threads


def test_print_writes_as_python_does(capsys):
    @njit
    def show(x, y, z):
        print("values:", x, y, z, True, None)

    show(1, 2.5, 1 - 2j)
    show(np.uint64(2**64 - 1), 1e300, np.float32(0.5))
    out = capsys.readouterr().out.splitlines()
    assert out[0] == "values: 1 2.5 (1-2j) True None"
    assert out[1] == "values: 18446744073709551615 1e+300 0.5 True None"


def test_threads_call_and_compile_at_once():
    @njit(nogil=True)
    def total(n):
        s = 0
        for i in range(n):
            s += i * i
        return s

    results = []
    threads = [threading.Thread(target=lambda: results.append(total(1000))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [sum(i * i for i in range(1000))] * 8


def test_print_writes_containers(capsys):
    @njit
    def write(pairs):
        print([1, 2], [(1, 2.5)], ["a", "b"], [[1], [2, 3]], [None, None])
        print({1: "x"}, {1: [2]}, {3}, pairs, ([1], 2))

    write(typed.List([("a", 1)]))
    assert capsys.readouterr().out.splitlines() == [
        "[1, 2] [(1, 2.5)] ['a', 'b'] [[1], [2, 3]] [None, None]",
        "{1: x} {1: [2]} {3} [('a', 1)] ([1], 2)",
    ]


def test_print_writes_what_may_be_none(capsys):
    @njit
    def write(some):
        number, text = None, None
        if some:
            number, text = 3, "three"
        print("got", number, text)

    write(False)
    write(True)
    assert capsys.readouterr().out.splitlines() == ["got None None", "got 3 three"]


def test_print_writes_arrays_lists_dates_and_complex_numbers(capsys):
    @njit
    def show(a, numbers, day):
        print("a", a, a[1:] > 1)
        print(numbers, day, 2j, (a, 1 + 2j))

    show(np.arange(3), [1, 2], np.datetime64("2020-01-01"))
    assert capsys.readouterr().out.splitlines() == [
        "a [0 1 2] [False  True]",
        "[1, 2] 2020-01-01 2j (array([0, 1, 2]), (1+2j))",
    ]


@pytest.mark.parametrize("dtype", [int, float, bool, complex])
def test_pythons_classes_are_dtypes(dtype):
    @njit
    def make(a):
        return np.zeros(2, dtype), a.astype(dtype), np.array([0, 1], dtype=dtype)

    for made, expected in zip(make(np.arange(2)), make.py_func(np.arange(2)), strict=True):
        assert made.dtype == expected.dtype
        np.testing.assert_array_equal(made, expected)


def test_numpys_functions_divide_by_zero():
    @njit
    def divide(a, b):
        out = np.empty_like(a)
        np.divide(a, b, out)
        a //= 0
        b /= b
        return out, a, b, np.divide(1.0, 0.0), np.remainder(5, 0)

    out, a, b, infinite, nothing = divide(np.array([1.0, -2.0]), np.zeros(2))
    np.testing.assert_array_equal(out, [np.inf, -np.inf])
    np.testing.assert_array_equal(a, [np.inf, -np.inf])
    np.testing.assert_array_equal(b, [np.nan, np.nan])
    assert (infinite, nothing) == (np.inf, 0)


def test_an_array_is_itself_and_no_other():
    @njit
    def same(a, b):
        return a is b, a is not b

    a = np.ones((2, 3))
    assert same(a, a) == (True, False)
    assert same(a, a.copy()) == (False, True)
    assert same(a, a[1:]) == (False, True)


def test_a_tuple_that_may_be_none_is_unpacked():
    @njit
    def total(given):
        pair = None
        if given:
            pair = (1, 2)
        if pair is None:
            return 0
        a, b = pair
        return a + b

    assert (total(True), total(False)) == (3, 0)


def test_a_declared_result_takes_a_value_that_may_be_none():
    @njit
    def positive(x):
        return x if x > 0 else None

    declared = njit("float64(float64)")(lambda x: positive(x))
    assert declared(2.0) == 2.0
    with pytest.raises(TypeError, match="None"):
        declared(-2.0)


@pytest.mark.parametrize("make", [lambda: [1, 2], lambda: {1, 2}], ids=["list", "set"])
def test_a_function_returns_a_container_or_none(make):
    made = njit(make)

    @njit
    def maybe(given):
        if given:
            return made()
        return None

    assert maybe(True) == make()
    assert maybe(False) is None


@pytest.mark.parametrize(
    ("start", "stop", "step"),
    [
        (np.uint64(6), np.uint64(0), np.int64(-1)),
        (np.uint64(1 << 63), np.uint64((1 << 63) - 7), np.int64(-3)),
        (np.uint64(2), np.uint64(9), np.int64(3)),
        (np.uint64(2), np.uint64(9), np.uint64(3)),
        (np.uint64(9), np.uint64(2), np.int64(1)),
    ],
)
def test_ranges_of_unsigned_numbers_go_down(start, stop, step):
    @njit
    def numbers(start, stop, step):
        return [i for i in range(start, stop, step)]

    assert numbers(start, stop, step) == list(range(int(start), int(stop), int(step)))


def test_jit_module_compiles_the_functions_of_a_module(tmp_path, monkeypatch):
    (tmp_path / "jitted_whole.py").write_text(
        "from math import sin\n"
        "from heddle import jit_module\n"
        "def first(x):\n    return second(x) + 1\n"
        "def second(x):\n    return sin(x)\n"
        "jit_module(nogil=True)\n"
        "def third(x):\n    return x\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    import jitted_whole

    assert jitted_whole.first(0.5) == math.sin(0.5) + 1
    assert len(jitted_whole.first.signatures) == 1
    assert jitted_whole.sin is math.sin and not hasattr(jitted_whole.third, "signatures")


def test_a_call_takes_the_signature_that_fits_best():
    @njit(["float64(float64)", "float32(float32)"])
    def halved(x):
        return x // 2

    @njit(["float64[:](float64[:])", "int64[:](int64[:])"])
    def doubled(a):
        return a + a

    @njit
    def call(small, whole, real, single, a):
        return halved(small), halved(whole), halved(real), halved(single), [doubled(a)]

    result = call(np.int32(3), 5, 7.5, np.float32(2.5), np.ones(2))
    assert result[:4] == (1.0, 2.0, 3.0, 1.0)
    declared = call.nopython_signatures[0].return_type
    assert str(declared) == (
        "Tuple(float64, float64, float64, float32, list(array(float64, 1d, A)))"
    )
    assert result[4][0].tolist() == [2.0, 2.0]


def test_what_no_signature_takes_is_compiled_for():
    @njit(["float64(float64)", "int64(int64)"])
    def first(x):
        return x

    @njit
    def call(a):
        return first(a)

    assert call(np.arange(3)).tolist() == [0, 1, 2]


def test_inspect_cfg_shows_the_ways_between_blocks():
    @njit
    def total(n):
        t = 0
        for i in range(n):
            if i % 3 == 1:
                t += i * i
        return t

    total(3)
    graph = total.inspect_cfg(total.signatures[0])
    assert graph.dot.startswith('digraph "total" {')
    assert re.search(r'  "entry" -> "[^"]+";', graph.dot)
    assert [str(one) for one in total.inspect_cfg().values()] == [graph.dot]


def test_masked_arrays_are_refused():
    with pytest.raises(
        heddle.TypingError, match="pass its data and its mask, or the result of filled"
    ):
        njit(lambda a: a.sum())(np.ma.array([1, 2], mask=[True, False]))


def test_a_deleted_variable_that_is_returned_is_an_error():
    @njit
    def deleted(x):
        y = x
        del y
        return y  # noqa: F821 - that is the error

    with pytest.raises(heddle.TypingError, match="'y' is used before it is assigned"):
        deleted(1)


_beyond = [300.7, -3.0, -1.5, 7e4, -4e4, 3e9, -3e9, 5e9, 1e19, np.nan, np.inf, -np.inf, 256.0]


@pytest.mark.parametrize("real", ["float32", "float64"])
@pytest.mark.parametrize("bits", [8, 16, 32, 64])
@pytest.mark.parametrize("kind", ["int", "uint"])
def test_floats_beyond_an_integers_range_convert_as_in_numpy(kind, bits, real):
    integer, values = getattr(np, f"{kind}{bits}"), np.array(_beyond, real)

    @njit
    def converted(a):
        return a.astype(integer), np.array([integer(x) for x in a])

    @njit(parallel=True)
    def stored(a):
        result = np.zeros(a.size, integer)
        for i in prange(a.size):
            result[i] = a[i]
        return result

    with np.errstate(invalid="ignore"):
        # one by one: NumPy's conversion of many takes other instructions
        expected = np.array([np.array(x).astype(integer) for x in values])
    for result in (*converted(values), stored(values)):
        np.testing.assert_array_equal(result, expected)
        assert result.dtype == integer


@pytest.mark.parametrize("real", [np.float64, np.float32])
def test_remainders_and_floors_are_those_of_numpy(real):
    @njit(error_model="numpy")
    def divided(a, b):
        rest, of_python, floor = np.empty_like(a), np.empty_like(a), np.empty_like(a)
        for i in range(a.size):
            rest[i], of_python[i], floor[i] = math.fmod(a[i], b[i]), a[i] % b[i], a[i] // b[i]
        return rest, of_python, floor

    generator, limits = np.random.default_rng(5), np.finfo(real)
    special = [0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 3, -3, 0.1, 2**53, 2**53 - 1, 2**54 + 4]
    special = np.array([*special, limits.max, limits.tiny, limits.smallest_subnormal], real)
    any_bits = generator.integers(0, 2**64, 60000, np.uint64).view(real)
    tenths = (generator.integers(-1000, 1000, 20000) * 0.1).astype(real)
    a = np.concatenate([np.repeat(special, special.size), any_bits, tenths])
    b = np.concatenate([np.tile(special, special.size), any_bits[::-1], np.full_like(tenths, 0.1)])
    with np.errstate(all="ignore"):
        expected = np.fmod(a, b), np.mod(a, b), np.floor_divide(a, b)
    for ours, theirs in zip(divided(a, b), expected, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(np.signbit(divided(a, b)[0]), np.signbit(expected[0]))


def test_the_result_of_compile_is_the_function_for_one_signature():
    @njit
    def f(a, b=1):
        return a + b

    ints = f.compile((types.int64, types.int64))
    floats = f.compile("float64(float64, float64)")
    assert ints(1, 2) == 3 and ints.entry_point(2, 3) == 5
    assert type(ints(1, 2)) is int and type(floats(1, 2)) is float
    assert ints.signature == types.int64(types.int64, types.int64)
    with pytest.raises(TypeError):
        ints("a", 1)


def test_what_compile_returns_of_a_recursion_and_of_arrays_is_called():
    @njit
    def factorial(n):
        return n * factorial(n - 1) if n > 1 else 1

    @njit
    def total(a):
        s = 0.0
        for x in a:
            s += x
        return s

    assert factorial.compile("int64(int64)")(5) == 120
    assert total.compile((types.float64[::1],))(np.arange(4.0)) == 6
