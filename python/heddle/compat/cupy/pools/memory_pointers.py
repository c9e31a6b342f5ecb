"""MemoryPointer, and what it points into."""

import ctypes
import operator

import numpy as np

from heddle import _heddle
from heddle.compat.cupy.devices import Device, native_of, number_of
from heddle.compat.cupy.streams import get_current_stream
from heddle.cuda.host_memory import Window
from heddle.cuda.native_devices import current_native
from heddle.cuda.streams import native_stream
from heddle.cuda.transfers import copy_to_device_memory, copy_to_host_memory


class BaseMemory:
    """A piece of a device's memory. ptr: its address. size: bytes. device_id: the device's number."""

    ptr = size = 0
    _native = None  # the runtime's device, which the number alone does not tell: CPU device and first GPU are 0

    def _set_device(self, native):
        self._native, self.device_id = native, number_of(native)

    @property
    def device(self):
        return Device(self.device_id)

    @property
    def native(self):
        return self._native or native_of(self.device_id)

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
        self._set_device(native_of(device_id))
        if self.ptr and size and not self.native.owns_memory(self.ptr):
            self._range = _heddle.ExportedRange(self.ptr, size)  # other code has it, too


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
        copy_to_device_memory(self._bytes(size), _host_bytes(mem, size), self.mem.native, 0)

    def copy_to_host(self, mem, size):
        """Copy ``size`` bytes to a host address: an int or a ctypes pointer."""
        copy_to_host_memory(_host_bytes(mem, size), self._bytes(size), self.mem.native, 0)

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

    # The same in the order of a stream, the current one when None. Copies from and to the host are done on return,
    # unless the stream captures.

    def copy_from_host_async(self, mem, size, stream=None):
        self._check(size)
        self._native(stream).upload(self.ptr, _host_address(mem), size)

    def copy_to_host_async(self, mem, size, stream=None):
        self._check(size)
        self._native(stream).download(_host_address(mem), self.ptr, size)

    def copy_from_device_async(self, src, size, stream=None):
        self._check(size)
        src._check(size)
        if src.device_id != self.device_id:
            src._native(stream).synchronize()
            self.copy_from_device(src, size)
            return
        self._native(stream).copy(self.ptr, src.ptr, size, (self.mem, src.mem))

    def copy_from_async(self, mem, size, stream=None):
        is_device = isinstance(mem, MemoryPointer)
        copy = self.copy_from_device_async if is_device else self.copy_from_host_async
        copy(mem, size, stream)

    def memset_async(self, value, size, stream=None):
        self._check(size)
        self._native(stream).fill(self.ptr, value, size, self.mem)

    def _native(self, stream):
        return native_stream(get_current_stream() if stream is None else stream, self.mem.native)

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


def _host_address(address):
    if isinstance(address, np.ndarray):
        return address.ctypes.data
    return ctypes.cast(address, ctypes.c_void_p).value


def _host_bytes(address, size):
    return np.frombuffer((ctypes.c_uint8 * size).from_address(_host_address(address)), np.uint8)
