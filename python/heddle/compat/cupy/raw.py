"""cupy.RawKernel and cupy.RawModule: heddle's, launched on CuPy's current stream."""

from heddle import raw
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
        if stream.device.uses_host_memory:
            stream.synchronize()  # NumPy reads the memory of a MemoryPointer without asking

    @property
    def __name__(self):
        return self.name


RawModule._kernel_class = RawKernel
