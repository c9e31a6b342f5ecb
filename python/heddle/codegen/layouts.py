"""numba's value layouts in LLVM, and conversions from and to the parts that Heddle passes.

type              value                                                        in memory, if different
bool              i1                                                           i8
complex           {T, T}
UniTuple, Tuple   [n x T], {T, U}
array             {meminfo, parent, nitems, itemsize, data, shape, strides}
record, pointer   a pointer
user-defined      {T, U}, the fields of its model; for a PrimitiveModel, its only field
None, and values that only exist at compile time    a null pointer
"""

import re

import numpy as np
from llvmlite import ir

from heddle import _heddle, types
from heddle.errors import LoweringError
from heddle.types import as_dtype, from_dtype, own_types

pointer = ir.IntType(8).as_pointer()
word = ir.IntType(64)

_numbers = {"float": ir.FloatType(), "double": ir.DoubleType(), "half": ir.HalfType()}
ARRAY_FIELDS = ("meminfo", "parent", "nitems", "itemsize", "data", "shape", "strides")


def value_type(a_type):
    """The LLVM type of a type's values."""
    if isinstance(a_type, types.Array):
        extents = ir.ArrayType(word, a_type.ndim)
        data = data_type(a_type.dtype).as_pointer()
        return ir.LiteralStructType([pointer, pointer, word, word, data, extents, extents])
    if isinstance(a_type, types.UniTuple):
        return ir.ArrayType(value_type(a_type.dtype), len(a_type))
    if isinstance(a_type, types.BaseTuple):
        return ir.LiteralStructType([value_type(element) for element in a_type])
    if own_types.is_user_defined(a_type):
        return _get_user_value_type(a_type)
    parts = part_types(a_type)
    if isinstance(a_type, types.Complex):
        return ir.LiteralStructType(parts)
    if isinstance(a_type, types.CPointer):
        return _get_pointee_type(a_type).as_pointer()
    if not parts or isinstance(parts[0], ir.PointerType):
        return pointer
    return parts[0]


def data_type(a_type):
    """The LLVM type of a type's values in memory."""
    if isinstance(a_type, types.Record):
        return ir.ArrayType(ir.IntType(8), as_dtype(a_type).itemsize)
    if isinstance(a_type, types.Boolean):
        return ir.IntType(8)
    if isinstance(a_type, types.UniTuple):
        return ir.ArrayType(data_type(a_type.dtype), len(a_type))
    if isinstance(a_type, types.BaseTuple):
        return ir.LiteralStructType([data_type(element) for element in a_type])
    return value_type(a_type)


def _get_user_value_type(a_type):
    model = own_types.get_model(a_type)
    fields = [value_type(field) for _, field in model.members]
    if not fields:
        return pointer
    return fields[0] if hasattr(model, "be_type") else ir.LiteralStructType(fields)


def part_types(a_type):
    """The LLVM types of the parts that Heddle passes for a value of a type."""
    return [_parse_part_type(name) for name in _heddle.parts_of(types.unliteral(a_type))]


def build_from_parts(builder, a_type, parts):
    """Builds a value from its parts. parts: an iterator, which is advanced past them."""
    if isinstance(a_type, types.Array):
        return _build_array(builder, a_type, parts)
    whole = value_type(a_type)
    if isinstance(a_type, types.BaseTuple):
        return _build_aggregate(
            builder, whole, [build_from_parts(builder, t, parts) for t in a_type]
        )
    if own_types.is_user_defined(a_type):
        return _build_user_value(builder, a_type, whole, parts)
    own = [next(parts) for _ in part_types(a_type)]
    if isinstance(a_type, types.Complex):
        return _build_aggregate(builder, whole, own)
    if not own or len(own) > 1:  # known at compile time, or opaque to generated code
        return ir.Constant(whole, None)
    return (
        _cast_to_generic_pointer(builder, own[0], whole)
        if isinstance(whole, ir.PointerType)
        else own[0]
    )


