"""The arguments of exceptions raised by kernels: the first also names the thread, the others are unchanged."""

import numpy as np
import pytest

from heddle import cuda
from heddle.errors import KernelRuntimeError


class Bad(Exception):
    pass


class Needy(Exception):
    def __init__(self, text, code, *, key=None):
        super().__init__(text, code)
        self.code = code


class Picky(Exception):
    def __init__(self):
        super().__init__("none")


def raised(kernel, *args):
    with pytest.raises(Exception) as error:  # noqa: PT011
        kernel[1, 1](np.zeros(1), *args)
        cuda.synchronize()
    return error.value


def test_every_argument_reaches_the_exception(device):
    @cuda.jit(debug=True, opt=False)
    def k(x):
        if x[0] == 0:
            raise Bad("negative", 42, 7)

    error = raised(k)
    assert type(error) is Bad and error.args[1:] == (42, 7)
    assert "negative" in error.args[0] and "42" not in error.args[0]
    assert error.tid == (0, 0, 0)


def test_arguments_keep_their_values_and_types(device):
    text = "it's a \\ 'path'\n\u00e9"

    @cuda.jit(debug=True, opt=False)
    def k(x):
        raise ValueError("a", 1.5, True, None, text, (1, ("b", 2.0)), -3, 1e300, 2 - 1j, 3.0, ())

    want = (1.5, True, None, text, (1, ("b", 2.0)), -3, 1e300, 2 - 1j, 3.0, ())
    got = raised(k).args[1:]
    assert got == want and list(map(type, got)) == list(map(type, want))


def test_a_class_of_exceptions_gets_the_arguments_that_it_needs(device):
    @cuda.jit(debug=True, opt=False)
    def k(x):
        raise Needy("broken", 7)

    error = raised(k)
    assert type(error) is Needy and error.code == 7


def test_infinity_and_the_first_of_no_text_are_arguments(device):
    @cuda.jit(debug=True, opt=False)
    def k(x):
        raise KeyError(3, np.inf, -np.inf)

    error = raised(k)
    assert "3" in error.args[0] and error.args[1:] == (np.inf, -np.inf)


def test_device_functions_raise_with_arguments(device):
    @cuda.jit(device=True)
    def check(x):
        if x == 0:
            raise Bad("zero", 0, "here")
        return x

    @cuda.jit(debug=True, opt=False)
    def k(x):
        x[0] = check(x[0])

    assert raised(k).args[1:] == (0, "here")


def test_arguments_that_the_class_does_not_take_are_shown(device):
    @cuda.jit(debug=True, opt=False)
    def k(x):
        raise Picky("odd", 5)

    error = raised(k)
    assert isinstance(error, KernelRuntimeError) and "odd" in str(error) and "5" in str(error)
