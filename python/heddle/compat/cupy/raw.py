"""cupy.RawKernel and cupy.RawModule: heddle's, launched on CuPy's current stream."""

from heddle import raw
from heddle.compat.cupy.driver import not_found
from heddle.compat.cupy.memory import MemoryPointer
from heddle.compat.cupy.streams import native_current_stream


class RawKernel(raw.RawKernel):
    """A kernel in CUDA C++: ``kernel(grid, block, args, shared_mem=0)``; see heddle.RawKernel."""

    def __init__(self, code, name, options=(), backend="nvrtc", **keywords):
        # CuPy passes an array's address whatever its strides are.
        super().__init__(code, name, options, backend, allow_strided=True, **keywords)

    def __call__(self, grid, block, args, *, shared_mem=0):
        stream = native_current_stream()
        super().__call__(grid, block, args, shared_mem=shared_mem, stream=stream)
        if stream.device.uses_host_memory:
            stream.synchronize()  # NumPy reads the memory of a MemoryPointer without asking

    def _here(self):
        try:
            return super()._here()
        except ValueError as error:
            raise not_found(error) from None


class RawModule(raw.RawModule):
    """A program in CUDA C++; see heddle.RawModule."""

    def __init__(self, *, code=None, path=None, options=(), **keywords):
        super().__init__(code=code, path=path, options=options, allow_strided=True, **keywords)

    def get_function(self, name):
        """The kernel of that name, or of that name expression. Raises CUDADriverError with the names that there are."""
        return self._function(name, RawKernel)

    def get_global(self, name):
        """The ``__device__`` or ``__constant__`` variable of that name, as a MemoryPointer.

        Raises CUDADriverError with the names that there are.
        """
        try:
            variable = super().get_global(name)
        except ValueError as error:
            raise not_found(error) from None
        return MemoryPointer.over(variable.ptr, variable.nbytes, variable)
