"""Device arrays on the host: creation, copies, indexing, reshaping, sharing."""

import ctypes
import gc
import pickle
import weakref

import numpy as np
import pytest

from heddle import cuda, float32
from heddle.cuda.cudadrv.devicearray import DeviceNDArray

# Copying there and back


@pytest.mark.parametrize(
    "dtype",
    ["b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8", "c8", "c16", "M8[s]"],
)
def test_an_array_of_any_dtype_comes_back_as_it_went(device, dtype):
    source = np.arange(12).astype(dtype).reshape(3, 4)
    back = cuda.to_device(source).copy_to_host()
    assert back.dtype == source.dtype
    np.testing.assert_array_equal(back, source)


@pytest.mark.parametrize("shape", [(), (1,), (0,), (3, 0, 2), (2, 3, 4, 5)])
def test_an_array_of_any_shape_comes_back_as_it_went(device, shape):
    source = np.random.default_rng(0).random(shape)
    np.testing.assert_array_equal(cuda.to_device(source).copy_to_host(), source)


def test_a_structured_array_comes_back_as_it_went(device):
    source = np.array([(1, 2.5), (3, 4.5)], dtype=[("a", "i4"), ("b", "f8")])
    back = cuda.to_device(source).copy_to_host()
    assert back.dtype == source.dtype
    np.testing.assert_array_equal(back, source)


def test_a_fortran_array_keeps_its_order(device):
    source = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    d = cuda.to_device(source)
    assert d.strides == source.strides
    assert d.is_f_contiguous()
    assert not d.is_c_contiguous()


def test_an_array_that_is_not_contiguous_arrives_in_c_order(device):
    source = np.arange(12).reshape(3, 4)[:, ::-2]
    d = cuda.to_device(source)
    assert d.is_c_contiguous()
    np.testing.assert_array_equal(d.copy_to_host(), source)


def test_a_list_can_be_sent(device):
    assert cuda.to_device([1.0, 2.0]).dtype == np.float64


def test_the_source_may_be_changed_after_to_device(device):
    source = np.zeros(4)
    d = cuda.to_device(source, stream=cuda.stream())
    source[:] = 1
    np.testing.assert_array_equal(d.copy_to_host(), np.zeros(4))


def test_to_device_fills_a_given_array(device):
    d = cuda.device_array(3, np.int32)
    assert cuda.to_device(np.array([1, 2, 3], np.int32), to=d) is d
    np.testing.assert_array_equal(d.copy_to_host(), [1, 2, 3])


def test_to_device_without_a_copy_only_allocates(device):
    assert cuda.to_device(np.zeros((2, 3)), copy=False).shape == (2, 3)


def test_to_device_of_a_device_array_is_that_array(device):
    d = cuda.device_array(3)
    assert cuda.to_device(d) is d


def test_copy_to_host_fills_a_given_array_and_returns_it(device):
    target = np.empty(3)
    assert cuda.to_device(np.arange(3.0)).copy_to_host(target) is target
    np.testing.assert_array_equal(target, np.arange(3.0))


def test_copy_to_host_fills_a_strided_array(device):
    target = np.zeros(6)
    cuda.to_device(np.arange(3.0)).copy_to_host(target[::2])
    np.testing.assert_array_equal(target, [0, 0, 1, 0, 2, 0])


def test_copy_to_host_refuses_another_shape(device):
    with pytest.raises(ValueError, match=r"incompatible shape: cannot copy \(3,\) to \(4,\)"):
        cuda.to_device(np.zeros(3)).copy_to_host(np.zeros(4))


def test_copy_to_host_refuses_another_dtype(device):
    with pytest.raises(TypeError, match="incompatible dtype: cannot copy float64 to float32"):
        cuda.to_device(np.zeros(3)).copy_to_host(np.zeros(3, np.float32))


def test_copy_to_host_refuses_an_array_that_is_read_only(device):
    target = np.zeros(3)
    target.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        cuda.to_device(np.ones(3)).copy_to_host(target)
    np.testing.assert_array_equal(target, 0)


def test_copy_to_host_refuses_what_is_not_an_array(device):
    with pytest.raises(TypeError, match="not to a list"):
        cuda.to_device(np.zeros(3)).copy_to_host([0, 0, 0])


def test_copy_to_device_takes_a_host_array(device):
    d = cuda.to_device(np.zeros(3))
    d.copy_to_device(np.arange(3.0))
    np.testing.assert_array_equal(d.copy_to_host(), np.arange(3.0))


