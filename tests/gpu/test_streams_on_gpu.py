"""Streams, events, callbacks and Ctrl-C while kernels run concurrently with the host."""

import signal
import threading
import time

import numpy as np
import pytest

from heddle import cuda


@cuda.jit
def spin(clocks, out):
    """Keeps one thread busy for about that many nanoseconds."""
    for _ in range(clocks // 1000):
        cuda.nanosleep(1000)
    out[0] += 1


@cuda.jit
def add_one(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += 1


MILLISECOND = 1_000_000


def milliseconds(call):
    start = time.perf_counter()
    call()
    return 1e3 * (time.perf_counter() - start)


@pytest.fixture
def counter():
    d = cuda.to_device(np.zeros(1, np.int64))
    spin[1, 1](1000, d)
    cuda.synchronize()
    return d


def test_a_launch_does_not_wait_for_its_kernel(counter):
    begin, end = cuda.event(), cuda.event()
    begin.record()
    spent = milliseconds(lambda: spin[1, 1](200 * MILLISECOND, counter))
    end.record()
    assert not end.query()
    end.synchronize()
    assert spent < cuda.event_elapsed_time(begin, end)
    assert end.query()


def test_kernels_of_two_streams_overlap(counter):
    """The order of events tells, not the clock: the later launch ends first."""
    first, second = cuda.stream(), cuda.stream()
    other = cuda.to_device(np.zeros(1, np.int64))
    cuda.synchronize()
    long, short = cuda.event(), cuda.event()
    spin[1, 1, first](300 * MILLISECOND, counter)
    long.record(first)
    spin[1, 1, second](1000, other)
    short.record(second)
    short.synchronize()
    assert not long.query()
    long.synchronize()


def test_the_time_between_events_is_that_of_the_work(counter):
    begin, end = cuda.event(), cuda.event()
    start = time.perf_counter()
    begin.record()
    spin[1, 1](100 * MILLISECOND, counter)
    end.record()
    end.synchronize()
    waited = 1e3 * (time.perf_counter() - start)
    assert 1 < cuda.event_elapsed_time(begin, end) < 1.1 * waited + 1


def test_an_event_without_timing_has_no_time():
    begin, end = cuda.event(timing=False), cuda.event()
    begin.record()
    end.record()
    end.synchronize()
    with pytest.raises(ValueError, match="without timing"):
        cuda.event_elapsed_time(begin, end)


def test_a_stream_waits_for_an_event_of_another(counter):
    first, second = cuda.stream(), cuda.stream()
    cuda.synchronize()
    for _ in range(5):
        event = cuda.event()
        spin[1, 1, first](5 * MILLISECOND, counter)
        event.record(first)
        event.wait(second)
        spin[1, 1, second](1000, counter)
    second.synchronize()
    first.synchronize()
    assert counter.copy_to_host()[0] == 11


def test_a_callback_runs_when_the_stream_gets_there(counter):
    stream = cuda.stream()
    seen, done = [], threading.Event()

    def callback(stream, status, argument):
        seen.append((status, argument))
        done.set()

    spin[1, 1, stream](20 * MILLISECOND, counter)
    stream.add_callback(callback, "argument")
    assert done.wait(20)
    assert seen == [(0, "argument")]


def test_per_thread_streams_are_independent(counter):
    other = cuda.to_device(np.zeros(1, np.int64))
    cuda.synchronize()
    long = cuda.event()
    spin[1, 1, cuda.per_thread_default_stream()](200 * MILLISECOND, counter)
    long.record(cuda.per_thread_default_stream())
    finished = []

    def work():
        with cuda.gpus[0]:
            stream = cuda.per_thread_default_stream()
            spin[1, 1, stream](1000, other)
            stream.synchronize()
            finished.append(not long.query())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(20)
    assert finished == [True]
    cuda.synchronize()


def test_an_external_stream_is_used_by_its_handle():
    cupy = pytest.importorskip("cupy")
    theirs = cupy.cuda.Stream(non_blocking=True)
    stream = cuda.external_stream(theirs.ptr)
    x = cuda.to_device(np.zeros(1000))
    cuda.synchronize()
    add_one[4, 256, stream](x)
    theirs.synchronize()
    assert stream.external and (x.copy_to_host(stream=stream) == 1).all()


def test_a_stream_of_ours_serves_torch():
    torch = pytest.importorskip("torch")
    stream = cuda.stream()
    theirs = torch.cuda.ExternalStream(int(stream.handle))
    with torch.cuda.stream(theirs):
        x = torch.zeros(1 << 20, device="cuda")
        for _ in range(20):
            x += 1
    add_one[(1 << 20) // 256, 256, stream](x)
    stream.synchronize()
    assert torch.all(x == 21)


def test_many_launches_do_not_run_out_of_anything():
    x = cuda.to_device(np.zeros(256))
    for _ in range(20_000):
        add_one[1, 256](x)
    assert (x.copy_to_host() == 20_000).all()


def test_several_threads_launch_at_once():
    arrays = [cuda.to_device(np.zeros(1000)) for _ in range(8)]

    def work(x):
        with cuda.gpus[0]:
            stream = cuda.stream()
            for _ in range(500):
                add_one[4, 256, stream](x)
            stream.synchronize()

    threads = [threading.Thread(target=work, args=(x,)) for x in arrays]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for x in arrays:
        assert (x.copy_to_host() == 500).all()


def test_ctrl_c_ends_the_wait_for_a_long_kernel(run_python):
    process = run_python(
        """
        import numpy as np
        from heddle import cuda

        @cuda.jit
        def spin(rounds, out):
            for _ in range(rounds):
                cuda.nanosleep(1000000)
            out[0] = 1

        d = cuda.to_device(np.zeros(1))
        spin[1, 1](1, d)
        cuda.synchronize()
        spin[1, 1](6000, d)
        print("launched", flush=True)
        try:
            cuda.synchronize()
        except KeyboardInterrupt as interrupt:
            print("interrupted", *interrupt.__notes__, flush=True)
        """,
        start_only=True,
    )
    assert process.stdout.readline() == "launched\n"
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    start = time.monotonic()
    line = process.stdout.readline()
    waited = time.monotonic() - start
    assert line.startswith("interrupted kernel spin"), process.communicate(timeout=60)
    assert " s ago on GPU " in line and "may still run" in line
    assert waited < 4
    process.communicate(timeout=60)
