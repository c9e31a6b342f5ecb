"""NumPy arrays over a device's memory, and which host memory is page-locked.

Memory that host and device share is seen by NumPy through a *window*: an object that says where it is and keeps it
alive. The window is found again at the end of an array's chain of bases, which is how a view of a pinned array is
known to be pinned.
"""

import contextlib
import threading

import numpy as np

from heddle import _heddle
from heddle.cuda.layout import byte_span
from heddle.cuda.native_devices import current_native
from heddle.errors import CudaAPIError

SHARED_KINDS = ("device", "mapped", "managed")  # memory that kernels use in place


class Window:
    """What NumPy sees of a piece of memory. kind: "device", "pinned", "mapped", "managed" or "record"."""

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


class _Exported:
    """Keeps device memory that other code can read without calling heddle, and says so to launches."""

    __slots__ = ("owner", "range")

    def __init__(self, owner, array):
        low, high = _byte_range(array)
        self.owner, self.range = owner, _heddle.ExportedRange(low, high - low)


def over_others_memory(array):
    """The owner of a device array over the memory of a NumPy array, which other code goes on using."""
    return _Exported(array, array)


def exported_window(array):
    """The memory of a device array as a NumPy array that is given to other code. As long as that, or a view of it,
    lives, launches with the memory on the default stream return when their kernel has run."""
    seen = array._new_window()
    window = window_of(seen)
    window.owner = _Exported(window.owner, seen)
    return seen


def record_place(record):
    """A NumPy array of rank 0 over the memory of a scalar of a structured dtype, which is often that of an array."""
    try:
        address = np.frombuffer(record, np.uint8).ctypes.data
    except (TypeError, ValueError):
        raise TypeError(
            f"NumPy does not show the memory of a scalar of dtype {record.dtype}: pass an array of one element"
        ) from None
    readonly = not record.flags.writeable
    typestr = f"|V{record.dtype.itemsize}"
    return Window(None, address, (), None, typestr, readonly, record, "record").array(record.dtype)


def window_of(array):
    """The window that a NumPy array looks through; None for ordinary memory."""
    while not (array is None or isinstance(array, Window)):
        array = getattr(array, "base", None)  # also of what as_strided puts between the two
    return array


def _byte_range(array):
    address = array.__array_interface__["data"][0]
    low, high = byte_span(array.shape, array.strides, array.itemsize)
    return address + low, address + high


class _Locked:
    """A range of the host's memory that is page-locked. unpin: undoes that; None where it is another's to undo."""

    def __init__(self, unpin):
        self.users = 0
        self.unpin = unpin


_locked = {}  # (first byte, past the last byte) -> _Locked
_locked_guard = threading.Lock()
_already_registered = 712  # CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED


@contextlib.contextmanager
def pinned(*arrays):
    """Context manager in which the given NumPy arrays are page-locked, so that copies of them run asynchronously.

    Raises CudaAPIError when the driver cannot lock them; none of them is locked then.
    """
    device = current_native()
    with contextlib.ExitStack() as all_locked:
        for array in arrays:
            all_locked.enter_context(_page_locked(device, array))
        yield


@contextlib.contextmanager
def _page_locked(device, array):
    span = _byte_range(array)
    if span[0] == span[1] or window_of(array) is not None:
        yield
        return
    with _locked_guard:
        if span not in _locked:
            _locked[span] = _Locked(_pin(device, *span))
        _locked[span].users += 1
    try:
        yield
    finally:
        with _locked_guard:
            _locked[span].users -= 1
            if not _locked[span].users:
                unpin = _locked.pop(span).unpin
                if unpin:
                    unpin()


def _pin(device, first, end):
    try:
        device.pin(first, end - first)
    except CudaAPIError as error:
        if (
            error.code != _already_registered
        ):  # by another library, or with an array in the same page
            raise
        return None
    return lambda: device.unpin(first)


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
