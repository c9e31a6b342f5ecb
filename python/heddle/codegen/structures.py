"""Values of several fields under the fields' names, as numba's proxies of structures are."""

from llvmlite import ir

from heddle import types
from heddle.codegen import layouts
from heddle.errors import LoweringError

_fields = {}  # a class of types, or a type -> function from a type to the names of its values' fields


def fields_of(a_type):
    """The names of the fields that a value of a type has in LLVM."""
    if isinstance(a_type, types.Array):
        return layouts.ARRAY_FIELDS
    if isinstance(a_type, types.Complex):
        return ("real", "imag")
    if isinstance(a_type, types.NamedTuple):
        return tuple(a_type.fields)
    if isinstance(a_type, types.BaseTuple):
        return tuple(f"f{i}" for i in range(len(a_type)))
    raise LoweringError(f"values of type {a_type} have no fields in an intrinsic's code")


def create_struct_proxy(a_type, kind="value"):
    """A class whose instances give the fields of a value of a type: ``cls(context, builder, value=v).shape``."""

    class Proxy(StructProxy):
        _fe_type = a_type

    return Proxy


class StructProxy:
    """The fields of one value. Setting a field changes ``_getvalue()``, and the memory at ``ref`` if it is given."""

    _fe_type = None

    def __init__(self, context, builder, value=None, ref=None):
        whole = layouts.value_type(self._fe_type)
        if value is None:
            value = builder.load(ref) if ref is not None else ir.Constant(whole, ir.Undefined)
        vars(self).update(
            _context=context,
            _builder=builder,
            _value=value,
            _ref=ref,
            _names=fields_of(self._fe_type),
        )

    def _index(self, name):
        if name not in self._names:
            raise AttributeError(
                f"a value of type {self._fe_type} has the fields {', '.join(self._names)}, not {name!r}"
            )
        return self._names.index(name)

    def __getattr__(self, name):
        return self._builder.extract_value(self._value, self._index(name))

    def __setattr__(self, name, value):
        self[self._index(name)] = value

    def __getitem__(self, index):
        return self._builder.extract_value(self._value, index)

    def __setitem__(self, index, value):
        wanted = self._value.type.elements[index]
        if isinstance(wanted, ir.PointerType) and value.type != wanted:
            value = self._builder.bitcast(value, wanted)
        vars(self)["_value"] = self._builder.insert_value(self._value, value, index)
        if self._ref is not None:
            self._builder.store(self._value, self._ref)

    def __len__(self):
        return len(self._names)

    def _getvalue(self):
        return self._value

    def _setvalue(self, value):
        vars(self)["_value"] = value
        if self._ref is not None:
            self._builder.store(value, self._ref)

    def _getpointer(self):
        """Where the value is in memory."""
        if self._ref is None:
            with self._builder.goto_entry_block():
                place = self._builder.alloca(self._value.type)
            vars(self)["_ref"] = place
            self._builder.store(self._value, place)
        return self._ref
