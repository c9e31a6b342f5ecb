"""The base class of compiled functions: kernels, device functions and host functions."""

import functools
import sys
import types

from heddle import _heddle
from heddle.compiler.cache_stats import CacheStats
from heddle.compiler.pickling import CopiedAsItself, make_picklable_alias, reduce_function
from heddle.compiler.signatures import parse_signature
from heddle.support.public_function import public


class BaseDispatcher(CopiedAsItself):
    """A decorated function with its compiled variants. ``py_func`` is the original function.

    Subclasses also derive from a class of ``_heddle.BaseDispatcher``, which owns the variants.
    """

    __numba__ = "py_func"  # some programs recognize jitted functions by this attribute
    _kind = "function"  # for repr()

    def __init__(self, function, options, compiled_options):
        super().__init__(function, compiled_options)
        functools.update_wrapper(self, function, updated=())
        self.targetoptions = dict(options)
        self._declared = []

    def compile_only_for(self, signatures):
        """Compiles for these signatures. From now on, calls convert their arguments to one of them."""
        for signature in signatures:
            self._compile_signature(signature)
            self._declared.append(signature)
        self.disable_compile()

    def _compile_signature(self, signature):
        self.declare(signature)

    @public
    def recompile(self):
        """Recompiles with the current globals; a kernel for undeclared types at its next launch."""
        super().recompile()

    @property
    def declared(self):
        """The signatures passed to the decorator, a tuple."""
        return tuple(self._declared)

    @property
    def overloads(self):
        """The compiled variants: a dict from argument types to variants."""
        return {self._get_argument_types(variant): variant for variant in self.variants()}

    @property
    def signatures(self):
        """The argument types of the compiled variants: a list of tuples of types."""
        return [self._get_argument_types(variant) for variant in self.variants()]

    @property
    def nopython_signatures(self):
        """Like ``signatures``, but with Signature objects that include return types."""
        return [variant.signature for variant in self.variants()]

    @public
    def inspect_asm(self, signature=None):
        """The assembly for a signature, PTX for GPUs; without one, a dict by argument types."""
        return self._read_from_variants(signature, lambda variant: variant.assembly)

    def inspect_types(self, file=None, signature=None, **kwargs):
        """Prints every value in the function and in the functions it calls, with its type and line."""
        for args, variant in self._select_variants(signature):
            print(f"{self.py_func.__name__} {args}", file=file or sys.stdout)
            print(variant.typed_source, file=file or sys.stdout)

    @property
    def func_code(self):
        """The bytecode of the original function."""
        return self.py_func.__code__

    @property
    def doc(self):
        """The function's docstring."""
        return self.py_func.__doc__

    @property
    def stats(self):
        """The disk cache statistics: an object with cache_hits and cache_misses."""
        return CacheStats(self)

    def typeof_pyval(self, value):
        """The type for which the function is compiled if this value is an argument."""
        return _heddle.typeof(value)

    def _get_argument_types(self, variant):
        """The argument types of a variant: its key in ``overloads``."""
        return variant.signature.args

    def _select_variants(self, signature):
        """Pairs of argument types and variants: all, or those of a signature."""
        args = None if signature is None else parse_signature(signature).args
        for variant in self.variants():
            if args in (None, self._get_argument_types(variant)):
                yield self._get_argument_types(variant), variant

    def _read_from_variants(self, signature, read):
        """Returns ``read(variant)`` for a signature; without one, a dict by argument types."""
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
        return f"<heddle {self._kind} {self.py_func.__qualname__}>"

    def __reduce__(self):
        return reduce_function(
            self, _restore_function, *self._get_pickle_factory_and_arguments(), self._declared
        )

    def _get_pickle_factory_and_arguments(self):
        """A factory and its arguments after ``py_func``, which recreate this object without its signatures."""
        raise NotImplementedError

    @property
    def _picklable_alias(self):
        return make_picklable_alias(self)


def _restore_function(function, make, arguments, declared):
    """Restores a pickled function."""
    dispatcher = make(function, *arguments)
    if declared:
        dispatcher.compile_only_for(declared)
    return dispatcher


def require_compilable_function(function, decorator, hint_for_classes=None):
    """Raises TypeError for an object that the named decorator cannot compile."""
    if isinstance(function, (staticmethod, classmethod)):
        raise TypeError(
            f"{decorator} compiles Python functions: put @{type(function).__name__} above @{decorator}"
        )
    if not isinstance(function, types.FunctionType):
        hint = "write a function with def, and call what it needs from there"
        if hint_for_classes and isinstance(function, type):
            hint = hint_for_classes
        raise TypeError(f"{decorator} compiles Python functions, not {function!r}\n  hint: {hint}")
