"""How a launch on a GPU passes its arguments and its stream, recorded by a fake driver that runs nothing."""

import pytest
from test_driver_without_a_gpu import prelude, pytestmark, run  # noqa: F401

launches = """
class Launch(ctypes.Structure):
    _fields_ = [
        ("kernel", ctypes.c_char_p), ("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint * 3),
        ("shared", ctypes.c_uint), ("stream", ctypes.c_void_p), ("cooperative", ctypes.c_bool),
        ("count", ctypes.c_size_t), ("arguments", ctypes.POINTER(ctypes.c_uint64)),
    ]

driver.fakeCudaLaunchAt.restype = ctypes.POINTER(Launch)
driver.fakeCudaLaunchCount.restype = ctypes.c_size_t
driver.fakeCudaMakeStream.restype = ctypes.c_uint64

def last():
    return driver.fakeCudaLaunchAt(ctypes.c_size_t(driver.fakeCudaLaunchCount() - 1))[0]

def arguments():
    launch = last()
    return [launch.arguments[i] for i in range(launch.count)]

def copies():
    return calls("cuMemcpyHtoDAsync"), calls("cuMemcpyDtoHAsync")

def attempt(work):
    try:
        work()
    except Exception as error:
        print(type(error).__name__, error)

@cuda.jit
def shift(x, y):
    i = cuda.grid(1)
    if i < x.shape[0]:
        x[i] = y[i]

def compile_both():
    d = cuda.device_array(8, np.float32)
    shift[1, 8](d, cuda.device_array(8, np.float32))
    driver.fakeCudaReset()
    return d

"""


@pytest.fixture
def launch(run):  # noqa: F811
    """A function that runs a program after the definitions above and returns the lines it printed."""
    return lambda source, **environment: run(launches + source, **environment)


# Host arrays


@pytest.mark.parametrize(
    ("x", "y", "expected"),
    [
        ("x", "y", "2 1"),
        ("cuda.Out(x)", "y", "1 1"),
        ("cuda.In(x)", "cuda.In(y)", "2 0"),
        ("cuda.InOut(x)", "cuda.Out(y)", "1 1"),
        ("x", "cuda.to_device(y)", "1 1"),
        ("cuda.mapped_array(8, np.float32)", "cuda.managed_array(8, np.float32)", "0 0"),
        ("np.zeros(0, np.float32)", "np.zeros(0, np.float32)", "0 0"),
    ],
)
def test_host_arrays_are_copied_in_and_those_written_are_copied_back(launch, x, y, expected):
    source = "x, y = np.ones((2, 8), np.float32)\ncompile_both()\n"
    source += f"a, b = {x}, {y}\ndriver.fakeCudaReset()\nshift[1, 8](a, b)\nprint(*copies())"
    assert launch(source) == [expected]


@pytest.mark.parametrize(
    "make",
    [
        "np.arange(24.0).reshape(4, 6)",
        "np.asfortranarray(np.arange(24.0).reshape(4, 6))",
        "np.arange(48.0).reshape(4, 12)[:, ::2]",
        "np.arange(24.0).reshape(4, 6)[::-1, ::-1]",
        "np.arange(24.0).reshape(4, 6).T[1:]",
        "np.zeros(8 * 25, np.uint8)[1:-7].view(np.float64).reshape(4, 6)",
        "np.array(3.0)",
    ],
)
def test_an_array_of_any_layout_goes_to_the_device_and_comes_back(launch, make):
    index = "()" if make == "np.array(3.0)" else "0, 0"
    source = f"""
@cuda.jit
def touch(x, never):
    if never:
        x[{index}] = 0

x = {make}
before = x.copy()
touch[1, 1](x, False)
print(np.array_equal(x, before), copies())
"""
    assert launch(source) == ["True (1, 1)"]


def test_an_array_in_a_tuple_is_copied_too(launch):
    source = """
@cuda.jit
def fill(pair):
    pair[0][0] = pair[1][0]
x = np.ones(4)
fill[1, 1]((x, x))
print(*copies())
a, b = arguments()[0], arguments()[3]
print(a != b, a != x.ctypes.data)
"""
    assert launch(source) == ["2 2", "True True"]


def test_the_memory_of_copies_is_freed(launch):
    source = """
x = np.ones(1000)
add[1, 8](x, x)
driver.fakeCudaAllocations.restype = ctypes.c_size_t
before = driver.fakeCudaAllocations()
for _ in range(50):
    add[1, 8](x, x)
cuda.synchronize()
print(driver.fakeCudaAllocations() - before)
"""
    (grown,) = launch(source)
    assert int(grown) <= 2


