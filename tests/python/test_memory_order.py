"""Reads and writes after a launch happen after the kernel; memory_order.py has the tables."""

import threading

import numpy as np
import pytest
from memory_order import COUNT, RAW, add_ten, host_arrays, slow_add, slow_one_more, tables

import heddle.compat.cupy as cp
from heddle import cuda
from heddle.cuda.native_devices import has_gpu

pytestmark = pytest.mark.usefixtures("cpu")
TABLES = tables(cp)
HOST = host_arrays()
of_the_interface = pytest.mark.skipif(has_gpu(), reason="the interface is of a GPU's memory")
if has_gpu():
    del TABLES.launches["interface"]
    for name in ["interface of NumPy", "as_cuda_array of it", "cupy of it"]:
        del TABLES.exports[name]


@pytest.mark.parametrize("use", TABLES.uses)
@pytest.mark.parametrize("launch", TABLES.launches)
@pytest.mark.parametrize("producer", TABLES.producers)
def test_a_use_comes_after_the_kernel(producer, launch, use):
    x = TABLES.producers[producer]()
    TABLES.launches[launch](x)
    seen, right = TABLES.uses[use](x)
    assert np.asarray(seen).tolist() == [right] * COUNT


@pytest.mark.parametrize("launch", ["numba", "tuple"])
@pytest.mark.parametrize("array", HOST)
def test_a_host_array_is_complete_when_a_launch_returns(array, launch):
    x = HOST[array]()
    TABLES.launches[launch](x)
    assert x.tolist() == [1] * COUNT


@pytest.mark.parametrize(
    "launch", ["numba", "as_cuda_array", "to_device", "ufunc", "raw", "elementwise", "cupy of it"]
)
@pytest.mark.parametrize("export", TABLES.exports)
def test_exported_memory_is_complete_when_a_launch_returns(export, launch):
    x, seen = TABLES.exports[export]()
    TABLES.launches[launch](x)
    assert seen.tolist() == [1] * COUNT


def read_into(x):
    np.zeros(64)[:] = x


@pytest.mark.parametrize(
    "read",
    [
        np.asarray,
        np.array,
        np.sum,
        lambda x: np.ones(64) + x,
        lambda x: np.copyto(np.zeros(64), x),
        lambda x: np.stack([x, x]),
        read_into,
        np.from_dlpack,
        memoryview,
        bytes,
        list,
    ],
)
def test_a_read_raises_the_error_of_the_kernel(read):
    @cuda.jit
    def writes_outside(x):
        x[cuda.grid(1)] = 1

    x = cuda.to_device(np.zeros(64))
    writes_outside[2, 64](x)
    with pytest.raises(IndexError, match="64"):
        read(x)
    assert np.asarray(x).shape == (64,)  # once


@pytest.mark.parametrize("read", [np.asarray, np.sum, read_into, cp.asnumpy])
def test_a_read_of_an_array_of_cupy_raises_the_error_of_the_kernel(read):
    @cuda.jit
    def writes_outside(x):
        x[cuda.grid(1)] = 1

    x = cp.zeros(64)
    writes_outside[2, 64](x)
    with pytest.raises(IndexError, match="64"):
        read(x)
    assert cp.asnumpy(x).shape == (64,)  # once; block 0 may not have run


def test_a_failed_view_does_not_fail_a_later_read():
    @cuda.jit
    def writes_outside(x):
        x[cuda.grid(1)] = 1

    x = cuda.to_device(np.zeros(64))
    writes_outside[2, 64](x)
    with pytest.raises(IndexError):
        memoryview(x)
    assert np.asarray(x).shape == x.__array__().shape == (64,)


def test_memory_is_not_exported_after_its_export_is_gone():
    @cuda.jit
    def wait_for(flag, x):
        while cuda.atomic.add(flag, 0, 0) == 0:
            cuda.nanosleep(1000)
        x[0] = 1

    x, flag = cuda.to_device(np.zeros(COUNT)), cuda.mapped_array(1, np.int32)
    flag[0] = 0
    for show in (np.asarray, memoryview, np.from_dlpack, lambda x: x.__array__(copy=False)):
        seen = show(x)
        del seen
    wait_for[1, 1](flag, x)  # would wait for ever
    flag[0] = 1
    assert x.copy_to_host()[0] == 1


