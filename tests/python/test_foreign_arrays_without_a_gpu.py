"""Arrays of CuPy and torch whose members launches read from memory, with stand-ins for both and the fake driver."""

import pytest
from test_driver_without_a_gpu import pytestmark, run  # noqa: F401
from test_launches_without_a_gpu import exchange, launch  # noqa: F401

members = """
import sys, types
from _random import Random  # its objects have room for C members, which nothing else uses

class Members(Random):
    def __new__(cls, *arguments, **keywords):
        return Random.__new__(cls)

    def write(self, offset, *words):
        where = id(self) + object.__basicsize__ + 8 * offset
        ctypes.memmove(where, (ctypes.c_uint64 * len(words))(*words), 8 * len(words))

    def clear(self):
        self.write(0, *[0] * 300)

    def write_vector(self, offset, numbers):
        numbers = (ctypes.c_int64 * len(numbers))(*numbers)
        end = ctypes.addressof(numbers) + ctypes.sizeof(numbers)
        self.write(offset, ctypes.addressof(numbers) if len(numbers) else end, end, end)
        return numbers

reads = []  # names of attributes that launches asked for

def attribute(name):
    def get(self):
        reads.append(name)
        return self.values[name]
    return property(get)

"""

cupy = (
    members
    + """
class UnownedMemory:
    def __init__(self, ptr, size, owner, device_id=0):
        self.ptr, self.device_id = ptr, device_id

class MemoryPointer(Members):
    ptr, device_id = attribute("ptr"), attribute("device_id")
    def __init__(self, mem, offset):
        self.clear()
        self.values = {"ptr": mem.ptr + offset, "device_id": mem.device_id}
        self.write(2, mem.ptr + offset, mem.device_id)

class ndarray(Members):
    data, shape, strides, dtype = map(attribute, ("data", "shape", "strides", "dtype"))
    def __init__(self, shape, dtype=float, memptr=None, strides=None):
        self.values = {"data": memptr, "dtype": np.dtype(dtype)}
        self.clear()
        self.write(11, id(self.values["dtype"]), id(memptr))
        self.reshape(shape, strides)
    def reshape(self, shape, strides):
        self.values.update(shape=tuple(shape), strides=tuple(strides))
        self.vectors = self.write_vector(4, shape), self.write_vector(7, strides)

def of(array, device_id=0, kind=ndarray):
    memory = UnownedMemory(array.address, array.nbytes, array, device_id)
    return kind(array.shape, array.dtype, MemoryPointer(memory, 0), array.strides)

current = types.SimpleNamespace(ptr=0)
backend = types.ModuleType("cupy_backends.cuda.stream")
CurrentStream = ctypes.PYFUNCTYPE(ctypes.c_ssize_t)
stream_function = CurrentStream(lambda: current.ptr)
capsule = ctypes.pythonapi.PyCapsule_New
capsule.restype, capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
signature = b"intptr_t (void)"
address = ctypes.cast(stream_function, ctypes.c_void_p)
backend.__pyx_capi__ = {"get_current_stream_ptr": capsule(address, signature, None)}
names = "cupy", "cupy.cuda", "cupy.cuda.memory", "cupy_backends", "cupy_backends.cuda"
modules = {name: types.ModuleType(name) for name in names}
modules["cupy"].ndarray = ndarray
modules["cupy.cuda"].get_current_stream = lambda: current
modules["cupy.cuda.memory"].UnownedMemory = UnownedMemory
modules["cupy.cuda.memory"].MemoryPointer = MemoryPointer
sys.modules.update(modules, **{backend.__name__: backend})

x, y = compile_both(), cuda.device_array(8, np.float32)
a, b = of(x), of(y)

def confirm():
    for _ in range(8):
        shift[1, 8](a, b)
    reads.clear()

"""
)

torch = (
    members
    + exchange
    + """
class Implementation(Members):
    def __init__(self, tracked):
        self.clear()
        self.write(0, 1, 1)
        self.write(3, 7 * tracked)

class TorchTensor(Members):
    __dlpack_c_exchange_api__ = Fast.__dlpack_c_exchange_api__
    requires_grad, _cdata = attribute("requires_grad"), attribute("_cdata")
    def __init__(self, array, requires_grad=False, tracked=False):
        self.clear()
        self.implementation = Implementation(requires_grad or tracked)
        where = id(self.implementation) + object.__basicsize__
        self.values = {"requires_grad": requires_grad, "_cdata": where}
        self.write(0, where)
        if array is not None:
            self.fast = Fast(array)
            self.tensor = self.fast.tensor
    def detach(self):
        return TorchTensor(None)

module = types.ModuleType("torch")
module.Tensor, module.float32 = TorchTensor, "float32"
module.empty = lambda count, dtype, device, requires_grad: TorchTensor(None, requires_grad)
sys.modules["torch"] = module
x, y = compile_both(), cuda.device_array(8, np.float32)
a, b = TorchTensor(x), TorchTensor(y)

def confirm():
    for _ in range(8):
        shift[1, 8](a, b)
    reads.clear()

"""
)


