"""Device operations for kernels that run as plain Python."""

import math
import operator
import sys

import numpy as np

from heddle.compiler.intrinsics import IntrinsicValue
from heddle.compiler.plain.blocks import current_kernel_thread
from heddle.compiler.plain.fragments import fragment_operations
from heddle.compiler.plain.vectors import make_vector_constructors
from heddle.errors import UnsupportedError
from heddle.types import dtypes

_warp = 32


def find_operation(name):
    """The implementation of an operation for the running thread; None outside kernels."""
    if current_kernel_thread() is None:
        return None
    if name not in _operations:
        raise UnsupportedError(
            f"{name} is not available while kernels run as plain Python\n"
            "  hint: run without HEDDLE_DISABLE_JIT=1 (NUMBA_DISABLE_JIT=1), which compiles it"
        )
    return _operations[name]


def list_operation_names():
    """The full names of the implemented operations."""
    return list(_operations)


def _evaluate_on_this_thread(value):
    """Evaluates a thread-dependent value such as ``cuda.laneid``, so that another thread can read it."""
    return value._require_plain_function()() if isinstance(value, IntrinsicValue) else value


def _make_component_reader(of, axis):
    return lambda: of(current_kernel_thread())["xyz".index(axis)]


def _compute_grid_position(dimensions):
    thread = current_kernel_thread()
    place = [
        block * extent + index
        for block, extent, index in zip(
            thread.block.position, thread.block.shape, thread.position, strict=True
        )
    ]
    return place[0] if dimensions == 1 else tuple(place[:dimensions])


def _compute_grid_size(dimensions):
    block = current_kernel_thread().block
    size = [a * b for a, b in zip(block.grid, block.shape, strict=True)]
    return size[0] if dimensions == 1 else tuple(size[:dimensions])


def _wait_at_barrier(value=None):
    thread = current_kernel_thread()
    return thread.exchange_values(range(len(thread.block.threads)), _evaluate_on_this_thread(value))


def _sync_grid():
    if math.prod(current_kernel_thread().block.grid) > 1:
        raise UnsupportedError(
            "plain Python runs one block after the other: this_grid().sync() needs a grid of one block"
        )
    _wait_at_barrier()


class _Grid:
    """``cuda.cg.this_grid()``."""

    def sync(self):
        _sync_grid()


def _get_or_create_shared_array(shape, dtype, alignment=None):
    block = current_kernel_thread().block
    place = _find_call_site()
    if place not in block.shared:
        dtype = dtypes.as_dtype(dtype)
        if shape == 0 or shape == (0,):
            memory = block.shared.setdefault("dynamic", np.zeros(block.dynamic_bytes, np.uint8))
            usable = memory.size - memory.size % dtype.itemsize
            block.shared[place] = memory[:usable].view(dtype)
        else:
            block.shared[place] = np.zeros(shape, dtype)
    return block.shared[place]


def _find_call_site():
    frame = sys._getframe(2)
    while frame.f_globals.get("__name__", "").startswith("heddle."):
        frame = frame.f_back
    return frame.f_code, frame.f_lasti


def _make_local_array(shape, dtype, alignment=None):
    return np.zeros(shape, dtypes.as_dtype(dtype))


def _make_atomic(combine):
    def update_element(array, index, *values):
        old = array[index]
        array[index] = combine(old, *values)
        return old

    return update_element


def _make_nan_ignoring_choice(choose):
    return lambda old, new: new if old != old else old if new != new else choose(old, new)


def _compare_and_swap(array, old, value):
    before = array[0]
    if before == old:
        array[0] = value
    return before


def _list_thread_indices_in_mask(mask):
    """The indices in the block of the threads of this warp that are in the mask."""
    first = current_kernel_thread().index // _warp * _warp
    size = len(current_kernel_thread().block.threads)
    return [first + i for i in range(_warp) if mask >> i & 1 and first + i < size]