def test_copy_to_device_takes_a_device_array(device):
    d = cuda.to_device(np.zeros((2, 3)))
    d.copy_to_device(cuda.to_device(np.arange(6.0).reshape(3, 2)).T)
    np.testing.assert_array_equal(d.copy_to_host(), np.arange(6.0).reshape(3, 2).T)


def test_copy_to_device_refuses_another_shape(device):
    with pytest.raises(ValueError, match="incompatible shape"):
        cuda.to_device(np.zeros(3)).copy_to_device(np.zeros((3, 2)))


def test_a_column_may_be_copied_to_a_vector(device):
    d = cuda.to_device(np.zeros(3))
    d.copy_to_device(np.arange(3.0).reshape(3, 1))
    np.testing.assert_array_equal(d.copy_to_host(), np.arange(3.0))


# Allocating


def test_device_array_has_the_shape_dtype_and_order_asked_for(device):
    d = cuda.device_array((2, 3), np.int16, order="F")
    assert (d.shape, d.dtype, d.strides) == ((2, 3), np.int16, (2, 4))


def test_device_array_takes_a_heddle_type(device):
    assert cuda.device_array(3, float32).dtype == np.float32


def test_device_array_takes_strides(device):
    d = cuda.device_array((2, 3), np.int32, strides=(32, 4))
    d[:] = np.arange(6).reshape(2, 3)
    np.testing.assert_array_equal(d.copy_to_host(), np.arange(6).reshape(2, 3))
    assert d.alloc_size == 44


def test_device_array_like_keeps_the_order_of_axes(device):
    source = np.zeros((2, 3, 4), np.int8).transpose(2, 0, 1)
    assert cuda.device_array_like(source).strides == np.empty_like(source).strides


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"shape": -1}, ValueError, "no negative extents"),
        ({"shape": 2.5}, TypeError, "a shape is an int or a tuple of ints, not 2.5"),
        ({"shape": "ab"}, TypeError, "a shape is an int or a tuple of ints"),
        ({"shape": (1,) * 65}, ValueError, "at most 64 axes"),
        ({"shape": 3, "order": "K"}, ValueError, "order is 'C' or 'F'"),
        ({"shape": 3, "dtype": object}, TypeError, "cannot hold Python objects"),
        ({"shape": 3, "strides": (8, 8)}, ValueError, "one for each axis"),
        ({"shape": 3, "strides": (-8,)}, ValueError, "before the array"),
        ({"shape": (2**40, 2**40)}, MemoryError, "bytes"),
        ({"shape": 2**60}, MemoryError, "bytes"),
    ],
)
def test_device_array_refuses(device, arguments, error, message):
    with pytest.raises(error, match=message):
        cuda.device_array(**arguments)


def test_an_array_of_python_objects_stays_on_the_host(device):
    with pytest.raises(TypeError, match="a device array cannot hold Python objects"):
        cuda.to_device(np.array(["a", None], object))


def test_an_array_of_python_objects_is_not_shared(cpu):
    with pytest.raises(TypeError, match="a device array cannot hold Python objects"):
        cuda.as_cuda_array(np.array(["a", None], object))


def test_an_array_of_the_host_is_not_shared_with_a_gpu(device):
    if device.type == "cpu":
        pytest.skip("the CPU device reaches it")
    with pytest.raises(cuda.CudaSupportError, match="not in memory of.*cuda.to_device"):
        cuda.as_cuda_array(np.zeros(3))


def test_the_device_is_usable_after_memory_ran_out(device):
    with pytest.raises(MemoryError):
        cuda.device_array(2**50, np.int8)
    np.testing.assert_array_equal(cuda.to_device(np.arange(3)).copy_to_host(), np.arange(3))


# Attributes


def test_a_device_array_tells_what_it_is(device):
    d = cuda.to_device(np.zeros((2, 3), np.float32))
    assert (d.shape, d.strides, d.ndim, d.size, d.nbytes, d.itemsize) == (
        (2, 3),
        (12, 4),
        2,
        6,
        24,
        4,
    )
    assert d.dtype == np.float32
    assert d.flags.c_contiguous
    assert d.flags["C_CONTIGUOUS"]
    assert len(d) == 2


