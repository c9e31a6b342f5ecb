"""The arrays of the CuPy substitute on the CPU device."""

import ctypes
import pickle
import warnings

import numpy as np
import pytest

import heddle.compat.cupy as cp
import heddle.compat.cupyx as cupyx
from heddle import cuda
from heddle.compat.cupy.device_arrays import DeviceArray
from heddle.cuda import native_devices
from heddle.cuda.native_devices import has_gpu

pytestmark = pytest.mark.usefixtures("cpu")


@pytest.mark.parametrize("name", ["zeros", "ones", "empty"])
def test_a_function_of_numpy_makes_cupy_arrays(name):
    x = getattr(cp, name)(5)
    assert type(x) is cp.ndarray and x.shape == (5,) and x.dtype == np.float64


def test_a_function_called_on_an_array_returns_one():
    x = cp.arange(4)
    for result in (x + 1, cp.sqrt(x), cp.concatenate([x, x]), cp.where(x > 1, x, 0), np.dot(x, x)):
        assert type(result) is cp.ndarray


def test_a_sum_is_an_array_of_no_dimensions():
    total = cp.arange(4).sum()
    assert type(total) is cp.ndarray and total.shape == () and int(total) == 6


@pytest.mark.parametrize("order", ["C", "F", "A"])
def test_another_shape_is_a_copy_where_it_must_be(order):
    x = np.arange(24).reshape(4, 6)[:, :3]
    found = cp.arange(24).reshape(4, 6)[:, :3].reshape(6, 2, order=order)
    np.testing.assert_array_equal(found.get(), x.reshape(6, 2, order=order))


@pytest.mark.parametrize("name", ["max", "argmin", "mean", "std", "all", "trace"])
def test_a_method_gives_numpys_value(name):
    x = np.arange(9.0).reshape(3, 3)
    result = getattr(cp.asarray(x), name)()
    assert type(result) is cp.ndarray and result.get() == getattr(x, name)()


def test_an_element_is_a_view():
    x = cp.zeros(3)
    x[1] += 4
    element = x[2]
    element += 5
    assert x.tolist() == [0, 4, 5]


def test_strides_of_a_view_may_be_chosen():
    x = cp.arange(6)
    rows = cp.lib.stride_tricks.as_strided(x, (4, 3), (8, 8))
    rows[1, 1] = 9
    assert type(rows) is cp.ndarray and x.tolist() == [0, 1, 9, 3, 4, 5]
    assert rows[0].tolist() == [0, 1, 9]


@pytest.mark.parametrize(
    ("work", "shared"), [(None, False), ("MAY_SHARE_EXACT", False), ("MAY_SHARE_BOUNDS", True)]
)
def test_arrays_tell_whether_they_share_memory(work, shared):
    x = cp.arange(6)
    assert cp.shares_memory(x, x[2:], work) and not cp.shares_memory(x, x.copy(), work)
    assert cp.shares_memory(x[::2], x[1::2], max_work=work) == shared


def test_names_of_earlier_releases_are_there():
    assert (cp.float_, cp.complex_) == (np.float64, np.complex128)
    assert cp.trapz(cp.array([1.0, 3])) == 2 and cp.in1d(cp.arange(3), cp.array([1])).tolist() == [
        False,
        True,
        False,
    ]


def test_an_array_stands_for_its_dtype():
    assert cp.issubdtype(cp.ones(2), cp.inexact) and not cp.issubdtype(np.dtype("i4"), cp.inexact)
    assert cp.promote_types(cp.ones(2, "f"), cp.int32) == np.float64
    assert cp.can_cast(cp.ones(2, "f"), np.float64) and cp.can_cast(
        cp.ones(2), "f", casting="same_kind"
    )


def test_a_function_is_the_same_one_each_time():
    assert {cp.greater: 1, cp.less: 2}[cp.less] == 2 and cp.linalg.norm is cp.linalg.norm


@pytest.mark.skipif(has_gpu(), reason="other libraries would take the memory for a GPU's")
def test_an_array_has_the_cuda_array_interface():
    x = cp.arange(6, dtype="f").reshape(2, 3)[:, 1:]
    interface = x.__cuda_array_interface__
    assert (interface["shape"], interface["strides"], interface["typestr"]) == (
        (2, 2),
        (12, 4),
        "<f4",
    )
    assert interface["data"] == (x.data.ptr, False) and cuda.is_cuda_array(x)
    cuda.as_cuda_array(x)[1, 1] = 7
    assert x.tolist() == [[1, 2], [4, 7]] and not hasattr(x.get(), "__cuda_array_interface__")