def test_a_read_only_array_is_not_copied_back(launch):
    source = "x, y = np.ones(8), np.ones(8)\ny.flags.writeable = False\nshift[1, 8](x, y)\nprint(*copies())"
    assert launch(source) == ["2 1"]


# Device arrays


def test_a_launch_with_device_arrays_asks_the_driver_for_nothing_else(launch):
    source = "x, y = compile_both(), cuda.device_array(8, np.float32)\n"
    source += "shift[1, 8](x, y); driver.fakeCudaReset()\nshift[4, 8](x, y)\n"
    source += "names = 'cuMemcpyHtoDAsync cuEventRecord cuLaunchHostFunc cuStreamSynchronize cuMemAllocAsync'\n"
    source += "print(*map(calls, names.split()), calls('cuLaunchKernel'), list(last().grid), list(last().block))\n"
    source += "print(arguments() == [x.address, 8, 4, y.address, 8, 4])"
    assert launch(source) == ["0 0 0 0 0 1 [4, 1, 1] [8, 1, 1]", "True"]


def test_the_properties_of_arrays_are_looked_at_in_every_launch(launch):
    source = """
d = cuda.device_array(64, np.float32)
kernel = cuda.jit(shift.py_func)
for x, y in [(d[:8], d[8:16]), (d[1:9], d[16:24]), (d[:8], d[4:12]), (d[:16:2], d[16:32:2]), (d[16:24], d[24:32])]:
    kernel[1, 8](x, y)
    print(len(kernel.variants()), arguments()[0] == x.address)
ir = [variant.simt_ir for variant in kernel.variants()]
x = [text[: text.index(' %x,')] for text in ir]
print([('noalias' in text, 'align 16' in before, 'readonly' in text) for text, before in zip(ir, x)])
"""
    assert launch(source) == [
        "1 True",
        "2 True",
        "3 True",
        "4 True",
        "4 True",
        "[(True, True, True), (True, False, True), (False, True, True), (True, True, True)]",
    ]


def test_an_array_of_another_gpu_is_refused_with_both_names(launch):
    source = "with cuda.gpus[1]:\n    d = cuda.device_array(8)\nattempt(lambda: add[1, 1](d, d))"
    (line,) = launch(source)
    assert line.startswith("ArgumentError argument 1 (x) of add() is a value of type")
    assert "another device" in line and "to_device" in line


def test_an_array_of_a_gpu_is_refused_by_the_cpu_device(launch):
    source = "d = cuda.device_array(8)\nwith cuda.current_context('cpu'):\n    attempt(lambda: add[1, 1](d, d))"
    (line,) = launch(source)
    assert "another device" in line


# Other libraries' arrays


def test_an_array_interface_is_taken_in_place(launch):
    source = """
x, y = compile_both(), cuda.device_array((8, 2), np.float32)
shift[1, 8](Interface(x), Interface(y, shape=(8,), strides=(8,), stream=None))
print(copies(), arguments() == [x.address, 8, 4, y.address, 8, 8])
"""
    assert launch(source) == ["(0, 0) True"]


@pytest.mark.parametrize(
    ("stream", "environment", "waits"),
    [
        ("None", {}, "0"),
        ("1", {}, "0"),
        ("2", {}, "1"),
        ("driver.fakeCudaMakeStream(1)", {}, "1"),
        ("driver.fakeCudaMakeStream(1)", {"NUMBA_CUDA_ARRAY_INTERFACE_SYNC": "0"}, "0"),
    ],
)
def test_a_launch_waits_for_the_stream_of_an_array_interface(launch, stream, environment, waits):
    source = f"x = compile_both()\ny = Interface(x, stream={stream})\nshift[1, 8](y, y)\n"
    source += "print(calls('cuStreamWaitEvent'))"
    assert launch(source, **environment) == [waits]


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ("mask=1", "masked array"),
        ("stream=0", "stream 0"),
        ("typestr='<f6'", "no type for elements of dtype <f6"),
        ("shape=(-1,)", "negative extent"),
        ("strides=(4, 4)", "1 extents and 2 strides"),
        ("data=5", "lacks shape, typestr or data"),
    ],
)
def test_an_array_interface_that_kernels_cannot_use_is_refused(launch, changes, text):
    source = f"x = compile_both()\nattempt(lambda: shift[1, 8](x, Interface(x, {changes})))"
    (line,) = launch(source)
    assert (
        line.startswith("ArgumentError argument 2 (y) of shift() is a value of type")
        and text in line
    )


