"""heapq's functions, on lists in which item k is not greater than items 2 k + 1 and 2 k + 2."""

from heddle.compiler.library_registry import compiled, implements, is_integer_or_bool
from heddle.host_library.lists import is_list


@compiled
def _sift_up(heap, first, place):
    """Moves the item at ``place`` up past greater parents, at most to ``first``."""
    item = heap[place]
    while place > first:
        parent = (place - 1) >> 1
        if not (item < heap[parent]):
            break
        heap[place] = heap[parent]
        place = parent
    heap[place] = item


@compiled
def _sift_down(heap, place):
    """Moves the item at ``place`` down to a leaf along the smaller children, then up to its final place. This is fast
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
    _sift_up(heap, first, place)


@implements("heapq.heapify")
def _choose_heapify_implementation(x):
    return _heapify if is_list(x) else None


def _heapify(x):
    for place in range(len(x) // 2 - 1, -1, -1):
        _sift_down(x, place)


@implements("heapq.heappush")
def _choose_heappush_implementation(heap, item):
    return _push if is_list(heap) else None


def _push(heap, item):
    heap.append(item)
    _sift_up(heap, 0, len(heap) - 1)


@implements("heapq.heappop")
def _choose_heappop_implementation(heap):
    return _pop if is_list(heap) else None


def _pop(heap):
    last = heap.pop()
    if not heap:
        return last
    least = heap[0]
    heap[0] = last
    _sift_down(heap, 0)
    return least


@implements("heapq.heapreplace")
def _choose_heapreplace_implementation(heap, item):
    return _pop_and_push if is_list(heap) else None


def _pop_and_push(heap, item):
    least = heap[0]
    heap.append(item)  # unlike heap[0] = item, does not convert floats to integers
    heap[0] = heap.pop()
    _sift_down(heap, 0)
    return least


@implements("heapq.heappushpop")
def _choose_heappushpop_implementation(heap, item):
    return _push_and_pop if is_list(heap) else None


def _push_and_pop(heap, item):
    least = item
    if heap and heap[0] < item:
        least = heap[0]
        heap.append(item)
        heap[0] = heap.pop()
        _sift_down(heap, 0)
    return least


@implements("heapq.nsmallest")
def _choose_nsmallest_implementation(n, iterable):
    return _find_smallest if is_integer_or_bool(n) else None


def _find_smallest(n, iterable):
    return sorted(iterable)[: max(n, 0)]


@implements("heapq.nlargest")
def _choose_nlargest_implementation(n, iterable):
    return _find_largest if is_integer_or_bool(n) else None


def _find_largest(n, iterable):
    return sorted(iterable, reverse=True)[: max(n, 0)]
