"""MemoryPointer and the memory it points to."""

import ctypes
import operator

import numpy as np

from heddle import _heddle
from heddle.compat.cupy.devices import Device, get_device_number, get_native_device
from heddle.compat.cupy.streams import get_current_stream
from heddle.cuda.host_memory import Window
from heddle.cuda.native_devices import current_native
from heddle.cuda.streams import to_native_stream
from heddle.cuda.transfers import copy_to_device_memory, copy_to_host_memory


class BaseMemory:
    """A block of device memory. ptr: its address. size: in bytes. device_id: the device's number."""

    ptr = size = 0
    _requested_size = None  # the bytes that the program requested of `size`: the end of the memory for bounds checks
    _native = None  # the runtime's device; device_id is ambiguous: the CPU device and the first GPU are both 0

    def _set_device(self, native):
        self._native, self.device_id = native, get_device_number(native)

    @property
    def device(self):
        return Device(self.device_id)

    @property
    def native(self):
        return self._native or get_native_device(self.device_id)

    def __int__(self):
        return self.ptr


class UnownedMemory(BaseMemory):
    """Memory that another object owns. size: in bytes. owner: that object, kept alive together with this one.

    device_id: the device's number; negative means the current device.
    """

    def __init__(self, ptr, size, owner, device_id=-1):
        if device_id < 0 and not ptr:
            raise RuntimeError("the device of a null pointer is unknown: pass its device_id")
        self.ptr, self.size = int(ptr), size
        self._owner = owner
        self._set_device(get_native_device(device_id))
        if self.ptr and size and not self.native.owns_memory(self.ptr):
            self._range = _heddle.ExportedRange(self.ptr, size)  # other code can access it too


class MemoryPointer:
    """An address in device memory. mem: the memory block. offset: bytes from the block's start."""

    def __init__(self, mem, offset):
        self.mem = mem
        self.ptr = mem.ptr + operator.index(offset)

    @classmethod
    def from_address(cls, address, size, owner):
        """A pointer to memory of the current device that ``owner`` keeps alive."""
        return cls(UnownedMemory(address, size, owner, get_device_number(current_native())), 0)

    @property
    def size(self):
        """The number of bytes from this address to the end of the block."""
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
        """Copy ``size`` bytes from a host address, an int or a ctypes pointer, to this address."""
        copy_to_device_memory(
            self._view_bytes(size), _view_host_bytes(mem, size), self.mem.native, 0
        )

    def copy_to_host(self, mem, size):
        """Copy ``size`` bytes from this address to a host address, an int or a ctypes pointer."""
        copy_to_host_memory(_view_host_bytes(mem, size), self._view_bytes(size), self.mem.native, 0)

    def copy_from_device(self, src, size):
        """Copy ``size`` bytes from another MemoryPointer, also across devices."""
        self._check_size(size)
        src._check_size(size)
        if src.device_id != self.device_id:
            self.copy_from_host(src._copy_to_numpy(size), size)
            return
        stream = to_native_stream(0, self.mem.native)
        stream.copy(self.ptr, src.ptr, size, (self.mem, src.mem))
        stream.synchronize()

    def copy_from(self, mem, size):
        """Copy ``size`` bytes from a MemoryPointer or a host address."""
        copy = self.copy_from_device if isinstance(mem, MemoryPointer) else self.copy_from_host
        copy(mem, size)

    def memset(self, value, size):
        """Set ``size`` bytes to ``value``."""
        self._check_size(size)
        stream = to_native_stream(0, self.mem.native)
        stream.fill(self.ptr, value, size, self.mem)
        stream.synchronize()

    # The same operations in stream order; None means the current stream. Copies from and to the host are finished on
    # return, unless the stream is capturing.

    def copy_from_host_async(self, mem, size, stream=None):
        self._check_size(size)
        self._to_native_stream(stream).upload(self.ptr, _find_host_address(mem), size)

    def copy_to_host_async(self, mem, size, stream=None):
        self._check_size(size)
        self._to_native_stream(stream).download(_find_host_address(mem), self.ptr, size)

    def copy_from_device_async(self, src, size, stream=None):
        self._check_size(size)
        src._check_size(size)
        if src.device_id != self.device_id:
            src._to_native_stream(stream).synchronize()
            self.copy_from_device(src, size)
            return
        self._to_native_stream(stream).copy(self.ptr, src.ptr, size, (self.mem, src.mem))

    def copy_from_async(self, mem, size, stream=None):
        is_device = isinstance(mem, MemoryPointer)
        copy = self.copy_from_device_async if is_device else self.copy_from_host_async
        copy(mem, size, stream)

    def memset_async(self, value, size, stream=None):
        self._check_size(size)
        self._to_native_stream(stream).fill(self.ptr, value, size, self.mem)

    def _to_native_stream(self, stream):
        return to_native_stream(get_current_stream() if stream is None else stream, self.mem.native)

    def _check_size(self, size):
        if not 0 <= operator.index(size) <= self.size:
            raise ValueError(
                f"{size} bytes do not fit: the memory has {self.size} bytes from this address on"
            )

    def _copy_to_numpy(self, size):
        staged = np.empty(size, np.uint8)
        self.copy_to_host(staged, size)
        return staged

    def _view_bytes(self, size):
        self._check_size(size)
        window = Window(self.mem.native, self.ptr, (size,), None, "|u1", False, self.mem)
        return window.as_numpy_array(np.dtype(np.uint8))

    def __repr__(self):
        return f"<cupy.cuda.MemoryPointer {self.ptr:#x} device={self.device_id}>"


def _find_host_address(address):
    if isinstance(address, np.ndarray):
        return address.ctypes.data
    return ctypes.cast(address, ctypes.c_void_p).value


def _view_host_bytes(address, size):
    return np.frombuffer(
        (ctypes.c_uint8 * size).from_address(_find_host_address(address)), np.uint8
    )
