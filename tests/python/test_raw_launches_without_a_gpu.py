"""RawKernel launches on a GPU: their arguments and shapes. Driver calls of launches, copies and graphs.

A fake driver records the calls. It copies memory, but runs no kernels.
"""

import pytest
from test_driver_without_a_gpu import pytestmark, run  # noqa: F401
from test_launches_without_a_gpu import launches

kernels = r"""
import heddle
driver.fakeCudaMisuse.restype = ctypes.c_size_t

def kernel_of(parameters):
    return heddle.RawKernel('extern "C" __global__ void k(' + parameters + ") {}", "k")

def passed(parameters, *values):
    kernel_of(parameters)((1,), (1,), values)
    return arguments()

x, y = cuda.device_array(8, np.float32), cuda.device_array((4, 4), np.int32)
"""


@pytest.fixture
def launch(run):  # noqa: F811
    """A function that runs a program after the definitions above and returns the lines it printed."""
    return lambda source, **environment: run(launches + kernels + source, **environment)


# Arguments


def test_arrays_are_passed_by_address(launch):
    source = "print(passed('float* a, const int* b', x, y) == [x.device_pointer, y.device_pointer])"
    assert launch(source) == ["True"]


@pytest.mark.parametrize(
    ("parameter", "value", "expected"),
    [
        ("int a", "-5", 2**32 - 5),
        ("int a", "np.int32(-5)", 2**32 - 5),
        ("int a", "np.uint8(200)", 200),
        ("int a", "np.int64(7)", 7),
        ("int a", "True", 1),
        ("int a", "3.0", 3),
        ("unsigned a", "2**32 - 1", 2**32 - 1),
        ("unsigned long long a", "2**64 - 1", 2**64 - 1),
        ("unsigned long long a", "np.uint64(2**64 - 1)", 2**64 - 1),
        ("bool a", "5", 1),
        ("double a", "1.5", 0x3FF8000000000000),
        ("double a", "np.float32(1.5)", 0x3FF8000000000000),
        ("double a", "3", 0x4008000000000000),
        ("float a", "1.5", 0x3FC00000),
        ("float a", "np.float64(1.5)", 0x3FC00000),
        ("float a", "np.float16(1.5)", 0x3FC00000),
        ("float a", "np.int8(3)", 0x40400000),
    ],
)
def test_numbers_are_converted_to_the_type_of_the_parameter(launch, parameter, value, expected):
    assert launch(f"print(passed({parameter!r}, {value}))") == [f"[{expected}]"]


@pytest.mark.parametrize(
    ("parameter", "value", "error"),
    [
        ("int a", "2**31", "OverflowError kernel k: parameter 1 (a) is 'int'"),
        ("int a", "np.int64(2**31)", "OverflowError kernel k: parameter 1 (a) is 'int'"),
        ("unsigned a", "-1", "OverflowError kernel k: parameter 1 (a) is 'unsigned int'"),
        ("unsigned a", "np.int8(-1)", "OverflowError kernel k: parameter 1 (a) is 'unsigned int'"),
        ("int a", "1.5", "TypeError kernel k: parameter 1 (a) is 'int'"),
        ("int a", "1j", "TypeError kernel k: parameter 1 (a) is 'int'"),
        ("float a", "1j", "TypeError kernel k: parameter 1 (a) is 'float'"),
        ("int a", "x", "TypeError kernel k: parameter 1 (a) is 'int'"),
        ("int* a", "x", "TypeError kernel k: parameter 1 (a) is 'int *'"),
        ("float* a", "np.zeros(8, 'f')", "TypeError kernel k: parameter 1 (a) is 'float *'"),
        ("int* a", "y[:, ::2]", "ValueError kernel k: parameter 1 (a) is 'int *'"),
        ("int a, int b", "1", "TypeError kernel k has 2 parameters, 1 argument"),
    ],
)
def test_values_that_do_not_match_are_refused(launch, parameter, value, error):
    source = f"attempt(lambda: passed({parameter!r}, {value}))\nprint(driver.fakeCudaLaunchCount())"
    lines = launch(source)
    assert lines[0].startswith(error) and lines[-1] == "0"


