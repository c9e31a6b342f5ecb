"""Captures by other libraries and cuda.graph() on a GPU. The fake driver ends captures as a real driver does."""

import pytest
from test_driver_without_a_gpu import pytestmark, run  # noqa: F401
from test_foreign_arrays_without_a_gpu import cupy
from test_launches_without_a_gpu import launches

captures = """
import heddle
driver.fakeCudaBeginCapture.argtypes = [ctypes.c_uint64, ctypes.c_int]
driver.fakeCudaEndCapture.argtypes = [ctypes.c_uint64, ctypes.POINTER(ctypes.c_uint64)]
driver.fakeCudaRunGraph.argtypes = driver.fakeCudaDestroyGraph.argtypes = [ctypes.c_uint64, ctypes.c_uint64]
driver.fakeCudaMisuse.restype = ctypes.c_size_t
raw = heddle.RawKernel('extern "C" __global__ void raw(float* x, int n) { *x = n; }', "raw")

class Captured:
    # a stream that another library captures; mode: 0 global, 2 relaxed; flags: 1 non-blocking
    def __init__(self, flags=1, mode=0, handle=None):
        self.handle, self.mode = handle or driver.fakeCudaMakeStream(flags), mode
    def __enter__(self):
        assert driver.fakeCudaBeginCapture(self.handle, self.mode) == 0
        return self
    def __exit__(self, *error):
        graph = ctypes.c_uint64()
        self.code = driver.fakeCudaEndCapture(self.handle, ctypes.byref(graph))
        self.graph = graph.value
        if not error[0]:
            print(self.code, driver.fakeCudaMisuse())
    def replay(self):
        before = driver.fakeCudaLaunchCount()
        driver.fakeCudaRunGraph(self.graph, 1)
        return [driver.fakeCudaLaunchAt(ctypes.c_size_t(i))[0].kernel.decode().split("$")[0][:12]
                for i in range(before, driver.fakeCudaLaunchCount())]

"""


@pytest.fixture
def capture(run):  # noqa: F811
    """A function that runs a program after the definitions above and returns the lines it printed."""
    return lambda source: run(launches + captures + source)


# Other libraries


@pytest.mark.parametrize("flags", [0, 1])
@pytest.mark.parametrize("warm", [True, False])
def test_kernels_of_both_languages_are_captured(capture, flags, warm):
    source = f"""
x, y = (cuda.device_array(8, np.float32) for _ in range(2))
c = Captured({flags})
if {warm}:
    shift[1, 8, c.handle](x, y)
    raw((1,), (1,), (x, 1), stream=c.handle)
    cuda.synchronize()
before = driver.fakeCudaLaunchCount()
with c:
    shift[1, 8, c.handle](x, y)
    raw((1,), (1,), (x, 1), stream=c.handle)
print(driver.fakeCudaLaunchCount() - before, len(c.replay()), len(c.replay()))
"""
    assert capture(source) == ["0 0", "0 2 2"]


def test_a_stream_that_has_launched_before_and_launches_after_is_captured(capture):
    source = """
x = compile_both()
c = Captured(1)
shift[1, 8, c.handle](x, x)
for _ in range(2):
    with c:
        before = calls("cuEventRecord"), calls("cuStreamWaitEvent")
        shift[1, 8, c.handle](x, x)
        print(before == (calls("cuEventRecord"), calls("cuStreamWaitEvent")))
    shift[1, 8, c.handle](x, x)
    print(calls("cuEventRecord") > before[0], len(c.replay()))
    cuda.synchronize()
"""
    assert capture(source) == ["True", "0 0", "True 1"] * 2


def test_copies_between_device_arrays_are_captured(capture):
    source = """
x, y = cuda.to_device(np.full(8, 3, np.float32)), cuda.to_device(np.zeros(8, np.float32))
with Captured() as c:
    y.copy_to_device(x, stream=c.handle)
print(y.copy_to_host()[0]); c.replay(); print(y.copy_to_host()[0])
"""
    assert capture(source) == ["0 0", "0.0", "3.0"]


