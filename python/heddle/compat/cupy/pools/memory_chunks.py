"""The chunks of a memory pool.

Sizes are rounded up to multiples of 512 bytes. A free chunk larger than the request is split; free neighbors are
merged:

    malloc(2 units)     [ 4 units, free ]  ->  [ 2, in use ][ 2, free ]
    free                [ 2 ][ 2, free ]   ->  [ 4 units, free ]
"""

import bisect
import operator
import types

CHUNK_UNIT = 512


def round_size(size):
    """``size``, of any integer type, rounded up to a multiple of the chunk unit."""
    return -(-operator.index(size) // CHUNK_UNIT) * CHUNK_UNIT


class Chunk:
    """A contiguous part of one memory block. prev, next: its neighbors in the block."""

    is_reusable = True  # False: released, not kept for later arrays

    def __init__(self, mem, offset, size, stream_ident):
        self.mem, self.offset, self.size = mem, offset, size
        self.stream_ident = stream_ident
        self.prev = self.next = None

    def ptr(self):
        return self.mem.ptr + self.offset

    def release(self):
        """Free the memory of a chunk that is not reusable. Its address stays known to the pool."""
        self.mem = types.SimpleNamespace(ptr=self.mem.ptr)

    def split(self, size):
        """Shorten this chunk to ``size`` bytes. Returns the rest as a new chunk, or None if nothing is left."""
        if size == self.size:
            return None
        rest = Chunk(self.mem, self.offset + size, self.size - size, self.stream_ident)
        rest.prev, rest.next = self, self.next
        if self.next is not None:
            self.next.prev = rest
        self.size, self.next = size, rest
        return rest

    def merge(self, rest):
        """Absorb the next neighbor, ``rest``."""
        self.size += rest.size
        self.next = rest.next
        if self.next is not None:
            self.next.prev = self


class FreeChunks:
    """The free chunks of a stream, ordered by size."""

    def __init__(self):
        self._order = []  # (size, address)
        self._chunks = {}  # address -> chunk

    def __iter__(self):
        return iter(self._chunks.values())

    def __len__(self):
        return len(self._order)

    def add(self, chunk):
        bisect.insort(self._order, (chunk.size, chunk.ptr()))
        self._chunks[chunk.ptr()] = chunk

    def remove(self, chunk):
        """Remove a chunk. Returns whether it was there."""
        if chunk is None or self._chunks.pop(chunk.ptr(), None) is None:
            return False
        del self._order[bisect.bisect_left(self._order, (chunk.size, chunk.ptr()))]
        return True

    def take(self, size):
        """Remove and return the smallest chunk of at least ``size`` bytes; None if there is none."""
        place = bisect.bisect_left(self._order, (size, 0))
        if place == len(self._order):
            return None
        return self._chunks.pop(self._order.pop(place)[1])
