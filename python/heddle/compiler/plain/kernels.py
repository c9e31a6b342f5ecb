"""The substitute for compiled kernels and functions under ``HEDDLE_DISABLE_JIT=1``: the Python functions themselves."""

import functools
import itertools
import types

import numpy as np

from heddle import _heddle
from heddle.compiler import intrinsics
from heddle.compiler.argument_hints import ArgHint
from heddle.compiler.plain.blocks import Block, current_kernel_thread
from heddle.compiler.plain.operations import find_operation
from heddle.support.public_function import public

# Parts of operation names. A kernel that reaches none of them in its code runs without Python threads.
_barriers = ("sync", "shfl", "match_any", "match_all")


class PlainKernel:
    """A kernel or device function that runs as plain Python. Kernels are launched as usual; kernels call it."""

    def __init__(self, function, options):
        functools.update_wrapper(self, function)
        self.py_func = function
        self.targetoptions = dict(options)
        intrinsics.plain_operation = find_operation

    def __call__(self, *args, **kwargs):
        if current_kernel_thread() is None and not self.targetoptions.get("device"):
            name = self.py_func.__name__
            raise ValueError(
                f"{name} is a kernel and needs to know how many threads to run: "
                f"write {name}[blocks, threads_per_block](...) instead of {name}(...)"
            )
        return self.py_func(*args, **kwargs)

    def __get__(self, instance, owner=None):
        return (
            self
            if instance is None
            else PlainKernel(self.py_func.__get__(instance), self.targetoptions)
        )

    @public
    def __getitem__(self, configuration):
        grid, block, *rest = configuration
        dynamic_bytes = rest[1] if len(rest) > 1 else 0
        return functools.partial(
            self._launch, _to_three_extents(grid), _to_three_extents(block), dynamic_bytes
        )

    def configure(self, griddim, blockdim, stream=0, sharedmem=0):
        """Same as ``kernel[griddim, blockdim, stream, sharedmem]``."""
        return self[griddim, blockdim, stream, sharedmem]

    def forall(self, ntasks, tpb=0, stream=0, sharedmem=0):
        """A one-dimensional launch of at least ``ntasks`` threads."""
        block = tpb or 128
        return self[-(-ntasks // block), block, stream, sharedmem] if ntasks else lambda *_: None

    def specialize(self, *args):
        return self

    def __repr__(self):
        return f"<heddle kernel {self.__qualname__}, as plain Python>"

    def __reduce__(self):
        return self.__qualname__

    def _launch(self, grid, block, dynamic_bytes, *args, **kwargs):
        values = [_to_host_value(value) for value in args]
        named = {name: _to_host_value(value) for name, value in kwargs.items()}
        body = functools.partial(self.py_func, *values, **named)
        waits = _may_reach_barrier(self.py_func, set())
        for z, y, x in itertools.product(*(range(extent) for extent in reversed(grid))):
            threads = Block((x, y, z), block, grid, dynamic_bytes)
            (threads.run_with_barriers if waits else threads.run_without_barriers)(body)
        for given, value in zip([*args, *kwargs.values()], [*values, *named.values()], strict=True):
            if hasattr(given, "copy_to_host") and not _is_in_host_memory(given):
                given.copy_to_device(value)


def _to_three_extents(shape):
    extents = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    return (*map(int, extents), 1, 1)[:3]


def _to_host_value(value):
    """Converts a launch argument for a plain Python kernel."""
    value = value.value if isinstance(value, ArgHint) else value
    if isinstance(value, np.ndarray) and not isinstance(value, np.recarray):
        return value.view(np.ndarray)
    if _is_in_host_memory(value):
        _get_native_device(value).synchronize()
        return value._get_numpy_view()
    return value.copy_to_host() if hasattr(value, "copy_to_host") else value


def _is_in_host_memory(value):
    """True if it is a device array whose memory the kernel uses in place, as compiled kernels do."""
    return isinstance(value, _heddle.DeviceArrayBase) and _get_native_device(value).uses_host_memory


def _get_native_device(array):
    return _heddle.DeviceArrayBase.device.__get__(array)


def _may_reach_barrier(function, seen):
    """True if a function, or one reachable from its globals and closure, names an operation that waits."""
    function = getattr(function, "py_func", function)
    function = getattr(function, "__func__", function)
    if not isinstance(function, types.FunctionType) or function in seen:
        return False
    seen.add(function)
    names = _list_global_names(function.__code__)
    if any(part in name for name in names for part in _barriers):
        return True
    reached = [function.__globals__.get(name) for name in names]
    reached += [cell.cell_contents for cell in function.__closure__ or () if _is_cell_filled(cell)]
    return any(_is_barrier_intrinsic(value) or _may_reach_barrier(value, seen) for value in reached)


def _is_barrier_intrinsic(value):
    """Also finds barriers that were imported under another name."""
    return isinstance(value, intrinsics.Intrinsic) and any(part in value.name for part in _barriers)


def _is_cell_filled(cell):
    try:
        return cell.cell_contents is not None
    except ValueError:  # not assigned yet
        return False


def _list_global_names(code):
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= _list_global_names(constant)
    return names
