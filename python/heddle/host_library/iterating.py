"""Iteration: iter, map, filter, functools.reduce, and unpacking of generators."""

from heddle import types
from heddle.compiler.library_registry import implements, is_none

# Kinds for which iter() makes a generator, so that next() works.
_ITEMS = ("array", "dict", "iterator", "list", "range", "set", "string")


@implements("builtins.iter")
def _choose_iter_implementation(values):
    """None if the values are their own iterator, and for tuples of mixed types, which only loops can iterate over."""
    alike = isinstance(values, types.BaseTuple) and len(set(values.types)) == 1
    return _iterate if alike or values.kind in _ITEMS else None


def _iterate(values):
    for value in values:  # noqa: UP028 - yield from is not compiled
        yield value


@implements("builtins.map")
def _choose_map_implementation(function, values, others=None):
    return _map if others is None else _map_pairs


def _map(function, values):
    for value in values:
        yield function(value)


def _map_pairs(function, values, others):
    for value, other in zip(values, others):  # noqa: B905 - compiled code has no strict=
        yield function(value, other)


@implements("builtins.filter")
def _choose_filter_implementation(function, values):
    return _filter_truthy if is_none(function) else _filter


def _filter_truthy(function, values):
    for value in values:
        if value:
            yield value


def _filter(function, values):
    for value in values:
        if function(value):
            yield value


@implements("iterator.first_values")
def _choose_first_values_implementation(values, most):
    return _list_first_values


def _list_first_values(values, most):
    first = []
    for value in values:
        first.append(value)
        if len(first) == most:
            break
    return first


@implements("functools.reduce")
def _choose_reduce_implementation(function, values, initial=None):
    return _reduce if initial is None else _reduce_from_initial


def _reduce(function, values):
    items = [value for value in values]  # noqa: C416 - works for any iterable
    if not items:
        raise TypeError("reduce() of empty iterable with no initial value")
    total = items[0]
    for i in range(1, len(items)):
        total = function(total, items[i])
    return total


def _reduce_from_initial(function, values, initial):
    total = initial
    for value in values:
        total = function(total, value)
    return total
