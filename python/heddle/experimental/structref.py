"""numba.experimental.structref: structures that Python and compiled functions share.

A structure's class of types is generic: each structure has the types of the values that it was made of.
"""

import functools
import inspect
import itertools
import linecache

from heddle import _heddle
from heddle.compiler.host_jit import njit
from heddle.errors import TypingError
from heddle.experimental.classes import new
from heddle.types import StructRef

__all__ = [
    "StructRefProxy",
    "define_attributes",
    "define_boxing",
    "define_constructor",
    "define_proxy",
    "new",
    "register",
]

_numbers = itertools.count(1)


class StructRefProxy(_heddle.SharedContainer):
    """What a structure is to Python: a subclass, given to ``define_proxy``, says what its attributes are there."""

    __slots__ = ()

    def __new__(cls, *args):
        make = getattr(cls, "_make", None)
        if make is None:
            raise TypeError(f"{cls.__name__} has no fields yet: call structref.define_proxy")
        return make(*args)

    def __init__(self, *args, **kwargs):
        pass  # __new__ has made it of a structure of compiled code

    @property
    def _type(self):
        """The type of the structure."""
        return self._numba_type_


def register(struct_type):
    """Let compiled code use structures of the class of types ``struct_type``, a subclass of types.StructRef."""
    if not (inspect.isclass(struct_type) and StructRef in struct_type.__mro__[1:]):
        raise TypeError(
            f"structref.register takes a subclass of types.StructRef, not {struct_type!r}"
        )
    return struct_type


def define_attributes(struct_typeclass):
    """Nothing is left to do: functions read and assign the fields of every structure."""


def define_boxing(struct_type, obj_class):
    """Make ``obj_class``, a subclass of StructRefProxy, what Python gets for such structures."""
    if struct_type is StructRef:
        raise ValueError(f"cannot register {StructRef}")
    if not (inspect.isclass(obj_class) and issubclass(obj_class, StructRefProxy)):
        raise TypeError("obj_class must be a subclass of StructRefProxy")
    struct_type._class_of_values().__heddle_proxy__ = obj_class


def define_constructor(py_class, struct_typeclass, fields):
    """Let ``py_class(...)``, with a value for each name of ``fields``, make a structure in compiled code."""
    fields = list(fields)
    _heddle.overloads[py_class] = _Constructor(py_class.__name__, struct_typeclass, fields)
    names = ", ".join(fields)
    make = f"def {py_class.__name__}({names}):\n    return _class({names})\n"
    py_class._make = staticmethod(_compiled(make, py_class.__name__, {"_class": py_class}))


def define_proxy(py_class, struct_typeclass, fields):
    """Make ``py_class``, a subclass of StructRefProxy, the class of structures of ``struct_typeclass``.

    fields: the names of the fields, in the order of the constructor's parameters. Their types are those of its
        arguments.
    """
    define_boxing(struct_typeclass, py_class)
    define_constructor(py_class, struct_typeclass, fields)


class _Constructor:
    """What the compiler asks for the function that makes a structure of arguments of some types."""

    def __init__(self, name, struct_typeclass, fields):
        self._name, self._typeclass, self._fields = name, struct_typeclass, fields
        empty = inspect.Parameter.POSITIONAL_OR_KEYWORD
        self._signature = inspect.Signature([inspect.Parameter(f, empty) for f in fields])

    def choose(self, arguments, named, target):
        try:
            given = self._signature.bind(*arguments, **named).arguments
        except TypeError as error:
            raise TypingError(f"{self._name}({', '.join(self._fields)}): {error}") from None
        return self._function(self._typeclass(given.items()))

    @functools.cache  # noqa: B019 - a constructor lives as long as its class
    def _function(self, struct_type):
        assigned = "".join(f"    _new_one.{name} = {name}\n" for name in self._fields)
        text = (
            f"def {self._name}({', '.join(self._fields)}):\n    _new_one = _new(_type)\n"
            f"{assigned}    return _new_one\n"
        )
        return _compiled(text, self._name, {"_new": new, "_type": struct_type})


def _compiled(text, name, names):
    """The function that a text defines, which the compiler finds as a file of its own."""
    file = f"<structref {name} {next(_numbers)}>"
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    names["__name__"] = __name__
    exec(compile(text, file, "exec"), names)
    return njit(names[name])
