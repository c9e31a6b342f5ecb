"""NumPy arrays over a device's memory, and which host memory is page-locked.

Memory that host and device share is seen by NumPy through a *window*: an object that says where it is and keeps it
alive. The window is found again at the end of an array's chain of bases, which is how a view of a pinned array is
known to be pinned.
"""

import contextlib
import threading

import numpy as np

from heddle.cuda.layout import byte_span


class Window:
    """What NumPy sees of a piece of memory. kind: "device", "pinned", "mapped" or "managed"."""

    __slots__ = ("__array_interface__", "device", "kind", "owner")

    def __init__(self, device, address, shape, strides, typestr, readonly, owner, kind="device"):
        self.__array_interface__ = {
            "version": 3,
            "data": (address, readonly),
            "shape": shape,
            "strides": strides,
            "typestr": typestr,
        }
        self.device = device
        self.owner = owner
        self.kind = kind

    def array(self, dtype):
        """The memory as a NumPy array. It is not touched, so this works for memory that the host cannot reach, too."""
        seen = np.asarray(self)
        return seen if seen.dtype == dtype else seen.view(dtype)


def window_of(array):
    """The window that a NumPy array looks through; None for ordinary memory."""
    while isinstance(array, np.ndarray):
        array = array.base
    return array if isinstance(array, Window) else None


def _byte_range(array):
    address = array.__array_interface__["data"][0]
    low, high = byte_span(array.shape, array.strides, array.itemsize)
    return address + low, address + high


_locked = {}  # (first byte, past the last byte) -> how many times it was pinned
_locked_guard = threading.Lock()


@contextlib.contextmanager
def pinned(*arrays):
    """Context manager in which the given NumPy arrays are page-locked, so that copies of them run asynchronously."""
    ranges = [_byte_range(array) for array in arrays]
    with _locked_guard:
        for span in ranges:
            _locked[span] = _locked.get(span, 0) + 1
    try:
        yield
    finally:
        with _locked_guard:
            for span in ranges:
                _locked[span] -= 1
                if not _locked[span]:
                    del _locked[span]


def is_pinned(array):
    """Whether a copy between the array and a device may still run when the call that asked for it has returned.

    True for page-locked memory. CUDA promises for all other memory that it can be used again at once.
    """
    if window_of(array) is not None:
        return True
    if not _locked:
        return False
    first, end = _byte_range(array)
    with _locked_guard:
        return any(low <= first and end <= high for low, high in _locked)
