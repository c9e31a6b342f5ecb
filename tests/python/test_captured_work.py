"""All work given to a capturing stream runs at each launch of the graph, and not before."""

import numpy as np
import pytest
from memory_order import COUNT, RAW, add_ten, slow_add, slow_one_more

import heddle.compat.cupy as cp
from heddle import cuda
from heddle.compat.cupyx import jit

pytestmark = pytest.mark.usefixtures("cpu")
BYTES = 8 * COUNT
RAW_ADD = cp.RawKernel(RAW, "slow_add")
ELEMENTWISE = cp.ElementwiseKernel("float64 a", "float64 x", "x = a + 1", "one_more")
REDUCTION = cp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "total")
runtime = cp.cuda.runtime


@jit.rawkernel()
def jit_add(x):
    if jit.threadIdx.x < x.size:
        x[jit.threadIdx.x] += 1


class Work:
    """An array of zeros, and the objects that work on it needs."""

    def __init__(self):
        self.x = cp.zeros(COUNT)
        self.d = cuda.as_cuda_array(self.x)
        self.nine = cp.full(COUNT, 9.0)
        self.host = np.full(COUNT, 5.0)
        self.pinned = cuda.pinned_array(COUNT)
        self.pinned[:] = 6
        self.stream = cp.cuda.Stream(non_blocking=True)
        self.of_stream = cuda.external_stream(self.stream.ptr)

    def on_another_stream(self):
        fork, join, other = cp.cuda.Event(), cp.cuda.Event(), cp.cuda.Stream(non_blocking=True)
        fork.record(self.stream)
        other.wait_event(fork)
        assert other.is_capturing()
        with other:
            self.x += 1
        slow_add[1, 16, cuda.external_stream(other.ptr)](self.d)
        join.record(other)
        self.stream.wait_event(join)


def then_add(give):
    return lambda w: (give(w), w.x.__iadd__(1))


def copied_by_runtime(address_of, kind):
    """memcpyAsync from an address. kind: one of cudaMemcpyKind."""
    return lambda w: runtime.memcpyAsync(
        w.x.data.ptr, address_of(w), BYTES, kind, w.stream.ptr
    )  # fmt: skip


# The commands of the stream, and the array after two launches of the graph, from zeros.
WORK = {
    "numba": (lambda w: slow_add[1, 16, w.of_stream](w.d), 2),
    "numba on cupy's array": (lambda w: add_ten[1, 16, w.stream](w.x), 20),
    "ufunc": (lambda w: slow_one_more(w.d, out=w.d, stream=w.of_stream), 2),
    "raw": (lambda w: RAW_ADD((1,), (16,), (w.x, 1, COUNT)), 2),
    "raw with its stream": (lambda w: RAW_ADD((1,), (16,), (w.x, 1, COUNT), stream=w.stream), 2),
    "jit": (lambda w: jit_add((1,), (16,), (w.x,)), 2),
    "elementwise": (lambda w: ELEMENTWISE(w.x, w.x), 2),
    "reduction": (lambda w: (REDUCTION(w.nine, w.x[:1].reshape(())), w.x.fill(w.x[0])), 54),
    "operators": (lambda w: w.x.__iadd__(w.x + 1), 3),
    "fill": (then_add(lambda w: w.x.fill(3)), 4),
    "set": (then_add(lambda w: w.x.set(w.host)), 6),
    "memset_async": (then_add(lambda w: w.x.data.memset_async(0, BYTES)), 1),
    "memsetAsync": (
        then_add(lambda w: runtime.memsetAsync(w.x.data.ptr, 0, BYTES, w.stream.ptr)),
        1,
    ),
    "memcpyAsync": (then_add(copied_by_runtime(lambda w: w.nine.data.ptr, 3)), 10),
    "memcpyAsync from the host": (then_add(copied_by_runtime(lambda w: w.host.ctypes.data, 1)), 6),
    "copy_from_device_async": (
        then_add(lambda w: w.x.data.copy_from_device_async(w.nine.data, BYTES)),
        10,
    ),
    "copy_from_host_async": (
        then_add(lambda w: w.x.data.copy_from_host_async(w.host.ctypes.data, BYTES)),
        6,
    ),
    "copy_to_device": (then_add(lambda w: w.d.copy_to_device(w.host, w.of_stream)), 6),
    "copy_to_device of a part": (
        then_add(lambda w: w.d[:].copy_to_device(w.pinned, w.of_stream)),
        7,
    ),
    "between device arrays": (
        then_add(lambda w: w.d.copy_to_device(cuda.as_cuda_array(w.nine), w.of_stream)),
        10,
    ),
    "another stream": (Work.on_another_stream, 4),
}


