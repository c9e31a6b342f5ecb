"""numba.core.cgutils: helpers for code generation with llvmlite's builder."""

import contextlib
import functools

from llvmlite import ir

from heddle.codegen.structures import create_struct_proxy
from heddle.support.missing_names import make_missing_name_error as _missing_name

__all__ = [
    "add_global_variable",
    "alloca_once",
    "alloca_once_value",
    "as_bool_bit",
    "as_bool_byte",
    "bool_t",
    "create_struct_proxy",
    "early_exit_if",
    "early_exit_if_null",
    "false_bit",
    "false_byte",
    "for_range",
    "gep",
    "gep_inbounds",
    "get_item_pointer",
    "get_item_pointer2",
    "get_null_value",
    "get_or_insert_function",
    "global_constant",
    "if_likely",
    "if_unlikely",
    "if_zero",
    "ifnot",
    "increment_index",
    "int8_t",
    "int32_t",
    "intp_t",
    "is_false",
    "is_neg_int",
    "is_not_null",
    "is_null",
    "is_scalar_zero",
    "is_true",
    "loop_nest",
    "make_bytearray",
    "memcpy",
    "memset",
    "pack_array",
    "pack_struct",
    "pointer_add",
    "raw_memcpy",
    "sizeof",
    "true_bit",
    "true_byte",
    "unpack_tuple",
    "voidptr_t",
]

bool_t, int8_t, int32_t, intp_t = ir.IntType(1), ir.IntType(8), ir.IntType(32), ir.IntType(64)
voidptr_t = int8_t.as_pointer()
true_bit, false_bit = bool_t(1), bool_t(0)
true_byte, false_byte = int8_t(1), int8_t(0)


def get_null_value(ltype):
    return ltype(None)


def as_bool_byte(builder, value):
    return builder.zext(value, int8_t)


def as_bool_bit(builder, value):
    return builder.icmp_unsigned("!=", value, value.type(0))


def alloca_once(builder, ty, size=None, name="", zfill=False):
    """Allocates memory for a value of an LLVM type in the function's entry block. zfill: zeroes it."""
    if isinstance(size, int):
        size = intp_t(size)
    with builder.goto_entry_block():
        place = builder.alloca(ty, size=size, name=name)
    if zfill:
        builder.store(ty(None), place)
    return place


def alloca_once_value(builder, value, name="", zfill=False):
    place = alloca_once(builder, value.type, name=name)
    builder.store(value, place)
    return place


def gep(builder, ptr, *inds, inbounds=False, name=""):
    indices = [int32_t(i) if isinstance(i, int) else i for i in inds]
    return builder.gep(ptr, indices, inbounds=inbounds, name=name)


gep_inbounds = functools.partial(gep, inbounds=True)


def pointer_add(builder, ptr, offset, return_type=None):
    """A pointer ``offset`` bytes further."""
    offset = intp_t(offset) if isinstance(offset, int) else offset
    moved = builder.gep(builder.bitcast(ptr, voidptr_t), [offset])
    return builder.bitcast(moved, return_type or ptr.type)


def pack_array(builder, values, ty=None):
    whole = ir.ArrayType(values[0].type if ty is None else ty, len(values))
    return _build_aggregate(builder, whole, values)


def pack_struct(builder, values):
    return _build_aggregate(builder, ir.LiteralStructType([value.type for value in values]), values)


def _build_aggregate(builder, whole, values):
    made = whole(ir.Undefined)
    for i, value in enumerate(values):
        made = builder.insert_value(made, value, i)
    return made


def unpack_tuple(builder, tup, count=None):
    count = len(tup.type.elements) if count is None else count
    return [builder.extract_value(tup, i) for i in range(count)]


def get_item_pointer(context, builder, aryty, ary, inds, wraparound=False, boundscheck=False):
    """The address of an element. ary: a proxy of the array."""
    shape, strides = (
        unpack_tuple(builder, field, aryty.ndim) for field in (ary.shape, ary.strides)
    )
    return get_item_pointer2(
        context, builder, ary.data, shape, strides, aryty.layout, inds, wraparound, boundscheck
    )


def get_item_pointer2(
    context, builder, data, shape, strides, layout, inds, wraparound=False, boundscheck=False
):
    offset = intp_t(0)
    for index, extent, stride in zip(inds, shape, strides, strict=True):
        if wraparound:
            below = builder.icmp_signed("<", index, index.type(0))
            index = builder.select(below, builder.add(index, extent), index)
        offset = builder.add(offset, builder.mul(index, stride))
    return pointer_add(builder, data, offset)


def increment_index(builder, val):
    return builder.add(val, val.type(1), flags=["nsw"])


class Loop:
    """A loop under construction. index: the iteration's index. do_break: leaves the loop."""

    def __init__(self, index, do_break):
        self.index, self.do_break = index, do_break


