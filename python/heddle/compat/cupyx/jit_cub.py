"""``cupyx.jit.cub``: reductions over the threads of a warp or a block.

    WarpReduce = jit.cub.WarpReduce[np.float32]              BlockReduce = jit.cub.BlockReduce[np.float32, 256]
    memory = jit.shared_memory(dtype=WarpReduce.TempStorage, size=1)
    total = WarpReduce(memory[0]).Sum(value)                 valid in the first thread

The compiler looks up the template arguments as an attribute named ``[float32, 256]``.
"""

import functools

from heddle import cuda, types
from heddle.compat.cupyx.jit_groups import _thread_rank
from heddle.support.missing_names import make_missing_name_error

__all__ = ["BlockReduce", "Max", "Min", "Sum", "WarpReduce"]

_most_threads = 1024
_warp = 32


@cuda.jit(device=True)
def _sum(a, b):
    return a + b


@cuda.jit(device=True)
def _is_less(a, b):
    if isinstance(a, complex):  # CuPy's headers compare the real parts first
        return a.real < b.real or (a.real == b.real and a.imag < b.imag)
    return a < b


@cuda.jit(device=True)
def _max(a, b):
    return b if _is_less(a, b) else a


@cuda.jit(device=True)
def _min(a, b):
    return b if _is_less(b, a) else a


@cuda.jit(device=True)
def Sum():
    """The operator of a reduction that adds."""
    return _sum


@cuda.jit(device=True)
def Max():
    """The operator of a reduction that takes the maximum."""
    return _max


@cuda.jit(device=True)
def Min():
    """The operator of a reduction that takes the minimum."""
    return _min


class _Template:
    """A template that kernels instantiate with brackets."""

    __heddle_namespace__ = True

    def __init__(self, name, instance):
        self.name = name
        self._instance = instance

    def __getattr__(self, name):
        if not (name.startswith("[") and name.endswith("]")):
            raise AttributeError(f"{self.name} has no attribute {name!r}", name=name, obj=self)
        element, *numbers = name[1:-1].split(", ")
        return self[(getattr(types, element), *map(int, numbers))]

    def __getitem__(self, arguments):
        return self._instance(*(arguments if isinstance(arguments, tuple) else (arguments,)))


@functools.cache
def _make_warp_reduce(element, threads=_warp):
    @cuda.jit(device=True)
    def reduce_warp(value, operation, valid=threads):
        values = cuda.shared.array(_most_threads, element)
        thread = _thread_rank()
        lane = thread % threads
        values[thread] = value
        cuda.syncwarp()
        step = 1
        while step < threads:
            if lane % (2 * step) == 0 and lane + step < valid:
                values[thread] = operation(values[thread], values[thread + step])
            cuda.syncwarp()
            step *= 2
        return values[thread]

    return _make_reduction_constructor(reduce_warp, threads)


@functools.cache
def _make_block_reduce(element, x, y=1, z=1):
    threads = x * y * z

    @cuda.jit(device=True)
    def reduce_block(value, operation, valid=threads):
        values = cuda.shared.array(threads, element)
        thread = _thread_rank()
        cuda.syncthreads()  # a previous reduction may still be read
        values[thread] = value
        cuda.syncthreads()
        step = 1
        while step < threads:
            if thread % (2 * step) == 0 and thread + step < valid:
                values[thread] = operation(values[thread], values[thread + step])
            cuda.syncthreads()
            step *= 2
        return values[thread]

    return _make_reduction_constructor(reduce_block, threads)


def _make_reduction_constructor(reduce_values, threads):
    """The instance that a kernel calls with temporary storage, which is not used: the reduction allocates memory."""

    class Methods:
        Reduce = reduce_values

        @cuda.jit(device=True)
        def Sum(value, valid=threads):
            return reduce_values(value, _sum, valid)

    @cuda.jit(device=True)
    def make_reduction_instance(temp_storage):
        return Methods

    make_reduction_instance.TempStorage = types.uint8
    return make_reduction_instance


def _make_block_reduce_template(element, x, algorithm=None, y=1, z=1):
    return _make_block_reduce(element, x, y, z)


WarpReduce = _Template("cub.WarpReduce", _make_warp_reduce)
BlockReduce = _Template("cub.BlockReduce", _make_block_reduce_template)


def __getattr__(name):
    raise make_missing_name_error("heddle.cupyx.jit.cub", name)