@pytest.mark.parametrize("make", [cp.zeros, cuda.device_array, DeviceArray])
def test_memory_of_the_cpu_device_is_not_offered_to_libraries_of_gpus(make, monkeypatch):
    array = make(3)
    monkeypatch.setattr(native_devices, "has_gpu", lambda: True)
    assert not hasattr(array, "__cuda_array_interface__")
    with pytest.raises(AttributeError, match="no GPU can access: share it through DLPack"):
        _ = array.__cuda_array_interface__


def test_get_copies_to_a_numpy_array():
    x = cp.arange(3)
    values = x.get()
    x[0] = 9
    assert type(values) is np.ndarray and values.tolist() == [0, 1, 2]


def test_asnumpy_takes_arrays_and_lists():
    assert type(cp.asnumpy(cp.ones(2))) is np.ndarray and cp.asnumpy([1, 2]).tolist() == [1, 2]


def test_set_copies_from_a_numpy_array():
    x = cp.zeros(3)
    x.set(np.arange(3.0))
    assert x.tolist() == [0, 1, 2]


def test_set_refuses_another_type():
    with pytest.raises(ValueError, match="array of float64 with shape"):
        cp.zeros(3).set(np.zeros(3, "f"))


def test_arrays_of_other_kinds_of_values_are_cupys():
    assert type(cp.asarray([1, 2])) is cp.ndarray and cp.array([[1]], ndmin=3).shape == (1, 1, 1)


class Wrapped:
    def __init__(self, array):
        self.__cuda_array_interface__ = array.__cuda_array_interface__
        self.array = array


@pytest.mark.skipif(has_gpu(), reason="the interface is of a GPU's memory")
@pytest.mark.parametrize("wrap", [Wrapped, lambda array: array])
def test_asarray_shares_what_the_interface_of_cuda_arrays_tells_of(wrap):
    array = cuda.to_device(np.arange(6.0).reshape(2, 3))
    cp.asarray(wrap(array))[1] = 7
    assert array[1, 2] == 7 and array[0, 2] == 2
    copy = cp.array(wrap(array))
    copy[:] = 0
    assert array[1, 2] == 7


@pytest.mark.parametrize(
    "view, shape",
    [
        (lambda x: x, (24,)),
        (lambda x: x[1:2], (12,)),
        (lambda x: x[:, ::2], (2, 2, 4)),
        (lambda x: x[:, :, :2], (6, 2)),
        (lambda x: x[::-1, 1:2, ::2], (2, 2)),
        (lambda x: x[:0], (0,)),
        (lambda x: x[1, 2, 3], (1,)),
    ],
)
def test_a_reduced_view_has_the_elements_in_fewer_axes(view, shape):
    x = cp.arange(24).reshape(2, 3, 4)
    reduced = view(x).reduced_view()
    assert reduced.shape == shape and list(reduced.get().ravel()) == list(view(x).get().ravel())
    reduced += 1
    assert x.sum() == 276 + reduced.size


def test_the_reach_of_values_is_an_array():
    x = cp.array([[1, 5], [2, 9]])
    assert type(x.ptp()) is cp.ndarray and x.ptp(axis=1).tolist() == [4, 7]


def test_asarray_does_not_copy():
    x = cp.ones(3)
    assert cp.asarray(x) is x or np.shares_memory(cp.asarray(x), x)


def test_array_copies():
    x = cp.ones(3)
    assert not np.shares_memory(cp.array(x), x)


def test_division_by_zero_warns_of_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isinf(float((cp.ones(1) / cp.zeros(1))[0]))


def test_an_operation_in_place_and_an_output_keep_their_array():
    x = cp.ones(3)
    y = x
    x += 1
    assert x is y and cp.add(x, 1, out=y) is y and y.tolist() == [3, 3, 3]


def test_an_array_looks_at_memory_that_was_allocated():
    memory = cp.cuda.alloc(16)
    cp.ndarray((4,), np.float32, memory)[...] = cp.arange(4)
    assert cp.ndarray((2,), np.float32, memory + 8).tolist() == [2, 3]


def test_an_array_does_not_reach_over_the_end_of_memory():
    with pytest.raises(ValueError, match="does not fit into the memory's 16 bytes"):
        cp.ndarray((5,), np.float32, cp.cuda.MemoryPointer(cp.cuda.Memory(16), 0))


def test_an_arrays_memory_is_a_pointer():
    x = cp.arange(4, dtype="f")
    assert x.data.ptr == x.ctypes.data and cp.ndarray(4, "f", x.data).tolist() == [0, 1, 2, 3]


