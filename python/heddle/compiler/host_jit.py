"""The decorators ``njit`` and ``jit`` of functions of the host."""

import sys
import types

from heddle import _heddle, config
from heddle.compiler.host_dispatcher import HostDispatcher
from heddle.compiler.object_mode import ObjectModeFunction
from heddle.compiler.signatures import parse_signature
from heddle.missing_names import nearest_name
from heddle.public_function import public

_options = (
    *("nopython", "cache", "fastmath", "error_model", "boundscheck", "nogil", "debug", "inline"),
    *("parallel", "forceinline", "locals", "looplift", "no_cpython_wrapper", "no_cfunc_wrapper"),
    *("no_rewrites", "pipeline_class", "forceobj", "target", "_nrt"),
)


@public
def njit(signature_or_function=None, **options):
    """Compile a Python function for the host: ``@njit``, ``@njit(fastmath=True)``, ``@njit("f8(f8[:])")``.

    signature_or_function: the function; or a signature (string, tuple of types, Signature) or a list of them, for which
        it is compiled at once. Without one it is compiled at each call with new argument types.
    cache: keep compiled code on disk. fastmath: trade accuracy for speed, True or a set of LLVM's flags.
    error_model: 'python' (a division by zero raises ZeroDivisionError) or 'numpy' (it gives an infinity or NaN).
    boundscheck: an index out of bounds raises IndexError. debug: the same, unless boundscheck=False.
    nogil: other threads of the program run while the function does.
    parallel: several threads run the rounds of loops over prange.
    locals: types of variables, as in {"total": float32}: what is assigned to them is converted.
    forceobj: leave the function to Python, with all of Python's objects.
    inline, forceinline, looplift, no_cpython_wrapper and others are taken as hints.
    Raises TypeError for an unknown option, a CompileError (heddle.errors) when the function cannot be compiled.
    Same as numba.njit (numba 0.68, core/decorators).
    """
    return _decorator(signature_or_function, options)


@public
def jit(signature_or_function=None, **options):
    """The same as ``njit``: every function is compiled as a whole, as numba's ``jit`` does since 0.59."""
    return _decorator(signature_or_function, options)


def _decorator(signature_or_function, options):
    compiled = compiled_options(options, "njit")

    @public
    def dispatcher_of(function):
        if config.DISABLE_JIT:
            function.py_func = function
            return function
        if isinstance(function, HostDispatcher):
            function = function.py_func
        if options.get("forceobj"):
            return ObjectModeFunction(function)
        return HostDispatcher(function, options, compiled)

    if signature_or_function is None:
        return dispatcher_of
    if callable(signature_or_function) and not isinstance(
        signature_or_function, (_heddle.Type, _heddle.Signature)
    ):
        return dispatcher_of(signature_or_function)

    several = isinstance(signature_or_function, list)
    given = signature_or_function if several else [signature_or_function]
    signatures = [parse_signature(one) for one in given]

    @public
    def compile_now(function):
        dispatcher = dispatcher_of(function)
        if not config.DISABLE_JIT and not options.get("forceobj"):
            dispatcher.declare_all(signatures)
        return dispatcher

    return compile_now


def compiled_options(options, decorator):
    """What the compiler is told. ``decorator`` is whose options they are.

    Raises TypeError, ValueError or UnsupportedError for what it does not take.
    """
    for name in options:
        if name not in _options:
            near = nearest_name(name, _options)
            raise TypeError(
                f"{decorator} has no option {name!r}"
                + (f"\n  hint: did you mean {near!r}?" if near else "")
            )
    error_model = options.get("error_model", "python")
    if error_model not in ("python", "numpy"):
        raise ValueError(f"error_model is 'python' or 'numpy', not {error_model!r}")
    debug = bool(options.get("debug"))
    boundscheck = options.get("boundscheck")
    if config.BOUNDSCHECK is not None:
        boundscheck = int(config.BOUNDSCHECK)
    return {
        "fastmath": _fastmath_flags(options.get("fastmath", False)),
        "cache": bool(options.get("cache")),
        "nogil": bool(options.get("nogil")),
        "parallel": bool(options.get("parallel")),
        "locals": dict(options.get("locals") or {}),
        "boundscheck": debug if boundscheck is None else bool(boundscheck),
        "zero_division": error_model == "python",
        "opt": True,
    }


_flags = {"nnan", "ninf", "nsz", "arcp", "contract", "afn", "reassoc", "fast"}


def _fastmath_flags(value):
    """The names of LLVM's flags that an option says: True is all of them."""
    if not isinstance(value, (set, frozenset, dict, list, tuple)):
        return ["fast"] if value else []
    unknown = set(value) - _flags
    if unknown:
        raise ValueError(
            f"fastmath has no flag {min(unknown)!r}; its flags are {', '.join(sorted(_flags - {'fast'}))}"
        )
    return sorted(flag for flag in value if not isinstance(value, dict) or value[flag])


@public
def jit_module(**options):
    """Compile every function that the calling module has defined so far, as with ``@jit(**options)``.

    Same as numba.jit_module (numba 0.68, core/decorators).
    """
    module = sys._getframe(1).f_globals
    for name, value in list(module.items()):
        if isinstance(value, types.FunctionType) and value.__module__ == module["__name__"]:
            module[name] = jit(value, **options)
