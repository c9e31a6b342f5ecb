"""Loops over dates and differences of dates, which NumPy's table of a ufunc's loops has no units for."""

import numpy as np


def has_dates(dtypes):
    """Whether one of the dtypes is of dates or of differences of dates."""
    return any(dtype is not None and dtype.kind in "mM" for dtype in dtypes)


def dtype_of_operand(operand):
    """The dtype of an array, a number, or a date of Python's or NumPy's."""
    return np.dtype(operand.dtype) if hasattr(operand, "dtype") else np.asarray(operand).dtype


def date_loop(loops, given, name):
    """The dtypes of the first of ``loops`` that takes operands of the dtypes ``given``: as they are, else converted.

    Raises TypeError when none does.
    """
    for fits in (np.dtype.__eq__, lambda x, wanted: np.can_cast(x, wanted, "same_kind")):
        for dtypes in loops:
            if all(fits(*pair) for pair in zip(given, dtypes, strict=False)):
                return dtypes
    raise TypeError(f"{name}() has no loop for {', '.join(map(str, given))}")
