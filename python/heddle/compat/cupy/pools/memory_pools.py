"""Pools that keep freed device memory for later arrays, in chunks (memory_chunks).

Free chunks are kept per stream: work on the stream may still use memory that the program has freed, and later work on
the same stream runs after it.
"""

import collections
import gc
import operator
import os
import threading
import warnings
import weakref

from heddle import _heddle
from heddle.compat.cupy.cuda_errors import CUDARuntimeError
from heddle.compat.cupy.device_memory import (
    Memory,
    MemoryAsync,
    OutOfMemoryError,
    malloc_async,
    raw_malloc,
)
from heddle.compat.cupy.devices import Device, get_device_id
from heddle.compat.cupy.memory_hooks import call_hooks
from heddle.compat.cupy.pools.memory_chunks import Chunk, FreeChunks, round_size
from heddle.compat.cupy.pools.memory_pointers import BaseMemory, MemoryPointer
from heddle.compat.cupy.streams import get_current_stream
from heddle.cuda.native_devices import current_native
from heddle.cuda.streams import to_native_stream

errorMemoryAllocation = 2  # of CUDA's driver_types.h


def parse_limit(limit=None):
    """Parse a limit such as "70%" or "1073741824" to arguments for set_limit(); None means $CUPY_GPU_MEMORY_LIMIT."""
    limit = os.environ.get("CUPY_GPU_MEMORY_LIMIT") if limit is None else limit
    if limit is None:
        return {"size": None, "fraction": None}
    if limit.endswith("%"):
        return {"size": None, "fraction": float(limit[:-1]) / 100}
    return {"size": int(limit), "fraction": None}


def _to_byte_limit(size, fraction):
    if size is not None and fraction is not None:
        raise ValueError("pass a limit as a size or as a fraction, not both")
    if size is None:
        if not 0 <= (fraction or 0) <= 1:
            raise ValueError(
                f"the limit must be a fraction from 0 to 1 of the memory, not {fraction}"
            )
        size = int((fraction or 0) * Device().mem_info[1])
    if size < 0:
        raise ValueError(
            f"the limit must be 0 (no limit) or a positive number of bytes, not {size}"
        )
    return size


class PooledMemory(BaseMemory):
    """Memory of a pool, returned to it by ``free()`` or together with the last pointer to it."""

    def __init__(self, chunk, pool, requested=None):
        self._chunk = chunk  # keeps the memory alive even if the pool is deleted first
        self.ptr, self.size = chunk.ptr(), chunk.size
        self._requested_size = requested
        self._set_device(chunk.mem.native)
        self.pool = pool

    def free(self):
        """Return the memory to the pool. A second call does nothing."""
        ptr, self.ptr = self.ptr, 0
        pool = self.pool() if ptr else None
        if pool is None:
            return
        facts = {"device_id": self.device_id, "mem_size": self.size, "mem_ptr": ptr}
        with call_hooks("free", **facts, pmem_id=id(self)):
            pool.free(ptr, self.size)
        chunk, self._chunk = self._chunk, None
        if not chunk.is_reusable:
            chunk.release()

    __del__ = free


