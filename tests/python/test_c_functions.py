"""Functions callable from C (cfunc), and arrays over pointers in host code."""

import ctypes
import gc
import signal
import sys
import threading

import numpy as np
import pytest

from heddle import carray, cfunc, farray, float64, njit, prange, types
from heddle.errors import TypingError

doubles = ctypes.POINTER(ctypes.c_double)


@cfunc("float64(float64, float64)")
def quotient(a, b):
    return a / b


@cfunc(types.void(types.CPointer(float64), types.CPointer(float64), types.intc, types.intc))
def doubled(values, out, rows, columns):
    a, b = carray(values, (rows, columns)), carray(out, (rows, columns))
    b[:] = 2 * a


@cfunc(types.intc(types.CPointer(types.int32), types.CPointer(types.int32)))
def difference(a, b):
    return a[0] - b[0]


def test_ctypes_calls_a_compiled_function():
    assert quotient.ctypes(1.0, 4.0) == 0.25
    assert isinstance(quotient.address, int)
    assert quotient.ctypes is quotient.ctypes


def test_every_kind_of_number_is_passed_and_returned():
    @cfunc("b1(b1, i1, u2, f4, i8)")
    def all_as_given(a, b, c, d, e):
        return a and b == -3 and c == 65535 and d == 0.5 and e == -(2**63)

    assert all_as_given.ctypes(True, -3, 65535, 0.5, -(2**63)) is True
    assert all_as_given.ctypes(False, -3, 65535, 0.5, -(2**63)) is False


@pytest.mark.parametrize("type", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"])
def test_a_result_keeps_its_sign_and_width(type):
    lowest = cfunc(f"{type}({type})")(lambda x: x - 1)
    assert lowest.ctypes(0) == np.array([-1]).astype(type)[0]


def test_arrays_are_made_of_pointers():
    a, out = np.arange(6.0).reshape(2, 3), np.zeros((2, 3))
    doubled.ctypes(a.ctypes.data_as(doubles), out.ctypes.data_as(doubles), 2, 3)
    np.testing.assert_array_equal(out, 2 * a)


def test_c_sorts_by_a_compiled_function():
    values = np.array([5, 2, 9, 1, 3], np.int32)
    sort = ctypes.CDLL(None).qsort
    sort.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_void_p]
    sort(values.ctypes.data, values.size, values.itemsize, difference.address)
    assert values.tolist() == [1, 2, 3, 5, 9]


def test_python_calls_the_python_function():
    a, out = np.arange(6.0), np.zeros(6)
    doubled(a.ctypes.data_as(doubles), out.ctypes.data_as(doubles), 3, 2)
    np.testing.assert_array_equal(out, 2 * a)
    assert quotient(1, 4) == 0.25
    assert quotient.__name__ == "quotient"
    assert quotient.__wrapped__ is quotient.py_func


def test_jitted_functions_call_it_and_take_it_as_an_argument():
    @njit
    def applied(f, x):
        return f(x, 2) + quotient(x, 4)

    assert applied(quotient, 1) == 0.75


def test_the_address_is_valid_when_nothing_else_is_left_of_the_function():
    def made(factor):
        @cfunc("f8(f8)")
        def times(x):
            return factor * x

        return times.ctypes

    functions = [made(n) for n in range(5)]
    gc.collect()
    assert [f(2.0) for f in functions] == [0, 2, 4, 6, 8]


def test_a_function_of_a_record():
    weights = types.NestedArray(dtype=types.float32, shape=(3,))
    point = types.Record.make_c_struct(
        [("x", types.int32), ("y", types.float64), ("weights", weights)]
    )

    @cfunc(types.float64(types.CPointer(point), types.intp))
    def total(points, count):
        sum = 0.0
        for p in carray(points, count):
            sum += p.x * p.y + p.weights[2]
        return sum

    values = np.array([(1, 0.5, (0, 0, 8)), (2, 0.25, (0, 0, 4))], types.as_dtype(point))
    call = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_void_p, ctypes.c_ssize_t)(total.address)
    assert call(values.ctypes.data, 2) == 13.0
    with pytest.raises(TypeError, match="Cannot convert Numba type"):
        total.ctypes  # noqa: B018 - which raises


def test_compiled_code_is_kept_on_disk(tmp_path, monkeypatch):
    monkeypatch.setenv("HEDDLE_CACHE_DIR", str(tmp_path))

    def made():
        return cfunc("f8(f8)", cache=True)(lambda x: x + 41.25)

    first, second = made(), made()
    assert (first.cache_hits, second.cache_hits) == (0, 1)
    assert second.ctypes(1.0) == 42.25


def test_its_llvm_ir_has_the_entry():
    assert f"@{quotient.native_name}(double" in quotient.inspect_llvm()


# Exceptions


