"""cupy.RawKernel and cupy.RawModule: Heddle's classes, launched on CuPy's current stream. Also cupy.cuda.Module."""

import warnings

from heddle import _heddle, raw
from heddle.compat.cupy.arrays import ndarray
from heddle.compat.cupy.pools.memory_pointers import MemoryPointer
from heddle.compat.cupy.streams import get_native_current_stream
from heddle.cuda.streams import to_native_stream
from heddle.errors import HeddleWarning
from heddle.raw.modules import ArrayRules

_MAX_ARGUMENTS = 4096 // 8  # pointers in a launch's 4 KB of arguments


class RawModule(raw.RawModule):
    """A program in CUDA C++; see heddle.RawModule."""

    def __init__(self, **keywords):
        super().__init__(**keywords)
        self._array_rules = ArrayRules(strided=True, cupys_rules=True)
        if self._backend == "nvcc" and self._expressions:
            raise ValueError("name_expressions= requires backend='nvrtc'")

    def get_global(self, name):
        """A MemoryPointer to the ``__device__`` or ``__constant__`` variable with that name."""
        variable = super().get_global(name)
        return MemoryPointer.from_address(variable.ptr, variable.nbytes, variable)

    @property
    def module(self):
        """The compiled module on the current device."""
        self.compile()
        return Module.from_raw_module(self)


class RawKernel(raw.RawKernel):
    """A kernel in CUDA C++: ``kernel(grid, block, args, shared_mem=0, stream=None)``; see heddle.RawKernel.

    stream: None means the current stream. A grid extent of 0 counts as 1. A pointer takes an array of any dtype and
    layout, but no NumPy array. Excess arguments are ignored. A HeddleWarning names those that look like mistakes.
    """

    _module_class = RawModule
    _is_cupys = True

    def __call__(self, grid, block, args, *, shared_mem=0, stream=None):
        stream = get_native_current_stream() if stream is None else to_native_stream(stream)
        if isinstance(grid, tuple) and 0 in grid:
            grid = tuple(max(1, blocks) for blocks in grid)
        if isinstance(args, ndarray) and args.ndim:
            args = self._take_rows_as_arguments(args)
        super().__call__(grid, block, args, shared_mem=shared_mem, stream=stream)

    def _take_rows_as_arguments(self, array):
        """The arguments of a launch with ``x`` for ``(x,)``: CuPy iterates over the array, whose first element has the
        array's address."""
        warnings.warn(
            f"kernel {self.name}: an array stands for the tuple of arguments, so each argument is a row of the array\n"
            "  hint: one argument is written (x,)",
            HeddleWarning,
            stacklevel=3,
        )
        return tuple(array[row] for row in range(min(len(array), _MAX_ARGUMENTS)))

    def linear_launch(self, size, args, shared_mem=0, block_max_size=128, stream=None):
        """Launch at least ``size`` threads, in blocks of at most ``block_max_size``."""
        threads = max(1, min(int(size), block_max_size))
        self(-(-int(size) // threads), threads, args, shared_mem=shared_mem, stream=stream)

    @property
    def kernel(self):
        """The compiled kernel as a cupy.cuda.Function, which is this object."""
        self.compile()
        return self

    @property
    def file_path(self):
        """The file that holds the source: always None."""
        return None

    @property
    def __name__(self):
        return self.name


RawModule._kernel_class = RawKernel


class Module:
    """A module of compiled code. Call ``load`` or ``load_file`` first, then ``get_function`` or ``get_global``."""

    def __init__(self):
        self._module = None

    @classmethod
    def from_raw_module(cls, module):
        """The Module for a RawModule."""
        made = cls()
        made._module = module
        return made

    def load_file(self, filename):
        """Load a PTX, cubin or fatbin file."""
        self._module = RawModule(path=filename)

    def load(self, cubin):
        """Load a module from the bytes of a PTX, cubin or fatbin file."""
        self._module = RawModule(path=None, code="")
        self._module._program = _heddle.CudaImage(bytes(cubin), "<module>")

    def _require_module(self):
        if self._module is None:
            raise RuntimeError("the module is empty: call load_file() or load() first")
        return self._module

    def get_function(self, name):
        """The kernel with that name."""
        return self._require_module().get_function(name)

    def get_global_var(self, name):
        """A MemoryPointer to the variable with that name."""
        return self._require_module().get_global(name)

    get_global = get_global_var
