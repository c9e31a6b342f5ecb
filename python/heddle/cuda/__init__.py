"""GPU kernels written in Python: the API of numba.cuda with CUDA's semantics.

>>> @cuda.jit
... def double(x):
...     i = cuda.grid(1)
...     if i < x.size:
...         x[i] *= 2
>>> double.forall(x.size)(x)
"""
# ruff: noqa: F401 - the imports are the exports of this module

import importlib as _importlib
from types import ModuleType as _ModuleType

from heddle import config, errors, types
from heddle.compiler import intrinsics as _intrinsics
from heddle.compiler.argument_hints import In, InOut, Out
from heddle.compiler.compile_ahead import (
    compile,
    compile_all,
    compile_for_current_device,
    compile_ptx,
    compile_ptx_for_current_device,
)
from heddle.compiler.jit import jit
from heddle.compiler.linkable_code import (
    LTOIR,
    Archive,
    Cubin,
    CUSource,
    Fatbin,
    LinkableCode,
    Object,
    PTXSource,
    declare_device,
)
from heddle.cuda import args, bf16, cg, cudadrv, fp16, libdevice, random, runtime, wgmma, wmma
from heddle.cuda.arrays import device_array, device_array_like, open_ipc_array, to_device
from heddle.cuda.contexts import defer_cleanup
from heddle.cuda.cudadrv import devicearray, driver
from heddle.cuda.devices import (
    all_devices,
    close,
    cuda_error,
    current_context,
    detect,
    get_current_device,
    gpus,
    is_available,
    is_bfloat16_supported,
    is_float16_supported,
    is_supported_version,
    list_devices,
    require_context,
    select_device,
    synchronize,
)
from heddle.cuda.foreign_arrays import as_cuda_array, from_cuda_array_interface, is_cuda_array
from heddle.cuda.graphs import Graph, GraphNode, graph
from heddle.cuda.host_memory import pinned
from heddle.cuda.ipc import IpcArrayHandle
from heddle.cuda.ipc_handles import IpcHandle
from heddle.cuda.layout import normalize_layout as prepare_shape_strides_dtype
from heddle.cuda.memory import MappedMemory, MemoryInfo, MemoryPointer, PinnedMemory
from heddle.cuda.memory_managers import (
    BaseCUDAMemoryManager,
    GetIpcHandleMixin,
    HostOnlyCUDAMemoryManager,
    set_memory_manager,
)
from heddle.cuda.profiler_marks import profile_start, profile_stop, profiling
from heddle.cuda.shared_arrays import (
    managed_array,
    mapped,
    mapped_array,
    mapped_array_like,
    pinned_array,
    pinned_array_like,
)
from heddle.cuda.streams import (
    default_stream,
    event,
    event_elapsed_time,
    external_stream,
    legacy_default_stream,
    per_thread_default_stream,
    stream,
)
from heddle.errors import CudaSupportError, KernelRuntimeError
from heddle.support.missing_names import make_missing_name_error as _missing_name
from heddle.support.public_function import public as _public

current_device = get_current_device
config.update_launch_warnings()
is_fp8_supported = is_bfloat16_supported
GridGroup, Dim3 = types.GridGroup, types.Dim3
HAS_NUMBA, implementation = True, "Heddle"

# numba.cuda exports this name by accident: its last vector type.
alias = "double4"

# Groups of operations that have a module of the same name.
_modules_of_operations = ("bf16", "cg", "fp16", "libdevice", "wgmma", "wmma")
globals().update(
    {
        _name: _member
        for _name, _member in _intrinsics.list_cuda_members().items()
        if _name not in _modules_of_operations
    }
)
globals().update({_name: getattr(types, _name) for _name in types.type_names})

# Loaded on first use, because few programs need them. name -> (module, name in the module).
_loaded_late = {
    "Reduce": ("heddle.cuda.algorithms.reduction", "Reduce"),
    "guvectorize": ("heddle.ufuncs.for_cuda", "guvectorize"),
    "reduce": ("heddle.cuda.algorithms.reduction", "Reduce"),
    "vectorize": ("heddle.ufuncs.for_cuda", "vectorize"),
}

# Modules that programs use as attributes, as in numba.
_shown_modules = ("args", "config", "cudadrv", "devicearray", "driver", "errors", "random")

# ``from heddle.cuda import *`` imports all names above except the modules in this folder.
__all__ = [
    _name
    for _name, _value in globals().items()
    if not _name.startswith("_")
    and (
        not isinstance(_value, _ModuleType)
        or _name in (*_modules_of_operations, "runtime", "types")
    )
] + list(_loaded_late)


def __dir__():
    """The public names, for completion. The other names of numba.cuda are also attributes."""
    hidden = ("HAS_NUMBA", "alias", "implementation")
    special = (name for name in globals() if name.startswith("__"))
    return sorted({*special, *__all__, *_shown_modules}.difference(hidden))


@_public
def __getattr__(name):
    from heddle.support.numba_modules import import_submodule_or_raise  # late: few ask for it

    if name in _loaded_late:
        module, name_there = _loaded_late[name]
        return getattr(_importlib.import_module(module), name_there)  # late: see above
    if name == "algorithms":
        return _importlib.import_module("heddle.cuda.algorithms")  # late: few programs use it
    if name == "bool":  # defining it here would hide the builtin in this file
        return types.boolean
    if name.startswith("_"):
        raise _missing_name("heddle.cuda", name)
    return import_submodule_or_raise("numba.cuda", name, "heddle.cuda")
