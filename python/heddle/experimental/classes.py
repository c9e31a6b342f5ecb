"""Builds the class that ``jitclass`` returns. Its objects refer to instances shared with compiled functions."""

import functools
import inspect
import itertools
import linecache
from types import FunctionType

from heddle import _heddle
from heddle.compiler.host_jit import njit
from heddle.errors import UnsupportedError
from heddle.experimental.declarations import parse_attributes

_numbers = itertools.count(1)
_binary = (
    *("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul"),
    *("lshift", "rshift", "and", "or", "xor"),
)
_special = {
    *("abs", "bool", "complex", "contains", "float", "getitem", "hash", "index", "init", "int"),
    *("invert", "len", "neg", "pos", "repr", "setitem", "str", "eq", "ne", "lt", "le", "gt", "ge"),
    *(prefix + name for name in _binary for prefix in ("", "i", "r")),
}
# Names in every class, which are not members.
_ignored = {
    *("__module__", "__dict__", "__weakref__", "__doc__", "__annotations__", "__qualname__"),
    *("__annotate_func__", "__annotations_cache__", "__firstlineno__", "__static_attributes__"),
}


class ClassType:
    """The type object of a jitclass: ``Samples.class_type.instance_type`` is the type of its instances."""

    def __init__(self, instance_type):
        self.instance_type = instance_type


class new:
    """In compiled functions, ``new(type)`` creates an instance of a class or structure without attribute values."""

    __heddle_row__ = "experimental._new"


class _Member:
    """A member of a class. The compiler calls ``choose_implementation`` for its function."""

    def __init__(self, function):
        self.function = function

    def choose_implementation(self, arguments, named, target):
        return self.function


def make_compiled_class(cls, spec):
    """The class with its attributes and compiled methods."""
    attributes = parse_attributes(cls, spec)
    found = _collect_members(cls)
    shadowed = sorted(set(found) & set(attributes))
    if shadowed:
        raise NameError(f"name shadowing: {', '.join(shadowed)}")
    init = found.get("__init__")
    if init is None:
        raise TypeError(
            f"class {cls.__name__} has no method __init__, which a jitclass needs to initialize its "
            "attributes"
        )
    members, space = {}, {name: _make_property(name) for name in attributes}
    for name, member in found.items():
        _add_member(members, space, name, member)
    members.update({"__init__": ("method", _Member(njit(init)))})
    space.update(
        __slots__=(),
        __doc__=cls.__doc__,
        __module__=cls.__module__,
        __qualname__=cls.__qualname__,
        __heddle_members__=members,
        __init__=_make_initializer(init),
        __init_subclass__=classmethod(_refuse_subclass),
    )
    if "__eq__" in space and "__hash__" not in space:
        space["__hash__"] = None
    made = _make_container_class(cls.__name__, space)
    instance_type = _heddle.instance_type(made, list(attributes), list(attributes.values()))
    for name in attributes:
        if number := _heddle.number_attribute(made, instance_type, name, _make_setter(name)):
            setattr(made, name, number)
    made.class_type = ClassType(instance_type)
    made._signature = inspect.signature(init)
    constructor = _make_constructor(
        cls.__name__, made._signature, instance_type, members["__init__"][1]
    )
    made._constructor = staticmethod(constructor)
    _heddle.overloads[made] = _Member(constructor)
    return made


def _make_container_class(name, space):
    return type(_heddle.SharedContainer)(name, (_heddle.SharedContainer,), space)


