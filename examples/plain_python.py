"""Times a kernel in plain Python, one thread after the other.

Only for the tour, not a way to run kernels: threads run one at a time, so barriers do nothing and results that depend
on them are wrong. Each thread still does the same work.
"""

import random
import time
import types

import numpy as np

from heddle import cuda


class OneThread:
    """Replaces ``cuda`` in the kernel's source while it runs as a single thread."""

    def __init__(self, grid, block, shared_bytes):
        self.gridDim = _three(grid)
        self.blockDim = _three(block)
        self.shared = _Arrays(shared_bytes)
        self.local = _Arrays(0)
        self.atomic = _Atomics()

    def become(self, number):
        """Takes the identity of this thread, counted along x, y and z of the whole grid."""
        here = []
        for blocks, threads in zip(_tuple(self.gridDim), _tuple(self.blockDim), strict=True):
            number, along = divmod(number, blocks * threads)
            here.append(divmod(along, threads))
        self.blockIdx = _three([block for block, _ in here])
        self.threadIdx = _three([thread for _, thread in here])

    def grid(self, dimensions):
        parts = zip(
            _tuple(self.blockIdx), _tuple(self.blockDim), _tuple(self.threadIdx), strict=True
        )
        places = [block * threads + thread for block, threads, thread in parts][:dimensions]
        return places[0] if dimensions == 1 else tuple(places)

    def gridsize(self, dimensions):
        pairs = zip(_tuple(self.gridDim), _tuple(self.blockDim), strict=True)
        sizes = [blocks * threads for blocks, threads in pairs][:dimensions]
        return sizes[0] if dimensions == 1 else tuple(sizes)

    def syncthreads(self):
        pass


class _Arrays:
    def __init__(self, bytes_at_launch):
        self._bytes_at_launch = bytes_at_launch

    def array(self, shape, dtype):
        return np.zeros(shape or self._bytes_at_launch // np.dtype(dtype).itemsize, dtype)


class _Atomics:
    def add(self, array, index, value):
        old = array[index]
        array[index] += value
        return old


def _three(extents):
    extents = [extents] if np.ndim(extents) == 0 else list(extents)
    x, y, z = extents + [1] * (3 - len(extents))
    return types.SimpleNamespace(x=x, y=y, z=z)


def _tuple(three):
    return three.x, three.y, three.z


def seconds_per_thread(kernel, grid, block, shared_bytes, arguments, patience=0.2):
    """The mean time in seconds that Python takes per thread, over threads drawn at random from the grid.

    patience: seconds to spend; at least eight threads run regardless. Writes to the arrays among the arguments.
    """
    cuda_of_one_thread = OneThread(grid, block, shared_bytes)
    run = _in_python(kernel, cuda_of_one_thread)
    extents = (*_tuple(cuda_of_one_thread.gridDim), *_tuple(cuda_of_one_thread.blockDim))
    threads = int(np.prod(extents))
    chance = random.Random(0)
    ran, spent = 0, 0.0
    with np.errstate(all="ignore"):  # integers of fixed width overflow silently in kernels
        while spent < patience or ran < 8:
            cuda_of_one_thread.become(chance.randrange(threads))
            begin = time.perf_counter()
            run(*arguments)
            spent += time.perf_counter() - begin
            ran += 1
    return spent / ran


def _in_python(function, cuda_of_one_thread):
    """The function as written, but its globals ``cuda`` and the device functions it calls are replaced."""
    code = function.py_func.__code__
    seen = dict(function.py_func.__globals__)
    for name in code.co_names:
        if seen.get(name) is cuda:
            seen[name] = cuda_of_one_thread
        elif hasattr(seen.get(name), "py_func"):
            seen[name] = _in_python(seen[name], cuda_of_one_thread)
    return types.FunctionType(code, seen)
