"""Decorators that run a test for each dtype or each memory order.

    @for_dtypes("fd")            runs   test(self, dtype=np.float32)
    def test(self, dtype)               test(self, dtype=np.float64)

The decorated test no longer has that parameter, so pytest does not look for a fixture of that name. If one run skips
itself, the others still run.
"""

import functools
import inspect
import itertools
import unittest

import numpy as np

_COMPLEX = (np.complex64, np.complex128)
_FLOATS = (np.float64, np.float32)
_SIGNED = tuple(np.dtype(code).type for code in "bhilq")
_UNSIGNED = tuple(np.dtype(code).type for code in "BHILQ")


def wrap_without_parameters(test, names):
    """functools.wraps for a function that passes the arguments ``names`` to the test; its signature lacks them."""

    def hide_parameters(function):
        wrapped = functools.wraps(test)(function)
        signature = inspect.signature(test)
        left = [p for name, p in signature.parameters.items() if name not in names]
        wrapped.__signature__ = signature.replace(parameters=left)
        return wrapped

    return hide_parameters


def is_skip_exception(error):
    """True if the exception is the one that unittest or pytest uses to skip a test."""
    return isinstance(error, unittest.SkipTest) or type(error).__name__ == "Skipped"


def _make_decorator_for_each(choices):
    """Decorator that runs the test once with each dict of keyword arguments."""
    choices = list(choices)

    def repeat_test_for_choices(test):
        @wrap_without_parameters(test, {name for choice in choices for name in choice})
        def run_for_each_choice(*args, **keywords):
            for choice in choices:
                try:
                    test(*args, **keywords, **choice)
                except BaseException as error:
                    if not is_skip_exception(error):
                        error.add_note(f"with {choice}")
                        raise

        return run_for_each_choice

    return repeat_test_for_choices


def for_dtypes(dtypes, name="dtype"):
    """Run the test with each dtype as the argument ``name``."""
    return _make_decorator_for_each({name: np.dtype(dtype).type} for dtype in dtypes)


def _list_numeric_dtypes(no_float16=False, no_bool=False, no_complex=False):
    floats = _FLOATS if no_float16 else (*_FLOATS, np.float16)
    return floats + _list_integer_dtypes(no_bool) + (() if no_complex else _COMPLEX)


def _list_integer_dtypes(no_bool=False):
    return _SIGNED + _UNSIGNED + (() if no_bool else (np.bool_,))


def for_all_dtypes(name="dtype", **left_out):
    """Run the test with every numeric dtype. left_out: no_float16, no_bool, no_complex."""
    return for_dtypes(_list_numeric_dtypes(**left_out), name)


def for_float_dtypes(name="dtype", no_float16=False):
    return for_dtypes(_FLOATS if no_float16 else (*_FLOATS, np.float16), name)


def for_signed_dtypes(name="dtype"):
    return for_dtypes(_SIGNED, name)


def for_unsigned_dtypes(name="dtype"):
    return for_dtypes(_UNSIGNED, name)


def for_int_dtypes(name="dtype", no_bool=False):
    return for_dtypes(_list_integer_dtypes(no_bool), name)


def for_complex_dtypes(name="dtype"):
    return for_dtypes(_COMPLEX, name)


def for_dtypes_combination(types, names=("dtype",), full=None):
    """Run the test with dtypes for several arguments: with ``full`` all combinations, else a few in which every dtype
    is paired with itself and with the next one."""
    types = [np.dtype(dtype).type for dtype in types]
    if full:
        tuples = itertools.product(types, repeat=len(names))
    else:
        shifts = ({0}, {0, 1})[len(names) > 1]
        tuples = dict.fromkeys(
            tuple(types[(first + shift * place) % len(types)] for place in range(len(names)))
            for shift in shifts
            for first in range(len(types))
        )
    return _make_decorator_for_each(dict(zip(names, chosen, strict=True)) for chosen in tuples)


def for_all_dtypes_combination(names=("dtype",), full=None, **left_out):
    """for_dtypes_combination with every numeric dtype. left_out: no_float16, no_bool, no_complex."""
    return for_dtypes_combination(_list_numeric_dtypes(**left_out), names, full)


def for_signed_dtypes_combination(names=("dtype",), full=None):
    return for_dtypes_combination(_SIGNED, names, full)


def for_unsigned_dtypes_combination(names=("dtype",), full=None):
    return for_dtypes_combination(_UNSIGNED, names, full)


def for_int_dtypes_combination(names=("dtype",), no_bool=False, full=None):
    return for_dtypes_combination(_list_integer_dtypes(no_bool), names, full)


def for_orders(orders, name="order"):
    """Run the test with each of the orders ("C", "F", "A", "K") as the argument ``name``."""
    return _make_decorator_for_each({name: order} for order in orders)


def for_CF_orders(name="order"):
    return for_orders([None, "C", "F", "c", "f"], name)


__all__ = [name for name in globals() if name.startswith("for_")]