def test_the_length_of_an_array_of_rank_0_is_refused(device):
    with pytest.raises(TypeError, match="rank 0"):
        len(cuda.to_device(np.float32(1)))


def test_the_repr_names_shape_and_dtype(device):
    assert "(2, 3), float32" in repr(cuda.device_array((2, 3), np.float32))


def test_is_cuda_array_tells_device_arrays_from_host_arrays(device):
    assert cuda.is_cuda_array(cuda.device_array(3))
    assert not cuda.is_cuda_array(np.zeros(3))


# Indexing


@pytest.mark.parametrize(
    "index",
    [
        np.s_[1],
        np.s_[-1],
        np.s_[1:3],
        np.s_[::-1],
        np.s_[:, 2],
        np.s_[1, ...],
        np.s_[..., -1],
        np.s_[::2, 1:4:2],
        np.s_[:0],
        np.s_[()],
    ],
)
def test_an_index_selects_what_it_selects_in_numpy(device, index):
    source = np.arange(20).reshape(4, 5)
    np.testing.assert_array_equal(cuda.to_device(source)[index].copy_to_host(), source[index])


def test_an_element_is_a_numpy_scalar(device):
    element = cuda.to_device(np.arange(6, dtype=np.int16).reshape(2, 3))[1, -1]
    assert type(element) is np.int16
    assert element == 5


def test_a_slice_is_a_view(device):
    d = cuda.to_device(np.zeros(4))
    d[1:3][:] = 7
    np.testing.assert_array_equal(d.copy_to_host(), [0, 7, 7, 0])


def test_a_view_keeps_the_memory_alive(device):
    view = cuda.to_device(np.arange(1000.0))[500:]
    cuda.to_device(np.zeros(1000))
    assert view[0] == 500


@pytest.mark.parametrize("index", [[0, 1], np.array([True, False]), "a", None, 1.5, True])
def test_an_index_that_is_not_basic_is_refused(device, index):
    with pytest.raises(IndexError, match="takes integers, slices"):
        cuda.to_device(np.arange(2))[index]


@pytest.mark.parametrize("index", [2, -3, (0, 0)])
def test_an_index_out_of_bounds_is_refused(device, index):
    with pytest.raises(IndexError):
        cuda.to_device(np.arange(2))[index]


def test_iteration_gives_the_elements(device):
    assert list(cuda.to_device(np.arange(3))) == [0, 1, 2]


def test_a_scalar_is_assigned_to_every_element(device):
    d = cuda.to_device(np.zeros((2, 3)))
    d[:, 1] = 4
    np.testing.assert_array_equal(d.copy_to_host(), [[0, 4, 0], [0, 4, 0]])


def test_an_assigned_array_is_broadcast_and_cast(device):
    d = cuda.to_device(np.zeros((2, 3), np.int32))
    d[...] = np.array([1.9, 2.9, 3.9])
    np.testing.assert_array_equal(d.copy_to_host(), [[1, 2, 3], [1, 2, 3]])


def test_a_device_array_can_be_assigned(device):
    d = cuda.to_device(np.zeros(3))
    d[1:] = cuda.to_device(np.array([5.0, 6.0]))
    np.testing.assert_array_equal(d.copy_to_host(), [0, 5, 6])


def test_overlapping_parts_can_be_assigned(device):
    d = cuda.to_device(np.arange(6))
    d[1:] = d[:-1]
    np.testing.assert_array_equal(d.copy_to_host(), [0, 0, 1, 2, 3, 4])


def test_an_array_that_cannot_be_broadcast_is_refused(device):
    with pytest.raises(
        ValueError, match=r"cannot assign an array of shape \(2,\) to one of shape \(3,\)"
    ):
        cuda.to_device(np.zeros(3))[:] = np.zeros(2)


def test_getitem_and_setitem_take_a_stream(device):
    stream = cuda.stream()
    d = cuda.to_device(np.zeros(3), stream=stream)
    d.setitem(1, 5, stream=stream)
    assert d.getitem(1, stream=stream) == 5


def test_two_indices_too_many_are_refused(device):
    with pytest.raises(IndexError):
        cuda.to_device(np.arange(2))[0, 0, 0]


# Shapes


def test_reshape_is_a_view(device):
    d = cuda.to_device(np.arange(6))
    d.reshape(2, -1)[1, 2] = 9
    assert d[5] == 9


