"""NumPy arrays over device memory, and page-locked host memory.

NumPy accesses shared memory through a *window*: an object that has the address and keeps the memory alive. An array's
chain of bases ends at the window, so that a view of a pinned array is known to be pinned.
"""

import contextlib
import threading

import numpy as np

from heddle import _heddle
from heddle.cuda.native_devices import current_native
from heddle.errors import CudaAPIError
from heddle.support.byte_span import byte_span

SHARED_KINDS = ("device", "mapped", "managed")  # memory that kernels use in place


class Window:
    """The base of NumPy arrays over a piece of memory. kind: "device", "pinned", "mapped", "managed" or "record"."""

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

    def as_numpy_array(self, dtype):
        """The memory as a NumPy array. It is not accessed, so the host need not be able to read it."""
        seen = np.asarray(self)
        return seen if seen.dtype == dtype else seen.view(dtype)


class _Exported:
    """Owner of device memory that other code can read without calling Heddle. Registers the range with launches."""

    __slots__ = ("owner", "range")

    def __init__(self, owner, array):
        low, high = _get_byte_range(array)
        self.owner, self.range = owner, _heddle.ExportedRange(low, high - low)


def make_owner_of_foreign_memory(array, owner=None):
    """Makes an owner for a device array over memory that other code continues to use.

    array: a NumPy array over the memory. owner: kept alive; default: the array.
    """
    return _Exported(array if owner is None else owner, array)


def export_as_numpy_array(array):
    """Exports a device array's memory as a NumPy array for other code. As long as it or a view of it lives, launches
    with this memory on the default stream return only when the kernel is done."""
    seen = array._make_numpy_view()
    record_host_write_for_check(seen)
    window = find_window(seen)
    window.owner = _Exported(window.owner, seen)
    return seen


def view_record(record):
    """A zero-dimensional NumPy array over the memory of a structured scalar, which often belongs to an array."""
    try:
        address = np.frombuffer(record, np.uint8).ctypes.data
    except (TypeError, ValueError):
        raise TypeError(
            f"NumPy does not expose the memory of a scalar of dtype {record.dtype}: pass an array of one element"
        ) from None
    readonly = not record.flags.writeable
    typestr = f"|V{record.dtype.itemsize}"
    return Window(None, address, (), None, typestr, readonly, record, "record").as_numpy_array(
        record.dtype
    )


def find_window(array):
    """The window at the end of a NumPy array's chain of bases; None for ordinary memory."""
    while not (array is None or isinstance(array, Window)):
        array = getattr(array, "base", None)  # also passes the object that as_strided inserts
    return array


def find_memory_to_keep(native_stream, *arrays):
    """The arrays that work of a native stream must keep alive until it is done; None if it need not keep any.

    arrays: NumPy arrays, or MemoryPointers. A graph keeps all of them alive.
    """
    is_kept = native_stream.capturing or not all(
        _is_freed_after_work_of(native_stream, array) for array in arrays
    )
    return arrays if is_kept else None


def _is_freed_after_work_of(native_stream, array):
    window = find_window(array)
    owner = getattr(array if window is None else window, "owner", None)
    return isinstance(owner, _heddle.Buffer) and owner.is_freed_after_work_of(native_stream)


def record_host_write_for_check(target):
    """Tells `heddle check` that host code writes a NumPy array. Does nothing unless it is over device memory."""
    window = find_window(target)
    if window is not None:
        low, high = _get_byte_range(target)
        _heddle.record_host_write_for_check(low, high - low)


def record_host_copy_for_check(target, source):
    """Tells `heddle check` that host code copies a NumPy array. Copies between equal layouts copy definedness."""
    same_layout = (
        target.dtype == source.dtype and target.strides == source.strides and target.flags.forc
    )
    if same_layout and find_window(target) is not None:
        addresses = (array.__array_interface__["data"][0] for array in (target, source))
        _heddle.record_host_copy_for_check(*addresses, target.nbytes)
    else:
        record_host_write_for_check(target)


def record_stream_copy_for_check(stream, target, source, done):
    """Tells `heddle check` that host code copies a NumPy array in the order of a native stream.

    done: the program knows that the copy has ended.
    """
    record_stream_access_for_check(stream, target, writes=True, done=done)
    record_stream_access_for_check(stream, source, writes=False, done=done)


def record_stream_access_for_check(stream, array, writes, done=True):
    """The same for host code that reads a NumPy array, or writes to it."""
    if find_window(array) is not None:
        low, high = _get_byte_range(array)
        _heddle.note_host_work(stream, low, high - low, writes, done)


def _get_byte_range(array):
    address = array.__array_interface__["data"][0]
    low, high = byte_span(array.shape, array.strides, array.itemsize)
    return address + low, address + high


class _Locked:
    """A page-locked range of host memory. unpin: unlocks it; None if another library must."""

    def __init__(self, unpin):
        self.users = 0
        self.unpin = unpin


_locked = {}  # (first byte, past the last byte) -> _Locked
_locked_guard = threading.Lock()
_already_registered = 712  # CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED


@contextlib.contextmanager
def pinned(*arrays):
    """Context manager that page-locks NumPy arrays, so that copies of them can run asynchronously.

    Raises CudaAPIError if the driver cannot lock one of them. In that case, none is locked.

    >>> stream = cuda.stream()
    >>> with cuda.pinned(x):
    ...     on_device = cuda.to_device(x, stream=stream)
    ...     stream.synchronize()
    """
    device = current_native()
    with contextlib.ExitStack() as all_locked:
        for array in arrays:
            all_locked.enter_context(_page_lock(device, array))
        yield


@contextlib.contextmanager
def _page_lock(device, array):
    span = _get_byte_range(array)
    if span[0] == span[1] or find_window(array) is not None:
        yield
        return
    with _locked_guard:
        if span not in _locked:
            _locked[span] = _Locked(_pin_and_make_unpin(device, *span))
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


def _pin_and_make_unpin(device, first, end):
    try:
        device.pin(first, end - first)
    except CudaAPIError as error:
        if (
            error.code != _already_registered
        ):  # locked by another library, or with an array in the same page
            raise
        return None
    return lambda: device.unpin(first)


def may_copy_asynchronously(array):
    """True if an asynchronous copy between the array and a device may still run when the call returns.

    That is so for page-locked memory. CUDA guarantees that other memory can be reused at once.
    """
    if find_window(array) is not None:
        return True
    if not _locked:
        return False
    first, end = _get_byte_range(array)
    with _locked_guard:
        return any(low <= first and end <= high for low, high in _locked)
