"""numba.core.dispatcher and numba.core.registry: the class of host functions, for isinstance."""

from heddle.compiler.host_dispatcher import HostDispatcher
from heddle.support.missing_names import make_missing_name_error as _missing_name

CPUDispatcher = Dispatcher = HostDispatcher

__all__ = ["CPUDispatcher", "Dispatcher"]


def __getattr__(name):
    raise _missing_name("heddle.core.dispatcher", name)