def test_memory_is_copied_by_pointers():
    x, y, host = cp.arange(4, dtype="f"), cp.zeros(4, "f"), np.zeros(4, "f")
    y.data.copy_from_device(x.data, 16)
    y.data.copy_to_host(host.ctypes.data, 16)
    y.data.memset(0, 8)
    assert host.tolist() == [0, 1, 2, 3] and y.tolist() == [0, 0, 2, 3]


def test_an_array_prints_as_numpys_does():
    x = np.array([1 / 3, 2], "f")
    assert (str(cp.asarray(x)), repr(cp.asarray(x))) == (str(x), repr(x))
    assert f"{cp.asarray(x)[1]:.2f}" == "2.00"


def test_a_program_asks_which_module_an_array_is_of():
    assert cp.get_array_module(cp.ones(1)) is cp and cp.get_array_module(np.ones(1)) is np


@pytest.mark.parametrize(
    "draw",
    [
        lambda r: r.normal(0, 1, 5, np.float32),
        lambda r: r.normal(0, 1, size=5, dtype="f"),
        lambda r: r.uniform(-1, 1, (5,), "f"),
        lambda r: r.random(5, np.float32),
        lambda r: r.standard_normal(5, np.float32),
        lambda r: r.poisson(3, 5, np.float32),
        lambda r: r.gamma(cp.ones(5), 2, dtype=np.float32),
    ],
)
@pytest.mark.parametrize("generator", ["module", "RandomState", "default_rng"])
def test_a_draw_takes_a_dtype(draw, generator):
    values = draw(cp.random if generator == "module" else getattr(cp.random, generator)(1))
    assert values.shape == (5,) and values.dtype == np.float32 and type(values) is cp.ndarray


def test_random_numbers_repeat_with_their_seed():
    cp.random.seed(3)
    first = cp.random.uniform(0, 1, 5, dtype="f")
    cp.random.seed(3)
    assert first.dtype == np.float32 and (first == cp.random.uniform(0, 1, 5, dtype="f")).all()


def test_generators_make_cupy_arrays():
    values = cp.random.default_rng(1).integers(0, 9, 4)
    assert type(values) is cp.ndarray and values.shape == (4,)


def test_a_remembered_function_runs_once():
    calls = []
    remembered = cp.memoize(for_each_device=True)(calls.append)
    remembered(1), remembered(1), remembered(2)
    assert calls == [1, 2]


def test_pinned_memory_is_a_buffer():
    memory = cp.cuda.alloc_pinned_memory(16)
    values = np.frombuffer(memory, np.float32, 4)
    assert values.shape == (4,) and memory.ptr == values.ctypes.data


def test_pinned_arrays_are_numpys():
    made = cupyx.zeros_pinned((2, 3), np.float32)
    assert type(made) is np.ndarray and made.dtype == np.float32 and not made.any()


def test_the_devices_attributes_have_the_runtimes_names():
    attributes = cp.cuda.Device().attributes
    assert attributes["WarpSize"] == 32 and attributes["MultiProcessorCount"] > 0


@pytest.mark.parametrize(
    "name",
    [
        "MaxBlocksPerMultiprocessor",
        "MaxThreadsPerMultiProcessor",
        "MaxSharedMemoryPerMultiprocessor",
        "MaxTexture2DWidth",
        "MaxTexture3DDepthAlt",
        "MaxSurfaceCubemapWidth",
        "IsMultiGpuBoard",
        "GPUDirectRDMASupported",
    ],
)
def test_an_attribute_of_the_runtime_has_its_spelling(name):
    assert cp.cuda.Device().attributes[name] == cp.cuda.runtime.deviceGetAttribute(
        getattr(cp.cuda.runtime, f"cudaDevAttr{name}"), 0
    )


def test_a_device_has_its_properties():
    found = cp.cuda.runtime.getDeviceProperties(0)
    assert isinstance(found["name"], bytes) and found["warpSize"] == 32
    assert isinstance(found["uuid"], bytes) and len(found["uuid"]) == 16
    assert len(cp.cuda.Device().mem_info) == 2 and cp.cuda.Device(0) == cp.ones(1).device


def test_a_device_that_is_not_there_is_refused():
    with pytest.raises(cp.cuda.runtime.CUDARuntimeError, match="there is no device 7"):
        cp.cuda.Device(7).use()


def test_kernels_go_to_the_current_stream():
    stream = cp.cuda.Stream(non_blocking=True)
    with stream:
        assert cp.cuda.get_current_stream() == stream
    assert cp.cuda.get_current_stream() == cp.cuda.Stream.null


