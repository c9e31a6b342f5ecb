"""Memory straight from heddle's runtime, or from a program's functions, and the exception when there is none left."""

import ctypes

from heddle.compat.cupy.pools.memory_pointers import BaseMemory, MemoryPointer
from heddle.compat.cupy.streams import get_current_stream
from heddle.cuda.devices import current_context
from heddle.cuda.memory_managers import allocate
from heddle.cuda.native_devices import current_native


class OutOfMemoryError(MemoryError):
    """No room for ``size`` bytes: the device has none left, or a pool has a limit.

    total: bytes that the pool holds; negative where that is unknown. limit: the pool's; 0 for none.
    """

    def __init__(self, size, total, limit=0):
        self._values = (size, total, limit)
        held = [] if total < 0 else [f"allocated so far: {total:,} bytes"]
        held += [f"limit set to: {limit:,} bytes"] if limit else []
        super().__init__(
            f"Out of memory allocating {size:,} bytes" + (f" ({', '.join(held)})." if held else ".")
        )

    def __reduce__(self):
        return type(self), self._values


class Memory(BaseMemory):
    """``size`` bytes of the current device's memory, freed with the last pointer into them."""

    def __init__(self, size):
        if size < 0:
            raise ValueError(f"memory has 0 bytes or more, not {size}")
        self.size = size
        self._set_device(current_native())
        if size:
            self._memory = self._allocated(size)
            self.ptr = self._memory.address

    def _allocated(self, size):
        try:
            return self._new(size)
        except MemoryError:
            raise OutOfMemoryError(size, -1) from None

    def _new(self, size):
        return allocate(current_context(), size)


class MemoryAsync(Memory):
    """``size`` bytes for a stream. stream: its handle."""

    def __init__(self, size, stream):
        self.stream = getattr(stream, "ptr", stream)
        super().__init__(size)


class ManagedMemory(Memory):
    """``size`` bytes that the host and the device reach."""

    def _new(self, size):
        return current_native().allocate(size, "managed")

    def prefetch(self, stream):
        """A hint that the device needs the memory soon. The driver moves it when it is used; nothing happens here."""

    def advise(self, advise, device):
        """A hint how the memory is going to be used; nothing happens here."""


def raw_malloc(size):
    """A MemoryPointer to ``size`` new bytes that no pool keeps."""
    return MemoryPointer(Memory(size), 0)


def malloc_managed(size):
    """A MemoryPointer to ``size`` new bytes that the host and the device reach."""
    return MemoryPointer(ManagedMemory(size), 0)


def malloc_async(size):
    """A MemoryPointer to ``size`` new bytes for the current stream."""
    return MemoryPointer(MemoryAsync(size, get_current_stream()), 0)


class _MemoryOfFunctions(BaseMemory):
    """Memory that a function gives, and another one takes back with the last pointer into it."""

    def __init__(self, size, malloc, free):
        self.size, self._free = size, free
        self._set_device(current_native())
        if size:
            self.ptr = malloc(size, self.device_id)

    def __del__(self):
        if self.ptr:
            self._free(self.ptr, self.device_id)


class PythonFunctionAllocator:
    """Allocates by functions: ``malloc_func(size, device_id)`` returns an address, ``free_func(address, device_id)``
    takes it back."""

    def __init__(self, malloc_func, free_func):
        self._functions = malloc_func, free_func

    def malloc(self, size):
        return MemoryPointer(_MemoryOfFunctions(size, *self._functions), 0)


class CFunctionAllocator(PythonFunctionAllocator):
    """Allocates by C functions, which are given by address: ``void *malloc_func(void *param, size_t size, int device)``
    and ``void free_func(void *param, void *address, int device)``. owner: what keeps them, kept as long as this is."""

    def __init__(self, param, malloc_func, free_func, owner):
        malloc = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)(
            malloc_func
        )
        free = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)(free_func)
        self._owner = owner
        super().__init__(
            lambda size, device: malloc(param, size, device) or 0,
            lambda address, device: free(param, address, device),
        )
