"""Implementations for kernels of functions, methods and attributes, written in Python, as in ``numba.extending``.

@overload(clamp)                     def clamp is any function, of heddle's or not
def clamp_in_kernels(x, low, high):  called while compiling, with the types of the arguments
    if isinstance(x, types.Float):
        return lambda x, low, high: min(max(x, low), high)      compiled for the call
                                     None: another overload may take these types
"""

import functools
import importlib
import inspect

from heddle import _heddle, types
from heddle.codegen.intrinsics import intrinsic
from heddle.compiler.cython_functions import get_cython_function_address
from heddle.compiler.dispatcher import Dispatcher
from heddle.compiler.host_dispatcher import HostDispatcher
from heddle.errors import TypingError
from heddle.extension.operators import names_of_operators, operator_of
from heddle.missing_names import missing_name as _missing_name

__all__ = [
    "get_cython_function_address",
    "intrinsic",
    "is_jitted",
    "overload",
    "overload_attribute",
    "overload_classmethod",
    "overload_method",
    "register_jitable",
]

_finders = [operator_of]  # see find_attributes_by
_attributes = {}  # name -> list of (type, whether it is a method, implementations, target)

# What code is compiled for -> the targets of overloads for it, best first; those that are for others come last.
_targets = {"cuda": ("cuda", "gpu", "generic"), "cpu": ("cpu", "generic")}


def overload(function, jit_options=None, strict=True, inline="never", target="generic", **options):
    """Implement ``function`` for kernels: a decorator of a function that chooses by the types of the arguments.

    function: what kernels call: any function, also a builtin or NumPy's. The decorated function is called while a
        kernel is compiled, with a type (heddle.types) for each argument of the call, and returns the implementation,
        a Python function with the same parameters, or None when it has none for these types. Overloads are asked in
        the order of their definition, then heddle's own implementation.
    target: "cuda" for kernels, "cpu" for functions of the host; these are asked before those that are "generic".
    strict: the implementation's parameters must have the same names.
    prefer_literal: the decorated function is asked with the types of literals first: of the integer 1 it is given
        types.literal(1). Else it is asked so only where it returns None, or raises a TypingError, for int64.
    jit_options, inline and other options of numba's are accepted and mean nothing: every implementation is inlined.
    """

    def register(choose):
        prefers = options.get("prefer_literal", False)
        implementations_of(function).add(choose, strict, target, prefers)
        return choose

    return register


def overload_method(typ, name, **options):
    """Implement the method ``name`` of a type for kernels; as ``overload``, the object is the first argument.

    typ: a class of types, such as types.Array, or one type.
    """
    return _register_attribute(typ, name, True, options)


def overload_attribute(typ, name, **options):
    """Implement the attribute ``name`` of a type for kernels, as overload_method does: it is given the object."""
    return _register_attribute(typ, name, False, options)


def overload_classmethod(typ, name, **options):
    """Implement the method ``name`` of a type itself, as in ``np.float32.name(x)``, for kernels.

    As overload_method; the first argument is the type, and its type a types.TypeRef.
    """
    return _register_attribute(typ, f"class.{name}", True, options)


def register_jitable(*arguments, **options):
    """Let kernels call the decorated function, which stays an ordinary function of Python's."""

    def register(function):
        dispatcher = Dispatcher(function, {"device": True})
        _heddle.overloads[function] = Implementations(_name_of(function))
        _heddle.overloads[function].add(lambda *args, **named: dispatcher, strict=False)
        return function

    return register if options else register(*arguments)


def is_jitted(function):
    """Whether ``function`` was made by cuda.jit or njit."""
    return isinstance(function, (Dispatcher, HostDispatcher))


class Implementations:
    """What kernels call for one function, method or attribute; the compiler asks ``choose``."""

    takes_literals = True  # the compiler gives the types of constants as those of literals

    def __init__(self, name, full_name=None):
        """full_name: what the library of functions of the host may have it as, ``builtins.float`` say."""
        self.name = name
        self.__name__ = name
        self._full_name = full_name
        self._choices = []

    def add(self, choose, strict=True, target="generic", prefer_literal=False):
        """Ask an overload, ``choose``."""
        self.add_choice(Overload(choose, strict, prefer_literal), target)

    def add_choice(self, choice, target="generic"):
        """Ask an object with a method ``found``, as an Overload has."""
        self._choices.append((choice, target))

    def choose(self, arguments, named, target):
        """The device function for these types in code for a target; None when there is none."""
        found = _first(
            functools.partial(choice.found, self.name, arguments, named, target)
            for choice, _ in _best_first(self._choices, target)
        )
        return self._of_library(arguments, named, target) if found is None else found

    def _of_library(self, arguments, named, target):
        if target != "cpu" or self._full_name is None:
            return None
        from heddle.host_library import implementations  # late: it compiles

        if self._full_name not in implementations:
            return None
        given = list(map(_of_any_number, arguments))
        named = {name: _of_any_number(a_type) for name, a_type in named.items()}
        return implementations[self._full_name].choose(given, named, target)


