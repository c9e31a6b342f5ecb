"""``intrinsic``: functions whose code a program generates with llvmlite, for kernels and host functions."""

import functools
import importlib.util
import inspect
import itertools

from heddle import _heddle, types
from heddle.errors import HeddleError, LoweringError, TypingError

_numbers = itertools.count(1)


def intrinsic(*arguments, prefer_literal=False, **options):
    """Decorates a function that selects a code generator by the argument types of a call.

    @intrinsic
    def popcount(typingctx, x):                           called at compile time with the argument types
        def codegen(context, builder, signature, args):   called with LLVM values; generates code, returns the result
            return builder.ctpop(args[0])
        return types.uint64(types.uint64), codegen        None: these types are not supported

    Kernels and host functions can call it. It needs the package llvmlite, whose builder the code uses;
    numba.core.cgutils has helpers. Values have numba's layout for their type (heddle.codegen.layouts).
    prefer_literal: try literal types for constants first. Same as numba.extending.intrinsic, without services of
    numba's compiler (memory management, most of compile_internal).
    """

    def make_intrinsic(function):
        made = Intrinsic(function, prefer_literal)
        _heddle.overloads[made] = made
        return made

    if arguments and inspect.isfunction(arguments[0]):
        return make_intrinsic(arguments[0])
    return make_intrinsic


class Intrinsic:
    """A function made by ``intrinsic``. The compiler calls ``choose_implementation``."""

    takes_literals = True

    def __init__(self, function, prefer_literal):
        functools.update_wrapper(self, function)
        self._function, self._prefer_literal = function, prefer_literal

    def __call__(self, *args, **kwargs):
        raise NotImplementedError(
            f"{self.__name__} is an intrinsic: only kernels and host functions can call it"
        )

    def choose_implementation(self, arguments, named, target):
        """The function for these types on a target; None if there is none."""
        plain = [types.unliteral(argument) for argument in arguments]
        tries = [arguments, plain] if self._prefer_literal else [plain, arguments]
        problem = None
        for given in tries:
            try:
                chosen = self._function(None, *given, **named)
            except HeddleError as error:
                problem = error
                continue
            if chosen is not None:
                return self._compile(chosen, target)
        if problem is not None:
            raise problem
        return None

    def _compile(self, chosen, target):
        if not (isinstance(chosen, tuple) and len(chosen) == 2 and callable(chosen[1])):
            raise TypingError(
                f"the intrinsic {self.__name__} returned {chosen!r}, not a signature and a code generator"
            )
        signature, codegen = chosen
        if not isinstance(signature, _heddle.Signature) or signature.return_type is None:
            raise TypingError(
                f"the intrinsic {self.__name__} returned {signature!r} for a signature\n"
                "  hint: write it as result_type(argument_type, ...)"
            )
        return make_generated_function(self.__name__, signature, codegen, target)

    def __reduce__(self):
        return _restore_intrinsic, (self._function, self._prefer_literal)


def make_generated_function(name, signature, codegen, target, parameters=()):
    """Makes the function that compiled code calls, from a program's code generator, for a target.

    codegen: called with (context, builder, signature, arguments). parameters: names, for keyword arguments.
    """
    if importlib.util.find_spec("llvmlite") is None:
        raise LoweringError(
            f"the code of {name} is generated with llvmlite, which is not installed\n"
            "  hint: pip install llvmlite"
        )
    from heddle.codegen.functions import generate_function_text  # late: needs llvmlite
    from heddle.codegen.internal_calls import InternalCall  # late: as above

    symbol = f"{name}.{next(_numbers)}"
    text = generate_function_text(symbol, signature, codegen, target)
    if isinstance(text, InternalCall):
        return text.function
    plain = types.signature(*map(types.unliteral, (signature.return_type, *signature.args)))
    return _heddle.DeclaredFunction.of_ir(name, plain, symbol, text, list(parameters))


def _restore_intrinsic(function, prefer_literal):
    return intrinsic(prefer_literal=prefer_literal)(function)
