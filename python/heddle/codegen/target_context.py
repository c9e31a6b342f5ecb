"""The target's services for an intrinsic's code: LLVM types, constants, conversions, arrays and tuples."""

from llvmlite import ir

from heddle import types
from heddle.codegen import cgutils, layouts
from heddle.codegen.internal_calls import InternalCall
from heddle.codegen.structures import create_struct_proxy
from heddle.errors import LoweringError, UnsupportedError

_float_types = (ir.HalfType, ir.FloatType, ir.DoubleType)


class TargetContext:
    """The first argument of a code generator. target: "cuda" or "cpu"."""

    enable_boundscheck = False
    enable_debuginfo = False

    def __init__(self, target):
        self.target = target

    def get_value_type(self, ty):
        """The LLVM type of a type's values."""
        return layouts.value_type(ty)

    get_argument_type = get_return_type = get_value_type

    def get_data_type(self, ty):
        """The LLVM type of a type's values in memory."""
        return layouts.data_type(ty)

    def get_constant(self, ty, val):
        """A number, bool or null pointer as a constant of a type."""
        if isinstance(ty, types.Complex):
            return self.get_constant_generic(None, ty, val)
        whole = layouts.value_type(ty)
        return ir.Constant(whole, float(val) if isinstance(whole, _float_types) else val)

    def get_constant_generic(self, builder, ty, val):
        """Like ``get_constant``, but also for complex numbers and tuples."""
        whole = layouts.value_type(ty)
        if isinstance(ty, types.Complex):
            part = ty.underlying_float
            return ir.Constant(whole, [self.get_constant(part, x) for x in (val.real, val.imag)])
        if isinstance(ty, types.BaseTuple):
            elements = zip(ty, val, strict=True)
            return ir.Constant(
                whole, [self.get_constant_generic(builder, t, v) for t, v in elements]
            )
        return self.get_constant(ty, val)

    def get_constant_null(self, ty):
        return ir.Constant(layouts.value_type(ty), None)

    def get_constant_undef(self, ty):
        return ir.Constant(layouts.value_type(ty), ir.Undefined)

    def get_dummy_value(self):
        """The value of None."""
        return ir.Constant(layouts.pointer, None)

    def insert_const_string(self, mod, string):
        """A pointer to the bytes of a string, zero-terminated."""
        data = cgutils.make_bytearray(string.encode() + b"\0")
        return cgutils.global_constant(mod, ".str", data).bitcast(layouts.pointer)

    def get_abi_sizeof(self, ty):
        """The size of an LLVM type in bytes."""
        if isinstance(ty, ir.IntType):
            return -(-ty.width // 8)
        if isinstance(ty, ir.PointerType):
            return 8
        if isinstance(ty, _float_types):
            return {"half": 2, "float": 4, "double": 8}[str(ty)]
        if isinstance(ty, ir.ArrayType):
            return ty.count * self.get_abi_sizeof(ty.element)
        size = 0
        for element in ty.elements:
            size = -(-size // self.get_abi_alignment(element)) * self.get_abi_alignment(element)
            size += self.get_abi_sizeof(element)
        most = self.get_abi_alignment(ty)
        return -(-size // most) * most

    def get_abi_alignment(self, ty):
        if isinstance(ty, ir.ArrayType):
            return self.get_abi_alignment(ty.element)
        if isinstance(ty, ir.LiteralStructType):
            return max(map(self.get_abi_alignment, ty.elements), default=1)
        return self.get_abi_sizeof(ty)

    def make_array(self, typ):
        """The proxy class of an array type, with its fields by name."""
        return create_struct_proxy(typ)

    def make_complex(self, builder, ty, value=None):
        return create_struct_proxy(ty)(self, builder, value)

    def make_helper(self, builder, typ, value=None, ref=None):
        return create_struct_proxy(typ)(self, builder, value, ref)

    def make_tuple(self, builder, typ, values):
        made = self.get_constant_undef(typ)
        for i, value in enumerate(values):
            made = builder.insert_value(made, value, i)
        return made

    def unpack_value(self, builder, ty, ptr):
        """Loads a value from memory."""
        value = builder.load(builder.bitcast(ptr, layouts.data_type(ty).as_pointer()))
        return cgutils.as_bool_bit(builder, value) if isinstance(ty, types.Boolean) else value

    def pack_value(self, builder, ty, value, ptr, align=None):
        """Stores a value to memory."""
        value = self.get_value_as_data(builder, ty, value)
        builder.store(value, builder.bitcast(ptr, value.type.as_pointer()), align=align)

    def get_value_as_data(self, builder, ty, val):
        """Converts a value to its memory representation."""
        return cgutils.as_bool_byte(builder, val) if isinstance(ty, types.Boolean) else val

    def add_dynamic_addr(self, builder, intaddr, info):
        return builder.inttoptr(ir.Constant(layouts.word, intaddr), layouts.pointer)

    def cast(self, builder, val, fromty, toty):
        """Converts a number to another type by C's rules."""
        fromty, toty = (
            layouts.get_underlying_number_type(types.unliteral(ty)) for ty in (fromty, toty)
        )
        if fromty == toty:
            return val
        if isinstance(toty, types.Complex):
            part = fromty.underlying_float if isinstance(fromty, types.Complex) else fromty
            values = (
                cgutils.unpack_tuple(builder, val)
                if isinstance(fromty, types.Complex)
                else [val, self.get_constant(fromty, 0)]
            )
            return self.make_tuple_like(
                builder, toty, [self.cast(builder, v, part, toty.underlying_float) for v in values]
            )
        if isinstance(toty, types.BaseTuple):
            pairs = zip(cgutils.unpack_tuple(builder, val), fromty, toty, strict=True)
            return self.make_tuple(
                builder, toty, [self.cast(builder, v, f, t) for v, f, t in pairs]
            )
        if layouts.value_type(fromty) == layouts.value_type(toty):
            return val
        if isinstance(val.type, ir.PointerType):
            return builder.bitcast(val, layouts.value_type(toty))
        return _convert_number(builder, val, fromty, toty)

    make_tuple_like = make_tuple

    def compile_internal(self, builder, impl, sig, args, locals=None):
        """Calls a Python function with the code's arguments. The code must return the result."""
        return InternalCall(impl, args)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        raise UnsupportedError(
            f"context.{name} belongs to numba's compiler\n  hint: build the code with llvmlite's builder and "
            "numba.core.cgutils"
        )


def _convert_number(builder, val, fromty, toty):
    wanted = layouts.value_type(toty)
    from_float, to_float = (isinstance(t, _float_types) for t in (val.type, wanted))
    signed = isinstance(fromty, types.Integer) and fromty.signed
    if not all(isinstance(t, (ir.IntType, *_float_types)) for t in (val.type, wanted)):
        raise LoweringError(
            f"there is no conversion from {fromty} to {toty} in an intrinsic's code"
        )
    if isinstance(toty, types.Boolean):
        return cgutils.is_true(builder, val)
    if from_float and to_float:
        order = [str(t) for t in (ir.HalfType(), ir.FloatType(), ir.DoubleType())]
        wider = order.index(str(wanted)) > order.index(str(val.type))
        return (builder.fpext if wider else builder.fptrunc)(val, wanted)
    if from_float:
        return (builder.fptosi if toty.signed else builder.fptoui)(val, wanted)
    if to_float:
        return (builder.sitofp if signed else builder.uitofp)(val, wanted)
    if wanted.width < val.type.width:
        return builder.trunc(val, wanted)
    return (builder.sext if signed else builder.zext)(val, wanted)
