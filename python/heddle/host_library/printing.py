"""print of what the compiler's row does not write: arrays, lists, dicts, sets, dates and complex numbers."""

import functools

from heddle import types
from heddle.errors import UnsupportedError
from heddle.host_library.hash_tables import is_table
from heddle.host_library.lists import is_list
from heddle.host_library.registry import implements, is_array


def _is_pythons(value):
    """Whether Python writes the value."""
    if isinstance(value, types.BaseTuple):
        return any(_is_pythons(element) for element in value.types)
    return (
        is_array(value)
        or is_list(value)
        or is_table(value)
        or isinstance(value, (types.Complex, types.NPDatetime, types.NPTimedelta))
    )


def _write(*values):
    print(*values)
    return ()


@functools.cache
def _printing(arguments):
    from heddle.compiler.object_blocks import ObjectBlock  # late: which imports this package

    return ObjectBlock(_write, [], keeps_arguments=False).choose(arguments, {}, "host")


@implements("builtins.print")
def _print(*values):
    if not any(_is_pythons(value) for value in values):
        return None
    try:
        return _printing(values)
    except UnsupportedError:  # the row says what it cannot write
        return None
