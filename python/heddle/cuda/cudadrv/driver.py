"""numba.cuda.cudadrv.driver: the classes of what the driver offers, and its errors."""

from heddle.cuda.devices import Context, Device
from heddle.cuda.streams import Event, Stream
from heddle.errors import CudaAPIError, CudaDriverError, CudaSupportError

__all__ = [
    "Context",
    "CudaAPIError",
    "CudaDriverError",
    "CudaSupportError",
    "Device",
    "Event",
    "Stream",
]
