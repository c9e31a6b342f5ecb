"""The chunks of a memory pool.

Sizes are rounded up to 512 bytes. A free chunk that is larger than what is asked for is split; free neighbours become
one again:

    malloc(2 units)     [ 4 units, free ]  ->  [ 2, in use ][ 2, free ]
    its end             [ 2 ][ 2, free ]   ->  [ 4 units, free ]
"""

import bisect
import operator

CHUNK_UNIT = 512


def round_size(size):
    """``size`` rounded up to whole units of a chunk. size: of any integer type."""
    return -(-operator.index(size) // CHUNK_UNIT) * CHUNK_UNIT


class Chunk:
    """Consecutive bytes of one piece of memory. prev, next: its neighbours in that piece."""

    def __init__(self, mem, offset, size, stream_ident):
        self.mem, self.offset, self.size = mem, offset, size
        self.stream_ident = stream_ident
        self.prev = self.next = None

    def ptr(self):
        return self.mem.ptr + self.offset

    def split(self, size):
        """Shortens it to ``size`` bytes. Returns the rest, a chunk, or None."""
        if size == self.size:
            return None
        rest = Chunk(self.mem, self.offset + size, self.size - size, self.stream_ident)
        rest.prev, rest.next = self, self.next
        if self.next is not None:
            self.next.prev = rest
        self.size, self.next = size, rest
        return rest

    def merge(self, rest):
        """Takes its next neighbour in."""
        self.size += rest.size
        self.next = rest.next
        if self.next is not None:
            self.next.prev = self


class FreeChunks:
    """The free chunks of a stream, by size."""

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
        """Whether it was there."""
        if chunk is None or self._chunks.pop(chunk.ptr(), None) is None:
            return False
        del self._order[bisect.bisect_left(self._order, (chunk.size, chunk.ptr()))]
        return True

    def take(self, size):
        """The smallest chunk of that size or more; None if there is none."""
        place = bisect.bisect_left(self._order, (size, 0))
        if place == len(self._order):
            return None
        return self._chunks.pop(self._order.pop(place)[1])
