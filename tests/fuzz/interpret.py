"""Runs a translated kernel: every thread of a block a generator, all advanced from barrier to barrier."""

import itertools
import math

import arithmetic as ar
import memory
import numpy as np
import oracle
from translate import ArrayType, Program


class Diverged(Exception):
    """Threads of a block wait at different barriers."""


class TooLong(Exception):
    pass


def _namespace():
    names = {name: getattr(ar, name) for name in dir(ar) if not name.startswith("_")}
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
            names[f"_{function}_{t}"] = ar.smooth_function(function, t)
    for name, function in ar.exact_functions.items():
        names[f"_exact_{name}"] = function
    for name, for_type in memory.atomics.items():
        for t in ("int32", "uint32", "int64", "uint64", "float32", "float64"):
            names[f"_atomic_{name}_{t}"] = for_type(t)
    return names


namespace = _namespace()


class Thread:
    """What a thread is told about its place."""

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


def _three(dim):
    dim = (dim,) if isinstance(dim, int) else tuple(dim)
    return dim + (1,) * (3 - len(dim))


class _Shared:
    """The shared arrays of one block, made at their first use."""

    def __init__(self, watched):
        self.arrays = {}
        self.watched = watched

    def __call__(self, which, shape):
        if which not in self.arrays:
            watch = memory.Watch() if self.watched else None
            self.arrays[which] = memory.packed(shape, watch)
        return self.arrays[which]

    def order(self):
        if self.watched:
            for array in self.arrays.values():
                array.watch.order()


_votes = {
    "count": sum,
    "and": lambda values: int(all(values)),
    "or": lambda values: int(any(values)),
}


def _run_block(generators, shared):
    """Advances every thread to its next barrier until all have returned."""
    waiting = {}
    for thread, generator in generators:
        memory.Watch.thread = thread
        try:
            waiting[thread] = generator, next(generator)
        except StopIteration:
            pass
    rounds = 0
    while waiting:
        rounds += 1
        if rounds > 1000:
            raise TooLong
        sites = {site for _, (site, _) in waiting.values()}
        if len(sites) != 1:
            raise Diverged
        answer = None
        first = next(iter(waiting.values()))[1][1]
        if first is not None:
            answer = _votes[first[0]]([bool(vote[1]) for _, (_, vote) in waiting.values()])
        shared.order()
        still = {}
        for thread, (generator, _) in waiting.items():
            memory.Watch.thread = thread
            try:
                still[thread] = generator, generator.send(answer)
            except StopIteration:
                pass
        waiting = still


def type_of(value):
    """The type of a kernel's argument."""
    if isinstance(value, np.ndarray):
        return ArrayType(value.dtype.name, value.ndim)
    if isinstance(value, np.generic):
        return value.dtype.name
    return {bool: "bool", int: "int64", float: "float64"}[type(value)]


def compile_for(source, kernel, types):
    """The kernel as a Python function of (thread, *arguments), and whether it is a generator. `types` are the
    arguments' (see type_of)."""
    program = Program(source)
    name, _, waits = program.instance(kernel, tuple(types))
    names = dict(namespace)
    exec(compile("\n".join(program.lines), "<interpreted kernel>", "exec"), names)
    return names[name], waits


def run(source, kernel, grid, block, arguments, watched=False):
    """Runs a launch. `arguments` are scalars, or (array, memory.Array) pairs whose lists the launch changes.

    watched: raise memory.Race when two threads access an element without order between them.
    """
    types = [type_of(a[0] if isinstance(a, tuple) else a) for a in arguments]
    function, waits = compile_for(source, kernel, types)
    values = [a[1] if isinstance(a, tuple) else _scalar(a) for a in arguments]
    if watched:
        for value in values:
            if isinstance(value, memory.Array):
                value.watch = memory.Watch()
    grid, block = _three(grid), _three(block)
    threads = [t[::-1] for t in itertools.product(*(range(n) for n in block[::-1]))]
    with np.errstate(all="ignore"):
        for at in (b[::-1] for b in itertools.product(*(range(n) for n in grid[::-1]))):
            shared = _Shared(watched)
            started = []
            for t in threads:
                memory.Watch.thread = (at, t)
                called = function(Thread(grid, block, at, t, shared), *values)
                if waits:
                    started.append(((at, t), called))
            if waits:
                _run_block(started, shared)


def _scalar(value):
    return value.item() if isinstance(value, np.generic) else value
