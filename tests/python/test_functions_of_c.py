"""C functions called by host functions, through ctypes and cffi."""

import ctypes
import importlib
import math
import pathlib
import shutil
import subprocess
import sys
import sysconfig
import types as types_of_python

import numpy as np
import pytest

from heddle import cfunc, cuda, njit, types
from heddle.compat.numba import cffi_utils
from heddle.errors import TypingError
from heddle.extending import get_cython_function_address


def of_libc(name, result, *arguments):
    function = ctypes.CDLL(None)[name]
    function.restype, function.argtypes = result, arguments
    return function


toupper = of_libc("toupper", ctypes.c_int, ctypes.c_int)
memset = of_libc("memset", None, ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t)
memchr = of_libc("memchr", ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t)
long_abs = of_libc("labs", ctypes.c_long, ctypes.c_long)


# ctypes


def test_a_jitted_function_calls_a_function_of_ctypes():
    @njit
    def both(n):
        return long_abs(n) + toupper(97)

    assert both(-5) == 70


def test_arguments_are_converted_to_the_declared_types():
    @njit
    def magnitude(x):
        return long_abs(x)

    assert magnitude(-2.75) == 2
    assert magnitude(np.int8(-3)) == 3


@pytest.mark.parametrize("type", ["b1", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"])
def test_every_kind_of_number_is_passed_and_returned(type):
    same = cfunc(f"{type}(f8, {type}, {type})")(lambda a, b, c: b if a > 0 else c).ctypes

    @njit
    def called(values):
        return same(1, values[0], values[1]), same(-1, values[0], values[1])

    lowest, highest = (0, 1) if type == "b1" else (-1, 100)
    values = np.array([lowest, highest]).astype(type)
    assert called(values) == tuple(values.tolist())


@pytest.mark.parametrize("form", ["a", "a.ctypes", "a.ctypes.data"])
def test_an_array_is_a_pointer(form):
    filled = njit(eval(f"lambda a: memset({form}, 1, a.nbytes)", {"memset": memset}))
    a = np.zeros(4, np.int16)
    assert filled(a) is None
    assert a.tolist() == [0x101] * 4


def test_a_pointer_that_is_returned_is_an_address():
    @njit
    def place(a):
        return memchr(a.ctypes, 7, a.size) - a.ctypes.data

    assert place(np.array([1, 2, 7, 3], np.uint8)) == 2


def test_a_callback_written_in_python_is_called():
    seen = []

    @ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)
    def callback(x):
        seen.append(x)
        return 2 * x

    @njit
    def total(n):
        sum = 0.0
        for i in range(n):
            sum += callback(i)
        return sum

    assert total(4) == 12
    assert seen == [0, 1, 2, 3]


def test_functions_of_one_name_are_apart():
    functions = [cfunc("f8(f8)")(eval(f"lambda x: x + {n}")).ctypes for n in range(3)]
    first, second, third = functions

    @njit
    def all_of(x):
        return first(x), second(x), third(x)

    assert all_of(10) == (10, 11, 12)


def test_a_right_side_is_called_by_its_address():
    """As solvers of differential equations take it."""
    doubles = ctypes.POINTER(ctypes.c_double)

    @cfunc(types.void(types.float64, types.CPointer(types.float64), types.CPointer(types.float64)))
    def falls(t, u, du):
        du[0] = -u[0]

    side = ctypes.CFUNCTYPE(None, ctypes.c_double, doubles, doubles)(falls.address)

    @njit
    def integrated(u, step, steps):
        change = np.empty_like(u)
        for i in range(steps):
            side(i * step, u.ctypes, change.ctypes)
            u = u + step * change
        return u[0]

    assert integrated(np.ones(1), 1e-3, 1000) == pytest.approx(0.999**1000)


def test_a_function_of_ctypes_is_an_argument():
    @njit
    def applied(functions, x):
        return functions[0](x) + functions[1](x)

    assert applied((long_abs, toupper), 97) == 97 + 65


def test_it_goes_to_c_through_python_and_back():
    """A jitted function calls a C function, whose callback is a compiled function."""

    @cfunc(types.intc(types.CPointer(types.int32), types.CPointer(types.int32)))
    def difference(a, b):
        return a[0] - b[0]

    sort = of_libc("qsort", None, *[ctypes.c_void_p, ctypes.c_size_t] * 2)
    sort.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_void_p]
    address = difference.address

    @njit
    def sorted_by_c(a):
        a = a.copy()
        sort(a.ctypes, a.size, a.itemsize, address)
        return a

    assert sorted_by_c(np.array([3, 1, 2], np.int32)).tolist() == [1, 2, 3]


