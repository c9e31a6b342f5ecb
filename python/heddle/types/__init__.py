"""The types of kernel arguments, under all of numba's names.

A type is an instance of ``heddle._heddle.Type``: ``float32[:, ::1]`` is the type of a C-contiguous array of rank 2,
``float32(x)`` casts a Python number, ``void(float32[:], int32)`` is a signature.

scalars     number types, and numba's sets of them
kinds       classes of types, for isinstance
composites  arrays, tuples, records, pointers, enumerations, dates
literals    types of compile-time constants
structures  the base of structref type classes
own_types   subclasses of Type: user-defined types
dtypes      converts NumPy dtypes to types, and back

>>> types.float32[:, ::1]
array(float32, 2d, C)
"""
# ruff: noqa: F401 - the imports are the exports of this module

import copyreg

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

# Pickle the extension's functions by name, because types are pickled as calls of them.
copyreg.pickle(type(_heddle.typeof), lambda function: function.__name__)

optional, deferred_type = Optional, DeferredType

globals().update(_kinds.kinds)
globals().update(
    {name: value for name, value in vars(_scalars).items() if not name.startswith("_")}
)

# In numba, the module of this name has the classes of scalar types.
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
    """The type of ``value`` as an argument of a host function. Kernels use the same types, except that strings are
    constants. Raises TypeError if the value has no type.

    >>> heddle.typeof(np.ones(3))
    array(float64, 1d, C)
    """
    if isinstance(value, (list, set)) and value:
        of = List if isinstance(value, list) else Set
        return of(typeof(next(iter(value))))
    own = _own_types.hooks.type_of(value)
    return _heddle.typeof(value) if own is None else own


def signature(return_type, *args, recvr=None):
    """Makes a Signature from the return type and the argument types.

    recvr: the type of a method's object, which is not among the arguments. It is ignored.
    """
    return Signature(unliteral(return_type), list(map(unliteral, args)))


def is_homogeneous(*types):
    """True if all types are the same."""
    return len(set(types)) <= 1


def __getattr__(name):
    if name == "bool":  # defining it here would hide the builtin in this file
        return _scalars.boolean
    from heddle.support.numba_modules import import_submodule_or_raise  # late: few ask for it

    return import_submodule_or_raise("numba.core.types", name, "heddle.types")
