"""Composite types: arrays, tuples, records, pointers, enumerations, dates.

Each name is a class for ``isinstance``; calling it makes a type.
"""

import collections as _collections
import operator as _operator

import numpy as _np

from heddle import _heddle
from heddle.errors import ConstantError
from heddle.types.dtypes import as_dtype, from_dtype
from heddle.types.kinds import FunctionType, KindOfTypes
from heddle.types.scalars import void

_highest_rank = 64  # NumPy's limit
_longest_tuple = 1000  # every element is a kernel parameter, and GPUs limit parameters to 4 KiB


def _require_type(type):
    """Returns ``type``. Raises TypeError if it is not a type of values."""
    type = getattr(type, "type_being_made", type)  # for self-referential structures
    if not isinstance(type, _heddle.Type):
        raise TypeError(
            f"a type such as numba.types.float32 is needed here, not {type!r}\n"
            "  hint: numba.from_dtype(dtype) and numba.typeof(value) return types"
        )
    return type


def _to_element_type(type):
    """The type of a tuple element, which may be a function."""
    return type.literal_type if isinstance(type, FunctionType) else _require_type(type)


class Array(metaclass=KindOfTypes):
    """The class of array types. ``Array(dtype, ndim, layout)`` makes one.

    dtype: a scalar type. ndim: its rank, 0 or more. layout: "C", "F", or "A" for any strides.
    readonly: kernels may not write to it. name, aligned: ignored, as in numba.
    Raises ConstantError for another layout, ValueError for a negative rank.
    """

    _kinds = ("array",)

    def __new__(cls, dtype, ndim, layout, readonly=False, name=None, aligned=True):
        if layout not in ("C", "F", "A"):
            raise ConstantError(f"the layout of an array type is 'C', 'F' or 'A', not {layout!r}")
        rank = _operator.index(ndim)
        if not 0 <= rank <= _highest_rank:
            raise ValueError(f"the rank of an array type is 0 to {_highest_rank}, not {ndim}")
        return _heddle.array_type(_require_type(dtype), rank, layout, bool(readonly))


class ByteArray(metaclass=KindOfTypes):
    """The type of a ``bytearray`` in host functions. ``ByteArray(uint8, 1, "C")`` is an array of uint8."""

    _kinds = ()

    def __new__(cls, dtype, ndim, layout, readonly=False, name=None, aligned=True):
        return Array(dtype, ndim, layout, readonly)


class MemoryView(ByteArray):
    """As ByteArray, for a ``memoryview``."""


class Bytes(ByteArray):
    """As ByteArray, for ``bytes``, which are read-only."""

    _kinds = ("array",)

    def __new__(cls, dtype, ndim, layout, readonly=True, name=None, aligned=True):
        if layout not in ("C", "F", "A"):
            raise ConstantError(f"the layout of an array type is 'C', 'F' or 'A', not {layout!r}")
        return _heddle.array_type(_require_type(dtype), ndim, layout, bool(readonly), of_bytes=True)

    @classmethod
    def _includes_type(cls, type):
        return type.kind == "array" and str(type).startswith("readonly bytes(")


class Optional(metaclass=KindOfTypes):
    """The class of optional types: None or a value. ``Optional(type)`` makes one, for signatures of device functions.

    Raises TypeError for a type that cannot be optional.
    """

    _kinds = ("optional",)

    def __new__(cls, type):
        return _heddle.optional_type(_require_type(type))


class DeferredType(metaclass=KindOfTypes):
    """The instance type of a class that is defined later, for attributes of a jitclass that refers to itself.

        node = deferred_type()

        @jitclass([("value", int64), ("next", optional(node))])
        class Node: ...

        node.define(Node.class_type.instance_type)

    Same as numba.deferred_type (numba 0.68), for instance types.
    """

    _kinds = ("instance",)

    def __new__(cls):
        return _heddle.deferred_type()


class RangeType(metaclass=KindOfTypes):
    """The class of range types. ``RangeType(dtype)`` counts in int32, int64 or uint64."""

    _kinds = ("range",)

    def __new__(cls, dtype):
        return _heddle.range_type(_require_type(dtype))


class UniTuple(metaclass=KindOfTypes):
    """The class of homogeneous tuple types. ``UniTuple(dtype, count)`` has ``count`` elements of type ``dtype``."""

    _kinds = ("tuple",)

    def __new__(cls, dtype, count):
        if not 0 <= count <= _longest_tuple:
            raise ValueError(f"a tuple type has 0 to {_longest_tuple} elements, not {count}")
        return _heddle.tuple_type([_to_element_type(dtype)] * count)

    @classmethod
    def _includes_type(cls, type):
        return type.kind == "tuple" and type.dtype is not None


class Tuple(metaclass=KindOfTypes):
    """The class of heterogeneous tuple types. ``Tuple(types)`` makes a tuple type of any types."""

    _kinds = ("tuple",)

    def __new__(cls, types):
        return _heddle.tuple_type([_to_element_type(type) for type in types])

    @classmethod
    def _includes_type(cls, type):
        return type.kind == "tuple" and type.dtype is None


class StarArgTuple(metaclass=KindOfTypes):
    """The type of ``*args``. ``StarArgTuple(types)`` is the tuple of these types."""

    _kinds = ("tuple",)

    def __new__(cls, types):
        return Tuple(types)


