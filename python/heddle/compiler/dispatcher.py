"""``cuda.jit``: functions that are compiled for a device when they are launched, or called from a kernel."""

import functools
import importlib
import pickle
import sys
import types

from heddle import _heddle
from heddle.compiler.linkable_code import native_code
from heddle.compiler.signatures import parse_signature
from heddle.errors import CudaSupportError
from heddle.missing_names import nearest_name
from heddle.public_function import public

# What changes a kernel's code; the rest is accepted because scripts pass it.
_compiled_options = (
    *("device", "debug", "opt", "fastmath", "cache"),
    *("lineinfo", "launch_bounds", "max_registers", "link"),
)
_accepted_options = (
    *("inline", "forceinline", "lto", "shared_memory_carveout"),
    *("boundscheck", "extensions", "nopython"),
)


class Dispatcher(_heddle.DispatcherBase):
    """A kernel or device function. Made by ``cuda.jit``; see there.

    kernel[grid, block, stream, sharedmem](*args) launches a kernel. ``py_func`` is the function as it was written.
    """

    def __init__(self, function, options):
        _require_function(function)
        super().__init__(function, options)
        functools.update_wrapper(self, function, updated=())
        self.targetoptions = dict(options)
        self._declared = []
        self._specializations = {}

    @public
    def __call__(self, *args, **kwargs):
        name = self.py_func.__name__
        if self.targetoptions.get("device"):
            raise TypeError(
                f"{name} is a device function: only kernels and other device functions can call it"
            )
        raise ValueError(
            f"{name} is a kernel and needs to know how many threads to run: "
            f"write {name}[blocks, threads_per_block](...) instead of {name}(...)"
        )

    def __get__(self, instance, owner=None):
        """As a method: the instance becomes the first argument."""
        return self if instance is None else BoundDispatcher(self, instance)

    def declare_all(self, signatures):
        """Compile for these signatures now. Launches then take no others; arguments are converted to them."""
        for signature in signatures:
            self.declare(signature)
            self._declared.append(signature)
        self.disable_compile()

    @public
    def compile(self, signature):
        """Compile for one more signature (string, tuple of types, or Signature) ahead of its launches."""
        parsed = parse_signature(signature)
        self.declare(parsed)
        return self.variants()[-1] if self.variants() else None

    @public
    def forall(self, ntasks, tpb=0, stream=0, sharedmem=0):
        """A launch of at least ``ntasks`` threads in one dimension: ``kernel.forall(n)(*args)``.

        tpb: threads per block; 0 lets the device choose. The kernel must check its index against ``ntasks``.
        Raises ValueError when ``ntasks`` is negative; nothing is launched when it is 0.
        """
        if ntasks < 0:
            raise ValueError(f"forall() needs 0 tasks or more, not {ntasks}")
        return ForAll(self, ntasks, tpb, stream, sharedmem)

    @public
    def specialize(self, *args):
        """A dispatcher for exactly the types of these arguments (values, or types themselves), compiled now."""
        types = [a if isinstance(a, _heddle.Type) else _heddle.typeof(a) for a in args]
        if tuple(types) not in self._specializations:
            specialized = Dispatcher(self.py_func, self.targetoptions)
            specialized.declare_all([_heddle.Signature(None, types)])
            self._specializations[tuple(types)] = specialized
        return self._specializations[tuple(types)]

    @property
    def specializations(self):
        """What ``specialize`` made so far: a dict from argument types to dispatchers."""
        return dict(self._specializations)

    @property
    def declared(self):
        """The signatures that the decorator was given, a tuple."""
        return tuple(self._declared)

    @property
    def specialized(self):
        """Whether the kernel was made for one signature."""
        return len(self._declared) == 1

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
        return [variant.signature for variant in self.variants()]

    @property
    def stats(self):
        """How often the disk cache had what was needed: an object with cache_hits and cache_misses."""
        return CacheStats(self)

    @public
    def inspect_llvm(self, signature=None):
        """The SIMT IR (LLVM's text) of a signature; a dict by argument types without one."""
        return self._inspect(signature, lambda variant: variant.simt_ir)

    @public
    def inspect_asm(self, signature=None):
        """The PTX, or the host's assembly on the CPU device; a dict by argument types without a signature."""
        return self._inspect(signature, lambda variant: variant.assembly)

    @public
    def inspect_sass(self, signature=None):
        """The machine instructions, or the host's assembly on the CPU device; a dict without a signature.

        For GPUs this runs nvdisasm or cuobjdump; raises CudaSupportError where neither is installed.
        """
        return self._inspect(signature, lambda variant: _machine_instructions(variant, False))

    @public
    def inspect_sass_cfg(self, signature=None):
        """The control-flow graph of the machine instructions, for Graphviz; on GPUs, with nvdisasm installed."""
        return self._inspect(signature, lambda variant: _machine_instructions(variant, True))

    @public
    def inspect_remarks(self, signature=None):
        """What was decided for speed, and why not: a list of sentences; a dict by argument types without a signature.

        Says whether one thread does the work of several, and what is counted in shared memory. Empty on the CPU device.
        """
        return self._inspect(signature, lambda variant: variant.remarks)

    def inspect_types(self, file=None):
        """Print every value of the kernel, and of what it calls, with its type and line."""
        for variant in self.variants():
            print(f"{self.py_func.__name__} {variant.signature.args}", file=file or sys.stdout)
            print(variant.typed_source, file=file or sys.stdout)

    def get_regs_per_thread(self, signature=None):
        return self._resource(signature, lambda variant: variant.registers)

    def get_shared_mem_per_block(self, signature=None):
        """Bytes of static shared memory; a dict by argument types for a kernel that is not specialized."""
        return self._resource(signature, lambda variant: variant.static_shared_bytes)

    def get_local_mem_per_thread(self, signature=None):
        """Bytes of local memory; a dict by argument types for a kernel that is not specialized."""
        return self._resource(signature, lambda variant: variant.local_bytes)

    def get_max_threads_per_block(self, signature=None):
        return self._resource(signature, lambda variant: variant.max_threads_per_block)

    def get_const_mem_size(self, signature=None):
        """Bytes of constant memory; a dict by argument types for a kernel that is not specialized."""
        return self._resource(signature, lambda variant: variant.const_bytes)

    def _resource(self, signature, read):
        if signature is None and self.specialized:
            return read(self.variants()[0])
        return self._inspect(signature, read)

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
        kind = "device function" if self.targetoptions.get("device") else "kernel"
        return f"<heddle {kind} {self.py_func.__qualname__}>"

    def __reduce__(self):
        function = self.py_func
        module = sys.modules.get(function.__module__)
        if _find(module, function.__qualname__) is not self:
            raise pickle.PicklingError(
                f"cannot pickle {self!r}: it is not the global '{function.__qualname__}' of module "
                f"'{function.__module__}'; move it to the top level of a module"
            )
        return _load, (function.__module__, function.__qualname__)