@pytest.fixture
def with_cupy(launch):  # noqa: F811
    """A function that runs a program with arrays like CuPy's."""
    return lambda source: launch(cupy + source)


@pytest.fixture
def with_torch(launch):  # noqa: F811
    """A function that runs a program with tensors like torch's."""
    return lambda source: launch(torch + source)


# CuPy


def test_the_first_arrays_of_cupy_are_read_through_attributes_and_the_others_are_not(with_cupy):
    source = """
shift[1, 8](a, b)
print(reads.count("shape") > 0)
confirm()
shift[1, 8](a, b)
print(reads, arguments() == [x.address, 8, 4, y.address, 8, 4])
"""
    assert with_cupy(source) == ["True", "[] True"]


@pytest.mark.parametrize(
    ("shape", "strides", "expected"),
    [
        ("(8,)", "(-4,)", "8 -4"),
        ("(8,)", "(0,)", "8 0"),
        ("(0,)", "(4,)", "0 4"),
        ("(1,)", "(400,)", "1 400"),
    ],
)
def test_every_layout_of_an_array_of_cupy_is_read_from_memory(with_cupy, shape, strides, expected):
    source = f"""
confirm()
b.reshape({shape}, {strides})
shift[1, 8](a, b)
print(reads, *(ctypes.c_int64(n).value for n in arguments()[-2:]), arguments()[3] == y.address)
"""
    assert with_cupy(source) == [f"[] {expected} True"]


def test_an_array_of_cupy_with_several_axes_is_read_from_memory(with_cupy):
    source = """
@cuda.jit
def first(x):
    x[0, 0, 0] = 1
confirm()
cube = cuda.device_array((2, 3, 8), np.int16)
first[1, 1](of(cube[:, 1:, ::2]))
print(reads, arguments()[0] - cube.address, arguments()[1:])
"""
    assert with_cupy(source) == ["[] 16 [2, 2, 4, 48, 16, 4]"]


def test_an_array_of_cupy_without_axes_is_read_from_memory(with_cupy):
    source = """
@cuda.jit
def set_it(x):
    x[()] = 1
confirm()
d = cuda.device_array((), np.float64)
set_it[1, 1](of(d))
print(reads, arguments() == [d.address])
"""
    assert with_cupy(source) == ["[] True"]


def test_other_arrays_of_cupy_are_refused_with_the_same_words(with_cupy):
    source = """
def refuse():
    attempt(lambda: shift[1, 8](a, of(y, device_id=1)))
    attempt(lambda: shift[1, 8](a, ndarray((8,), "V3", b.values["data"], (3,))))
refuse()
confirm()
refuse()
"""
    lines = with_cupy(source)
    assert lines[:2] == lines[2:]
    assert "it lives on cuda:1, and the kernel runs on cuda:0" in lines[0]
    assert "no type for elements of dtype" in lines[1]


def test_the_work_of_cupys_current_stream_is_waited_for(with_cupy):
    source = """
confirm()
current.ptr = driver.fakeCudaMakeStream(1)
driver.fakeCudaReset()
shift[1, 8](a, b)
print(reads, calls('cuStreamWaitEvent'))
"""
    assert with_cupy(source) == ["[] 1"]


def test_attributes_of_a_subclass_of_cupys_array_are_used(with_cupy):
    source = """
class Half(ndarray):
    shape = property(lambda self: (4,))
confirm()
halves = of(x, kind=Half), of(y, kind=Half)
for _ in range(10):
    shift[1, 8](*halves)
print(arguments() == [x.address, 4, 4, y.address, 4, 4])
"""
    assert with_cupy(source) == ["True"]


def test_an_array_that_contradicts_its_memory_excludes_the_class(with_cupy):
    source = """
shift[1, 8](a, b)
b.values["shape"] = (5,)
for _ in range(20):
    shift[1, 8](a, b)
print(arguments()[3:] == [y.address, 5, 4], len(reads) > 0)
"""
    assert with_cupy(source) == ["True True"]


@pytest.mark.parametrize(
    "other",
    [
        "ndarray.write_vector = lambda self, offset, numbers: None",
        "ndarray.__init__ = lambda self, *arguments: None",
        "backend.__pyx_capi__ = {}",
        "signature = b'int (void)'; "
        "backend.__pyx_capi__ = {'get_current_stream_ptr': capsule(address, signature, None)}",
        "modules['cupy.cuda.memory'].__dict__.pop('UnownedMemory')",
        "stream_function = CurrentStream(lambda: 77); backend.__pyx_capi__['get_current_stream_ptr'] = "
        "capsule(ctypes.cast(stream_function, ctypes.c_void_p), signature, None)",
    ],
)
def test_another_cupy_is_read_through_attributes(with_cupy, other):
    source = f"""
{other}
for _ in range(20):
    shift[1, 8](a, b)
print(arguments() == [x.address, 8, 4, y.address, 8, 4], len(reads) > 0)
"""
    assert with_cupy(source) == ["True True"]