def _make_warp_operation(combine):
    """Makes an operation on the values of all lanes in its mask."""

    def exchange_and_compute(mask, *values):
        received = current_kernel_thread().exchange_values(
            _list_thread_indices_in_mask(mask),
            [_evaluate_on_this_thread(value) for value in values],
        )
        by_lane = {index % _warp: value for index, value in received.items()}
        return combine(by_lane, current_kernel_thread().index % _warp, *values)

    return exchange_and_compute


def _make_shuffle(source_of):
    def select_shuffled_value(by_lane, lane, value, choice, width=_warp):
        first = lane // width * width
        source = source_of(lane, choice, first, width)
        return by_lane.get(source, (value,))[0] if first <= source < first + width else value

    in_warp = _make_warp_operation(select_shuffled_value)
    return lambda mask, value, choice, width=_warp: in_warp(mask, value, choice, width)


def _list_lane_values(by_lane):
    return [values[0] for values in by_lane.values()]


def _make_mask_of_lanes_with_value(by_lane, value):
    return sum(1 << lane for lane, (other, *_) in by_lane.items() if other == value)


def _make_warp_reduction(combine):
    def reduce_lanes(by_lane, lane, value):
        values = _list_lane_values(by_lane)
        total = values[0]
        for other in values[1:]:
            total = combine(total, other)
        return total

    return _make_warp_operation(reduce_lanes)


def _get_bit_width(x):
    return (
        x.dtype.itemsize * 8 if isinstance(x, np.generic) else 32 if -(2**31) <= x < 2**32 else 64
    )


def _to_unsigned(x):
    return int(x) & ((1 << _get_bit_width(x)) - 1)


def _find_first_set(x):
    bits = _to_unsigned(x)
    return (bits & -bits).bit_length()


def _store_element(array, index, value):
    array[index] = value


def _copy_elements(to, to_index, source, source_index, count=1):
    def make_slice_index(index):
        *outer, last = index if isinstance(index, tuple) else (index,)
        return (*outer, slice(last, last + count))

    to[make_slice_index(to_index)] = source[make_slice_index(source_index)]


_indices = {
    f"cuda.{name}.{axis}": _make_component_reader(of, axis)
    for name, of in {
        "threadIdx": lambda thread: thread.position,
        "blockIdx": lambda thread: thread.block.position,
        "blockDim": lambda thread: thread.block.shape,
        "gridDim": lambda thread: thread.block.grid,
    }.items()
    for axis in "xyz"
}

