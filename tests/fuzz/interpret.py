"""Runs a translated kernel: each thread of a block is a generator; all advance together from barrier to barrier."""

import itertools
import math

import arithmetic as ar
import complex_numbers
import memory
import numpy as np
import oracle
import warps
from kernel_types import ArrayType, Named, RecordType
from translate import Program
from warps import Diverged


class TooLong(Exception):
    pass


def _unless_none(value, function):
    return None if value is None else function(value)


def _make_namespace():
    names = {name: getattr(ar, name) for name in dir(ar) if not name.startswith("_")}
    for name in (
        "Complex",
        "complex_neg",
        "conjugate",
        "complex_truth",
        "complex_eq",
        "complex_ne",
    ):
        names[name] = getattr(complex_numbers, name)
    for part in oracle.floating:
        names |= complex_numbers.make_operators(part)
    names["_to_complex64"] = complex_numbers.to_complex64
    names["_to_complex128"] = complex_numbers.to_complex128
    names["_unless_none"] = _unless_none
    names["packed"] = memory.packed
    names["_math_pi"], names["_math_e"] = math.pi, math.e
    for name, wrap in ar.wrap.items():
        names[f"_wrap_{name}"] = wrap
    for (start, to), function in ar.conversions.items():
        names[f"_from_{start}_to_{to}"] = function
    for op, by_type in ar.float_operators.items():
        for t, function in by_type.items():
            names[f"_{op}_{t}"] = function
    for function in ar.smooth:
        for t in oracle.floating:
            names[f"_{function}_{t}"] = ar.make_smooth_function(function, t)
    for name, function in ar.exact_functions.items():
        names[f"_exact_{name}"] = function
    for name, for_type in memory.atomics.items():
        for t in ("int32", "uint32", "int64", "uint64", "float32", "float64"):
            names[f"_atomic_{name}_{t}"] = for_type(t)
    return names


namespace = _make_namespace()


class Thread:
    """A thread's position, as the kernel sees it."""

    def __init__(self, grid, block, at, t, shared):
        self.threadIdx_x, self.threadIdx_y, self.threadIdx_z = t
        self.blockIdx_x, self.blockIdx_y, self.blockIdx_z = at
        self.blockDim_x, self.blockDim_y, self.blockDim_z = block
        self.gridDim_x, self.gridDim_y, self.gridDim_z = grid
        self.grid_x = at[0] * block[0] + t[0]
        self.grid_y = at[1] * block[1] + t[1]
        self.grid_z = at[2] * block[2] + t[2]
        self.gridsize_x, self.gridsize_y, self.gridsize_z = (
            g * b for g, b in zip(grid, block, strict=True)
        )
        self.lane = ((t[2] * block[1] + t[1]) * block[0] + t[0]) % 32
        self.shared = shared


def _to_three_extents(dim):
    dim = (dim,) if isinstance(dim, int) else tuple(dim)
    return dim + (1,) * (3 - len(dim))


class _Shared:
    """The shared arrays of one block, created on first use."""

    def __init__(self, watched):
        self.arrays = {}
        self.watched = watched

    def __call__(self, which, shape):
        if which not in self.arrays:
            watch = memory.Watch() if self.watched else None
            self.arrays[which] = memory.packed(shape, watch)
        return self.arrays[which]

    def mark_ordered(self):
        if self.watched:
            for array in self.arrays.values():
                array.watch.mark_ordered()


_votes = {
    "count": sum,
    "and": lambda values: int(all(values)),
    "or": lambda values: int(any(values)),
}


def _run_block(started, shared):
    """Advance every thread to its next wait, until all have returned.

    started: (name of the thread, its position in the block, its generator).
    """
    waiting = {}

    def resume(thread, where, generator, answer):
        memory.Watch.thread = thread
        try:
            site, request = generator.send(answer)
        except StopIteration:
            waiting.pop(thread, None)
        else:
            waiting[thread] = where, generator, site, request

    for thread, where, generator in started:
        resume(thread, where, generator, None)
    rounds = 0
    while waiting:
        rounds += 1
        if rounds > 1000:
            raise TooLong
        told = _answer_warps(waiting) or _answer_barrier(waiting, shared)
        for thread, answer in told.items():
            where, generator, _, _ = waiting[thread]
            resume(thread, where, generator, answer)