def test_a_host_function_runs_after_the_kernels_before_it():
    seen = []
    x = cp.zeros(1)
    kernel = cp.RawKernel("__global__ void k(double* x) { *x = 5; }", "k")
    with cp.cuda.Stream() as stream:
        kernel((1,), (1,), (x,))
        stream.launch_host_func(lambda values: seen.append(float(values[0])), x)
    stream.synchronize()
    assert seen == [5]


def test_a_kernel_gets_the_address_of_a_view_whatever_its_strides():
    x = cp.arange(10, dtype="i4")
    kernel = cp.RawKernel("__global__ void k(int* x, long s) { x[threadIdx.x * s] = -1; }", "k")
    kernel((1,), (3,), (x[1::2], 2))
    assert x.tolist() == [0, -1, 2, -1, 4, -1, 6, 7, 8, 9]


def test_a_stream_is_one_for_copies_of_device_arrays():
    for stream in (cp.cuda.Stream.null, cp.cuda.Stream()):
        copied = cuda.to_device(np.arange(3), stream=stream)
        assert copied.copy_to_host(stream=stream).tolist() == [0, 1, 2]


def test_an_array_is_pickled():
    x = pickle.loads(pickle.dumps(cp.arange(4).reshape(2, 2).T))
    assert type(x) is cp.ndarray and x.tolist() == [[0, 2], [1, 3]]


def test_grids_are_arrays():
    assert type(cp.mgrid[0:2, 0:2]) is cp.ndarray and cp.r_[1, cp.arange(2)].tolist() == [1, 0, 1]


def test_a_kernel_is_pickled():
    kernel = pickle.loads(pickle.dumps(cp.RawKernel("__global__ void k(int* x) { *x = 5; }", "k")))
    x = cp.zeros(1, "i4")
    kernel((1,), (1,), (x,))
    assert x[0] == 5


def test_a_fused_function_gives_what_it_gave():
    @cp.fuse(kernel_name="squared")
    def squared(x):
        return x * x

    assert squared(cp.arange(3)).tolist() == [0, 1, 4] and cp.fuse(abs) is abs


def test_memory_is_allocated_copied_and_freed_by_address():
    runtime, values, back = cp.cuda.runtime, np.arange(4, dtype="u1"), np.zeros(8, "u1")
    address = runtime.malloc(8)
    runtime.memset(address, 7, 8)
    runtime.memcpy(address + 2, values.ctypes.data, 4, runtime.memcpyHostToDevice)
    runtime.memcpy(back.ctypes.data, address, 8, runtime.memcpyDeviceToHost)
    runtime.free(address)
    assert back.tolist() == [7, 7, 0, 1, 2, 3, 7, 7]


def test_an_address_that_was_not_allocated_is_not_freed():
    with pytest.raises(cp.cuda.runtime.CUDARuntimeError, match="0x10 was not returned by malloc"):
        cp.cuda.runtime.free(16)


def test_memory_is_set_and_copied_in_the_order_of_a_stream():
    a, b, back = cp.cuda.alloc(8), cp.cuda.alloc(8), np.zeros(8, "u1")
    stream = cp.cuda.Stream()
    a.memset_async(3, 8, stream)
    b.copy_from_device_async(a, 8, stream)
    (b + 4).copy_to_host_async(back.ctypes.data, 4, stream)
    assert back.tolist() == [3] * 4 + [0] * 4


def test_a_copy_does_not_reach_over_the_end_of_memory():
    source = cp.cuda.MemoryPointer(cp.cuda.Memory(8), 0)
    with pytest.raises(ValueError, match="9 bytes do not fit: the memory has 8"):
        cp.cuda.alloc(16).copy_from_device(source, 9)


def test_a_device_is_entered_again_inside_itself():
    device = cp.cuda.Device(0)
    with device, device:
        assert cp.cuda.Device() == device
    assert device.id == 0 and len(device.pci_bus_id.split(":")) == 3


@pytest.mark.parametrize("ask", ["get_function", "get_global"])
def test_a_name_that_a_module_lacks_is_an_error_of_the_driver(ask):
    module = cp.RawModule(code="__global__ void k() {}")
    with pytest.raises(cp.cuda.driver.CUDADriverError, match="CUDA_ERROR_NOT_FOUND.*'nothing'"):
        getattr(module, ask)("nothing")


def test_a_wrong_source_is_a_compile_exception():
    with pytest.raises(cp.cuda.compiler.CompileException, match="undeclared identifier 'x'"):
        cp.RawModule(code="__global__ void k() { x; }").compile()


