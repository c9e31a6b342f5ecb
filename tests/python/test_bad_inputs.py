"""Invalid launches: each raises one clear exception, and the next launch works."""

import datetime
import decimal

import numpy as np
import pytest

from heddle import cuda
from heddle.errors import CompileError, TypingError


@cuda.jit
def scale(x, factor):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= factor


@cuda.jit
def set_first(x):
    x[0] = 1


@cuda.jit(device=True)
def twice(x):
    return 2 * x


def named(value):
    """A name for a test, the same in every process."""
    return repr(value).split(" at 0x")[0]


def assert_usable():
    x = np.ones(40, np.float32)
    scale[2, 32](x, 3)
    np.testing.assert_array_equal(x, 3)


def refuses(exception, text, launch):
    with pytest.raises(exception, match=text):
        launch()
    assert_usable()


def nested_tuple(depth):
    value = ()
    for _ in range(depth):
        value = (value,)
    return value


class LivesOnAGpu:
    __cuda_array_interface__ = {"shape": (3,), "typestr": "<f4", "data": (0, False), "version": 3}


class CannotBeAnArray:
    def __array__(self, *args, **kwargs):
        raise RuntimeError("no array today")


class SaysNonsense:
    __array_interface__ = 3


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ([1.0, 2.0], "type list"),
        ({}, "type dict"),
        ({1}, "type set"),
        (b"abc", "type bytes"),
        (bytearray(3), "type bytearray"),
        (range(3), "type range"),
        (iter([1]), "list_iterator"),
        (len, "builtin_function_or_method"),
        (np, "type module"),
        (int, "type type"),
        (decimal.Decimal(1), "decimal.Decimal"),
        (datetime.datetime(2000, 1, 1), "datetime.datetime"),
        (np.longdouble(1), "numpy.longdouble"),
        (np.bytes_(b"x"), "numpy.bytes_"),
        (np.void(b"abc"), "numpy.void"),
        (twice, "Dispatcher"),
        (cuda.In([1.0]), "type list"),
    ],
    ids=lambda value: value if isinstance(value, str) and " " in value else type(value).__name__,
)
def test_a_value_that_kernels_do_not_take_is_refused(device, value, text):
    refuses(
        TypeError,
        rf"argument 2 \(factor\) of scale\(\) .*{text}",
        lambda: scale[1, 32](np.zeros(3), value),
    )


def test_an_array_of_a_gpu_is_refused_by_the_cpu_device(cpu):
    refuses(
        TypeError,
        r"argument 1 \(x\) of scale\(\) .*is on a GPU",
        lambda: scale[1, 32](LivesOnAGpu(), 1),
    )


@pytest.mark.parametrize(
    "dtype",
    [object, ">f4", ">i8", ">c8", ">U3", [("a", ">U3")], np.longdouble],
    ids=str,
)
def test_an_array_of_a_dtype_that_kernels_lack_is_refused(device, dtype):
    array = np.zeros(3, dtype)
    refuses(
        TypeError,
        r"argument 1 \(x\) of scale\(\) .*no type for elements of dtype",
        lambda: scale[1, 32](array, 1),
    )


def test_a_byte_swapped_array_is_refused_with_the_conversion(device):
    refuses(TypeError, "byte order with a.astype", lambda: scale[1, 32](np.zeros(3, ">f8"), 1))


@pytest.mark.parametrize(
    ("value", "exception", "text"),
    [
        (CannotBeAnArray(), RuntimeError, "no array today"),
        (SaysNonsense(), ValueError, "__array_interface__"),
        (2**64, OverflowError, "64 bits"),
        (-(2**63) - 1, OverflowError, "64 bits"),
        (10**5000, OverflowError, "64 bits"),
        (nested_tuple(100), ValueError, "nested more than 32 deep"),
        (nested_tuple(100_000), ValueError, "nested more than 32 deep"),
        (tuple(range(10_000)), TypeError, "too many elements; pass an array"),
        (((1,) * 1000, (2,) * 1000), ValueError, "pass large tuples as arrays"),
        ((1, (2.0, b"x")), TypeError, "type bytes"),
    ],
    ids=[
        "array_raises",
        "nonsense",
        "2**64",
        "-2**63-1",
        "10**5000",
        "deep",
        "very_deep",
        "wide",
        "wide_nested",
        "bytes",
    ],
)
def test_a_value_that_does_not_fit_is_refused(device, value, exception, text):
    refuses(exception, text, lambda: scale[1, 32](np.zeros(3), value))


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((), r"scale\(x, factor\) takes 2 arguments, 0 were given"),
        ((np.zeros(3),), r"takes 2 arguments, 1 was given"),
        ((np.zeros(3), 1, 2), r"takes 2 arguments, 3 were given"),
    ],
    ids=["none", "one", "three"],
)
def test_a_wrong_number_of_arguments_is_refused(device, arguments, text):
    refuses(TypeError, text, lambda: scale[1, 32](*arguments))


