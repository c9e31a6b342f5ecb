"""``njit``: functions of the host that are compiled when they are called."""

import functools
import importlib
import pickle
import sys
import types

from heddle import _heddle
from heddle.compiler.cache_stats import CacheStats
from heddle.compiler.signatures import parse_signature
from heddle.public_function import public


class HostDispatcher(_heddle.HostFunctionBase):
    """A compiled function of the host. Made by ``njit``; see there. ``py_func`` is the function as it was written."""

    def __init__(self, function, options, compiled_options):
        _require_function(function)
        super().__init__(function, compiled_options)
        functools.update_wrapper(self, function, updated=())
        self.targetoptions = dict(options)

    def __get__(self, instance, owner=None):
        """As a method: the instance becomes the first argument."""
        return self if instance is None else types.MethodType(self, instance)

    def declare_all(self, signatures):
        """Compile for these signatures now. Calls then take no others; arguments are converted to them."""
        for signature in signatures:
            self.declare(signature)
        self.disable_compile()

    @public
    def compile(self, signature):
        """Compile for one more signature (string, tuple of types, or Signature) ahead of its calls."""
        return self.declare(parse_signature(signature))

    @property
    def overloads(self):
        """What was compiled so far: a dict from argument types to the compiled variant."""
        return {variant.signature.args: variant for variant in self.variants()}

    @property
    def signatures(self):
        """The argument types that were compiled so far, a list of tuples of types."""
        return [variant.signature.args for variant in self.variants()]

    @property
    def nopython_signatures(self):
        """The same as signatures, with their results."""
        return [variant.signature for variant in self.variants()]

    @property
    def stats(self):
        """How often the disk cache had what was needed: an object with cache_hits and cache_misses."""
        return CacheStats(self)

    @public
    def inspect_llvm(self, signature=None):
        """The optimized LLVM IR of a signature; a dict by argument types without one."""
        return self._inspect(signature, lambda variant: variant.llvm_ir)

    @public
    def inspect_asm(self, signature=None):
        """The processor's instructions; a dict by argument types without a signature."""
        return self._inspect(signature, lambda variant: variant.assembly)

    def inspect_types(self, file=None, signature=None, **kwargs):
        """Print every value of the function, and of what it calls, with its type and line."""
        for args, variant in self.overloads.items():
            if signature is None or args == parse_signature(signature).args:
                print(f"{self.py_func.__name__} {args}", file=file or sys.stdout)
                print(variant.typed_source, file=file or sys.stdout)

    def _inspect(self, signature, read):
        overloads = self.overloads
        if signature is None:
            return {args: read(variant) for args, variant in overloads.items()}
        args = parse_signature(signature).args
        if args not in overloads:
            known = "\n  ".join(str(args) for args in overloads) or "nothing yet"
            raise KeyError(
                f"{self.py_func.__name__} is not compiled for {args}; it is for\n  {known}"
            )
        return read(overloads[args])

    def __repr__(self):
        return f"<heddle function {self.py_func.__qualname__}>"

    def __reduce__(self):
        function = self.py_func
        found = sys.modules.get(function.__module__)
        for part in function.__qualname__.split("."):
            found = getattr(found, part, None)
        if found is not self:
            raise pickle.PicklingError(
                f"cannot pickle {self!r}: it is not the global '{function.__qualname__}' of module "
                f"'{function.__module__}'; move it to the top level of a module"
            )
        return _load, (function.__module__, function.__qualname__)


def _require_function(function):
    if isinstance(function, (staticmethod, classmethod)):
        raise TypeError(
            f"njit compiles Python functions: put @{type(function).__name__} above @njit"
        )
    if not isinstance(function, types.FunctionType):
        raise TypeError(
            f"njit compiles Python functions, not {function!r}\n"
            "  hint: write a function with def, and call what it needs from there"
        )


def _load(module, qualified_name):
    found = importlib.import_module(module)  # late: the user's module
    for part in qualified_name.split("."):
        found = getattr(found, part)
    return found
