"""Device arrays as globals and closure variables of kernels: used in place, not frozen into the kernel."""

import gc
import weakref

import numpy as np
import pytest

import heddle
from heddle import cuda


class Foreign:
    """An array that offers only the CUDA array interface."""

    def __init__(self, array):
        self.array = array
        self.__cuda_array_interface__ = array.__cuda_array_interface__


def shared_with(wrap, values):
    """(a device array with these values, the object that a kernel refers to)"""
    array = cuda.to_device(values)
    return array, wrap(array)


@pytest.fixture(params=[lambda array: array, Foreign], ids=["device array", "foreign array"])
def wrap(request, device):
    if device.type == "cpu" and len(cuda.all_devices()) > 1 and request.param is Foreign:
        pytest.skip("the CPU's memory is not offered as a GPU's")
    return request.param


def test_a_kernel_reads_what_is_there_at_its_launch(wrap):
    array, named = shared_with(wrap, np.arange(4, dtype=np.float32))

    @cuda.jit
    def k(out):
        i = cuda.grid(1)
        out[i] = named[i] + named.shape[0]

    out = np.zeros(4, np.float32)
    k[1, 4](out)
    np.testing.assert_array_equal(out, [4, 5, 6, 7])
    array[:] = 1
    k[1, 4](out)
    np.testing.assert_array_equal(out, [5, 5, 5, 5])


def test_a_kernel_writes_to_the_array(wrap):
    array, named = shared_with(wrap, np.zeros((2, 3), np.int32))

    @cuda.jit
    def k():
        i, j = cuda.grid(2)
        named[i, j] = 10 * i + j

    k[(1, 1), (2, 3)]()
    np.testing.assert_array_equal(array.copy_to_host(), [[0, 1, 2], [10, 11, 12]])


def test_a_device_function_names_the_array(wrap):
    _, named = shared_with(wrap, np.arange(4, dtype=np.int64))

    @cuda.jit(device=True)
    def read(i):
        return named[i]

    @cuda.jit
    def k(out):
        i = cuda.grid(1)
        out[i] = read(i) * 2

    out = np.zeros(4, np.int64)
    k[1, 4](out)
    np.testing.assert_array_equal(out, [0, 2, 4, 6])


@pytest.mark.parametrize("index", [np.s_[::2], np.s_[::-1], np.s_[1, :], np.s_[:, 1]])
def test_a_view_keeps_its_strides(device, index):
    values = np.arange(12, dtype=np.float64).reshape(4, 3)
    named = cuda.to_device(values)[index]
    expected = values[index]

    @cuda.jit
    def k(out):
        for i in range(named.shape[0]):
            out[i] = named[i, 0] if named.ndim == 2 else 0

    if named.ndim == 1:

        @cuda.jit
        def k(out):
            for i in range(named.shape[0]):
                out[i] = named[i]

    out = np.zeros(len(expected))
    k[1, 1](out)
    np.testing.assert_array_equal(out, expected[:, 0] if expected.ndim == 2 else expected)


def test_an_array_of_rank_0(device):
    named = cuda.to_device(np.array(21.0))

    @cuda.jit
    def k(out):
        out[0] = named[()] * 2

    out = np.zeros(1)
    k[1, 1](out)
    assert out[0] == 42


def test_an_argument_may_be_the_named_array(device):
    named = cuda.to_device(np.arange(8, dtype=np.float32))

    @cuda.jit
    def k(x):
        for i in range(7):
            x[i] = named[i + 1]
            named[i] += 1

    k[1, 1](named)
    np.testing.assert_array_equal(named.copy_to_host(), [2, 3, 4, 5, 6, 7, 8, 7])


def test_mapped_arrays_are_not_frozen_either(device):
    named = cuda.mapped_array(3, np.int32)
    named[:] = 1

    @cuda.jit
    def k():
        named[cuda.grid(1)] += 1

    k[1, 3]()
    k[1, 3]()
    cuda.synchronize()
    np.testing.assert_array_equal(named, [3, 3, 3])


def test_host_arrays_stay_frozen(device):
    named = np.array([1, 2, 3])

    @cuda.jit
    def k(out):
        out[0] = named[0]

    out = np.zeros(1)
    k[1, 1](out)
    named[0] = 9
    k[1, 1](out)
    assert out[0] == 1


def test_a_kernel_keeps_the_array_that_it_names(device):
    named = cuda.to_device(np.full(1000, 7.0))
    memory = weakref.ref(named.gpu_data)
    owner = weakref.ref(named)

    def make(named):
        @cuda.jit
        def k(out):
            out[0] = named[999]

        return k

    k = make(named)
    out = np.zeros(1)
    k[1, 1](out)
    k.py_func.__closure__[0].cell_contents = None
    del named
    gc.collect()
    others = [cuda.to_device(np.zeros(1000)) for _ in range(10)]
    k[1, 1](out)
    assert out[0] == 7 and owner() is not None
    del others, memory


