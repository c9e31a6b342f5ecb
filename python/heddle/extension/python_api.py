"""``c.pyapi``: calls of CPython functions in boxing and unboxing code, by their addresses in this process."""

import builtins
import ctypes

from llvmlite import ir

from heddle.codegen import cgutils
from heddle.errors import UnsupportedError

pyobj = ir.IntType(8).as_pointer()
_word, _int, _double = ir.IntType(64), ir.IntType(32), ir.DoubleType()

# numba's name -> (CPython function, result type, parameter types).
_functions = {
    "object_getattr": ("PyObject_GetAttr", pyobj, [pyobj, pyobj]),
    "object_getitem": ("PyObject_GetItem", pyobj, [pyobj, pyobj]),
    "object_str": ("PyObject_Str", pyobj, [pyobj]),
    "object_istrue": ("PyObject_IsTrue", _int, [pyobj]),
    "float_as_double": ("PyFloat_AsDouble", _double, [pyobj]),
    "float_from_double": ("PyFloat_FromDouble", pyobj, [_double]),
    "number_float": ("PyNumber_Float", pyobj, [pyobj]),
    "number_long": ("PyNumber_Long", pyobj, [pyobj]),
    "number_as_ssize_t": ("PyLong_AsSsize_t", _word, [pyobj]),
    "long_as_longlong": ("PyLong_AsLongLong", _word, [pyobj]),
    "long_as_ulonglong": ("PyLong_AsUnsignedLongLong", _word, [pyobj]),
    "long_as_voidptr": ("PyLong_AsVoidPtr", pyobj, [pyobj]),
    "long_from_longlong": ("PyLong_FromLongLong", pyobj, [_word]),
    "long_from_ulonglong": ("PyLong_FromUnsignedLongLong", pyobj, [_word]),
    "long_from_ssize_t": ("PyLong_FromSsize_t", pyobj, [_word]),
    "long_from_voidptr": ("PyLong_FromVoidPtr", pyobj, [pyobj]),
    "bool_from_long": ("PyBool_FromLong", pyobj, [_word]),
    "complex_from_doubles": ("PyComplex_FromDoubles", pyobj, [_double, _double]),
    "complex_real_as_double": ("PyComplex_RealAsDouble", _double, [pyobj]),
    "complex_imag_as_double": ("PyComplex_ImagAsDouble", _double, [pyobj]),
    "dict_new": ("PyDict_New", pyobj, []),
    "dict_getitem_string": ("PyDict_GetItemString", pyobj, [pyobj, pyobj]),
    "tuple_getitem": ("PyTuple_GetItem", pyobj, [pyobj, _word]),
    "tuple_new": ("PyTuple_New", pyobj, [_word]),
    "tuple_size": ("PyTuple_Size", _word, [pyobj]),
    "list_getitem": ("PyList_GetItem", pyobj, [pyobj, _word]),
    "list_size": ("PyList_Size", _word, [pyobj]),
    "call": ("PyObject_Call", pyobj, [pyobj, pyobj, pyobj]),
    "err_occurred": ("PyErr_Occurred", pyobj, []),
    "err_clear": ("PyErr_Clear", ir.VoidType(), []),
    "incref": ("Py_IncRef", ir.VoidType(), [pyobj]),
    "decref": ("Py_DecRef", ir.VoidType(), [pyobj]),
}

_kept = []  # objects whose addresses are in compiled code


