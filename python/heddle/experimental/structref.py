"""numba.experimental.structref: structures that Python and compiled functions share.

A structure class is generic: each of its types has the types of the values that a structure was created from.
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
    """The Python view of a structure. Subclasses, passed to ``define_proxy``, define its attributes."""

    __slots__ = ()

    def __new__(cls, *args):
        make = getattr(cls, "_make", None)
        if make is None:
            raise TypeError(f"{cls.__name__} has no fields yet: call structref.define_proxy")
        return make(*args)

    def __init__(self, *args, **kwargs):
        pass  # __new__ has initialized it from a compiled structure

    @property
    def _type(self):
        """The type of the structure."""
        return self._numba_type_


def register(struct_type):
    """Lets compiled code use structures of the class of types ``struct_type``, a subclass of types.StructRef."""
    if not (inspect.isclass(struct_type) and StructRef in struct_type.__mro__[1:]):
        raise TypeError(
            f"structref.register takes a subclass of types.StructRef, not {struct_type!r}"
        )
    return struct_type


def define_attributes(struct_typeclass):
    """Does nothing: functions can access the fields of every structure."""


def define_boxing(struct_type, obj_class):
    """Makes ``obj_class``, a subclass of StructRefProxy, the Python view of these structures."""
    if struct_type is StructRef:
        raise ValueError(f"cannot register {StructRef}")
    if not (inspect.isclass(obj_class) and issubclass(obj_class, StructRefProxy)):
        raise TypeError("obj_class must be a subclass of StructRefProxy")
    struct_type._get_instance_class().__heddle_proxy__ = obj_class


def define_constructor(py_class, struct_typeclass, fields):
    """Makes ``py_class(...)`` in compiled code create a structure from a value for each of ``fields``."""
    fields = list(fields)
    _heddle.overloads[py_class] = _Constructor(py_class.__name__, struct_typeclass, fields)
    names = ", ".join(fields)
    make = f"def {py_class.__name__}({names}):\n    return _class({names})\n"
    py_class._make = staticmethod(_compile_source(make, py_class.__name__, {"_class": py_class}))


def define_proxy(py_class, struct_typeclass, fields):
    """Makes ``py_class``, a subclass of StructRefProxy, the class of structures of ``struct_typeclass``.

    fields: the names of the fields, in the order of the constructor's parameters. The types of its arguments are the
        types of the fields.
    """
    define_boxing(struct_typeclass, py_class)
    define_constructor(py_class, struct_typeclass, fields)


class _Constructor:
    """The constructor of a structure. The compiler calls ``choose_implementation`` with the argument types."""

    def __init__(self, name, struct_typeclass, fields):
        self._name, self._typeclass, self._fields = name, struct_typeclass, fields
        empty = inspect.Parameter.POSITIONAL_OR_KEYWORD
        self._signature = inspect.Signature([inspect.Parameter(f, empty) for f in fields])

    def choose_implementation(self, arguments, named, target):
        try:
            given = self._signature.bind(*arguments, **named).arguments
        except TypeError as error:
            raise TypingError(f"{self._name}({', '.join(self._fields)}): {error}") from None
        return self._compile_constructor(self._typeclass(given.items()))

    @functools.cache  # noqa: B019 - a constructor lives as long as its class
    def _compile_constructor(self, struct_type):
        assigned = "".join(f"    _new_one.{name} = {name}\n" for name in self._fields)
        text = (
            f"def {self._name}({', '.join(self._fields)}):\n    _new_one = _new(_type)\n"
            f"{assigned}    return _new_one\n"
        )
        return _compile_source(text, self._name, {"_new": new, "_type": struct_type})


def _compile_source(text, name, names):
    """Compiles the function in a source text that has its own file name, so that the compiler finds it."""
    file = f"<structref {name} {next(_numbers)}>"
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    names["__name__"] = __name__
    exec(compile(text, file, "exec"), names)
    return njit(names[name])
