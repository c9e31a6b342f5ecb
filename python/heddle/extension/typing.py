"""The types of calls and attributes, which a program gives: ``type_callable`` and numba's classes of templates.

@type_callable(Interval)
def type_interval(context):
    def typer(lo, hi): ...          called with the types of a call's arguments, returns the result's, or None
    return typer
"""

import functools
import inspect

from heddle import types
from heddle._heddle import Signature
from heddle.errors import TypingError
from heddle.extending import implementations_of
from heddle.extension import attributes
from heddle.extension.lowering import code_of_call
from heddle.extension.typing_context import typing_context
from heddle.missing_names import missing_name as _missing_name
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
    """A decorator of a function that returns the typer of calls of ``func``: see this module.

    Same as numba.extending.type_callable (numba 0.68, extending).
    """

    def register(make_typer):
        _add(func, functools.partial(_typed, make_typer))
        return make_typer

    return register


def _typed(make_typer, arguments, named):
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
            f"a typer returned {result!r}, which is no type\n  hint: return a type, a signature or None"
        )
    return signature(result, *bound.args), tuple(parameters.parameters)


class TypedCall:
    """One way to call a function: its type, and the code that a program builds for it."""

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
                    "  hint: it is a signature, as in result_type(argument_type, ...), or None"
                )
            parts = (found.return_type, *self._receiver, *found.args)
            whole = signature(*map(types.unliteral, parts))
            code = code_of_call(self._called, name, whole, target, parameters)
            if code is None:
                raise TypingError(
                    f"{name} has a type for these arguments, {whole}, and no code\n"
                    f"  hint: @lower_builtin({name}, ...) with the types of the arguments gives it"
                )
            return code
        return None


def _add(called, resolve):
    implementations_of(called).add_choice(TypedCall(called, resolve))


class FunctionTemplate:
    """A class that gives the types of calls of ``key``."""

    key = None
    prefer_literal = False

    def __init__(self, context=typing_context):
        self.context = context


class AbstractTemplate(FunctionTemplate):
    """Its method ``generic(args, kws)`` returns the signature of a call, or None."""

    def signature_of(self, arguments, named):
        found = self.generic(tuple(arguments), named)
        return found and (found, ())


class CallableTemplate(FunctionTemplate):
    """Its method ``generic()`` returns a typer, as of type_callable."""

    def signature_of(self, arguments, named):
        return _typed(lambda context: self.generic(), arguments, named)


class ConcreteTemplate(FunctionTemplate):
    """``cases`` are the signatures that there are."""

    def signature_of(self, arguments, named):
        if named:
            return None
        for takes in (_is_same, _is_converted):
            for case in self.cases:
                if len(case.args) == len(arguments) and all(map(takes, arguments, case.args)):
                    return case, ()
        return None


def _is_same(given, wanted):
    return given == wanted


def _is_converted(given, wanted):
    numbers = (types.Number, types.Boolean)
    return given == wanted or (
        isinstance(given, numbers)
        and isinstance(wanted, numbers)
        and not (isinstance(given, types.Complex) and not isinstance(wanted, types.Complex))
    )


class AttributeTemplate:
    """Gives the types of attributes of ``key``, a type or a class of types: ``resolve_NAME(self, type)`` of NAME.

    ``generic_resolve(self, type, attribute)`` is asked for the others.
    """

    key = None

    def __init__(self, context=typing_context):
        self.context = context

    def resolve(self, value, attr):
        """The type of an attribute; None where it has none."""
        method = getattr(self, f"resolve_{attr}", None)
        if method is not None:
            return method(value)
        generic = getattr(self, "generic_resolve", None)
        return generic and generic(value, attr)


class BoundFunction:
    """What an AttributeTemplate returns of a method: the class that gives the types of its calls."""

    def __init__(self, template, this):
        self.template, self.this = template, this

    def call(self):
        """The method's call."""
        return TypedCall(self.template.key, self.template().signature_of, (self.this,))


def bound_function(template_key):
    """A decorator of ``resolve_NAME(self, type, args, kws)``, which returns the signature of a call of the method."""

    def decorate(resolve):
        @functools.wraps(resolve)
        def of_type(self, this):
            class MethodTemplate(AbstractTemplate):
                key = template_key

                def generic(_, args, kws):
                    return resolve(self, this, args, kws)

            return BoundFunction(MethodTemplate, this)

        return of_type

    return decorate


def infer_global(global_value, typing_key=None, **options):
    """A decorator of a class of templates: it gives the types of calls of ``global_value``."""

    def register(template):
        _add(global_value, template().signature_of)
        return template

    return register


def infer(template):
    """The same for the function that is the class's ``key``. A decorator."""
    return infer_global(template.key)(template)


def infer_getattr(template):
    """A decorator of a subclass of AttributeTemplate: attributes of its ``key`` have the types that it gives."""
    attributes.add_template(template)
    return template


class Registry:
    """Decorators for templates and code, as numba's modules have them."""

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