def test_an_array_of_another_rank_is_refused_where_it_is_used(device):
    refuses(CompileError, r"test_bad_inputs.py:\d+: ", lambda: scale[1, 32](np.zeros(()), 2))


def test_a_device_array_of_another_rank_is_refused(device):
    refuses(
        CompileError,
        r"test_bad_inputs.py:\d+: ",
        lambda: set_first[1, 1](cuda.device_array(())),
    )


def test_a_float_index_is_refused(device):
    @cuda.jit
    def pick(x, i):
        x[i] = 1

    refuses(
        TypingError,
        r"(?s)index must be an integer.*\^.*float64.*hint: .*int\(",
        lambda: pick[1, 1](np.zeros(3), 1.0),
    )


def test_writing_a_read_only_array_is_refused(device):
    x = np.zeros(3)
    x.flags.writeable = False
    refuses(TypingError, r"(?s)read-only.*flags.writeable", lambda: set_first[1, 1](x))
    np.testing.assert_array_equal(x, 0)


@pytest.mark.parametrize(
    ("extent", "exception", "text"),
    [
        (0, ValueError, "extent of 0"),
        (-1, ValueError, "extent of -1"),
        ((4, 0), ValueError, "extent of 0"),
        (2**32, ValueError, "extent of 4294967296"),
        (2**70, ValueError, "extent of 1180591620717411303424"),
        (10**5000, ValueError, "extent"),
        (None, ValueError, "is None"),
        ((), ValueError, "0 dimensions"),
        ((1, 1, 1, 1), ValueError, "4 dimensions"),
        (2.0, TypeError, "not float"),
        (np.float32(2), TypeError, "not float32"),
        ((1, 2.0), TypeError, "not float"),
        ((1, None), TypeError, "not NoneType"),
        ("32", TypeError, "not str"),
        (1j, TypeError, "not complex"),
        (True, TypeError, "not bool"),
        ({32}, TypeError, "not set"),
        (np.array([1, 2]), TypeError, "not ndarray"),
    ],
    ids=lambda value: (
        repr(value)[:20] if not isinstance(value, int) or abs(value) < 2**80 else "huge"
    ),
)
def test_no_launch_has_such_extents(device, extent, exception, text):
    refuses(exception, "grid .*" + text, lambda: scale[extent, 32](np.zeros(3), 1))
    refuses(exception, "block .*" + text, lambda: scale[1, extent](np.zeros(3), 1))


@pytest.mark.parametrize(
    "block",
    [1025, 2048, (1024, 2), (32, 32, 2), (1, 1, 65), (2, 2048), 2**31, (2**22, 2**21, 2**21)],
    ids=str,
)
def test_a_block_over_the_limit_is_refused_with_the_limit(device, block):
    refuses(
        ValueError,
        r"block of .*at most \d+.*MAX_(THREADS_PER_BLOCK|BLOCK_DIM)",
        lambda: scale[1, block](np.zeros(3), 1),
    )


@pytest.mark.parametrize("grid", [2**31, (1, 65536), (1, 1, 65536), (2**31, 2**31, 2**31)], ids=str)
def test_a_grid_over_the_limit_is_refused_with_the_limit(device, grid):
    refuses(
        ValueError,
        r"grid of shape .*at most \d+ along .*MAX_GRID_DIM",
        lambda: scale[grid, 1](np.zeros(3), 1),
    )


