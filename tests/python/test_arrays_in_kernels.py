"""All ways to pass an array to a kernel, and when the host sees the kernel's writes."""

import numpy as np
import pytest

from heddle import cuda


@cuda.jit
def add_one(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += 1


@cuda.jit
def copy(source, target):
    i = cuda.grid(1)
    if i < target.size:
        target[i] = source[i]


@cuda.jit
def add_slowly(x, rounds):
    i = cuda.grid(1)
    if i < x.size:
        for _ in range(rounds):
            x[i] += 1


def test_a_host_array_is_changed_in_place(device):
    x = np.zeros(100, np.float32)
    add_one[1, 128](x)
    np.testing.assert_array_equal(x, 1)


def test_a_device_array_is_changed_in_place(device):
    d = cuda.to_device(np.zeros(100, np.float32))
    add_one[1, 128](d)
    np.testing.assert_array_equal(d.copy_to_host(), 1)


def test_a_view_of_a_device_array_changes_its_part(device):
    d = cuda.to_device(np.zeros(10))
    add_one[1, 32](d[1:8:3])
    np.testing.assert_array_equal(d.copy_to_host(), [0, 1, 0, 0, 1, 0, 0, 1, 0, 0])


def test_a_reshaped_device_array_changes_the_original(device):
    d = cuda.to_device(np.zeros((2, 3)))
    add_one[1, 32](d.ravel())
    np.testing.assert_array_equal(d.copy_to_host(), 1)


@pytest.mark.parametrize("make", [cuda.mapped_array, cuda.managed_array, cuda.pinned_array])
def test_a_shared_array_is_changed_in_place(device, make):
    x = make(100)
    x[:] = 4
    add_one[1, 128](x)
    cuda.synchronize()
    np.testing.assert_array_equal(x, 5)


def test_a_part_of_a_mapped_array_is_changed_in_place(device):
    x = cuda.mapped_array(10)
    x[:] = 0
    add_one[1, 32](x[::2])
    cuda.synchronize()
    np.testing.assert_array_equal(x, [1, 0] * 5)


def test_an_array_mapped_for_a_while_is_changed_in_place(device):
    x = np.zeros(10)
    with cuda.mapped(x) as d:
        add_one[1, 32](d)
    np.testing.assert_array_equal(x, 1)


def test_an_array_shared_through_as_cuda_array_is_changed_in_place(cpu):
    x = np.zeros(10)
    add_one[1, 32](cuda.as_cuda_array(x))
    cuda.synchronize()
    np.testing.assert_array_equal(x, 1)


def test_in_and_out_say_how_arrays_are_used(device):
    source, target = np.arange(10.0), np.zeros(10)
    copy[1, 32](cuda.In(source), cuda.Out(target))
    np.testing.assert_array_equal(target, source)


def test_an_array_that_is_in_and_out_is_changed(device):
    x = np.zeros(10)
    add_one[1, 32](cuda.InOut(x))
    np.testing.assert_array_equal(x, 1)


def test_a_hint_takes_a_device_array(device):
    d = cuda.to_device(np.zeros(10))
    add_one[1, 32](cuda.InOut(d))
    np.testing.assert_array_equal(d.copy_to_host(), 1)


@pytest.mark.parametrize(
    "read",
    [
        lambda d: d.copy_to_host(),
        np.asarray,
        np.array,
        lambda d: np.array(list(d[:4])),
        lambda d: d[0],
        lambda d: (
            np.from_dlpack(d) if cuda.get_current_device().type == "cpu" else d.copy_to_host()
        ),
        lambda d: d.T.copy_to_host(),
    ],
    ids=["copy_to_host", "asarray", "array", "iteration", "element", "dlpack", "transpose"],
)
def test_whoever_reads_a_device_array_waits_for_the_kernel(device, read):
    d = cuda.to_device(np.zeros(64, np.int64))
    add_slowly[64, 1, cuda.stream()](d, 200_000)
    np.testing.assert_array_equal(read(d), 200_000)


def test_an_assignment_waits_for_the_kernel(device):
    d = cuda.to_device(np.zeros(64, np.int64))
    add_slowly[64, 1, cuda.stream()](d, 200_000)
    d[:] = 1
    np.testing.assert_array_equal(d.copy_to_host(), 1)


def test_a_copy_in_the_stream_of_the_kernel_comes_after_it(device):
    stream, target = cuda.stream(), cuda.pinned_array(64, np.int64)
    d = cuda.to_device(np.zeros(64, np.int64), stream=stream)
    add_slowly[64, 1, stream](d, 200_000)
    d.copy_to_host(target, stream=stream)
    stream.synchronize()
    np.testing.assert_array_equal(target, 200_000)


def test_a_device_array_dropped_after_the_launch_stays_alive(device):
    d = cuda.to_device(np.zeros(64, np.int64))
    view = d.view(np.int64)
    add_slowly[64, 1, cuda.stream()](d, 200_000)
    del d
    np.testing.assert_array_equal(view.copy_to_host(), 200_000)


def test_an_event_times_a_kernel(device):
    start, end = cuda.event(), cuda.event()
    d = cuda.to_device(np.zeros(64, np.int64))
    start.record()
    add_slowly[64, 1](d, 1000)
    end.record()
    end.synchronize()
    assert start.elapsed_time(end) >= 0


def test_a_read_only_array_may_be_read(device):
    source, target = np.arange(10.0), np.zeros(10)
    source.flags.writeable = False
    copy[1, 32](source, target)
    np.testing.assert_array_equal(target, source)


def test_the_error_of_a_kernel_arrives_where_the_host_waits(device):
    @cuda.jit(debug=True)
    def beyond(x):
        x[cuda.grid(1) + x.size] = 1

    with pytest.raises(IndexError, match="out of bounds"):
        beyond[1, 1](cuda.to_device(np.zeros(3)))
        cuda.synchronize()
    cuda.synchronize()


def test_a_device_array_of_a_dtype_that_kernels_lack_is_refused(device):
    with pytest.raises(TypeError, match="elements of type >U1"):
        add_one[1, 32](cuda.to_device(np.zeros(3, ">U1")))
