"""cupy.cuda's memory: MemoryPointer, what it points into, and pools, which here hold nothing back."""

import contextlib
import ctypes
import functools

import numpy as np

from heddle.compat.cupy.devices import Device
from heddle.cuda.devices import current_context
from heddle.cuda.host_memory import Window
from heddle.cuda.memory_managers import allocate
from heddle.cuda.native_devices import current_native
from heddle.cuda.shared_arrays import pinned_array
from heddle.cuda.streams import native_stream
from heddle.cuda.transfers import to_device_memory, to_host_memory


class Memory:
    """``size`` bytes of the current device's memory, freed with the last pointer into them."""

    def __init__(self, size):
        if size < 0:
            raise ValueError(f"memory has 0 bytes or more, not {size}")
        self._memory = allocate(current_context(), size)
        self.size = size
        self.ptr = self._memory.address
        self.native = self._memory.device


class UnownedMemory:
    """Memory that something else keeps. size: bytes. owner: what keeps it, kept as long as this is."""

    def __init__(self, ptr, size, owner, device_id=-1):
        self.ptr = int(ptr)
        self.size = size
        self._owner = owner
        self.native = current_native()


def _in_stream_order(copy):
    """The form of a copy that takes a stream: it waits for the stream, and is done on return."""

    @functools.wraps(copy)
    def copy_after(self, value, size, stream=None):
        native_stream(stream, self.mem.native).synchronize()
        copy(self, value, size)

    return copy_after


class MemoryPointer:
    """A place in a device's memory. mem: a Memory or an UnownedMemory. offset: bytes from its start."""

    def __init__(self, mem, offset):
        self.mem = mem
        self.ptr = mem.ptr + offset

    @classmethod
    def over(cls, address, size, owner):
        """A pointer to memory that ``owner`` keeps."""
        return cls(UnownedMemory(address, size, owner), 0)

    @property
    def size(self):
        """Bytes from here to the end of the memory."""
        return self.mem.ptr + self.mem.size - self.ptr

    @property
    def device(self):
        return Device.of(self.mem.native)

    @property
    def device_id(self):
        return self.device.id

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
        if src.mem.native.index != self.mem.native.index:
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
        if not 0 <= size <= self.size:
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
        return f"<cupy.cuda.MemoryPointer {self.ptr:#x}>"


def _host_bytes(address, size):
    if isinstance(address, np.ndarray):
        address = address.ctypes.data
    address = ctypes.cast(address, ctypes.c_void_p).value
    return np.frombuffer((ctypes.c_uint8 * size).from_address(address), np.uint8)


def alloc(size):
    """A MemoryPointer to ``size`` new bytes on the current device."""
    return MemoryPointer(Memory(size), 0)


class PinnedMemoryPointer(np.ndarray):
    """Page-locked bytes of the host, for ``np.frombuffer``. ptr: their address."""

    @property
    def ptr(self):
        return self.ctypes.data


def alloc_pinned_memory(size):
    """``size`` new bytes of page-locked host memory."""
    return pinned_array(size, np.uint8).view(PinnedMemoryPointer)


class MemoryPool:
    """CuPy's cache of freed memory. Heddle's runtime has its own, so these methods have nothing to do or to report."""

    def __init__(self, allocator=None):
        self._limit = 0

    def malloc(self, size):
        return alloc(size)

    def used_bytes(self):
        return 0

    free_bytes = total_bytes = n_free_blocks = used_bytes

    def free_all_blocks(self, stream=None):
        pass

    def set_limit(self, size=None, fraction=None):
        self._limit = size or 0

    def get_limit(self):
        return self._limit


PinnedMemoryPool = MemoryAsyncPool = MemoryPool
malloc_managed = malloc_async = alloc
_pool, _pinned_pool = MemoryPool(), PinnedMemoryPool()


def get_default_memory_pool():
    return _pool


def get_default_pinned_memory_pool():
    return _pinned_pool


def set_allocator(allocator=None):
    """Nothing to set: arrays get their memory from heddle's runtime."""


set_pinned_memory_allocator = set_allocator


@contextlib.contextmanager
def using_allocator(allocator=None):
    """Context manager in which, as elsewhere, arrays get their memory from heddle's runtime."""
    yield