def test_a_structure_with_an_array_is_one_parameter(launch):
    source = """
value = np.zeros((), np.dtype([("items", "i8", 9), ("last", "i4")], align=True))
value["items"] = 11
kernel = heddle.RawKernel('''
struct Table { long long items[9]; int last; };
extern "C" __global__ void k(float* x, Table t, int n, double y) { x[n] = t.items[n] + y; }''', "k")
kernel((1,), (1,), (x, value[()], 7, 1.5))
print(arguments() == [x.device_pointer, 11, 7, 0x3FF8000000000000])
"""
    assert launch(source) == ["True"]


def test_an_array_of_another_gpu_is_refused(launch):
    source = """
with cuda.gpus[1]:
    far = cuda.device_array(8, np.float32)
kernel = kernel_of("float* a")
kernel((1,), (1,), (x,))
attempt(lambda: kernel((1,), (1,), (far,)))
print(driver.fakeCudaLaunchCount())
"""
    assert launch(source)[-1] in ("1", "2")


# Shapes


def test_each_launch_has_its_shape(launch):
    source = """
kernel, one, two = kernel_of("float* a"), (1,), (2, 3)
def show(): print(*last().grid, *last().block)
for grid, block in ((one, two), (one, two), (two, one), (5, 7), (5, 7), (5, one), (5, 7)):
    kernel(grid, block, (x,)); show()
"""
    assert launch(source) == [
        *["1 1 1 2 3 1"] * 2,
        "2 3 1 1 1 1",
        *["5 1 1 7 1 1"] * 2,
        "5 1 1 1 1 1",
        "5 1 1 7 1 1",
    ]


def test_a_list_is_read_at_each_launch(launch):
    source = """
kernel, grid = kernel_of("float* a"), [1]
for blocks in 1, 2, 3:
    grid[0] = blocks
    kernel(grid, (8,), (x,))
    print(last().grid[0])
"""
    assert launch(source) == ["1", "2", "3"]


def test_shared_memory_and_streams_belong_to_their_launch(launch):
    source = """
kernel, grid, block, stream = kernel_of("float* a"), (4,), (8,), cuda.stream()
def show(): print(*last().grid, last().shared, (last().stream or 0) == int(stream.handle))
kernel(grid, block, (x,)); show()
kernel(grid, block, (x,), shared_mem=64); show()
kernel(grid, block, (x,), stream=stream); show()
kernel(grid, block, (x,), shared_mem=32, stream=stream); show()
kernel(grid, block, (x,)); show()
"""
    assert launch(source) == [
        "4 1 1 0 False",
        "4 1 1 64 False",
        "4 1 1 0 True",
        "4 1 1 32 True",
        "4 1 1 0 False",
    ]


def test_a_shape_that_was_refused_is_refused_again(launch):
    source = """
kernel, grid, block = kernel_of("float* a"), (1,), (4096,)
for _ in range(2):
    attempt(lambda: kernel(grid, block, (x,)))
print(driver.fakeCudaLaunchCount())
"""
    lines = launch(source)
    assert sum("takes at most 1024 threads" in line for line in lines) == 2
    assert lines[-1] == "0"


def test_a_kernel_changes_devices_with_the_same_shape(launch):
    source = """
kernel, grid, block = kernel_of("float* a"), (2,), (8,)
with cuda.gpus[1]:
    far = cuda.device_array(8, np.float32)
for _ in range(2):
    kernel(grid, block, (x,))
    first = arguments() == [x.device_pointer]
    with cuda.gpus[1]:
        kernel(grid, block, (far,))
        print(first, arguments() == [far.device_pointer], last().grid[0], last().block[0])
print(driver.fakeCudaMisuse())
"""
    assert launch(source) == ["True True 2 8"] * 2 + ["0"]


def test_python_kernels_have_the_shape_in_their_brackets(launch):
    source = """
compile_both()
a, b = cuda.device_array(8, np.float32), cuda.device_array(8, np.float32)
one, two, stream = (1,), (2, 3), cuda.stream()
def show(): print(*last().grid, *last().block, last().shared)
shift[one, two](a, b); show()
shift[one, two](a, b); show()
shift[two, one](a, b); show()
shift[one, two, stream](a, b); show()
shift[one, two, 0, 16](a, b); show()
shift[[4], 8](a, b); show()
"""
    assert launch(source) == [
        *["1 1 1 2 3 1 0"] * 2,
        "2 3 1 1 1 1 0",
        "1 1 1 2 3 1 0",
        "1 1 1 2 3 1 16",
        "4 1 1 8 1 1 0",
    ]