@pytest.mark.parametrize(
    "work",
    [
        "shift[1, 8, c.handle](np.zeros(8, np.float32), x)",
        "cuda.to_device(np.zeros(8, np.float32), stream=c.handle)",
        "x.copy_to_device(np.zeros(8, np.float32), stream=c.handle)",
        "x.copy_to_host(stream=c.handle)",
        "cuda.external_stream(c.handle).synchronize()",
        "cuda.external_stream(c.handle).query()",
    ],
)
@pytest.mark.parametrize("flags", [0, 1])
def test_work_that_cannot_be_captured_is_refused_and_the_capture_goes_on(capture, work, flags):
    source = f"""
x = compile_both()
with Captured({flags}) as c:
    attempt(lambda: {work})
    shift[1, 8, c.handle](x, x)
print(len(c.replay()))
"""
    refusal, *lines = capture(source)
    assert refusal.startswith("ValueError") and "captures" in refusal
    assert [line for line in lines if "hint" not in line] == ["0 0", "1"]


@pytest.mark.parametrize(
    "work",
    ["shift[1, 8](x, x)", "raw((1,), (1,), (x, 1))", "cuda.synchronize()", "x.copy_to_host()"],
)
def test_the_default_stream_is_refused_while_a_blocking_stream_captures(capture, work):
    source = f"""
x = compile_both()
raw((1,), (1,), (x, 1))
with Captured(0) as c:
    attempt(lambda: {work})
"""
    refusal, *lines = capture(source)
    assert refusal.startswith("ValueError") and "captures" in refusal
    assert lines[-1] == "0 0"


def test_the_default_stream_works_while_a_non_blocking_stream_captures(capture):
    source = """
x = compile_both()
with Captured(1):
    shift[1, 8](x, x)
print(driver.fakeCudaLaunchCount())
"""
    assert capture(source) == ["0 0", "1"]


@pytest.mark.parametrize("flags", [0, 1])
def test_memory_is_allocated_during_a_capture(capture, flags):
    source = f"""
x = compile_both()
del x
freed = [cuda.device_array(1 << k, np.float32) for k in range(10)]
del freed
kept = []
with Captured({flags}) as c:
    for k in range(12):
        kept.append(cuda.device_array(1 << k, np.float32))
        kept.append(cuda.device_array(1 << k, np.float32, stream=c.handle))
    cuda.pinned_array(8); cuda.managed_array(8); cuda.event()
"""
    assert capture(source) == ["0 0"]


def test_a_callback_is_called_by_each_replay_and_freed_with_the_graph(capture):
    source = """
import gc, time, weakref
class Callback:
    def __call__(self, stream, status, arg):
        seen.append(arg)
seen, callback = [], Callback()
gone = weakref.ref(callback)
with Captured() as c:
    cuda.external_stream(c.handle).add_callback(callback, 7)
del callback
c.replay(); c.replay()
cuda.synchronize()
print(seen, gone() is not None)
driver.fakeCudaDestroyGraph(c.graph, 0)
for _ in range(200):
    time.sleep(0.01); gc.collect()
    if gone() is None: break
print(gone() is None)
"""
    assert capture(source) == ["0 0", "[7, 7] True", "True"]


def test_memory_of_dlpack_lives_as_long_as_the_graph(capture):
    source = """
import gc, time, weakref
x, y = compile_both(), cuda.device_array(8, np.float32)
class Owner(Producer):
    def __dlpack__(self, **options):
        return self.array.__dlpack__()
gone = weakref.ref(y)
with Captured() as c:
    shift[1, 8, c.handle](x, Owner(y))
del y
c.replay()
cuda.synchronize(); time.sleep(0.1); gc.collect()
print(gone() is not None)
driver.fakeCudaDestroyGraph(c.graph, 0)
for _ in range(200):
    time.sleep(0.01); gc.collect()
    if gone() is None: break
print(gone() is None)
"""
    assert capture(source) == ["0 0", "True", "True"]


# Streams that produce arrays


def test_a_capture_does_not_wait_for_other_streams(run):  # noqa: F811
    source = """
confirm()
current.ptr = driver.fakeCudaMakeStream(1)
with Captured() as c:
    shift[1, 8, c.handle](a, b)
print(calls("cuStreamWaitEvent"), len(c.replay()))
"""
    lines = run(launches + captures + cupy + source)
    assert lines == ["0 0", "0 1"]


@pytest.mark.parametrize("work", ["shift[1, 8](a, b)", "raw((1,), (1,), (a, 1))"])
def test_a_launch_without_a_stream_joins_the_capture_of_its_arrays(run, work):  # noqa: F811
    source = f"""
confirm()
with Captured() as c:
    current.ptr = c.handle
    {work}
print(len(c.replay()))
"""
    assert run(launches + captures + cupy + source) == ["0 0", "1"]


