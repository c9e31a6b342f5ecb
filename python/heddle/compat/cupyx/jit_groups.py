"""``cupyx.jit.cg``: the threads of a block and of a launch as groups."""

from typing import NamedTuple

from heddle import cuda
from heddle.missing_names import missing_name

__all__ = ["memcpy_async", "sync", "this_grid", "this_thread_block", "wait", "wait_prior"]


class Dim3(NamedTuple):
    """What methods of groups return: ``x``, ``y`` and ``z``."""

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
def _threads_of_block():
    return Dim3(cuda.blockDim.x, cuda.blockDim.y, cuda.blockDim.z)


@cuda.jit(device=True)
def _blocks_of_grid():
    return Dim3(cuda.gridDim.x, cuda.gridDim.y, cuda.gridDim.z)


@cuda.jit(device=True)
def _rank(index, extent):
    return (index.z * extent.y + index.y) * extent.x + index.x


@cuda.jit(device=True)
def _size(extent):
    return extent.x * extent.y * extent.z


@cuda.jit(device=True)
def _thread_of_block():
    return _rank(_thread_index(), _threads_of_block())


@cuda.jit(device=True)
def _block_of_grid():
    return _rank(_block_index(), _blocks_of_grid())


@cuda.jit(device=True)
def _threads():
    return _size(_threads_of_block())


@cuda.jit(device=True)
def _blocks():
    return _size(_blocks_of_grid())


class ThreadBlock:
    """The threads of a block."""

    sync = cuda.syncthreads
    thread_index = _thread_index
    group_index = _block_index
    dim_threads = group_dim = _threads_of_block
    thread_rank = _thread_of_block
    num_threads = size = _threads


@cuda.jit(device=True)
def _sync_of_grid():
    cuda.cg.this_grid().sync()


@cuda.jit(device=True)
def _is_valid():
    return True


@cuda.jit(device=True)
def _thread_of_grid():
    return _block_of_grid() * _threads() + _thread_of_block()


@cuda.jit(device=True)
def _threads_of_grid():
    return _blocks() * _threads()


class Grid:
    """The threads of a launch."""

    sync = _sync_of_grid
    is_valid = _is_valid
    block_index = _block_index
    dim_blocks = group_dim = _blocks_of_grid
    block_rank = _block_of_grid
    num_blocks = _blocks
    thread_rank = _thread_of_grid
    num_threads = size = _threads_of_grid


@cuda.jit(device=True)
def this_thread_block():
    """The threads of the caller's block, as a group."""
    return ThreadBlock


@cuda.jit(device=True)
def this_grid():
    """The threads of the launch, as a group."""
    return Grid


@cuda.jit(device=True)
def sync(group):
    """Wait until all threads of the group are here."""
    group.sync()


@cuda.jit(device=True)
def memcpy_async(group, dst, dst_idx, src, src_idx, size, aligned_size=None):
    """Copy ``size`` bytes from ``src[src_idx]`` on to ``dst[dst_idx]`` on: the group's threads share the work."""
    for i in range(group.thread_rank(), size // dst.itemsize, group.size()):
        dst[dst_idx + i] = src[src_idx + i]


@cuda.jit(device=True)
def wait(group):
    """Wait until the copies that the group's threads began are done."""
    group.sync()


@cuda.jit(device=True)
def wait_prior(group, step):
    """Wait until all copies but the last ``step`` are done: here, all."""
    group.sync()


def __getattr__(name):
    raise missing_name("heddle.cupyx.jit.cg", name)
