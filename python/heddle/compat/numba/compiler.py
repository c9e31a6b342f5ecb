"""numba.cuda.compiler: compilation without a launch, and kernel classes of old releases."""

from heddle.compiler.compile_ahead import (
    compile,
    compile_all,
    compile_for_current_device,
    compile_ptx,
    compile_ptx_for_current_device,
)
from heddle.compiler.dispatcher import Dispatcher
from heddle.compiler.linkable_code import ExternFunction, LinkableCode
from heddle.cuda.devices import get_current_device
from heddle.errors import NumbaInvalidConfigWarning, NumbaWarning
from heddle.support.missing_names import make_missing_name_error as _missing_name

AutoJitCUDAKernel = CUDAKernel = DeviceFunctionTemplate = DeviceDispatcher = Dispatcher

__all__ = [
    "AutoJitCUDAKernel",
    "CUDAKernel",
    "Dispatcher",
    "ExternFunction",
    "LinkableCode",
    "NumbaInvalidConfigWarning",
    "NumbaWarning",
    "compile",
    "compile_all",
    "compile_for_current_device",
    "compile_ptx",
    "compile_ptx_for_current_device",
    "get_current_device",
]


def __getattr__(name):
    raise _missing_name("heddle.cuda.compiler", name)
