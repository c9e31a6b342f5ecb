"""``njit``: host functions that are compiled when they are called."""

import functools
import inspect
import types

from heddle import _heddle
from heddle.compiler.base_dispatcher import BaseDispatcher, require_compilable_function
from heddle.compiler.control_flow import ControlFlow
from heddle.compiler.signatures import holds_functions, parse_signature, takes_functions
from heddle.support.public_function import public
from heddle.types import FunctionType, literal, typeof


class EntryPoint:
    """The result of ``compile()``: the function for one signature, with the attributes of the compiled variant."""

    def __init__(self, dispatcher, signature, variant):
        self._dispatcher, self._signature, self._variant = dispatcher, signature, variant

    @functools.cached_property
    def _single_signature_dispatcher(self):
        """A dispatcher with only this signature, so that calls do not select another one."""
        of = self._dispatcher
        made = type(of)(of.py_func, of.targetoptions, of.compiled_options)
        made.compile_only_for([self._signature])
        return made

    @property
    def entry_point(self):
        return self

    @public
    def __call__(self, *args, **keywords):
        return self._single_signature_dispatcher(*args, **keywords)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._variant, name)

    def __repr__(self):
        return f"<{self._dispatcher.__name__} compiled for {self._variant.signature}>"


class HostDispatcher(BaseDispatcher, _heddle.HostFunctionBase):
    """A compiled host function, created by ``njit``. ``py_func`` is the original function."""

    def __init__(self, function, options, compiled_options):
        require_compilable_function(function, "njit")
        super().__init__(function, options, compiled_options)
        self._compiled_options = compiled_options

    @public
    def __getitem__(self, configuration):
        name = self.py_func.__name__
        raise TypeError(
            f"{name} is a host function, which is called without brackets: {name}(...)\n"
            "  hint: decorate it with @cuda.jit to make it a kernel"
        )

    def __get__(self, instance, owner=None):
        """Binds a method: the instance becomes the first argument."""
        return self if instance is None else types.MethodType(self, instance)

    def _compile_signature(self, signature):
        if takes_functions(signature):
            DeclaredForFunctions.add_function_signature(self, signature)
        else:
            super()._compile_signature(signature)

    @public
    def compile(self, signature):
        """Compiles for a signature (string, tuple of types, or Signature) ahead of calls.

        Returns an EntryPoint, which converts its arguments to the types of the signature.
        """
        parsed = parse_signature(signature)
        return EntryPoint(self, parsed, self.declare(parsed))

    @property
    def compiled_options(self):
        """The options that affect the code."""
        return self._compiled_options

    @public
    def inspect_llvm(self, signature=None):
        """The optimized LLVM IR for a signature; without one, a dict by argument types."""
        return self._read_from_variants(signature, lambda variant: variant.llvm_ir)

    @public
    def inspect_cfg(self, signature=None, show_wrapper=None, **kwargs):
        """The control-flow graph of the LLVM IR, a ControlFlow; without a signature, a dict by argument types."""
        name = self.py_func.__name__
        return self._read_from_variants(
            signature, lambda variant: ControlFlow(variant.llvm_ir, name)
        )

    def get_metadata(self, signature=None):
        """The notes of ``parallel_diagnostics`` for a signature, as a dict; without a signature, a dict of these by
        argument types."""
        return self._read_from_variants(
            signature, lambda variant: {"parallel_notes": list(variant.parallel_notes)}
        )

    def parallel_diagnostics(self, signature=None, level=1):
        """Prints which ``prange`` loops and array expressions run in parallel, by line, and why others do not.

        level: 1, or 2 and above to include each expression that was fused into another one.
        """
        for args, variant in self._select_variants(signature):
            print(f"{self.py_func.__name__} {args}, {self.py_func.__code__.co_filename}:")
            for line, text, is_detail in variant.parallel_notes:
                if level > 1 or not is_detail:
                    print(f"  line {line}: {text}")

    def _get_argument_types(self, variant):
        args = variant.signature.args
        return tuple(literal(a.literal_value) if hasattr(a, "literal_value") else a for a in args)

    @property
    def __code__(self):
        return self.py_func.__code__

    def _get_pickle_factory_and_arguments(self):
        return HostDispatcher, (self.targetoptions, self._compiled_options)


class DeclaredForFunctions(HostDispatcher):
    """A function with a declared signature that takes functions. It is compiled when a call passes the functions."""

    def add_function_signature(self, signature):
        """Adds the signature to a dispatcher. Its calls become slower."""
        self.__class__ = DeclaredForFunctions
        self.__dict__.setdefault("_function_signatures", []).append(signature)

    @public
    def __call__(self, *args, **kwargs):
        if kwargs or len(args) != self.py_func.__code__.co_argcount:
            bound = inspect.signature(self.py_func).bind(*args, **kwargs)
            bound.apply_defaults()
            args = bound.args
        for signature in self._function_signatures:
            self._compile_for_functions(signature, args)
        return super().__call__(*args)

    def _compile_for_functions(self, signature, args):
        """Compiles for the functions among the arguments, if the arguments match the signature's function types."""
        if len(args) != len(signature.args):
            return
        given = list(signature.args)
        for i, (arg, declared) in enumerate(zip(args, signature.args, strict=True)):
            if holds_functions(declared):
                if not _matches_function_types(arg, declared):
                    return
                given[i] = typeof(arg)
        if tuple(given) not in self.overloads:
            self.declare(_heddle.Signature(signature.return_type, given))


def _matches_function_types(arg, declared):
    """True if the argument is a function, or a tuple with functions, where the declared type requires that."""
    if FunctionType.find_by_stand_in(declared):
        return isinstance(arg, (HostDispatcher, _heddle.CFunctionBase))
    if not holds_functions(declared):
        return True
    return (
        isinstance(arg, tuple)
        and len(arg) == len(declared.types)
        and all(map(_matches_function_types, arg, declared.types))
    )
