"""numba.typed.Dict."""

import functools
from collections.abc import Mapping, MutableMapping

from heddle import _heddle, config, types
from heddle.typed import operations


@functools.cache
def _maker(dict_type):
    """The function that makes an empty dict of that type."""
    key_type, value_type = dict_type.key_type, dict_type.value_type
    return operations.njit(lambda: Dict.empty(key_type, value_type))


class Dict(_heddle.SharedContainer):
    """A dict of keys of one type and values of one type, which functions of the host get by reference.

    The first entry says the types; ``Dict.empty(key_type, value_type)`` has them from the start.
    """

    __slots__ = ()
    __heddle_row__ = "typed.Dict"
    __hash__ = None

    def __new__(cls, *args):
        if config.DISABLE_JIT:  # functions are Python's, which take Python's dicts
            return dict(*args)
        return super().__new__(cls)

    def __init__(self, *args):
        super().__init__()
        if len(args) > 1:
            raise TypeError(f"Dict() expected at most 1 argument, got {len(args)}")
        if args:
            self.update(args[0])

    @classmethod
    def empty(cls, key_type, value_type, n_keys=0):
        """A dict of those types, empty. n_keys: for how many keys to make room; it grows anyway."""
        return {} if config.DISABLE_JIT else _maker(types.DictType(key_type, value_type))()

    def __class_getitem__(cls, item):
        return cls

    @property
    def _typed(self):
        return self._numba_type_ is not None

    @property
    def _dict_type(self):
        if self._numba_type_ is None:
            raise TypeError("invalid operation on untyped dictionary")
        return self._numba_type_

    def __len__(self):
        return operations.length(self) if self._typed else 0

    def __getitem__(self, key):
        if not self._typed:
            raise KeyError(key)
        return operations.item_at(self, key)

    def __setitem__(self, key, value):
        if not self._typed:
            key_type, value_type = operations.type_of_item(key), operations.type_of_item(value)
            self._become(Dict.empty(key_type, value_type))
        operations.put(self, key, value)

    def __delitem__(self, key):
        if not self._typed:
            raise KeyError(key)
        operations.delete(self, key)

    def __contains__(self, key):
        return self._typed and operations.contains(self, key)

    def __iter__(self):
        return iter(operations.keys_of(self) if self._typed else [])

    def __eq__(self, other):
        if not isinstance(other, Mapping):
            return NotImplemented
        return dict(self.items()) == dict(other.items())

    keys, values, items = Mapping.keys, Mapping.values, Mapping.items
    get, update = Mapping.get, MutableMapping.update

    _missing = object()

    def pop(self, key, default=_missing):
        """Takes a key and its value out; KeyError where it is not there and there is no default."""
        if key in self:
            return operations.pop(self, key)
        if default is Dict._missing:
            raise KeyError(key)
        return default

    def popitem(self):
        """Takes the last key and its value out. Raises KeyError where there is none."""
        if not len(self):
            raise KeyError("dictionary is empty")
        return operations.pop_item(self)

    def setdefault(self, key, default=None):
        """The value of a key, which is ``default`` from now on where it was not there."""
        if not self._typed:
            self[key] = default
        return operations.set_default(self, key, default)

    def clear(self):
        """Takes all keys out."""
        if self._typed:
            operations.clear(self)

    def copy(self):
        """Another dict of the same keys and values."""
        return operations.copy_of(self) if self._typed else Dict()

    __copy__ = copy
    __reversed__ = None  # as in numba

    def __str__(self):
        return "{" + ", ".join(f"{key}: {value}" for key, value in self.items()) + "}"

    def __repr__(self):
        return f"{self._numba_type_ and self._numba_type_.name}({self})"


MutableMapping.register(Dict)
