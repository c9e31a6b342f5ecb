"""Two GPUs in one process; skipped if there is only one."""

import threading

import numpy as np
import pytest

from heddle import cuda


@cuda.jit
def add_one(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += 1


def test_an_array_is_on_the_device_that_was_current(two_gpus):
    for device in two_gpus:
        with device:
            d = cuda.to_device(np.arange(100.0))
            add_one[1, 128](d)
            assert d.device.index == device.id
            np.testing.assert_array_equal(d.copy_to_host(), np.arange(100) + 1)


def test_select_device_stays_until_the_next(two_gpus):
    cuda.select_device(1)
    try:
        assert cuda.get_current_device().id == 1
        assert cuda.to_device(np.zeros(3)).device.index == 1
    finally:
        cuda.select_device(0)


def test_an_array_of_another_gpu_is_refused_with_both_names(two_gpus):
    with two_gpus[1]:
        d = cuda.to_device(np.zeros(10))
    with two_gpus[0], pytest.raises((TypeError, ValueError), match="another device|cuda:1"):
        add_one[1, 32](d)


def test_a_tensor_of_another_gpu_is_refused(two_gpus):
    torch = pytest.importorskip("torch")
    x = torch.zeros(10, device="cuda:1")
    with two_gpus[0], pytest.raises((TypeError, ValueError), match="cuda:1"):
        add_one[1, 32](x)
    with two_gpus[1]:
        add_one[1, 32](x)
        cuda.synchronize()
    assert x.cpu().tolist() == [1] * 10


def test_copies_between_gpus(two_gpus):
    with two_gpus[0]:
        a = cuda.to_device(np.arange(1 << 20))
    with two_gpus[1]:
        b = cuda.device_array(1 << 20, np.int64)
        b.copy_to_device(a)
        add_one[(1 << 20) // 256, 256](b)
        np.testing.assert_array_equal(b.copy_to_host(), np.arange(1 << 20) + 1)
    np.testing.assert_array_equal(a.copy_to_host(), np.arange(1 << 20))


def test_a_kernel_reads_a_peers_memory_where_it_can(two_gpus):
    first, second = (device.get_primary_context() for device in two_gpus)
    if not first.can_access_peer(second):
        pytest.skip("these GPUs do not reach each other's memory")
    first.enable_peer_access(second)
    first.enable_peer_access(second)  # again changes nothing
    with two_gpus[1]:
        theirs = cuda.to_device(np.arange(1024))
        cuda.synchronize()
    with two_gpus[0]:
        add_one[4, 256](theirs[:])
        cuda.synchronize()
    np.testing.assert_array_equal(theirs.copy_to_host(), np.arange(1024) + 1)


def test_streams_and_events_belong_to_their_device(two_gpus):
    for device in two_gpus:
        with device:
            stream, begin, end = cuda.stream(), cuda.event(), cuda.event()
            d = cuda.to_device(np.zeros(1000), stream=stream)
            begin.record(stream)
            add_one[4, 256, stream](d)
            end.record(stream)
            stream.synchronize()
            assert cuda.event_elapsed_time(begin, end) >= 0
            assert (d.copy_to_host() == 1).all()


def test_each_thread_has_its_own_current_device(two_gpus):
    found = {}

    def work(device):
        cuda.select_device(device.id)
        d = cuda.to_device(np.zeros(1000))
        for _ in range(100):
            add_one[4, 256](d)
        found[device.id] = d.copy_to_host()

    threads = [threading.Thread(target=work, args=(device,)) for device in two_gpus]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for device in two_gpus:
        assert (found[device.id] == 100).all()
