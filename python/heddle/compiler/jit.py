"""The decorator ``cuda.jit``."""

from heddle import _heddle, config
from heddle.compiler.dispatcher import Dispatcher
from heddle.compiler.jit_options import check_options, compiled_options, with_defaults
from heddle.compiler.signatures import parse_signature
from heddle.public_function import public


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
    width: how many threads of a block the CPU device runs together as vectors, where it can: 1 (one at a time), 4, 8,
        16 or 32; for tests and measuring.
    reorder: whether a warp's threads may be neighbours along y or z of the block, in a kernel that accesses memory in
        that order and cannot tell the difference (the default); with debug=True they are neighbours along x.
    link: code of functions that cuda.declare_device declares without it: paths of .cu files, cuda.CUSource.
    inline, forceinline: calls of device functions are replaced by their bodies, whatever these say.
    extensions: objects whose ``prepare_args(type, value, stream, retr)`` returns what a launch takes in the place of
        an argument, as (type, value); the functions that it appends to ``retr`` are called after the launch.
    lto, shared_memory_carveout and others are taken as hints.
    Raises TypeError for an unknown option, a CompileError (heddle.errors) when the function cannot be
    compiled. Same as numba.cuda.jit (numba-cuda 0.30, decorators).
    """
    options = with_defaults(options)
    check_options(options)
    extensions = list(options.get("extensions") or ())
    options = compiled_options(options)

    @public
    def dispatcher_of(function):
        if config.DISABLE_JIT:
            from heddle.plain.kernels import PlainKernel  # late: for debugging only

            return PlainKernel(getattr(function, "py_func", function), options)
        given = options
        if isinstance(function, Dispatcher):
            given, function = {**function.targetoptions, **options}, function.py_func
        dispatcher = _dispatcher_class()(function, given)
        return dispatcher if not extensions else dispatcher.extended(extensions)

    if func_or_sig is None:
        return dispatcher_of
    if callable(func_or_sig) and not isinstance(func_or_sig, (_heddle.Type, _heddle.Signature)):
        return dispatcher_of(func_or_sig)

    several = isinstance(func_or_sig, list)
    signatures = [parse_signature(one) for one in (func_or_sig if several else [func_or_sig])]

    @public
    def compile_now(function):
        dispatcher = dispatcher_of(function)
        if not config.DISABLE_JIT:
            dispatcher.declare_all(signatures)
        return dispatcher

    return compile_now


def _dispatcher_class():
    if not config.ENABLE_CUDASIM:
        return Dispatcher
    from heddle.plain.simulator import SimulatedKernel  # late: for debugging only

    return SimulatedKernel
