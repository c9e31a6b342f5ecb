"""``box`` and ``unbox``: user code that converts objects to values of user-defined types, and back.

Heddle compiles such a function for C and calls it with the addresses of the object and of memory for the value: 16
bytes for each number. An array is passed as the address of the Python array.
"""

import ctypes
import functools
import inspect

import numpy as np
from llvmlite import ir

from heddle import _heddle, types
from heddle.codegen import cgutils, layouts
from heddle.codegen.intrinsics import intrinsic
from heddle.compiler.c_function import cfunc
from heddle.errors import TypingError, UnsupportedError
from heddle.extension.python_api import PythonApi, pyobj
from heddle.support.missing_names import make_missing_name_error as _missing_name
from heddle.types import own_types

_boxes, _unboxes = {}, {}  # class of types -> the program's function
_place = 16  # bytes


def unbox(typeclass):
    """Decorates ``f(typ, obj, c)``, which builds code that converts an object to a NativeValue.

    c: has builder, context, pyapi, and ``c.unbox(type, obj)`` for parts of the object.
    Same as numba.extending.unbox (numba 0.68, core/pythonapi), for user-defined types.
    """
    return functools.partial(_register_conversion, _unboxes, typeclass)


def box(typeclass):
    """Decorates ``f(typ, val, c)``, which builds code that converts a value to an object: see ``unbox``."""
    return functools.partial(_register_conversion, _boxes, typeclass)


def _register_conversion(known, typeclass, function):
    if not (inspect.isclass(typeclass) and issubclass(typeclass, _heddle.Type)):
        raise TypeError(f"{typeclass!r} is not a class derived from types.Type")
    known[typeclass] = function
    return function


class NativeValue:
    """A value converted from an object. is_error: an LLVM i1, 1 if the conversion failed."""

    def __init__(self, value, is_error=None, cleanup=None):
        self.value = value
        self.is_error = cgutils.false_bit if is_error is None else is_error
        self.cleanup = cleanup


def unbox_to_fields(a_type, value):
    """Converts a user's object to the tuple of its fields that the compiler takes."""
    values = own_types.get_fields_class(a_type)
    memory, leaves = _allocate_memory_for_leaves(a_type)
    if _compile_unboxer(a_type)(value, memory.ctypes.data):
        raise TypingError(f"unbox of {a_type} failed for {value!r}")
    read = iter([_read_leaf(memory, i, leaf) for i, leaf in enumerate(leaves)])
    return values(_nest_leaves(field, read) for _, field in values.__heddle_model__.members)


def box_from_fields(a_type, fields):
    """Creates the user's object for a value with these fields."""
    memory, leaves = _allocate_memory_for_leaves(a_type)
    flat = list(_flatten_to_leaves(a_type, fields))
    for i, (leaf, value) in enumerate(zip(leaves, flat, strict=True)):
        _write_leaf(memory, i, leaf, value)
    return _compile_boxer(a_type)(memory.ctypes.data)