@pytest.mark.parametrize("stream", [0, "own"])
@pytest.mark.parametrize("array", HOST)
def test_a_ufunc_fills_a_view_of_a_host_array(array, stream):
    out, stream = HOST[array](), cuda.stream() if stream else 0
    result = slow_one_more(cuda.to_device(np.zeros(COUNT)), out=out, stream=stream)
    if stream:
        stream.synchronize()
    assert result is out and out.tolist() == [1] * COUNT


def test_a_ufunc_keeps_the_inputs_that_it_was_called_with():
    values, stream = np.zeros(COUNT), cuda.stream()
    result = slow_one_more(values, out=cuda.device_array(COUNT), stream=stream)
    values[:] = 100
    assert result.copy_to_host(stream=stream).tolist() == [1] * COUNT


@cuda.reduce
def slow_sum(a, b):
    v = 0.5
    for _ in range(20_000):
        v = v * 0.5 + 0.25
    return a + b if v > -5 else a


@pytest.mark.parametrize(
    "read",
    [
        lambda x: x.get()[2],
        lambda x: x[2:].get()[0],
        lambda x: float(x[2]),
        lambda x: cuda.as_cuda_array(x)[2],
        lambda x: (x * 1)[2].item(),
    ],
)
@pytest.mark.parametrize("count", [0, 60])
def test_a_reduction_into_a_view_is_seen_by_the_array(read, count):
    x = cp.zeros(4)
    slow_sum(cuda.to_device(np.ones(count)), res=x[2:3], init=5)
    assert read(x) == count + 5


def test_a_reduction_fills_a_view_of_a_host_array():
    for count in (0, 60):
        res = np.zeros(4)
        slow_sum(cuda.to_device(np.ones(count)), res=res[2:3], init=5)
        assert res.tolist() == [0, 0, count + 5, 0]


@of_the_interface
def test_asarray_waits_for_the_stream_that_an_interface_names():
    x, stream = cuda.to_device(np.zeros(COUNT)), cp.cuda.Stream(non_blocking=True)
    of_stream = cuda.external_stream(stream.ptr)

    class OfStream:
        @property
        def __cuda_array_interface__(self):
            return {**x.__cuda_array_interface__, "stream": stream.ptr}

    slow_add[1, 16, of_stream](x)
    assert cp.asarray(OfStream()).tolist() == [1] * COUNT
    slow_add[1, 16, of_stream](x)
    add_ten[1, 16](OfStream())
    assert x.copy_to_host().tolist() == [12] * COUNT


def test_a_launch_comes_after_the_work_of_the_current_stream():
    x, stream = cp.zeros(COUNT), cp.cuda.Stream(non_blocking=True)
    with stream:
        TABLES.launches["raw"](x)
        add_ten[1, 16](x)
    cuda.default_stream().synchronize()
    assert cuda.as_cuda_array(x).copy_to_host().tolist() == [11] * COUNT


def test_a_current_stream_is_in_order_with_kernels_of_numba():
    x, stream = cp.zeros(COUNT), cp.cuda.Stream(non_blocking=True)
    of_stream, d = cuda.external_stream(stream.ptr), cuda.as_cuda_array(x)
    with stream:
        slow_add[1, 16, of_stream](d)
        x *= 4
        slow_add[1, 16, of_stream](d)
        assert x.tolist() == [5] * COUNT


@pytest.mark.parametrize("first_blocks", [True, False])
def test_a_blocking_stream_and_the_default_stream_wait_for_each_other(first_blocks):
    x = cuda.to_device(np.zeros(COUNT))
    stream = cuda.stream()
    order = [stream, 0] if first_blocks else [0, stream]
    for each in order:
        slow_add[1, 16, each](x)
    last = order[-1] or cuda.default_stream()
    last.synchronize()
    assert x.copy_to_host(stream=last).tolist() == [2] * COUNT


def test_memory_of_a_pointer_lives_until_the_kernel_has_run():
    raw = cp.RawKernel(
        "__global__ void k(double *x, volatile int *go) { while (!*go) __nanosleep(1000); *x = 1; }",
        "k",
    )
    go = cuda.mapped_array(1, np.int32)
    go[0] = 0
    pointers = []
    for _ in range(8):
        memory = cp.cuda.memory.Memory(64)
        pointers.append(memory.ptr)
        raw((1,), (1,), (cp.cuda.MemoryPointer(memory, 0), go))
    go[0] = 1
    cuda.synchronize()
    assert len(set(pointers)) == 8


