"""What dicts and sets share: where a key is, and how it gets there.

A table has ``_keys()``, a list in the order in which keys came, and ``_places()``, an array. A key's hash names the
first place where it may be, and with ``_next`` the others: the first that holds 1 + the key's number in the list is the
key's, and where one is free (0), the key is not there. A place that a key has left (-1) is not free, as other
keys may have gone past it. The hash of an integer is the integer, so that those of a range lie side by side; keys that
begin at the same place soon part, as each goes on by more bits of its hash.

The two elements behind the places count those that are not free, and the keys of a dict that have been deleted but are
still in the list.
"""

from heddle._heddle import smallest_table
from heddle.host_library.registry import compiled, implements


def is_table(value):
    return getattr(value, "kind", "") in ("dict", "set")


def _bits_of(hashed):
    """The bits of a hash that choose the places behind the first."""
    return hashed & 0x7FFFFFFFFFFFFFFF


def _next(place, bits):
    """Visits all places in the end, as Python's dicts do: ``bits`` are shifted right by 5 before each call."""
    return 5 * place + bits + 1


bits_of = compiled(_bits_of)
following = compiled(_next)


def _place_of(table, key):
    """Where the key stands; -1 where it does not."""
    keys, places = table._keys(), table._places()
    mask = len(places) - 3
    hashed = table._hash(key)
    place, bits = hashed & mask, bits_of(hashed)
    while True:
        number = places[place]
        if number == 0:
            return -1
        if number > 0 and keys[number - 1] == key:
            return place
        bits >>= 5
        place = following(place, bits) & mask


def _number_of(table, key):
    """The key's number in the list; -1 where it is not there."""
    keys, places = table._keys(), table._places()
    mask = len(places) - 3
    hashed = table._hash(key)
    place, bits = hashed & mask, bits_of(hashed)
    while True:
        number = places[place]
        if number == 0 or (number > 0 and keys[number - 1] == key):
            return number - 1
        bits >>= 5
        place = following(place, bits) & mask


def _point_to(table, key, number):
    """Has the first place that is no key's say that the key, which is not there yet, is key ``number``."""
    places = table._places()
    mask = len(places) - 3
    hashed = table._hash(key)
    place, bits = hashed & mask, bits_of(hashed)
    while places[place] > 0:
        bits >>= 5
        place = following(place, bits) & mask
    if places[place] == 0:
        places[-2] += 1
    places[place] = number + 1


def _free(table, place):
    """Has a key leave its place."""
    table._places()[place] = -1


def _make_room(table):
    """At least a third of the places are free when a key has come."""
    places = table._places()
    if 3 * (places[-2] + 1) <= 2 * (len(places) - 2):
        return
    table._pack()
    keys = table._keys()
    count = smallest_table
    while count < 3 * (len(keys) + 1):
        count *= 2
    if count > 1 << 31:
        raise MemoryError("more keys than a table can hold")
    larger = table._empty(count)
    table._exchange_places(larger)
    point = table._places()
    mask = count - 1
    for number in range(len(keys)):
        hashed = table._hash(keys[number])
        place, bits = hashed & mask, bits_of(hashed)
        while point[place] != 0:
            bits >>= 5
            place = following(place, bits) & mask
        point[place] = number + 1
    point[-2] = len(keys)


place_of = compiled(_place_of)
number_of = compiled(_number_of)
point_to = compiled(_point_to)
free = compiled(_free)
make_room = compiled(_make_room)


@implements("dict.__contains__", "set.__contains__")
def _contains(table, key):
    return _is_there


def _is_there(table, key):
    return number_of(table, table._key(key)) >= 0


@implements("dict._lacks", "set._lacks")
def _lacks(table, key):
    return _is_missing


def _is_missing(table, key):
    return number_of(table, table._key(key)) < 0


@implements("dict.clear", "set.clear")
def _clear(table):
    return _cleared


def _cleared(table):
    table._exchange(table._empty(smallest_table))


@implements("dict.__ne__", "set.__ne__")
def _differs(a, b):
    return _differ


def _differ(a, b):
    equal = a == b
    return not equal
