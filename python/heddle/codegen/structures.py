"""Access to the fields of values by name, with the interface of numba's struct proxies."""

from llvmlite import ir

from heddle import types
from heddle.codegen import layouts
from heddle.errors import LoweringError
from heddle.types import own_types

_i32 = ir.IntType(32)


def list_field_names(a_type):
    """The field names of a type's LLVM values."""
    if isinstance(a_type, types.Array):
        return layouts.ARRAY_FIELDS
    if isinstance(a_type, types.Complex):
        return ("real", "imag")
    if own_types.is_user_defined(a_type) and not hasattr(own_types.get_model(a_type), "be_type"):
        return own_types.get_fields_class(a_type)._fields
    if isinstance(a_type, types.NamedTuple):
        return tuple(a_type.fields)
    if isinstance(a_type, types.BaseTuple):
        return tuple(f"f{i}" for i in range(len(a_type)))
    raise LoweringError(f"values of type {a_type} have no fields in an intrinsic's code")


def create_struct_proxy(a_type, kind="value"):
    """A class that gives access to the fields of a type's values: ``cls(context, builder, value=v).shape``."""

    class Proxy(StructProxy):
        _fe_type = a_type

    return Proxy


class StructProxy:
    """The fields of a value in memory: at ``ref`` if given, else in newly allocated stack memory."""

    _fe_type = None

    def __init__(self, context, builder, value=None, ref=None):
        if ref is None:
            with builder.goto_entry_block():
                ref = builder.alloca(layouts.value_type(self._fe_type))
        vars(self).update(
            _context=context, _builder=builder, _ref=ref, _names=list_field_names(self._fe_type)
        )
        if value is not None:
            builder.store(value, ref)

    def _find_field_index(self, name):
        if name not in self._names:
            raise AttributeError(
                f"a value of type {self._fe_type} has the fields {', '.join(self._names)}, not {name!r}"
            )
        return self._names.index(name)

    def _get_field_pointer(self, index):
        return self._builder.gep(self._ref, [_i32(0), _i32(index)], inbounds=True)

    def __getattr__(self, name):
        return self[self._find_field_index(name)]

    def __setattr__(self, name, value):
        self[self._find_field_index(name)] = value

    def __getitem__(self, index):
        return self._builder.load(self._get_field_pointer(index))

    def __setitem__(self, index, value):
        place = self._get_field_pointer(index)
        wanted = place.type.pointee
        if isinstance(wanted, ir.PointerType) and value.type != wanted:
            value = self._builder.bitcast(value, wanted)
        if value.type != wanted:
            raise LoweringError(
                f"the field {self._names[index]!r} of {self._fe_type} is {wanted}, but its value is {value.type}\n"
                "  hint: context.cast(builder, value, its_type, the_fields_type) converts"
            )
        self._builder.store(value, place)

    def __len__(self):
        return len(self._names)

    def _getvalue(self):
        return self._builder.load(self._ref)

    def _setvalue(self, value):
        self._builder.store(value, self._ref)

    def _getpointer(self):
        """The address of the value."""
        return self._ref

    def _get_ptr_by_name(self, name):
        """The address of a field."""
        return self._get_field_pointer(self._find_field_index(name))
