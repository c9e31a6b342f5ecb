"""Memory allocated by Heddle's runtime or by a program's own functions, and the exception for a lack of memory."""

import ctypes

from heddle.compat.cupy.pools.memory_pointers import BaseMemory, MemoryPointer
from heddle.compat.cupy.streams import get_current_stream
from heddle.cuda.devices import current_context
from heddle.cuda.memory_managers import allocate_on_device
from heddle.cuda.native_devices import current_native


class OutOfMemoryError(MemoryError):
    """``size`` bytes cannot be allocated: the device is out of memory, or the pool's limit is reached.

    total: bytes that the pool holds; negative if unknown. limit: the pool's limit in bytes; 0 means none.
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
    """``size`` bytes of the current device's memory, freed together with the last pointer to it."""

    def __init__(self, size):
        if size < 0:
            raise ValueError(f"memory has 0 bytes or more, not {size}")
        self.size = size
        self._set_device(current_native())
        if size:
            self._memory = self._allocate(size)
            self.ptr = self._memory.address

    def _allocate(self, size):
        try:
            return self._allocate_native(size)
        except MemoryError:
            raise OutOfMemoryError(size, -1) from None

    def _allocate_native(self, size):
        return allocate_on_device(current_context(), size)


class MemoryAsync(Memory):
    """``size`` bytes for use on a stream. stream: the stream or its handle."""

    def __init__(self, size, stream):
        self.stream = getattr(stream, "ptr", stream)
        super().__init__(size)


class ManagedMemory(Memory):
    """``size`` bytes that the host and the device can access."""

    def _allocate_native(self, size):
        return current_native().allocate(size, "managed")

    def prefetch(self, stream):
        """Hint that the device will need the memory soon. Does nothing: the driver moves the memory on first use."""

    def advise(self, advise, device):
        """Hint about how the memory will be used. Does nothing."""


def raw_malloc(size):
    """A MemoryPointer to ``size`` new bytes outside any pool."""
    return MemoryPointer(Memory(size), 0)


def malloc_managed(size):
    """A MemoryPointer to ``size`` new bytes that the host and the device can access."""
    return MemoryPointer(ManagedMemory(size), 0)


def malloc_async(size):
    """A MemoryPointer to ``size`` new bytes for use on the current stream."""
    return MemoryPointer(MemoryAsync(size, get_current_stream()), 0)


class _FunctionMemory(BaseMemory):
    """Memory from the program's own function, freed by another function together with the last pointer to it."""

    def __init__(self, size, malloc, free):
        self.size, self._free = size, free
        self._set_device(current_native())
        if size:
            self.ptr = malloc(size, self.device_id)

    def __del__(self):
        if self.ptr:
            self._free(self.ptr, self.device_id)


class PythonFunctionAllocator:
    """Allocates with Python functions: ``malloc_func(size, device_id)`` returns an address, which
    ``free_func(address, device_id)`` frees."""

    def __init__(self, malloc_func, free_func):
        self._functions = malloc_func, free_func

    def malloc(self, size):
        return MemoryPointer(_FunctionMemory(size, *self._functions), 0)


class CFunctionAllocator(PythonFunctionAllocator):
    """Allocates with C functions, passed as addresses: ``void *malloc_func(void *param, size_t size, int device)`` and
    ``void free_func(void *param, void *address, int device)``. owner: an object to keep alive with this one."""

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
