"""Reads and writes after a launch happen after the kernel, with real CuPy and torch: see
tests/python/memory_order.py."""

import numpy as np
import pytest
from memory_order import (
    COUNT,
    add_ten,
    host_arrays,
    launches,
    producers,
    slow_add,
    slow_one_more,
    tables,
    uses,
)

from heddle import cuda

HOST = host_arrays()


@pytest.fixture(scope="module")
def cupy():
    return pytest.importorskip("cupy")


@pytest.fixture(scope="module")
def torch():
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("torch has no GPU here")
    return torch


class Names:
    """Stands for CuPy while tests are collected: tables ask it for kernels only, and not for arrays."""

    def __getattr__(self, name):
        return lambda *arguments: None


@pytest.fixture(scope="module")
def cupys(cupy):
    return tables(cupy)


@pytest.mark.parametrize("use", uses(Names()))
@pytest.mark.parametrize("launch", launches(Names()))
@pytest.mark.parametrize("producer", producers(Names()))
def test_a_use_comes_after_the_kernel(cupys, producer, launch, use):
    x = cupys.producers[producer]()
    cupys.launches[launch](x)
    try:
        seen, right = cupys.uses[use](x)
    except RuntimeError as error:
        if "non-contiguous" not in str(error):  # what CuPy's set() says of views
            raise
        cuda.synchronize()
        pytest.skip(str(error))
    assert np.asarray(seen).tolist() == [right] * COUNT


@pytest.mark.parametrize("array", HOST)
def test_a_host_array_is_complete_when_a_launch_returns(array):
    x = HOST[array]()
    slow_add[1, 16](x)
    assert x.tolist() == [1] * COUNT


def test_a_tensor_of_the_host_is_complete_when_a_launch_returns(torch):
    for x in (torch.zeros(COUNT, dtype=torch.float64), torch.zeros(12, dtype=torch.float64)[::2]):
        slow_add[1, 16](x)
        assert x.tolist() == [1] * COUNT


TENSORS = {
    "tensor": lambda torch: torch.zeros(COUNT, dtype=torch.float64, device="cuda"),
    "tensor's view": lambda torch: torch.zeros(12, dtype=torch.float64, device="cuda")[::2],
}
OF_TENSORS = {
    "numba": lambda x: slow_add[1, 16](x),
    "as_cuda_array": lambda x: slow_add[1, 16](cuda.as_cuda_array(x)),
    "to_device": lambda x: slow_add[1, 16](cuda.to_device(x)),
    "ufunc": lambda x: slow_one_more(cuda.as_cuda_array(x), out=cuda.as_cuda_array(x)),
}
USES_OF_TENSORS = {
    "tolist": lambda x: (x.tolist(), 1),
    "cpu": lambda x: (x.cpu().numpy(), 1),
    "sum": lambda x: ([x.sum().item() / COUNT] * COUNT, 1),
    "operator": lambda x: ((x * 2).tolist(), 2),
    "fill": lambda x: (x.fill_(4).tolist(), 4),
    "in place": lambda x: (x.mul_(8).tolist(), 8),
    "kernel": lambda x: (add_ten[1, 16](x), (x.tolist(), 11))[1],
    "copy_to_host": lambda x: (cuda.as_cuda_array(x).copy_to_host(), 1),
}


@pytest.mark.parametrize("use", USES_OF_TENSORS)
@pytest.mark.parametrize("launch", OF_TENSORS)
@pytest.mark.parametrize("producer", TENSORS)
def test_a_use_of_a_tensor_comes_after_the_kernel(torch, producer, launch, use):
    x = TENSORS[producer](torch)
    OF_TENSORS[launch](x)
    seen, right = USES_OF_TENSORS[use](x)
    assert np.asarray(seen).tolist() == [right] * COUNT


@pytest.mark.parametrize("own_stream", [False, True])
@pytest.mark.parametrize("array", HOST)
def test_a_ufunc_fills_a_view_of_a_host_array(array, own_stream):
    out, stream = HOST[array](), cuda.stream() if own_stream else 0
    result = slow_one_more(cuda.to_device(np.zeros(COUNT)), out=out, stream=stream)
    if own_stream:
        stream.synchronize()
    assert result is out and out.tolist() == [1] * COUNT


@pytest.mark.parametrize("count", [0, 60])
def test_a_reduction_into_a_view_is_seen_by_the_array(cupy, count):
    total = cuda.reduce(lambda a, b: a + b)
    x, res = cupy.zeros(4), np.zeros(4)
    total(cuda.to_device(np.ones(count)), res=x[2:3], init=5)
    total(cuda.to_device(np.ones(count)), res=res[2:3], init=5)
    assert x.tolist() == res.tolist() == [0, 0, count + 5, 0]


@cuda.jit
def poll_by_fences(flag, out):
    while flag[0] == 0:
        cuda.threadfence_system()
    out[0] = flag[0] + 1


@cuda.jit
def poll_by_loads_from_memory(flag, out):
    # An atomic would write as well, and might overwrite what the host has just written.
    while cuda.ldcv(flag, 0) == 0:
        cuda.nanosleep(1000)
    out[0] = cuda.ldcv(flag, 0) + 1


@pytest.mark.parametrize("answer", [poll_by_fences, poll_by_loads_from_memory])
@pytest.mark.parametrize("make", [cuda.mapped_array, cuda.managed_array])
@pytest.mark.parametrize("launch", ["array", "view", "device array"])
def test_a_polling_kernel_sees_what_the_host_writes(make, launch, answer):

    if make is cuda.managed_array and not cuda.current_context().device.CONCURRENT_MANAGED_ACCESS:
        pytest.skip("the host does not reach managed memory while a kernel runs")
    flag, out = make(2, np.int32), make(1, np.int32)
    flag[:] = 1
    out[:] = 0
    answer[1, 1](flag, out)  # compiled and loaded here
    cuda.synchronize()
    flag[:] = out[:] = 0
    seen = {"array": flag, "view": flag[:1], "device array": cuda.as_cuda_array(flag)}[launch]
    answer[1, 1](seen, out)
    assert out[0] == 0
    flag[0] = 41
    cuda.synchronize()
    assert out[0] == 42


def test_numbas_kernels_are_captured_by_a_stream_of_cupys(cupy):
    x, stream = cupy.zeros(COUNT), cupy.cuda.Stream(non_blocking=True)
    d, of_stream = cuda.as_cuda_array(x), cuda.external_stream(stream.ptr)
    slow_add[1, 16, of_stream](d)
    stream.synchronize()
    with stream:
        x.fill(0)
        stream.begin_capture()
        slow_add[1, 16, of_stream](d)
        x += 1
        graph = stream.end_capture()
        stream.synchronize()
        assert x.tolist() == [0] * COUNT
        graph.launch()
        graph.launch()
        stream.synchronize()
    assert x.tolist() == [4] * COUNT
