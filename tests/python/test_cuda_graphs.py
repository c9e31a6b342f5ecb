"""cuda.graph(): captured work runs at each launch of the graph, and not before."""

import numpy as np
import pytest

import heddle
from heddle import cuda

COUNT = 16

raw_add = heddle.RawKernel(
    'extern "C" __global__ void raw_add(float* x, int n) { x[threadIdx.x] += n; }', "raw_add"
)


@cuda.jit
def add(x, n=1):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += n


@cuda.jit
def double(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= 2


@pytest.fixture
def x(device):
    return cuda.to_device(np.zeros(COUNT, np.float32))


@pytest.fixture
def y(device):
    return cuda.to_device(np.zeros(COUNT, np.float32))


def values(array):
    found = set(array.copy_to_host().tolist())
    return found.pop() if len(found) == 1 else found


def test_kernels_run_at_each_launch_and_not_before(x):
    with cuda.graph() as graph:
        add[1, COUNT](x)
        double[1, COUNT, graph.stream](x)
        raw_add((1,), (COUNT,), (x, 3))
    cuda.synchronize()
    assert values(x) == 0
    graph.launch()
    assert values(x) == 5
    graph.launch()
    assert values(x) == 15


def test_a_graph_runs_in_the_stream_that_a_launch_names(x):
    with cuda.graph() as graph:
        add[1, COUNT](x)
    stream = cuda.stream()
    add[1, COUNT, stream](x, 10)
    graph.launch(stream)
    double[1, COUNT, stream](x)
    stream.synchronize()
    assert values(x) == 22


def test_the_stream_to_capture_may_be_given(x):
    stream = cuda.stream()
    with cuda.graph(stream) as graph:
        assert graph.stream is stream
        add[1, COUNT, stream](x)
        add[1, COUNT](x)
    assert len(graph.nodes) == 2
    add[1, COUNT, stream](x, 5)
    graph.launch(stream)
    stream.synchronize()
    assert values(x) == 7


def test_copies_between_device_arrays_are_captured(x, y):
    with cuda.graph() as graph:
        add[1, COUNT](x)
        y.copy_to_device(x)
    graph.launch()
    graph.launch()
    assert values(y) == 2


def test_pinned_arrays_are_read_by_each_launch(x):
    source = cuda.pinned_array(COUNT, np.float32)
    source[:] = 1
    with cuda.graph() as graph:
        x.copy_to_device(source, stream=graph.stream)
    source[:] = 4
    graph.launch()
    assert values(x) == 4


def test_callbacks_are_called_by_each_launch(x):
    seen = []
    with cuda.graph() as graph:
        add[1, COUNT](x)
        graph.stream.add_callback(lambda stream, status, arg: seen.append(arg), 7)
    assert not seen
    graph.launch()
    graph.launch()
    cuda.synchronize()
    assert seen == [7, 7]


def test_ufuncs_and_algorithms_are_captured(x):
    @heddle.vectorize(["float32(float32)"], target="cuda")
    def increment(a):
        return a + 1

    with cuda.graph() as graph:
        increment(x, out=x)
    assert values(x) == 0
    graph.launch()
    graph.launch()
    assert values(x) == 2


def test_nodes_describe_the_work(x, y):
    with cuda.graph() as graph:
        add[(2, 3), (4, 2), 0, 64](x, 5)
        add[1, COUNT](x)
        raw_add((1,), (COUNT,), (x, 3), shared_mem=16)
        y.copy_to_device(x)
        graph.stream.add_callback(lambda stream, status, arg: None)
    first, second, third, copy, callback = graph.nodes
    assert (first.kind, first.name, first.grid, first.block) == (
        "kernel",
        "add",
        (2, 3, 1),
        (4, 2, 1),
    )
    assert (first.sharedmem, first.arguments) == (64, (x, 5))
    assert (second.arguments, second.sharedmem) == ((x, 1), 0)
    assert (third.name, third.arguments, third.sharedmem) == ("raw_add", (x, 3), 16)
    assert (copy.kind, copy.nbytes, copy.src) == (
        "copy",
        4 * COUNT,
        x.__cuda_array_interface__["data"][0],
    )
    assert callback.kind == "callback" and callback.arguments is None and callback.name is None


def test_nodes_and_graphs_have_a_short_text(x, y):
    made = cuda.graph()
    assert repr(made) == "<heddle CUDA graph, not captured yet>"
    with made as graph:
        add[2, 8](x)
        y.copy_to_device(x)
        graph.stream.add_callback(lambda stream, status, arg: None)
    texts = ["<kernel add, grid (2, 1, 1), block (8, 1, 1)>", "<copy of 64 bytes>", "<callback>"]
    assert [repr(node) for node in graph.nodes] == texts
    assert repr(graph) == "<heddle CUDA graph of 3 nodes>"


def test_arguments_of_kernels_are_updated(x, y):
    with cuda.graph() as graph:
        add[1, COUNT](x, 1)
        raw_add((1,), (COUNT,), (x, 10))
    graph.launch()
    graph.nodes[0].update(y, 5)
    graph.nodes[1].update(y, 20)
    assert graph.nodes[0].arguments == (y, 5)
    graph.launch()
    assert (values(x), values(y)) == (11, 25)


def test_an_update_may_change_types_and_shapes(x):
    with cuda.graph() as graph:
        add[1, COUNT](x, 1)
    z = cuda.to_device(np.zeros((2 * COUNT,), np.int64))
    graph.nodes[0].update(z[::2], 2)
    graph.launch()
    assert z.copy_to_host().tolist() == [2, 0] * COUNT and values(x) == 0


def test_an_update_does_not_affect_launches_before(x, y):
    stream = cuda.stream()
    with cuda.graph() as graph:
        add[1, COUNT](x, 1)
    for _ in range(5):
        graph.launch(stream)
        graph.nodes[0].update(y, 1)
        graph.launch(stream)
        graph.nodes[0].update(x, 1)
    stream.synchronize()
    assert values(x) == values(y) == 5


def test_wrong_arguments_of_an_update_change_nothing(x):
    with cuda.graph() as graph:
        add[1, COUNT](x, 1)
        graph.stream.add_callback(lambda stream, status, arg: None)
    with pytest.raises(TypeError):
        graph.nodes[0].update()
    with pytest.raises(ValueError, match="arrays of the host"):
        graph.nodes[0].update(np.zeros(COUNT, np.float32), 1)
    with pytest.raises(TypeError, match="a callback: only kernels"):
        graph.nodes[1].update(x)
    graph.launch()
    assert values(x) == 1


def test_another_stream_joins_with_events(x):
    other, fork, join = cuda.stream(), cuda.event(timing=False), cuda.event(timing=False)
    with cuda.graph() as graph:
        add[1, COUNT](x)
        fork.record(graph.stream)
        fork.wait(other)
        double[1, COUNT, other](x)
        join.record(other)
        join.wait(graph.stream)
        add[1, COUNT](x, 3)
    assert [node.name for node in graph.nodes] == ["add", "double", "add"]
    graph.launch()
    assert values(x) == 5


def test_work_that_is_not_joined_back_ends_the_capture(x):
    other, fork = cuda.stream(), cuda.event(timing=False)
    with pytest.raises(ValueError, match="not joined back"), cuda.graph() as graph:
        add[1, COUNT](x)
        fork.record(graph.stream)
        fork.wait(other)
        double[1, COUNT, other](x)
    with pytest.raises(ValueError, match="no work yet"):
        graph.launch()


def test_a_graph_is_launched_by_another(cpu):
    x = cuda.to_device(np.zeros(COUNT, np.float32))
    with cuda.graph() as inner:
        add[1, COUNT](x)
    with cuda.graph() as outer:
        inner.launch()
        double[1, COUNT](x)
        inner.launch()
    outer.launch()
    assert values(x) == 3


def test_captures_may_be_nested(x):
    with cuda.graph() as outer:
        add[1, COUNT](x)
        with cuda.graph() as inner:
            add[1, COUNT](x, 10)
        add[1, COUNT](x)
    outer.launch()
    assert values(x) == 2
    inner.launch()
    assert values(x) == 12


def test_other_streams_go_on_while_a_graph_is_captured(x, y):
    stream = cuda.stream()
    with cuda.graph():
        add[1, COUNT](x)
        add[1, COUNT, stream](y)
        stream.synchronize()
    assert (values(x), values(y)) == (0, 1)


def test_work_after_the_capture_runs_at_once(x):
    with cuda.graph():
        add[1, COUNT](x)
    add[1, COUNT](x, 4)
    assert values(x) == 4


def test_an_error_in_the_body_ends_the_capture(x):
    with pytest.raises(KeyError), cuda.graph() as graph:
        add[1, COUNT](x)
        raise KeyError
    add[1, COUNT](x)
    assert values(x) == 1
    with pytest.raises(ValueError, match="no work yet"):
        graph.launch()


def test_a_graph_without_work_does_nothing(device):
    with cuda.graph() as graph:
        pass
    graph.launch()
    assert graph.nodes == ()


def test_a_graph_keeps_its_arguments(x):
    @cuda.jit
    def accumulate(total, part):
        i = cuda.grid(1)
        total[i] += part[i]

    with cuda.graph() as graph:
        accumulate[1, COUNT](x, cuda.device_array(COUNT, np.float32))
    graph.nodes[0].update(x, to_ones())
    for _ in range(5):
        cuda.device_array(COUNT, np.float32)
    graph.launch()
    assert values(x) == 1


def to_ones():
    return cuda.to_device(np.ones(COUNT, np.float32))


# Refused


@pytest.mark.parametrize(
    ("give", "message"),
    [
        (lambda d: add[1, COUNT](np.zeros(COUNT, np.float32)), "arrays of the host"),
        (lambda d: cuda.to_device(np.zeros(COUNT)), "copy of ordinary host memory"),
        (lambda d: d.copy_to_device(np.zeros(COUNT, np.float32)), "copy of ordinary host memory"),
        (lambda d: d.copy_to_host(), "captures"),
    ],
)
def test_work_that_cannot_be_captured_is_refused_and_the_capture_goes_on(x, give, message):
    with cuda.graph() as graph:
        add[1, COUNT](x)
        with pytest.raises(ValueError, match=message):
            give(x)
        add[1, COUNT](x)
    graph.launch()
    assert values(x) == 2


def test_nobody_waits_for_a_graph_that_is_captured(x):
    with cuda.graph() as graph:
        with pytest.raises(ValueError, match="captures"):
            graph.stream.synchronize()
        add[1, COUNT](x)
    graph.launch()
    assert values(x) == 1


def test_work_in_the_default_stream_belongs_to_the_graph(x, y):
    before = cuda.default_stream()
    called = []
    with cuda.graph() as graph:
        add[1, COUNT, before](x)
        raw_add((1,), (COUNT,), (x, 3), stream=cuda.default_stream())
        y.copy_to_device(x, stream=before)
        before.add_callback(lambda *arguments: called.append(arguments[-1]), 7)
        with pytest.raises(ValueError, match="captures"):
            before.synchronize()
    assert (values(x), values(y), called) == (0, 0, [])
    assert [node.kind for node in graph.nodes] == ["kernel", "kernel", "copy", "callback"]
    graph.launch(before)
    before.synchronize()
    assert (values(x), values(y), called) == (4, 4, [7])


def test_the_default_stream_is_equal_to_itself_in_a_graph(x):
    before = cuda.default_stream()
    with cuda.graph():
        add[1, COUNT](x)
        assert cuda.default_stream() == before and hash(cuda.default_stream()) == hash(before)


def test_the_default_stream_cannot_capture(device):
    with (
        pytest.raises(ValueError, match="default stream cannot capture"),
        cuda.graph(cuda.default_stream()),
    ):
        pass


def test_a_graph_is_captured_once(x):
    with cuda.graph() as graph:
        add[1, COUNT](x)
    with pytest.raises(ValueError, match="has been captured"), graph:
        pass
    graph.launch()
    assert values(x) == 1


def test_a_graph_that_is_not_captured_has_no_nodes(device):
    with pytest.raises(ValueError, match="no work yet"):
        _ = cuda.graph().nodes


def test_errors_of_kernels_are_raised_after_the_launch(cpu):
    @cuda.jit(debug=True)
    def fail(x):
        x[cuda.grid(1)] = 1

    x = cuda.device_array(4, np.float32)
    with cuda.graph() as graph:
        fail[1, 8](x)
    graph.launch()
    with pytest.raises(IndexError):
        cuda.synchronize()