def test_what_an_array_interface_raises_is_raised(launch):
    source = """
class Broken:
    @property
    def __cuda_array_interface__(self):
        raise RuntimeError("no interface today")
attempt(lambda: add[1, 1](Broken(), 1))
"""
    assert launch(source) == ["RuntimeError no interface today"]


def test_dlpack_is_taken_in_place(launch):
    source = """
x, y = compile_both(), cuda.device_array((8, 2), np.float32)
shift[1, 8](Producer(x), Producer(y[:, 1]))
print(copies(), arguments() == [x.address, 8, 4, y.address + 4, 8, 8])
with cuda.gpus[1]:
    attempt(lambda: shift[1, 8](Producer(x), Producer(x)))
"""
    first, second = launch(source)
    assert first == "(0, 0) True"
    assert "it lives on cuda:0, and the kernel runs on cuda:1" in second


def test_dlpack_orders_a_launch_after_an_array_interface_without_a_stream(launch):
    source = """
class Immutable(Producer):
    def __dlpack__(self, **options):
        print(options["stream"])
        return super().__dlpack__(**options)
    @property
    def __cuda_array_interface__(self):
        described = dict(self.array.__cuda_array_interface__)
        del described["stream"]
        return {**described, "version": 2, "data": (described["data"][0], True)}

x, own = compile_both(), cuda.stream()
shift[1, 8](x, Immutable(x))
shift[1, 8, own](x, Immutable(x))
print(own._native.native_handle, arguments()[3] == x.address)
attempt(lambda: shift[1, 8](Immutable(x), x))
"""
    first, second, facts, *refusal = launch(source)
    assert first == "1" and facts == f"{second} True"
    assert refusal[0] == "1" and "read-only" in "".join(refusal)


exchange = """
class Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p), ("type", ctypes.c_int32), ("index", ctypes.c_int32),
        ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("offset", ctypes.c_uint64),
    ]

View = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(Tensor))
Current = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int32, ctypes.c_int32, ctypes.POINTER(ctypes.c_void_p))

class Api(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("previous", ctypes.c_void_p),
        ("unused", ctypes.c_void_p * 3), ("view", View), ("current", Current),
    ]

work_stream = 0

@View
def view(array, out):
    t = array.tensor
    ctypes.memmove(out, ctypes.byref(t), ctypes.sizeof(t))
    return 0

@Current
def current(kind, index, out):
    out[0] = work_stream
    return 0

api = Api(1, 3, None, (ctypes.c_void_p * 3)(), view, current)
capsule = ctypes.pythonapi.PyCapsule_New
capsule.restype, capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]

class Fast:
    __dlpack_c_exchange_api__ = capsule(ctypes.addressof(api), b"dlpack_exchange_api", None)
    requires_grad = False

    def __init__(self, array, index=0, kind=2, code=2, bits=32):
        self.array = array
        self.shape_ = (ctypes.c_int64 * array.ndim)(*array.shape)
        self.strides_ = (ctypes.c_int64 * array.ndim)(*(s // 4 for s in array.strides))
        self.tensor = Tensor(array.address, kind, index, array.ndim, code, bits, 1, self.shape_, self.strides_, 0)

"""


def test_the_c_functions_of_dlpack_are_called(launch):
    source = """
x, y = compile_both(), cuda.device_array((8, 2), np.float32)
shift[1, 8](Fast(x), Fast(y[:, 1]))
print(copies(), arguments() == [x.address, 8, 4, y.address + 4, 8, 8], calls('cuStreamWaitEvent'))
work_stream = driver.fakeCudaMakeStream(1)
shift[1, 8](Fast(x), Fast(x))
print(calls('cuStreamWaitEvent'))
attempt(lambda: shift[1, 8](x, Fast(x, index=1)))
attempt(lambda: shift[1, 8](x, Fast(x, code=4, bits=8)))
attempt(lambda: shift[1, 8](x, Fast(x, kind=10)))
"""
    lines = launch(exchange + source)
    assert lines[:2] == ["(0, 0) True 0", "1"]
    assert "it lives on cuda:1, and the kernel runs on cuda:0" in lines[2]
    assert "no type for elements of dtype bfloat8" in lines[3]
    assert "no NVIDIA GPU" in lines[4]


