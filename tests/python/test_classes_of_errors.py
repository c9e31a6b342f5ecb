"""The classes of exceptions for common mistakes: numba's class is among the bases, so that `except` catches them too.

The classes are those that numba-cuda 0.30.4 raises when compiling the same functions.
"""

import math
import pickle

import numpy as np
import pytest

from heddle import cuda, types
from heddle.compat.numba import numpy_support
from heddle.errors import (
    CudaAPIError,
    DeprecationError,
    NotDefinedError,
    NumbaNotImplementedError,
    NumbaValueError,
    TypingError,
    UnsupportedBytecodeError,
    UnsupportedError,
)
from heddle.types import float64

RECORD = types.from_dtype(np.dtype([("a", "i4")]))


def unknown_name(x):
    x[0] = nowhere  # noqa: F821


def used_before_it_is_assigned(x):
    x[0] = y  # noqa: F821
    y = 1  # noqa: F841


def name_that_a_module_lacks(x):
    x[0] = math.nothing(x[0])


def wrong_types(x):
    x[0] = math.sin("text")


def too_many_indices(x):
    x[0, 1] = 1


def of_a_list(x):
    y = [1]
    y.append(2)


def of_a_dict(x):
    y = {1: 2}
    x[0] = y[1]


def of_a_comprehension(x):
    x[0] = sum([i for i in range(3)])


def that_imports(x):
    import math

    x[0] = math.pi


def with_a_class(x):
    class Inside:
        pass


def with_an_array_of_variable_size(x):
    cuda.shared.array(x.size, float64)


def with_an_array_of_negative_size(x):
    cuda.local.array(-1, float64)


def with_a_fourth_dimension(x):
    x[0] = cuda.grid(4)


def that_returns(x):
    return x[0]


def with_an_unknown_field(x):
    x[0].b = 1


def that_raises_a_number(x):
    raise 3


@pytest.mark.parametrize(
    "function, exception, element",
    [
        (unknown_name, TypingError, float64),
        (used_before_it_is_assigned, NotDefinedError, float64),
        (name_that_a_module_lacks, AttributeError, float64),
        (wrong_types, TypingError, float64),
        (too_many_indices, TypingError, float64),
        (of_a_list, TypingError, float64),
        (of_a_dict, TypingError, float64),
        (of_a_comprehension, TypingError, float64),
        (that_imports, UnsupportedBytecodeError, float64),
        (with_a_class, UnsupportedBytecodeError, float64),
        (with_an_array_of_variable_size, TypingError, float64),
        (with_an_array_of_negative_size, ValueError, float64),
        (with_a_fourth_dimension, ValueError, float64),
        (that_returns, TypeError, float64),
        (with_an_unknown_field, KeyError, RECORD),
        (that_raises_a_number, UnsupportedError, float64),
    ],
)
def test_a_kernel_with_a_mistake_raises_numbas_class(function, exception, element):
    with pytest.raises(exception) as caught:
        cuda.compile_ptx(function, (element[:],))
    assert isinstance(caught.value, TypingError)
    assert "test_classes_of_errors.py:" in str(caught.value)


@pytest.mark.parametrize(
    "call, exception",
    [
        (lambda: types.typeof(object()), ValueError),
        (lambda: types.Array(float64, 1, "X"), NumbaValueError),
        (lambda: numpy_support.as_dtype(types.void), NumbaNotImplementedError),
        (lambda: cuda.jit(argtypes=[float64]), DeprecationError),
        (lambda: cuda.declare_device("f", "int32(int32)", abi="d"), NotImplementedError),
        (lambda: cuda.jit("float64(float64)")(lambda x: x), TypeError),
        (lambda: cuda.jit(that_returns).forall(-1), ValueError),
        (lambda: cuda.jit(that_returns)[1.5, 32], TypeError),
        (lambda: cuda.jit(that_returns)(np.ones(1)), ValueError),
    ],
)
def test_a_mistake_of_the_host_raises_numbas_class(call, exception):
    with pytest.raises(exception):
        call()


def test_a_device_function_that_is_launched_is_numbas_runtime_error(cpu):
    function = cuda.jit(device=True)(lambda: None)
    with pytest.raises(RuntimeError, match="is a device function: call it from a kernel"):
        function[1, 1]()


def test_a_specialized_kernel_is_not_specialized_again(cpu):
    @cuda.jit
    def kernel(x):
        x[0] = 1

    specialized = kernel.specialize(np.zeros(1))
    with pytest.raises(RuntimeError, match="kernel is already specialized"):
        specialized.specialize(np.zeros(1))


def test_exhausted_memory_is_the_drivers_error(device):
    with pytest.raises(CudaAPIError) as caught:
        cuda.device_array(2**50, np.int8)
    assert isinstance(caught.value, MemoryError)
    assert caught.value.code == 2
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_the_time_of_an_event_that_was_not_recorded_is_the_drivers_error(device):
    with pytest.raises(CudaAPIError) as caught:
        cuda.event_elapsed_time(cuda.event(), cuda.event())
    assert isinstance(caught.value, ValueError)
    assert caught.value.code == 400
