"""Pieces of memory of a device, or of the host for a device, as numba.cuda shows them."""

import ctypes
import weakref
from collections import namedtuple

from heddle import _heddle
from heddle.cuda.streams import native_stream

MemoryInfo = namedtuple("MemoryInfo", "free total")
MemoryInfo.__doc__ = """Memory of a device, both in bytes."""


class _Pointer(int):
    """An address, for programs that ask a ctypes value for its ``value``, too."""

    __slots__ = ()

    @property
    def value(self):
        return int(self)


def address_of(pointer):
    """The address that a plug-in gives: as an int, a ctypes value, or an object of a driver's bindings."""
    value = getattr(pointer, "value", pointer)
    return 0 if value is None else int(value)


class MemoryPointer:
    """A piece of a device's memory.

    context: the Context it belongs to. pointer: its address, an int or a ctypes value. size: bytes.
    owner: an object to keep alive with it. finalizer: called without arguments when the piece is no longer used.
    """

    def __init__(self, context, pointer, size, owner=None, finalizer=None):
        self.context = context
        self.device_pointer = _Pointer(address_of(pointer))
        self.size = int(size)
        self._cuda_memsize_ = self.size
        self._owner = owner
        self.is_managed = finalizer is not None
        self._finalizer = weakref.finalize(self, finalizer) if finalizer else None
        if self._finalizer:
            self._finalizer.atexit = False  # the driver is gone by then

    @property
    def owner(self):
        return self if self._owner is None else self._owner

    @property
    def device_pointer_value(self):
        return int(self.device_pointer)

    device_ctypes_pointer = property(lambda self: ctypes.c_size_t(int(self.device_pointer)))
    handle = property(lambda self: self.device_pointer)

    def __eq__(self, other):
        """Whether it is the same piece: two arrays in one memory have a pointer each."""
        if not isinstance(other, MemoryPointer):
            return NotImplemented
        return (self.address, self.size) == (other.address, other.size)

    def __hash__(self):
        return hash(self.address)

    @property
    def address(self):
        return int(self.device_pointer)

    @property
    def nbytes(self):
        return self.size

    @property
    def device(self):
        return self.context.device._native

    @property
    def __cuda_memory__(self):
        return True

    def own(self):
        return self

    def free(self):
        """Give the memory back now. Nothing may use it any more; a second call does nothing."""
        if self._finalizer:
            self._finalizer()

    def memset(self, byte, count=None, stream=0):
        """Set the first ``count`` bytes, or all, to ``byte`` in the order of ``stream``."""
        count = self.size if count is None else count
        if not 0 <= count <= self.size:
            raise ValueError(f"count is from 0 to {self.size}, the bytes of this memory: {count}")
        native_stream(stream, self.device).fill(self.address, byte, count, self)

    def view(self, start, stop=None):
        """The bytes from ``start`` to before ``stop``, which keep the whole alive."""
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
    """Memory that the host reaches. ``np.asarray`` of it gives its bytes; it is a buffer, too."""

    @property
    def __array_interface__(self):
        return {
            "version": 3,
            "data": (self.address, False),
            "shape": (self.size,),
            "typestr": "|u1",
        }


class MappedMemory(_HostMemory):
    """Host memory that the device reaches, too."""

    @property
    def host_pointer(self):
        return self.device_pointer


class PinnedMemory(_HostMemory):
    """Page-locked host memory."""


class ManagedMemory(_HostMemory):
    """Memory that moves between host and device as it is used."""


MappedOwnedPointer, ManagedOwnedPointer = MappedMemory, ManagedMemory


def host_memory(context, buffer, kind):
    """The runtime's memory of kind "pinned", "mapped" or "managed" as a MemoryPointer of that kind's class."""
    classes = {"pinned": PinnedMemory, "mapped": MappedMemory, "managed": ManagedMemory}
    return classes[kind](context, buffer.address, buffer.nbytes, owner=buffer)


def as_pointer(context, memory, kind="device"):
    """Memory of a context as a MemoryPointer, whoever allocated it; memory of another kind as a class of its own."""
    if not isinstance(memory, _heddle.Buffer):
        return memory
    if kind != "device":
        return host_memory(context, memory, kind)
    return MemoryPointer(context, memory.address, memory.nbytes, owner=memory)
