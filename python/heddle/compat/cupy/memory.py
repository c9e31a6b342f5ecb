"""cupy.cuda.memory: device memory, and the allocator that arrays get their memory from.

    alloc(size)  ->  the current allocator  ->  a MemoryPointer to a piece: Memory, ManagedMemory, PooledMemory, ...

The current allocator is the one that ``using_allocator`` chose in this thread, else the one that ``set_allocator``
chose, else the default pool's ``malloc``.
"""

import contextlib
import gc
import operator
import threading

from heddle.compat.cupy.device_memory import (
    CFunctionAllocator,
    ManagedMemory,
    Memory,
    MemoryAsync,
    OutOfMemoryError,
    PythonFunctionAllocator,
    malloc_async,
    malloc_managed,
)
from heddle.compat.cupy.device_memory import raw_malloc as _malloc
from heddle.compat.cupy.pools.memory_chunks import CHUNK_UNIT as _allocation_unit_size
from heddle.compat.cupy.pools.memory_chunks import Chunk as _Chunk  # noqa: F401
from heddle.compat.cupy.pools.memory_chunks import round_size as _round_size  # noqa: F401
from heddle.compat.cupy.pools.memory_pointers import BaseMemory, MemoryPointer, UnownedMemory
from heddle.compat.cupy.pools.memory_pools import (
    MemoryAsyncPool,
    MemoryPool,
    PooledMemory,
    SingleDeviceMemoryPool,
)
from heddle.compat.cupy.pools.memory_pools import parse_limit as _parse_limit_string  # noqa: F401
from heddle.support.missing_names import make_missing_name_error

__all__ = [
    "BaseMemory",
    "CFunctionAllocator",
    "ManagedMemory",
    "Memory",
    "MemoryAsync",
    "MemoryAsyncPool",
    "MemoryPointer",
    "MemoryPool",
    "OutOfMemoryError",
    "PooledMemory",
    "PythonFunctionAllocator",
    "SingleDeviceMemoryPool",
    "UnownedMemory",
    "alloc",
    "get_allocator",
    "get_default_memory_pool",
    "malloc_async",
    "malloc_managed",
    "set_allocator",
    "using_allocator",
]


class _PerThread(threading.local):
    allocator = None  # set while the thread is inside using_allocator()


_per_thread = _PerThread()
_pool = MemoryPool()
_allocator = _pool.malloc


def alloc(size):
    """A MemoryPointer to ``size`` new bytes of the current device, from the current allocator."""
    return get_allocator()(operator.index(size))


def get_allocator():
    """The current allocator: a function that takes a size in bytes."""
    return _per_thread.allocator or _allocator


def set_allocator(allocator=None):
    """Set the function that allocates memory for arrays; it takes a size in bytes. None: allocate without a pool."""
    global _allocator
    if _per_thread.allocator is not None:
        raise ValueError("the allocator cannot be changed inside using_allocator()")
    _allocator = _malloc if allocator is None else allocator


@contextlib.contextmanager
def using_allocator(allocator=None):
    """Context manager in which arrays created by this thread use ``allocator``, as with set_allocator()."""
    before = _per_thread.allocator
    _per_thread.allocator = _malloc if allocator is None else allocator
    try:
        yield
    finally:
        _per_thread.allocator = before


def get_default_memory_pool():
    """The pool that arrays get their memory from unless the program chooses another allocator."""
    return _pool


class LockAndNoGc:
    """Context manager that holds a lock and disables the garbage collector."""

    def __init__(self, lock):
        self._lock = lock

    def __enter__(self):
        self._lock.acquire()
        self._collects = gc.isenabled()
        gc.disable()

    def __exit__(self, *error):
        if self._collects:
            gc.enable()
        self._lock.release()


def _bin_index_from_size(size):
    return (size - 1) // _allocation_unit_size


def __getattr__(name):
    raise make_missing_name_error("heddle.cupy.cuda.memory", name)
