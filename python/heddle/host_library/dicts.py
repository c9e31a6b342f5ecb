"""Methods and operators of dicts, implemented on hash tables."""

from heddle._heddle import smallest_table
from heddle.compiler.library_registry import (
    define_function_from_text,
    implements,
    is_absent_or_none,
)
from heddle.host_library.hash_tables import (
    compiled,
    find_index,
    find_slot,
    free_slot,
    make_room,
    store_key,
)


@implements("dict.__getitem__")
def _choose_getitem_implementation(d, key):
    return _get_item


def _get_item(d, key):
    number = find_index(d, d._key(key))
    if number < 0:
        raise KeyError(key)
    return d._values()[number]


def _add_entry(d, key, value):
    make_room(d)
    keys = d._keys()
    store_key(d, key, len(keys))
    d._values().append(value)
    keys.append(key)


add_entry = compiled(_add_entry)


@implements("dict.__setitem__")
def _choose_setitem_implementation(d, key, value):
    return _set_item


def _set_item(d, key, value):
    own = d._key(key)
    number = find_index(d, own)
    if number < 0:
        add_entry(d, own, value)
    else:
        d._values()[number] = value


def _delete_entry_in_slot(d, key, place):
    places, keys = d._places(), d._keys()
    number = places[place] - 1
    free_slot(d, place)
    if number == len(keys) - 1:
        keys.pop()
        d._values().pop()
    else:
        places[-1] += 1


delete_entry_in_slot = compiled(_delete_entry_in_slot)


@implements("dict.__delitem__")
def _choose_delitem_implementation(d, key):
    return _delete_item


def _delete_item(d, key):
    own = d._key(key)
    place = find_slot(d, own)
    if place < 0:
        raise KeyError(key)
    delete_entry_in_slot(d, own, place)


@implements("dict._pack")
def _choose_pack_implementation(d):
    return _compact_entries


def _compact_entries(d):
    """Removes deleted keys and values by building new lists: loops may still use the old ones."""
    if d._places()[-1] == 0:
        return
    left = d._empty(len(d._places()) - 2)
    keys, values = d._keys(), d._values()
    for number in range(len(keys)):
        if find_index(d, keys[number]) == number:
            store_key(left, keys[number], len(left._keys()))
            left._keys().append(keys[number])
            left._values().append(values[number])
    d._exchange(left)


@implements("dict._ordered")
def _choose_ordered_keys_implementation(d):
    return _compact_and_get_keys


def _compact_and_get_keys(d):
    """The table's own list of keys, for loops, which do not change it."""
    d._pack()
    return d._keys()


@implements("dict.keys")
def _choose_keys_implementation(d):
    return lambda d: d._ordered().copy()


@implements("dict._stored")
def _choose_stored_values_implementation(d):
    return _compact_and_get_values


def _compact_and_get_values(d):
    """The table's own list of values, for loops."""
    d._pack()
    return d._values()


@implements("dict.values")
def _choose_values_implementation(d):
    return lambda d: d._stored().copy()


@implements("dict.items")
def _choose_items_implementation(d):
    return lambda d: d._entries()


@implements("dict._entries")
def _choose_entries_implementation(d):
    return _compact_and_zip_entries


def _compact_and_zip_entries(d):
    """The entries as items() currently shows them."""
    d._pack()
    return zip(d._keys(), d._values())  # noqa: B905 - compiled code has no strict=


@implements("dict.get")
def _choose_get_implementation(d, key, default=None):
    return _get_or_none if default is None else _get_or_default


def _get_or_none(d, key):
    number = find_index(d, d._key(key))
    if number < 0:
        return None
    return d._values()[number]


def _get_or_default(d, key, default):
    number = find_index(d, d._key(key))
    if number < 0:
        return default
    return d._values()[number]


@implements("dict.setdefault")
def _choose_setdefault_implementation(d, key, default):
    return _set_default


def _set_default(d, key, default):
    own = d._key(key)
    number = find_index(d, own)
    if number < 0:
        number = len(d._keys())
        add_entry(d, own, default)
        number = find_index(d, own)
    return d._values()[number]


@implements("dict.pop")
def _choose_pop_implementation(d, key, default=None):
    return _pop if default is None else _pop_or_default


def _pop(d, key):
    own = d._key(key)
    place = find_slot(d, own)
    if place < 0:
        raise KeyError(key)
    value = d._values()[d._places()[place] - 1]
    delete_entry_in_slot(d, own, place)
    return value


def _pop_or_default(d, key, default):
    own = d._key(key)
    place = find_slot(d, own)
    if place < 0:
        return default
    value = d._values()[d._places()[place] - 1]
    delete_entry_in_slot(d, own, place)
    return value


@implements("dict.popitem")
def _choose_popitem_implementation(d):
    return _pop_last_entry


def _pop_last_entry(d):
    if len(d) == 0:
        raise KeyError("popitem(): dictionary is empty")
    keys, values = d._keys(), d._values()
    while find_index(d, keys[-1]) != len(keys) - 1:  # the last key was deleted
        keys.pop()
        values.pop()
        d._places()[-1] -= 1
    key = keys[-1]
    value = values[-1]
    delete_entry_in_slot(d, key, find_slot(d, key))
    return key, value


@implements("dict.update")
def _choose_update_implementation(d, other):
    return _update_from_dict if getattr(other, "kind", "") == "dict" else _update_from_pairs


def _update_from_dict(d, other):
    for key, value in other.items():
        d[key] = value


def _update_from_pairs(d, pairs):
    for key, value in pairs:
        d[key] = value


@implements("dict.copy")
def _choose_copy_implementation(d):
    return _copy


def _copy(d):
    out = d._empty(smallest_table)
    for key, value in d.items():
        out[key] = value
    return out


@implements("builtins.dict")
def _choose_dict_implementation(items=None):
    if is_absent_or_none(items):
        return None
    return (lambda items: items.copy()) if getattr(items, "kind", "") == "dict" else _build_dict


def _build_dict(items):
    return {key: value for key, value in items}  # noqa: C416 - pairs are no argument of dict()


@implements("dict.__eq__")
def _choose_equals_implementation(a, b):
    return _are_equal


def _are_equal(a, b):
    if len(a) != len(b):
        return False
    for key, value in a.items():
        number = find_index(b, b._key(key))
        if number < 0 or b._values()[number] != value:
            break
    else:
        return True
    return False


# Dicts with constant keys and values of several types


def _make_tuple_function_over_keys(dict_type, made):
    """A function that returns a tuple with the text ``made`` formatted for each key."""
    items = "".join(f"{made.format(key=repr(name[1:-1]))}, " for name in dict_type.fields)
    return define_function_from_text(f"def applied(d):\n    return ({items})\n", {})


@implements("literal_dict.keys")
def _choose_literal_keys_implementation(d):
    return _make_tuple_function_over_keys(d, "{key}")


@implements("literal_dict.values")
def _choose_literal_values_implementation(d):
    return _make_tuple_function_over_keys(d, "d[{key}]")


@implements("literal_dict.items")
def _choose_literal_items_implementation(d):
    return _make_tuple_function_over_keys(d, "({key}, d[{key}])")