def test_a_polling_kernel_sees_what_the_host_writes_and_does_not_hold_up_the_launch():
    @cuda.jit
    def answer(flag, out):
        while cuda.atomic.add(flag, 0, 0) == 0:
            cuda.nanosleep(1000)
        out[0] = flag[0] + 1

    for make in (cuda.mapped_array, cuda.managed_array):
        for cut in (slice(None), slice(1, 2)):
            flag, out = make(2, np.int32), make(1, np.int32)
            flag[:] = out[:] = 0
            flag = flag[cut]
            answer[1, 1](flag, out)
            assert out[0] == 0
            flag[0] = 41
            cuda.synchronize()
            assert out[0] == 42


def test_a_non_blocking_stream_goes_on_while_the_default_stream_waits():
    @cuda.jit
    def wait_for(flag):
        while cuda.atomic.add(flag, 0, 0) == 0:
            cuda.nanosleep(1000)

    flag, other = cuda.mapped_array(1, np.int32), cp.cuda.Stream(non_blocking=True)
    flag[0] = 0
    wait_for[1, 1](flag)
    with other:
        assert (cp.arange(3) + 1).tolist() == [1, 2, 3]
    assert flag[0] == 0
    flag[0] = 1
    cuda.synchronize()


@cuda.jit
def chain(a, b):
    if cuda.grid(1) == 0:
        for i in range(a.size):
            b[i] = a[i] + 1


@cuda.jit
def chain_of_pair(pair):
    if cuda.grid(1) == 0:
        for i in range(pair[0].size):
            pair[1][i] = pair[0][i] + 1


@cuda.jit
def tell_addresses(x, addresses):
    addresses[0] = x.ctypes.data


@pytest.mark.parametrize(
    "launch", [lambda a, b: chain[1, 32](a, b), lambda a, b: chain_of_pair[1, 32]((a, b))]
)
@pytest.mark.parametrize("producer", TABLES.producers)
def test_arguments_over_one_memory_share_it(producer, launch):
    x = TABLES.producers[producer]()
    launch(x[:-1], x[1:])
    cuda.synchronize()
    assert cp.asnumpy(cp.asarray(x)).tolist() == list(range(COUNT))


@pytest.mark.parametrize("producer", TABLES.producers)
def test_kernels_use_memory_at_its_address(producer):
    x, told = TABLES.producers[producer](), cp.zeros(1, np.int64)
    kernel = cp.RawKernel(
        "__global__ void k(double *x, long long *told) { *told = (long long)x; }", "k"
    )
    kernel((1,), (64,), (x, told))
    assert told.tolist() == [cp.asarray(x).data.ptr]


def test_threads_that_add_to_one_array_lose_nothing():
    @cuda.jit
    def add(x):
        cuda.atomic.add(x, 0, 1)

    x, stream = cp.zeros(4, np.int64), cuda.default_stream()
    add[1, 32, stream](x)

    def work():
        for _ in range(200):
            add[1, 32, stream](x)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert x.tolist() == [801 * 32, 0, 0, 0]


def test_memory_at_an_address_that_others_have_is_complete_when_a_launch_returns():
    raw = cp.RawKernel(RAW, "slow_add")
    h = np.zeros(COUNT)
    raw((1,), (16,), (h.ctypes.data, 1, COUNT))
    assert h.tolist() == [1] * COUNT
    memory = cp.cuda.UnownedMemory(h.ctypes.data, h.nbytes, h)
    x = cp.ndarray(COUNT, np.float64, cp.cuda.MemoryPointer(memory, 0))
    slow_add[1, 16](x)
    assert h.tolist() == [2] * COUNT
    raw((1,), (16,), (cp.cuda.MemoryPointer(memory, 0), 1, COUNT))
    assert h.tolist() == [3] * COUNT
    shown, seen = TABLES.exports["buffer of cupy"]()
    raw((1,), (16,), (shown.data.ptr, 1, COUNT))
    assert seen.tolist() == [1] * COUNT