def test_reshape_takes_a_tuple_and_an_order(device):
    d = cuda.to_device(np.asfortranarray(np.arange(6).reshape(2, 3)))
    expected = np.arange(6).reshape(2, 3).reshape((3, 2), order="F")
    np.testing.assert_array_equal(d.reshape((3, 2), order="F").copy_to_host(), expected)


def test_a_reshape_to_another_size_is_refused(device):
    with pytest.raises(ValueError, match="cannot reshape"):
        cuda.to_device(np.arange(6)).reshape(4)


def test_a_reshape_that_needs_a_copy_is_refused(device):
    with pytest.raises(NotImplementedError, match="without a copy"):
        cuda.to_device(np.arange(6).reshape(2, 3))[:, :2].reshape(4)


def test_ravel_flattens(device):
    assert cuda.to_device(np.zeros((2, 3))).ravel().shape == (6,)


def test_ravel_that_needs_a_copy_is_refused(device):
    with pytest.raises(NotImplementedError, match="without a copy"):
        cuda.to_device(np.zeros((2, 3)))[:, ::2].ravel()


def test_T_is_a_new_transposed_array(device):
    d = cuda.to_device(np.arange(6).reshape(2, 3))
    turned = d.T
    d[:] = 0
    assert turned.is_c_contiguous()
    np.testing.assert_array_equal(turned.copy_to_host(), np.arange(6).reshape(2, 3).T)


def test_transpose_takes_axes(device):
    source = np.arange(24).reshape(2, 3, 4)
    np.testing.assert_array_equal(
        cuda.to_device(source).transpose((2, 0, 1)).copy_to_host(), source.transpose(2, 0, 1)
    )


def test_squeeze_drops_axes_of_extent_1(device):
    assert cuda.device_array((1, 3, 1)).squeeze().shape == (3,)


def test_squeeze_drops_the_axis_asked_for(device):
    assert cuda.device_array((1, 3, 1)).squeeze(axis=0).shape == (3, 1)


def test_view_reads_the_bytes_as_another_dtype(device):
    source = np.arange(4, dtype=np.float32)
    np.testing.assert_array_equal(
        cuda.to_device(source).view(np.int32).copy_to_host(), source.view(np.int32)
    )


def test_a_view_whose_size_does_not_fit_is_refused(device):
    with pytest.raises(ValueError):
        cuda.to_device(np.zeros(3, np.int8)).view(np.int32)


def test_split_gives_sections_and_the_rest(device):
    parts = list(cuda.to_device(np.arange(10)).split(4))
    assert [part.copy_to_host().tolist() for part in parts] == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]


def test_bind_gives_the_same_array_with_a_stream(device):
    d, stream = cuda.to_device(np.arange(3)), cuda.stream()
    bound = d.bind(stream)
    assert bound.stream is stream
    assert bound.address == d.address


def test_a_device_array_is_pickled_by_value(device):
    d = cuda.to_device(np.arange(6).reshape(2, 3).T)
    copy = pickle.loads(pickle.dumps(d))
    assert copy.address != d.address
    np.testing.assert_array_equal(copy.copy_to_host(), d.copy_to_host())


# Sharing memory


def test_numpy_reads_a_device_array(device):
    np.testing.assert_array_equal(np.asarray(cuda.to_device(np.arange(3))), np.arange(3))


def test_numpy_casts_a_device_array(device):
    assert np.array(cuda.to_device(np.arange(3)), dtype=np.float32).dtype == np.float32


def test_the_cpu_device_shares_memory_through_the_buffer_protocol(cpu):
    d = cuda.to_device(np.zeros(3))
    memoryview(d)[1] = 5.0
    assert d[1] == 5


def test_the_cpu_device_shares_memory_through_dlpack(cpu):
    d = cuda.to_device(np.arange(3.0))
    shared = np.from_dlpack(d)
    d[0] = 7
    assert shared[0] == 7


beside_a_gpu = pytest.mark.skipif(len(cuda.all_devices()) == 1, reason="there is no GPU")


@beside_a_gpu
def test_the_cpu_device_does_not_pass_for_a_gpu(cpu):
    assert not hasattr(cuda.device_array(3), "__cuda_array_interface__")


def test_as_cuda_array_shares_a_numpy_array(cpu):
    source = np.zeros(3)
    cuda.as_cuda_array(source)[1] = 4
    assert source[1] == 4