class PythonApi:
    """Builds calls of CPython functions with a builder."""

    pyobj = pyobj
    py_ssize_t = longlong = ulonglong = _word
    long = _word
    double = _double

    def __init__(self, builder, values):
        """values: an object with the methods box and unbox."""
        self.builder, self._values = builder, values

    def __getattr__(self, name):
        if name not in _functions:
            raise UnsupportedError(
                f"c.pyapi.{name} belongs to numba's compiler\n"
                f"  hint: available are {', '.join(sorted(_functions))}, object_getattr_string, call_method, "
                "to_native_value, from_native_value and call_function_objargs; a constant object is "
                "c.pyapi.unserialize(c.pyapi.serialize_object(x))"
            )
        symbol, result, parameters = _functions[name]
        return lambda *args: self._emit_call(symbol, result, parameters, args)

    def _emit_call(self, symbol, result, parameters, args):
        given = [
            self._emit_conversion(value, wanted)
            for value, wanted in zip(args, parameters, strict=True)
        ]
        address = ctypes.cast(getattr(ctypes.pythonapi, symbol), ctypes.c_void_p).value
        function = ir.FunctionType(result, parameters).as_pointer()
        return self.builder.call(self.builder.inttoptr(_word(address), function), given)

    def _emit_conversion(self, value, wanted):
        if isinstance(value, int):
            return wanted(value)
        if isinstance(wanted, ir.IntType) and value.type != wanted:
            return self.builder.zext(value, wanted)
        if isinstance(wanted, ir.PointerType) and value.type != wanted:
            return self.builder.bitcast(value, wanted)
        return value

    def to_native_value(self, typ, obj):
        return self._values.unbox(typ, obj)

    def from_native_value(self, typ, val, env_manager=None):
        return self._values.box(typ, val)

    def get_null_object(self):
        return pyobj(None)

    def make_none(self):
        return self.constant(None)

    get_none = borrow_none = make_none

    def bool_from_bool(self, value):
        return self._emit_call("PyBool_FromLong", pyobj, [_word], [value])

    def constant(self, value):
        """A new reference to an object of this process."""
        _kept.append(value)
        made = self.builder.inttoptr(_word(id(value)), pyobj)
        self.incref(made)
        return made

    def serialize_object(self, value):
        return value

    def unserialize(self, value):
        return self.constant(value)

    def string_from_constant_string(self, string):
        return self.constant(string)

    def _emit_text_constant(self, text):
        data = cgutils.make_bytearray(text.encode() + b"\0")
        return self.builder.bitcast(
            cgutils.global_constant(self.builder.module, ".text", data), pyobj
        )

    def object_getattr_string(self, value, attr):
        return self._emit_call(
            "PyObject_GetAttrString", pyobj, [pyobj] * 2, [value, self._emit_text_constant(attr)]
        )

    def object_setattr_string(self, value, attr, new):
        args = [value, self._emit_text_constant(attr), new]
        return self._emit_call("PyObject_SetAttrString", _int, [pyobj] * 3, args)

    def call_function_objargs(self, callee, args):
        """Calls an object with arguments. Returns a new reference."""
        packed = self.tuple_pack(args)
        result = self.call(callee, packed, pyobj(None))
        self.decref(packed)
        return result

    def call_method(self, callee, method, args=()):
        function = self.object_getattr_string(callee, method)
        result = self.call_function_objargs(function, args)
        self.decref(function)
        return result

    def tuple_pack(self, items):
        """A new tuple of objects, which keep their references."""
        made = self.tuple_new(len(items))
        for i, item in enumerate(items):
            self.incref(item)
            self._emit_call("PyTuple_SetItem", _int, [pyobj, _word, pyobj], [made, i, item])
        return made

    def dict_pack(self, items):
        """A new dict from pairs of a name and an object."""
        made = self.dict_new()
        for name, value in items:
            args = [made, self._emit_text_constant(name), value]
            self._emit_call("PyDict_SetItemString", _int, [pyobj] * 3, args)
        return made

    def err_set_string(self, exception, message):
        kind = self.constant(
            getattr(builtins, exception.removeprefix("PyExc_"))
            if isinstance(exception, str)
            else exception
        )
        text = self._emit_text_constant(message) if isinstance(message, str) else message
        self._emit_call("PyErr_SetString", ir.VoidType(), [pyobj] * 2, [kind, text])
