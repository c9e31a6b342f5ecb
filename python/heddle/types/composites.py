"""Types that are made of others: arrays, tuples, records, pointers, enumerations, dates.

Each name is a class for ``isinstance`` and, called, makes a type.
"""

import collections as _collections
import operator as _operator

import numpy as _np

from heddle import _heddle
from heddle.errors import ConstantError
from heddle.types.dtypes import as_dtype, from_dtype
from heddle.types.kinds import FunctionType, KindOfTypes
from heddle.types.scalars import void

_highest_rank = 64  # NumPy's
_longest_tuple = 1000  # every element is a parameter of the kernel, and a GPU takes 4 KiB of those


def _of_type(type):
    """``type`` itself. Raises TypeError when it is no type of values."""
    type = getattr(type, "type_being_made", type)  # of structures that refer to themselves
    if not isinstance(type, _heddle.Type):
        raise TypeError(
            f"a type such as numba.types.float32 is needed here, not {type!r}\n"
            "  hint: numba.from_dtype(dtype) and numba.typeof(value) give types"
        )
    return type


def _of_element(type):
    """The type of an element of a tuple, which may be a function."""
    return type.literal_type if isinstance(type, FunctionType) else _of_type(type)


class Array(metaclass=KindOfTypes):
    """The types of arrays; ``Array(dtype, ndim, layout)`` is one.

    dtype: a scalar type. ndim: its rank, 0 or more. layout: "C", "F", or "A" for any strides.
    readonly: kernels may not write to it. name, aligned: taken as numba takes them, and mean nothing.
    Raises ConstantError for another layout, ValueError for a negative rank.
    """

    _kinds = ("array",)

    def __new__(cls, dtype, ndim, layout, readonly=False, name=None, aligned=True):
        if layout not in ("C", "F", "A"):
            raise ConstantError(f"the layout of an array type is 'C', 'F' or 'A', not {layout!r}")
        rank = _operator.index(ndim)
        if not 0 <= rank <= _highest_rank:
            raise ValueError(f"the rank of an array type is 0 to {_highest_rank}, not {ndim}")
        return _heddle.array_type(_of_type(dtype), rank, layout, bool(readonly))


class ByteArray(metaclass=KindOfTypes):
    """What functions of the host see of a ``bytearray``: an array of uint8, which ``ByteArray(uint8, 1, "C")`` is."""

    _kinds = ()

    def __new__(cls, dtype, ndim, layout, readonly=False, name=None, aligned=True):
        return Array(dtype, ndim, layout, readonly)


class MemoryView(ByteArray):
    """As ByteArray, of a ``memoryview``."""


class Bytes(ByteArray):
    """As ByteArray, of ``bytes``, which nothing writes to."""

    _kinds = ("array",)

    def __new__(cls, dtype, ndim, layout, readonly=True, name=None, aligned=True):
        if layout not in ("C", "F", "A"):
            raise ConstantError(f"the layout of an array type is 'C', 'F' or 'A', not {layout!r}")
        return _heddle.array_type(_of_type(dtype), ndim, layout, bool(readonly), of_bytes=True)

    @classmethod
    def _includes(cls, type):
        return type.kind == "array" and str(type).startswith("readonly bytes(")


class Optional(metaclass=KindOfTypes):
    """None or a value of another type; ``Optional(type)`` is one, for signatures of device functions.

    Raises TypeError for a type that no variable has beside None.
    """

    _kinds = ("optional",)

    def __new__(cls, type):
        return _heddle.optional_type(_of_type(type))


class DeferredType(metaclass=KindOfTypes):
    """The type of instances of a class that is defined later, for attributes of a jitclass that refers to itself.

        node = deferred_type()

        @jitclass([("value", int64), ("next", optional(node))])
        class Node: ...

        node.define(Node.class_type.instance_type)

    Same as numba.deferred_type (numba 0.68), for types of instances.
    """

    _kinds = ("instance",)

    def __new__(cls):
        return _heddle.deferred_type()


class RangeType(metaclass=KindOfTypes):
    """What ``range()`` returns; ``RangeType(dtype)`` counts in int32, int64 or uint64."""

    _kinds = ("range",)

    def __new__(cls, dtype):
        return _heddle.range_type(_of_type(dtype))


class UniTuple(metaclass=KindOfTypes):
    """The types of tuples of one type; ``UniTuple(dtype, count)`` is that of ``count`` values of type ``dtype``."""

    _kinds = ("tuple",)

    def __new__(cls, dtype, count):
        if not 0 <= count <= _longest_tuple:
            raise ValueError(f"a tuple type has 0 to {_longest_tuple} elements, not {count}")
        return _heddle.tuple_type([_of_element(dtype)] * count)

    @classmethod
    def _includes(cls, type):
        return type.kind == "tuple" and type.dtype is not None