def split_into_parts(builder, a_type, value):
    """Splits a value into the parts that Heddle passes."""
    wanted = part_types(a_type)
    if not wanted:
        return []
    if value.type != value_type(a_type) and not isinstance(value.type, ir.PointerType):
        raise LoweringError(
            f"the code of an intrinsic made a value of LLVM type {value.type}, but its signature says {a_type}, "
            f"which is {value_type(a_type)}"
        )
    if isinstance(a_type, types.Array):
        data, shape, strides = (builder.extract_value(value, i) for i in (4, 5, 6))
        extents = [
            builder.extract_value(array, i)
            for array in (shape, strides)
            for i in range(a_type.ndim)
        ]
        return [_cast_to_part_type(builder, data, wanted[0]), *extents]
    if isinstance(a_type, types.BaseTuple):
        elements = [builder.extract_value(value, i) for i in range(len(a_type))]
        return [
            p
            for t, v in zip(a_type, elements, strict=True)
            for p in split_into_parts(builder, t, v)
        ]
    if isinstance(a_type, types.Complex):
        return [builder.extract_value(value, i) for i in range(2)]
    if own_types.is_user_defined(a_type):
        return _split_user_value(builder, a_type, value)
    if len(wanted) > 1:
        raise LoweringError(f"the code of an intrinsic cannot make values of type {a_type}")
    return [_cast_to_part_type(builder, value, wanted[0])]


def _build_user_value(builder, a_type, whole, parts):
    model = own_types.get_model(a_type)
    fields = [build_from_parts(builder, field, parts) for _, field in model.members]
    if not fields:
        return ir.Constant(whole, None)
    return fields[0] if hasattr(model, "be_type") else _build_aggregate(builder, whole, fields)


def _split_user_value(builder, a_type, value):
    model = own_types.get_model(a_type)
    if hasattr(model, "be_type"):
        return split_into_parts(builder, model.members[0][1], value)
    fields = [builder.extract_value(value, i) for i in range(len(model.members))]
    pairs = zip(model.members, fields, strict=True)
    return [part for (_, field), v in pairs for part in split_into_parts(builder, field, v)]


def get_element_size(a_type):
    """The size in bytes of an array element of this type."""
    return as_dtype(a_type).itemsize


def get_underlying_number_type(a_type):
    """The number type that represents a scalar: that of an enum or time; other types are returned unchanged."""
    if isinstance(a_type, types.EnumMember):
        return a_type.dtype
    if isinstance(a_type, (types.NPDatetime, types.NPTimedelta)):
        return from_dtype(np.dtype(np.int64))
    return a_type


def _get_pointee_type(a_type):
    element = a_type.dtype
    return ir.IntType(8) if element is None or element == types.none else data_type(element)


def _parse_part_type(name):
    if name in _numbers:
        return _numbers[name]
    if name.startswith("ptr"):
        space = re.search(r"\d+", name)
        return ir.PointerType(addrspace=int(space.group()) if space else 0)
    if re.fullmatch(r"i\d+", name):
        return ir.IntType(int(name[1:]))
    raise LoweringError(f"llvmlite has no type {name}, which this intrinsic's arguments need")


def _build_array(builder, a_type, parts):
    data, *extents = [next(parts) for _ in part_types(a_type)]
    shape, strides = extents[: a_type.ndim], extents[a_type.ndim :]
    count = ir.Constant(word, 1)
    for extent in shape:
        count = builder.mul(count, extent)
    whole = value_type(a_type)
    fields = [
        ir.Constant(pointer, None),
        ir.Constant(pointer, None),
        count,
        ir.Constant(word, get_element_size(a_type.dtype)),
        _cast_to_generic_pointer(builder, data, whole.elements[4]),
        _build_aggregate(builder, whole.elements[5], shape),
        _build_aggregate(builder, whole.elements[6], strides),
    ]
    return _build_aggregate(builder, whole, fields)


def _build_aggregate(builder, whole, values):
    made = ir.Constant(whole, ir.Undefined)
    for i, value in enumerate(values):
        made = builder.insert_value(made, value, i)
    return made


def _cast_to_generic_pointer(builder, value, wanted):
    if value.type.addrspace:
        return builder.addrspacecast(value, wanted)
    return value if value.type == wanted else builder.bitcast(value, wanted)


def _cast_to_part_type(builder, value, wanted):
    if not isinstance(wanted, ir.PointerType) or value.type == wanted:
        return value
    if value.type.addrspace != wanted.addrspace:
        return builder.addrspacecast(value, wanted)
    return builder.bitcast(value, wanted)
