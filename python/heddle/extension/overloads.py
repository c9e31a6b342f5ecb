"""Kernel implementations of functions, methods and attributes, written in Python, as in ``numba.extending``.

@overload(clamp)                     clamp is any function
def clamp_in_kernels(x, low, high):  called at compile time with the argument types
    if isinstance(x, types.Float):
        return lambda x, low, high: min(max(x, low), high)      compiled into the kernel
                                     None: this overload does not take these types
"""

import functools
import inspect

from heddle import _heddle, types
from heddle.compiler.dispatcher import Dispatcher
from heddle.errors import TypingError
from heddle.extension.operators import find_operator_overload, names_of_operators

_finders = [find_operator_overload]  # see register_attribute_finder
_attributes = {}  # name -> list of (type, True for a method, implementations, target)

# The compilation target -> the overload targets that apply to it, best first; other overloads come last.
_targets = {"cuda": ("cuda", "gpu", "generic"), "cpu": ("cpu", "generic")}


def overload(function, jit_options=None, strict=True, inline="never", target="generic", **options):
    """Implements ``function`` for kernels. Decorates a function that selects an implementation by argument types.

    function: the function that kernels call, which may be a builtin or a NumPy function. While a kernel is compiled,
        the decorated function is called with the type (heddle.types) of each argument. It returns the implementation,
        a Python function with the same parameters, or None if it has none for these types. Overloads are tried in the
        order of their definition, then Heddle's implementation.
    target: "cuda" for kernels, "cpu" for host functions; these are tried before "generic" overloads.
    strict: the implementation's parameters must have the same names.
    prefer_literal: the decorated function is called with literal types first: types.literal(1) for the integer 1. By
        default it gets them only if it returns None, or raises a TypingError, for the plain type, int64.
    jit_options, inline and numba's other options are accepted and ignored: every implementation is inlined.
    """

    def register_overload(choose):
        prefers = options.get("prefer_literal", False)
        get_or_create_implementations(function).add_overload(choose, strict, target, prefers)
        return choose

    return register_overload


def overload_method(typ, name, **options):
    """Implements the method ``name`` of a type for kernels. As ``overload``, with the object as the first argument.

    typ: a class of types, such as types.Array, or one type.
    """
    return _make_attribute_overload_decorator(typ, name, True, options)


def overload_attribute(typ, name, **options):
    """Implements the attribute ``name`` of a type for kernels. As ``overload_method``, with only the object."""
    return _make_attribute_overload_decorator(typ, name, False, options)


def overload_classmethod(typ, name, **options):
    """Implements a method of a type itself for kernels, as in ``np.float32.name(x)``.

    As ``overload_method``, but the first argument is the type object, whose type is a types.TypeRef.
    """
    return _make_attribute_overload_decorator(typ, f"class.{name}", True, options)


def register_jitable(*arguments, **options):
    """Lets kernels call the decorated function, which stays an ordinary Python function."""

    def make_jitable(function):
        dispatcher = Dispatcher(function, {"device": True})
        _heddle.overloads[function] = Implementations(_get_function_name(function))
        _heddle.overloads[function].add_overload(lambda *args, **named: dispatcher, strict=False)
        return function

    return make_jitable if options else make_jitable(*arguments)


class Implementations:
    """The overloads of one function, method or attribute. The compiler calls ``choose_implementation``."""

    takes_literals = True  # the compiler passes constants as literal types

    def __init__(self, name, full_name=None):
        """full_name: the name in the host function library, such as ``builtins.float``, or None."""
        self.name = name
        self.__name__ = name
        self._full_name = full_name
        self._choices = []

    def add_overload(self, choose, strict=True, target="generic", prefer_literal=False):
        """Adds an overload with the selecting function ``choose``."""
        self.add_choice(Overload(choose, strict, prefer_literal), target)

    def add_choice(self, choice, target="generic"):
        """Adds an object with a method ``find_implementation``, such as an Overload."""
        self._choices.append((choice, target))

    def choose_implementation(self, arguments, named, target):
        """Returns the device function for these types on a target; None if there is none."""
        found = _find_first_not_none(
            functools.partial(choice.find_implementation, self.name, arguments, named, target)
            for choice, _ in _sort_best_first(self._choices, target)
        )
        return (
            self._choose_library_implementation(arguments, named, target)
            if found is None
            else found
        )

    def _choose_library_implementation(self, arguments, named, target):
        if target != "cpu" or self._full_name is None:
            return None
        from heddle.host_library import implementations  # late: it compiles

        if self._full_name not in implementations:
            return None
        given = list(map(_drop_number_literal, arguments))
        named = {name: _drop_number_literal(a_type) for name, a_type in named.items()}
        return implementations[self._full_name].choose_implementation(given, named, target)


