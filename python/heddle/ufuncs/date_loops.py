"""Loops over dates and time differences, for which NumPy's loop tables have no units."""

import numpy as np


def has_dates(dtypes):
    """True if one of the dtypes is a datetime64 or timedelta64."""
    return any(dtype is not None and dtype.kind in "mM" for dtype in dtypes)


def get_operand_dtype(operand):
    """The dtype of an array, a number, or a date of Python or NumPy."""
    return np.dtype(operand.dtype) if hasattr(operand, "dtype") else np.asarray(operand).dtype


def select_date_loop_dtypes(loops, given, name):
    """The dtypes of the first loop in ``loops`` that takes operands of dtypes ``given``, preferably without conversion.

    Raises TypeError if there is none.
    """
    for fits in (np.dtype.__eq__, lambda x, wanted: np.can_cast(x, wanted, "same_kind")):
        for dtypes in loops:
            if all(fits(*pair) for pair in zip(given, dtypes, strict=False)):
                return dtypes
    raise TypeError(f"{name}() has no loop for {', '.join(map(str, given))}")