@pytest.mark.parametrize("size", [-1, 2**32, 2**70, 1.5, None, "a", np.array([1, 2])], ids=str)
def test_no_launch_has_so_much_dynamic_shared_memory(device, size):
    refuses(
        ValueError,
        "non-negative number of bytes, not",
        lambda: scale[1, 32, 0, size](np.zeros(3), 1),
    )


def test_too_much_dynamic_shared_memory_is_refused_with_the_limit(device):
    refuses(
        ValueError,
        r"shared memory of 1048576 bytes.*at most \d+",
        lambda: scale[1, 32, 0, 2**20](np.zeros(3), 1),
    )


@pytest.mark.parametrize("elements", [100_000, 10**9, 10**18, -1])
def test_too_much_static_shared_memory_is_refused(device, elements):
    @cuda.jit
    def fill(x):
        s = cuda.shared.array(elements, np.float64)
        s[cuda.threadIdx.x] = 1
        cuda.syncthreads()
        x[0] = s[0]

    refuses(Exception, "shared|length", lambda: fill[1, 32](np.zeros(3)))


@pytest.mark.parametrize("stream", ["x", 1.5, object(), [], cuda.event], ids=named)
def test_what_is_no_stream_is_refused(device, stream):
    refuses(
        TypeError,
        r"must be a cuda.stream\(\) or 0, not",
        lambda: scale[1, 32, stream](np.zeros(3), 1),
    )


# A GPU's driver takes any number for the address of a stream: asking it for a wrong one ends the process.
@pytest.mark.parametrize("stream", [5, -1, 2**70, np.int32(0), True], ids=repr)
def test_a_number_that_is_no_stream_is_refused(cpu, stream):
    refuses(
        TypeError,
        r"must be a cuda.stream\(\) or 0, not",
        lambda: scale[1, 32, stream](np.zeros(3), 1),
    )


@pytest.mark.parametrize(
    "configuration", [1, (1,), (1, 1, 0, 0, 0), None, "ab", slice(1, 2)], ids=repr
)
def test_a_launch_has_two_to_four_settings(device, configuration):
    refuses(ValueError, r"kernel\[grid, block\]", lambda: scale[configuration])


def test_a_kernel_is_not_called_without_a_configuration(device):
    refuses(ValueError, r"write scale\[blocks, threads_per_block\]", lambda: scale(np.zeros(3), 1))


def test_a_device_function_is_not_launched(device):
    refuses(TypeError, "twice is a device function", lambda: twice[1, 1](3))
    refuses(TypeError, "twice is a device function", lambda: twice(3))


def test_a_kernel_returns_no_value(device):
    @cuda.jit
    def returns(x):
        return x[0]

    refuses(
        TypingError,
        r"(?s)cannot return a value.*return x\[0\].*\^",
        lambda: returns[1, 1](np.zeros(3)),
    )


@pytest.mark.parametrize("tasks", [-1, -(2**40)])
def test_forall_takes_no_negative_number(device, tasks):
    refuses(ValueError, "0 tasks or more", lambda: scale.forall(tasks))


@pytest.mark.parametrize("function", [len, np.sin, int, "".join, object(), 3], ids=named)
def test_what_is_no_python_function_is_not_compiled(device, function):
    refuses(TypeError, "compiles Python functions|not a signature", lambda: cuda.jit(function))
    refuses(TypeError, "compiles Python functions", lambda: cuda.jit()(function))
    refuses(TypeError, "compiles Python functions", lambda: cuda.jit("void(float32[:])")(function))


def test_a_static_method_is_made_of_a_kernel(device):
    refuses(
        TypeError,
        "put @staticmethod above @cuda.jit",
        lambda: cuda.jit(staticmethod(assert_usable)),
    )