class CodeForValues:
    """The argument ``c`` of a user's box or unbox function."""

    env_manager = None  # internal to numba; programs pass it on

    def __init__(self, context, builder):
        self.context, self.builder = context, builder
        self.pyapi = PythonApi(builder, self)

    def unbox(self, typ, obj):
        """Converts an object to a value of a type."""
        builder, api = self.builder, self.pyapi
        if own := _find_function_for_class(_unboxes, typ):
            return own(typ, obj, self)
        if isinstance(typ, types.Array):
            api.incref(obj)  # until _read_leaf takes it
            return NativeValue(_emit_array_with_parent(builder, typ, obj))
        if isinstance(typ, types.BaseTuple):
            items = [self.unbox(t, api.tuple_getitem(obj, i)) for i, t in enumerate(typ)]
            failed = functools.reduce(builder.or_, (i.is_error for i in items), cgutils.false_bit)
            value = self.context.make_tuple(builder, typ, [i.value for i in items])
            return NativeValue(value, failed)
        if isinstance(typ, types.Float):
            value = self._read_number(api.number_float, api.float_as_double, obj)
            value = self.context.cast(builder, value, types.float64, typ)
        elif isinstance(typ, types.Boolean):
            value = builder.icmp_signed("!=", api.object_istrue(obj), ir.IntType(32)(0))
        elif isinstance(typ, types.Integer):
            read = api.long_as_longlong if typ.signed else api.long_as_ulonglong
            value = self._read_number(api.number_long, read, obj)
            value = self.context.cast(builder, value, types.int64, typ)
        elif isinstance(typ, types.Complex):
            parts = [api.complex_real_as_double(obj), api.complex_imag_as_double(obj)]
            part = typ.underlying_float
            parts = [self.context.cast(builder, x, types.float64, part) for x in parts]
            value = self.context.make_tuple(builder, typ, parts)
        elif isinstance(typ, types.CPointer):
            value = builder.bitcast(api.long_as_voidptr(obj), layouts.value_type(typ))
        else:
            raise _make_no_conversion_error("unbox", typ)
        return NativeValue(value, cgutils.is_not_null(builder, api.err_occurred()))

    def _read_number(self, convert, read, obj):
        """The result of ``read`` for the converted number; 0 if the conversion failed and CPython has raised."""
        builder = self.builder
        with builder.if_else(cgutils.is_null(builder, obj), likely=False) as (missing, there):
            with missing:
                without = builder.block
            with there:
                number = convert(obj)
                value = read(number)
                self.pyapi.decref(number)
                last = builder.block
        found = builder.phi(value.type)
        found.add_incoming(value.type(0), without)
        found.add_incoming(value, last)
        return found

    def _to_named_tuple(self, typ, items):
        """Converts a tuple to a named tuple."""
        api = self.pyapi
        named_tuples = api.constant(typ.instance_class)
        made = api.call(named_tuples, items, api.get_null_object())
        api.decref(items)
        api.decref(named_tuples)
        return made

    def box(self, typ, val):
        """Converts a value to a Python object. Returns a new reference."""
        builder, api = self.builder, self.pyapi
        if own := _find_function_for_class(_boxes, typ):
            return own(typ, val, self)
        if isinstance(typ, types.Array):
            parent = builder.extract_value(val, layouts.ARRAY_FIELDS.index("parent"))
            api.incref(parent)
            return parent
        if isinstance(typ, types.BaseTuple):
            items = [self.box(t, builder.extract_value(val, i)) for i, t in enumerate(typ)]
            made = api.tuple_pack(items)
            for item in items:
                api.decref(item)
            return (
                self._to_named_tuple(typ, made) if isinstance(typ, types.BaseNamedTuple) else made
            )
        if isinstance(typ, types.Float):
            return api.float_from_double(self.context.cast(builder, val, typ, types.float64))
        if isinstance(typ, types.Boolean):
            return api.bool_from_bool(val)
        if isinstance(typ, types.Integer):
            make = api.long_from_longlong if typ.signed else api.long_from_ulonglong
            return make(self.context.cast(builder, val, typ, types.int64))
        if isinstance(typ, types.Complex):
            parts = [builder.extract_value(val, i) for i in range(2)]
            part = typ.underlying_float
            return api.complex_from_doubles(
                *(self.context.cast(builder, x, part, types.float64) for x in parts)
            )
        if isinstance(typ, types.CPointer):
            return api.long_from_voidptr(val)
        raise _make_no_conversion_error("box", typ)


def _make_no_conversion_error(what, typ):
    return UnsupportedError(
        f"c.{what} takes numbers, bools, arrays, addresses, tuples and user-defined types, not {typ}"
    )


def _emit_array_with_parent(builder, typ, obj):
    whole = ir.Constant(layouts.value_type(typ), None)
    return builder.insert_value(whole, obj, layouts.ARRAY_FIELDS.index("parent"))


@functools.cache
def _compile_unboxer(a_type):
    """A function of an object and the address of memory for the value. Returns True if the conversion failed."""
    build = _require_program_function(
        _unboxes, a_type, "cannot unbox", "pass its fields as arguments"
    )

    def emit_unboxing(context, builder, signature, args):
        code = CodeForValues(context, builder)
        made = build(a_type, builder.inttoptr(args[0], pyobj), code)
        places = _Places(builder, args[1])
        places.store(a_type, made.value)
        return builder.zext(made.is_error, ir.IntType(32))

    address = _compile_conversion_to_address(
        emit_unboxing, "unbox", a_type, types.int32(types.int64, types.int64)
    )
    return ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_void_p)(address)


@functools.cache
def _compile_boxer(a_type):
    """A function of the address of a value. It returns the user's object."""
    build = _require_program_function(_boxes, a_type, "cannot box", "return its fields")

    def emit_boxing(context, builder, signature, args):
        value = _Places(builder, args[0]).load(a_type)
        made = build(a_type, value, CodeForValues(context, builder))
        return builder.ptrtoint(made, ir.IntType(64))

    address = _compile_conversion_to_address(emit_boxing, "box", a_type, types.int64(types.int64))
    return ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p)(address)


def _require_program_function(known, a_type, what, instead):
    function = _find_function_for_class(known, a_type)
    if function is None:
        raise TypeError(
            f"{what} {a_type}: {type(a_type).__name__} has no function for it\n"
            f"  hint: @{what.split()[-1]}({type(a_type).__name__}) defines one; or {instead}"
        )
    return function


def _find_function_for_class(known, a_type):
    """The user's function for the type's class, or for its nearest base class that has one."""
    return next((known[c] for c in type(a_type).__mro__ if c in known), None)