@pytest.mark.parametrize("api", ["__dlpack_c_exchange_api__ = Fast.__dlpack_c_exchange_api__", ""])
def test_a_tensor_of_torch_is_taken_by_its_class(launch, api):
    source = f"""
import sys, types
torch = types.ModuleType("torch")
torch._C = types.ModuleType("torch._C")
torch._C._cuda_getCurrentRawStream = lambda index: work_stream

class TorchTensor(Fast):
    __dlpack_c_exchange_api__ = None
    {api}
    dtype = "torch.float32"
    shape = property(lambda self: self.array.shape)
    device = property(lambda self: types.SimpleNamespace(type="cuda", index=self.tensor.index))
    def data_ptr(self):
        return self.array.address
    def stride(self):
        return tuple(s // 4 for s in self.array.strides)

torch.Tensor = TorchTensor
sys.modules["torch"], sys.modules["torch._C"] = torch, torch._C

x, y = compile_both(), cuda.device_array((8, 2), np.float32)
shift[1, 8](TorchTensor(x), TorchTensor(y[:, 1]))
print(copies(), arguments() == [x.address, 8, 4, y.address + 4, 8, 8], calls('cuStreamWaitEvent'))
work_stream = driver.fakeCudaMakeStream(1)
shift[1, 8](TorchTensor(x), TorchTensor(x))
print(calls('cuStreamWaitEvent'))
attempt(lambda: shift[1, 8](x, TorchTensor(x, index=1)))
class Parameter(TorchTensor):
    requires_grad = True
attempt(lambda: shift[1, 8](x, Parameter(x)))
"""
    lines = launch(exchange + source)
    assert lines[:2] == ["(0, 0) True 0", "1"]
    assert "it lives on cuda:1, and the kernel runs on cuda:0" in lines[2]
    assert "requires grad" in lines[3] and "detach()" in lines[3]


def test_an_array_of_cupy_is_taken_by_its_class(launch):
    source = """
import sys, types
cupy = types.ModuleType("cupy")
cupy.cuda = types.ModuleType("cupy.cuda")
current = types.SimpleNamespace(ptr=0)
cupy.cuda.get_current_stream = lambda: current

class ndarray:
    def __init__(self, array, device_id=0):
        self.data = types.SimpleNamespace(ptr=array.address, device_id=device_id)
        self.shape, self.strides, self.dtype = array.shape, array.strides, array.dtype

cupy.ndarray = ndarray
sys.modules["cupy"], sys.modules["cupy.cuda"] = cupy, cupy.cuda

x, y = compile_both(), cuda.device_array((8, 2), np.float32)
shift[1, 8](ndarray(x), ndarray(y[:, 1]))
print(copies(), arguments() == [x.address, 8, 4, y.address + 4, 8, 8], calls('cuStreamWaitEvent'))
current.ptr = driver.fakeCudaMakeStream(1)
shift[1, 8](ndarray(x), ndarray(x))
print(calls('cuStreamWaitEvent'))
attempt(lambda: shift[1, 8](x, ndarray(x, device_id=1)))
"""
    lines = launch(source)
    assert lines[:2] == ["(0, 0) True 0", "1"]
    assert "it lives on cuda:1, and the kernel runs on cuda:0" in lines[2]


# Streams


@pytest.mark.parametrize(
    ("stream", "expected"),
    [
        ("0", "1"),
        ("1", "1"),
        ("2", "2"),
        ("own", "own._native.native_handle"),
        ("handle", "handle"),
        ("types.SimpleNamespace(__cuda_stream__=lambda: (0, handle))", "handle"),
        ("types.SimpleNamespace(__cuda_stream__=(0, handle))", "handle"),
        ("types.SimpleNamespace(cuda_stream=handle)", "handle"),
        ("Stream(handle)", "handle"),
    ],
)
def test_a_launch_goes_to_the_stream_that_it_names(launch, stream, expected):
    source = f"""
import types
class Stream:
    def __init__(self, ptr):
        self.ptr, self.device_id = ptr, 0
own, handle = cuda.stream(), driver.fakeCudaMakeStream(0)
x = compile_both()
shift[1, 8, {stream}](x, x)
print((last().stream or 1) == {expected})
"""
    assert launch(source) == ["True"]


def test_a_stream_of_another_gpu_takes_the_launch_there(launch):
    source = """
import types
with cuda.gpus[1]:
    own, handle, d = cuda.stream(), driver.fakeCudaMakeStream(0), cuda.device_array(8)
add[1, 8, own](d, d)
print(last().stream == own._native.native_handle)
add[1, 8, types.SimpleNamespace(cuda_stream=handle, device_index=1)](d, d)
print(last().stream == handle)
"""
    assert launch(source) == ["True", "True"]


