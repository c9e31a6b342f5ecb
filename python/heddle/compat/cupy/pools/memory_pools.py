"""Pools, which keep freed device memory for the next arrays, in chunks (memory_chunks).

Free chunks are kept for each stream, since work of a stream may still use memory that the program has freed: what comes
later in the same stream comes after it.
"""

import collections
import gc
import os
import threading
import warnings
import weakref

from heddle.compat.cupy.cuda_errors import CUDARuntimeError
from heddle.compat.cupy.device_memory import (
    Memory,
    MemoryAsync,
    OutOfMemoryError,
    malloc_async,
    raw_malloc,
)
from heddle.compat.cupy.devices import Device, get_device_id
from heddle.compat.cupy.memory_hooks import told
from heddle.compat.cupy.pools.memory_chunks import Chunk, FreeChunks, round_size
from heddle.compat.cupy.pools.memory_pointers import BaseMemory, MemoryPointer
from heddle.compat.cupy.streams import get_current_stream
from heddle.cuda.native_devices import current_native

errorMemoryAllocation = 2  # of CUDA's driver_types.h


def parse_limit(limit=None):
    """The limit "70%" or "1073741824" as set_limit()'s arguments; that of $CUPY_GPU_MEMORY_LIMIT when None."""
    limit = os.environ.get("CUPY_GPU_MEMORY_LIMIT") if limit is None else limit
    if limit is None:
        return {"size": None, "fraction": None}
    if limit.endswith("%"):
        return {"size": None, "fraction": float(limit[:-1]) / 100}
    return {"size": int(limit), "fraction": None}


def _limit_in_bytes(size, fraction):
    if size is not None and fraction is not None:
        raise ValueError("a limit is a size or a fraction, not both")
    if size is None:
        if not 0 <= (fraction or 0) <= 1:
            raise ValueError(f"a limit is a fraction from 0 to 1 of the memory, not {fraction}")
        size = int((fraction or 0) * Device().mem_info[1])
    if size < 0:
        raise ValueError(f"a limit is 0 bytes, for none, or more, not {size}")
    return size


class PooledMemory(BaseMemory):
    """Memory of a pool, which gets it back with the last pointer into it, or at ``free()``."""

    def __init__(self, chunk, pool):
        self._chunk = chunk  # keeps the memory, should the pool be gone first
        self.ptr, self.size = chunk.ptr(), chunk.size
        self._set_device(chunk.mem.native)
        self.pool = pool

    def free(self):
        """Gives the memory back to the pool. Doing it twice changes nothing."""
        ptr, self.ptr = self.ptr, 0
        pool = self.pool() if ptr else None
        if pool is None:
            return
        facts = {"device_id": self.device_id, "mem_size": self.size, "mem_ptr": ptr}
        with told("free", **facts, pmem_id=id(self)):
            pool.free(ptr, self.size)

    __del__ = free


class SingleDeviceMemoryPool:
    """A pool of the memory of one device. allocator: where it takes memory from; the device's own when None."""

    def __init__(self, allocator=None):
        self._allocator = raw_malloc if allocator is None else allocator
        self._in_use = {}  # address -> chunk
        self._free = collections.defaultdict(FreeChunks)  # a stream's identity -> its free chunks
        self._total = 0
        self._lock = threading.RLock()
        # What was given back and is not yet among the free chunks: the garbage collector may give memory back in the
        # middle of anything, also of a change of the pool's own tables.
        self._returned = collections.deque()
        self._weakref = weakref.ref(self)
        self.set_limit(**parse_limit())

    def malloc(self, size):
        """A MemoryPointer to at least ``size`` bytes."""
        rounded = round_size(size)
        if not rounded:
            return MemoryPointer(Memory(0), 0)
        with told("malloc", device_id=get_device_id(), size=size, mem_size=rounded) as found:
            memory = PooledMemory(self._chunk(rounded), self._weakref)
            found.update(mem_ptr=memory.ptr, pmem_id=id(memory))
        return MemoryPointer(memory, 0)

    def _chunk(self, size):
        stream = _identity(get_current_stream())
        with self._lock:
            self._take_back()
            chunk = self._free[stream].take(size)
            if chunk is None:
                chunk = Chunk(self._new(size), 0, size, stream)
            elif (rest := chunk.split(size)) is not None:
                self._free[stream].add(rest)
            self._in_use[chunk.ptr()] = chunk
        return chunk

    def free(self, ptr, size):
        """Takes memory back that malloc() gave."""
        self._returned.append(ptr)

    def _take_back(self):
        while self._returned:
            chunk = self._in_use.pop(self._returned.popleft(), None)
            if chunk is None:
                raise RuntimeError("this memory is not of the pool")
            free = self._free[chunk.stream_ident]
            if free.remove(chunk.next):
                chunk.merge(chunk.next)
            if free.remove(chunk.prev):
                chunk.prev.merge(chunk)
                chunk = chunk.prev
            free.add(chunk)

    def _new(self, size):
        """Memory from the allocator. Where there is not enough, the free chunks are given up for it."""
        limit = self._limit
        if limit and self._total + size > limit:
            self.free_all_blocks()
            if self._total + size > limit:
                raise OutOfMemoryError(size, self._total, limit)
        memory = self._allocated(size)
        for give_up in (self.free_all_blocks, self._collect):
            if memory is None:
                give_up()
                memory = self._allocated(size)
        if memory is None:
            raise OutOfMemoryError(size, self._total, limit)
        self._total += size
        return memory

    def _allocated(self, size):
        """Memory from the allocator; None where there is not enough."""
        try:
            with told("alloc", device_id=get_device_id(), mem_size=size) as found:
                memory = self._allocator(size).mem
                found["mem_ptr"] = memory.ptr
            return memory
        except MemoryError:
            return None
        except CUDARuntimeError as error:
            if error.status != errorMemoryAllocation:
                raise
            return None

    def _collect(self):
        gc.collect()
        self.free_all_blocks()

    def free_all_blocks(self, stream=None):
        """Gives free chunks up that are whole pieces of memory. stream: only those of this stream."""
        with self._lock:
            self._take_back()
            streams = list(self._free) if stream is None else [_identity(stream)]
            for free in (self._free[stream] for stream in streams):
                for chunk in [chunk for chunk in free if chunk.prev is chunk.next is None]:
                    free.remove(chunk)
                    self._total -= chunk.size

    def free_all_free(self):
        """Deprecated: free_all_blocks."""
        warnings.warn(
            "free_all_free is deprecated: call free_all_blocks", DeprecationWarning, stacklevel=2
        )
        self.free_all_blocks()

    def n_free_blocks(self):
        """How many free chunks there are."""
        with self._lock:
            self._take_back()
            return sum(map(len, self._free.values()))

    def used_bytes(self):
        """Bytes that the program uses."""
        with self._lock:
            self._take_back()
            return sum(chunk.size for chunk in self._in_use.values())

    def free_bytes(self):
        """Bytes of free chunks."""
        with self._lock:
            self._take_back()
            return sum(chunk.size for free in self._free.values() for chunk in free)

    def total_bytes(self):
        """Bytes that the pool holds."""
        with self._lock:
            return self._total

    def set_limit(self, size=None, fraction=None):
        """Bytes, or the fraction of the device's memory, that the pool may hold; no limit without either."""
        self._limit = _limit_in_bytes(size, fraction)

    def get_limit(self):
        """In bytes; 0 for none."""
        return self._limit


