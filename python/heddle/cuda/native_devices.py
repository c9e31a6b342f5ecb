"""The runtime's devices, and which of them each thread works on."""

import functools
import operator
import threading

from heddle import _heddle
from heddle.errors import CudaSupportError


@functools.cache
def native_devices():
    """Every device of this machine: GPUs as the driver numbers them, then the CPU. ``index`` is a device's place."""
    return tuple(_heddle.devices())


def is_gpu_in_process():
    """Whether this machine has a GPU that heddle uses, so that another library may have memory of it."""
    return len(native_devices()) > 1  # one of them is the CPU


def refuse_to_share_with_gpus():
    """Raises AttributeError where a library could take the CPU device's memory for a GPU's: hasattr() says no."""
    if is_gpu_in_process():
        raise AttributeError(
            "this array is in the CPU device's memory, which no GPU can reach: "
            "share it through DLPack or the buffer protocol"
        )


def native_device(which):
    """The device that a user names: by number, as "cpu", "cuda" or "cuda:1", or a Device.

    Raises CudaSupportError when there is no such device; TypeError or ValueError for what names none.
    """
    native = getattr(which, "__heddle_device__", None)
    if native is not None:
        return native
    if isinstance(which, str):
        return _device_named(which)
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


def _device_named(name):
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
        self.stack = []  # the current device last; before it those that push_native() put aside


_per_thread = _PerThread()


def _stack():
    if not _per_thread.stack:
        _per_thread.stack.append(native_devices()[_heddle.default_device_index()])
    return _per_thread.stack


def _tell_runtime():
    """Launches read the current device of their thread from the runtime."""
    _heddle.set_current_device(_stack()[-1].index)


def current_native():
    """The device that this thread works on: the one selected last, else the default one."""
    return _stack()[-1]


def select_native(native):
    """Make a device the current one of this thread."""
    if _per_thread.stack:
        _per_thread.stack[-1] = native
    else:
        _per_thread.stack.append(native)
    _tell_runtime()


def push_native(native):
    """Make a device the current one of this thread until ``pop_native()``."""
    _stack().append(native)
    _tell_runtime()


def pop_native():
    """Undo the last ``push_native()``. Returns whether there was one: ``select_default()`` undoes all of them."""
    stack = _stack()
    if len(stack) < 2:
        return False
    stack.pop()
    _tell_runtime()
    return True


def select_default():
    """Make the default device the current one of this thread, whatever was selected and pushed."""
    _per_thread.stack.clear()
    _tell_runtime()
