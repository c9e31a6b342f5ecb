"""numba.cuda.kernels.transpose: transposes a matrix with a kernel."""

from heddle.compiler.dispatcher import Dispatcher
from heddle.cuda import blockDim, blockIdx, shared, syncthreads, threadIdx, to_device
from heddle.cuda.arrays import device_array
from heddle.types import from_dtype

__all__ = ["transpose"]

_side = 16


def _make_transpose_kernel(element):
    def transpose_tiles(source, target):
        # Pad each row by one element, so that the threads of a warp read from different banks.
        tile = shared.array((_side, _side + 1), element)
        row = blockIdx.y * blockDim.y + threadIdx.y
        column = blockIdx.x * blockDim.x + threadIdx.x
        if row < source.shape[0] and column < source.shape[1]:
            tile[threadIdx.y, threadIdx.x] = source[row, column]
        syncthreads()
        row = blockIdx.x * blockDim.x + threadIdx.y
        column = blockIdx.y * blockDim.y + threadIdx.x
        if row < target.shape[0] and column < target.shape[1]:
            target[row, column] = tile[threadIdx.x, threadIdx.y]

    return Dispatcher(transpose_tiles, {})


_kernels = {}  # element type -> kernel


def transpose(a, b=None):
    """Writes the transpose of the matrix ``a`` to ``b``, or to a new device array. Returns it.

    a: a NumPy array or a device array, whose stream is used.
    """
    stream = getattr(a, "stream", 0)
    rows, columns = a.shape
    source = to_device(a, stream=stream)
    if b is None:
        b = device_array((columns, rows), a.dtype, stream=stream)
    element = from_dtype(a.dtype)
    if element not in _kernels:
        _kernels[element] = _make_transpose_kernel(element)
    grid = -(-columns // _side), -(-rows // _side)
    _kernels[element][grid, (_side, _side), stream](source, b)
    return b