# cuda.graph()


def test_a_graph_launches_its_work_with_one_call(capture):
    source = """
x, y = compile_both(), cuda.device_array(8, np.float32)
with cuda.graph() as graph:
    shift[1, 8](x, y)
    raw((1,), (1,), (x, 1))
    y.copy_to_device(x)
print(driver.fakeCudaLaunchCount(), [node.kind for node in graph.nodes])
driver.fakeCudaReset()
graph.launch()
print(calls("cuGraphLaunch"), calls("cuLaunchKernel"), driver.fakeCudaLaunchCount(), driver.fakeCudaMisuse())
"""
    assert capture(source) == ["0 ['kernel', 'kernel', 'copy']", "1 0 2 0"]


def test_arguments_of_a_kernel_are_updated(capture):
    source = """
x, y, z = compile_both(), *(cuda.device_array(8, np.float32) for _ in range(2))
with cuda.graph() as graph:
    shift[1, 8](x, y)
    raw((1,), (1,), (x, 1))
def launched():
    before = driver.fakeCudaLaunchCount()
    graph.launch()
    found = [driver.fakeCudaLaunchAt(ctypes.c_size_t(i))[0] for i in range(before, driver.fakeCudaLaunchCount())]
    return [[k.arguments[i] for i in range(k.count)] for k in found]
print(launched() == [[x.address, 8, 4, y.address, 8, 4], [x.address, 1]])
graph.nodes[0].update(z[:4], x)
graph.nodes[1].update(y, 5)
print(launched() == [[z.address, 4, 4, x.address, 8, 4], [y.address, 5]])
graph.nodes[1].update(z, 6)
print(launched()[1] == [z.address, 6], driver.fakeCudaMisuse())
"""
    assert capture(source) == ["True", "True", "True 0"]


def test_an_update_refuses_wrong_arguments(capture):
    source = """
x = compile_both()
with cuda.graph() as graph:
    shift[1, 8](x, x)
attempt(lambda: graph.nodes[0].update(x, np.zeros(8, np.float32)))
attempt(lambda: graph.nodes[0].update(x))
graph.launch()
print(driver.fakeCudaLaunchCount(), driver.fakeCudaMisuse())
"""
    lines = capture(source)
    assert lines[0].startswith("ValueError the stream captures") and "TypeError" in lines[2]
    assert lines[-1] == "1 0"


def test_another_stream_joins_and_leaves_the_capture(capture):
    source = """
x, other = compile_both(), cuda.stream()
fork, join = cuda.event(timing=False), cuda.event(timing=False)
with cuda.graph() as graph:
    shift[1, 8](x, x)
    fork.record(graph.stream); fork.wait(other)
    shift[2, 8, other](x, x)
    join.record(other); join.wait(graph.stream)
print([node.grid for node in graph.nodes], driver.fakeCudaLaunchCount())
shift[1, 8, other](x, x)
print(driver.fakeCudaLaunchCount(), driver.fakeCudaMisuse())
"""
    assert capture(source) == ["[(1, 1, 1), (2, 1, 1)] 0", "1 0"]


def test_work_that_is_not_joined_back_ends_the_capture(capture):
    source = """
x, other, fork = compile_both(), cuda.stream(), cuda.event(timing=False)
def give():
    with cuda.graph() as graph:
        fork.record(graph.stream); fork.wait(other)
        shift[2, 8, other](x, x)
attempt(give)
shift[2, 8, other](x, x)
print(driver.fakeCudaLaunchCount())
"""
    refusal, count = capture(source)
    assert "not joined back" in refusal and count == "1"


def test_a_graph_and_what_it_holds_are_freed(capture):
    source = """
import gc, time, weakref
x = compile_both()
class Callback:
    def __call__(self, stream, status, arg): pass
callback = Callback()
gone = weakref.ref(callback)
with cuda.graph() as graph:
    shift[1, 8](x, x)
    graph.stream.add_callback(callback)
graph.nodes[0].update(x, x)
graph.launch()
cuda.synchronize()
del callback, graph
for _ in range(200):
    time.sleep(0.01); gc.collect()
    if gone() is None: break
print(gone() is None, calls("cuGraphDestroy"), calls("cuGraphExecDestroy"), driver.fakeCudaMisuse())
"""
    assert capture(source) == ["True 2 2 0"]


