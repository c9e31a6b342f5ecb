"""Methods and operators of sets, implemented on hash tables."""

from heddle._heddle import smallest_table
from heddle.compiler.library_registry import implements, is_absent_or_none
from heddle.host_library.hash_tables import (
    find_index,
    find_slot,
    free_slot,
    make_room,
    store_key,
)


@implements("set.add")
def _choose_add_implementation(s, item):
    return _add_item


def _add_item(s, item):
    own = s._key(item)
    if find_index(s, own) < 0:
        make_room(s)
        store_key(s, own, len(s._keys()))
        s._keys().append(own)


@implements("set._pack")
def _choose_pack_implementation(s):
    return lambda s: None


@implements("set._ordered")
def _choose_ordered_keys_implementation(s):
    return lambda s: s._keys().copy()


@implements("set._remove_if_present")
def _choose_remove_if_present_implementation(s, item):
    return _remove_if_present


def _remove_if_present(s, item):
    """Removes an item. Returns True if the set had it. The last item of the list takes its place."""
    own = s._key(item)
    place = find_slot(s, own)
    if place < 0:
        return False
    keys, places = s._keys(), s._places()
    number, last = places[place], keys[-1]
    places[find_slot(s, last)] = number
    keys[number - 1] = last
    free_slot(s, place)
    keys.pop()
    return True


@implements("set.discard")
def _choose_discard_implementation(s, item):
    return _discard_item


def _discard_item(s, item):
    s._remove_if_present(item)


@implements("set.remove")
def _choose_remove_implementation(s, item):
    return _remove_item


def _remove_item(s, item):
    if not s._remove_if_present(item):
        raise KeyError(item)


@implements("set.pop")
def _choose_pop_implementation(s):
    return _pop


def _pop(s):
    if len(s) == 0:
        raise KeyError("pop from an empty set")
    item = s._keys()[-1]
    s._remove_if_present(item)
    return item


@implements("set.copy")
def _choose_copy_implementation(s):
    return _copy


def _copy(s):
    out = s._empty(smallest_table)
    for item in s._keys():
        out.add(item)
    return out


@implements("builtins.set")
def _choose_set_implementation(items=None):
    return None if is_absent_or_none(items) else _build_set


def _build_set(items):
    return {item for item in items}  # noqa: C416 - items are no argument of set()


@implements("set.update")
def _choose_update_implementation(s, items):
    return _update


def _update(s, items):
    s.__ior__(items)


@implements("set.__ior__")
def _choose_ior_implementation(s, items):
    return _update_and_return


def _update_and_return(s, items):
    for item in items:
        s.add(item)
    return s


@implements("set.union")
def _choose_union_implementation(s, items):
    return _union


def _union(s, items):
    out = s.copy()
    for item in items:
        out.add(item)
    return out


def is_set(value):
    return getattr(value, "kind", "") == "set"


@implements("set.intersection")
def _choose_intersection_implementation(s, items):
    return _intersection if is_set(items) else lambda s, items: s & set(items)


def _intersection(s, other):
    out = s._empty(smallest_table)
    for item in s:
        if item in other:
            out.add(item)
    return out


@implements("set.difference")
def _choose_difference_implementation(s, items):
    return _difference if is_set(items) else lambda s, items: s - set(items)


def _difference(s, other):
    out = s._empty(smallest_table)
    for item in s:
        if item not in other:
            out.add(item)
    return out


@implements("set.symmetric_difference")
def _choose_symmetric_difference_implementation(s, items):
    return _symmetric_difference if is_set(items) else lambda s, items: s ^ set(items)


def _symmetric_difference(s, other):
    out = s.difference(other)
    for item in other:
        if item not in s:
            out.add(item)
    return out


@implements("set.intersection_update")
def _choose_intersection_update_implementation(s, items):
    return _intersection_update


def _intersection_update(s, items):
    s.__iand__(items)


@implements("set.__iand__")
def _choose_iand_implementation(s, items):
    return _intersect_and_return


def _intersect_and_return(s, items):
    s._exchange(s.intersection(items))
    return s


@implements("set.difference_update")
def _choose_difference_update_implementation(s, items):
    return _difference_update


def _difference_update(s, items):
    s.__isub__(items)


@implements("set.__isub__")
def _choose_isub_implementation(s, items):
    return _subtract_and_return


def _subtract_and_return(s, items):
    s._exchange(s.difference(items))
    return s


@implements("set.symmetric_difference_update")
def _choose_symmetric_difference_update_implementation(s, items):
    return _symmetric_difference_update


def _symmetric_difference_update(s, items):
    s.__ixor__(items)


@implements("set.__ixor__")
def _choose_ixor_implementation(s, items):
    return _symmetric_difference_and_return


def _symmetric_difference_and_return(s, items):
    s._exchange(s.symmetric_difference(items))
    return s


@implements("set.isdisjoint")
def _choose_isdisjoint_implementation(s, items):
    return _is_disjoint


def _is_disjoint(s, items):
    common = False
    for item in items:
        if item in s:
            common = True
    return not common


@implements("set.issubset")
def _choose_issubset_implementation(s, items):
    return _is_subset if is_set(items) else lambda s, items: s.issubset(set(items))


def _is_subset(s, other):
    missing = False
    for item in s:
        if item not in other:
            missing = True
    return not missing


@implements("set.issuperset")
def _choose_issuperset_implementation(s, items):
    return _is_superset


def _is_superset(s, items):
    missing = False
    for item in items:
        if item not in s:
            missing = True
    return not missing


@implements("set.__lt__")
def _choose_proper_subset_implementation(s, other):
    return lambda s, other: len(s) < len(other) and s.issubset(other)


@implements("set.__gt__")
def _choose_proper_superset_implementation(s, other):
    return lambda s, other: len(s) > len(other) and other.issubset(s)


@implements("set.__eq__")
def _choose_equals_implementation(s, other):
    return lambda s, other: len(s) == len(other) and s.issubset(other)
