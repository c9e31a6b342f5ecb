"""Code that a program builds for calls and attributes, chosen by types: ``lower_builtin`` and its kin, numba's.

@lower_builtin(Interval, types.Float, types.Float)     the function, and what its arguments' types may be
def interval_of(context, builder, sig, args): ...      builds the code with llvmlite, returns the result's value
"""

from heddle import _heddle, types
from heddle.codegen.internal_calls import InternalCall
from heddle.codegen.intrinsics import make_function
from heddle.errors import LoweringError
from heddle.extending import has_type
from heddle.types.own_types import is_own, require_model

_calls = {}  # what is called: a function, or the name of a method -> list of (types of arguments, code)
_getters = {}  # name of an attribute, None for any -> list of (type, code)
_setters = {}  # the same


def lower_builtin(func, *argtys, **options):
    """A decorator of the code of calls of ``func`` with arguments of these types: types, or classes of types.

    func: a function or class, or the name that the typing of a method gives, such as "Interval.contains".
    Same as numba.extending.lower_builtin (numba 0.68, core/imputils).
    """

    def register(code):
        _calls.setdefault(func, []).append((argtys, code))
        return code

    return register


lower = lower_builtin


def lower_getattr(ty, attr, **options):
    """A decorator of the code that reads the attribute ``attr`` of values of a type, or of a class of types."""

    def register(code):
        _getters.setdefault(attr, []).append((ty, code))
        return code

    return register


def lower_getattr_generic(ty, **options):
    """The same for every attribute: the code is given the name as well."""
    return lower_getattr(ty, None)


lower_attr, lower_attr_generic = lower_getattr, lower_getattr_generic


def lower_setattr(ty, attr):
    """A decorator of the code that assigns to the attribute ``attr`` of values of a type, or of a class of types: to
    memory that the value refers to. The value itself cannot be changed."""

    def register(code):
        _setters.setdefault(attr, []).append((ty, code))
        return code

    return register


def lower_setattr_generic(ty):
    """The same for every attribute: the code is given the name as well."""
    return lower_setattr(ty, None)


def _refuse(what, instead):
    def refuse(*arguments, **options):
        raise LoweringError(f"heddle has no {what}\n  hint: {instead}")

    return refuse


lower_cast = _refuse(
    "lower_cast: values of a program's own types are converted to no other type",
    "write a function that converts, with @overload, and call it",
)


def lower_constant(ty):
    """A decorator that keeps the function it is given: constants are read with unbox, as arguments are."""
    return lambda code: code


def code_of_call(called, name, signature, target, parameters=()):
    """What compiled code calls for ``called`` with a signature's types; None where no code was given for these.

    called: a function or a name. parameters: the parameters' names.
    """
    found = _best(_calls.get(called, ()), signature.args)
    if found is None:
        return None
    _require_models(signature)
    return make_function(name, signature, found, target, parameters)


def code_of_getter(object_type, attribute, result, target):
    """What compiled code calls to read an attribute; None where no code was given for it."""
    signature = types.signature(result, object_type)
    for name in (attribute, None):
        for owner, code in reversed(_getters.get(name, ())):
            if _fits(owner, object_type):
                _require_models(signature)
                return make_function(
                    attribute, signature, _as_call(code, object_type, attribute, name), target
                )
    return None


def code_of_setter(object_type, attribute, value_type, target):
    """What compiled code calls to assign to an attribute; None where no code was given for it."""
    signature = types.signature(types.none, object_type, value_type)
    for name in (attribute, None):
        for owner, code in reversed(_setters.get(name, ())):
            if _fits(owner, object_type):
                _require_models(signature)
                return make_function(
                    attribute, signature, _as_assignment(code, attribute, name), target
                )
    return None


def _as_assignment(code, attribute, name):
    more = () if name is not None else (attribute,)

    def build(context, builder, signature, args):
        made = code(context, builder, signature, args, *more)
        return made if isinstance(made, InternalCall) else context.get_dummy_value()

    return build


def _as_call(code, object_type, attribute, name):
    more = () if name is not None else (attribute,)
    return lambda context, builder, signature, args: code(
        context, builder, object_type, args[0], *more
    )


def _require_models(signature):
    for a_type in (signature.return_type, *signature.args):
        if is_own(a_type):
            require_model(a_type)


def _best(choices, arguments):
    """The code whose types fit the arguments most closely; of equal ones the last."""
    best, best_score = None, -1
    for wanted, code in choices:
        wanted = _with_rest(wanted, len(arguments))
        if len(wanted) != len(arguments) or not all(map(_fits, wanted, arguments)):
            continue
        score = sum(isinstance(one, _heddle.Type) for one in wanted)
        if score >= best_score:
            best, best_score = code, score
    return best


def _with_rest(wanted, count):
    if wanted and isinstance(wanted[-1], types.VarArg):
        return (*wanted[:-1], *[wanted[-1].dtype] * (count - len(wanted) + 1))
    return wanted


def _fits(wanted, argument):
    return wanted is types.Any or has_type(argument, wanted)