@pytest.mark.parametrize(
    "work",
    ["shift[1, 8](np.zeros(8, np.float32), x)", "cuda.to_device(np.zeros(8))", "x.copy_to_host()"],
)
def test_a_graph_refuses_host_memory(capture, work):
    source = f"""
x = compile_both()
with cuda.graph() as graph:
    attempt(lambda: {work})
    shift[1, 8](x, x)
graph.launch()
print(driver.fakeCudaLaunchCount(), driver.fakeCudaMisuse())
"""
    lines = capture(source)
    assert lines[0].startswith("ValueError the stream captures") and lines[-1] == "1 0"


def test_graphs_of_the_stand_in_of_cupy_run_on_a_gpu(run):  # noqa: F811
    source = """
import heddle.compat.cupy as cp
x, stream = compile_both(), cp.cuda.Stream(non_blocking=True)
stream.begin_capture()
shift[1, 8, stream.ptr](x, x)
graph = stream.end_capture()
graph.launch(stream); graph.launch(stream)
print(driver.fakeCudaLaunchCount())
"""
    assert run(launches + source) == ["2"]


def test_nobody_waits_for_an_event_of_a_capture(capture):
    source = """
x, event = compile_both(), cuda.event()
with cuda.graph() as graph:
    shift[1, 8](x, x)
    event.record(graph.stream)
    attempt(event.query)
    attempt(event.synchronize)
attempt(event.query)
event.record()
print(event.query(), len(graph.nodes), driver.fakeCudaMisuse())
"""
    *refusals, last = capture(source)
    assert len(refusals) == 3 and len(set(refusals)) == 1
    assert "nobody can wait for an event of a capture" in refusals[0]
    assert last == "True 1 0"


# Work that heddle does by itself, as memory and code are freed


freed = """
import gc, time
def make_kernel():
    raw = heddle.RawKernel('extern "C" __global__ void other(float* x, int n) { *x = n + 1; }', "other")
    raw((1,), (1,), (x, 1))
    cuda.synchronize()
    return raw
def wait_until(condition):
    for _ in range(200):
        time.sleep(0.01)
        if condition(): break
    return condition()
x = cuda.device_array(8, np.float32)
"""

makes = {
    "code": ("make_kernel()", "cuModuleUnload"),
    "page-locked": ("cuda.pinned_array(8)", "cuMemFreeHost"),
    "managed": ("cuda.managed_array(8)", "cuMemFree"),
}


@pytest.mark.parametrize("kind", makes)
def test_memory_and_code_freed_during_a_capture_are_freed_at_its_end(capture, kind):
    make, call = makes[kind]
    source = f"""
shift[1, 8](x, x)
garbage = {make}
before = calls("{call}")
with cuda.graph() as graph:
    shift[1, 8](x, x)
    del garbage
    gc.collect()
    time.sleep(0.1)
    print(calls("{call}") - before)
    shift[1, 8](x, x)
print(wait_until(lambda: calls("{call}") > before), len(graph.nodes), driver.fakeCudaMisuse())
"""
    assert capture(freed + source) == ["0", "True 2 0"]


def test_a_capture_begins_after_code_that_is_being_freed(capture):
    source = """
import threading
shift[1, 8](x, x)
garbage = make_kernel()
driver.fakeCudaStall(b"cuCtxSynchronize")  # in which the code was freed
del garbage
gc.collect()
time.sleep(0.1)
threading.Timer(0.2, driver.fakeCudaStall, [None]).start()
with cuda.graph() as graph:
    shift[1, 8](x, x)
    time.sleep(0.4)
    shift[1, 8](x, x)
print(len(graph.nodes), driver.fakeCudaMisuse())
"""
    assert capture(freed + source) == ["2 0"]


@pytest.mark.parametrize("kind", ["page-locked", "managed"])
@pytest.mark.parametrize("flags", [0, 1])
def test_memory_freed_during_a_capture_of_another_library_does_not_end_it(capture, kind, flags):
    make, call = makes[kind]
    source = f"""
garbage, before = {make}, calls("{call}")
with Captured({flags}):
    del garbage
    gc.collect()
    wait_until(lambda: calls("{call}") > before)
"""
    assert capture(freed + source) == ["0 0"]


