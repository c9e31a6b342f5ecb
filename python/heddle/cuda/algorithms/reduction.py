"""``cuda.reduce``: reductions of arrays with a user's function."""

import functools

import numpy as np

from heddle import _heddle
from heddle.compiler.jit import jit
from heddle.cuda.algorithms import reduce_kernels
from heddle.cuda.algorithms.workspaces import get_thread_result_arrays, get_workspace, most_blocks
from heddle.cuda.device_ndarray import DeviceNDArray
from heddle.cuda.foreign_arrays import as_cuda_array, is_cuda_array
from heddle.cuda.streams import Stream, to_native_stream
from heddle.support.public_function import public
from heddle.types import from_dtype

_chunk_bytes = 1 << 16  # on the CPU device: enough work to wake a pool thread for


class Reduce:
    """A reduction with a function of two values: ``@cuda.reduce`` above ``def add(a, b): return a + b``.

    functor: an associative and commutative function, or a device function (``cuda.jit(device=True)``). It is compiled
    for each dtype at the first call.

    >>> @cuda.reduce
    ... def add(a, b):
    ...     return a + b
    >>> print(add(x))
    1000.0
    """

    def __init__(self, functor):
        functools.update_wrapper(self, functor, updated=())
        self._functor = functor
        self._kernels = {}

    @public
    def __call__(self, arr, size=None, res=None, init=0, stream=0):
        """Reduces a 1-D array, and ``init``, to one value of the array's dtype.

        arr: a host or device array. size: reduces only the first ``size`` elements.
        res: a device array whose first element receives the result; the call then returns None and does not wait.
        init: the result for an empty array, converted to the array's dtype. For a product, pass ``init=1``.
        Raises TypeError for an array of another rank and for a ``res`` of another dtype, ValueError for a ``res``
            without elements.
        Same as numba.cuda.Reduce (numba-cuda 0.30, kernels/reduction).
        """
        array = as_cuda_array(arr) if is_cuda_array(arr) else np.asarray(arr)
        if array.ndim != 1:
            raise TypeError(
                f"cuda.reduce reduces arrays of rank 1, but this one has rank {array.ndim}\n"
                "  hint: pass array.ravel()"
            )
        if size is not None:
            array = array[:size]
        dtype = array.dtype
        return run_reduction(
            self._get_reduction_kernel, array, _convert_initial(init, dtype), res, stream
        )

    def _get_reduction_kernel(self, dtype, on_cpu):
        key = dtype, on_cpu
        if key not in self._kernels:
            functor = self._functor
            if not isinstance(functor, _heddle.DispatcherBase):
                functor = jit(device=True)(functor)
            self._kernels[key] = make_reduction_kernel(functor, dtype, dtype, on_cpu)
        return self._kernels[key]

    def __repr__(self):
        return f"<heddle reduction by {self._functor!r}>"


def make_reduction_kernel(functor, dtype, result_dtype, on_cpu):
    """The kernel that reduces arrays of a dtype to a value of ``result_dtype``. functor: a device function."""
    element = from_dtype(result_dtype)
    if on_cpu:
        return reduce_kernels.make_cpu_reduction_kernel(functor, element)
    return reduce_kernels.make_gpu_reduction_kernel(functor, element, dtype.itemsize)


def run_reduction(kernel_for, array, initial, res, stream):
    """Reduces a 1-D array. Returns a NumPy scalar, or None if the result goes to ``res``.

    kernel_for: a function of the array's dtype and of whether the device is the CPU; returns the kernel. initial: a
    scalar of the result's dtype.
    """
    dtype = initial.dtype
    if res is not None:
        _check_result_array(res, dtype)
    native = to_native_stream(stream, array.device if isinstance(array, DeviceNDArray) else None)
    if not array.size:
        return initial if res is None else _store_result(initial, res, native)
    device = native.device
    result, seen = (res, None) if res is not None else get_thread_result_arrays(device, dtype)
    workspace = get_workspace(native)
    kernel = kernel_for(array.dtype, device.uses_host_memory)
    arguments = array, initial, result, workspace.get_partial_results_array(dtype), workspace.ticket
    if device.uses_host_memory:
        chunk = _choose_elements_per_block(device, array.size, array.itemsize)
        kernel[-(-array.size // chunk), 1, native](*arguments, chunk)
    else:
        blocks = _choose_block_count(device, array.size, array.itemsize)
        kernel[blocks, reduce_kernels.threads, native](*arguments)
    if res is not None:
        return None
    native.synchronize()
    return seen[0]


def _check_result_array(res, dtype):
    given = getattr(res, "dtype", None)
    if given is None:
        raise TypeError(f"res takes a device array for the result, not {res!r}")
    if given != dtype:
        raise TypeError(f"the result has dtype {dtype}, but res has {given}")
    if 0 in res.shape or len(res.shape) != 1:
        raise ValueError(
            f"res takes an array of rank 1 with an element for the result, not one of shape {res.shape}"
        )


def _store_result(value, res, native):
    if not is_cuda_array(res):
        res[:1] = value
        return
    as_cuda_array(res)[:1].copy_to_device(np.array([value]), Stream._wrap_native(native))


def _choose_elements_per_block(device, count, itemsize):
    """Elements per block on the CPU device, for about four blocks per processor."""
    processors = device.attribute("MULTIPROCESSOR_COUNT")
    return max(-(-count // min(4 * processors, most_blocks)), _chunk_bytes // itemsize, 1)


def _choose_block_count(device, count, itemsize):
    """The number of blocks: enough to fill the multiprocessors, but with enough work for each."""
    filling = device.attribute("MULTIPROCESSOR_COUNT") * (2048 // reduce_kernels.threads)
    reduce_thread = reduce_kernels.choose_load_count(itemsize) * reduce_kernels.get_vector_length(
        itemsize
    )
    wanted = -(-count // (reduce_kernels.threads * reduce_thread))
    return min(wanted, filling, most_blocks)


def _convert_initial(value, dtype):
    return np.zeros((), dtype)[()] if dtype.names else dtype.type(value)
