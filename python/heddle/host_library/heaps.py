"""heapq's functions, on lists in which item k is not greater than items 2 k + 1 and 2 k + 2."""

from heddle.compiler.library_registry import compiled, implements, is_integer
from heddle.host_library.lists import is_list


@compiled
def _rise(heap, first, place):
    """Move the item at ``place`` up past greater parents, at most to ``first``."""
    item = heap[place]
    while place > first:
        parent = (place - 1) >> 1
        if not (item < heap[parent]):
            break
        heap[place] = heap[parent]
        place = parent
    heap[place] = item


@compiled
def _sink(heap, place):
    """Move the item at ``place`` down to a leaf along the smaller children, then up to its final place. This is fast
    because most such items come from the end of the heap and belong near the bottom."""
    first = place
    item = heap[place]
    child = 2 * place + 1
    while child < len(heap):
        if child + 1 < len(heap) and not (heap[child] < heap[child + 1]):
            child += 1
        heap[place] = heap[child]
        place = child
        child = 2 * place + 1
    heap[place] = item
    _rise(heap, first, place)


@implements("heapq.heapify")
def _heapify(x):
    return _made_a_heap if is_list(x) else None


def _made_a_heap(x):
    for place in range(len(x) // 2 - 1, -1, -1):
        _sink(x, place)


@implements("heapq.heappush")
def _heappush(heap, item):
    return _pushed if is_list(heap) else None


def _pushed(heap, item):
    heap.append(item)
    _rise(heap, 0, len(heap) - 1)


@implements("heapq.heappop")
def _heappop(heap):
    return _popped if is_list(heap) else None


def _popped(heap):
    last = heap.pop()
    if not heap:
        return last
    least = heap[0]
    heap[0] = last
    _sink(heap, 0)
    return least


@implements("heapq.heapreplace")
def _heapreplace(heap, item):
    return _replaced if is_list(heap) else None


def _replaced(heap, item):
    least = heap[0]
    heap.append(item)  # unlike heap[0] = item, does not convert floats to integers
    heap[0] = heap.pop()
    _sink(heap, 0)
    return least


@implements("heapq.heappushpop")
def _heappushpop(heap, item):
    return _pushed_and_popped if is_list(heap) else None


def _pushed_and_popped(heap, item):
    least = item
    if heap and heap[0] < item:
        least = heap[0]
        heap.append(item)
        heap[0] = heap.pop()
        _sink(heap, 0)
    return least


@implements("heapq.nsmallest")
def _nsmallest(n, iterable):
    return _least if is_integer(n) else None


def _least(n, iterable):
    return sorted(iterable)[: max(n, 0)]


@implements("heapq.nlargest")
def _nlargest(n, iterable):
    return _greatest if is_integer(n) else None


def _greatest(n, iterable):
    return sorted(iterable, reverse=True)[: max(n, 0)]
