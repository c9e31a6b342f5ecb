"""Methods and operators of sets, implemented on hash tables."""

from heddle._heddle import smallest_table
from heddle.compiler.library_registry import implements, is_absent
from heddle.host_library.hash_tables import (
    find_number,
    find_place,
    free_place,
    make_room,
    store_key,
)


@implements("set.add")
def _add(s, item):
    return _added


def _added(s, item):
    own = s._key(item)
    if find_number(s, own) < 0:
        make_room(s)
        store_key(s, own, len(s._keys()))
        s._keys().append(own)


@implements("set._pack")
def _pack(s):
    return lambda s: None


@implements("set._ordered")
def _ordered(s):
    return lambda s: s._keys().copy()


@implements("set._drop")
def _drop(s, item):
    return _dropped


def _dropped(s, item):
    """Remove an item; return whether it was there. The last item of the list takes its place."""
    own = s._key(item)
    place = find_place(s, own)
    if place < 0:
        return False
    keys, places = s._keys(), s._places()
    number, last = places[place], keys[-1]
    places[find_place(s, last)] = number
    keys[number - 1] = last
    free_place(s, place)
    keys.pop()
    return True


@implements("set.discard")
def _discard(s, item):
    return _discarded


def _discarded(s, item):
    s._drop(item)


@implements("set.remove")
def _remove(s, item):
    return _removed


def _removed(s, item):
    if not s._drop(item):
        raise KeyError(item)


@implements("set.pop")
def _pop(s):
    return _popped


def _popped(s):
    if len(s) == 0:
        raise KeyError("pop from an empty set")
    item = s._keys()[-1]
    s._drop(item)
    return item


@implements("set.copy")
def _copy(s):
    return _copied


def _copied(s):
    out = s._empty(smallest_table)
    for item in s._keys():
        out.add(item)
    return out


@implements("builtins.set")
def _set(items=None):
    return None if is_absent(items) else _set_of


def _set_of(items):
    return {item for item in items}  # noqa: C416 - items are no argument of set()


@implements("set.update")
def _update(s, items):
    return _updated_only


def _updated_only(s, items):
    s.__ior__(items)


@implements("set.__ior__")
def _ior(s, items):
    return _updated


def _updated(s, items):
    for item in items:
        s.add(item)
    return s


@implements("set.union")
def _union(s, items):
    return _united


def _united(s, items):
    out = s.copy()
    for item in items:
        out.add(item)
    return out


def is_set(value):
    return getattr(value, "kind", "") == "set"


@implements("set.intersection")
def _intersection(s, items):
    return _common if is_set(items) else lambda s, items: s & set(items)


def _common(s, other):
    out = s._empty(smallest_table)
    for item in s:
        if item in other:
            out.add(item)
    return out


@implements("set.difference")
def _difference(s, items):
    return _without if is_set(items) else lambda s, items: s - set(items)


def _without(s, other):
    out = s._empty(smallest_table)
    for item in s:
        if item not in other:
            out.add(item)
    return out


@implements("set.symmetric_difference")
def _symmetric_difference(s, items):
    return _in_one if is_set(items) else lambda s, items: s ^ set(items)


def _in_one(s, other):
    out = s.difference(other)
    for item in other:
        if item not in s:
            out.add(item)
    return out


@implements("set.intersection_update")
def _intersection_update(s, items):
    return _keep_common_only


def _keep_common_only(s, items):
    s.__iand__(items)


@implements("set.__iand__")
def _iand(s, items):
    return _keep_common


def _keep_common(s, items):
    s._exchange(s.intersection(items))
    return s


@implements("set.difference_update")
def _difference_update(s, items):
    return _drop_common_only


def _drop_common_only(s, items):
    s.__isub__(items)


@implements("set.__isub__")
def _isub(s, items):
    return _drop_common


def _drop_common(s, items):
    s._exchange(s.difference(items))
    return s


@implements("set.symmetric_difference_update")
def _symmetric_difference_update(s, items):
    return _keep_different_only


def _keep_different_only(s, items):
    s.__ixor__(items)


@implements("set.__ixor__")
def _ixor(s, items):
    return _keep_different


def _keep_different(s, items):
    s._exchange(s.symmetric_difference(items))
    return s


@implements("set.isdisjoint")
def _isdisjoint(s, items):
    return _have_nothing_in_common


def _have_nothing_in_common(s, items):
    common = False
    for item in items:
        if item in s:
            common = True
    return not common


@implements("set.issubset")
def _issubset(s, items):
    return _is_subset if is_set(items) else lambda s, items: s.issubset(set(items))


def _is_subset(s, other):
    missing = False
    for item in s:
        if item not in other:
            missing = True
    return not missing


@implements("set.issuperset")
def _issuperset(s, items):
    return _is_superset


def _is_superset(s, items):
    missing = False
    for item in items:
        if item not in s:
            missing = True
    return not missing


@implements("set.__lt__")
def _less(s, other):
    return lambda s, other: len(s) < len(other) and s.issubset(other)


@implements("set.__gt__")
def _greater(s, other):
    return lambda s, other: len(s) > len(other) and other.issubset(s)


@implements("set.__eq__")
def _equals(s, other):
    return lambda s, other: len(s) == len(other) and s.issubset(other)
