"""Streams and events without kernels: order, waiting, callbacks, copies."""

import asyncio
import contextvars
import copy
import threading

import numpy as np
import pytest

from heddle import RawKernel, cuda
from heddle.cuda.cudadrv.driver import Stream
from heddle.cuda.native_devices import has_gpu
from heddle.errors import HeddleWarning


@pytest.fixture
def gate():
    """An event that blocks a stream until it is set, at the latest at the end of the test.

    Callbacks share a thread: while one stream is blocked, callbacks of the others wait too.
    """
    opened = threading.Event()
    yield opened
    opened.set()


def hold(stream, gate):
    stream.add_callback(lambda *_: gate.wait(30))


def test_a_new_stream_is_done(device):
    assert cuda.stream().query()


def test_a_stream_runs_beside_the_host(device, gate):
    stream = cuda.stream()
    hold(stream, gate)
    assert not stream.query()
    gate.set()
    stream.synchronize()
    assert stream.query()


def test_a_stream_runs_beside_another_stream(device, gate):
    held, free = cuda.stream(), cuda.stream()
    hold(held, gate)
    np.testing.assert_array_equal(
        cuda.to_device(np.ones(3), stream=free).copy_to_host(stream=free), 1
    )
    assert not held.query()


def test_the_work_of_a_stream_is_done_in_order(device):
    stream, seen = cuda.stream(), []
    for i in range(20):
        stream.add_callback(lambda stream, status, arg: seen.append(arg), i)
    stream.synchronize()
    assert seen == list(range(20))


def test_a_callback_gets_stream_status_and_argument(device):
    stream, seen = cuda.stream(), []
    stream.add_callback(lambda *given: seen.append(given), "argument")
    stream.synchronize()
    assert seen == [(stream, 0, "argument")]


def test_an_error_in_a_callback_is_a_warning(device):
    stream = cuda.stream()

    def fail(stream, status, arg):
        raise KeyError("lost")

    with pytest.warns(HeddleWarning, match="a stream callback raised KeyError: 'lost'"):
        stream.add_callback(fail)
        stream.synchronize()


def test_a_callback_sees_the_context_variables_of_the_thread_that_adds_it(device):
    stream, number, seen = cuda.stream(), contextvars.ContextVar("number", default=0), []

    def read_and_set(stream, status, arg):
        seen.append(number.get())
        number.set(5)

    number.set(3)
    stream.add_callback(read_and_set)
    number.set(4)
    stream.synchronize()
    assert (seen, number.get()) == ([3], 4)


def test_a_graph_repeats_a_callback_in_the_same_context(device):
    number, seen = contextvars.ContextVar("number", default=0), []
    number.set(3)

    def read_and_set(stream, status, arg):
        seen.append(number.get())
        number.set(5)

    with cuda.graph() as graph:
        graph.stream.add_callback(read_and_set)
    for _ in range(2):
        graph.launch()
    cuda.synchronize()
    assert seen == [3, 3]


def test_a_copy_to_pinned_memory_waits_in_the_stream(device, gate):
    stream = cuda.stream()
    d, target = cuda.to_device(np.ones(3)), cuda.pinned_array(3)
    target[:] = 0
    hold(stream, gate)
    d.copy_to_host(target, stream=stream)
    np.testing.assert_array_equal(target, 0)
    gate.set()
    stream.synchronize()
    np.testing.assert_array_equal(target, 1)


def test_a_copy_to_an_array_pinned_for_a_while_waits_in_the_stream(device, gate):
    stream = cuda.stream()
    d, target = cuda.to_device(np.ones(3)), np.zeros(3)
    with cuda.pinned(target):
        hold(stream, gate)
        d.copy_to_host(target, stream=stream)
        np.testing.assert_array_equal(target, 0)
        gate.set()
        stream.synchronize()
    np.testing.assert_array_equal(target, 1)


def test_a_copy_to_ordinary_memory_is_done_on_return(device):
    stream = cuda.stream()
    d = cuda.to_device(np.ones(3), stream=stream)
    np.testing.assert_array_equal(d.copy_to_host(stream=stream), 1)


def test_a_copy_from_ordinary_memory_takes_the_values_of_the_call(device, gate):
    stream = cuda.stream()
    d, source = cuda.to_device(np.zeros(3)), np.ones(3)
    hold(stream, gate)
    d.copy_to_device(source, stream=stream)
    source[:] = 5
    gate.set()
    np.testing.assert_array_equal(d.copy_to_host(stream=stream), 1)


def test_a_copy_of_strided_memory_waits_in_the_stream(device, gate):
    stream = cuda.stream()
    d, target = cuda.to_device(np.arange(3.0)), cuda.pinned_array(6)
    target[:] = 9
    hold(stream, gate)
    d.copy_to_host(target[::2], stream=stream)
    gate.set()
    stream.synchronize()
    np.testing.assert_array_equal(target, [0, 9, 1, 9, 2, 9])