def _compile_conversion_to_address(codegen, what, a_type, signature):
    @intrinsic
    def make_conversion(typingctx, *addresses):
        return signature, codegen

    make_conversion.__name__ = f"{what}.{a_type.name}"
    compiled = cfunc(signature)(
        (lambda address: make_conversion(address))
        if len(signature.args) == 1
        else (lambda first, second: make_conversion(first, second))
    )
    _kept.append(compiled)
    return compiled.address


_kept = []  # compiled functions that are called by address


class _Places:
    """Reads and writes the leaves of values in memory, in order."""

    def __init__(self, builder, address):
        self._builder, self._address, self._next = builder, address, 0

    def _emit_next_address(self, whole):
        address = self._builder.add(self._address, ir.IntType(64)(self._next * _place))
        self._next += 1
        return self._builder.inttoptr(address, whole.as_pointer())

    def store(self, a_type, value):
        builder, members = self._builder, _list_part_types(a_type)
        if members is not None:
            for i, member in enumerate(members):
                is_whole = _has_primitive_model(a_type)
                self.store(member, value if is_whole else builder.extract_value(value, i))
            return
        if isinstance(a_type, types.Array):
            value = builder.extract_value(value, layouts.ARRAY_FIELDS.index("parent"))
        if isinstance(a_type, types.Boolean):
            value = cgutils.as_bool_byte(builder, value)
        builder.store(value, self._emit_next_address(value.type))

    def load(self, a_type):
        builder, members = self._builder, _list_part_types(a_type)
        if members is not None:
            values = [self.load(member) for member in members]
            if _has_primitive_model(a_type):
                return values[0]
            whole = layouts.value_type(a_type)
            if isinstance(whole, ir.PointerType):
                return whole(None)
            return functools.reduce(
                lambda made, i: builder.insert_value(made, values[i], i),
                range(len(values)),
                whole(ir.Undefined),
            )
        if isinstance(a_type, types.Array):
            return _emit_array_with_parent(
                builder, a_type, builder.load(self._emit_next_address(pyobj))
            )
        value = builder.load(self._emit_next_address(layouts.data_type(a_type)))
        return cgutils.as_bool_bit(builder, value) if isinstance(a_type, types.Boolean) else value


def _has_primitive_model(a_type):
    return own_types.is_user_defined(a_type) and hasattr(own_types.get_model(a_type), "be_type")


def _list_part_types(a_type):
    """The types of a value's parts; None for a leaf."""
    if own_types.is_user_defined(a_type):
        return [member for _, member in own_types.get_model(a_type).members]
    return list(a_type) if isinstance(a_type, types.BaseTuple) else None


@functools.cache
def _list_leaf_types(a_type):
    members = _list_part_types(a_type)
    return [a_type] if members is None else [leaf for m in members for leaf in _list_leaf_types(m)]


def _allocate_memory_for_leaves(a_type):
    leaves = _list_leaf_types(a_type)
    return np.zeros(_place * max(len(leaves), 1), np.uint8), leaves


def _read_leaf(memory, i, leaf):
    if isinstance(leaf, types.Array):
        address = int(memory[i * _place :][:8].view(np.uint64)[0])
        if not address:
            raise UnsupportedError(
                f"unbox made a value of {leaf} that is not a Python array\n  hint: c.unbox converts an object to one"
            )
        array = ctypes.cast(ctypes.c_void_p(address), ctypes.py_object).value
        ctypes.pythonapi.Py_DecRef(ctypes.py_object(array))  # counted by c.unbox
        return array
    dtype = np.dtype(np.uint64) if isinstance(leaf, types.CPointer) else types.as_dtype(leaf)
    return memory[i * _place :][: dtype.itemsize].view(dtype)[0]


def _write_leaf(memory, i, leaf, value):
    if isinstance(leaf, types.Array):
        dtype, value = np.dtype(np.uint64), id(value)  # kept alive by the fields
    else:
        dtype = np.dtype(np.uint64) if isinstance(leaf, types.CPointer) else types.as_dtype(leaf)
    memory[i * _place :][: dtype.itemsize].view(dtype)[0] = value


def _nest_leaves(a_type, leaves):
    members = _list_part_types(a_type)
    if members is None:
        return next(leaves)
    made = [_nest_leaves(member, leaves) for member in members]
    return (
        own_types.get_fields_class(a_type)(made)
        if own_types.is_user_defined(a_type)
        else tuple(made)
    )


def _flatten_to_leaves(a_type, value):
    members = _list_part_types(a_type)
    if members is None:
        yield value
        return
    if own_types.is_user_defined(a_type) and not isinstance(value, own_types.Fields):
        value = unbox_to_fields(a_type, value)  # a nested object was boxed before
    for member, part in zip(members, value, strict=True):
        yield from _flatten_to_leaves(member, part)


own_types.hooks.make_object = box_from_fields


def __getattr__(name):
    raise _missing_name("heddle.core.pythonapi", name)
