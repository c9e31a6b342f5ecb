"""``njit``: functions of the host that are compiled when they are called."""

import functools
import inspect
import sys
import types

from heddle import _heddle
from heddle.compiler.control_flow import ControlFlow
from heddle.compiler.described_function import DescribedFunction
from heddle.compiler.pickling import ItsOwnCopy, alias, reduced
from heddle.compiler.signatures import holds_functions, parse_signature, takes_functions
from heddle.public_function import public
from heddle.types import FunctionType, literal, typeof


class EntryPoint:
    """What ``compile()`` returns: the function for one signature, with the attributes of the compiled variant."""

    def __init__(self, dispatcher, signature, variant):
        self._dispatcher, self._signature, self._variant = dispatcher, signature, variant

    @functools.cached_property
    def _alone(self):
        """The function that has no other signature: calls choose none by their arguments."""
        of = self._dispatcher
        made = type(of)(of.py_func, of.targetoptions, of.compiled_options)
        made.declare_all([self._signature])
        return made

    @property
    def entry_point(self):
        return self

    @public
    def __call__(self, *args, **keywords):
        return self._alone(*args, **keywords)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._variant, name)

    def __repr__(self):
        return f"<{self._dispatcher.__name__} compiled for {self._variant.signature}>"


class HostDispatcher(ItsOwnCopy, DescribedFunction, _heddle.HostFunctionBase):
    """A compiled function of the host. Made by ``njit``; see there. ``py_func`` is the function as it was written."""

    def __init__(self, function, options, compiled_options):
        require_function(function, "njit")
        super().__init__(function, compiled_options)
        functools.update_wrapper(self, function, updated=())
        self.targetoptions = dict(options)
        self._compiled_options = compiled_options
        self._declared = []

    def __get__(self, instance, owner=None):
        """As a method: the instance becomes the first argument."""
        return self if instance is None else types.MethodType(self, instance)

    def declare_all(self, signatures):
        """Compile for these signatures now. Calls then take no others; arguments are converted to them."""
        for signature in signatures:
            if takes_functions(signature):
                DeclaredForFunctions.adopt(self, signature)
            else:
                self.declare(signature)
            self._declared.append(signature)
        self.disable_compile()

    @public
    def compile(self, signature):
        """Compile for one more signature (string, tuple of types, or Signature) ahead of its calls.

        Returns what was compiled; a call of it converts the arguments to the types of the signature.
        """
        parsed = parse_signature(signature)
        return EntryPoint(self, parsed, self.declare(parsed))

    @property
    def declared(self):
        """The signatures that ``njit`` was given, a tuple."""
        return tuple(self._declared)

    @property
    def compiled_options(self):
        """The options that make a difference to the code."""
        return self._compiled_options

    @property
    def overloads(self):
        """What was compiled so far: a dict from argument types to the compiled variant."""
        return {_with_literals(variant.signature.args): variant for variant in self.variants()}

    @property
    def signatures(self):
        """The argument types that were compiled so far, a list of tuples of types."""
        return [_with_literals(variant.signature.args) for variant in self.variants()]

    @property
    def nopython_signatures(self):
        """The same as signatures, with their results."""
        return [variant.signature for variant in self.variants()]

    @public
    def inspect_llvm(self, signature=None):
        """The optimized LLVM IR of a signature; a dict by argument types without one."""
        return self._inspect(signature, lambda variant: variant.llvm_ir)

    @public
    def inspect_asm(self, signature=None):
        """The processor's instructions; a dict by argument types without a signature."""
        return self._inspect(signature, lambda variant: variant.assembly)

    @public
    def inspect_cfg(self, signature=None, show_wrapper=None, **kwargs):
        """The blocks of the LLVM IR and the ways between them, a ControlFlow; a dict by argument types without a
        signature."""
        name = self.py_func.__name__
        return self._inspect(signature, lambda variant: ControlFlow(variant.llvm_ir, name))

    def get_metadata(self, signature=None):
        """What is known of how a signature was compiled, the notes of ``parallel_diagnostics``; a dict by argument
        types without one."""
        return self._inspect(
            signature, lambda variant: {"parallel_notes": list(variant.parallel_notes)}
        )

    def inspect_types(self, file=None, signature=None, **kwargs):
        """Print every value of the function, and of what it calls, with its type and line."""
        for args, variant in self.overloads.items():
            if signature is None or args == parse_signature(signature).args:
                print(f"{self.py_func.__name__} {args}", file=file or sys.stdout)
                print(variant.typed_source, file=file or sys.stdout)

    def parallel_diagnostics(self, signature=None, level=1):
        """Print by line which loops over ``prange`` and array expressions the threads share, and why not others.

        level: 1, or 2 (and above, as numba has) for each expression that became part of another one, too.
        """
        for args, variant in self.overloads.items():
            if signature is None or args == parse_signature(signature).args:
                print(f"{self.py_func.__name__} {args}, {self.py_func.__code__.co_filename}:")
                for line, text, is_detail in variant.parallel_notes:
                    if level > 1 or not is_detail:
                        print(f"  line {line}: {text}")

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

    @property
    def __code__(self):
        return self.py_func.__code__

    def __repr__(self):
        return f"<heddle function {self.py_func.__qualname__}>"

    def __reduce__(self):
        return reduced(self, _made_anew, self.targetoptions, self._compiled_options, self._declared)

    @property
    def _as_pickled(self):
        return alias(self)


