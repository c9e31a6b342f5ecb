"""cupy.cuda.driver: its exception, its version and an occupancy query."""

from heddle.compat.cupy.cuda_errors import CUDADriverError
from heddle.compat.cupy.devices import Device
from heddle.support.missing_names import make_missing_name_error

__all__ = ["CUDADriverError", "get_build_version", "occupancyMaxActiveBlocksPerMultiprocessor"]


def get_build_version():
    """The CUDA version of this interface: 1000 * major + 10 * minor."""
    return 13000


def occupancyMaxActiveBlocksPerMultiprocessor(func, blockSize, dynamicSMemSize):
    """The number of blocks that fit on a multiprocessor at once. func: a cupy.cuda.Function or a RawKernel."""
    blocks = func._get_kernel_on_current_device().max_cooperative_blocks(blockSize, dynamicSMemSize)
    return max(blocks // Device().native.attribute("MULTIPROCESSOR_COUNT"), 1) if blocks else 0


def __getattr__(name):
    raise make_missing_name_error("heddle.cupy.cuda.driver", name)