class StarArgUniTuple(metaclass=KindOfTypes):
    """The type of homogeneous ``*args``. ``StarArgUniTuple(dtype, count)`` is the tuple of ``count`` elements."""

    _kinds = ("tuple",)

    def __new__(cls, dtype, count):
        return UniTuple(dtype, count)


class BaseNamedTuple(metaclass=KindOfTypes):
    """The class of named tuple types."""

    _kinds = ("tuple",)

    @classmethod
    def _includes_type(cls, type):
        return type.kind == "tuple" and type.instance_class is not None


class NamedTuple(BaseNamedTuple):
    """A named tuple type: ``NamedTuple(types, tuple_class)`` gives the fields of the class these types."""

    def __new__(cls, types, tuple_class):
        return _heddle.named_tuple_type(tuple_class, [_require_type(type) for type in types])


class NamedUniTuple(BaseNamedTuple):
    """``NamedUniTuple(dtype, count, tuple_class)``: a named tuple type with ``count`` fields of type ``dtype``."""

    def __new__(cls, dtype, count, tuple_class):
        return NamedTuple([dtype] * count, tuple_class)

    @classmethod
    def _includes_type(cls, type):
        return super()._includes_type(type) and type.dtype is not None


class ListType(metaclass=KindOfTypes):
    """The class of types of ``numba.typed.List``. ``ListType(item_type)`` makes one."""

    _kinds = ("list",)

    def __new__(cls, itemty):
        return _heddle.list_type(_require_type(itemty))

    @classmethod
    def _includes_type(cls, type):
        return type.kind == "list" and type.is_typed


class List(metaclass=KindOfTypes):
    """The class of types of Python lists in host functions. ``List(dtype)`` makes one."""

    _kinds = ("list",)

    def __new__(cls, dtype, reflected=False):
        return _heddle.python_list_type(_require_type(dtype))

    @classmethod
    def _includes_type(cls, type):
        return type.kind == "list" and not type.is_typed


class Set(metaclass=KindOfTypes):
    """The class of types of Python sets in host functions. ``Set(dtype)`` makes one."""

    _kinds = ("set",)

    def __new__(cls, dtype, reflected=False):
        return _heddle.python_set_type(_require_type(dtype))


class DictType(metaclass=KindOfTypes):
    """The class of types of ``numba.typed.Dict``. ``DictType(key_type, value_type)`` makes one."""

    _kinds = ("dict",)

    def __new__(cls, keyty, valty):
        return _heddle.dict_type(_require_type(keyty), _require_type(valty))

    @classmethod
    def _includes_type(cls, type):
        return type.kind == "dict" and type.is_typed


class EnumMember(metaclass=KindOfTypes):
    """The type of a member of an enumeration, ``EnumMember(enumeration)``. dtype: ignored."""

    _kinds = ("enumeration",)

    def __new__(cls, instance_class, dtype=None):
        return _heddle.enum_type(instance_class)


class IntEnumMember(EnumMember):
    """The type of a member of an IntEnum, an integer."""

    _kinds = ("integer enumeration",)


class CPointer(metaclass=KindOfTypes):
    """The type of a pointer to values of type ``dtype``, for signatures. The argument is an address as an int."""

    _kinds = ("pointer",)

    def __new__(cls, dtype, addrspace=None):
        return _heddle.pointer_type(_require_type(dtype))


voidptr = CPointer(void)


class NPDatetime(metaclass=KindOfTypes):
    """The type of ``numpy.datetime64`` in a unit such as "ns"."""

    _kinds = ("datetime",)

    def __new__(cls, unit):
        return _heddle.dtype_type(_np.dtype(f"M8[{unit}]" if unit else "M8"))


class NPTimedelta(metaclass=KindOfTypes):
    """The type of ``numpy.timedelta64`` in a unit such as "ns"."""

    _kinds = ("timedelta",)

    def __new__(cls, unit):
        return _heddle.dtype_type(_np.dtype(f"m8[{unit}]" if unit else "m8"))


class UnicodeCharSeq(metaclass=KindOfTypes):
    """The type of texts of at most ``count`` code points, NumPy's ``U``."""

    _kinds = ("unicode characters",)

    def __new__(cls, count):
        return from_dtype(f"U{count}")


class CharSeq(metaclass=KindOfTypes):
    """The type of texts of at most ``count`` bytes, NumPy's ``S``."""

    _kinds = ("characters",)

    def __new__(cls, count):
        return from_dtype(f"S{count}")


RecordField = _collections.namedtuple(
    "RecordField", "type offset alignment title", defaults=(None, None)
)


class Record(metaclass=KindOfTypes):
    """The class of record types."""

    _kinds = ("record",)

    def __new__(cls, fields, size, aligned):
        """A record type. fields: pairs of a name and a dict with type and offset. size: total bytes.

        aligned: ignored, as in numba, because the offsets determine the layout.
        """
        return from_dtype(
            _np.dtype(
                {
                    "names": [name for name, _ in fields],
                    "formats": [as_dtype(facts["type"]) for _, facts in fields],
                    "offsets": [facts["offset"] for _, facts in fields],
                    "itemsize": size,
                }
            )
        )

    @staticmethod
    def make_c_struct(fields):
        """The record type with a C compiler's layout. fields: pairs of a name and a type, in order."""
        return from_dtype(_np.dtype([(name, as_dtype(type)) for name, type in fields], align=True))
