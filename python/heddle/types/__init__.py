"""The types of kernel arguments, under every name that numba gives them.

A type is a value of ``heddle._heddle.Type``: ``float32[:, ::1]`` is the type of a C-contiguous array of rank 2,
``float32(x)`` casts a Python number, ``void(float32[:], int32)`` is a signature.

scalars     numbers, and the sets that numba makes of them
kinds       classes of types, for isinstance
composites  arrays, tuples, records, pointers, enumerations, dates
literals    types of values that are known while compiling
structures  what classes of types of structref are derived from
own_types   subclasses of Type: types of a program's own
dtypes      NumPy's dtypes as types, and back
"""
# ruff: noqa: F401 - the imports are what this module offers

import copyreg

import numpy as np

from heddle import _heddle
from heddle._heddle import Signature, Type
from heddle.types import kinds as _kinds
from heddle.types import own_types as _own_types
from heddle.types import scalars as _scalars
from heddle.types.composites import (
    Array,
    BaseNamedTuple,
    ByteArray,
    Bytes,
    CharSeq,
    CPointer,
    DeferredType,
    DictType,
    EnumMember,
    IntEnumMember,
    List,
    ListType,
    MemoryView,
    NamedTuple,
    NamedUniTuple,
    NPDatetime,
    NPTimedelta,
    Optional,
    RangeType,
    Record,
    RecordField,
    Set,
    StarArgTuple,
    StarArgUniTuple,
    Tuple,
    UnicodeCharSeq,
    UniTuple,
    voidptr,
)
from heddle.types.dtypes import NestedArray, as_dtype, from_dtype
from heddle.types.literals import (
    BooleanLiteral,
    DType,
    DTypeSpec,
    IntegerLiteral,
    Literal,
    NumberClass,
    StringLiteral,
    TypeRef,
    UnicodeType,
    literal,
    maybe_literal,
    string,
    unicode_type,
    unliteral,
)
from heddle.types.scalars import type_names
from heddle.types.structures import StructRef

# Types are pickled as calls of the extension's functions, which are pickled by their names.
copyreg.pickle(type(_heddle.typeof), lambda function: function.__name__)

optional, deferred_type = Optional, DeferredType

globals().update(_kinds.kinds)
globals().update(
    {name: value for name, value in vars(_scalars).items() if not name.startswith("_")}
)

# numba's module of this name has the classes of scalar types.
for _name in (
    *("Boolean", "BooleanLiteral", "Complex", "EnumMember", "Float", "IntEnumMember", "Integer"),
    *("IntegerLiteral", "NPDatetime", "NPTimedelta", "Number"),
):
    setattr(_scalars, _name, globals()[_name])

__all__ = [
    *type_names,
    "Array",
    "CPointer",
    "CharSeq",
    "DictType",
    "EnumMember",
    "IntEnumMember",
    "List",
    "ListType",
    "NPDatetime",
    "NPTimedelta",
    "NamedTuple",
    "NamedUniTuple",
    "NestedArray",
    "Record",
    "Signature",
    "StructRef",
    "Tuple",
    "Type",
    "StarArgTuple",
    "StarArgUniTuple",
    "UniTuple",
    "UnicodeCharSeq",
    "as_dtype",
    "deferred_type",
    "from_dtype",
    "optional",
    "signature",
    "voidptr",
]


def typeof(value):
    """The type that a function of the host sees when ``value`` is its argument; a kernel sees the same of what it
    takes, but for strings, which are constants of it. Raises TypeError when it cannot be one."""
    if isinstance(value, (list, set)) and value:
        of = List if isinstance(value, list) else Set
        return of(typeof(next(iter(value))))
    if isinstance(value, bytes):
        return Bytes(from_dtype(np.uint8), 1, "C")
    if isinstance(value, (bytearray, memoryview)):
        value = np.asarray(memoryview(value))
    if isinstance(value, (_heddle.HostFunctionBase, _heddle.CFunctionBase)):
        return _heddle.known_type(value)
    own = _own_types.hooks.type_of(value)
    return _heddle.typeof(value) if own is None else own


def signature(return_type, *args, recvr=None):
    """A signature from the type that a function returns and the types of its arguments.

    recvr: the type of a method's object, which the arguments leave out; the method knows it.
    """
    return Signature(unliteral(return_type), list(map(unliteral, args)))


def is_homogeneous(*types):
    """Whether the types are all the same one."""
    return len(set(types)) <= 1


def __getattr__(name):
    if name == "bool":  # defined here, it would hide the builtin from this file
        return _scalars.boolean
    from heddle.compat.numba_modules import submodule_or_refuse  # late: few ask for it

    return submodule_or_refuse("numba.core.types", name, "heddle.types")
