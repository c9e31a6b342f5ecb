"""The native devices, and the current one of each thread."""

import functools
import operator
import threading

from heddle import _heddle
from heddle.errors import CudaSupportError


@functools.cache
def native_devices():
    """All devices of this machine: the GPUs in the driver's order, then the CPU. ``index`` is the tuple index."""
    return tuple(_heddle.devices())


def has_gpu():
    """True if Heddle uses a GPU of this machine, so that other libraries may have memory on it."""
    return len(native_devices()) > 1  # one of them is the CPU


def refuse_sharing_if_has_gpu():
    """Raises AttributeError, so that hasattr() is False, if a library could mistake CPU memory for GPU memory."""
    if has_gpu():
        raise AttributeError(
            "this array is in the CPU device's memory, which no GPU can access: "
            "share it through DLPack or the buffer protocol"
        )


def find_native_device(which):
    """Returns the native device for an index, "cpu", "cuda", "cuda:1", or a Device.

    Raises CudaSupportError if there is no such device, TypeError or ValueError for a malformed name.
    """
    native = getattr(which, "__heddle_device__", None)
    if native is not None:
        return native
    if isinstance(which, str):
        return _find_device_by_name(which)
    devices = native_devices()
    try:
        index = operator.index(which)
    except TypeError:
        raise TypeError(
            f"a device is a number, 'cpu', 'cuda' or 'cuda:<number>', not {which!r}"
        ) from None
    if not 0 <= index < len(devices):
        raise CudaSupportError(
            f"there is no device {index}: this machine has {len(devices)}, numbered 0 to {len(devices) - 1}"
        )
    return devices[index]


def _find_device_by_name(name):
    kind, _, number = name.partition(":")
    if name == "cpu":
        return native_devices()[-1]
    if kind != "cuda" or not (name == "cuda" or (number.isascii() and number.isdigit())):
        raise ValueError(f"a device is called 'cpu', 'cuda' or 'cuda:<number>', not {name!r}")
    count = len(native_devices()) - 1  # the last one is the CPU
    if int(number or 0) >= count:
        reason = (
            f"this machine has GPUs 0 to {count - 1}"
            if count
            else f"there is no GPU here: {_heddle.no_gpu_reason()}"
        )
        raise CudaSupportError(f"there is no device {name!r}: {reason}")
    return native_devices()[int(number or 0)]


class _PerThread(threading.local):
    def __init__(self):
        self.stack = []  # ends with the current device; push_native() has saved the others


_per_thread = _PerThread()


def _get_device_stack():
    if not _per_thread.stack:
        _per_thread.stack.append(native_devices()[_heddle.default_device_index()])
    return _per_thread.stack


def _store_current_device_in_runtime():
    """Stores the current device in the native runtime, where launches read it."""
    _heddle.set_current_device(_get_device_stack()[-1].index)


def current_native():
    """The current device of the calling thread: the last one selected, else the default."""
    return _get_device_stack()[-1]


def select_native(native):
    """Makes a device the current one of the calling thread."""
    if _per_thread.stack:
        _per_thread.stack[-1] = native
    else:
        _per_thread.stack.append(native)
    _store_current_device_in_runtime()


def push_native(native):
    """Makes a device the current one of the calling thread until ``pop_native()``."""
    _get_device_stack().append(native)
    _store_current_device_in_runtime()


def pop_native():
    """Undoes the last ``push_native()``. Returns False if ``reset_to_default_device()`` has undone all."""
    stack = _get_device_stack()
    if len(stack) < 2:
        return False
    stack.pop()
    _store_current_device_in_runtime()
    return True


def reset_to_default_device():
    """Makes the default device the current one of the calling thread, and clears all pushes."""
    _per_thread.stack.clear()
    _store_current_device_in_runtime()