class Overload:
    """A selecting function that ``overload`` decorates."""

    def __init__(self, choose, strict, prefer_literal):
        self._choose, self._strict, self._prefer_literal = choose, strict, prefer_literal

    def find_implementation(self, name, arguments, named, target):
        """Returns the implementation for these types; None if there is none."""
        found = (
            self._call_selecting_function(arguments, named, target)
            if self._can_bind(arguments, named)
            else None
        )
        if found is None or isinstance(found, Dispatcher):
            return found
        if not inspect.isfunction(found):
            raise TypingError(f"the overload of {name} returned {found!r}, not a function or None")
        if self._strict and list(inspect.signature(self._choose).parameters) != list(
            inspect.signature(found).parameters
        ):
            raise TypingError(
                f"an implementation of {name} has the parameters {inspect.signature(found)}, but its overload "
                f"{inspect.signature(self._choose)}: they must be the same"
            )
        return Dispatcher(found, {"device": True})

    def _can_bind(self, arguments, named):
        """True if a call with these arguments binds every parameter."""
        try:
            inspect.signature(self._choose).bind(*arguments, **named)
        except TypeError:
            return False
        return True

    def _call_selecting_function(self, arguments, named, target):
        """Calls the selecting function with plain types and with literal types, in the preferred order."""
        of_any = _drop_literal if target == "cpu" else _drop_number_literal
        plain = (
            [of_any(a) for a in arguments],
            {name: of_any(a) for name, a in named.items()},
        )
        tries = [plain] if plain == (list(arguments), named) else [plain, (arguments, named)]
        return _find_first_not_none(
            functools.partial(self._choose, *args, **names)
            for args, names in (reversed(tries) if self._prefer_literal else tries)
        )


def _find_first_not_none(questions):
    """Returns the first answer that is not None. Without one, raises the first TypingError."""
    problem = None
    for ask in questions:
        try:
            answer = ask()
        except TypingError as error:
            problem = problem or error
            continue
        if answer is not None:
            return answer
    if problem is not None:
        raise problem
    return None


def _drop_number_literal(a_type):
    is_number = isinstance(a_type, (types.IntegerLiteral, types.BooleanLiteral))
    return a_type.literal_type if is_number and not a_type.is_wanted else a_type


def _drop_literal(a_type):
    """Drops string literals also: a kernel's strings are constants, a host function's are not."""
    is_text = isinstance(a_type, types.StringLiteral) and not a_type.is_wanted
    return a_type.literal_type if is_text else _drop_number_literal(a_type)


def get_or_create_implementations(function):
    """The overloads of a function, where the compiler looks for them."""
    known = _heddle.overloads.get(function)
    if known is None:
        module = getattr(function, "__module__", None) or ""
        full_name = (
            f"{module.removeprefix('_')}.{_get_function_name(function)}"  # operator's is _operator
        )
        known = _heddle.overloads[function] = Implementations(
            _get_function_name(function), full_name
        )
        if function in names_of_operators:
            _heddle.set_attribute_overloads(names_of_operators[function], _find_attribute_overload)
    return known


def _make_attribute_overload_decorator(typ, name, is_method, options):
    def register_attribute_overload(choose):
        implementations = Implementations(name)
        prefers = options.get("prefer_literal", False)
        implementations.add_overload(choose, options.get("strict", True), prefer_literal=prefers)
        _attributes.setdefault(name, []).append(
            (typ, is_method, implementations, options.get("target", "generic"))
        )
        _heddle.overloads[implementations] = implementations
        _heddle.set_attribute_overloads(name, _find_attribute_overload)
        return choose

    return register_attribute_overload


def type_matches(a_type, wanted):
    """True if a type equals ``wanted``, or is an instance of the class of types ``wanted``."""
    return isinstance(a_type, wanted) if inspect.isclass(wanted) else a_type == wanted


def _find_attribute_overload(object_type, name, target):
    for typ, is_method, implementations, _ in _sort_best_first(_attributes.get(name, ()), target):
        if type_matches(object_type, typ):
            return is_method, implementations
    for find in _finders:
        found = find(object_type, name, target)
        if found is not None:
            return found
    return None


def register_attribute_finder(find, *names):
    """Registers a function of (type, name, target) that finds attributes without an overload.

    ``_find_attribute_overload`` calls it.

    It is called for every attribute of user-defined types, and for attributes with these names of all types.
    """
    _finders.append(find)
    for name in names:
        _heddle.set_attribute_overloads(name, _find_attribute_overload)


# The empty name: for user-defined types the compiler asks for every attribute.
_heddle.set_attribute_overloads("", _find_attribute_overload)


def _sort_best_first(choices, target):
    """Sorts choices, whose last element is their target, so that the best match for ``target`` comes first."""
    order = _targets[target]
    return sorted(
        choices, key=lambda choice: order.index(choice[-1]) if choice[-1] in order else len(order)
    )


def _get_function_name(function):
    return getattr(function, "__name__", repr(function))
