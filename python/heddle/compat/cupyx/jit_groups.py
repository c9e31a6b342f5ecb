"""``cupyx.jit.cg``: the threads of a block and of a launch as cooperative groups."""

from typing import NamedTuple

from heddle import cuda
from heddle.support.missing_names import make_missing_name_error

__all__ = ["memcpy_async", "sync", "this_grid", "this_thread_block", "wait", "wait_prior"]


class Dim3(NamedTuple):
    """The result of group methods: ``x``, ``y`` and ``z``."""

    x: int
    y: int
    z: int


@cuda.jit(device=True)
def _thread_index():
    return Dim3(cuda.threadIdx.x, cuda.threadIdx.y, cuda.threadIdx.z)


@cuda.jit(device=True)
def _block_index():
    return Dim3(cuda.blockIdx.x, cuda.blockIdx.y, cuda.blockIdx.z)


@cuda.jit(device=True)
def _block_extent():
    return Dim3(cuda.blockDim.x, cuda.blockDim.y, cuda.blockDim.z)


@cuda.jit(device=True)
def _grid_extent():
    return Dim3(cuda.gridDim.x, cuda.gridDim.y, cuda.gridDim.z)


@cuda.jit(device=True)
def _linearize_index(index, extent):
    return (index.z * extent.y + index.y) * extent.x + index.x


@cuda.jit(device=True)
def _compute_volume(extent):
    return extent.x * extent.y * extent.z


@cuda.jit(device=True)
def _thread_rank():
    return _linearize_index(_thread_index(), _block_extent())


@cuda.jit(device=True)
def _block_rank():
    return _linearize_index(_block_index(), _grid_extent())


@cuda.jit(device=True)
def _thread_count():
    return _compute_volume(_block_extent())


@cuda.jit(device=True)
def _block_count():
    return _compute_volume(_grid_extent())


class ThreadBlock:
    """The group of all threads of a block."""

    sync = cuda.syncthreads
    thread_index = _thread_index
    group_index = _block_index
    dim_threads = group_dim = _block_extent
    thread_rank = _thread_rank
    num_threads = size = _thread_count


@cuda.jit(device=True)
def _sync_grid():
    cuda.cg.this_grid().sync()


@cuda.jit(device=True)
def _is_valid_group():
    return True


@cuda.jit(device=True)
def _grid_rank():
    return _block_rank() * _thread_count() + _thread_rank()


@cuda.jit(device=True)
def _grid_size():
    return _block_count() * _thread_count()


class Grid:
    """The group of all threads of a launch."""

    sync = _sync_grid
    is_valid = _is_valid_group
    block_index = _block_index
    dim_blocks = group_dim = _grid_extent
    block_rank = _block_rank
    num_blocks = _block_count
    thread_rank = _grid_rank
    num_threads = size = _grid_size


@cuda.jit(device=True)
def this_thread_block():
    """The group of all threads of the caller's block."""
    return ThreadBlock


@cuda.jit(device=True)
def this_grid():
    """The group of all threads of the launch."""
    return Grid


@cuda.jit(device=True)
def sync(group):
    """Waits until all threads of the group have arrived."""
    group.sync()


@cuda.jit(device=True)
def memcpy_async(group, dst, dst_idx, src, src_idx, size, aligned_size=None):
    """Copies ``size`` bytes from ``src[src_idx]`` to ``dst[dst_idx]``. The group's threads share the work."""
    for i in range(group.thread_rank(), size // dst.itemsize, group.size()):
        dst[dst_idx + i] = src[src_idx + i]


@cuda.jit(device=True)
def wait(group):
    """Waits until the group's copies are complete."""
    group.sync()


@cuda.jit(device=True)
def wait_prior(group, step):
    """Waits until all copies except the last ``step`` are complete; here, all."""
    group.sync()


def __getattr__(name):
    raise make_missing_name_error("heddle.cupyx.jit.cg", name)
