"""MemoryPointer, and what it points into."""

import ctypes
import functools
import operator

import numpy as np

from heddle.compat.cupy.devices import Device, native_of, number_of
from heddle.compat.cupy.streams import get_current_stream
from heddle.cuda.host_memory import Window
from heddle.cuda.native_devices import current_native
from heddle.cuda.streams import native_stream
from heddle.cuda.transfers import to_device_memory, to_host_memory


class BaseMemory:
    """A piece of a device's memory. ptr: its address. size: bytes. device_id: the device's number."""

    ptr = size = 0

    @property
    def device(self):
        return Device(self.device_id)

    @property
    def native(self):
        return native_of(self.device_id)

    def __int__(self):
        return self.ptr


class UnownedMemory(BaseMemory):
    """Memory that something else keeps. size: bytes. owner: what keeps it, kept as long as this is.

    device_id: the number of its device; the current one when negative.
    """

    def __init__(self, ptr, size, owner, device_id=-1):
        if device_id < 0 and not ptr:
            raise RuntimeError("the device of a null pointer is unknown: give its device_id")
        self.ptr, self.size = int(ptr), size
        self._owner = owner
        self.device_id = number_of(current_native()) if device_id < 0 else device_id


def _in_stream_order(copy):
    """The form of a copy that takes a stream, the current one when None: it waits for the stream, and is done on
    return."""

    @functools.wraps(copy)
    def copy_after(self, value, size, stream=None):
        stream = get_current_stream() if stream is None else stream
        native_stream(stream, self.mem.native).synchronize()
        copy(self, value, size)

    return copy_after


class MemoryPointer:
    """A place in a device's memory. mem: a piece of memory. offset: bytes from its start."""

    def __init__(self, mem, offset):
        self.mem = mem
        self.ptr = mem.ptr + operator.index(offset)

    @classmethod
    def over(cls, address, size, owner):
        """A pointer to memory of the current device that ``owner`` keeps."""
        return cls(UnownedMemory(address, size, owner, number_of(current_native())), 0)

    @property
    def size(self):
        """Bytes from here to the end of the memory."""
        return self.mem.ptr + self.mem.size - self.ptr

    @property
    def device(self):
        return self.mem.device

    @property
    def device_id(self):
        return self.mem.device_id

    def __int__(self):
        return self.ptr

    def __add__(self, offset):
        return MemoryPointer(self.mem, self.ptr - self.mem.ptr + offset)

    __radd__ = __add__

    def __sub__(self, offset):
        return self + -offset

    def copy_from_host(self, mem, size):
        """Copy ``size`` bytes from a host address: an int or a ctypes pointer."""
        to_device_memory(self._bytes(size), _host_bytes(mem, size), self.mem.native, 0)

    def copy_to_host(self, mem, size):
        """Copy ``size`` bytes to a host address: an int or a ctypes pointer."""
        to_host_memory(_host_bytes(mem, size), self._bytes(size), self.mem.native, 0)

    def copy_from_device(self, src, size):
        """Copy ``size`` bytes from another pointer of the device."""
        self._check(size)
        src._check(size)
        if src.device_id != self.device_id:
            self.copy_from_host(src._on_host(size), size)
            return
        stream = native_stream(0, self.mem.native)
        stream.copy(self.ptr, src.ptr, size, (self.mem, src.mem))
        stream.synchronize()

    def copy_from(self, mem, size):
        """Copy ``size`` bytes from a pointer of the device or from a host address."""
        copy = self.copy_from_device if isinstance(mem, MemoryPointer) else self.copy_from_host
        copy(mem, size)

    def memset(self, value, size):
        """Set ``size`` bytes to ``value``."""
        self._check(size)
        stream = native_stream(0, self.mem.native)
        stream.fill(self.ptr, value, size, self.mem)
        stream.synchronize()

    copy_from_host_async = _in_stream_order(copy_from_host)
    copy_to_host_async = _in_stream_order(copy_to_host)
    copy_from_device_async = _in_stream_order(copy_from_device)
    copy_from_async = _in_stream_order(copy_from)
    memset_async = _in_stream_order(memset)

    def _check(self, size):
        if not 0 <= operator.index(size) <= self.size:
            raise ValueError(f"{size} bytes reach over the end: there are {self.size} from here on")

    def _on_host(self, size):
        staged = np.empty(size, np.uint8)
        self.copy_to_host(staged, size)
        return staged

    def _bytes(self, size):
        self._check(size)
        window = Window(self.mem.native, self.ptr, (size,), None, "|u1", False, self.mem)
        return window.array(np.dtype(np.uint8))

    def __repr__(self):
        return f"<cupy.cuda.MemoryPointer {self.ptr:#x} device={self.device_id}>"


def _host_bytes(address, size):
    if isinstance(address, np.ndarray):
        address = address.ctypes.data
    address = ctypes.cast(address, ctypes.c_void_p).value
    return np.frombuffer((ctypes.c_uint8 * size).from_address(address), np.uint8)
