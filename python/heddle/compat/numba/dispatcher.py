"""numba.cuda.dispatcher: the class of kernels and device functions."""

from heddle.compiler.argument_hints import wrap_arg
from heddle.compiler.dispatcher import Dispatcher
from heddle.compiler.forall import ForAll
from heddle.compiler.jit import jit
from heddle.compiler.linkable_code import LinkableCode
from heddle.cuda.devices import current_context as get_context
from heddle.cuda.devices import get_current_device
from heddle.errors import missing_launch_config_msg, normalize_kernel_dimensions
from heddle.support.missing_names import make_missing_name_error as _missing_name
from heddle.types import typeof

CUDADispatcher = Dispatcher

__all__ = [
    "CUDADispatcher",
    "Dispatcher",
    "ForAll",
    "LinkableCode",
    "get_context",
    "get_current_device",
    "jit",
    "missing_launch_config_msg",
    "normalize_kernel_dimensions",
    "typeof",
    "wrap_arg",
]


def __getattr__(name):
    raise _missing_name("heddle.cuda.dispatcher", name)