def test_a_kernel_that_a_source_lacks_is_an_error_of_the_driver():
    with pytest.raises(cp.cuda.driver.CUDADriverError, match="its kernels are: k"):
        cp.RawKernel("__global__ void k() {}", "f")((1,), (1,), ())


def test_elements_that_are_named_twice_are_added_to_twice():
    x = cp.zeros(3)
    cupyx.scatter_add(x, cp.array([0, 0, 2]), cp.array([1, 2, 4]))
    assert x.tolist() == [3, 0, 4]


def test_addresses_are_set_and_copied_in_the_order_of_a_stream():
    runtime, stream = cp.cuda.runtime, cp.cuda.Stream()
    host = runtime.hostAlloc(8, 0)
    address = runtime.mallocManaged(8)
    runtime.memsetAsync(address, 3, 8, stream.ptr)
    runtime.memcpyAsync(host, address, 8, runtime.memcpyDeviceToHost, stream.ptr)
    runtime.streamSynchronize(stream.ptr)
    assert bytes((ctypes.c_char * 8).from_address(host)) == b"\3" * 8
    runtime.free(address)
    runtime.freeHost(host)
    with pytest.raises(runtime.CUDARuntimeError, match="not returned by hostAlloc"):
        runtime.freeHost(host)
    assert runtime.deviceCanAccessPeer(0, 0) in (0, 1)


def test_a_named_part_of_a_program_is_told_to_nvtx(monkeypatch):
    told = []
    for name in "RangePush", "RangePushC", "RangePop":
        monkeypatch.setattr(cp.cuda.nvtx, name, lambda *a, name=name: told.append((name, *a)))
    with (
        cupyx.profiler.time_range("a", color_id=1),
        cupyx.profiler.time_range("b", argb_color=0xFF),
    ):
        pass
    assert told == [("RangePush", "a", 1), ("RangePushC", "b", 0xFF), ("RangePop",), ("RangePop",)]
    told.clear()
    named = cupyx.profiler.time_range()(lambda: 3)
    assert named() == 3 and told == [("RangePush", "<lambda>", -1), ("RangePop",)]


@pytest.mark.parametrize(
    "make_view",
    [
        lambda x: cp.broadcast_to(x[0], (2, 3)),
        lambda x: cp.broadcast_arrays(x[:, :1], x)[0],
        lambda x: cp.diagonal(x),
    ],
    ids=["broadcast_to", "broadcast_arrays", "diagonal"],
)
def test_views_of_numpy_functions_can_be_written(make_view, recwarn):
    x = cp.zeros((2, 3))
    kernel = cp.RawKernel("__global__ void k(double* x) { x[0] = 5; }", "k")
    kernel(1, 1, (make_view(x),))
    assert x[0, 0] == 5 and not recwarn.list
    make_view(x)[...] = 7
    assert x[0, 0] == 7 and not recwarn.list


@pytest.mark.parametrize("convert", [cp.asarray, cp.asanyarray, cp.array, cp.ascontiguousarray])
@pytest.mark.parametrize("dtype", [np.dtype("float64"), np.float64, "float64", float], ids=repr)
def test_integers_become_float64(convert, dtype):
    # np.dtype("float64") == None is true.
    assert convert(cp.arange(3), dtype).dtype == convert(cp.arange(3), dtype=dtype).dtype == "f8"


@pytest.mark.parametrize(
    ("earlier", "name"), [("product", "prod"), ("round_", "round"), ("bool8", "bool_")]
)
def test_functions_have_the_names_of_earlier_releases(earlier, name):
    assert getattr(cp, earlier) is getattr(cp, name)


def test_constants_have_the_names_of_earlier_releases():
    assert cp.Inf == cp.inf and np.isnan(cp.NaN)


def test_an_element_is_set_to_an_array_of_one_element():
    x = cp.zeros((2, 2))
    x[0, 1] = cp.ones(1)
    x[1, 0] = cp.full((1, 1), 3)
    x[1, 1:] = cp.asarray([4])
    np.testing.assert_array_equal(x, [[0, 1], [3, 4]])


@pytest.mark.parametrize("shape", [(), (1,), (1, 1)])
def test_an_array_of_one_element_is_a_number(shape):
    x = cp.full(shape, 3)
    assert (int(x), float(x), complex(x)) == (3, 3.0, 3 + 0j)


def test_an_array_of_several_elements_is_no_number():
    with pytest.raises(TypeError, match="only arrays of one element"):
        float(cp.ones(2))
