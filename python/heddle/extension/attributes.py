"""Finds the attributes of values of user-defined types for the compiler."""

from heddle import _heddle
from heddle.errors import TypingError
from heddle.extension.lowering import find_getter_code, find_setter_code
from heddle.extension.overloads import register_attribute_finder, type_matches
from heddle.types.own_types import is_user_defined

_templates = []  # the registered attribute templates
_found = {}  # (type, attribute name) -> (True for a method, its implementation)
_setter = ".setter"  # suffix of the name of an assigned attribute


def register_attribute_template(template):
    """Registers a subclass of AttributeTemplate."""
    _templates.append(template)
    _found.clear()


class Attribute:
    """An attribute or a method. The compiler calls ``choose_implementation`` for the code of a use."""

    def __init__(self, name, choose):
        self.name = self.__name__ = name
        self.choose_implementation = choose
        _heddle.overloads[self] = self

    def __call__(self, *args):
        raise TypingError(f"attribute {self.name!r} of values in compiled code")


def _find_attribute_by_templates(object_type, name, target):
    """Returns (True for a method, its implementation); None if the type has no such attribute."""
    if not is_user_defined(object_type) or name.startswith((".", "__")):
        return None
    key = object_type, name
    if key not in _found:
        _found[key] = _resolve_attribute_by_templates(object_type, name)
    return _found[key]


def _resolve_attribute_by_templates(object_type, name):
    if name.endswith(_setter):
        return _find_setter(object_type, name.removesuffix(_setter))
    for template in reversed(_templates):
        if not type_matches(object_type, template.key):
            continue
        found = template().resolve(object_type, name)
        if found is None:
            continue
        if isinstance(found, _heddle.Type):
            return False, Attribute(name, _make_getter_chooser(object_type, name, found))
        return True, Attribute(
            name, _make_method_chooser(object_type, name, found.make_typed_call())
        )
    return None


def _find_setter(object_type, name):
    found = _resolve_attribute_by_templates(object_type, name)
    if found is None or found[0]:
        return None
    return False, Attribute(name, _make_setter_chooser(object_type, name))


def _make_setter_chooser(object_type, name):
    def choose_setter(arguments, named, target):
        code = find_setter_code(object_type, name, arguments[1], target)
        if code is None:
            raise TypingError(
                f"cannot assign to attribute {name!r} of {object_type}\n"
                f"  hint: @lower_setattr({type(object_type).__name__}, {name!r}) defines the code"
            )
        return code

    return choose_setter


def _make_getter_chooser(object_type, name, result):
    def choose_getter(arguments, named, target):
        code = find_getter_code(object_type, name, result, target)
        if code is None:
            raise TypingError(
                f"attribute {name!r} of {object_type} has a type, {result}, but no code\n"
                f"  hint: @lower_getattr({type(object_type).__name__}, {name!r}) defines it"
            )
        return code

    return choose_getter


def _make_method_chooser(object_type, name, call):
    def choose_method(arguments, named, target):
        return call.find_implementation(name, arguments[1:], named, target)

    return choose_method


register_attribute_finder(_find_attribute_by_templates)