@pytest.mark.parametrize("name", WORK)
def test_work_is_done_by_each_launch_of_the_graph(name):
    give, right = WORK[name]
    w = Work()
    with w.stream:
        w.stream.begin_capture()
        try:
            give(w)
        finally:
            graph = w.stream.end_capture()
        w.stream.synchronize()
        assert w.x.tolist() == [0] * COUNT
        graph.launch()
        graph.launch()
        w.stream.synchronize()
    assert w.x.tolist() == [right] * COUNT


@pytest.mark.parametrize(
    "copy",
    [
        lambda w: w.x.data.copy_to_host_async(w.pinned.ctypes.data, BYTES),
        lambda w: runtime.memcpyAsync(w.pinned.ctypes.data, w.x.data.ptr, BYTES, 2, w.stream.ptr),
        lambda w: w.d.copy_to_host(w.pinned, w.of_stream),
    ],
)
def test_a_copy_to_the_host_is_done_by_each_launch_of_the_graph(copy):
    w = Work()
    with w.stream:
        w.stream.begin_capture()
        w.x += 1
        copy(w)
        graph = w.stream.end_capture()
        assert w.pinned.tolist() == [6] * COUNT
        for launches in (1, 2):
            graph.launch()
            w.stream.synchronize()
            assert w.pinned.tolist() == [launches] * COUNT


def test_other_streams_go_on_while_one_captures():
    w, y = Work(), cp.zeros(COUNT)
    w.stream.begin_capture()
    y += 3
    add_ten[1, 16](y)
    add_ten[1, 16, w.of_stream](w.d)
    assert y.tolist() == [13] * COUNT and not cp.cuda.Stream.null.is_capturing()
    w.stream.end_capture()
    assert w.x.tolist() == [0] * COUNT


def test_a_callback_is_called_by_each_launch_of_the_graph():
    w, seen = Work(), []
    w.stream.begin_capture()
    slow_add[1, 16, w.of_stream](w.d)
    w.stream.launch_host_func(lambda arg: seen.append(arg), 7)
    graph = w.stream.end_capture()
    assert not seen
    graph.launch(w.stream)
    graph.launch(w.stream)
    w.stream.synchronize()
    assert seen == [7, 7]


def test_a_graph_keeps_the_memory_of_its_kernels():
    w = Work()
    result = cp.zeros(COUNT)
    w.stream.begin_capture()
    with w.stream:
        part = cp.full(COUNT, 2.0)
        add_ten[1, 16, w.stream](part)
        cp.copyto(result, part)
    graph = w.stream.end_capture()
    del part
    cp.zeros(COUNT)  # may get the memory that was given back
    graph.launch(w.stream)
    w.stream.synchronize()
    assert result.tolist() == [12] * COUNT


@pytest.mark.parametrize(
    ("wait", "error"),
    [
        (lambda w: slow_add[1, 16, w.of_stream](np.zeros(COUNT)), "the stream captures, and a launch with"),
        (lambda w: w.of_stream.synchronize(), "nobody can wait for a stream that captures"),
        (lambda w: w.d.copy_to_host(stream=w.of_stream), "nobody can wait for a stream that captures"),
    ],
)  # fmt: skip
def test_a_call_of_numba_that_waits_for_captured_work_is_refused(wait, error):
    w = Work()
    w.stream.begin_capture()
    try:
        with pytest.raises(ValueError, match=error):
            wait(w)
    finally:
        w.stream.end_capture()


@pytest.mark.parametrize("has_ended", [True, False])
def test_a_captured_stream_does_not_wait_for_work_outside(has_ended):
    w, event = Work(), cp.cuda.Event()
    slow_add[1, 16](cuda.to_device(np.zeros(COUNT)))
    event.record(cp.cuda.Stream.null)
    if has_ended:
        event.synchronize()
    w.stream.begin_capture()
    with pytest.raises(RuntimeError, match="cannot wait for work outside of the capture"):
        w.stream.wait_event(event)
    w.stream.end_capture()


def test_an_event_of_a_capture_that_has_ended_is_refused():
    w, event = Work(), cp.cuda.Event()
    w.stream.begin_capture()
    event.record(w.stream)
    w.stream.end_capture()
    with pytest.raises(RuntimeError, match="in a capture that has ended: record it again"):
        cp.cuda.Stream().wait_event(event)
    event.record(w.stream)
    cp.cuda.Stream().wait_event(event)