PROGRAM = """
import ctypes
import importlib
from heddle import cfunc, njit
function = cfunc("f8(f8)")(lambda x: x + 1).ctypes
@njit("f8(f8)", cache=True)
def called(x):
    return function(x) * 2
print(called(4.0), sum(called.stats.cache_hits.values()))
"""


def test_another_process_calls_its_own_function(tmp_path, monkeypatch):
    monkeypatch.setenv("HEDDLE_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "program.py").write_text(PROGRAM)
    outputs = [
        subprocess.run([sys.executable, tmp_path / "program.py"], capture_output=True, text=True)
        for _ in range(2)
    ]
    assert [out.stdout for out in outputs] == ["10.0 0\n", "10.0 1\n"]


# Rejected code


@pytest.mark.parametrize(
    "function, message",
    [
        (ctypes.CDLL(None).labs, "with unknown C types .it has no argtypes."),
        (of_libc("strlen", ctypes.c_size_t, ctypes.c_char_p), "Unsupported ctypes type"),
        (of_libc("atoi", int, ctypes.c_void_p), "Unsupported ctypes type"),
        (ctypes.CFUNCTYPE(None)(), "a null pointer of ctypes"),
    ],
    ids=["no types", "a type", "a result", "null"],
)
def test_a_function_without_types_of_c_is_refused(function, message):
    with pytest.raises(TypingError, match=message):
        njit("void(i8)")(lambda x: function(x))


def test_the_number_of_arguments_is_checked():
    with pytest.raises(TypingError, match=r"labs\(\) takes 1 argument, 2 were given"):
        njit("void(i8)")(lambda x: long_abs(x, x))


def test_an_array_of_another_type_is_no_argument():
    pointer = cfunc(types.void(types.CPointer(types.float64)))(lambda p: None).ctypes
    with pytest.raises(TypingError, match=r"declares 'arg0' as float64\*"):
        njit("void(f4[::1])")(lambda a: pointer(a))
    with pytest.raises(TypingError, match=r"declares 'arg0' as float64\*"):
        njit("void(f8[:])")(lambda a: pointer(a))


def test_kernels_call_no_functions_of_the_host_and_these_none_of_kernels():
    with pytest.raises(TypingError, match="the C function 'labs' is on the host"):
        cuda.jit("void(i8)")(lambda x: long_abs(x))
    declared = cuda.declare_device("elsewhere", "int64(int64)")
    with pytest.raises(TypingError, match="'elsewhere' is declared for kernels"):
        njit("void(i8)")(lambda x: declared(x))


# cffi


@pytest.fixture(scope="module")
def ffi():
    ffi = pytest.importorskip("cffi").FFI()
    ffi.cdef(
        "double cos(double); int abs(int); size_t strlen(const char *); int printf(const char *, ...);"
        "struct point { int x; double y[2]; };"
    )
    return ffi


def test_a_jitted_function_calls_functions_of_cffi(ffi):
    library, maths = ffi.dlopen(None), ffi.dlopen("libm.so.6")
    absolute, cosine = library.abs, maths.cos

    @njit
    def both(x):
        return cosine(x) + absolute(-3)

    assert both(0.25) == pytest.approx(math.cos(0.25) + 3)


def test_a_buffer_is_a_pointer(ffi):
    length = ffi.dlopen(None).strlen

    @njit
    def until_zero(a):
        return length(ffi.from_buffer(a))

    assert until_zero(np.array([1, 2, 3, 0], np.int8)) == 3


def test_a_function_of_cffi_is_an_argument(ffi):
    @njit
    def applied(f, x):
        return f(x)

    assert applied(ffi.dlopen(None).abs, -4) == 4


def test_functions_of_any_number_of_arguments_are_refused(ffi):
    function = ffi.dlopen(None).printf
    with pytest.raises(TypingError, match="vararg function is not supported"):
        njit("void(i1[::1])")(lambda a: function(a))


def test_cffi_takes_a_compiled_function(ffi):
    doubled = cfunc("f8(f8)")(lambda x: 2 * x)
    assert ffi.cast("double (*)(double)", doubled.cffi)(4.0) == 8


@pytest.mark.parametrize(
    "name, type",
    [
        *(("char", types.int8), ("unsigned char", types.uint8), ("short", types.int16)),
        *(("unsigned int", types.uint32), ("long", types.int64), ("size_t", types.uintp)),
        *(("int16_t", types.int16), ("bool", types.boolean), ("float", types.float32)),
        *(("void *", types.voidptr), ("double **", types.CPointer(types.CPointer(types.float64)))),
        ("int (*)(double)", types.int32(types.float64)),
    ],
    ids=lambda value: str(value),
)
def test_types_of_cffi_are_types(ffi, name, type):
    assert cffi_utils.map_type(ffi.typeof(name)) == type


def test_a_struct_is_a_record(ffi):
    pointer = cffi_utils.map_type(ffi.typeof("struct point *"), use_record_dtype=True)
    expected = np.dtype([("x", np.int32), ("y", np.float64, 2)], align=True)
    assert pointer == types.CPointer(types.from_dtype(expected))
    with pytest.raises(TypeError, match="struct point"):
        cffi_utils.map_type(ffi.typeof("struct point"))


def test_a_type_of_cffi_gets_the_type_that_was_registered(ffi, monkeypatch):
    monkeypatch.setattr("heddle.compiler.c_functions.cffi_types._registered", {})
    cffi_utils.register_type(ffi.typeof("struct point"), types.complex128)
    assert cffi_utils.map_type(ffi.typeof("struct point *")) == types.CPointer(types.complex128)


def test_functions_of_a_compiled_module_are_called(tmp_path, monkeypatch):
    ffi = pytest.importorskip("cffi").FFI()
    headers = sysconfig.get_paths()["include"]
    if not shutil.which("cc") or not (pathlib.Path(headers) / "Python.h").exists():
        pytest.skip("there is no C compiler for modules of Python")
    ffi.cdef("double total(double *x, size_t n); int8_t negative(int8_t);")
    source = (
        "static double total(double *x, size_t n) { double s = 0; while (n--) s += x[n]; return s; }"
        "static signed char negative(signed char x) { return -x; }"
    )
    ffi.set_source("_heddle_test_of_cffi", source)
    ffi.emit_c_code(str(tmp_path / "module.c"))
    library = tmp_path / f"_heddle_test_of_cffi{sysconfig.get_config_var('EXT_SUFFIX')}"
    command = ["cc", "-shared", "-fPIC", f"-I{headers}", tmp_path / "module.c", "-o", library]
    subprocess.run(command, check=True, capture_output=True)
    monkeypatch.syspath_prepend(tmp_path)
    module = importlib.import_module("_heddle_test_of_cffi")
    total, negative, compiled_ffi = module.lib.total, module.lib.negative, module.ffi

    with pytest.raises(TypingError, match="its module is not registered"):
        njit("void(i1)")(lambda x: negative(x))
    cffi_utils.register_module(module)

    @njit
    def both(a):
        return total(compiled_ffi.from_buffer(a), a.size), negative(5)

    assert both(np.arange(4.0)) == (6, -5)


def test_a_function_of_a_cython_module_is_found_by_its_address(monkeypatch):
    make = ctypes.pythonapi.PyCapsule_New
    make.restype = ctypes.py_object
    make.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    cos = of_libc("cos", ctypes.c_double, ctypes.c_double)
    address = ctypes.cast(cos, ctypes.c_void_p).value
    module = types_of_python.ModuleType("in_cython")
    module.__pyx_capi__ = {"cosine": make(address, b"double (double)", None)}
    monkeypatch.setitem(sys.modules, "in_cython", module)
    assert get_cython_function_address("in_cython", "cosine") == address
    with pytest.raises(ValueError, match="No function 'sine' found in __pyx_capi__ of 'in_cython'"):
        get_cython_function_address("in_cython", "sine")


class AbsoluteValue(types.WrapperAddressProtocol):
    """C's labs, described by numba's protocol."""

    def __wrapper_address__(self):
        return ctypes.cast(long_abs, ctypes.c_void_p).value

    def signature(self):
        return types.int64(types.int64)


def test_an_object_that_tells_its_address_is_called():
    absolute = AbsoluteValue()
    assert njit(lambda x: absolute(x))(-7) == 7


def test_an_object_that_tells_its_address_is_an_argument():
    assert njit(lambda f, x: f(x))(AbsoluteValue(), -7) == 7


def test_an_object_with_an_address_but_no_signature_is_told():
    class NoSignature(AbsoluteValue):
        def signature(self):
            return "int64(int64)"

    wrong = NoSignature()
    with pytest.raises(TypingError, match=r"its method signature\(\) must return a signature"):
        njit(lambda x: wrong(x))(1)
