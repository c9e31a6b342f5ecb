"""User-defined types of calls and attributes: ``type_callable`` and numba's template classes.

@type_callable(Interval)
def type_interval(context):
    def typer(lo, hi): ...          called with the argument types of a call; returns the result type, or None
    return typer
"""

import functools
import inspect

from heddle import types
from heddle._heddle import Signature
from heddle.errors import TypingError
from heddle.extension import attributes
from heddle.extension.lowering import find_call_code
from heddle.extension.overloads import get_or_create_implementations
from heddle.extension.typing_context import typing_context
from heddle.support.missing_names import make_missing_name_error as _missing_name
from heddle.types import signature

__all__ = [
    "AbstractTemplate",
    "AttributeTemplate",
    "BoundFunction",
    "CallableTemplate",
    "ConcreteTemplate",
    "FunctionTemplate",
    "Registry",
    "Signature",
    "bound_function",
    "infer",
    "infer_getattr",
    "infer_global",
    "signature",
    "type_callable",
]


def type_callable(func):
    """Decorates a function that returns the typer for calls of ``func``: see this module.

    Same as numba.extending.type_callable (numba 0.68, extending).
    """

    def register_typer(make_typer):
        _register_call_typing(func, functools.partial(_type_call, make_typer))
        return make_typer

    return register_typer


def _type_call(make_typer, arguments, named):
    typer = make_typer(typing_context)
    parameters = inspect.signature(typer)
    try:
        bound = parameters.bind(*arguments, **named)
    except TypeError:
        return None
    result = typer(*arguments, **named)
    if result is None or isinstance(result, Signature):
        return result, ()
    if not isinstance(result, types.Type):
        raise TypingError(
            f"a typer returned {result!r}, which is not a type\n  hint: return a type, a signature or None"
        )
    return signature(result, *bound.args), tuple(parameters.parameters)


class TypedCall:
    """One way to call a function: its typing, and the user's code for it."""

    def __init__(self, called, resolve, receiver=()):
        self._called, self._resolve, self._receiver = called, resolve, receiver

    def find_implementation(self, name, arguments, named, target):
        for given in (list(map(types.unliteral, arguments)), list(arguments)):
            found, parameters = self._resolve(given, named) or (None, ())
            if found is None:
                continue
            if not isinstance(found, Signature) or found.return_type is None:
                raise TypingError(
                    f"the typing of {name} returned {found!r}\n"
                    "  hint: return a signature, as in result_type(argument_type, ...), or None"
                )
            parts = (found.return_type, *self._receiver, *found.args)
            whole = signature(*map(types.unliteral, parts))
            code = find_call_code(self._called, name, whole, target, parameters)
            if code is None:
                raise TypingError(
                    f"{name} has a type for these arguments, {whole}, but no code\n"
                    f"  hint: @lower_builtin({name}, ...) with the argument types defines it"
                )
            return code
        return None


def _register_call_typing(called, resolve):
    get_or_create_implementations(called).add_choice(TypedCall(called, resolve))


class FunctionTemplate:
    """Base class of the templates that type calls of ``key``."""

    key = None
    prefer_literal = False

    def __init__(self, context=typing_context):
        self.context = context


class AbstractTemplate(FunctionTemplate):
    """A template whose method ``generic(args, kws)`` returns the signature of a call, or None."""

    def find_call_signature(self, arguments, named):
        found = self.generic(tuple(arguments), named)
        return found and (found, ())


class CallableTemplate(FunctionTemplate):
    """A template whose method ``generic()`` returns a typer, as for type_callable."""

    def find_call_signature(self, arguments, named):
        return _type_call(lambda context: self.generic(), arguments, named)


class ConcreteTemplate(FunctionTemplate):
    """A template whose ``cases`` are the available signatures."""

    def find_call_signature(self, arguments, named):
        if named:
            return None
        for takes in (_is_same_type, _is_convertible_type):
            for case in self.cases:
                if len(case.args) == len(arguments) and all(map(takes, arguments, case.args)):
                    return case, ()
        return None


def _is_same_type(given, wanted):
    return given == wanted


def _is_convertible_type(given, wanted):
    numbers = (types.Number, types.Boolean)
    return given == wanted or (
        isinstance(given, numbers)
        and isinstance(wanted, numbers)
        and not (isinstance(given, types.Complex) and not isinstance(wanted, types.Complex))
    )


class AttributeTemplate:
    """Types the attributes of ``key``, a type or a class of types: ``resolve_NAME(self, type)`` for NAME.

    ``generic_resolve(self, type, attribute)`` handles the others.
    """

    key = None

    def __init__(self, context=typing_context):
        self.context = context

    def resolve(self, value, attr):
        """The type of an attribute; None if there is no such attribute."""
        method = getattr(self, f"resolve_{attr}", None)
        if method is not None:
            return method(value)
        generic = getattr(self, "generic_resolve", None)
        return generic and generic(value, attr)


class BoundFunction:
    """The result of an AttributeTemplate for a method: the template that types its calls."""

    def __init__(self, template, this):
        self.template, self.this = template, this

    def make_typed_call(self):
        """The TypedCall of the method."""
        return TypedCall(self.template.key, self.template().find_call_signature, (self.this,))


def bound_function(template_key):
    """Decorates ``resolve_NAME(self, type, args, kws)``, which returns the signature of a call of the method."""

    def make_binding_method(resolve):
        @functools.wraps(resolve)
        def bind_method(self, this):
            class MethodTemplate(AbstractTemplate):
                key = template_key

                def generic(_, args, kws):
                    return resolve(self, this, args, kws)

            return BoundFunction(MethodTemplate, this)

        return bind_method

    return make_binding_method


def infer_global(global_value, typing_key=None, **options):
    """Decorates a template class that types calls of ``global_value``."""

    def register_template(template):
        _register_call_typing(global_value, template().find_call_signature)
        return template

    return register_template


def infer(template):
    """Decorates a template class that types calls of its ``key``."""
    return infer_global(template.key)(template)


def infer_getattr(template):
    """Decorates a subclass of AttributeTemplate, which types attributes of its ``key``."""
    attributes.register_attribute_template(template)
    return template


class Registry:
    """The decorators for templates and code, in the form of numba's registries."""

    def __init__(self, name=None):
        self.name = name

    register = staticmethod(infer)
    register_global = staticmethod(infer_global)
    register_attr = staticmethod(infer_getattr)

    def __getattr__(self, name):
        from heddle.extension import lowering  # late: most registries are for types

        if name.startswith("lower"):
            return getattr(lowering, name)
        raise AttributeError(f"a Registry has no attribute {name!r}", name=name, obj=self)


def __getattr__(name):
    raise _missing_name("heddle.core.typing.templates", name)
