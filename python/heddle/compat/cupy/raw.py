"""cupy.RawKernel and cupy.RawModule: heddle's, launched on CuPy's current stream. cupy.cuda.Module."""

from heddle import _heddle, raw
from heddle.compat.cupy.pools.memory_pointers import MemoryPointer
from heddle.compat.cupy.streams import native_current_stream
from heddle.cuda.streams import native_stream
from heddle.raw.modules import ArrayRules


class RawModule(raw.RawModule):
    """A program in CUDA C++; see heddle.RawModule."""

    def __init__(self, **keywords):
        super().__init__(**keywords)
        # CuPy passes an array's address, whatever is there.
        self._array_rules = ArrayRules(strided=True, any_elements=True)
        if self._backend == "nvcc" and self._expressions:
            raise ValueError("name_expressions= is for backend='nvrtc': nvcc knows of no names")

    def get_global(self, name):
        """The ``__device__`` or ``__constant__`` variable of that name, as a MemoryPointer."""
        variable = super().get_global(name)
        return MemoryPointer.over(variable.ptr, variable.nbytes, variable)

    @property
    def module(self):
        """The compiled module on the current device."""
        self.compile()
        return Module.of(self)


class RawKernel(raw.RawKernel):
    """A kernel in CUDA C++: ``kernel(grid, block, args, shared_mem=0, stream=None)``; see heddle.RawKernel.

    stream: the current one when None. An extent 0 of the grid counts as 1.
    """

    _module_class = RawModule
    _is_cupys = True

    def __call__(self, grid, block, args, *, shared_mem=0, stream=None):
        stream = native_current_stream() if stream is None else native_stream(stream)
        if isinstance(grid, tuple) and 0 in grid:
            grid = tuple(max(1, blocks) for blocks in grid)
        super().__call__(grid, block, args, shared_mem=shared_mem, stream=stream)

    def linear_launch(self, size, args, shared_mem=0, block_max_size=128, stream=None):
        """A launch of at least ``size`` threads, in blocks of ``block_max_size`` at most."""
        threads = max(1, min(int(size), block_max_size))
        self(-(-int(size) // threads), threads, args, shared_mem=shared_mem, stream=stream)

    @property
    def kernel(self):
        """The compiled kernel, a cupy.cuda.Function: itself."""
        self.compile()
        return self

    @property
    def file_path(self):
        """The file that the source is from: None."""
        return None

    @property
    def __name__(self):
        return self.name


RawModule._kernel_class = RawKernel


class Module:
    """A module of compiled code: ``load`` or ``load_file``, then ``get_function`` and ``get_global``."""

    def __init__(self):
        self._module = None

    @classmethod
    def of(cls, module):
        """The Module of a RawModule."""
        made = cls()
        made._module = module
        return made

    def load_file(self, filename):
        """Loads a file of PTX, a cubin or a fatbin."""
        self._module = RawModule(path=filename)

    def load(self, cubin):
        """Loads a module from its bytes: PTX, a cubin or a fatbin."""
        self._module = RawModule(path=None, code="")
        self._module._program = _heddle.CudaImage(bytes(cubin), "<module>")

    def _loaded(self):
        if self._module is None:
            raise RuntimeError("the module is empty: load_file() or load() fills it")
        return self._module

    def get_function(self, name):
        """The kernel of that name."""
        return self._loaded().get_function(name)

    def get_global_var(self, name):
        """The variable of that name, as a MemoryPointer."""
        return self._loaded().get_global(name)

    get_global = get_global_var
