"""The operations of List and Dict: host functions, compiled for each container type in use."""

from heddle.compiler.host_jit import njit


@njit
def get_length(container):
    return len(container)


@njit
def get_item(container, key):
    return container[key]


@njit
def set_item(container, key, value):
    container[key] = value


@njit
def contains(container, item):
    return item in container


@njit
def clear(container):
    container.clear()


@njit
def append(items, item):
    items.append(item)


@njit
def insert(items, i, item):
    items.insert(i, item)


@njit
def count(items, item):
    return items.count(item)


@njit
def get_index(items, item):
    return items.index(item)


@njit
def pop_last(items):
    return items.pop()


@njit
def pop(container, key):
    return container.pop(key)


@njit
def remove(items, item):
    items.remove(item)


@njit
def reverse(items):
    items.reverse()


@njit
def sort(items, key, reverse):
    items.sort(key=key, reverse=reverse)


@njit
def get_strided_items(items, first, number, step):
    """Returns ``number`` items, starting at ``first``."""
    out = items[:0]
    for i in range(number):
        out.append(items[first + i * step])
    return out


@njit
def delete(table, key):
    del table[key]


@njit
def pop_item(table):
    return table.popitem()


@njit
def list_keys(table):
    return [key for key in table]  # noqa: C416 - a Python list, which holds all keys at once


@njit
def set_default(table, key, default):
    return table.setdefault(key, default)


@njit
def copy(table):
    return table.copy()
