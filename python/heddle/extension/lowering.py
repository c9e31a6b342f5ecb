"""User code for calls and attributes, selected by types: numba's ``lower_builtin`` and similar.

@lower_builtin(Interval, types.Float, types.Float)     the function and its argument types
def interval_of(context, builder, sig, args): ...      builds the code with llvmlite, returns the result's LLVM value
"""

from heddle import _heddle, types
from heddle.codegen.internal_calls import InternalCall
from heddle.codegen.intrinsics import make_generated_function
from heddle.errors import LoweringError
from heddle.extension.overloads import type_matches
from heddle.types.own_types import is_user_defined, require_model

_calls = {}  # function, or name of a method -> list of (argument types, code)
_getters = {}  # attribute name, or None for any -> list of (type, code)
_setters = {}  # the same


def lower_builtin(func, *argtys, **options):
    """Decorates the code of calls of ``func`` with arguments of these types, which may be classes of types.

    func: a function or class, or the name that a method's template gives, such as "Interval.contains".
    Same as numba.extending.lower_builtin (numba 0.68, core/imputils).
    """

    def register_call_code(code):
        _calls.setdefault(func, []).append((argtys, code))
        return code

    return register_call_code


lower = lower_builtin


def lower_getattr(ty, attr, **options):
    """Decorates the code that reads the attribute ``attr`` of values of a type, or of a class of types."""

    def register_getter_code(code):
        _getters.setdefault(attr, []).append((ty, code))
        return code

    return register_getter_code


def lower_getattr_generic(ty, **options):
    """As ``lower_getattr``, for every attribute. The code also gets the attribute's name."""
    return lower_getattr(ty, None)


lower_attr, lower_attr_generic = lower_getattr, lower_getattr_generic


def lower_setattr(ty, attr):
    """Decorates the code that assigns to the attribute ``attr`` of values of a type, or of a class of types. It may
    write to memory that the value refers to. The value itself is immutable."""

    def register_setter_code(code):
        _setters.setdefault(attr, []).append((ty, code))
        return code

    return register_setter_code


def lower_setattr_generic(ty):
    """As ``lower_setattr``, for every attribute. The code also gets the attribute's name."""
    return lower_setattr(ty, None)


def _make_refusing_function(what, instead):
    def raise_lowering_error(*arguments, **options):
        raise LoweringError(f"heddle has no {what}\n  hint: {instead}")

    return raise_lowering_error


lower_cast = _make_refusing_function(
    "lower_cast: values of user-defined types are not converted to other types",
    "write a function that converts, with @overload, and call it",
)


def lower_constant(ty):
    """Returns a decorator without effect: constants are read with unbox, as arguments are."""
    return lambda code: code


def find_call_code(called, name, signature, target, parameters=()):
    """The function for a call of ``called`` with a signature's types; None if there is no user code for them.

    called: a function or a name. parameters: the parameters' names.
    """
    found = _find_closest_code(_calls.get(called, ()), signature.args)
    if found is None:
        return None
    _require_models_of_user_types(signature)
    return make_generated_function(name, signature, found, target, parameters)


def find_getter_code(object_type, attribute, result, target):
    """The function that reads an attribute; None if there is no user code for it."""
    signature = types.signature(result, object_type)
    for name in (attribute, None):
        for owner, code in reversed(_getters.get(name, ())):
            if _accepts_argument_type(owner, object_type):
                _require_models_of_user_types(signature)
                return make_generated_function(
                    attribute, signature, _wrap_getter(code, object_type, attribute, name), target
                )
    return None


def find_setter_code(object_type, attribute, value_type, target):
    """The function that assigns to an attribute; None if there is no user code for it."""
    signature = types.signature(types.none, object_type, value_type)
    for name in (attribute, None):
        for owner, code in reversed(_setters.get(name, ())):
            if _accepts_argument_type(owner, object_type):
                _require_models_of_user_types(signature)
                return make_generated_function(
                    attribute, signature, _wrap_setter(code, attribute, name), target
                )
    return None


def _wrap_setter(code, attribute, name):
    more = () if name is not None else (attribute,)

    def build_setter(context, builder, signature, args):
        made = code(context, builder, signature, args, *more)
        return made if isinstance(made, InternalCall) else context.get_dummy_value()

    return build_setter


def _wrap_getter(code, object_type, attribute, name):
    more = () if name is not None else (attribute,)
    return lambda context, builder, signature, args: code(
        context, builder, object_type, args[0], *more
    )


def _require_models_of_user_types(signature):
    for a_type in (signature.return_type, *signature.args):
        if is_user_defined(a_type):
            require_model(a_type)


def _find_closest_code(choices, arguments):
    """The code whose types match the arguments most closely; among equals, the last one."""
    best, best_score = None, -1
    for wanted, code in choices:
        wanted = _expand_varargs(wanted, len(arguments))
        if len(wanted) != len(arguments) or not all(map(_accepts_argument_type, wanted, arguments)):
            continue
        score = sum(isinstance(one, _heddle.Type) for one in wanted)
        if score >= best_score:
            best, best_score = code, score
    return best


def _expand_varargs(wanted, count):
    if wanted and isinstance(wanted[-1], types.VarArg):
        return (*wanted[:-1], *[wanted[-1].dtype] * (count - len(wanted) + 1))
    return wanted


def _accepts_argument_type(wanted, argument):
    return wanted is types.Any or type_matches(argument, wanted)
