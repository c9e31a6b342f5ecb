"""The places under numba.cuda.cudadrv from which programs import: names only."""

from heddle import errors as error
from heddle.cuda import runtime
from heddle.cuda.cudadrv import devicearray, devices, driver

__all__ = ["devicearray", "devices", "driver", "error", "runtime"]