raw = """
import heddle
copy = heddle.RawKernel('extern "C" __global__ void copy(float* x, const float* y) { *x = *y; }', "copy")

def refuse(*arguments):
    attempt(lambda: copy((1,), (1,), arguments))

"""


def test_a_kernel_in_cuda_cpp_reads_arrays_of_cupy_from_memory(with_cupy):
    source = """
confirm()
copy((1,), (1,), (a, b))
print(reads, arguments() == [x.address, y.address])
current.ptr = driver.fakeCudaMakeStream(1)
driver.fakeCudaReset()
copy((1,), (1,), (a, b))
print(reads, calls('cuStreamWaitEvent'))
"""
    assert with_cupy(raw + source) == ["[] True", "[] 1"]


def test_a_kernel_in_cuda_cpp_refuses_arrays_with_the_same_words(with_cupy):
    source = """
def refuse_all():
    refuse(a, of(cuda.device_array(8, np.float64)))
    refuse(a, of(cuda.device_array(16, np.float32)[::2]))
    refuse(a, of(y, device_id=1))
refuse_all()
confirm()
refuse_all()
"""
    lines = with_cupy(raw + source)
    half = len(lines) // 2
    assert lines[:half] == lines[half:]
    text = "\n".join(lines[:half])
    assert "takes an array of float32, not of float64" in text
    assert "not contiguous" in text and "lives on cuda:1" in text


def test_registered_classes_come_first(with_cupy):
    source = """
confirm()
from heddle import _heddle
_heddle.classes_with_types[ndarray] = lambda array: (3, 4)
@cuda.jit
def pairs(x, pair):
    x[0] = pair[0] + pair[1]
pairs[1, 1](x, a)
print(arguments()[3:])
"""
    assert with_cupy(source) == ["[3, 4]"]


def test_classes_that_are_read_from_memory_are_listed(with_cupy):
    source = """
from heddle import _heddle
shift[1, 8](a, b)
print(list(_heddle.list_quick_classes().values()))
confirm()
print(_heddle.list_quick_classes()[ndarray])
"""
    first, second = with_cupy(source)
    assert first == "[{'confirmed': False, 'layout': True}]"
    assert second == "{'confirmed': True, 'layout': True}"


# torch


def test_tensors_without_gradients_are_not_asked_for_them(with_torch):
    source = """
shift[1, 8](a, b)
print(reads.count("requires_grad") > 0)
confirm()
shift[1, 8](a, b)
print(reads, arguments() == [x.address, 8, 4, y.address, 8, 4])
"""
    assert with_torch(source) == ["True", "[] True"]


def test_a_tensor_that_autograd_has_seen_is_asked(with_torch):
    source = """
confirm()
shift[1, 8](a, TorchTensor(y, tracked=True))
print(reads, arguments()[3] == y.address)
attempt(lambda: shift[1, 8](a, TorchTensor(y, requires_grad=True)))
"""
    first, second = with_torch(source)
    assert first == "['requires_grad'] True"
    assert "requires grad" in second and "detach()" in second


def test_a_subclass_of_tensor_is_asked(with_torch):
    source = """
class Parameter(TorchTensor):
    requires_grad = property(lambda self: True)
confirm()
for _ in range(2):
    attempt(lambda: shift[1, 8](a, Parameter(y)))
"""
    lines = with_torch(source)
    assert len(lines) == 2 and all("requires grad" in line for line in lines)


@pytest.mark.parametrize(
    "other",
    [
        "module.empty = None",
        "Implementation.write = lambda self, offset, *words: None",
        "TorchTensor._cdata = property(lambda self: 1 / 0)",
    ],
)
def test_tensors_of_another_torch_are_asked(with_torch, other):
    source = f"""
{other}
a, b = TorchTensor(x), TorchTensor(y)
confirm()
shift[1, 8](a, b)
print(arguments() == [x.address, 8, 4, y.address, 8, 4], set(reads))
"""
    assert with_torch(source) == ["True {'requires_grad'}"]


def test_the_stream_of_dlpacks_table_is_asked_once_in_a_launch(launch):  # noqa: F811
    source = """
queries = []
@Current
def counted(kind, index, out):
    queries.append(index)
    out[0] = work_stream
    return 0
api.current = counted
x, y = compile_both(), cuda.device_array(8, np.float32)
a, b = Fast(x), Fast(y)
for _ in range(8):
    shift[1, 8](a, b)
queries.clear()
shift[1, 8](a, b)
print(queries)
work_stream = driver.fakeCudaMakeStream(1)
shift[1, 8](a, b)
print(calls('cuStreamWaitEvent'))
"""
    assert launch(exchange + source) == ["[0]", "1"]