def _identity(stream):
    """What tells streams apart. The default stream of threads has one handle in all of them."""
    return -threading.get_ident() if stream.ptr == 2 else stream.ptr


class MemoryPool:
    """A pool for each device; every method is about the current one. allocator: where the pools take memory from."""

    def __init__(self, allocator=None):
        self._pools = collections.defaultdict(lambda: SingleDeviceMemoryPool(allocator))

    @property
    def _pool(self):
        native = current_native()
        return self._pools[native.type, native.index]

    def malloc(self, size):
        """A MemoryPointer to at least ``size`` bytes."""
        return self._pool.malloc(size)

    def free_all_free(self):
        """Deprecated: free_all_blocks."""
        self._pool.free_all_free()

    def free_all_blocks(self, stream=None):
        """Gives free chunks up that are whole pieces of memory. stream: only those of this stream."""
        self._pool.free_all_blocks(stream)

    def n_free_blocks(self):
        """How many free chunks there are."""
        return self._pool.n_free_blocks()

    def used_bytes(self):
        """Bytes that the program uses."""
        return self._pool.used_bytes()

    def free_bytes(self):
        """Bytes of free chunks."""
        return self._pool.free_bytes()

    def total_bytes(self):
        """Bytes that the pool holds."""
        return self._pool.total_bytes()

    def set_limit(self, size=None, fraction=None):
        """Bytes, or the fraction of the device's memory, that the pool may hold; no limit without either."""
        self._pool.set_limit(size, fraction)

    def get_limit(self):
        """In bytes; 0 for none."""
        return self._pool.get_limit()


class MemoryAsyncPool:
    """The pool of heddle's runtime, which is the only one: ``pool_handles`` is "default" or "current".

    The runtime reports nothing of what it keeps: bytes are those in use.
    """

    def __init__(self, pool_handles="default"):
        if pool_handles not in ("default", "current"):
            raise ValueError(f"pool_handles is 'default' or 'current', not {pool_handles!r}")
        self._given = weakref.WeakSet()
        self._limit = _limit_in_bytes(**parse_limit())

    def malloc(self, size):
        """A MemoryPointer to at least ``size`` bytes, for the current stream."""
        size = round_size(size)
        if self._limit and self.used_bytes() + size > self._limit:
            raise OutOfMemoryError(size, self.used_bytes(), self._limit)
        pointer = malloc_async(size)
        self._given.add(pointer.mem)
        return pointer

    def free_all_blocks(self, stream=None):
        """Waits for the stream, the current one when None, so that its memory can be used again."""
        (get_current_stream() if stream is None else stream).synchronize()

    def n_free_blocks(self):
        """Raises NotImplementedError, as in CuPy: the pool is the runtime's."""
        raise NotImplementedError("a MemoryAsyncPool does not know its free blocks")

    def used_bytes(self):
        """Bytes that the program uses."""
        return sum(memory.size for memory in list(self._given))

    total_bytes = used_bytes

    def free_bytes(self):
        """Bytes that are held and not used."""
        return 0

    def set_limit(self, size=None, fraction=None):
        """Bytes, or the fraction of the device's memory, that the pool may hold; no limit without either."""
        self._limit = _limit_in_bytes(size, fraction)

    def get_limit(self):
        """In bytes; 0 for none."""
        return self._limit


__all__ = ["MemoryAsync", "MemoryAsyncPool", "MemoryPool", "PooledMemory", "SingleDeviceMemoryPool"]
