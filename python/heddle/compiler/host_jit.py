"""The decorators ``njit`` and ``jit`` for host functions."""

import sys
import types

from heddle import _heddle, config
from heddle.compiler.host_dispatcher import HostDispatcher
from heddle.compiler.object_mode import ObjectModeFunction
from heddle.compiler.signatures import parse_signature
from heddle.support.missing_names import find_nearest_name
from heddle.support.public_function import public

_options = (
    *("nopython", "cache", "fastmath", "error_model", "boundscheck", "nogil", "debug", "inline"),
    *("parallel", "forceinline", "locals", "looplift", "no_cpython_wrapper", "no_cfunc_wrapper"),
    *("no_rewrites", "pipeline_class", "forceobj", "target", "_nrt"),
)


@public
def njit(signature_or_function=None, **options):
    """Compiles a Python function for the host: ``@njit``, ``@njit(fastmath=True)``, ``@njit("f8(f8[:])")``.

    signature_or_function: the function, or what to compile for immediately: a signature (a string, a tuple of types or
    a Signature) or a list of signatures. Without a signature, each call with new argument types compiles a variant.
    cache: keeps compiled code on disk. fastmath: trades accuracy for speed; True or a set of LLVM flags.
    error_model: 'python' (division by zero raises ZeroDivisionError) or 'numpy' (it gives an infinity or NaN).
    boundscheck: out-of-bounds indices raise IndexError. debug: the same as boundscheck=True, unless boundscheck=False.
    nogil: releases the GIL while the function runs.
    parallel: runs the iterations of prange loops on several threads.
    locals: types of variables, as in {"total": float32}. Values assigned to them are converted.
    forceobj: leaves the function to the Python interpreter.

    inline, forceinline, looplift, no_cpython_wrapper and others are accepted as hints.
    Raises TypeError for an unknown option, and CompileError (heddle.errors) if compilation fails.
    Same as numba.njit (numba 0.68, core/decorators).

    >>> @njit
    ... def add(a, b):
    ...     return a + b
    >>> add(1, 2)
    3
    """
    return _make_decorator(signature_or_function, options)


@public
def jit(signature_or_function=None, **options):
    """Same as ``njit``. Functions never fall back to the interpreter, as in numba since 0.59.

    >>> @heddle.jit
    ... def add(a, b):
    ...     return a + b
    >>> add(1, 0.5)
    1.5
    """
    return _make_decorator(signature_or_function, options)


def _make_decorator(signature_or_function, options):
    compiled = check_and_convert_njit_options(options, "njit")

    @public
    def make_dispatcher(function):
        if config.DISABLE_JIT:
            function.py_func = function
            return function
        if isinstance(function, HostDispatcher):
            function = function.py_func
        if options.get("forceobj"):
            return ObjectModeFunction(function)
        return HostDispatcher(function, options, compiled)

    if signature_or_function is None:
        return make_dispatcher
    if callable(signature_or_function) and not isinstance(
        signature_or_function, (_heddle.Type, _heddle.Signature)
    ):
        return make_dispatcher(signature_or_function)

    several = isinstance(signature_or_function, list)
    given = signature_or_function if several else [signature_or_function]
    signatures = [parse_signature(one) for one in given]

    @public
    def make_compiled_dispatcher(function):
        dispatcher = make_dispatcher(function)
        if not config.DISABLE_JIT and not options.get("forceobj"):
            dispatcher.compile_only_for(signatures)
        return dispatcher

    return make_compiled_dispatcher


def check_and_convert_njit_options(options, decorator):
    """Converts a decorator's options for the compiler. decorator: its name, for messages.

    Raises TypeError, ValueError or UnsupportedError for invalid options.
    """
    for name in options:
        if name not in _options:
            near = find_nearest_name(name, _options)
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
        "fastmath": _list_fastmath_flags(options.get("fastmath", False)),
        "cache": bool(options.get("cache")),
        "nogil": bool(options.get("nogil")),
        "parallel": bool(options.get("parallel")),
        "locals": dict(options.get("locals") or {}),
        "boundscheck": debug if boundscheck is None else bool(boundscheck),
        "zero_division": error_model == "python",
        "opt": True,
    }


_flags = {"nnan", "ninf", "nsz", "arcp", "contract", "afn", "reassoc", "fast"}


def _list_fastmath_flags(value):
    """The names of the LLVM flags that an option enables; True enables all."""
    if not isinstance(value, (set, frozenset, dict, list, tuple)):
        return ["fast"] if value else []
    unknown = set(value) - _flags
    if unknown:
        raise ValueError(
            f"fastmath has no flag {min(unknown)!r}; the flags are {', '.join(sorted(_flags - {'fast'}))}"
        )
    return sorted(flag for flag in value if not isinstance(value, dict) or value[flag])


@public
def jit_module(**options):
    """Compiles every function that the calling module has defined so far, as with ``@jit(**options)``.

    Same as numba.jit_module (numba 0.68, core/decorators).

    >>> heddle.jit_module(nopython=True)  # below the functions of the module
    """
    module = sys._getframe(1).f_globals
    for name, value in list(module.items()):
        if isinstance(value, types.FunctionType) and value.__module__ == module["__name__"]:
            module[name] = jit(value, **options)