def test_as_cuda_array_shares_whatever_has_a_buffer(cpu):
    source = (ctypes.c_int32 * 3)(1, 2, 3)
    np.testing.assert_array_equal(cuda.as_cuda_array(source).copy_to_host(), [1, 2, 3])


def test_as_cuda_array_shares_an_array_of_another_library(cpu):
    source = np.zeros(3)
    cuda.as_cuda_array(Producer(source))[1] = 4
    assert source[1] == 4


class Producer:
    """Another library's array that offers only DLPack."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class ProducerOfBefore(Producer):
    """The same for a library older than DLPack 1.0."""

    def __dlpack__(self, *, stream=None):
        return self.array.__dlpack__(stream=stream)


@pytest.mark.parametrize("view", [np.s_[:], np.s_[1:, ::2], np.s_[::-1], np.s_[:0]], ids=str)
def test_a_device_array_is_shared_through_dlpack(device, view):
    source = np.arange(12, dtype=np.int16).reshape(3, 4)
    d = cuda.to_device(source)
    shared = cuda.as_cuda_array(Producer(d[view]))
    assert (shared.dtype, shared.shape) == (source.dtype, source[view].shape)
    shared[...] = 7
    source[view] = 7
    np.testing.assert_array_equal(d.copy_to_host(), source)


def test_a_consumer_from_before_dlpack_1_reads_a_device_array(device):
    shared = cuda.as_cuda_array(ProducerOfBefore(cuda.to_device(np.arange(6.0))))
    np.testing.assert_array_equal(shared.copy_to_host(), np.arange(6.0))


def test_memory_shared_through_dlpack_outlives_the_array(device):
    shared = cuda.as_cuda_array(Producer(cuda.to_device(np.full(1000, 3))))
    cuda.to_device(np.zeros(1000))
    np.testing.assert_array_equal(shared.copy_to_host(), 3)


def test_a_dlpack_capsule_that_nobody_takes_frees_the_array(device):
    d = cuda.to_device(np.zeros(3))
    gone = weakref.ref(d)
    capsule = d.__dlpack__(max_version=(1, 0))
    del d
    del capsule
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize("dtype", ["M8[s]", ">i4", "U3", "i4,f4"])
def test_dlpack_refuses_what_it_has_no_name_for(device, dtype):
    with pytest.raises((BufferError, TypeError)):
        cuda.to_device(np.zeros(3, dtype)).__dlpack__()


def test_dlpack_says_where_the_memory_is(device):
    expected = (1, 0) if device.type == "cpu" else (2, device.id)
    assert cuda.device_array(3).__dlpack_device__() == expected


def test_a_device_array_is_copied_from_another_device(device):
    with cuda.current_context("cpu"):
        there = cuda.to_device(np.arange(12).reshape(3, 4))
    here = cuda.to_device(there[:, ::2])
    assert here.device.index == device.id
    np.testing.assert_array_equal(here.copy_to_host(), [[0, 2], [4, 6], [8, 10]])
    there[1:] = here[1, 0]
    there.copy_to_device(cuda.to_device(np.arange(12).reshape(3, 4) + 1))
    np.testing.assert_array_equal(there.copy_to_host(), np.arange(12).reshape(3, 4) + 1)


def test_the_memory_of_an_array_is_told(device):
    d = cuda.to_device(np.arange(10, dtype=np.int32))
    memory = d.gpu_data
    assert int(memory) == memory.device_pointer.value == d.device_pointer
    assert (memory.size, memory.device.index) == (40, device.id)
    assert memory.view(8, 16).size == 8
    with pytest.raises(ValueError, match="not inside memory of 40 bytes"):
        memory.view(8, 41)


def test_memory_is_set_to_a_byte(device):
    d = cuda.to_device(np.zeros(4, np.uint8))
    d.gpu_data.memset(7, 3)
    np.testing.assert_array_equal(d.copy_to_host(), [7, 7, 7, 0])


def test_as_cuda_array_refuses_an_array_of_another_device(device):
    class Tensor:
        def __dlpack__(self, **options):
            raise AssertionError("nobody may ask for it")

        def __dlpack_device__(self):
            return (4, 0)  # kDLOpenCL

    with pytest.raises(cuda.CudaSupportError, match="another device|not in memory of"):
        cuda.as_cuda_array(Tensor())


def test_as_cuda_array_of_a_read_only_array_is_read_only(cpu):
    source = np.zeros(3)
    source.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        cuda.as_cuda_array(source)[0] = 1


def test_as_cuda_array_refuses_what_has_no_memory(device):
    with pytest.raises(TypeError, match="a dict does not expose its memory"):
        cuda.as_cuda_array({})


def test_the_memory_of_a_gpu_is_refused_by_the_cpu_device(cpu):
    class OnGpu:
        __cuda_array_interface__ = {
            "shape": (3,),
            "typestr": "<f4",
            "data": (4096, False),
            "version": 3,
        }

    with pytest.raises(cuda.CudaSupportError, match="in GPU memory|in the memory of a GPU"):
        cuda.as_cuda_array(OnGpu())


@pytest.mark.parametrize("typestr", ["<f4", "=f4", "f4", "float32"])
def test_an_array_interface_may_name_its_elements_as_numpy_does(only_cpu, typestr):
    @cuda.jit
    def double(x):
        x[cuda.grid(1)] *= 2

    values = np.arange(4, dtype=np.float32)

    class Owner:
        __cuda_array_interface__ = {
            "shape": (4,),
            "typestr": typestr,
            "data": (values.ctypes.data, False),
            "version": 2,
        }

    double[1, 4](Owner())
    np.testing.assert_array_equal(values, [0, 2, 4, 6])


def test_an_array_interface_whose_elements_are_none_of_numpys_is_an_error(only_cpu):
    class Owner:
        __cuda_array_interface__ = {
            "shape": (4,),
            "typestr": "quaternion",
            "data": (0, False),
            "version": 2,
        }

    with pytest.raises(TypeError, match="no type for elements of dtype quaternion"):
        cuda.jit(lambda x: None)[1, 4](Owner())


# Memory that host and device share


@pytest.mark.parametrize("make", [cuda.pinned_array, cuda.mapped_array, cuda.managed_array])
def test_shared_memory_is_a_numpy_array(device, make):
    made = make((2, 3), np.float32)
    made[:] = 3
    assert isinstance(made, np.ndarray)
    assert (made.shape, made.dtype, made.sum()) == ((2, 3), np.float32, 18)


@pytest.mark.parametrize("make", [cuda.pinned_array_like, cuda.mapped_array_like])
def test_shared_memory_like_an_array_has_its_layout(device, make):
    source = np.zeros((2, 3), np.int16, order="F")
    assert make(source).strides == source.strides


@pytest.mark.parametrize("make", [cuda.mapped_array, cuda.managed_array])
def test_the_device_sees_what_the_host_writes_to_shared_memory(device, make):
    made = make(3)
    made[:] = [1, 2, 3]
    cuda.as_cuda_array(made[1:])[0] = 9
    cuda.synchronize()
    np.testing.assert_array_equal(made, [1, 9, 3])


def test_the_result_of_arithmetic_on_shared_memory_is_not_shared(device):
    assert not cuda.is_cuda_array(cuda.mapped_array(3) + 1)


def test_pinned_is_a_context_for_several_arrays(device):
    first, second = np.arange(3.0), np.zeros(3)
    with cuda.pinned(first, second):
        stream = cuda.stream()
        cuda.to_device(first, stream).copy_to_host(second, stream)
        stream.synchronize()
    np.testing.assert_array_equal(second, first)


def test_mapped_gives_a_device_array_over_the_host_array(device):
    source = np.zeros(3)
    with cuda.mapped(source) as d:
        d[1] = 5
    assert source[1] == 5


def test_mapped_gives_a_list_for_several_arrays(device):
    with cuda.mapped(np.zeros(3), np.ones(3)) as (first, second):
        assert (first[0], second[0]) == (0, 1)


def test_the_class_can_be_made_over_allocated_memory(device):
    memory = cuda.current_context().memalloc(12)
    assert DeviceNDArray((3,), (4,), np.int32, gpu_data=memory).nbytes == 12


def test_memory_that_is_too_small_for_the_shape_is_refused(device):
    memory = cuda.current_context().memalloc(8)
    with pytest.raises(ValueError, match="spans 12 bytes, but the memory has 8"):
        DeviceNDArray((3,), (4,), np.int32, gpu_data=memory)


def test_a_view_has_the_memory_of_its_array(device):
    a = cuda.to_device(np.arange(4))
    assert a.view(np.uint64).gpu_data == a.gpu_data
    assert a.gpu_data != cuda.to_device(np.arange(4)).gpu_data
