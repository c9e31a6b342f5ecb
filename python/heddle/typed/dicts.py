"""numba.typed.Dict."""

import functools
from collections.abc import Mapping, MutableMapping

from heddle import _heddle, config, types
from heddle.typed import operations


@functools.cache
def _make_constructor(dict_type):
    """A function that makes an empty dict of this type."""
    key_type, value_type = dict_type.key_type, dict_type.value_type
    return operations.njit(lambda: Dict.empty(key_type, value_type))


class Dict(_heddle.SharedContainer):
    """A dict with one key type and one value type, which host functions take by reference.

    The first entry determines the types; ``Dict.empty(key_type, value_type)`` sets them from the start.
    """

    __slots__ = ()
    __heddle_row__ = "typed.Dict"
    __hash__ = None

    def __new__(cls, *args):
        if config.DISABLE_JIT:  # functions run in Python and take Python dicts
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
        """An empty dict with these types. n_keys: ignored, because a dict grows as needed."""
        return (
            {} if config.DISABLE_JIT else _make_constructor(types.DictType(key_type, value_type))()
        )

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
        return operations.get_length(self) if self._typed else 0

    def __getitem__(self, key):
        if not self._typed:
            raise KeyError(key)
        return operations.get_item(self, key)

    def __setitem__(self, key, value):
        if not self._typed:
            key_type, value_type = types.typeof(key), types.typeof(value)
            self._become(Dict.empty(key_type, value_type))
        operations.set_item(self, key, value)

    def __delitem__(self, key):
        if not self._typed:
            raise KeyError(key)
        operations.delete(self, key)

    def __contains__(self, key):
        return self._typed and operations.contains(self, key)

    def __iter__(self):
        return iter(operations.list_keys(self) if self._typed else [])

    def __eq__(self, other):
        if not isinstance(other, Mapping):
            return NotImplemented
        return dict(self.items()) == dict(other.items())

    keys, values, items = Mapping.keys, Mapping.values, Mapping.items
    get, update = Mapping.get, MutableMapping.update

    _missing = object()

    def pop(self, key, default=_missing):
        """Removes a key and returns its value, or the default. Raises KeyError if neither exists."""
        if key in self:
            return operations.pop(self, key)
        if default is Dict._missing:
            raise KeyError(key)
        return default

    def popitem(self):
        """Removes the last key and returns it with its value. Raises KeyError if the dict is empty."""
        if not len(self):
            raise KeyError("dictionary is empty")
        return operations.pop_item(self)

    def setdefault(self, key, default=None):
        """Returns the value of a key, after setting it to ``default`` if the key is missing."""
        if not self._typed:
            self[key] = default
        return operations.set_default(self, key, default)

    def clear(self):
        """Removes all keys."""
        if self._typed:
            operations.clear(self)

    def copy(self):
        """A new dict with the same keys and values."""
        return operations.copy(self) if self._typed else Dict()

    __copy__ = copy
    __reversed__ = None  # as in numba

    def __str__(self):
        return "{" + ", ".join(f"{key}: {value}" for key, value in self.items()) + "}"

    def __repr__(self):
        return f"{self._numba_type_ and self._numba_type_.name}({self})"


MutableMapping.register(Dict)
