"""Captures by torch and CuPy, and cuda.graph()."""

import contextlib

import numpy as np
import pytest

import heddle
from heddle import cuda


@cuda.jit
def double(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= 2


@cuda.jit
def add(x, n):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += n


raw_add = heddle.RawKernel(
    'extern "C" __global__ void raw_add(float* x, int n) { x[threadIdx.x] += n; }', "raw_add"
)


def make_kernel():
    """A kernel that is not compiled yet, so that its first launch loads code."""

    @cuda.jit
    def triple(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] = 3 * x[i] if x[i] >= 0 else x[-i]  # checks its accesses

    return triple


@pytest.fixture
def torch():
    torch = pytest.importorskip("torch")
    torch.zeros(1, device="cuda")
    return torch


@pytest.fixture
def cupy():
    cupy = pytest.importorskip("cupy")
    cupy.zeros(1)
    return cupy


# torch


def capture_by_torch(torch, give):
    graph, x = torch.cuda.CUDAGraph(), torch.ones(8, device="cuda")
    with torch.cuda.graph(graph):
        x += 1
        give(x)
    return graph, x


def replay(graph, torch):
    graph.replay()
    torch.cuda.synchronize()


@pytest.mark.parametrize("warm", [True, False])
@pytest.mark.parametrize("names", ["a stream", "no stream"])
def test_torch_captures_a_kernel(torch, warm, names):
    kernel = make_kernel()
    if warm:
        for _ in range(10):
            kernel[1, 8](torch.ones(8, device="cuda"))

    def give(x):
        stream = (torch.cuda.current_stream(),) if names == "a stream" else ()
        kernel[(1, 8, *stream)](x)

    graph, x = capture_by_torch(torch, give)
    cuda.synchronize()
    assert x.tolist() == [1] * 8
    replay(graph, torch)
    replay(graph, torch)
    assert x.tolist() == [21] * 8  # ((1 + 1) * 3 + 1) * 3


def test_torch_captures_a_stream_that_has_launched_before(torch):
    stream, x = torch.cuda.Stream(), torch.ones(8, device="cuda")
    add[1, 8, stream](x, 1)
    stream.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        add[1, 8, stream](x, 10)
    add[1, 8, stream](x, 1)
    stream.synchronize()
    replay(graph, torch)
    assert x.tolist() == [13] * 8
    add[1, 8, stream](x, 1)
    stream.synchronize()
    assert x.tolist() == [14] * 8


def test_torch_captures_a_kernel_in_cuda_cpp(torch):
    graph, x = capture_by_torch(torch, lambda x: raw_add((1,), (8,), (x, 5)))
    replay(graph, torch)
    assert x.tolist() == [7] * 8


def test_torch_captures_copies_between_device_arrays(torch):
    d, e = cuda.to_device(np.arange(8, dtype=np.float32)), cuda.device_array(8, np.float32)

    def give(x):
        e.copy_to_device(d, stream=torch.cuda.current_stream())
        e.memset(0, 4, stream=torch.cuda.current_stream()) if hasattr(e, "memset") else None

    graph, _ = capture_by_torch(torch, give)
    replay(graph, torch)
    assert e.copy_to_host()[1:].tolist() == list(range(1, 8))


def test_host_arrays_are_refused_and_the_capture_goes_on(torch):
    def give(x):
        stream = torch.cuda.current_stream()
        with pytest.raises(ValueError, match="captures"):
            add[1, 8, stream](np.zeros(8, np.float32), 1)
        with pytest.raises(ValueError, match="captures"):
            cuda.to_device(np.zeros(8, np.float32), stream=stream)
        with pytest.raises(ValueError, match="captures"):
            cuda.external_stream(stream.cuda_stream).synchronize()
        add[1, 8, stream](x, 1)

    graph, x = capture_by_torch(torch, give)
    replay(graph, torch)
    assert x.tolist() == [3] * 8


def test_arrays_of_cupy_are_used_while_torch_captures(torch, cupy):
    y = cupy.ones(8, np.float32)
    graph, _ = capture_by_torch(torch, lambda x: add[1, 8, torch.cuda.current_stream()](y, 1))
    replay(graph, torch)
    assert y.get().tolist() == [2] * 8


def test_memory_is_allocated_while_torch_captures(torch):
    kept = []

    def give(x):
        kept.append(cuda.device_array(1 << 20, np.float32, stream=torch.cuda.current_stream()))
        kept.append(cuda.device_array(8, np.float32))
        add[1, 8, torch.cuda.current_stream()](x, 1)

    graph, x = capture_by_torch(torch, give)
    replay(graph, torch)
    assert x.tolist() == [3] * 8


def test_a_callback_is_called_by_each_replay(torch):
    seen = []

    def give(x):
        stream = cuda.external_stream(torch.cuda.current_stream().cuda_stream)
        stream.add_callback(lambda stream, status, arg: seen.append(arg), 7)

    graph, _ = capture_by_torch(torch, give)
    replay(graph, torch)
    replay(graph, torch)
    assert seen == [7, 7]


# CuPy


@pytest.mark.parametrize("non_blocking", [True, False])
@pytest.mark.parametrize("names", ["a stream", "no stream"])
def test_cupy_captures_kernels_of_both_languages(cupy, non_blocking, names):
    kernel, stream = make_kernel(), cupy.cuda.Stream(non_blocking=non_blocking)
    x = cupy.ones(8, np.float32)
    cupy.cuda.runtime.deviceSynchronize()
    with stream:
        stream.begin_capture()
        given = (stream,) if names == "a stream" else ()
        kernel[(1, 8, *given)](x)
        raw_add((1,), (8,), (x, 1), **({"stream": stream} if given else {}))
        graph = stream.end_capture()
        graph.launch()
        graph.launch()
        stream.synchronize()
    assert x.get().tolist() == [13] * 8


def test_the_default_stream_is_refused_while_cupy_captures_a_blocking_stream(cupy):
    stream, d = cupy.cuda.Stream(), cuda.to_device(np.ones(8, np.float32))
    x = cupy.ones(8, np.float32)
    cuda.synchronize()
    with stream:
        stream.begin_capture()
        with pytest.raises(ValueError, match="captures"):
            add[1, 8](d, 1)
        with pytest.raises(ValueError, match="captures"):
            cuda.synchronize()
        add[1, 8, stream](x, 1)
        graph = stream.end_capture()
        graph.launch()
        stream.synchronize()
    assert x.get().tolist() == [2] * 8


# cuda.graph()


def test_a_graph_runs_at_each_launch():
    x = cuda.to_device(np.zeros(8, np.float32))
    y = cuda.device_array(8, np.float32)
    with cuda.graph() as graph:
        add[1, 8](x, 1)
        raw_add((1,), (8,), (x, np.int32(2)))
        y.copy_to_device(x)
    cuda.synchronize()
    assert x.copy_to_host().tolist() == [0] * 8
    graph.launch()
    graph.launch()
    assert x.copy_to_host().tolist() == y.copy_to_host().tolist() == [6] * 8
    assert [node.kind for node in graph.nodes] == ["kernel", "kernel", "copy"]
    assert [node.name for node in graph.nodes[:2]] == ["add", "raw_add"]


def test_arguments_of_a_node_are_updated():
    x, y = (cuda.to_device(np.zeros(8, np.float32)) for _ in range(2))
    with cuda.graph() as graph:
        add[1, 8](x, 1)
        raw_add((1,), (8,), (x, 10))
    graph.launch()
    graph.nodes[0].update(y, 5)
    graph.nodes[1].update(y, 20)
    graph.launch()
    assert x.copy_to_host().tolist() == [11] * 8
    assert y.copy_to_host().tolist() == [25] * 8


def test_first_launches_compile_inside_of_a_graph():
    kernel, x = make_kernel(), cuda.to_device(np.ones(8, np.float32))
    with cuda.graph() as graph:
        kernel[1, 8](x)
    graph.launch()
    assert x.copy_to_host().tolist() == [3] * 8


def test_another_stream_joins_with_events():
    x, other = cuda.to_device(np.zeros(8, np.float32)), cuda.stream()
    fork, join = cuda.event(timing=False), cuda.event(timing=False)
    with cuda.graph() as graph:
        add[1, 8](x, 1)
        fork.record(graph.stream)
        fork.wait(other)
        double[1, 8, other](x)
        join.record(other)
        join.wait(graph.stream)
        add[1, 8](x, 3)
    graph.launch()
    assert x.copy_to_host().tolist() == [5] * 8
    assert [node.name for node in graph.nodes] == ["add", "double", "add"]
    add[1, 8, other](x, 1)  # the stream captures no longer
    assert x.copy_to_host().tolist() == [6] * 8


def test_a_launch_of_a_graph_is_not_captured():
    x = cuda.to_device(np.zeros(8, np.float32))
    with cuda.graph() as inner:
        add[1, 8](x, 1)
    with cuda.graph() as outer:
        with pytest.raises(ValueError, match="cannot capture the launch of a graph"):
            inner.launch()
        double[1, 8](x)
    inner.launch()
    outer.launch()
    assert x.copy_to_host().tolist() == [2] * 8


def test_algorithms_run_in_a_graph():
    x = cuda.to_device(np.arange(1000, dtype=np.float32))
    total = cuda.reduce(lambda a, b: a + b)
    result = cuda.device_array(1, np.float32)
    total(x, res=result)
    with cuda.graph() as graph:
        add[4, 256](x, 1)
        total(x, res=result)
    graph.launch()
    assert result.copy_to_host()[0] == np.arange(1000).sum() + 1000


def test_work_that_cannot_be_captured_is_refused():
    d = cuda.to_device(np.zeros(8, np.float32))
    with cuda.graph() as graph:
        with pytest.raises(ValueError, match="captures"):
            add[1, 8](np.zeros(8, np.float32), 1)
        with pytest.raises(ValueError, match="captures"):
            cuda.to_device(np.zeros(8))
        with pytest.raises(ValueError, match="captures"):
            d.copy_to_host()
        with contextlib.suppress(ValueError):
            cuda.default_stream().synchronize()
        add[1, 8](d, 1)
    graph.launch()
    assert d.copy_to_host().tolist() == [1] * 8


def test_a_graph_keeps_its_arrays():
    result = cuda.to_device(np.zeros(8, np.float32))

    @cuda.jit
    def accumulate(result, x):
        i = cuda.grid(1)
        result[i] += x[i]

    with cuda.graph() as graph:
        accumulate[1, 8](result, cuda.to_device(np.full(8, 3, np.float32), stream=cuda.stream()))
    for _ in range(10):
        cuda.to_device(np.full(8, 50, np.float32))
    graph.launch()
    assert result.copy_to_host().tolist() == [3] * 8
