"""Blocks of device memory, or of host memory for a device, with the interface of numba.cuda."""

import ctypes
import weakref
from collections import namedtuple

from heddle import _heddle
from heddle.cuda.host_memory import find_memory_to_keep
from heddle.cuda.streams import to_native_stream

MemoryInfo = namedtuple("MemoryInfo", "free total")
MemoryInfo.__doc__ = """The free and total memory of a device, in bytes.

>>> free, total = cuda.current_context().get_memory_info()
"""


class _Pointer(int):
    """An address with the attribute ``value``, for programs that expect a ctypes value."""

    __slots__ = ()

    @property
    def value(self):
        return int(self)


def address_to_int(pointer):
    """Converts an address from a plug-in, which is an int, a ctypes value or an object of driver bindings, to int."""
    value = getattr(pointer, "value", pointer)
    return 0 if value is None else int(value)


class MemoryPointer:
    """A block of device memory.

    context: the Context it belongs to. pointer: its address, an int or a ctypes value. size: bytes.
    owner: an object to keep alive. finalizer: called without arguments when the block is no longer used.

    >>> memory = cuda.current_context().memalloc(1024)
    """

    def __init__(self, context, pointer, size, owner=None, finalizer=None):
        self.context = context
        self.device_pointer = _Pointer(address_to_int(pointer))
        self.size = int(size)
        self._cuda_memsize_ = self.size
        self._owner = owner
        self.is_managed = finalizer is not None
        self._finalizer = weakref.finalize(self, finalizer) if finalizer else None
        if self._finalizer:
            self._finalizer.atexit = False  # the driver is already shut down

    @property
    def owner(self):
        """The object that keeps the memory alive."""
        return self if self._owner is None else self._owner

    @property
    def device_pointer_value(self):
        """The address, an int."""
        return int(self.device_pointer)

    device_ctypes_pointer = property(
        lambda self: ctypes.c_size_t(int(self.device_pointer)), doc="The address, a ctypes value."
    )
    handle = property(lambda self: self.device_pointer, doc="The address, an int.")

    def __eq__(self, other):
        """Compares address and size, because each array over the same memory has a separate pointer object."""
        if not isinstance(other, MemoryPointer):
            return NotImplemented
        return (self.address, self.size) == (other.address, other.size)

    def __hash__(self):
        return hash(self.address)

    @property
    def address(self):
        """The address, an int."""
        return int(self.device_pointer)

    @property
    def nbytes(self):
        """The size in bytes."""
        return self.size

    @property
    def device(self):
        """The device that the memory belongs to."""
        return self.context.device._native

    @property
    def __cuda_memory__(self):
        return True

    def own(self):
        """Returns this object, as in numba."""
        return self

    def free(self):
        """Frees the memory now. Nothing may use it afterwards; a second call has no effect."""
        if self._finalizer:
            self._finalizer()

    def memset(self, byte, count=None, stream=0):
        """Sets the first ``count`` bytes, by default all, to ``byte`` in the order of ``stream``."""
        count = self.size if count is None else count
        if not 0 <= count <= self.size:
            raise ValueError(f"count is 0 to {self.size}, the size of this memory, not {count}")
        native = to_native_stream(stream, self.device)
        native.fill(self.address, byte, count, find_memory_to_keep(native, self))

    def view(self, start, stop=None):
        """The bytes from ``start`` up to, but not including, ``stop``. Keeps the whole block alive."""
        stop = self.size if stop is None else stop
        if not 0 <= start <= stop <= self.size:
            raise ValueError(f"bytes {start} to {stop} are not inside memory of {self.size} bytes")
        return MemoryPointer(self.context, self.address + start, stop - start, owner=self)

    def __int__(self):
        return self.address

    def __repr__(self):
        return f"<heddle memory of {self.size} bytes at {self.address:#x}>"


AutoFreePointer = OwnedPointer = MemoryPointer


class _HostMemory(MemoryPointer, _heddle.HostMemoryBase):
    """Memory that the host can access. It supports ``np.asarray`` and the buffer protocol, as bytes."""

    @property
    def __array_interface__(self):
        return {
            "version": 3,
            "data": (self.address, False),
            "shape": (self.size,),
            "typestr": "|u1",
        }


class MappedMemory(_HostMemory):
    """Host memory that the device can also access.

    >>> memory = cuda.current_context().memhostalloc(1024, mapped=True)
    """

    @property
    def host_pointer(self):
        """The address on the host."""
        return self.device_pointer


class PinnedMemory(_HostMemory):
    """Page-locked host memory.

    >>> memory = cuda.current_context().memhostalloc(1024)
    """


class ManagedMemory(_HostMemory):
    """Memory that migrates between host and device on demand."""


MappedOwnedPointer, ManagedOwnedPointer = MappedMemory, ManagedMemory


def wrap_in_host_memory_pointer(context, buffer, kind):
    """Wraps native memory of kind "pinned", "mapped" or "managed" in the MemoryPointer class for that kind."""
    classes = {"pinned": PinnedMemory, "mapped": MappedMemory, "managed": ManagedMemory}
    return classes[kind](context, buffer.address, buffer.nbytes, owner=buffer)


def wrap_in_memory_pointer(context, memory, kind="device"):
    """Wraps memory of a context in a MemoryPointer. Memory from a plug-in already is one."""
    if not isinstance(memory, _heddle.Buffer):
        return memory
    if kind != "device":
        return wrap_in_host_memory_pointer(context, memory, kind)
    return MemoryPointer(context, memory.address, memory.nbytes, owner=memory)