def _made_anew(function, options, compiled_options, declared):
    """A function of another process, here."""
    dispatcher = HostDispatcher(function, options, compiled_options)
    if declared:
        dispatcher.declare_all(declared)
    return dispatcher


def require_function(function, decorator):
    """Raises TypeError for what the decorator of that name cannot compile."""
    if isinstance(function, (staticmethod, classmethod)):
        raise TypeError(
            f"{decorator} compiles Python functions: put @{type(function).__name__} above @{decorator}"
        )
    if not isinstance(function, types.FunctionType):
        raise TypeError(
            f"{decorator} compiles Python functions, not {function!r}\n"
            "  hint: write a function with def, and call what it needs from there"
        )


def _with_literals(args):
    """Types of arguments, those of one value as ``types.literal`` makes them."""
    return tuple(literal(a.literal_value) if hasattr(a, "literal_value") else a for a in args)


class DeclaredForFunctions(HostDispatcher):
    """A function of which a declared signature takes functions: it is compiled when a call says which."""

    def adopt(self, signature):
        """Has a dispatcher take the signature, too, from now on; its calls take longer."""
        self.__class__ = DeclaredForFunctions
        self.__dict__.setdefault("_of_functions", []).append(signature)

    @public
    def __call__(self, *args, **kwargs):
        if kwargs or len(args) != self.py_func.__code__.co_argcount:
            bound = inspect.signature(self.py_func).bind(*args, **kwargs)
            bound.apply_defaults()
            args = bound.args
        for signature in self._of_functions:
            self._declare_for(signature, args)
        return super().__call__(*args)

    def _declare_for(self, signature, args):
        """Compile for the functions among the arguments, where all that the signature wants are functions."""
        if len(args) != len(signature.args):
            return
        given = list(signature.args)
        for i, (arg, declared) in enumerate(zip(args, signature.args, strict=True)):
            if holds_functions(declared):
                if not _has_functions(arg, declared):
                    return
                given[i] = typeof(arg)
        if tuple(given) not in self.overloads:
            self.declare(_heddle.Signature(signature.return_type, given))


def _has_functions(arg, declared):
    """Whether an argument has functions where a type of a signature, perhaps that of a tuple, has them."""
    if FunctionType.standing_for(declared):
        return isinstance(arg, (HostDispatcher, _heddle.CFunctionBase))
    if not holds_functions(declared):
        return True
    return (
        isinstance(arg, tuple)
        and len(arg) == len(declared.types)
        and all(map(_has_functions, arg, declared.types))
    )