class Tuple(metaclass=KindOfTypes):
    """The types of tuples of different types; ``Tuple(types)`` is one, of any types."""

    _kinds = ("tuple",)

    def __new__(cls, types):
        return _heddle.tuple_type([_of_element(type) for type in types])

    @classmethod
    def _includes(cls, type):
        return type.kind == "tuple" and type.dtype is None


class StarArgTuple(metaclass=KindOfTypes):
    """What ``*args`` collects; ``StarArgTuple(types)`` is the tuple of these types."""

    _kinds = ("tuple",)

    def __new__(cls, types):
        return Tuple(types)


class StarArgUniTuple(metaclass=KindOfTypes):
    """What ``*args`` collects, of one type; ``StarArgUniTuple(dtype, count)`` is the tuple of as many."""

    _kinds = ("tuple",)

    def __new__(cls, dtype, count):
        return UniTuple(dtype, count)


class BaseNamedTuple(metaclass=KindOfTypes):
    """The types of named tuples."""

    _kinds = ("tuple",)

    @classmethod
    def _includes(cls, type):
        return type.kind == "tuple" and type.instance_class is not None


class NamedTuple(BaseNamedTuple):
    """The types of named tuples: ``NamedTuple(types, tuple_class)``, the class whose fields have the given types."""

    def __new__(cls, types, tuple_class):
        return _heddle.named_tuple_type(tuple_class, [_of_type(type) for type in types])


class NamedUniTuple(BaseNamedTuple):
    """``NamedUniTuple(dtype, count, tuple_class)``: named tuples whose ``count`` fields all have the type ``dtype``."""

    def __new__(cls, dtype, count, tuple_class):
        return NamedTuple([dtype] * count, tuple_class)

    @classmethod
    def _includes(cls, type):
        return super()._includes(type) and type.dtype is not None


class ListType(metaclass=KindOfTypes):
    """The types of ``numba.typed.List``; ``ListType(item_type)`` is one."""

    _kinds = ("list",)

    def __new__(cls, itemty):
        return _heddle.list_type(_of_type(itemty))

    @classmethod
    def _includes(cls, type):
        return type.kind == "list" and type.is_typed


class List(metaclass=KindOfTypes):
    """The types of Python's lists in functions of the host; ``List(dtype)`` is one."""

    _kinds = ("list",)

    def __new__(cls, dtype, reflected=False):
        return _heddle.python_list_type(_of_type(dtype))

    @classmethod
    def _includes(cls, type):
        return type.kind == "list" and not type.is_typed


class Set(metaclass=KindOfTypes):
    """The types of Python's sets in functions of the host; ``Set(dtype)`` is one."""

    _kinds = ("set",)

    def __new__(cls, dtype, reflected=False):
        return _heddle.python_set_type(_of_type(dtype))


class DictType(metaclass=KindOfTypes):
    """The types of ``numba.typed.Dict``; ``DictType(key_type, value_type)`` is one."""

    _kinds = ("dict",)

    def __new__(cls, keyty, valty):
        return _heddle.dict_type(_of_type(keyty), _of_type(valty))

    @classmethod
    def _includes(cls, type):
        return type.kind == "dict" and type.is_typed


class EnumMember(metaclass=KindOfTypes):
    """The type of a member of an enumeration, ``EnumMember(enumeration)``; what its values are is known."""

    _kinds = ("enumeration",)

    def __new__(cls, instance_class, dtype=None):
        return _heddle.enum_type(instance_class)


class IntEnumMember(EnumMember):
    """The type of a member of an IntEnum: an integer."""

    _kinds = ("integer enumeration",)


class CPointer(metaclass=KindOfTypes):
    """The type of an address of values of type ``dtype``, for signatures: the argument is the address as an int."""

    _kinds = ("pointer",)

    def __new__(cls, dtype, addrspace=None):
        return _heddle.pointer_type(_of_type(dtype))


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
    """Types of records."""

    _kinds = ("record",)

    def __new__(cls, fields, size, aligned):
        """The record of ``fields``: pairs of a name and a dict with type and offset. size: bytes in all.

        aligned: taken as numba takes it; where a field may stand, its offset says.
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
        """The record that a C compiler makes of ``fields``: pairs of a name and a type, in order."""
        return from_dtype(_np.dtype([(name, as_dtype(type)) for name, type in fields], align=True))
