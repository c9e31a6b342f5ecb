"""cupy.cuda.pinned_memory: page-locked host memory and its pool."""

import collections
import threading
import weakref

import numpy as np

from heddle.compat.cupy.pools.memory_chunks import round_size
from heddle.cuda.host_memory import Window
from heddle.cuda.native_devices import current_native
from heddle.support.missing_names import make_missing_name_error

__all__ = [
    "PinnedMemory",
    "PinnedMemoryPointer",
    "PinnedMemoryPool",
    "PooledPinnedMemory",
    "alloc_pinned_memory",
    "set_pinned_memory_allocator",
]


class PinnedMemory:
    """``size`` page-locked bytes of host memory, freed together with the last pointer to it. ptr: the address."""

    ptr = 0

    def __init__(self, size, flags=0):
        self.size = size
        if size:
            self._memory = current_native().allocate(size, "pinned")
            self.ptr = self._memory.address

    def __int__(self):
        return self.ptr


class PinnedMemoryPointer(np.ndarray):
    """A pointer into page-locked memory; ``np.frombuffer`` reads its bytes. mem: a PinnedMemory. offset: in bytes."""

    def __new__(cls, mem, offset):
        window = Window(
            current_native(),
            mem.ptr + offset,
            (mem.size - offset,),
            None,
            "|u1",
            False,
            mem,
            "pinned",
        )
        place = (
            window.as_numpy_array(np.dtype(np.uint8)) if mem.ptr else np.empty(0, np.uint8)
        ).view(cls)
        place.mem, place.ptr = mem, mem.ptr + offset
        return place

    def size(self):
        """The number of bytes from this address to the end of the memory."""
        return self.mem.size - (self.ptr - self.mem.ptr)

    def __int__(self):
        return self.ptr

    def __add__(self, offset):
        return PinnedMemoryPointer(self.mem, self.ptr - self.mem.ptr + offset)

    __radd__ = __iadd__ = __add__

    def __sub__(self, offset):
        return self + -offset

    __isub__ = __sub__

    def __repr__(self):
        return f"<cupy.cuda.PinnedMemoryPointer {self.ptr:#x}>"


class PooledPinnedMemory(PinnedMemory):
    """Memory of a pool, returned to it by ``free()`` or together with the last pointer to it."""

    def __init__(self, mem, pool):
        self._mem = mem
        self.ptr, self.size, self.pool = mem.ptr, mem.size, pool

    def free(self):
        """Return the memory to the pool. A second call does nothing."""
        ptr, self.ptr = self.ptr, 0
        pool = self.pool() if ptr else None
        if pool is not None:
            pool.free(ptr, self.size)

    __del__ = free


def _malloc_without_pool(size):
    return PinnedMemoryPointer(PinnedMemory(size), 0)


class PinnedMemoryPool:
    """Keeps freed page-locked memory for later requests of the same size. allocator: a function that takes a size."""

    def __init__(self, allocator=_malloc_without_pool):
        self._allocator = allocator
        self._in_use = {}  # address -> memory
        self._free = collections.defaultdict(list)  # size -> memories
        self._returned = collections.deque()  # addresses to reclaim, as in SingleDeviceMemoryPool
        self._lock = threading.RLock()
        self._weakref = weakref.ref(self)

    def malloc(self, size):
        """A PinnedMemoryPointer to at least ``size`` bytes."""
        size = round_size(size)
        if not size:
            return PinnedMemoryPointer(PinnedMemory(0), 0)
        with self._lock:
            self._reclaim_returned_memory()
            free = self._free[size]
            memory = free.pop() if free else self._allocator(size).mem
            self._in_use[memory.ptr] = memory
        return PinnedMemoryPointer(PooledPinnedMemory(memory, self._weakref), 0)

    def free(self, ptr, size):
        """Return memory that malloc() gave."""
        self._returned.append(ptr)

    def _reclaim_returned_memory(self):
        while self._returned:
            memory = self._in_use.pop(self._returned.popleft(), None)
            if memory is None:
                raise RuntimeError("this memory does not belong to the pool")
            self._free[memory.size].append(memory)

    def free_all_blocks(self):
        """Release all free memory."""
        with self._lock:
            self._reclaim_returned_memory()
            self._free.clear()

    def n_free_blocks(self):
        """How many blocks are free."""
        with self._lock:
            self._reclaim_returned_memory()
            return sum(map(len, self._free.values()))


_pool = PinnedMemoryPool()
_allocator = _pool.malloc


def alloc_pinned_memory(size):
    """A PinnedMemoryPointer to ``size`` page-locked bytes of host memory."""
    return _allocator(size)


def set_pinned_memory_allocator(allocator=None):
    """Set the function that alloc_pinned_memory() calls with a size in bytes. None: allocate without a pool."""
    global _allocator
    _allocator = _malloc_without_pool if allocator is None else allocator


def get_default_pinned_memory_pool():
    """The pool that alloc_pinned_memory() uses unless the program chooses another allocator."""
    return _pool


def __getattr__(name):
    raise make_missing_name_error("heddle.cupy.cuda.pinned_memory", name)