class Overload:
    """A function that ``overload`` decorates."""

    def __init__(self, choose, strict, prefer_literal):
        self._choose, self._strict, self._prefer_literal = choose, strict, prefer_literal

    def found(self, name, arguments, named, target):
        """The implementation for these types; None when it has none."""
        found = self._asked(arguments, named, target) if self._takes(arguments, named) else None
        if found is None or isinstance(found, Dispatcher):
            return found
        if not inspect.isfunction(found):
            raise TypingError(f"the overload of {name} returned {found!r}, not a function or None")
        if self._strict and list(inspect.signature(self._choose).parameters) != list(
            inspect.signature(found).parameters
        ):
            raise TypingError(
                f"an implementation of {name} has the parameters {inspect.signature(found)}, its overload "
                f"{inspect.signature(self._choose)}: they must be the same"
            )
        return Dispatcher(found, {"device": True})

    def _takes(self, arguments, named):
        """Whether a call with these arguments gives each parameter a value."""
        try:
            inspect.signature(self._choose).bind(*arguments, **named)
        except TypeError:
            return False
        return True

    def _asked(self, arguments, named, target):
        """What it returns for values as such, or as literals where it prefers these or does not take the others."""
        of_any = _of_any_value if target == "cpu" else _of_any_number
        plain = (
            [of_any(a) for a in arguments],
            {name: of_any(a) for name, a in named.items()},
        )
        tries = [plain] if plain == (list(arguments), named) else [plain, (arguments, named)]
        return _first(
            functools.partial(self._choose, *args, **names)
            for args, names in (reversed(tries) if self._prefer_literal else tries)
        )


def _first(questions):
    """The first answer that is not None; without one the first TypingError: another question may fit these types."""
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


def _of_any_number(a_type):
    is_number = isinstance(a_type, (types.IntegerLiteral, types.BooleanLiteral))
    return a_type.literal_type if is_number and not a_type.is_wanted else a_type


def _of_any_value(a_type):
    """Strings of kernels are constants."""
    is_text = isinstance(a_type, types.StringLiteral) and not a_type.is_wanted
    return a_type.literal_type if is_text else _of_any_number(a_type)


def implementations_of(function):
    """What the compiler asks for implementations of a function that programs have given."""
    known = _heddle.overloads.get(function)
    if known is None:
        module = getattr(function, "__module__", None) or ""
        full_name = f"{module.removeprefix('_')}.{_name_of(function)}"  # operator's is _operator
        known = _heddle.overloads[function] = Implementations(_name_of(function), full_name)
        if function in names_of_operators:
            _heddle.set_attribute_overloads(names_of_operators[function], _find_attribute)
    return known


def _register_attribute(typ, name, is_method, options):
    def register(choose):
        implementations = Implementations(name)
        prefers = options.get("prefer_literal", False)
        implementations.add(choose, options.get("strict", True), prefer_literal=prefers)
        _attributes.setdefault(name, []).append(
            (typ, is_method, implementations, options.get("target", "generic"))
        )
        _heddle.overloads[implementations] = implementations
        _heddle.set_attribute_overloads(name, _find_attribute)
        return choose

    return register


def is_of(a_type, wanted):
    """Whether a type is ``wanted``, or of the class of types ``wanted``."""
    return isinstance(a_type, wanted) if inspect.isclass(wanted) else a_type == wanted


def _find_attribute(object_type, name, target):
    for typ, is_method, implementations, _ in _best_first(_attributes.get(name, ()), target):
        if is_of(object_type, typ):
            return is_method, implementations
    for find in _finders:
        found = find(object_type, name, target)
        if found is not None:
            return found
    return None


def find_attributes_by(find, *names):
    """Ask a function of a type, a name and a target for attributes that no overload gives: see _find_attribute.

    It is asked for every attribute of a program's own types, and for those of these names of all types.
    """
    _finders.append(find)
    for name in names:
        _heddle.set_attribute_overloads(name, _find_attribute)


# Without a name: of a program's own types the compiler asks for every attribute.
_heddle.set_attribute_overloads("", _find_attribute)


def _best_first(choices, target):
    """Choices, whose last part is their target, in the order in which code for ``target`` takes them."""
    order = _targets[target]
    return sorted(
        choices, key=lambda choice: order.index(choice[-1]) if choice[-1] in order else len(order)
    )


def _name_of(function):
    return getattr(function, "__name__", repr(function))


# Names of numba.extending for types and functions of a program's own -> the modules that have them.
_of_extension = {
    "NativeValue": "boxing",
    "as_numba_type": "naming",
    "box": "boxing",
    "infer": "typing",
    "infer_getattr": "typing",
    "infer_global": "typing",
    "lower": "lowering",
    "lower_builtin": "lowering",
    "lower_cast": "lowering",
    "lower_getattr": "lowering",
    "lower_getattr_generic": "lowering",
    "lower_setattr": "lowering",
    "lower_setattr_generic": "lowering",
    "make_attribute_wrapper": "models",
    "register_default": "models",
    "register_model": "models",
    "type_callable": "typing",
    "typeof_impl": "naming",
    "unbox": "boxing",
}
_loaded_late = ["models", *_of_extension]
__all__ += _loaded_late


def __getattr__(name):
    if name in ("models", "core_models"):
        return importlib.import_module("heddle.extension.models")  # late: few programs need it
    if name in _of_extension:
        module = f"heddle.extension.{_of_extension[name]}"
        return getattr(importlib.import_module(module), name)  # late: few programs need it
    raise _missing_name("heddle.cuda.extending", name)
