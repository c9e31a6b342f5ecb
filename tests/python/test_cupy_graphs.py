"""cupy.cuda.Graph on the CPU device: captured work runs at each launch of the graph, and not before."""

import contextlib

import numpy as np
import pytest

import heddle.compat.cupy as cp
from heddle.compat.cupyx import jit

pytestmark = pytest.mark.usefixtures("cpu")

DOUBLED = cp.RawKernel(
    'extern "C" __global__ void k(float* x, int n) { if (threadIdx.x < n) x[threadIdx.x] *= 2; }',
    "k",
)


@contextlib.contextmanager
def captured():
    """A stream that is current in the body and captures its work; ``stream.graph`` afterwards."""
    stream = cp.cuda.Stream(non_blocking=True)
    with stream:
        stream.begin_capture()
        assert stream.is_capturing()
        try:
            yield stream
        finally:
            stream.graph = stream.end_capture()
        assert not stream.is_capturing()


def test_kernels_run_at_each_launch_and_not_before():
    x = cp.arange(4, dtype="f")
    with captured() as stream:
        DOUBLED(1, 4, (x, 4))
        DOUBLED(1, 4, (x, 2), stream=stream)
    assert x.get().tolist() == [0, 1, 2, 3]
    stream.graph.launch()
    assert x.get().tolist() == [0, 4, 4, 6]
    stream.graph.upload()
    stream.graph.launch(stream)
    stream.synchronize()
    assert x.get().tolist() == [0, 16, 8, 12]


def test_kernels_of_every_kind_are_captured():
    add = cp.ElementwiseKernel("T x, T y", "T z", "z = x + y", "add")
    total = cp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "total")

    @jit.rawkernel()
    def negate(x):
        x[jit.threadIdx.x] = -x[jit.threadIdx.x]

    x, result = cp.ones(4), cp.zeros(())
    with captured() as stream:
        y = add(x, x)
        negate[1, 4](y)
        total(y, result)
    assert result.get() == 0
    for value in (1, 5):
        x.fill(value)
        stream.graph.launch()
        assert y.get().tolist() == [-2 * value] * 4
        assert result.get() == -8 * value


def test_operations_of_arrays_are_captured():
    x, out = cp.arange(6.0), cp.zeros(6)
    with captured() as stream:
        y = cp.sin(x) + x[::-1] * 2
        y += 1
        y[2:4] = x[cp.asarray([0, 1])]
        z = cp.zeros(6)
        z += y
        cp.copyto(out, z)
        cp.add(out, 1, out)
        out.sort()
        middle = cp.where(x > 2, x, -x).sum()
    assert not out.get().any()
    for start in (0, 3):
        x[...] = cp.arange(start, start + 6)
        stream.graph.launch()
        here = np.arange(start, start + 6.0)
        y = np.sin(here) + here[::-1] * 2 + 1
        y[2:4] = here[:2]
        np.testing.assert_allclose(out.get(), np.sort(y + 1))
        assert middle.get() == np.where(here > 2, here, -here).sum()


def test_random_numbers_are_drawn_at_each_launch():
    with captured() as stream:
        x = cp.random.rand(8)
    stream.graph.launch()
    first = x.get()
    stream.graph.launch()
    assert (first != x.get()).all()


def test_a_graph_is_part_of_another():
    x = cp.ones(4, dtype="f")
    with captured() as inner:
        DOUBLED(1, 4, (x, 4))
    with captured() as outer:
        inner.graph.launch()
        inner.graph.launch()
    assert x.get().tolist() == [1] * 4
    outer.graph.launch()
    assert x.get().tolist() == [4] * 4


def test_a_graph_is_launched_on_another_stream():
    x = cp.ones(4, dtype="f")
    with captured() as stream:
        DOUBLED(1, 4, (x, 4))
    other = cp.cuda.Stream()
    stream.graph.launch(other)
    other.synchronize()
    assert x.get().tolist() == [2] * 4


@pytest.mark.parametrize(
    "read",
    [
        lambda x, stream: x.get(),
        lambda x, stream: cp.asnumpy(x),
        lambda x, stream: float(x[0]),
        lambda x, stream: bool(x[0]),
        lambda x, stream: x.tolist(),
        lambda x, stream: stream.synchronize(),
    ],
)
def test_what_waits_for_captured_work_is_refused(read):
    x = cp.ones(4, dtype="f")
    with captured() as stream:
        with pytest.raises(RuntimeError, match="cudaErrorStreamCaptureUnsupported"):
            read(x, stream)


def test_the_default_stream_cannot_capture():
    with pytest.raises(RuntimeError, match="cudaErrorStreamCaptureUnsupported.*cupy.cuda.Stream()"):
        cp.cuda.Stream.null.begin_capture()


def test_a_capture_begins_and_ends_once():
    stream = cp.cuda.Stream()
    with pytest.raises(RuntimeError, match="cudaErrorIllegalState.*begin_capture"):
        stream.end_capture()
    with captured() as capturing:
        with pytest.raises(RuntimeError, match="cudaErrorIllegalState.*is capturing already"):
            capturing.begin_capture()


def fork(stream, other):
    """Begin a capture on ``stream`` that ``other`` joins with some work."""
    stream.begin_capture()
    other.wait_event(stream.record())
    x = cp.ones(4, dtype="f")
    DOUBLED(1, 4, (x, 4), stream=other)
    return x


def test_work_that_is_not_joined_back_ends_the_capture_without_a_graph():
    stream, other = cp.cuda.Stream(), cp.cuda.Stream()
    fork(stream, other)
    with pytest.raises(
        cp.cuda.runtime.CUDARuntimeError,
        match="cudaErrorStreamCaptureUnjoined.*Record an event on the other stream",
    ) as error:
        stream.end_capture()
    assert error.value.status == 904
    assert not stream.is_capturing() and not other.is_capturing()


def test_work_of_a_stream_that_is_joined_back_is_in_the_graph():
    stream, other = cp.cuda.Stream(), cp.cuda.Stream()
    x = fork(stream, other)
    stream.wait_event(other.record())
    stream.end_capture().launch(stream)
    stream.synchronize()
    assert x.get().tolist() == [2] * 4


def test_a_stream_that_waited_and_has_no_work_needs_no_join():
    stream, other = cp.cuda.Stream(), cp.cuda.Stream()
    stream.begin_capture()
    other.wait_event(stream.record())
    stream.end_capture()
    assert not other.is_capturing()


def test_a_capture_ends_in_the_stream_that_began_it():
    stream, other = cp.cuda.Stream(), cp.cuda.Stream()
    fork(stream, other)
    with pytest.raises(RuntimeError, match="cudaErrorStreamCaptureUnmatched"):
        other.end_capture()
    stream.wait_event(other.record())
    stream.end_capture()


def test_a_graph_is_made_by_a_capture_only():
    with pytest.raises(NotImplementedError, match="begin_capture"):
        cp.cuda.Graph()


def test_a_failed_operation_raises_when_it_is_captured():
    x = cp.ones(4)
    with captured() as stream:
        with pytest.raises(ValueError):
            x + cp.ones(3)
    stream.graph.launch()