# Driver calls


def test_a_launch_makes_few_driver_calls(launch):
    source = """
kernel = kernel_of("float* a, int n")
kernel((1,), (8,), (x, 8))
names = "cuLaunchKernel", "cuCtxSetCurrent", "cuStreamIsCapturing", "cuLaunchHostFunc"
before = [calls(name) for name in names]
kernel((1,), (8,), (x, 8))
print([calls(name) - count for name, count in zip(names, before)])
"""
    assert launch(source) == ["[1, 0, 1, 0]"]


@pytest.mark.parametrize("stream", ["0", "cuda.stream()"])
@pytest.mark.parametrize(
    "work",
    [
        "a.copy_to_device(b, stream=s)",
        "a[:8].copy_to_device(b[8:], stream=s)",
        "a[:] = 0",
        "cuda.current_context().memalloc(64).memset(1, stream=s)",
    ],
)
def test_copies_and_fills_of_device_memory_enqueue_no_callbacks(launch, work, stream):
    source = f"""
a, b, s = cuda.device_array(16, np.uint8), cuda.to_device(np.arange(16, dtype=np.uint8)), {stream}
{work}
cuda.synchronize()
print(calls("cuLaunchHostFunc"), driver.fakeCudaMisuse())
"""
    assert launch(source) == ["0 0"]


@pytest.mark.parametrize(
    ("target", "source"),
    [
        ("cuda.device_array(6)", "cuda.to_device(np.arange(6.0))"),
        ("cuda.device_array((2, 3))", "cuda.to_device(np.arange(6.0).reshape(2, 3))"),
        (
            "cuda.device_array((2, 3), order='F')",
            "cuda.to_device(np.asfortranarray(np.arange(6.0).reshape(2, 3)))",
        ),
        ("cuda.device_array(8)[1:7]", "cuda.to_device(np.arange(9.0))[3:]"),
        ("cuda.device_array(3, 'M8[s]')", "cuda.to_device(np.arange(3).view('M8[s]'))"),
        ("cuda.device_array((2, 3))[:, 0:0]", "cuda.device_array((2, 0))"),
    ],
)
def test_equal_layouts_are_copied_by_the_driver(launch, target, source):
    program = f"""
target, source = {target}, {source}
driver.fakeCudaReset()
target.copy_to_device(source)
print(calls("cuMemcpyAsync"), calls("cuLaunchKernel"), calls("cuLaunchHostFunc"))
print(np.array_equal(target.copy_to_host(), source.copy_to_host()), driver.fakeCudaMisuse())
"""
    copies = 0 if "0:0" in target else 1
    assert launch(program) == [f"{copies} 0 0", "True 0"]


@pytest.mark.parametrize(
    ("target", "source", "error"),
    [
        ("cuda.device_array(6)", "cuda.device_array(6, 'f4')", "TypeError incompatible dtype"),
        ("cuda.device_array(6)", "cuda.device_array(7)", "ValueError incompatible shape"),
        (
            "cuda.device_array(2, np.dtype([('a', 'i4')]))",
            "cuda.device_array(2, np.dtype([('b', 'f4')]))",
            "TypeError incompatible dtype",
        ),
        ("cuda.as_cuda_array(Interface(x, data=(x.device_pointer, True)))", "x", "ValueError"),
    ],
)
def test_copies_between_arrays_that_do_not_match_are_refused(launch, target, source, error):
    program = f"""
driver.fakeCudaReset()
attempt(lambda: {target}.copy_to_device({source}))
print(calls("cuMemcpyAsync"))
"""
    found, copies = launch(program)
    assert found.startswith(error) and copies == "0"


def test_a_copy_keeps_memory_of_other_libraries_until_it_is_done(launch):
    source = """
import gc, weakref
theirs = cuda.to_device(np.arange(8.0))
other = Interface(theirs)
gone, ours = weakref.ref(other), cuda.as_cuda_array(other)
target = cuda.device_array(8)
driver.fakeCudaHold(True)
target.copy_to_device(ours)
del other, ours; gc.collect()
print(gone() is None, calls("cuLaunchHostFunc"))
driver.fakeCudaHold(False)
"""
    assert launch(source) == ["False 1"]