@pytest.fixture
def ignored(monkeypatch):
    """The exceptions that Python would print, collected by a hook."""
    found = []
    monkeypatch.setattr(sys, "unraisablehook", found.append)
    return found


def test_an_exception_is_ignored_and_the_result_is_zero(ignored):
    assert quotient.ctypes(1.0, 0.0) == 0
    (one,) = ignored
    assert one.object is quotient
    assert repr(one.exc_value) == "ZeroDivisionError('division by zero')"
    assert one.exc_traceback.tb_frame.f_code.co_name == "quotient"


def test_a_thread_that_python_does_not_know_may_call_it(ignored):
    """The C library starts the thread."""
    libc = ctypes.CDLL(None)

    @cfunc(types.voidptr(types.voidptr))
    def run(argument):
        values = carray(argument, 2, np.float64)
        values[0] = 7
        if values[1]:
            raise ValueError("from a thread of C")
        return argument

    for fails in (0, 1):
        values, thread = np.array([0.0, fails]), ctypes.c_ulong()
        create = libc.pthread_create
        create.argtypes = [ctypes.c_void_p] * 4
        assert create(ctypes.addressof(thread), None, run.address, values.ctypes.data) == 0
        libc.pthread_join.argtypes = [ctypes.c_ulong, ctypes.c_void_p]
        assert libc.pthread_join(thread, None) == 0
        assert values[0] == 7
    assert [repr(one.exc_value) for one in ignored] == ["ValueError('from a thread of C')"]


def test_several_threads_call_it_at_once():
    @cfunc("f8(i8)")
    def total(n):
        return np.arange(n).sum()

    results = []
    threads = [
        threading.Thread(target=lambda: results.extend(total.ctypes(1000) for _ in range(100)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [499500.0] * 400


def test_a_parallel_loop_is_run_by_the_thread_that_calls():
    @njit(parallel=True)
    def squares(n):
        total = 0
        for i in prange(n):
            total += i * i
        return total

    @cfunc("i8(i8)")
    def called(n):
        return squares(n)

    holding_the_lock = ctypes.PYFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(called.address)
    assert called.ctypes(100) == holding_the_lock(100) == sum(i * i for i in range(100))


def test_ctrl_c_ends_it_and_reaches_the_program():
    @cfunc("i8(i8)")
    def endless(x):
        while x:
            x += 2
        return x

    timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        endless.ctypes(1)
        pytest.fail("Python sees the signal before")
    timer.join()


def test_a_pointer_is_an_int_in_python():
    @njit("voidptr(f8[::1])")
    def address(a):
        return a.ctypes

    values = np.zeros(3)
    assert address(values) == values.ctypes.data


# Rejected code


def test_a_signature_without_a_result_is_refused():
    with pytest.raises(TypeError, match="has no return type"):
        cfunc("(float64,)")
    with pytest.raises(TypeError, match="cfunc needs a signature"):
        cfunc(lambda x: x)


def test_arrays_are_no_arguments_of_c():
    with pytest.raises(TypingError, match="C cannot pass 'a' of this function"):
        cfunc("f8(f8[:])")(lambda a: a[0])
    with pytest.raises(TypingError, match="C cannot take the result"):
        cfunc("f8[:](f8)")(lambda x: np.full(3, x))


def test_unknown_options_are_refused():
    with pytest.raises(TypeError, match="cfunc has no option 'nopithon'"):
        cfunc("f8(f8)", nopithon=True)


# Pointers of ctypes


def test_a_program_makes_arrays_of_pointers():
    values = np.arange(6, dtype=np.float32)
    typed = values.ctypes.data_as(ctypes.POINTER(ctypes.c_float))
    np.testing.assert_array_equal(carray(typed, (2, 3)), values.reshape(2, 3))
    np.testing.assert_array_equal(farray(typed, (2, 3)), values.reshape(3, 2).T)
    np.testing.assert_array_equal(carray(values.ctypes, 6, np.float32), values)
    carray(typed, 6)[5] = 50
    assert values[5] == 50


@pytest.mark.parametrize(
    "arguments, message",
    [
        ((ctypes.c_void_p(8), 3), "explicit dtype required"),
        ((ctypes.pointer(ctypes.c_int32()), 1, np.float32), "mismatching dtype 'float32'"),
        ((ctypes.pointer(ctypes.c_int64()), 1, np.float64), "mismatching dtype 'float64'"),
        ((1234, 3, np.float32), "expected a ctypes pointer, got 1234"),
    ],
    ids=["void", "another dtype", "float64 for int64", "a number"],
)
def test_what_is_no_typed_pointer_is_refused(arguments, message):
    with pytest.raises(TypeError, match=message):
        carray(*arguments)


def test_a_null_pointer_is_no_array():
    with pytest.raises(ValueError, match="null pointer"):
        carray(ctypes.c_void_p(), 3, np.float32)
