"""Maps objects and classes to types: ``typeof_impl`` and ``as_numba_type`` of numba.extending."""

import functools
import typing
from types import UnionType

from heddle import _heddle, types
from heddle.errors import TypingError
from heddle.support.missing_names import make_missing_name_error as _missing_name
from heddle.types import own_types


class TypeOf:
    """``typeof_impl``: returns the type of an object. ``register`` adds a class of objects.

    @typeof_impl.register(Interval)
    def typeof_interval(val, c):
        return interval_type
    """

    def __init__(self):
        self._known = functools.singledispatch(lambda value, context: None)

    def __call__(self, value, context=None):
        found = self._known(value, context)
        return types.typeof(value) if found is None else found

    def register(self, cls, function=None):
        if function is None:
            return lambda function: self.register(cls, function)
        self._known.register(cls, function)
        _heddle.classes_with_types[cls] = _read_registered_fields
        return function

    def find_registered_type(self, value):
        """The type that a user's function returns; None if there is none."""
        return self._known(value, Context)


class Context:
    """The context argument of a user's typeof_impl function: the object is an argument."""

    purpose = 1


def _read_registered_fields(value):
    """The fields of an object whose class has a registered type. None if the type is built-in: the compiler then reads
    the object as usual for that type."""
    from heddle.extension.boxing import unbox_to_fields  # late: needs llvmlite

    a_type = typeof_impl.find_registered_type(value)
    if a_type is None:
        raise TypingError(f"cannot determine Numba type of {type(value)}")
    if not own_types.is_user_defined(a_type):
        return None
    return unbox_to_fields(a_type, value)


# The types for generic classes, such as list[int].
_generic = {
    list: lambda item: types.ListType(item),
    dict: lambda key, value: types.DictType(key, value),
    set: lambda item: types.Set(item),
    tuple: lambda *items: types.Tuple(items),
}


class AsNumbaType:
    """``as_numba_type``: the type for a class or an annotation (``list[int]``, ``Optional[float]``). ``register`` adds
    a class."""

    def __init__(self):
        self._known = {
            int: types.int64,
            float: types.float64,
            complex: types.complex128,
            bool: types.boolean,
            str: types.unicode_type,
            type(None): types.none,
        }

    def __call__(self, py_type):
        if isinstance(py_type, _heddle.Type):
            return py_type
        if py_type in self._known:
            return self._known[py_type]
        if hasattr(py_type, "__heddle_members__"):  # a class of jitclass
            return py_type.class_type.instance_type
        origin, parts = typing.get_origin(py_type), typing.get_args(py_type)
        if origin in (typing.Union, UnionType):
            return self._make_optional_type(py_type, parts)
        if origin not in _generic:
            raise TypingError(f"Cannot infer numba type of python type {py_type}")
        return _generic[origin](*map(self, parts))

    def _make_optional_type(self, py_type, parts):
        values = [part for part in parts if part is not type(None)]
        if len(values) != 1:
            raise TypingError(f"Cannot type Union that is not an Optional ({py_type})")
        return types.Optional(self(values[0]))

    def register(self, py_type, numba_type):
        if not isinstance(numba_type, _heddle.Type):
            raise TypeError(f"as_numba_type.register takes a class and a type, not {numba_type!r}")
        self._known[py_type] = numba_type


typeof_impl, as_numba_type = TypeOf(), AsNumbaType()
own_types.hooks.type_of = typeof_impl.find_registered_type


def __getattr__(name):
    raise _missing_name("heddle.core.typing.asnumbatype", name)