def test_host_arrays_are_refused_while_another_library_captures_the_stream(launch):
    source = "compile_both()\nx = np.ones(8, np.float32)\ndriver.fakeCudaCapture(True)\n"
    source += "attempt(lambda: shift[1, 8](x, x))\nprint(driver.fakeCudaLaunchCount())"
    refusal, _, count = launch(source)
    assert refusal.startswith("ValueError the stream captures") and count == "0"


# Errors


def test_an_error_of_the_driver_has_its_code(launch):
    source = """
from heddle.errors import CudaAPIError
x = compile_both()
shift[1, 8](x, x)
fail("cuLaunchKernel", 1)
try:
    shift[1, 8](x, x)
except CudaAPIError as error:
    print(error.code, "cuLaunchKernel" in error.msg, "CUDA_ERROR_INVALID_VALUE" in str(error))
"""
    assert launch(source) == ["1 True True"]


def test_options_reach_the_ptx(launch):
    source = """
kernel = cuda.jit(shift.py_func, max_registers=40, launch_bounds=(128, 2), lineinfo=True)
x = compile_both()
kernel[1, 8](x, x)
(ptx,) = kernel.inspect_asm().values()
print(".maxntid 128" in ptx, ".minnctapersm 2" in ptx, ".maxnreg 40" in ptx, ".loc" in ptx)
attempt(lambda: kernel[1, 256](x, x))
print(kernel.variants()[0].max_cooperative_grid_blocks((8, 4)) > 0, sorted(kernel.get_const_mem_size().values()))
"""
    lines = launch(source)
    assert lines[0] == "True True True True"
    assert lines[1].startswith(
        "LaunchShapeError block of 256 threads (256, 1, 1): this kernel takes at most 128"
    )
    assert lines[-1].startswith("True")


# Decisions for speed


def test_a_kernel_tells_that_a_thread_does_the_work_of_several(launch):
    assert launch("""
compile_both()
(remarks,) = shift.inspect_remarks().values()
print(remarks)
""") == [
        "['shift: in a large one-dimensional grid a thread does the work of 4 threads, "
        "with accesses of up to 16 bytes']"
    ]


def test_a_remark_explains_why_threads_are_not_coarsened(launch):
    (line,) = launch("""
@cuda.jit
def next(x):
    i = cuda.grid(1)
    x[i] = x[i + 1]
next[1, 8](cuda.device_array(9, np.float32))
(remarks,) = next.inspect_remarks().values()
print(remarks[0])
""")
    assert line.startswith("next: threads are not coarsened: line ")
    assert line.endswith("not accessed with unit stride in the thread's index")


# CUDA C++


def test_the_flag_makes_the_launch_of_a_raw_kernel_cooperative(launch):
    source = """
import heddle
for flag in (False, True):
    heddle.RawKernel("__global__ void k(int n) {}", "k", enable_cooperative_groups=flag)(4, 32, (1,))
    print(last().cooperative)
"""
    assert launch(source) == ["False", "True"]


def test_a_cooperative_launch_is_never_of_the_coarsened_kernel(launch):
    source = """
import heddle
code = "__global__ void k(float* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] += 1; }"
x = cuda.device_array(8, np.float32)
for flag, grid in (False, 2**20), (True, 132):
    kernel = heddle.RawKernel(code, "k", enable_cooperative_groups=flag)
    kernel(grid, 1024, (x, 8))
    print(last().kernel.decode(), last().grid[0])
"""
    assert launch(source)[1] == "_Z1kPfi 132"


def test_subnormal_floats_are_flushed_where_the_options_say_so(launch):
    source = """
import heddle
code = "__global__ void k(float* x) { x[0] = x[1] * x[2]; }"
for options in ((), ("-ftz=true",), ("-use_fast_math",), ("-use_fast_math", "-ftz=false")):
    print(".ftz" in heddle.RawKernel(code, "k", options).kernel.assembly)
"""
    assert launch(source) == ["False", "True", "True", "False"]


def test_declared_types_are_compiled_for_a_device_that_is_used_later(launch):
    source = """
with cuda.current_context("cpu"):
    declared = cuda.jit("void(float32[:], float32[:])")(shift.py_func)
    declared[1, 8](*np.zeros((2, 8), np.float32))
declared[1, 8](*(cuda.device_array(8, np.float32) for _ in range(2)))
print(driver.fakeCudaLaunchCount(), len(declared.variants()))
"""
    assert launch(source) == ["1 2"]