@contextlib.contextmanager
def for_range(builder, count, start=None, intp=None):
    """Context manager: code built inside runs for each index from ``start`` (default 0) to before ``count``."""
    index_type = count.type if intp is None else intp
    start = index_type(0) if start is None else start
    before = builder.basic_block
    head, body, after = (
        builder.append_basic_block(f"for.{name}") for name in ("head", "body", "end")
    )
    builder.branch(head)
    builder.position_at_end(head)
    index = builder.phi(index_type, name="loop.index")
    index.add_incoming(start, before)
    builder.cbranch(builder.icmp_signed("<", index, count), body, after)
    builder.position_at_end(body)
    yield Loop(index, lambda: builder.branch(after))
    if not builder.block.is_terminated:
        index.add_incoming(increment_index(builder, index), builder.basic_block)
        builder.branch(head)
    builder.position_at_end(after)


@contextlib.contextmanager
def loop_nest(builder, shape, intp, order="C"):
    """Context manager: code built inside runs for each tuple of indices below ``shape``. Yields the indices."""
    axes = range(len(shape)) if order == "C" else reversed(range(len(shape)))
    indices = [None] * len(shape)
    with contextlib.ExitStack() as loops:
        for axis in axes:
            indices[axis] = loops.enter_context(for_range(builder, shape[axis], intp=intp)).index
        yield tuple(indices)


def if_likely(builder, pred):
    return builder.if_then(pred, likely=True)


def if_unlikely(builder, pred):
    return builder.if_then(pred, likely=False)


def ifnot(builder, pred):
    return builder.if_then(builder.not_(pred))


@contextlib.contextmanager
def early_exit_if(builder, stack, cond):
    """Context manager: code built inside runs if ``cond`` holds; else the code after it, until ``stack`` closes."""
    then, otherwise = stack.enter_context(builder.if_else(cond, likely=False))
    with then:
        yield
    stack.enter_context(otherwise)


def early_exit_if_null(builder, stack, obj):
    """Like ``early_exit_if``, for a null pointer."""
    return early_exit_if(builder, stack, is_null(builder, obj))


def if_zero(builder, value, likely=False):
    return builder.if_then(is_scalar_zero(builder, value), likely=likely)


def is_scalar_zero(builder, value):
    zero = value.type(0)
    if isinstance(value.type, (ir.FloatType, ir.DoubleType, ir.HalfType)):
        return builder.fcmp_unordered("==", value, zero)
    return builder.icmp_signed("==", value, zero)


def is_true(builder, value):
    return builder.not_(is_scalar_zero(builder, value))


is_false = is_scalar_zero


def is_null(builder, val):
    return builder.icmp_unsigned("==", val, val.type(None))


def is_not_null(builder, val):
    return builder.icmp_unsigned("!=", val, val.type(None))


def is_neg_int(builder, val):
    return builder.icmp_signed("<", val, val.type(0))


def sizeof(builder, ptr_type):
    """The size in bytes of a pointer type's pointee, as an LLVM value."""
    end = builder.gep(ptr_type(None), [int32_t(1)])
    return builder.ptrtoint(end, intp_t)


def raw_memcpy(builder, dst, src, count, itemsize, align=1):
    """Copies ``count`` items of ``itemsize`` bytes."""
    size = itemsize if isinstance(itemsize, ir.Value) else count.type(itemsize)
    declared = builder.module.declare_intrinsic("llvm.memcpy", [voidptr_t, voidptr_t, count.type])
    places = [builder.bitcast(place, voidptr_t) for place in (dst, src)]
    builder.call(declared, [*places, builder.mul(count, size), bool_t(0)])


def memcpy(builder, dst, src, count):
    """Copies ``count`` values of the type that ``src`` points to."""
    size = (
        builder.trunc(sizeof(builder, src.type), count.type)
        if count.type.width < 64
        else sizeof(builder, src.type)
    )
    raw_memcpy(builder, dst, src, count, size)


def memset(builder, ptr, size, value):
    declared = builder.module.declare_intrinsic("llvm.memset", [voidptr_t, size.type])
    value = int8_t(value) if isinstance(value, int) else value
    builder.call(declared, [builder.bitcast(ptr, voidptr_t), value, size, bool_t(0)])


def make_bytearray(buf):
    """A constant array of bytes."""
    return ir.Constant(ir.ArrayType(int8_t, len(buf)), bytearray(buf))


def add_global_variable(module, ty, name, addrspace=0):
    return ir.GlobalVariable(module, ty, module.get_unique_name(name), addrspace)


def global_constant(builder_or_module, name, value, linkage="internal"):
    """Defines a constant global variable with this value."""
    module = builder_or_module
    if not isinstance(module, ir.Module):
        module = module.module
    variable = add_global_variable(module, value.type, name)
    variable.linkage, variable.global_constant, variable.initializer = linkage, True, value
    return variable


def get_or_insert_function(module, fnty, name):
    known = module.globals.get(name)
    return ir.Function(module, fnty, name) if known is None else known


def __getattr__(name):
    raise _missing_name("heddle.codegen.cgutils", name)