def _collect_members(cls):
    """Methods, properties and static methods by name, including inherited ones."""
    found = {}
    for base in reversed(cls.__mro__[:-1]):
        found.update(vars(base))
    if found.get("__hash__", 0) is None:  # set by Python in a class with __eq__
        del found["__hash__"]
    found = {name: member for name, member in found.items() if name not in _ignored}
    for name, member in found.items():
        if not isinstance(member, (FunctionType, property, staticmethod)):
            raise TypeError(
                f"class members are not yet supported: {name}\n"
                "  hint: make it an attribute, assigned in __init__, or a global variable"
            )
        is_special = name.startswith("__") and name.endswith("__")
        if is_special and isinstance(member, FunctionType) and name[2:-2] not in _special:
            raise TypeError(
                f"Method '{name}' is not supported.\n  hint: rename the method, and call it by that name"
            )
        if isinstance(member, property) and member.fdel is not None:
            raise TypeError(f"deleter is not supported: {name}")
    return found


def _add_member(members, space, name, member):
    """Adds a member for compiled functions (members) and for Python (space)."""
    if isinstance(member, staticmethod):
        function = njit(member.__func__)
        members[name] = "static method", function
        space[name] = staticmethod(function)
    elif isinstance(member, property):
        read, write = (f and njit(f) for f in (member.fget, member.fset))
        if read:
            members[name] = "property", _Member(read)
        if write:
            members[f"{name}.setter"] = "property", _Member(write)
        space[name] = property(read, write, doc=member.__doc__)
    elif name != "__init__":
        function = njit(member)
        members[name] = "method", _Member(function)
        space[name] = function


def _make_property(name):
    """The property of an attribute. Its getter and setter are compiled at the first use."""

    def compile_property_of_class(cls):
        read = _execute_source(f"def read(self):\n    return self.{name}\n", name, {})["read"]
        found = property(njit(read), _compile_setter(name))
        setattr(cls, name, found)
        return found

    return property(
        lambda self: compile_property_of_class(type(self)).fget(self),
        lambda self, value: compile_property_of_class(type(self)).fset(self, value),
    )


def _compile_setter(name):
    return njit(
        _execute_source(f"def write(self, value):\n    self.{name} = value\n", name, {})["write"]
    )


def _make_setter(name):
    """A setter for an attribute that Python reads directly."""
    made = functools.cache(lambda: _compile_setter(name))
    return lambda self, value: made()(self, value)


def _make_constructor(name, signature, instance_type, init):
    """The compiled function ``name(...)``, with the parameters of ``__init__``."""
    parameters, arguments, names = [], [], {}
    for parameter in list(signature.parameters.values())[1:]:
        if parameter.kind != parameter.POSITIONAL_OR_KEYWORD:
            raise UnsupportedError(
                f"{parameter.kind.name} argument type unsupported in jitclass: parameter {parameter.name!r} of "
                f"{name}.__init__\n  hint: declare each parameter by its name"
            )
        arguments.append(parameter.name)
        parameters.append(parameter.name)
        if parameter.default is not parameter.empty:
            names[f"_default_{parameter.name}"] = parameter.default
            parameters[-1] += f"=_default_{parameter.name}"
    text = (
        f"def {name}({', '.join(parameters)}):\n"
        f"    _self = _new(_type)\n    if _self.__init__({', '.join(arguments)}) is not None:\n"
        f"        raise TypeError('{name}.__init__() should return None')\n    return _self\n"
    )
    names.update(_new=new, _type=instance_type)
    return njit(_execute_source(text, name, names)[name])


def _execute_source(text, name, names):
    """Compiles source that has its own file name, so that the compiler finds it. Returns its names."""
    file = f"<jitclass {name} {next(_numbers)}>"
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    names.setdefault("__name__", __name__)
    exec(compile(text, file, "exec"), names)
    return names


def _make_initializer(init):
    @functools.wraps(init)
    def initialize(self, *args, **kwargs):
        _heddle.SharedContainer.__init__(self)
        bound = self._signature.bind(None, *args, **kwargs)
        bound.apply_defaults()
        self._become(self._constructor(*bound.args[1:]))

    return initialize


def _refuse_subclass(cls, **options):
    raise TypeError(
        f"cannot subclass from a jitclass: {cls.__bases__[0].__name__}\n"
        "  hint: put the common methods into a plain class, and decorate the classes that inherit from it"
    )