def test_an_array_of_elements_that_kernels_lack_is_refused(device):
    named = cuda.to_device(np.array([1, 2], np.longdouble))

    @cuda.jit
    def k(out):
        out[0] = named.size

    with pytest.raises(TypeError, match="no type for elements"):
        k[1, 1](np.zeros(1))


def test_an_array_of_another_device_is_refused():
    if len(cuda.all_devices()) < 2:
        pytest.skip("there is one device")
    with cuda.current_context("cpu"):
        named = cuda.to_device(np.zeros(3))

    @cuda.jit
    def k(out):
        out[0] = named[0]

    with pytest.raises(TypeError, match="in the memory of"), cuda.gpus[0]:
        k[1, 1](np.zeros(1))


# The array interface of the CPU device


def test_the_cpu_device_offers_the_array_interface_where_there_is_no_gpu(only_cpu):
    array = cuda.to_device(np.arange(6.0).reshape(2, 3))
    interface = array.__cuda_array_interface__
    assert (interface["version"], interface["shape"]) == (3, (2, 3))
    assert interface["stream"] == 1  # the default stream, whose kernels may still be at work
    assert interface["data"] == (array.address, False)
    assert array.T.view(array.dtype).__cuda_array_interface__["strides"] is None
    assert array[:, ::2].__cuda_array_interface__["strides"] == (24, 16)


def test_the_interface_names_the_arrays_stream(only_cpu):
    stream = cuda.stream()
    for make in (cuda.device_array, cuda.mapped_array, cuda.managed_array):
        array = make(3, stream=stream)
        assert array.__cuda_array_interface__["stream"] == stream.handle


def test_mapped_and_managed_arrays_have_the_interface(only_cpu):
    for array in (cuda.mapped_array(4), cuda.managed_array(4)):
        assert array.__cuda_array_interface__["data"][0] == array.ctypes.data
        assert array._numba_type_ == heddle.float64[::1]
        assert array.device_pointer == array.ctypes.data


def test_ufuncs_take_and_fill_arrays_of_other_libraries(only_cpu):
    add = heddle.vectorize(["f8(f8, f8)"], target="cuda")(lambda x, y: x + y)
    total = heddle.guvectorize(["(f8[:], f8[:])"], "(n)->()", target="cuda")(fill_with_sum)
    values, out = Foreign(cuda.to_device(np.arange(3.0))), cuda.device_array(3)
    assert add(values, 1.0, out=Foreign(out)).copy_to_host().tolist() == [1, 2, 3]
    assert total(Foreign(out)).copy_to_host() == 6
    assert total(values, out=Foreign(out[:1].reshape(()))).copy_to_host() == 3
    assert out.copy_to_host().tolist() == [3, 2, 3]


def fill_with_sum(values, result):
    result[0] = values[0] + values[1] + values[2]


def test_the_cpu_device_takes_the_interface(only_cpu):
    array = cuda.to_device(np.arange(3.0))
    foreign = Foreign(array)

    @cuda.jit
    def increment(x):
        x[cuda.grid(1)] += 1

    increment[1, 3](foreign)
    np.testing.assert_array_equal(array.copy_to_host(), [1, 2, 3])
    assert cuda.as_cuda_array(foreign).address == array.address


def test_a_launch_waits_for_the_stream_of_the_interface(only_cpu):
    stream = cuda.stream()
    array = cuda.to_device(np.zeros(1), stream=stream)

    @cuda.jit
    def slow(x):
        for _ in range(200_000):
            x[0] += 1

    @cuda.jit
    def double(x):
        x[0] *= 2

    slow[1, 1, stream](array)
    double[1, 1](Foreign(array))
    assert array.copy_to_host()[0] == 400_000


def test_a_device_array_knows_the_type_that_kernels_see(device):
    values = np.zeros((3, 4), np.float32)
    assert cuda.to_device(values)._numba_type_ == heddle.float32[:, ::1]
    assert cuda.to_device(values.T)._numba_type_ == heddle.float32[::1, :]
    assert cuda.to_device(values)[:, ::2]._numba_type_ == heddle.float32[:, :]
    record = cuda.to_device(np.zeros(1, [("x", "i4")]))[0]
    assert isinstance(record._numba_type_, heddle.types.Record)


def test_a_record_is_copied_to_a_scalar_of_numpy(device):
    values = np.array([(1, 2.5)], [("a", "i4"), ("b", "f8")])
    target = np.zeros(1, values.dtype)[0]
    cuda.to_device(values)[0].copy_to_host(target)
    assert target == values[0]
