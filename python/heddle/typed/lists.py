"""numba.typed.List."""

import functools
import operator
from collections.abc import MutableSequence, Sequence

from heddle import _heddle, config, types
from heddle.compiler.dispatcher import Dispatcher
from heddle.typed import operations


@functools.cache
def _make_constructor(list_type):
    """A function that makes an empty list of this type."""
    item_type = list_type.item_type
    return operations.njit(lambda: List.empty_list(item_type))


class List(_heddle.SharedContainer):
    """A list with one item type, which host functions take by reference.

    The first item determines the type: ``List([1, 2])``; ``List.empty_list(types.int64)`` sets it from the start. Items
    are converted to it; raises TypingError if that would lose information.
    """

    __slots__ = ()
    __heddle_row__ = "typed.List"
    __hash__ = None

    def __new__(cls, *args):
        if config.DISABLE_JIT:  # functions run in Python and take Python lists
            return list(*args)
        return super().__new__(cls)

    def __init__(self, *args):
        super().__init__()
        if len(args) > 1:
            raise TypeError(f"List() expected at most 1 argument, got {len(args)}")
        if args:
            try:
                items = iter(args[0])
            except TypeError:
                raise TypeError("List() argument must be iterable") from None
            for item in items:
                self.append(item)

    @classmethod
    def empty_list(cls, item_type, allocated=0):
        """An empty list with this item type. allocated: ignored, because a list grows as needed."""
        return [] if config.DISABLE_JIT else _make_constructor(types.ListType(item_type))()

    def __class_getitem__(cls, item):
        return cls

    @property
    def _dtype(self):
        return self._type.dtype

    @property
    def _typed(self):
        return self._numba_type_ is not None

    @property
    def _type(self):
        if self._numba_type_ is None:
            raise TypeError("invalid operation on untyped list")
        return self._numba_type_

    @property
    def _list_type(self):
        return self._type

    def __len__(self):
        return operations.get_length(self) if self._typed else 0

    def __getitem__(self, i):
        self._type  # noqa: B018 - raises
        if isinstance(i, slice):
            places = range(*i.indices(len(self)))
            return operations.get_strided_items(self, places.start, len(places), places.step)
        return operations.get_item(self, operator.index(i))

    def __setitem__(self, i, value):
        self._type  # noqa: B018 - raises
        if not isinstance(i, slice):
            operations.set_item(self, operator.index(i), value)
            return
        items = list(self)
        items[i] = value
        self._replace_items(items)

    def __delitem__(self, i):
        if not isinstance(i, slice):
            self.pop(i)
            return
        items = list(self)
        del items[i]
        self._replace_items(items)

    def _replace_items(self, items):
        operations.clear(self)
        for item in items:
            operations.append(self, item)

    def __iter__(self):
        i = 0
        while i < len(self):
            yield self[i]
            i += 1

    __reversed__ = Sequence.__reversed__

    def __contains__(self, item):
        self._type  # noqa: B018 - raises
        return operations.contains(self, item)

    def __eq__(self, other):
        return self._compare(other, operator.eq)

    def __ne__(self, other):
        return self._compare(other, operator.ne)

    def __lt__(self, other):
        return self._compare(other, operator.lt)

    def __le__(self, other):
        return self._compare(other, operator.le)

    def __gt__(self, other):
        return self._compare(other, operator.gt)

    def __ge__(self, other):
        return self._compare(other, operator.ge)

    def _compare(self, other, compare):
        if not isinstance(other, (List, list)):
            return NotImplemented
        return compare(list(self), list(other))

    def __iadd__(self, other):
        self.extend(other)
        return self

    def append(self, item):
        """Appends an item."""
        if not self._typed:
            self._become(List.empty_list(types.typeof(item)))
        operations.append(self, item)

    def extend(self, iterable):
        """Appends the items of an iterable."""
        for item in list(iterable):
            self.append(item)

    def insert(self, i, item):
        """Inserts an item before item ``i``."""
        if not self._typed:
            self.append(item)
        else:
            operations.insert(self, operator.index(i), item)

    def pop(self, i=-1):
        """Removes and returns item ``i``, by default the last one. Raises IndexError if there is none."""
        self._type  # noqa: B018 - raises
        i = operator.index(i)
        return operations.pop_last(self) if i == -1 else operations.pop(self, i)

    def remove(self, item):
        """Removes the first equal item. Raises ValueError if there is none."""
        self._type  # noqa: B018 - raises
        operations.remove(self, item)

    def index(self, item, start=None, stop=None):
        """The index of the first equal item. Raises ValueError if there is none."""
        self._type  # noqa: B018 - raises
        if start is None and stop is None:
            return operations.get_index(self, item)
        places = range(*slice(start, stop).indices(len(self)))
        return places.start + operations.get_index(self[places.start : places.stop], item)

    def count(self, item):
        """The number of equal items."""
        return operations.count(self, item) if self._typed else 0

    def clear(self):
        """Removes all items."""
        if self._typed:
            operations.clear(self)

    def reverse(self):
        """Reverses the list in place."""
        if self._typed:
            operations.reverse(self)

    def copy(self):
        """A new list with the same items."""
        return self[:] if self._typed else List()

    def sort(self, key=None, reverse=False):
        """Sorts the list in place by ``<``. key: a jitted function whose results are compared instead."""
        self._type  # noqa: B018 - raises
        if callable(key) and not isinstance(key, (_heddle.HostFunctionBase, Dispatcher)):
            key = operations.njit(key)
        operations.sort(self, key, bool(reverse))

    __copy__ = copy

    def __str__(self):
        return "[" + ", ".join(str(item) for item in self) + "]"

    def __repr__(self):
        type = self._numba_type_.name if self._typed else "ListType[Undefined]"
        return f"{type}({self})"


MutableSequence.register(List)