class SingleDeviceMemoryPool:
    """A memory pool on one device. allocator: a function of a size; None allocates from the device."""

    def __init__(self, allocator=None):
        self._allocator = raw_malloc if allocator is None else allocator
        self._in_use = {}  # address -> chunk
        self._free = collections.defaultdict(FreeChunks)  # a stream's identity -> its free chunks
        self._total = 0
        self._lock = threading.RLock()
        # Addresses that were returned but are not among the free chunks yet. The garbage collector may return memory at
        # any moment, even while the pool changes its own tables.
        self._returned = collections.deque()
        self._weakref = weakref.ref(self)
        self.set_limit(**parse_limit())

    def malloc(self, size):
        """A MemoryPointer to at least ``size`` bytes."""
        rounded = round_size(size)
        if not rounded:
            return MemoryPointer(Memory(0), 0)
        with call_hooks("malloc", device_id=get_device_id(), size=size, mem_size=rounded) as found:
            requested = operator.index(size)
            memory = PooledMemory(
                self._take_or_allocate_chunk(rounded, requested), self._weakref, requested
            )
            found.update(mem_ptr=memory.ptr, pmem_id=id(memory))
        return MemoryPointer(memory, 0)

    def _take_or_allocate_chunk(self, size, requested):
        """A chunk of ``size`` bytes, of which the program uses the requested ones.

        If launches are checked, each chunk is memory of its own, so that checks know its bounds and when it is freed.
        """
        stream = _identify_stream(get_current_stream())
        with self._lock:
            self._reclaim_returned_memory()
            is_checking = _heddle.is_checking()
            chunk = None if is_checking else self._free[stream].take(size)
            if chunk is None:
                exact = is_checking and self._allocator is raw_malloc
                chunk = Chunk(
                    self._allocate_freeing_unused_chunks(size, requested if exact else size),
                    0,
                    size,
                    stream,
                )
                chunk.is_reusable = not is_checking
                self._reclaim_returned_memory()  # a released chunk may have had the same address
            else:
                if (rest := chunk.split(size)) is not None:
                    self._free[stream].add(rest)
                _heddle.forget_values(_get_native_current_stream(chunk), chunk.ptr(), size)
            self._in_use[chunk.ptr()] = chunk
        return chunk

    def free(self, ptr, size):
        """Return memory that malloc() gave."""
        self._returned.append(ptr)

    def _reclaim_returned_memory(self):
        while self._returned:
            chunk = self._in_use.pop(self._returned.popleft(), None)
            if chunk is None:
                raise RuntimeError("this memory does not belong to the pool")
            if not chunk.is_reusable:
                self._total -= chunk.size
                continue
            free = self._free[chunk.stream_ident]
            if free.remove(chunk.next):
                chunk.merge(chunk.next)
            if free.remove(chunk.prev):
                chunk.prev.merge(chunk)
                chunk = chunk.prev
            free.add(chunk)

    def _allocate_freeing_unused_chunks(self, size, requested):
        """New memory from the allocator. If memory is short, the free chunks are released first."""
        limit = self._limit
        if limit and self._total + size > limit:
            self.free_all_blocks()
            if self._total + size > limit:
                raise OutOfMemoryError(size, self._total, limit)
        memory = self._try_allocate(size, requested)
        for give_up in (self.free_all_blocks, self._collect_garbage_and_free):
            if memory is None:
                give_up()
                memory = self._try_allocate(size, requested)
        if memory is None:
            raise OutOfMemoryError(size, self._total, limit)
        self._total += size
        return memory

    def _try_allocate(self, size, requested):
        """Memory from the allocator; None if there is not enough."""
        try:
            with call_hooks("alloc", device_id=get_device_id(), mem_size=size) as found:
                memory = self._allocator(requested).mem
                found["mem_ptr"] = memory.ptr
            return memory
        except MemoryError:
            return None
        except CUDARuntimeError as error:
            if error.status != errorMemoryAllocation:
                raise
            return None

    def _collect_garbage_and_free(self):
        gc.collect()
        self.free_all_blocks()

    def free_all_blocks(self, stream=None):
        """Release the free chunks that are whole blocks. stream: only the chunks of this stream."""
        with self._lock:
            self._reclaim_returned_memory()
            streams = list(self._free) if stream is None else [_identify_stream(stream)]
            for free in (self._free[stream] for stream in streams):
                for chunk in [chunk for chunk in free if chunk.prev is chunk.next is None]:
                    free.remove(chunk)
                    self._total -= chunk.size

    def free_all_free(self):
        """Deprecated; the same as free_all_blocks()."""
        warnings.warn(
            "free_all_free is deprecated: call free_all_blocks", DeprecationWarning, stacklevel=2
        )
        self.free_all_blocks()

    def n_free_blocks(self):
        """How many chunks are free."""
        with self._lock:
            self._reclaim_returned_memory()
            return sum(map(len, self._free.values()))

    def used_bytes(self):
        """How many bytes the program uses."""
        with self._lock:
            self._reclaim_returned_memory()
            return sum(chunk.size for chunk in self._in_use.values())

    def free_bytes(self):
        """How many bytes are free in the pool."""
        with self._lock:
            self._reclaim_returned_memory()
            return sum(chunk.size for free in self._free.values() for chunk in free)

    def total_bytes(self):
        """How many bytes the pool holds, used or free."""
        with self._lock:
            return self._total

    def set_limit(self, size=None, fraction=None):
        """Limit what the pool holds, to ``size`` bytes or a fraction of the device's memory; neither means no limit."""
        self._limit = _to_byte_limit(size, fraction)

    def get_limit(self):
        """The limit in bytes; 0 means none."""
        return self._limit


