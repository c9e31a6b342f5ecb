"""What dicts and sets share: where a key is, and how it gets there.

A table has ``_keys()``, a list in the order in which keys came, and ``_places()``, an array: where a key's hash
points, or at the first free place behind, stands 1 + its number in the list; 0 is a free place. The last element of
the array counts the keys of a dict that have been deleted, but are still in the list.
"""

from heddle.host_library.registry import compiled, implements


def is_table(value):
    return getattr(value, "kind", "") in ("dict", "set")


def _place_of(table, key):
    """Where the key stands; -1 where it does not."""
    keys, places = table._keys(), table._places()
    mask = len(places) - 2
    place = table._hash(key) & mask
    while True:
        number = places[place]
        if number == 0:
            return -1
        if keys[number - 1] == key:
            return place
        place = (place + 1) & mask


def _number_of(table, key):
    """The key's number in the list; -1 where it is not there."""
    keys, places = table._keys(), table._places()
    mask = len(places) - 2
    place = table._hash(key) & mask
    while True:
        number = places[place]
        if number == 0 or keys[number - 1] == key:
            return number - 1
        place = (place + 1) & mask


def _point_to(table, key, number):
    """Has the first free place for the key say that it is key ``number``."""
    places = table._places()
    mask = len(places) - 2
    place = table._hash(key) & mask
    while places[place] != 0:
        place = (place + 1) & mask
    places[place] = number + 1


def _free(table, place):
    """Frees a place. The keys behind it move up, so that none is behind a free place."""
    keys, places = table._keys(), table._places()
    mask = len(places) - 2
    behind = (place + 1) & mask
    while places[behind] != 0:
        home = table._hash(keys[places[behind] - 1]) & mask
        if ((behind - home) & mask) >= ((behind - place) & mask):
            places[place] = places[behind]
            place = behind
        behind = (behind + 1) & mask
    places[place] = 0


def _make_room(table):
    """At least a third of the places are free when a key has come."""
    known = len(table._keys())
    if 3 * (known + 1) <= 2 * (len(table._places()) - 1):
        return
    table._pack()
    keys = table._keys()
    places = 8
    while places < 2 * (len(keys) + 1):
        places *= 2
    if places > 1 << 30:
        raise MemoryError("more keys than a table can hold")
    larger = table._empty(places)
    table._exchange_places(larger)
    point = table._places()
    mask = places - 1
    for number in range(len(keys)):
        place = table._hash(keys[number]) & mask
        while point[place] != 0:
            place = (place + 1) & mask
        point[place] = number + 1


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
    table._exchange(table._empty(8))


@implements("dict.__ne__", "set.__ne__")
def _differs(a, b):
    return _differ


def _differ(a, b):
    equal = a == b
    return not equal
