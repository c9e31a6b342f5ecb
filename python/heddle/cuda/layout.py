"""Array layouts: which bytes an array spans, and which layouts can be copied or reshaped directly."""

import operator

import numpy as np

from heddle.support.byte_span import byte_span, largest_size
from heddle.types import as_dtype


def normalize_shape(shape):
    """Converts a user's shape (an int or a sequence of ints) to a tuple. Raises TypeError or ValueError."""
    try:
        extents = (operator.index(shape),)
    except TypeError:
        try:
            extents = tuple(operator.index(extent) for extent in shape)
        except TypeError:
            raise TypeError(f"a shape is an int or a tuple of ints, not {shape!r}") from None
    if any(extent < 0 for extent in extents):
        raise ValueError(f"a shape has no negative extents, but this one is {extents}")
    if len(extents) > 64:  # NumPy's limit
        raise ValueError(f"an array has at most 64 axes, but this shape has {len(extents)}")
    return extents


def contiguous_strides(shape, itemsize, order="C"):
    """Strides in bytes of a contiguous array. order: "C" or "F"."""
    strides = []
    step = itemsize
    for extent in reversed(shape) if order == "C" else shape:
        strides.append(step)
        step *= max(extent, 1)
    if step > largest_size:
        raise MemoryError(
            f"an array of shape {tuple(shape)} takes {step} bytes, more than the address space"
        )
    return tuple(reversed(strides)) if order == "C" else tuple(strides)


def normalize_layout(shape, strides, dtype, order):
    """Normalizes a user's shape, strides and dtype for a new array. Raises TypeError or ValueError.

    >>> cuda.prepare_shape_strides_dtype((2, 3), None, np.float32, "C")
    ((2, 3), (12, 4), dtype('float32'))
    """
    shape = normalize_shape(shape)
    dtype = as_dtype(dtype)
    if order not in ("C", "F"):
        raise ValueError(f"order is 'C' or 'F', not {order!r}")
    strides = (
        contiguous_strides(shape, dtype.itemsize, order)
        if strides is None
        else _to_strides_tuple(strides)
    )
    low, _ = byte_span(shape, strides, dtype.itemsize)
    if low < 0:
        raise ValueError(f"strides {strides} reach {-low} bytes before the array")
    return shape, strides, dtype


def _to_strides_tuple(strides):
    return (
        (int(strides),)
        if isinstance(strides, (int, np.integer))
        else tuple(int(stride) for stride in strides)
    )


def normalize_order(order, array):
    """Resolves one of NumPy's orders for a copy or view of ``array`` to "C", "F" or "K". Raises ValueError."""
    order = order.upper()
    if order == "A":
        return "F" if array.flags.fnc else "C"
    if order not in ("C", "F", "K"):
        raise ValueError(f"order is 'C', 'F', 'A' or 'K', not {order!r}")
    return order


def is_contiguous_in_order(array, order):
    """True if an array is contiguous in one of NumPy's orders. Every array has the order "K"."""
    order = order.upper()
    return order == "K" or array.flags[{"A": "FORC"}.get(order, order)]


def strides_like(array, order="K", itemsize=None):
    """Strides of a contiguous array with the shape of ``array``, in one of NumPy's orders.

    With "K", its axes have the same order in memory as those of ``array``. itemsize: by default that of ``array``.
    """
    itemsize = array.dtype.itemsize if itemsize is None else itemsize
    if order != "K":
        order = normalize_order(order, array)
    if order != "K":
        return contiguous_strides(array.shape, itemsize, order)
    inner_first = sorted(range(array.ndim), key=lambda axis: (abs(array.strides[axis]), -axis))
    strides = [0] * array.ndim
    step = itemsize
    for axis in inner_first:
        strides[axis] = step
        step *= max(array.shape[axis], 1)
    return tuple(strides)


def choose_copy_strides(array):
    """Strides of a copy of a NumPy array: the same if it is contiguous, else those of C order."""
    return array.strides if array.flags.forc else contiguous_strides(array.shape, array.itemsize)


def address_of(array):
    """The address of a NumPy array's first element."""
    return array.__array_interface__["data"][0]


def lowest_address_of(array):
    """The lowest address of an array."""
    return address_of(array) + byte_span(array.shape, array.strides, array.itemsize)[0]


def has_dense_strides(array):
    """True if the elements fill the bytes from first to last without gaps or overlaps, in any axis order."""
    expected = array.itemsize
    axes = [(abs(s), n) for s, n in zip(array.strides, array.shape, strict=True) if n != 1]
    for stride, extent in sorted(axes):
        if stride != expected:
            return False
        expected *= extent
    return True


def have_equal_strides(a, b):
    """True if two arrays of one shape have the same strides, apart from axes of extent 1."""
    steps = zip(a.shape, a.strides, b.strides, strict=True)
    return a.itemsize == b.itemsize and all(n == 1 or s == t for n, s, t in steps)


def reshape_without_copy(array, shape, order):
    """A view of a NumPy array with another shape, in which one extent may be -1. Reads no elements.

    Raises ValueError if the number of elements differs, NotImplementedError if a copy would be needed.
    """
    order = normalize_order(order, array)
    if order == "K":
        raise ValueError("order 'K' is not permitted for reshaping")
    try:
        return _reshape_as_view(array, shape, order)
    except (ValueError, AttributeError) as error:
        if isinstance(error, ValueError) and not str(error).startswith("Unable to avoid"):
            raise
        raise NotImplementedError(
            f"an array of shape {array.shape} and strides {array.strides} cannot take the shape {tuple(shape)} "
            "without a copy: copy it first"
        ) from None


def _reshape_as_view(array, shape, order):
    if np.lib.NumpyVersion(np.__version__) >= "2.1.0":
        return array.reshape(shape, order=order, copy=False)
    view = array.view() if order == "C" else array.T
    view.shape = shape if order == "C" else tuple(reversed(shape))
    return view if order == "C" else view.T
