"""The decorator ``cuda.jit``."""

from heddle import _heddle, config
from heddle.compiler.dispatcher import Dispatcher
from heddle.compiler.jit_options import (
    add_default_debug_and_opt,
    check_options_and_warn,
    convert_code_options,
)
from heddle.compiler.signatures import parse_signature
from heddle.support.public_function import public


@public
def jit(func_or_sig=None, **options):
    """Compiles a Python function for the device: ``@cuda.jit``, ``@cuda.jit(device=True)``, ``@cuda.jit(signature)``.

    func_or_sig: the function, or what to compile for immediately: a signature (a string, a tuple of types or a
    Signature) or a list of signatures. Without a signature, each launch with new argument types compiles a variant.
    device: compiles a function that kernels call and that may return a value.
    debug: checks indices and divisors, and reports a kernel's errors at the launch that caused them.
    opt: optimizes (default). fastmath: trades accuracy for speed. cache: keeps compiled kernels on disk.
    lineinfo: keeps source lines in the machine code, for profilers. max_registers: the maximum number of registers per
    thread, 0 for no limit.
    launch_bounds: the maximum number of threads per block, an int; or a tuple that adds the minimum number of blocks
    per multiprocessor and the maximum number of blocks per cluster. Launches with larger blocks are refused.
    width: how many threads of a block the CPU device runs as one vector, if possible: 1 (one at a time), 4, 8, 16 or
        32; for tests and measurements.
    reorder: lets Heddle form warps from neighbors along y or z, for a kernel that accesses memory in that order and
    cannot observe the difference (default). With debug=True, warps are along x.
    link: the code of functions that cuda.declare_device declared without code, as paths of .cu files or cuda.CUSource
    objects.
    inline, forceinline: accepted; calls of device functions are always inlined.
    extensions: objects whose ``prepare_args(type, value, stream, retr)`` converts an argument and returns
        (type, value). Functions appended to ``retr`` are called after the launch.

    lto, shared_memory_carveout and others are accepted as hints.
    Raises TypeError for an unknown option, and CompileError (heddle.errors) if compilation fails.
    Same as numba.cuda.jit (numba-cuda 0.30, decorators).

    >>> @cuda.jit
    ... def double(x):
    ...     i = cuda.grid(1)
    ...     if i < x.size:
    ...         x[i] *= 2
    >>> double[4, 256](np.ones(1000))
    """
    options = add_default_debug_and_opt(options)
    check_options_and_warn(options)
    extensions = list(options.get("extensions") or ())
    options = convert_code_options(options)

    @public
    def make_dispatcher(function):
        if config.DISABLE_JIT:
            from heddle.compiler.plain.kernels import PlainKernel  # late: for debugging only

            return PlainKernel(getattr(function, "py_func", function), options)
        given = options
        if isinstance(function, Dispatcher):
            given, function = {**function.targetoptions, **options}, function.py_func
        dispatcher = _choose_dispatcher_class()(function, given)
        return dispatcher if not extensions else dispatcher.add_extensions(extensions)

    if func_or_sig is None:
        return make_dispatcher
    if callable(func_or_sig) and not isinstance(func_or_sig, (_heddle.Type, _heddle.Signature)):
        return make_dispatcher(func_or_sig)

    several = isinstance(func_or_sig, list)
    signatures = [parse_signature(one) for one in (func_or_sig if several else [func_or_sig])]

    @public
    def make_compiled_dispatcher(function):
        dispatcher = make_dispatcher(function)
        if not config.DISABLE_JIT:
            dispatcher.compile_only_for(signatures)
        return dispatcher

    return make_compiled_dispatcher


def _choose_dispatcher_class():
    if not config.ENABLE_CUDASIM:
        return Dispatcher
    from heddle.compiler.plain.simulator import SimulatedKernel  # late: for debugging only

    return SimulatedKernel