def test_code_freed_while_a_blocking_stream_captures_waits_for_a_synchronization(capture):
    source = """
garbage = make_kernel()
with Captured(0):
    del garbage
    gc.collect()
    time.sleep(0.1)
    print(calls("cuModuleUnload"))
cuda.synchronize()
print(wait_until(lambda: calls("cuModuleUnload") == 1))
"""
    assert capture(freed + source) == ["0", "0 0", "True"]


@pytest.mark.parametrize("flags", [0, 1])
def test_memory_of_a_stream_freed_during_its_capture_is_no_part_of_the_graph(capture, flags):
    source = f"""
c = Captured({flags})
stream = cuda.external_stream(c.handle)
garbage = stream._native.allocate(64)
with c:
    del garbage
    shift[1, 8, c.handle](x, x)
print(calls("cuMemFreeAsync"), wait_until(lambda: calls("cuMemFree") == 1))
"""
    assert capture("x = compile_both()\n" + freed + source) == ["0 0", "0 True"]


@pytest.mark.parametrize(
    "work",
    [
        "cuda.stream(), heddle.cuda.streams.create_stream(blocking=False)",
        "cuda.event(), cuda.event().query()",
        "shift[1, 8, other](x, x)",
        "other.synchronize(), other.query()",
        "e.synchronize()",
        "graph.launch(other)",
        "graph.nodes[0].update(x, x)",
        "del_(graphs)",
        "del_(streams)",
        "del_(events)",
        "cuda.jit(lambda x: None)[1, 8, other](x)",
        "shift[1, 8, other](np.ones(8, np.float32), x)",
    ],
)
@pytest.mark.parametrize("flags", [0, 1])
def test_work_in_other_streams_does_not_end_a_capture(capture, work, flags):
    source = f"""
x = compile_both()
def del_(kept):
    kept.clear()
    gc.collect()
other = heddle.cuda.streams.create_stream(blocking=False)
def make_graph():
    with cuda.graph() as graph:
        shift[1, 8](x, x)
    return graph
graph, graphs, streams = make_graph(), [make_graph()], [cuda.stream()]
e, events = cuda.event(), [cuda.event()]
e.record(other)
with Captured({flags}):
    {work}
"""
    assert capture("import gc\n" + source) == ["0 0"]


def test_nobody_waits_for_the_device_during_a_capture(capture):
    source = """
x = compile_both()
with cuda.graph() as graph:
    shift[1, 8](x, x)
    attempt(cuda.synchronize)
print(len(graph.nodes), driver.fakeCudaMisuse())
"""
    refusal, last = capture(source)
    assert refusal.startswith("ValueError nobody can wait for the device") and last == "1 0"


@pytest.mark.parametrize("flags", [0, 1])
@pytest.mark.parametrize("warm", [True, False])
def test_code_lives_as_long_as_the_graph_of_another_library(capture, flags, warm):
    source = f"""
kernel, c = make_kernel(), Captured({flags})
if {warm}:
    kernel((1,), (1,), (x, 1), stream=c.handle)
with c:
    kernel((1,), (1,), (x, 1), stream=c.handle)
del kernel
gc.collect(); time.sleep(0.1)
print(calls("cuModuleUnload"), len(c.replay()))
driver.fakeCudaDestroyGraph(c.graph, 0)
print(wait_until(lambda: calls("cuModuleUnload") == 1))
"""
    assert capture(freed + source) == ["0 0", "0 1", "True"]


def test_code_lives_as_long_as_the_graph_without_an_object_of_the_driver(capture):
    source = """
kernel = make_kernel()
with cuda.graph() as graph:
    for _ in range(3):
        kernel((1,), (1,), (x, 1))
del kernel
gc.collect(); time.sleep(0.1)
print(calls("cuUserObjectCreate"), calls("cuModuleUnload"))
del graph
gc.collect()
print(wait_until(lambda: calls("cuModuleUnload") == 1))
"""
    assert capture(freed + source) == ["0 0", "True"]


def test_code_that_is_freed_makes_no_stream_wait_for_another(capture):
    source = """
kernel = make_kernel()
cuda.stream()
driver.fakeCudaHold(True)
before = calls("cuEventRecord"), calls("cuStreamWaitEvent")
del kernel
gc.collect(); time.sleep(0.1)
print(calls("cuModuleUnload"), before == (calls("cuEventRecord"), calls("cuStreamWaitEvent")))
driver.fakeCudaHold(False)
print(wait_until(lambda: calls("cuModuleUnload") == 1))
"""
    assert capture(freed + source) == ["0 True", "True"]
