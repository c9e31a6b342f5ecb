"""Parts of arrays along their first axis, as lists of views."""

from heddle.host_library.lists import is_list
from heddle.host_library.registry import compiled, implements, is_absent, is_array, is_integer


@compiled
def in_sections(a, count):
    """The first parts are longer by one where the length is no multiple."""
    if count <= 0:
        raise ValueError("number sections must be larger than 0.")
    out = [a[:0] for _ in range(0)]
    size, first = len(a), 0
    for i in range(count):
        last = first + size // count + (1 if i < size % count else 0)
        out.append(a[first:last])
        first = last
    return out


def _array_split(a, count, axis=0):
    return in_sections(a, count)


def _split(a, count, axis=0):
    if count <= 0:
        raise ValueError("number sections must be larger than 0.")
    if len(a) % count != 0:
        raise ValueError("array split does not result in an equal division")
    return in_sections(a, count)


def _at_places(a, places, axis=0):
    out = [a[:0] for _ in range(0)]
    first = 0
    for place in places:
        out.append(a[first:place])
        first = place
    out.append(a[first:])
    return out


def _splits(name, by_count):
    @implements(f"numpy.{name}")
    def choose(a, where, axis=None):
        if not is_array(a) or a.ndim == 0 or not is_absent(axis):
            return None
        if is_integer(where):
            return by_count
        has_places = is_list(where) or is_array(where, 1) or getattr(where, "kind", "") == "tuple"
        return _at_places if has_places else None


_splits("array_split", _array_split)
_splits("split", _split)
_splits("vsplit", _split)