def test_arrays_of_an_enqueued_copy_stay_alive(device, gate):
    stream, target = cuda.stream(), cuda.pinned_array(1000)
    hold(stream, gate)
    cuda.to_device(np.full(1000, 3.0)).copy_to_host(target, stream=stream)
    cuda.to_device(np.zeros(1000))
    gate.set()
    stream.synchronize()
    np.testing.assert_array_equal(target, 3)


def test_memory_is_freed_after_the_kernels_that_have_its_address(device, gate):
    kernel = RawKernel(
        'extern "C" __global__ void sum(float** rows, float* out)'
        "{ float s = 0; for (int i = 0; i < 1000; ++i) s += rows[0][i]; *out = s; }",
        "sum",
    )
    row, out = cuda.to_device(np.ones(1000, np.float32)), cuda.to_device(np.zeros(1, np.float32))
    rows = cuda.to_device(np.array([row.device_ctypes_pointer.value], np.uint64))
    kernel((1,), (1,), (rows, out))
    held, free = cuda.stream(), cuda.stream()
    hold(held, gate)
    kernel((1,), (1,), (rows, out), stream=held)
    del row
    others = [cuda.to_device(np.full(1000, 2, np.float32), stream=free) for _ in range(20)]
    gate.set()
    held.synchronize()
    assert out.copy_to_host() == 1000 and len(others) == 20


def test_reading_an_element_waits_for_all_streams(device):
    stream = cuda.stream()
    d, source = cuda.to_device(np.zeros(3)), cuda.pinned_array(3)
    source[:] = 4
    d.copy_to_device(source, stream=stream)
    assert d[1] == 4


def test_synchronize_waits_for_all_streams(device, gate):
    streams = [cuda.stream() for _ in range(3)]
    for stream in streams:
        hold(stream, gate)
    threading.Timer(0.05, gate.set).start()
    cuda.synchronize()
    assert all(stream.query() for stream in streams)


def test_the_default_stream_is_done_when_the_other_streams_are(device, gate):
    stream = cuda.stream()
    hold(stream, gate)
    assert not cuda.default_stream().query()
    threading.Timer(0.05, gate.set).start()
    cuda.default_stream().synchronize()
    assert stream.query() and cuda.default_stream().query()


def test_a_stream_is_done_while_the_default_stream_works(device, gate):
    stream = cuda.stream()
    hold(cuda.default_stream(), gate)
    assert stream.query()
    stream.synchronize()
    assert not cuda.default_stream().query()


def test_auto_synchronize_waits_at_its_end(device, gate):
    stream = cuda.stream()
    with stream.auto_synchronize():
        hold(stream, gate)
        gate.set()
    assert stream.query()


def test_async_done_can_be_awaited(device):
    async def wait():
        stream = cuda.stream()
        return await stream.async_done() is stream

    assert asyncio.run(wait())


def test_an_event_that_was_never_recorded_is_done(device):
    assert cuda.event().query()


def test_an_event_is_done_when_the_work_before_it_is(device, gate):
    stream, event = cuda.stream(), cuda.event()
    hold(stream, gate)
    event.record(stream)
    assert not event.query()
    gate.set()
    event.synchronize()
    assert event.query()


def test_a_stream_waits_for_an_event_of_another(device, gate):
    first, second, event, seen = cuda.stream(), cuda.stream(), cuda.event(), []
    hold(first, gate)
    first.add_callback(lambda *_: seen.append("first"))
    event.record(first)
    event.wait(second)
    second.add_callback(lambda *_: seen.append("second"))
    gate.set()
    second.synchronize()
    assert seen == ["first", "second"]


def test_elapsed_time_is_in_milliseconds(device, gate):
    stream, start, end = cuda.stream(), cuda.event(), cuda.event()
    start.record(stream)
    stream.add_callback(lambda *_: gate.wait(0.05))
    end.record(stream)
    end.synchronize()
    assert 45 < cuda.event_elapsed_time(start, end) < 30000
    assert start.elapsed_time(end) == cuda.event_elapsed_time(start, end)


def test_elapsed_time_of_events_that_were_not_recorded_is_refused(device):
    with pytest.raises(ValueError, match="record"):
        cuda.event().elapsed_time(cuda.event())


def test_elapsed_time_of_events_without_timing_is_refused(device):
    start, end = cuda.event(timing=False), cuda.event(timing=False)
    start.record()
    end.record()
    end.synchronize()
    with pytest.raises(ValueError, match="timing"):
        start.elapsed_time(end)


def test_an_event_is_recorded_on_the_default_stream_when_none_is_named(device):
    event = cuda.event()
    event.record()
    event.synchronize()
    assert event.query()


