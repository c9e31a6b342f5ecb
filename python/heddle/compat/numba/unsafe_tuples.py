"""numba.cpython.unsafe.tuple and numba.np.unsafe.ndarray: tuples that are modified and built at run time."""

from heddle import types
from heddle.errors import RequireLiteralValue, TypingError
from heddle.extending import overload
from heddle.support.missing_names import make_missing_name_error as _missing_name

__all__ = ["build_full_slice_tuple", "to_fixed_tuple", "tuple_setitem"]


def tuple_setitem(tup, idx, val):
    """A copy of a tuple with another item at an index, which is not checked. Only in jitted functions."""
    raise NotImplementedError("tuple_setitem is for jitted functions")


def to_fixed_tuple(array, length):
    """The first ``length`` items of an array as a tuple. ``length`` is a constant. Only in jitted functions."""
    raise NotImplementedError("to_fixed_tuple is for jitted functions")


def build_full_slice_tuple(size):
    """A tuple of ``size`` times ``slice(None, None)``. ``size`` is a constant. Only in jitted functions."""
    raise NotImplementedError("build_full_slice_tuple is for jitted functions")


@overload(tuple_setitem)
def _choose_tuple_setitem_implementation(tup, idx, val):
    if not isinstance(tup, types.UniTuple):
        raise TypingError(f"tuple_setitem takes a tuple of items of one type, not {tup}")
    items = "".join(f"val if idx == {i} else tup[{i}], " for i in range(len(tup)))
    return _evaluate_source(f"lambda tup, idx, val: ({items})")


@overload(to_fixed_tuple, prefer_literal=True)
def _choose_to_fixed_tuple_implementation(array, length):
    if not isinstance(length, types.IntegerLiteral):
        raise RequireLiteralValue("*length* argument must be a constant")
    if array.ndim != 1:
        raise TypingError(f"Not supported on array.ndim={array.ndim}")
    items = "".join(f"array[{i}], " for i in range(length.literal_value))
    return _evaluate_source(f"lambda array, length: ({items})")


@overload(build_full_slice_tuple, prefer_literal=True)
def _choose_build_full_slice_tuple_implementation(size):
    if not isinstance(size, types.IntegerLiteral):
        raise RequireLiteralValue("*size* argument must be a constant")
    return _evaluate_source(f"lambda size: ({'slice(None, None), ' * size.literal_value})")


def _evaluate_source(text):
    return eval(text)


def __getattr__(name):
    raise _missing_name("heddle", name)