def test_memory_of_a_copy_is_kept_where_the_device_does_not_order_its_end(launch):
    source = """
import gc, weakref
a, s = cuda.device_array(16, np.float64), cuda.stream()
pinned = cuda.pinned_array(16)
gone = weakref.ref(pinned)
driver.fakeCudaHold(True)
a.copy_to_device(pinned, stream=s)
del pinned; gc.collect()
print(gone() is None, calls("cuLaunchHostFunc"))
driver.fakeCudaHold(False)
"""
    assert launch(source) == ["False 1"]


def test_memory_in_stream_order_is_freed_after_the_work_of_its_stream_only(launch):
    source = """
one, two = (cuda.stream().__heddle_stream__ for _ in range(2))
with cuda.gpus[1]:
    far = cuda.stream().__heddle_stream__
in_order, device = one.allocate(64), x.owner
pinned = x.device.allocate(64, "pinned")
for memory in in_order, device, pinned:
    print([memory.is_freed_after_work_of(stream) for stream in (one, two, far)])
"""
    assert launch(source) == [
        "[True, False, False]",
        "[True, True, False]",
        "[False, False, False]",
    ]


def test_a_graph_keeps_the_memory_of_its_copies(launch):
    source = """
import gc
a, b = cuda.device_array(1 << 16), cuda.device_array(1 << 16)
with cuda.graph() as graph:
    a.copy_to_device(b)
addresses = {a.device_pointer, b.device_pointer}
del a, b; gc.collect()
others = [cuda.device_array(1 << 16) for _ in range(4)]
print(addresses.isdisjoint(other.device_pointer for other in others))
graph.launch()
print(driver.fakeCudaMisuse())
"""
    assert launch(source) == ["True", "0"]


# Launches of graphs


@pytest.mark.parametrize("argument", ["", "0", "None", "stream=0", "cuda.default_stream()"])
def test_a_graph_is_launched_in_the_default_stream(launch, argument):
    assert launch(graph_launches.format(argument)) == ["True 1", "True 2"]


@pytest.mark.parametrize("argument", ["s", "stream=s", "int(s.handle)"])
def test_a_graph_is_launched_in_the_stream_of_the_call(launch, argument):
    assert launch(graph_launches.format(argument)) == ["False 0", "True 1"]


# A capturing stream refuses the launch of a graph.
graph_launches = """
compile_both()
a = cuda.device_array(8, np.float32)
with cuda.graph() as graph:
    shift[1, 8](a, a)
s = cuda.external_stream(driver.fakeCudaMakeStream(1))
driver.fakeCudaBeginCapture.argtypes = [ctypes.c_uint64, ctypes.c_int]
driver.fakeCudaEndCapture.argtypes = [ctypes.c_uint64, ctypes.POINTER(ctypes.c_uint64)]
driver.fakeCudaBeginCapture(int(s.handle), 2)
def launch():
    try:
        graph.launch({0})
    except ValueError as error:
        return "cannot capture" not in str(error)
    return True
print(launch(), calls("cuGraphLaunch"))
driver.fakeCudaEndCapture(int(s.handle), ctypes.byref(ctypes.c_uint64()))
print(launch(), calls("cuGraphLaunch"))
"""


@pytest.mark.parametrize(
    "call", ["graph.launch(0, 1)", "graph.launch(other=1)", "graph.launch('a')"]
)
def test_wrong_arguments_of_graph_launches_are_refused(launch, call):
    source = f"""
compile_both()
a = cuda.device_array(8, np.float32)
with cuda.graph() as graph:
    shift[1, 8](a, a)
attempt(lambda: {call})
print(calls("cuGraphLaunch"))
"""
    error, count = launch(source)
    assert error.startswith("TypeError") and count == "0"


def test_a_launch_of_a_graph_makes_few_driver_calls(launch):
    source = """
compile_both()
a = cuda.device_array(8, np.float32)
with cuda.graph() as graph:
    shift[1, 8](a, a)
graph.launch()
names = "cuGraphLaunch", "cuCtxSetCurrent", "cuStreamIsCapturing", "cuLaunchHostFunc"
before = [calls(name) for name in names]
graph.launch()
print([calls(name) - count for name, count in zip(names, before)])
"""
    assert launch(source) == ["[1, 0, 1, 0]"]
