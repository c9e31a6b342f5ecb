"""``cupyx.jit``: CuPy's interface for kernels in Python.

They are Heddle kernels with CuPy's operation names and C's rules for numbers (jit_syntax, jit_arithmetic).
"""

import functools
import types

import numpy as np

from heddle import _heddle, cuda
from heddle.compat.cupy.array_kinds import is_device_array
from heddle.compat.cupy.compiled.sources import CompiledSources
from heddle.compat.cupy.streams import get_native_current_stream
from heddle.compat.cupyx import jit_cub as cub
from heddle.compat.cupyx import jit_groups as cg
from heddle.compat.cupyx import jit_thrust as thrust
from heddle.compat.cupyx.jit_errors import translate_compile_errors
from heddle.compat.cupyx.jit_iterators import is_compiling, mark_kernel_compiling
from heddle.compat.cupyx.jit_syntax import convert_launch_argument, make_rewriter
from heddle.compiler.intrinsics import find_intrinsic
from heddle.cuda.streams import to_native_stream
from heddle.support.missing_names import make_missing_name_error
from heddle.support.public_function import public

# CuPy's name -> the name in the compiler's table.
_operations = {
    **{
        name: f"cuda.{name}"
        for name in (
            *("threadIdx", "blockIdx", "blockDim", "gridDim", "grid", "gridsize", "warpsize"),
            *("syncthreads", "syncwarp", "activemask", "popc", "ffs"),
            *("shfl_sync", "shfl_up_sync", "shfl_down_sync", "shfl_xor_sync"),
            *("match_any_sync", "match_all_sync"),
        )
    },
    **{name: f"jit.{name}" for name in ("laneid", "range", "shared_memory")},
    **{
        f"atomic_{name}": f"cuda.atomic.{name}"
        for name in ("add", "sub", "min", "max", "exch", "inc", "dec", "cas", "xor")
    },
    "atomic_and": "cuda.atomic.and_",
    "atomic_or": "cuda.atomic.or_",
}
globals().update({name: find_intrinsic(operation) for name, operation in _operations.items()})

__all__ = ["cg", "cub", "rawkernel", "thrust", *_operations]


@public
def rawkernel(*, mode="cuda", device=False):
    """Decorates a function as a kernel, or with ``device=True`` as a function that kernels call.

    mode: the rules for common types. "cuda": C's rules, with Python numbers as int32 and float32. "numpy": NumPy's.
    """
    if mode not in ("cuda", "numpy"):
        raise ValueError(f'mode is "cuda" or "numpy", not {mode!r}')
    made = _make_device_function if device else JitRawKernel
    return functools.partial(made, mode=mode)


def _copy_with_cupy_rules(function, mode):
    """Copies a function and attaches the rewriter for CuPy's number rules; the original may also be a numba kernel."""
    if not isinstance(function, types.FunctionType):
        return function
    made = types.FunctionType(
        function.__code__,
        function.__globals__,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    for name in ("__kwdefaults__", "__qualname__", "__module__", "__doc__"):
        setattr(made, name, getattr(function, name))
    made.__heddle_rewriter__ = make_rewriter(mode)
    return made


def _make_device_function(function, mode):
    return cuda.jit(device=True)(_copy_with_cupy_rules(function, mode))


class JitRawKernel(CompiledSources):
    """A kernel: ``kernel(grid, block, args, shared_mem=0, stream=None)`` or ``kernel[grid, block](*args)``.

    stream: the current stream by default. Arguments are CuPy arrays or numbers.
    """

    def __init__(self, function, mode="cuda"):
        functools.update_wrapper(self, function)
        self._mode = mode
        self._kernel = cuda.jit(_copy_with_cupy_rules(function, mode))

    @property
    def _get_assembly_by_signature(self):
        asm = self._kernel.inspect_asm()
        return {tuple(map(str, types)): text for types, text in asm.items()}

    @public
    def __call__(self, grid, block, args, shared_mem=0, stream=None):
        for argument in args:
            if not (is_device_array(argument) or np.isscalar(argument)):
                raise TypeError(
                    f"{self.__name__} takes CuPy arrays and numbers, not {type(argument).__name__}"
                )
        stream = get_native_current_stream() if stream is None else to_native_stream(stream)
        with translate_compile_errors(), mark_kernel_compiling():
            typed = [convert_launch_argument(argument, self._mode) for argument in args]
            self._kernel[grid, block, stream, shared_mem](*typed)

    @public
    def __getitem__(self, grid_and_block):
        if not (isinstance(grid_and_block, tuple) and len(grid_and_block) == 2):
            raise TypeError(f"write {self.__name__}[grid, block](...): a kernel needs both")
        grid, block = grid_and_block
        return BoundKernel(self, grid, block)


class BoundKernel:
    """``kernel[grid, block]``: a kernel with a launch shape, ``griddim`` and ``blockdim``."""

    def __init__(self, kernel, grid, block):
        self._kernel = kernel
        self.griddim = _to_three_extents(grid)
        self.blockdim = _to_three_extents(block)

    @public
    def __call__(self, *args, **options):
        self._kernel(self.griddim, self.blockdim, args, **options)


def _call_host_function_if_compiling(function, *arguments):
    """Calls a host function with constants while a kernel compiles. Returns (result,); None for other callables."""
    is_function = isinstance(function, types.FunctionType | types.BuiltinFunctionType)
    return (function(*arguments),) if is_compiling() and is_function else None


_heddle.set_constant_caller(_call_host_function_if_compiling)


def _to_three_extents(extents):
    extents = extents if isinstance(extents, tuple) else (extents,)
    return extents + (1,) * (3 - len(extents))


def __getattr__(name):
    raise make_missing_name_error("heddle.cupyx.jit", name)
