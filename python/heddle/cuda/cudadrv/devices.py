"""numba.cuda.cudadrv.devices: the list of devices and the current context."""

from heddle.cuda.devices import get_context, gpus, require_context, reset

__all__ = ["get_context", "gpus", "require_context", "reset"]
