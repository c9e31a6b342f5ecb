"""User-defined types: instances of a subclass of ``types.Type``, whose values have the fields of a data model.

class IntervalType(types.Type):
    def __init__(self):
        super().__init__(name="Interval")

For the compiler, a value is its fields. When Python passes or receives a value, it is a tuple of a class made here for
each type, which heddle.extension.boxing converts to the user's object.
"""

import types

from heddle import _heddle
from heddle.errors import LoweringError

models = {}  # class of types -> the class of their data models
_fields = {}  # (class of types, type name) -> the tuple class of a value's fields
_problems = {}  # (class of types, type name) -> the exception of the model's class


class Fields(tuple):
    """The fields of a value. Compiled code calls ``_make`` to return a value."""

    __slots__ = ()
    _fields = ()

    @classmethod
    def _make(cls, fields):
        """The user's object for a value with these fields."""
        return hooks.make_object(cls.__heddle_type__, cls(fields))


def _raise_cannot_box(a_type, fields):
    raise TypeError(
        f"cannot box {a_type}: {type(a_type).__name__} has no function for it\n"
        f"  hint: @box({type(a_type).__name__}) of numba.extending defines one; or return its fields"
    )


# Hooks for heddle.extension, once it is used: convert a value to an object, and find an object's type.
hooks = types.SimpleNamespace(make_object=_raise_cannot_box, type_of=lambda value: None)


def describe_fields(a_type):
    """Describes a type for the compiler: its tuple class, field names and field types, and True if these are known."""
    key = type(a_type), a_type.name
    if key not in _fields:
        space = {"__slots__": (), "__heddle_type__": a_type}
        _fields.setdefault(key, type(f"Fields of {a_type.name}", (Fields,), space))
    values = _fields[key]
    model = models.get(type(a_type))
    if model is None:
        return values, (), (), False
    known = values.__dict__.get("__heddle_model__")
    if type(known) is model:
        return values, values._fields, [kind for _, kind in known.members], True
    try:
        made = model(None, a_type)
        names, kinds = [name for name, _ in made.members], [kind for _, kind in made.members]
        _require_valid_field_types(a_type, made.members)
    except Exception as error:  # any exception, because it is user code
        _problems[key] = error
        return values, (), (), False
    values._fields, values.__heddle_model__ = tuple(names), made
    return values, names, kinds, True


def get_fields_class(a_type):
    """The tuple class of a type's values. Raises LoweringError if its fields are not known."""
    require_model(a_type)
    return _fields[type(a_type), a_type.name]


def get_model(a_type):
    """The data model of a user-defined type. Raises LoweringError if it has none."""
    return get_fields_class(a_type).__heddle_model__


def is_user_defined(a_type):
    """True if it is a user-defined type."""
    return a_type.kind == "structure"


def require_model(a_type):
    """Raises LoweringError for a user-defined type without a valid model."""
    *_, is_known = describe_fields(a_type)
    if is_known:
        return
    problem = _problems.get((type(a_type), a_type.name))
    if problem is not None:
        raise LoweringError(
            f"the model of {a_type.name} is wrong: {type(problem).__name__}: {problem}"
        ) from problem
    raise LoweringError(
        f"values of type {a_type.name} cannot exist: its class {type(a_type).__name__} has no model\n"
        f"  hint: @register_model({type(a_type).__name__}) above a subclass of models.StructModel"
    )


def _require_valid_field_types(a_type, members):
    for name, member in members:
        if not isinstance(member, _heddle.Type):
            raise TypeError(f"field {name!r} is declared as {member!r}, which is not a type")
        if member.kind in ("object", "list", "dict", "set", "instance", "optional"):
            raise TypeError(
                f"field {name!r} cannot be {member}: fields are numbers, arrays, pointers, tuples and the like"
            )
        if member == a_type:
            raise TypeError(f"field {name!r} is of the type itself")


class _Own:
    """An attribute that every type has, but that an instance of a user's class may override."""

    def __init__(self, inherited):
        self._inherited = inherited

    def __get__(self, a_type, owner=None):
        return self if a_type is None else self._inherited.__get__(a_type, owner)


def _enable_overrides_and_pickling(cls, **options):
    """Runs for each class derived from Type, so that ``self.dtype = dtype`` sets the user's attribute."""
    for name, member in vars(_heddle.Type).items():
        if isinstance(member, property) and name not in vars(cls):
            setattr(cls, name, _Own(member))
    cls.__reduce__ = lambda a_type: (_restore_type, (type(a_type), a_type.name, vars(a_type)))


def _restore_type(cls, name, attributes):
    """Restores a pickled type."""
    made = cls.__new__(cls)
    _heddle.Type.__init__(made, name)
    vars(made).update(attributes)
    return made


_heddle.Type.__init_subclass__ = classmethod(_enable_overrides_and_pickling)
_heddle.describe_structures_by(describe_fields)
