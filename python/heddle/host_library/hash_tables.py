"""Code that dicts and sets share: how keys are found and stored.

A table has ``_keys()``, a list of keys in insertion order, and ``_places()``, an array of slots. A key's hash selects
the first slot to look at, and ``_find_next_slot`` the following ones. A slot holds 1 + a key's index in the list, 0 if
it is free, or -1 if its key was removed. A search ends at the key's own slot or at a free one, in which case the key is
missing; removed slots do not end it, because other keys may come after them. The hash of an integer is the integer
itself, so a range of integers fills adjacent slots; keys that start at the same slot soon separate, because each
continues with higher bits of its own hash.

The last two elements of the array count the slots that are not free, and the deleted keys of a dict that are still in
the list.
"""

from heddle._heddle import smallest_table
from heddle.compiler.library_registry import compiled, implements


def is_table(value):
    return getattr(value, "kind", "") in ("dict", "set")


def _get_probe_bits(hashed):
    """The hash bits that select the slots after the first."""
    return hashed & 0x7FFFFFFFFFFFFFFF


def _find_next_slot(place, bits):
    """The next slot to probe. As in Python's dicts, probing reaches every slot if the caller shifts ``bits`` right by 5
    before each call."""
    return 5 * place + bits + 1


get_probe_bits = compiled(_get_probe_bits)
find_next_slot = compiled(_find_next_slot)


def _find_slot(table, key):
    """The slot of a key; -1 if it is missing."""
    keys, places = table._keys(), table._places()
    mask = len(places) - 3
    hashed = table._hash(key)
    place, bits = hashed & mask, get_probe_bits(hashed)
    while True:
        number = places[place]
        if number == 0:
            return -1
        if number > 0 and keys[number - 1] == key:
            return place
        bits >>= 5
        place = find_next_slot(place, bits) & mask


def find_key_index(table, key):
    """The index of a key in the list; -1 if it is missing."""
    keys, places = table._keys(), table._places()
    mask = len(places) - 3
    hashed = table._hash(key)
    place, bits = hashed & mask, get_probe_bits(hashed)
    while True:
        number = places[place]
        if number == 0 or (number > 0 and keys[number - 1] == key):
            return number - 1
        bits >>= 5
        place = find_next_slot(place, bits) & mask


def _store_key(table, key, number):
    """Stores the index ``number`` of a new key in the first slot without a key on the key's probe path."""
    places = table._places()
    mask = len(places) - 3
    hashed = table._hash(key)
    place, bits = hashed & mask, get_probe_bits(hashed)
    while places[place] > 0:
        bits >>= 5
        place = find_next_slot(place, bits) & mask
    if places[place] == 0:
        places[-2] += 1
    places[place] = number + 1


def _free_slot(table, place):
    """Marks a slot as removed."""
    table._places()[place] = -1


def _grow_table_if_needed(table):
    """Enlarges the table if needed, so that at least a third of the slots are still free after adding a key."""
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
        place, bits = hashed & mask, get_probe_bits(hashed)
        while point[place] != 0:
            bits >>= 5
            place = find_next_slot(place, bits) & mask
        point[place] = number + 1
    point[-2] = len(keys)


find_slot = compiled(_find_slot)
find_index = compiled(find_key_index)
store_key = compiled(_store_key)
free_slot = compiled(_free_slot)
make_room = compiled(_grow_table_if_needed)


@implements("dict.__contains__", "set.__contains__")
def _choose_contains_implementation(table, key):
    return _has_key


def _has_key(table, key):
    return find_index(table, table._key(key)) >= 0


@implements("dict._lacks", "set._lacks")
def _choose_lacks_implementation(table, key):
    return _lacks_key


def _lacks_key(table, key):
    return find_index(table, table._key(key)) < 0


@implements("dict.clear", "set.clear")
def _choose_clear_implementation(table):
    return _clear


def _clear(table):
    table._exchange(table._empty(smallest_table))


@implements("dict.__ne__", "set.__ne__")
def _choose_not_equal_implementation(a, b):
    return _containers_differ


def _containers_differ(a, b):
    equal = a == b
    return not equal