class BoundDispatcher:
    """A kernel or device function looked up on an instance, which becomes its first argument."""

    def __init__(self, dispatcher, instance):
        self.__func__ = dispatcher
        self.__self__ = instance

    def __getitem__(self, configuration):
        return functools.partial(self.__func__[configuration], self.__self__)

    def __call__(self, *args, **kwargs):
        return self.__func__(self.__self__, *args, **kwargs)

    def __getattr__(self, name):
        return getattr(self.__func__, name)

    def __repr__(self):
        return f"<bound {self.__func__!r} of {self.__self__!r}>"


class ForAll:
    """A kernel with a number of tasks; calling it chooses the grid and launches."""

    def __init__(self, dispatcher, ntasks, tpb, stream, sharedmem):
        self.dispatcher = dispatcher
        self.ntasks = ntasks
        self.thread_per_block = tpb
        self.stream = stream
        self.sharedmem = sharedmem

    @public
    def __call__(self, *args, **kwargs):
        if self.ntasks == 0:
            return
        block = self.thread_per_block
        if not block:
            variant = self.dispatcher.variant_for(*args, **kwargs)
            block = variant.suggested_block_size(self.sharedmem)
        grid = -(-self.ntasks // block)
        self.dispatcher[grid, block, self.stream, self.sharedmem](*args, **kwargs)


class CacheStats:
    """Hits and misses of the disk cache for one kernel."""

    def __init__(self, dispatcher):
        variants = dispatcher.variants()
        cached = dispatcher.targetoptions.get("cache", False)
        self.cache_path = _heddle.cache_info().get("directory") if cached else None
        self.cache_hits = {v.signature: 1 for v in variants if cached and v.from_cache}
        self.cache_misses = {v.signature: 1 for v in variants if cached and not v.from_cache}

    def __repr__(self):
        return f"CacheStats(cache_path={self.cache_path!r}, hits={self.cache_hits}, misses={self.cache_misses})"


def _machine_instructions(variant, control_flow):
    if variant.device.uses_host_memory:
        if control_flow:
            raise CudaSupportError("the CPU device shows its assembly, not a control-flow graph")
        return variant.assembly
    from heddle.compiler.disassembly import sass  # late: loads subprocess and tempfile

    return sass(variant.machine_code, control_flow)


def _require_function(function):
    if isinstance(function, (staticmethod, classmethod)):
        raise TypeError(
            f"cuda.jit compiles Python functions: put @{type(function).__name__} above @cuda.jit"
        )
    if not isinstance(function, types.FunctionType):
        hint = (
            "write the kernel as a function outside the class"
            if isinstance(function, type)
            else "write a function with def, and call what it needs from there"
        )
        raise TypeError(f"cuda.jit compiles Python functions, not {function!r}\n  hint: {hint}")


def _describe_unknown(options):
    message = f"cuda.jit has no option {', '.join(sorted(map(repr, options)))}"
    known = [*_compiled_options, *_accepted_options]
    near = nearest_name(min(options), known)
    return f"{message}\n  hint: did you mean {near!r}?" if near else message


def _find(module, qualified_name):
    found = module
    for part in qualified_name.split("."):
        found = getattr(found, part, None)
    return found


def _load(module, qualified_name):
    return _find(importlib.import_module(module), qualified_name)  # late: the user's module


def compiled_options(options):
    """The options that change a kernel's code, out of those of ``cuda.jit``, in the form that the compiler takes.

    Raises TypeError and ValueError for values that they cannot have.
    """
    options = {name: value for name, value in options.items() if name in _compiled_options}
    if options.get("max_registers") is not None:
        _require_count("max_registers", options["max_registers"])
    if linked := options.pop("link", None):
        options["link"] = native_code(linked)
    bounds = options.pop("launch_bounds", None)
    if bounds is not None:
        bounds = tuple(bounds) if isinstance(bounds, (tuple, list)) else (bounds,)
        if not 1 <= len(bounds) <= 3:
            raise ValueError(
                "launch_bounds has 1 to 3 numbers (threads per block, blocks per multiprocessor, blocks per cluster), "
                f"not {len(bounds)}"
            )
        for bound in bounds:
            _require_count("launch_bounds", bound)
        options["launch_bounds"] = bounds
    return options


def _require_count(option, value):
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{option} takes an int, not {value!r}")
    if not 0 <= value < 2**31:
        raise ValueError(f"{option} takes a number from 0 to 2**31 - 1, not {value}")


@public
def jit(func_or_sig=None, **options):
    """Compile a Python function for the device: ``@cuda.jit``, ``@cuda.jit(device=True)``, ``@cuda.jit(signature)``.

    func_or_sig: the function; or a signature (string, tuple of types, Signature) or a list of them, for which the
        kernel is then compiled at once. Without one it is compiled at each launch with new argument types.
    device: the function is called from kernels, and may return a value.
    debug: check indices and divisors, and report a kernel's errors at the launch that made them.
    opt: optimise (the default). fastmath: trade accuracy for speed. cache: keep compiled kernels on disk.
    lineinfo: keep source lines in the machine code, for profilers. max_registers: per thread, 0 for no limit.
    launch_bounds: the most threads per block, an int, or a tuple with the least blocks per multiprocessor and the
        most blocks per cluster, too. Launches with larger blocks are refused.
    link: code of functions that cuda.declare_device declares without it: paths of .cu files, cuda.CUSource.
    inline, forceinline: calls of device functions are replaced by their bodies, whatever these say.
    lto, shared_memory_carveout and others are taken as hints.
    Raises TypeError for an unknown option, a CompileError (heddle.errors) when the function cannot be
    compiled. Same as numba.cuda.jit (numba-cuda 0.30, decorators).
    """
    unknown = set(options) - set(_compiled_options) - set(_accepted_options)
    if unknown:
        raise TypeError(_describe_unknown(unknown))
    if options.get("boundscheck"):
        raise NotImplementedError(
            "boundscheck=True is not supported for CUDA; debug=True checks bounds"
        )
    if options.get("link") and options.get("device"):
        raise ValueError(
            "link= is for kernels: a device function is linked with the kernel that calls it"
        )
    inline = options.get("inline", "never")
    if inline not in ("never", "always", True, False, None) and not callable(inline):
        raise ValueError(
            f"inline takes 'never', 'always' or a function that decides, not {inline!r}"
        )
    options = compiled_options(options)

    @public
    def dispatcher_of(function):
        if isinstance(function, Dispatcher):
            return Dispatcher(function.py_func, {**function.targetoptions, **options})
        return Dispatcher(function, options)

    if func_or_sig is None:
        return dispatcher_of
    if callable(func_or_sig) and not isinstance(func_or_sig, (_heddle.Type, _heddle.Signature)):
        return dispatcher_of(func_or_sig)

    several = isinstance(func_or_sig, list)
    signatures = [parse_signature(one) for one in (func_or_sig if several else [func_or_sig])]

    @public
    def compile_now(function):
        dispatcher = dispatcher_of(function)
        dispatcher.declare_all(signatures)
        return dispatcher

    return compile_now
