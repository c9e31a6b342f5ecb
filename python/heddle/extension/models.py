"""numba.extending.models: the data models of user-defined types."""

import inspect

from heddle import _heddle, types
from heddle.extension.overloads import overload_attribute
from heddle.support.missing_names import make_missing_name_error as _missing_name
from heddle.types import own_types

__all__ = [
    "DataModel",
    "OpaqueModel",
    "PrimitiveModel",
    "StructModel",
    "make_attribute_wrapper",
    "register_default",
    "register_model",
]

# LLVM type in llvmlite's notation -> the type of the only field of a PrimitiveModel.
_llvm_fields = {
    "i1": types.boolean,
    "i8": types.int8,
    "i16": types.int16,
    "i32": types.int32,
    "i64": types.int64,
    "half": types.float16,
    "float": types.float32,
    "double": types.float64,
}


class DataModel:
    """The representation of values of ``fe_type``. members: pairs of a field's name and type."""

    members = ()

    def __init__(self, dmm, fe_type):
        self._dmm, self._fe_type = dmm, fe_type

    @property
    def fe_type(self):
        return self._fe_type


class StructModel(DataModel):
    """A value with fields. members: pairs of a name and a type, in order; code accesses them with
    create_struct_proxy."""

    def __init__(self, dmm, fe_type, members):
        super().__init__(dmm, fe_type)
        self.members = [(name, types.unliteral(member)) for name, member in members]

    @property
    def field_count(self):
        return len(self.members)

    def get_field_position(self, field):
        return [name for name, _ in self.members].index(field)


class PrimitiveModel(DataModel):
    """A value that is a single LLVM value. ``be_type``: an llvmlite integer, float or pointer type."""

    def __init__(self, dmm, fe_type, be_type):
        super().__init__(dmm, fe_type)
        self.be_type = be_type
        field = types.voidptr if str(be_type).endswith("*") else _llvm_fields.get(str(be_type))
        if field is None:
            raise TypeError(f"a PrimitiveModel has an LLVM number or pointer, not {be_type}")
        self.members = [("value", field)]


class OpaqueModel(DataModel):
    """A value without data: only its type matters."""


def register_model(fe_type_cls):
    """Decorates the class of models for types of the class ``fe_type_cls``: ``@register_model(IntervalType)``.

    The class is called with (None, type) when a value of the type is first needed.
    Same as numba.extending.register_model (numba 0.68, extending), for classes derived from types.Type.
    """
    if not (inspect.isclass(fe_type_cls) and issubclass(fe_type_cls, _heddle.Type)):
        raise TypeError(
            f"register_model takes a class derived from types.Type, not {fe_type_cls!r}"
        )

    def store_model(model):
        own_types.models[fe_type_cls] = model
        return model

    return store_model


register_default = register_model


def make_attribute_wrapper(typeclass, struct_attr, python_attr):
    """Gives values of a class of types the attribute ``python_attr``, which reads the field ``struct_attr``.

    Same as numba.extending.make_attribute_wrapper (numba 0.68, extending).
    """
    if not (inspect.isclass(typeclass) and issubclass(typeclass, _heddle.Type)):
        raise TypeError(f"typeclass should be a Type subclass, got {typeclass!r}")
    field = f".{struct_attr}"

    @overload_attribute(typeclass, python_attr)
    def choose_field_getter(value):
        return lambda value: getattr(value, field)


def __getattr__(name):
    raise _missing_name("heddle.extending.models", name)