def _get_native_current_stream(chunk):
    return to_native_stream(get_current_stream(), chunk.mem.native)


def _identify_stream(stream):
    """A value that identifies the stream. Each thread's default stream has the same handle in all threads."""
    return -threading.get_ident() if stream.ptr == 2 else stream.ptr


class MemoryPool:
    """One pool per device; every method uses that of the current device. allocator: a function that takes a size."""

    def __init__(self, allocator=None):
        self._pools = collections.defaultdict(lambda: SingleDeviceMemoryPool(allocator))

    @property
    def _current_device_pool(self):
        native = current_native()
        return self._pools[native.type, native.index]

    def malloc(self, size):
        """A MemoryPointer to at least ``size`` bytes."""
        return self._current_device_pool.malloc(size)

    def free_all_free(self):
        """Deprecated; the same as free_all_blocks()."""
        self._current_device_pool.free_all_free()

    def free_all_blocks(self, stream=None):
        """Release the free chunks that are whole blocks. stream: only the chunks of this stream."""
        self._current_device_pool.free_all_blocks(stream)

    def n_free_blocks(self):
        """How many chunks are free."""
        return self._current_device_pool.n_free_blocks()

    def used_bytes(self):
        """How many bytes the program uses."""
        return self._current_device_pool.used_bytes()

    def free_bytes(self):
        """How many bytes are free in the pool."""
        return self._current_device_pool.free_bytes()

    def total_bytes(self):
        """How many bytes the pool holds, used or free."""
        return self._current_device_pool.total_bytes()

    def set_limit(self, size=None, fraction=None):
        """Limit what the pool holds, to ``size`` bytes or a fraction of the device's memory; neither means no limit."""
        self._current_device_pool.set_limit(size, fraction)

    def get_limit(self):
        """The limit in bytes; 0 means none."""
        return self._current_device_pool.get_limit()


class MemoryAsyncPool:
    """The pool of Heddle's runtime, the only one: ``pool_handles`` is "default" or "current".

    The runtime does not report what it keeps, so all byte counts are of memory in use.
    """

    def __init__(self, pool_handles="default"):
        if pool_handles not in ("default", "current"):
            raise ValueError(f"pool_handles must be 'default' or 'current', not {pool_handles!r}")
        self._given = weakref.WeakSet()
        self._limit = _to_byte_limit(**parse_limit())

    def malloc(self, size):
        """A MemoryPointer to at least ``size`` bytes, for the current stream."""
        rounded = round_size(size)
        if self._limit and self.used_bytes() + rounded > self._limit:
            raise OutOfMemoryError(rounded, self.used_bytes(), self._limit)
        requested = operator.index(size)
        pointer = malloc_async(requested if _heddle.is_checking() else rounded)
        pointer.mem._requested_size = requested
        self._given.add(pointer.mem)
        return pointer

    def free_all_blocks(self, stream=None):
        """Wait for the stream, so that its memory can be reused. stream: None means the current stream."""
        (get_current_stream() if stream is None else stream).synchronize()

    def n_free_blocks(self):
        """Raises NotImplementedError, as in CuPy: the runtime owns the pool."""
        raise NotImplementedError("a MemoryAsyncPool does not know its free blocks")

    def used_bytes(self):
        """How many bytes the program uses."""
        return sum(memory.size for memory in list(self._given))

    total_bytes = used_bytes

    def free_bytes(self):
        """0: the runtime does not report free memory."""
        return 0

    def set_limit(self, size=None, fraction=None):
        """Limit what the pool holds, to ``size`` bytes or a fraction of the device's memory; neither means no limit."""
        self._limit = _to_byte_limit(size, fraction)

    def get_limit(self):
        """The limit in bytes; 0 means none."""
        return self._limit


__all__ = ["MemoryAsync", "MemoryAsyncPool", "MemoryPool", "PooledMemory", "SingleDeviceMemoryPool"]