@pytest.mark.parametrize(
    ("options", "exception", "text"),
    [
        ({"fast": True}, TypeError, "no option 'fast'"),
        ({"argtypes": []}, TypeError, "no option 'argtypes'"),
        ({"boundscheck": True}, NotImplementedError, "debug=True"),
        ({"max_registers": "many"}, TypeError, "max_registers"),
        ({"max_registers": -1}, ValueError, "max_registers takes a number from 0"),
        ({"launch_bounds": 1.5}, TypeError, "launch_bounds takes an int"),
        ({"launch_bounds": (128, -1)}, ValueError, "launch_bounds takes a number from 0"),
        ({"launch_bounds": (1, 2, 3, 4)}, ValueError, "launch_bounds has 1 to 3 numbers"),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else "",
)
def test_an_option_that_jit_does_not_have_is_refused(device, options, exception, text):
    refuses(exception, text, lambda: cuda.jit(**options)(lambda x: None))


@pytest.mark.parametrize(
    "signature",
    [
        "void(foo[:])",
        "void(float32[:]",
        "abc",
        "",
        "import os",
        "__import__('os')",
        "void(" * 500,
        "(" * 5000,
        "float32[1]",
        (1, 2),
        ("a", "b"),
        [3],
        {},
        3.5,
        ["void(float32[:])", "nonsense"],
    ],
    ids=lambda value: repr(value)[:20],
)
def test_a_bad_signature_is_refused(device, signature):
    refuses(TypeError, "signature", lambda: cuda.jit(signature)(lambda x: None))


@pytest.mark.parametrize(
    ("signature", "text"),
    [
        ("void()", "has 2 parameters"),
        ("void(float32[:])", "has 2 parameters"),
        ("float32(float32[:], float32)", "void return type"),
    ],
)
def test_a_signature_that_does_not_fit_the_kernel_is_refused(device, signature, text):
    refuses(TypeError, text, lambda: cuda.jit(signature)(scale.py_func))


def test_arguments_that_no_signature_takes_are_refused_with_the_signatures(device):
    kernel = cuda.jit("void(float32[:], float32)")(scale.py_func)
    refuses(
        TypeError,
        r"(?s)no signature of scale takes.*float64, 1d.*float32, 1d",
        lambda: kernel[1, 32](np.zeros(3), 1),
    )


@pytest.mark.parametrize("shape", [2**60, (2**31, 2**31), (2**40, 2**40)], ids=str)
def test_a_device_array_that_memory_does_not_hold_is_refused(device, shape):
    refuses((MemoryError, ValueError), "bytes|large|too", lambda: cuda.device_array(shape))


def test_a_device_array_larger_than_free_memory_names_the_bytes(device):
    free, _ = cuda.current_context().get_memory_info()
    refuses(MemoryError, r"\d+ bytes.*free", lambda: cuda.device_array(4 * free, np.uint8))
    assert cuda.device_array(10).shape == (10,)


def test_a_misaligned_device_array_is_refused(device):
    buffer = cuda.to_device(np.zeros(65, np.uint8))
    refuses((TypeError, ValueError), "align", lambda: set_first[1, 1](buffer[1:].view(np.float64)))


@pytest.mark.parametrize(
    "measure, exception, text",
    [
        (
            lambda v: v.max_cooperative_grid_blocks("32"),
            TypeError,
            "threads of a block must be an int",
        ),
        (
            lambda v: v.max_cooperative_grid_blocks(2**70),
            ValueError,
            "threads of a block must be at",
        ),
        (
            lambda v: v.max_cooperative_grid_blocks((32, 2.5)),
            TypeError,
            "extent of a block must be an",
        ),
        (
            lambda v: v.max_cooperative_grid_blocks(32, -1),
            ValueError,
            "bytes of shared memory must be",
        ),
        (lambda v: scale.forall(8, sharedmem="1")(np.ones(8), 2), TypeError, "bytes of shared"),
        (
            lambda v: cuda.current_context().memalloc(2.5),
            TypeError,
            "number of bytes must be an int",
        ),
        (
            lambda v: cuda.current_context().memalloc(None),
            TypeError,
            "number of bytes must be an int",
        ),
    ],
)
def test_what_measures_memory_and_launches_is_a_whole_number(measure, exception, text):
    scale[1, 32](np.ones(8), 2)
    refuses(exception, text, lambda: measure(scale.variants()[0]))


def test_any_value_says_whether_an_event_has_times():
    assert cuda.event(timing=1).query() and cuda.event(timing=None).query()
