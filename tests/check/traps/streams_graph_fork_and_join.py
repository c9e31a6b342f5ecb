"""A graph with two branches on two arrays, launched twice in one stream and then in another one."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void increment(int* x) { x[threadIdx.x] += 1; }
extern "C" __global__ void add(int* x, const int* y) { x[threadIdx.x] += y[threadIdx.x]; }
"""
module = cp.RawModule(code=SOURCE)
increment, add = module.get_function("increment"), module.get_function("add")
x, y = cp.zeros(32, np.int32), cp.zeros(32, np.int32)
first, second = cp.cuda.Stream(non_blocking=True), cp.cuda.Stream(non_blocking=True)
start, end = cp.cuda.Event(), cp.cuda.Event()
with first:
    first.begin_capture()
    start.record(first)
    second.wait_event(start)
    increment((1,), (32,), (x,))
    with second:
        increment((1,), (32,), (y,))
    end.record(second)
    first.wait_event(end)
    add((1,), (32,), (x, y))
    graph = first.end_capture()
graph.launch(first)
graph.launch(first)
between = cp.cuda.Event()
between.record(first)
second.wait_event(between)
graph.launch(second)
second.synchronize()
np.testing.assert_array_equal(x.get(), np.full(32, 9))
