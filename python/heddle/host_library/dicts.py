"""Methods and operators of dicts, implemented on hash tables."""

from heddle._heddle import smallest_table
from heddle.compiler.library_registry import define_function, implements, is_absent
from heddle.host_library.hash_tables import (
    compiled,
    find_number,
    find_place,
    free_place,
    make_room,
    store_key,
)


@implements("dict.__getitem__")
def _getitem(d, key):
    return _value_of


def _value_of(d, key):
    number = find_number(d, d._key(key))
    if number < 0:
        raise KeyError(key)
    return d._values()[number]


def _add(d, key, value):
    make_room(d)
    keys = d._keys()
    store_key(d, key, len(keys))
    d._values().append(value)
    keys.append(key)


add = compiled(_add)


@implements("dict.__setitem__")
def _setitem(d, key, value):
    return _assigned


def _assigned(d, key, value):
    own = d._key(key)
    number = find_number(d, own)
    if number < 0:
        add(d, own, value)
    else:
        d._values()[number] = value


def _delete(d, key, place):
    places, keys = d._places(), d._keys()
    number = places[place] - 1
    free_place(d, place)
    if number == len(keys) - 1:
        keys.pop()
        d._values().pop()
    else:
        places[-1] += 1


delete = compiled(_delete)


@implements("dict.__delitem__")
def _delitem(d, key):
    return _deleted


def _deleted(d, key):
    own = d._key(key)
    place = find_place(d, own)
    if place < 0:
        raise KeyError(key)
    delete(d, own, place)


@implements("dict._pack")
def _pack(d):
    return _packed


def _packed(d):
    """Remove deleted keys and values by building new lists: loops may still use the old ones."""
    if d._places()[-1] == 0:
        return
    left = d._empty(len(d._places()) - 2)
    keys, values = d._keys(), d._values()
    for number in range(len(keys)):
        if find_number(d, keys[number]) == number:
            store_key(left, keys[number], len(left._keys()))
            left._keys().append(keys[number])
            left._values().append(values[number])
    d._exchange(left)


@implements("dict._ordered")
def _ordered(d):
    return _in_order


def _in_order(d):
    """The table's own list of keys, for loops, which do not change it."""
    d._pack()
    return d._keys()


@implements("dict.keys")
def _keys(d):
    return lambda d: d._ordered().copy()


@implements("dict._stored")
def _stored(d):
    return _stored_in_order


def _stored_in_order(d):
    """The table's own list of values, for loops."""
    d._pack()
    return d._values()


@implements("dict.values")
def _values(d):
    return lambda d: d._stored().copy()


@implements("dict.items")
def _items(d):
    return lambda d: d._entries()


@implements("dict._entries")
def _entries(d):
    return _entries_in_order


def _entries_in_order(d):
    """The entries as items() currently shows them."""
    d._pack()
    return zip(d._keys(), d._values())  # noqa: B905 - compiled code has no strict=


@implements("dict.get")
def _get(d, key, default=None):
    return _value_or_none if default is None else _value_or


def _value_or_none(d, key):
    number = find_number(d, d._key(key))
    if number < 0:
        return None
    return d._values()[number]


def _value_or(d, key, default):
    number = find_number(d, d._key(key))
    if number < 0:
        return default
    return d._values()[number]


@implements("dict.setdefault")
def _setdefault(d, key, default):
    return _value_or_new


def _value_or_new(d, key, default):
    own = d._key(key)
    number = find_number(d, own)
    if number < 0:
        number = len(d._keys())
        add(d, own, default)
        number = find_number(d, own)
    return d._values()[number]


@implements("dict.pop")
def _pop(d, key, default=None):
    return _popped if default is None else _popped_or


def _popped(d, key):
    own = d._key(key)
    place = find_place(d, own)
    if place < 0:
        raise KeyError(key)
    value = d._values()[d._places()[place] - 1]
    delete(d, own, place)
    return value


def _popped_or(d, key, default):
    own = d._key(key)
    place = find_place(d, own)
    if place < 0:
        return default
    value = d._values()[d._places()[place] - 1]
    delete(d, own, place)
    return value


@implements("dict.popitem")
def _popitem(d):
    return _popped_last


def _popped_last(d):
    if len(d) == 0:
        raise KeyError("popitem(): dictionary is empty")
    keys, values = d._keys(), d._values()
    while find_number(d, keys[-1]) != len(keys) - 1:  # the last key was deleted
        keys.pop()
        values.pop()
        d._places()[-1] -= 1
    key = keys[-1]
    value = values[-1]
    delete(d, key, find_place(d, key))
    return key, value


@implements("dict.update")
def _update(d, other):
    return _updated if getattr(other, "kind", "") == "dict" else _updated_by_pairs


def _updated(d, other):
    for key, value in other.items():
        d[key] = value


def _updated_by_pairs(d, pairs):
    for key, value in pairs:
        d[key] = value


@implements("dict.copy")
def _copy(d):
    return _copied


def _copied(d):
    out = d._empty(smallest_table)
    for key, value in d.items():
        out[key] = value
    return out


@implements("builtins.dict")
def _dict(items=None):
    if is_absent(items):
        return None
    return (lambda items: items.copy()) if getattr(items, "kind", "") == "dict" else _dict_of_pairs


def _dict_of_pairs(items):
    return {key: value for key, value in items}  # noqa: C416 - pairs are no argument of dict()


@implements("dict.__eq__")
def _equals(a, b):
    return _are_equal


def _are_equal(a, b):
    if len(a) != len(b):
        return False
    for key, value in a.items():
        number = find_number(b, b._key(key))
        if number < 0 or b._values()[number] != value:
            break
    else:
        return True
    return False


# Dicts with constant keys and values of several types


def _make_tuple_over_keys(dict_type, made):
    """A function that returns a tuple with the text ``made`` formatted for each key."""
    items = "".join(f"{made.format(key=repr(name[1:-1]))}, " for name in dict_type.fields)
    return define_function(f"def applied(d):\n    return ({items})\n", {})


@implements("literal_dict.keys")
def _literal_keys(d):
    return _make_tuple_over_keys(d, "{key}")


@implements("literal_dict.values")
def _literal_values(d):
    return _make_tuple_over_keys(d, "d[{key}]")


@implements("literal_dict.items")
def _literal_items(d):
    return _make_tuple_over_keys(d, "({key}, d[{key}])")
