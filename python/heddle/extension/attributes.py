"""Attributes of values of a program's own types, for the compiler that asks by their names."""

from heddle import _heddle
from heddle.errors import TypingError
from heddle.extending import add_attribute_finder, has_type
from heddle.extension.lowering import code_of_getter, code_of_setter
from heddle.types.own_types import is_own

_templates = []  # of attributes
_found = {}  # (type, name of an attribute) -> what it is
_setter = ".setter"  # behind the name of an attribute that is assigned to


def add_template(template):
    """Ask a subclass of AttributeTemplate for attributes."""
    _templates.append(template)
    _found.clear()


class Attribute:
    """An attribute or a method; the compiler asks ``choose`` for what a use of it calls."""

    def __init__(self, name, choose):
        self.name = self.__name__ = name
        self.choose = choose
        _heddle.overloads[self] = self

    def __call__(self, *args):
        raise TypingError(f"attribute {self.name!r} of values in compiled code")


def _attribute_of(object_type, name, target):
    """Whether it is a method, and what implements it; None where the type has no such attribute."""
    if not is_own(object_type) or name.startswith((".", "__")):
        return None
    key = object_type, name
    if key not in _found:
        _found[key] = _of_templates(object_type, name)
    return _found[key]


def _of_templates(object_type, name):
    if name.endswith(_setter):
        return _of_assignments(object_type, name.removesuffix(_setter))
    for template in reversed(_templates):
        if not has_type(object_type, template.key):
            continue
        found = template().resolve(object_type, name)
        if found is None:
            continue
        if isinstance(found, _heddle.Type):
            return False, Attribute(name, _reading(object_type, name, found))
        return True, Attribute(name, _calling(object_type, name, found.call()))
    return None


def _of_assignments(object_type, name):
    found = _of_templates(object_type, name)
    if found is None or found[0]:
        return None
    return False, Attribute(name, _assigning(object_type, name))


def _assigning(object_type, name):
    def choose(arguments, named, target):
        code = code_of_setter(object_type, name, arguments[1], target)
        if code is None:
            raise TypingError(
                f"cannot assign to attribute {name!r} of {object_type}\n"
                f"  hint: @lower_setattr({type(object_type).__name__}, {name!r}) gives the code"
            )
        return code

    return choose


def _reading(object_type, name, result):
    def choose(arguments, named, target):
        code = code_of_getter(object_type, name, result, target)
        if code is None:
            raise TypingError(
                f"attribute {name!r} of {object_type} has a type, {result}, and no code\n"
                f"  hint: @lower_getattr({type(object_type).__name__}, {name!r}) gives it"
            )
        return code

    return choose


def _calling(object_type, name, call):
    def choose(arguments, named, target):
        return call.found(name, arguments[1:], named, target)

    return choose


add_attribute_finder(_attribute_of)
