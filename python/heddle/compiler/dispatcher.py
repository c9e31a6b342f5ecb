"""``cuda.jit``: functions that are compiled for a device when they are launched or called from a kernel."""

import inspect
import sys
import types

from heddle import _heddle
from heddle.compiler.base_dispatcher import BaseDispatcher, require_compilable_function
from heddle.compiler.bound_dispatcher import BoundDispatcher
from heddle.compiler.compiled_function import CompiledFunction
from heddle.compiler.extended_dispatcher import ExtendedLaunch
from heddle.compiler.forall import ForAll
from heddle.compiler.signatures import parse_signature
from heddle.errors import CudaSupportError
from heddle.support.advised_attributes import AdvisedAttributes
from heddle.support.public_function import public


class Dispatcher(AdvisedAttributes, BaseDispatcher, _heddle.DispatcherBase):
    """A kernel or device function, created by ``cuda.jit``.

    ``kernel[grid, block, stream, sharedmem](*args)`` launches a kernel. ``py_func`` is the original function.

    >>> kernel.forall(x.size)(x)
    >>> kernel.signatures
    [(array(float32, 1d, C),)]
    >>> kernel.inspect()
    kernel(array(float32, 1d, C))
      device ...
    """

    _instead = {
        **dict.fromkeys(("ptx", "inspect_ptx", "inspect_lto_ptx"), "use inspect_asm()"),
        **dict.fromkeys(
            ("inspect_cfg", "inspect_disasm_cfg"), "use inspect_llvm() or inspect_sass()"
        ),
        **dict.fromkeys(("definition", "definitions"), "overloads maps argument types to kernels"),
        **dict.fromkeys(("device", "debug", "fastmath"), "use targetoptions, a dict"),
        **dict.fromkeys(("autotune", "occupancy"), "forall(n) chooses the threads per block"),
        "bind": "kernels load at their first launch",
        "launch": "write kernel[blocks, threads_per_block](...)",
        "enable_caching": "use @cuda.jit(cache=True)",
        "parallel_diagnostics": "use kernel.inspect()",
    }

    def __init__(self, function, options):
        require_compilable_function(
            function,
            "cuda.jit",
            hint_for_classes="write the kernel as a function outside the class",
        )
        super().__init__(function, options, options)
        self._specializations = {}

    @public
    def __call__(self, *args, **kwargs):
        name = self.py_func.__name__
        if self.targetoptions.get("device"):
            raise TypeError(
                f"{name} is a device function: only kernels and other device functions can call it\n"
                f"  hint: {name}.py_func(...) calls the Python function"
            )
        raise ValueError(
            f"{name} is a kernel and needs to know how many threads to run: "
            f"write {name}[blocks, threads_per_block](...) instead of {name}(...)"
        )

    def __get__(self, instance, owner=None):
        """Binds a method: the instance becomes the first argument."""
        return self if instance is None else BoundDispatcher(self, instance)

    @property
    def extensions(self):
        """The list of objects that prepare a launch's arguments; see ``cuda.jit``. It may be modified."""
        return self.add_extensions(()).__dict__["_extensions"]

    def add_extensions(self, extensions):
        """Adds extensions to this kernel and returns it. Its launches become slower."""
        # Kernels without extensions launch through the base class, in C++.
        self.__class__ = ExtendedDispatcher
        self.__dict__.setdefault("_extensions", []).extend(extensions)
        return self

    @public
    def configure(self, griddim, blockdim, stream=0, sharedmem=0):
        """Same as ``kernel[griddim, blockdim, stream, sharedmem]``."""
        return self[griddim, blockdim, stream, sharedmem]

    @public
    def compile(self, signature):
        """Compiles for a signature (string, tuple of types, or Signature) ahead of launches. Returns the variant."""
        return self.declare(parse_signature(signature))

    @public
    def compile_device(self, args, return_type=None):
        """Compiles a device function for argument types. Returns the compiled function, with its ``signature``.

        inspect_llvm() and inspect_asm() then include it.
        """
        compiled = CompiledFunction(self, args, return_type)
        self.__dict__.setdefault("_functions", {})[compiled.signature.args] = compiled
        return compiled

    @public
    def forall(self, ntasks, tpb=0, stream=0, sharedmem=0):
        """A one-dimensional launch of at least ``ntasks`` threads: ``kernel.forall(n)(*args)``.

        tpb: threads per block; 0 lets the device choose. The kernel must check its index against ``ntasks``.
        Raises ValueError for a negative ``ntasks``. If it is 0, nothing is launched.
        """
        for name, count in ("ntasks", ntasks), ("tpb", tpb):
            if not hasattr(count, "__index__") or getattr(count, "ndim", 0):
                raise TypeError(
                    f"forall() takes numbers of threads, but {name} is of class {type(count).__name__}\n"
                    f"  hint: write {self.py_func.__name__}.forall(x.size)(...), with the arguments of the kernel in "
                    "the second parentheses"
                )
        if ntasks < 0:
            raise ValueError(f"forall() needs 0 tasks or more, not {ntasks}")
        return ForAll(self, ntasks, tpb, stream, sharedmem)

    @public
    def specialize(self, *args):
        """A dispatcher for exactly the types of these arguments (values or types), compiled immediately."""
        if self.specialized:
            raise RuntimeError(
                f"{self.py_func.__name__} is already specialized: specialize the original kernel"
            )
        types = [a if isinstance(a, _heddle.Type) else _heddle.typeof_in_kernels(a) for a in args]
        if tuple(types) not in self._specializations:
            specialized = Dispatcher(self.py_func, self.targetoptions)
            specialized.compile_only_for([_heddle.Signature(None, types)])
            self._specializations[tuple(types)] = specialized
        return self._specializations[tuple(types)]

    @property
    def specializations(self):
        """The results of ``specialize``: a dict from argument types to dispatchers."""
        return dict(self._specializations)

    @property
    def specialized(self):
        """True if the kernel is for a single signature."""
        return len(self._declared) == 1

    @property
    def overloads(self):
        """The compiled variants: a dict from argument types to variants."""
        return super().overloads | self.__dict__.get("_functions", {})

    def get_call_template(self, args, kws):
        """Types a call of this device function with these argument types, in numba's protocol.

        Returns (an object whose list ``cases`` has the call's Signature, the function's signature, args, kws).
        """
        given = [*args, *kws.values()]
        function = Dispatcher(self.py_func, {**self.targetoptions, "device": True})
        wanted = _heddle.Signature(None, given)
        _, result = _heddle.compile_ahead(function, wanted, "f", "cuda", (9, 0), "asm")
        template = types.SimpleNamespace(key=self.py_func, cases=[_heddle.Signature(result, given)])
        return template, inspect.signature(self.py_func), tuple(args), dict(kws)

    @public
    def inspect_llvm(self, signature=None):
        """The SIMT IR (LLVM text) for a signature; without one, a dict by argument types."""
        return self._read_from_variants(signature, lambda variant: variant.simt_ir)

    @public
    def inspect_sass(self, signature=None):
        """The machine code as text, or on the CPU device the host's assembly; without a signature, a dict.

        For GPUs this runs nvdisasm or cuobjdump. Raises CudaSupportError if neither is installed.
        """
        return self._read_from_variants(signature, lambda variant: _disassemble(variant, False))

    @public
    def inspect_sass_cfg(self, signature=None):
        """The control-flow graph of the machine code, for Graphviz. Needs a GPU and nvdisasm."""
        return self._read_from_variants(signature, lambda variant: _disassemble(variant, True))

    @public
    def inspect_remarks(self, signature=None):
        """Optimization remarks: a list of sentences; without a signature, a dict by argument types.

        On GPUs, they cover thread coarsening and counting in shared memory. On the CPU device, they say if the launches
        so far ran threads in groups, as vectors.
        """
        return self._read_from_variants(signature, lambda variant: variant.remarks)

    @public
    def inspect(self, signature=None, file=None, gpu=None):
        """Prints a report on the compiled kernel: how its threads run, registers, memory, occupancy, and the source
        with remarks.

        signature: limits the report to one variant. file: where to print, by default sys.stdout.
        gpu: prints the report for that GPU, which need not be present: "H100", or a compute capability such as
            "sm_90", "9.0" or (9, 0).
        """
        from heddle.compiler.inspection.gpus import parse_gpu_capability  # late: only for reports
        from heddle.compiler.inspection.report import format_report  # late: only for reports

        capability = None if gpu is None else parse_gpu_capability(gpu)
        shown = self._read_from_variants(
            signature, lambda variant: format_report(self, variant, capability)
        )
        texts = shown.values() if signature is None else [shown]
        print("\n\n".join(texts), file=file or sys.stdout)

    def get_regs_per_thread(self, signature=None):
        """Registers per thread; for an unspecialized kernel, a dict by argument types. 0 on the CPU device."""
        return self._read_resource(signature, lambda variant: variant.registers)

    def get_shared_mem_per_block(self, signature=None):
        """Bytes of static shared memory per block; for an unspecialized kernel, a dict by argument types."""
        return self._read_resource(signature, lambda variant: variant.static_shared_bytes)

    def get_local_mem_per_thread(self, signature=None):
        """Bytes of local memory per thread; for an unspecialized kernel, a dict by argument types."""
        return self._read_resource(signature, lambda variant: variant.local_bytes)

    def get_max_threads_per_block(self, signature=None):
        """The largest block that can be launched; for an unspecialized kernel, a dict by argument types."""
        return self._read_resource(signature, lambda variant: variant.max_threads_per_block)

    def get_const_mem_size(self, signature=None):
        """Bytes of constant memory; for an unspecialized kernel, a dict by argument types."""
        return self._read_resource(signature, lambda variant: variant.const_bytes)

    def _read_resource(self, signature, read):
        if signature is None and self.specialized:
            return read(self.variants()[0])
        return self._read_from_variants(signature, read)

    def _read_from_variants(self, signature, read):
        if self.targetoptions.get("device"):
            for declared in self._declared:
                if declared.args not in self.overloads:
                    self.compile_device(declared.args, declared.return_type)
        return super()._read_from_variants(signature, read)

    @property
    def _kind(self):
        return "device function" if self.targetoptions.get("device") else "kernel"

    def _get_pickle_factory_and_arguments(self):
        extensions = self.__dict__.get("_extensions")
        if extensions is None:
            return Dispatcher, (self.targetoptions,)
        return _make_extended, (self.targetoptions, extensions)


def _make_extended(function, options, extensions):
    return Dispatcher(function, options).add_extensions(extensions)


class ExtendedDispatcher(Dispatcher):
    """A kernel with extensions, which prepare the arguments of launches."""

    @public
    def __getitem__(self, configuration):
        stream = (
            configuration[2] if isinstance(configuration, tuple) and len(configuration) > 2 else 0
        )
        return ExtendedLaunch(super().__getitem__(configuration), stream, self._extensions)

    @public
    def forall(self, ntasks, tpb=0, stream=0, sharedmem=0):
        launch = super().forall(ntasks, tpb, stream, sharedmem)
        return ExtendedLaunch(launch, stream, self._extensions)


def _disassemble(variant, control_flow):
    if variant.device.uses_host_memory:
        if control_flow:
            raise CudaSupportError("the CPU device shows its assembly, not a control-flow graph")
        return variant.assembly
    from heddle.compiler.disassembly import disassemble_cubin  # late: loads subprocess and tempfile

    return disassemble_cubin(variant.machine_code, control_flow)
