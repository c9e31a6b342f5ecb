"""``intrinsic``: functions whose code a program builds with llvmlite, for kernels and functions of the host."""

import functools
import importlib.util
import inspect
import itertools

from heddle import _heddle, types
from heddle.errors import HeddleError, LoweringError, TypingError

_numbers = itertools.count(1)


def intrinsic(*arguments, prefer_literal=False, **options):
    """A decorator of a function that chooses, by the types of a call's arguments, code that it builds itself.

    @intrinsic
    def popcount(typingctx, x):                           called while compiling, with the types of the arguments
        def codegen(context, builder, signature, args):   called with LLVM values, builds the code, returns the result's
            return builder.ctpop(args[0])
        return types.uint64(types.uint64), codegen        None: there is none for these types

    Kernels and functions of the host call it. Needs the package llvmlite, whose builder the code uses;
    numba.core.cgutils has more to build with. A value is what numba makes of its type (heddle.codegen.layouts).
    prefer_literal: whether constants' types are offered first as those of literals.
    Same as numba.extending.intrinsic, without what numba's own compiler does for such code (compile_internal, memory).
    """

    def decorate(function):
        made = Intrinsic(function, prefer_literal)
        _heddle.overloads[made] = made
        return made

    if arguments and inspect.isfunction(arguments[0]):
        return decorate(arguments[0])
    return decorate


class Intrinsic:
    """A function that ``intrinsic`` made. The compiler asks ``choose``."""

    takes_literals = True

    def __init__(self, function, prefer_literal):
        functools.update_wrapper(self, function)
        self._function, self._prefer_literal = function, prefer_literal

    def __call__(self, *args, **kwargs):
        raise NotImplementedError(
            f"{self.__name__} is an intrinsic: only kernels and functions of the host can call it"
        )

    def choose(self, arguments, named, target):
        """The function for these types in code for a target; None when there is none."""
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
                return self._compiled(chosen, target)
        if problem is not None:
            raise problem
        return None

    def _compiled(self, chosen, target):
        if not (isinstance(chosen, tuple) and len(chosen) == 2 and callable(chosen[1])):
            raise TypingError(
                f"the intrinsic {self.__name__} returned {chosen!r}, not a signature and a function that builds code"
            )
        signature, codegen = chosen
        if not isinstance(signature, _heddle.Signature) or signature.return_type is None:
            raise TypingError(
                f"the intrinsic {self.__name__} returned {signature!r} for a signature\n"
                "  hint: write it as result_type(argument_type, ...)"
            )
        return function_of_code(self.__name__, signature, codegen, target)

    def __reduce__(self):
        return _of_function, (self._function, self._prefer_literal)


def function_of_code(name, signature, codegen, target, parameters=()):
    """What compiled code calls where a program builds the code itself, for a target.

    codegen: called with (context, builder, signature, arguments) to build it. parameters: names, for calls by them.
    """
    if importlib.util.find_spec("llvmlite") is None:
        raise LoweringError(
            f"the code of {name} is built with llvmlite, which is not installed\n"
            "  hint: pip install llvmlite"
        )
    from heddle.codegen.functions import text_of_function  # late: needs llvmlite
    from heddle.codegen.internal_calls import InternalCall  # late: as above

    symbol = f"{name}.{next(_numbers)}"
    text = text_of_function(symbol, signature, codegen, target)
    if isinstance(text, InternalCall):
        return text.function
    plain = types.signature(*map(types.unliteral, (signature.return_type, *signature.args)))
    return _heddle.DeclaredFunction.of_ir(name, plain, symbol, text, list(parameters))


def _of_function(function, prefer_literal):
    return intrinsic(prefer_literal=prefer_literal)(function)
