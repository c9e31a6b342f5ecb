"""``cupyx.jit.cub``: reductions by the threads of a warp or a block.

    WarpReduce = jit.cub.WarpReduce[np.float32]              BlockReduce = jit.cub.BlockReduce[np.float32, 256]
    memory = jit.shared_memory(dtype=WarpReduce.TempStorage, size=1)
    total = WarpReduce(memory[0]).Sum(value)                 in the first thread

The compiler asks a template for what stands between its brackets as for an attribute: ``[float32, 256]``.
"""

import functools

from heddle import cuda, types
from heddle.compat.cupyx.jit_groups import _thread_of_block
from heddle.missing_names import missing_name

__all__ = ["BlockReduce", "Max", "Min", "Sum", "WarpReduce"]

_most_threads = 1024
_warp = 32


@cuda.jit(device=True)
def _sum(a, b):
    return a + b


@cuda.jit(device=True)
def _is_less(a, b):
    if isinstance(a, complex):  # which CuPy's headers compare by the real parts first
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
    """The operation of a reduction that adds."""
    return _sum


@cuda.jit(device=True)
def Max():
    """The operation of a reduction that takes the larger."""
    return _max


@cuda.jit(device=True)
def Min():
    """The operation of a reduction that takes the smaller."""
    return _min


class _Template:
    """What has instances by the brackets behind its name, in kernels."""

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
def _warp_reduce(element, threads=_warp):
    @cuda.jit(device=True)
    def reduced(value, operation, valid=threads):
        values = cuda.shared.array(_most_threads, element)
        thread = _thread_of_block()
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

    return _reduction(reduced, threads)


@functools.cache
def _block_reduce(element, x, y=1, z=1):
    threads = x * y * z

    @cuda.jit(device=True)
    def reduced(value, operation, valid=threads):
        values = cuda.shared.array(threads, element)
        thread = _thread_of_block()
        cuda.syncthreads()  # a reduction before may still be read
        values[thread] = value
        cuda.syncthreads()
        step = 1
        while step < threads:
            if thread % (2 * step) == 0 and thread + step < valid:
                values[thread] = operation(values[thread], values[thread + step])
            cuda.syncthreads()
            step *= 2
        return values[thread]

    return _reduction(reduced, threads)


def _reduction(reduced, threads):
    """What a kernel calls with its temporary storage; the reduction has memory of its own."""

    class Methods:
        Reduce = reduced

        @cuda.jit(device=True)
        def Sum(value, valid=threads):
            return reduced(value, _sum, valid)

    @cuda.jit(device=True)
    def instance(temp_storage):
        return Methods

    instance.TempStorage = types.uint8
    return instance


def _block_reduce_of(element, x, algorithm=None, y=1, z=1):
    return _block_reduce(element, x, y, z)


WarpReduce = _Template("cub.WarpReduce", _warp_reduce)
BlockReduce = _Template("cub.BlockReduce", _block_reduce_of)


def __getattr__(name):
    raise missing_name("heddle.cupyx.jit.cub", name)