def _answer_warps(waiting):
    """Answers the warp operations whose lanes have all arrived: thread -> answer; empty if no thread waits for one."""
    groups = {}  # (warp, mask) -> threads
    for thread, (where, _, _, request) in waiting.items():
        if request[0] != "barrier":
            groups.setdefault((where // 32, request[1]), {})[where % 32] = thread
    if not groups:
        return {}
    there = {}  # warp -> its lanes that have not returned
    for where, *_ in waiting.values():
        there[where // 32] = there.get(where // 32, 0) | 1 << where % 32
    told = {}
    for (warp, mask), lanes in groups.items():
        if there[warp] & mask & ~sum(1 << lane for lane in lanes):
            continue
        requests = {lane: waiting[thread][3] for lane, thread in lanes.items()}
        for lane, answer in warps.compute_answers(requests).items():
            told[lanes[lane]] = answer
    if not told:
        raise Diverged
    return told


def _answer_barrier(waiting, shared):
    if len({site for _, _, site, _ in waiting.values()}) != 1:
        raise Diverged
    vote = next(iter(waiting.values()))[3][1]
    answer = None
    if vote is not None:
        given = [bool(request[1][1]) for *_, request in waiting.values()]
        answer = _votes[vote[0]](given)
    shared.mark_ordered()
    return dict.fromkeys(waiting, answer)


def _convert_dtype(dtype):
    if dtype.names is None:
        return dtype.name
    return RecordType(tuple((name, _convert_dtype(dtype[name])) for name in dtype.names))


def infer_type(value):
    """The type of a kernel argument."""
    if isinstance(value, np.ndarray):
        return ArrayType(_convert_dtype(value.dtype), value.ndim)
    if isinstance(value, tuple):
        types = [infer_type(item) for item in value]
        fields = getattr(value, "_fields", None)
        return Named(type(value).__name__, fields, types) if fields else tuple(types)
    if isinstance(value, np.generic):
        return value.dtype.name
    return {bool: "bool", int: "int64", float: "float64", type(None): "none"}[type(value)]


def compile_kernel(source, kernel, types):
    """(the kernel as a Python function of (thread, *arguments), whether it is a generator). types: those of the
    arguments (see type_of)."""
    program = Program(source)
    name, _, waits = program.translate_instance(kernel, tuple(types))
    names = dict(namespace)
    exec(compile("\n".join(program.lines), "<interpreted kernel>", "exec"), names)
    return names[name], waits


def run_launch(source, kernel, grid, block, arguments, watched=False):
    """Run a launch. arguments: scalars, or pairs (array, memory.Array) whose lists the launch changes.

    watched: raise memory.Race when two threads access an element without being ordered.
    """
    types = [infer_type(a[0] if _is_array(a) else a) for a in arguments]
    function, waits = compile_kernel(source, kernel, types)
    values = [a[1] if _is_array(a) else to_interpreter_value(a) for a in arguments]
    if watched:
        for value in values:
            if isinstance(value, memory.Array):
                value.watch = memory.Watch()
    grid, block = _to_three_extents(grid), _to_three_extents(block)
    threads = [t[::-1] for t in itertools.product(*(range(n) for n in block[::-1]))]
    with np.errstate(all="ignore"):
        for at in (b[::-1] for b in itertools.product(*(range(n) for n in grid[::-1]))):
            shared = _Shared(watched)
            started = []
            for where, t in enumerate(threads):
                memory.Watch.thread = (at, t)
                called = function(Thread(grid, block, at, t, shared), *values)
                if waits:
                    started.append(((at, t), where, called))
            if waits:
                _run_block(started, shared)


def _is_array(argument):
    return isinstance(argument, tuple) and isinstance(argument[-1], memory.Array)


def to_interpreter_value(value):
    """The interpreter's value for an argument that is not an array."""
    if isinstance(value, tuple):
        return tuple(to_interpreter_value(item) for item in value)
    value = value.item() if isinstance(value, np.generic) else value
    return complex_numbers.from_python(value) if isinstance(value, complex) else value


def to_interpreter_elements(array):
    """The interpreter's values for the elements of an array."""
    found = array.ravel().tolist()
    if array.dtype.names:
        return [_to_field_lists(value) for value in found]
    if array.dtype.kind == "c":
        return [complex_numbers.from_python(z) for z in found]
    return found


def _to_field_lists(value):
    return [_to_field_lists(item) if isinstance(item, tuple) else item for item in value]