def test_the_default_stream_is_the_same_each_time(device):
    assert cuda.default_stream() == cuda.default_stream() == cuda.legacy_default_stream()


@pytest.mark.parametrize(
    "make, number, words",
    [
        (lambda: cuda.default_stream(), 0, "Default CUDA stream on"),
        (lambda: cuda.legacy_default_stream(), 1, "Legacy default CUDA stream on"),
        (lambda: cuda.per_thread_default_stream(), 2, "Per-thread default CUDA stream on"),
        (lambda: cuda.current_context().get_default_stream(), 0, "Default CUDA stream on"),
        (lambda: cuda.external_stream(1), 1, "stream"),
    ],
)
def test_a_default_stream_has_cudas_number(device, make, number, words):
    stream = make()
    assert int(stream) == stream.handle.value == number and words in repr(stream)
    assert stream and (not stream.external or device.type == "cuda")


@pytest.mark.skipif(has_gpu(), reason="the interface is of a GPU's memory")
@pytest.mark.parametrize(
    "make", [cuda.default_stream, cuda.legacy_default_stream, cuda.per_thread_default_stream]
)
def test_an_array_of_a_default_stream_tells_cudas_number(cpu, make):
    array = cuda.to_device(np.arange(3), stream=make())
    told = array.__cuda_array_interface__["stream"]
    assert told == (int(make()) or 1)
    assert cuda.as_cuda_array(array).copy_to_host().tolist() == [0, 1, 2]
    assert cuda.external_stream(told) == make()


def test_other_streams_have_other_numbers(device):
    stream = cuda.stream()
    assert int(stream) > 2 and "CUDA stream" in repr(stream) and "efault" not in repr(stream)


def test_the_default_stream_of_a_thread_is_its_own(device):
    streams = [cuda.per_thread_default_stream()]
    thread = threading.Thread(target=lambda: streams.append(cuda.per_thread_default_stream()))
    thread.start()
    thread.join()
    assert streams[0] == cuda.per_thread_default_stream()
    if device.type == "cpu":  # a GPU's driver has one name for it in all threads
        assert streams[0] != streams[1]


def test_external_stream_finds_a_stream_by_its_handle(device):
    stream = cuda.stream()
    assert cuda.external_stream(stream.handle) is stream


def test_what_is_not_a_stream_is_refused(device):
    with pytest.raises(TypeError, match="'fast' is not a stream"):
        cuda.to_device(np.zeros(3)).copy_to_host(stream="fast")


def test_a_stream_may_be_dropped_while_it_works(device, gate):
    reached = threading.Event()
    stream = cuda.stream()
    hold(stream, gate)
    stream.add_callback(lambda *_: reached.set())
    del stream
    gate.set()
    assert reached.wait(30)


def test_streams_can_be_used_from_many_threads(device):
    def work(results, i):
        stream = cuda.stream()
        results[i] = (
            cuda.to_device(np.full(100, i), stream=stream).copy_to_host(stream=stream).sum()
        )

    results = {}
    threads = [threading.Thread(target=work, args=(results, i)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {i: 100 * i for i in range(8)}


def test_a_context_makes_streams_and_events(device):
    context = cuda.current_context()
    assert isinstance(context.create_stream(), Stream)
    assert context.create_event().query()


@pytest.mark.parametrize("make", [cuda.stream, cuda.event])
def test_a_stream_or_an_event_cannot_be_copied(device, make):
    with pytest.raises(TypeError, match="belongs to its process"):
        copy.copy(make())


def test_an_external_stream_is_asked_for_nothing_before_its_use(device):
    stream = cuda.external_stream(0x12345678)
    assert stream.external and stream.handle.value == 0x12345678
    assert "External" in repr(stream) and stream == cuda.external_stream(0x12345678)


# A GPU's driver takes any number for the address of a stream: asking it for a wrong one ends the process.
def test_a_stream_that_does_not_live_is_refused_where_it_is_used(cpu):
    stream = cuda.external_stream(0x12345678)
    with pytest.raises(ValueError, match="is not the handle of an existing stream"):
        stream.synchronize()
    with pytest.raises(ValueError, match="is not the handle of an existing stream"):
        cuda.to_device(np.zeros(3)).copy_to_host(stream=stream)

    @cuda.jit
    def k():
        pass

    with pytest.raises(ValueError, match="is not the handle of an existing stream"):
        k[1, 1, stream]()


def test_the_handle_of_no_stream_is_the_default_streams(device):
    @cuda.jit
    def fill(x):
        x[cuda.grid(1)] = 1

    x = cuda.to_device(np.zeros(4))
    fill[1, 4, cuda.external_stream(0)](x)
    assert x.copy_to_host().tolist() == [1, 1, 1, 1]