_operations = {
    **_indices,
    **make_vector_constructors(),
    **fragment_operations,
    "cuda.laneid": lambda: current_kernel_thread().index % _warp,
    "cuda.warpsize": lambda: _warp,
    "cuda.grid": _compute_grid_position,
    "cuda.gridsize": _compute_grid_size,
    "cuda.syncthreads": lambda: _wait_at_barrier() and None,
    "cuda.syncthreads_count": lambda value: sum(map(bool, _wait_at_barrier(value).values())),
    "cuda.syncthreads_and": lambda value: int(all(_wait_at_barrier(value).values())),
    "cuda.syncthreads_or": lambda value: int(any(_wait_at_barrier(value).values())),
    "cuda.cg.this_grid": _Grid,
    **dict.fromkeys(
        ["cuda.threadfence", "cuda.threadfence_block", "cuda.threadfence_system"], lambda: None
    ),
    "cuda.nanosleep": lambda time: None,
    "cuda.shared.array": _get_or_create_shared_array,
    "cuda.local.array": _make_local_array,
    "cuda.pipeline.memcpy_async": _copy_elements,
    "cuda.pipeline.commit": lambda: None,
    "cuda.pipeline.wait_prior": lambda n: None,
    "cuda.const.array_like": lambda array: array,
    "cuda.selp": lambda condition, a, b: a if condition else b,
    "cuda.fma": lambda a, b, c: a * b + c,
    "cuda.cbrt": np.cbrt,
    "cuda.popc": lambda x: _to_unsigned(x).bit_count(),
    "cuda.brev": lambda x: int(f"{_to_unsigned(x):0{_get_bit_width(x)}b}"[::-1], 2),
    "cuda.clz": lambda x: _get_bit_width(x) - _to_unsigned(x).bit_length(),
    "cuda.ffs": _find_first_set,
    "cuda.literally": lambda value: value,
    "cuda.literal_unroll": lambda values: values,
    "cuda.atomic.add": _make_atomic(operator.add),
    "cuda.atomic.sub": _make_atomic(operator.sub),
    "cuda.atomic.min": _make_atomic(min),
    "cuda.atomic.max": _make_atomic(max),
    "cuda.atomic.nanmin": _make_atomic(_make_nan_ignoring_choice(min)),
    "cuda.atomic.nanmax": _make_atomic(_make_nan_ignoring_choice(max)),
    "cuda.atomic.and_": _make_atomic(operator.and_),
    "cuda.atomic.or_": _make_atomic(operator.or_),
    "cuda.atomic.xor": _make_atomic(operator.xor),
    "cuda.atomic.exch": _make_atomic(lambda old, new: new),
    "cuda.atomic.inc": _make_atomic(lambda old, last: 0 if old >= last else old + 1),
    "cuda.atomic.dec": _make_atomic(lambda old, last: last if old == 0 or old > last else old - 1),
    "cuda.atomic.cas": _make_atomic(lambda old, expected, new: new if old == expected else old),
    "cuda.atomic.compare_and_swap": _compare_and_swap,
    "cuda.syncwarp": lambda mask=0xFFFFFFFF: _make_warp_operation(lambda *_: None)(mask),
    "cuda.activemask": lambda: sum(
        1 << i % _warp
        for i in _list_thread_indices_in_mask(0xFFFFFFFF)
        if not current_kernel_thread().block.threads[i].done
    ),
    "cuda.lanemask_lt": lambda: (1 << current_kernel_thread().index % _warp) - 1,
    "cuda.all_sync": _make_warp_operation(lambda by_lane, lane, _: all(_list_lane_values(by_lane))),
    "cuda.any_sync": _make_warp_operation(lambda by_lane, lane, _: any(_list_lane_values(by_lane))),
    "cuda.eq_sync": _make_warp_operation(
        lambda by_lane, lane, _: len(set(map(bool, _list_lane_values(by_lane)))) == 1
    ),
    "cuda.ballot_sync": _make_warp_operation(
        lambda by_lane, lane, _: sum(1 << i for i, (value,) in by_lane.items() if value)
    ),
    "cuda.match_any_sync": _make_warp_operation(
        lambda by_lane, lane, value: _make_mask_of_lanes_with_value(by_lane, value)
    ),
    "cuda.match_all_sync": _make_warp_operation(
        lambda by_lane, lane, value: (
            (_make_mask_of_lanes_with_value(by_lane, value), True)
            if len(set(_list_lane_values(by_lane))) == 1
            else (0, False)
        )
    ),
    "cuda.shfl_sync": _make_shuffle(lambda lane, choice, first, width: first + choice % width),
    "cuda.shfl_up_sync": _make_shuffle(lambda lane, choice, first, width: lane - choice),
    "cuda.shfl_down_sync": _make_shuffle(lambda lane, choice, first, width: lane + choice),
    "cuda.shfl_xor_sync": _make_shuffle(lambda lane, choice, first, width: lane ^ choice),
    "cuda.reduce_add_sync": _make_warp_reduction(operator.add),
    "cuda.reduce_min_sync": _make_warp_reduction(min),
    "cuda.reduce_max_sync": _make_warp_reduction(max),
    "cuda.reduce_and_sync": _make_warp_reduction(operator.and_),
    "cuda.reduce_or_sync": _make_warp_reduction(operator.or_),
    "cuda.reduce_xor_sync": _make_warp_reduction(operator.xor),
    "jit.laneid": lambda: current_kernel_thread().index % _warp,
    "jit.range": lambda *bounds, unroll=None: range(*bounds),
    "jit.shared_memory": lambda dtype, size, alignment=None: _get_or_create_shared_array(
        size or 0, dtype
    ),
    **{f"cuda.ld{kind}": operator.getitem for kind in ("ca", "cg", "cs", "lu", "cv")},
    **{f"cuda.st{kind}": _store_element for kind in ("wb", "cg", "cs", "wt")},
}
