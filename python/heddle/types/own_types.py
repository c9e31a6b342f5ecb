"""Types of a program's own: objects of a subclass of ``types.Type``, whose values have the fields that a model says.

class IntervalType(types.Type):
    def __init__(self):
        super().__init__(name="Interval")

For the compiler a value is its fields. Where Python has a value to pass or to take, it is a tuple of a class made here
for each type, which becomes an object of the program's (heddle.extension.boxing).
"""

import types

from heddle import _heddle
from heddle.errors import LoweringError

models = {}  # class of types -> the class of its types' models
_fields = {}  # (class of types, name of a type) -> the class of the tuples of a value's fields
_problems = {}  # the same -> what the model's class raised


class Fields(tuple):
    """The fields of a value. Compiled code calls ``_make`` for a value that it returns."""

    __slots__ = ()
    _fields = ()

    @classmethod
    def _make(cls, fields):
        """The program's object of a value with these fields."""
        return hooks.make_object(cls.__heddle_type__, cls(fields))


def _make_no_object(a_type, fields):
    raise TypeError(
        f"cannot box {a_type}: {type(a_type).__name__} has no function for it\n"
        f"  hint: @box({type(a_type).__name__}) of numba.extending gives one; or return its fields"
    )


# What heddle.extension puts in where a program uses it: the object that a value is to Python, and an object's type.
hooks = types.SimpleNamespace(make_object=_make_no_object, type_of=lambda value: None)


def describe(a_type):
    """What the compiler asks of a type: its class of tuples, names and types of its fields, whether they are known."""
    key = type(a_type), a_type.name
    if key not in _fields:
        space = {"__slots__": (), "__heddle_type__": a_type}
        _fields[key] = type(f"Fields of {a_type.name}", (Fields,), space)
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
        _require_types(a_type, made.members)
    except Exception as error:  # of any class: it is the program's code
        _problems[key] = error
        return values, (), (), False
    values._fields, values.__heddle_model__ = tuple(names), made
    return values, names, kinds, True


def fields_class(a_type):
    """The class of tuples of a type's values. Raises LoweringError for a type whose values' fields are not known."""
    require_model(a_type)
    return _fields[type(a_type), a_type.name]


def model_of(a_type):
    """The model of a program's own type. Raises LoweringError where it has none."""
    return fields_class(a_type).__heddle_model__


def is_own(a_type):
    """Whether it is a type of a program's own."""
    return a_type.kind == "structure"


def require_model(a_type):
    """Raises LoweringError for a type of a program's own that has no model, or a wrong one."""
    *_, is_known = describe(a_type)
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


def _require_types(a_type, members):
    for name, member in members:
        if not isinstance(member, _heddle.Type):
            raise TypeError(f"field {name!r} is declared as {member!r}, which is no type")
        if member.kind in ("object", "list", "dict", "set", "instance", "optional"):
            raise TypeError(
                f"field {name!r} cannot be {member}: fields are numbers, arrays, pointers, tuples and other such values"
            )
        if member == a_type:
            raise TypeError(f"field {name!r} is of the type itself")


class _Own:
    """An attribute that every type has, and which an object of a program's class may have as its own."""

    def __init__(self, inherited):
        self._inherited = inherited

    def __get__(self, a_type, owner=None):
        return self if a_type is None else self._inherited.__get__(a_type, owner)


def _leave_attributes_to_programs(cls, **options):
    """What runs for a class that is derived from Type: ``self.dtype = dtype`` is the program's."""
    for name, member in vars(_heddle.Type).items():
        if isinstance(member, property) and name not in vars(cls):
            setattr(cls, name, _Own(member))
    cls.__reduce__ = lambda a_type: (_rebuilt, (type(a_type), a_type.name, vars(a_type)))


def _rebuilt(cls, name, attributes):
    """A type that was pickled."""
    made = cls.__new__(cls)
    _heddle.Type.__init__(made, name)
    vars(made).update(attributes)
    return made


_heddle.Type.__init_subclass__ = classmethod(_leave_attributes_to_programs)
_heddle.describe_structures_by(describe)
