"""numba.cuda.cudadrv.devices: the list of devices and the current context."""

from heddle.cuda.devices import close as reset
from heddle.cuda.devices import current_context as get_context
from heddle.cuda.devices import gpus, require_context

__all__ = ["get_context", "gpus", "require_context", "reset"]
