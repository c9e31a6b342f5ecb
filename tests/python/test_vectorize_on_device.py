"""Ufuncs with target "cuda" on device arrays: results stay on the device."""

import numpy as np
import pytest

from heddle import cuda, guvectorize, vectorize
from heddle.cuda.device_ndarray import DeviceNDArray
from heddle.errors import UnsupportedError


@pytest.fixture
def add(device):
    @vectorize(
        ["int64(int64, int64)", "float32(float32, float32)", "float64(float64, float64)"],
        target="cuda",
    )
    def add(a, b):
        return a + b

    return add


def values(*shape, dtype="f8"):
    return np.arange(np.prod(shape)).reshape(shape).astype(dtype)


def equal(found, expected):
    assert isinstance(found, DeviceNDArray) and found.dtype == expected.dtype
    np.testing.assert_array_equal(found.copy_to_host(), expected)


@pytest.mark.parametrize("shape", [(1,), (100_003,), (3, 5), (2, 3, 4), (4, 1, 1, 2), ()])
def test_arrays_of_any_shape(add, shape):
    array = np.array(values(*shape))
    on_device = cuda.to_device(array)
    equal(add(on_device, on_device), array + array)


@pytest.mark.parametrize("shape", [(0,), (3, 0)])
def test_empty_arrays(add, shape):
    found = add(cuda.device_array(shape), 1)
    assert found.shape == shape


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (np.s_[:], np.s_[0]),
        (np.s_[:, :1], np.s_[0]),
        (np.s_[::2, ::3], np.s_[1::2, 1::3]),
        (np.s_[::-1], np.s_[:, ::-1]),
    ],
)
def test_views_are_broadcast(add, first, second):
    array = values(4, 6)
    on_device = cuda.to_device(array)
    equal(add(on_device[first], on_device[second]), array[first] + array[second])


def test_three_and_four_axes_that_do_not_join(add):
    array = values(3, 4, 5, 6)
    on_device = cuda.to_device(array)
    equal(add(on_device[::2, ::2, ::2, ::2], 1), array[::2, ::2, ::2, ::2] + 1)
    equal(
        add(on_device[0, ::2, :, ::2], on_device[0, :1, :, :1]),
        array[0, ::2, :, ::2] + array[0, :1, :, :1],
    )


def test_more_axes_are_refused_with_advice(add):
    with pytest.raises(UnsupportedError, match="hint: pass contiguous copies"):
        add(cuda.to_device(np.zeros((4,) * 5))[::2, ::2, ::2, ::2, ::2], 1)


def test_host_arrays_and_numbers_join_in(add):
    array = values(2, 3, dtype="f4")
    on_device = cuda.to_device(array)
    equal(add(on_device, array[0]), array + array[0])
    equal(add(on_device, 2), array + np.float32(2))
    equal(add(np.float64(2), on_device), array + np.float64(2))
    equal(add(on_device, [1.0, 2.0, 3.0]), array + np.array([1.0, 2.0, 3.0]))


def test_elements_are_converted_as_numpy_converts_them(add):
    small, wide = values(9, dtype="i2"), values(9, dtype="f8")
    equal(add(cuda.to_device(small), cuda.to_device(wide)), small + wide)
    equal(add(cuda.to_device(small), 1), small.astype(np.int64) + 1)
    with pytest.raises(TypeError, match="add"):
        add(cuda.to_device(np.ones(3, np.complex64)), 1)


def test_results_go_to_device_and_host_arrays(add):
    array = values(7)
    on_device, out = cuda.to_device(array), cuda.device_array(7)
    assert add(on_device, on_device, out=out) is out
    equal(out, array * 2)
    assert add(array, array, out) is out
    assert add(on_device, 1, out=on_device) is on_device
    equal(on_device, array + 1)


def test_a_result_is_broadcast_to_and_converted(add):
    out = cuda.device_array((3, 4), np.float64)
    add(cuda.to_device(values(4, dtype="f4")), 1, out=out)
    equal(out, np.broadcast_to(values(4) + 1, (3, 4)))
    with pytest.raises(ValueError, match=r"the result has shape \(5,\), but out has \(4,\)"):
        add(cuda.to_device(values(5)), 1, out=cuda.device_array(4))
    with pytest.raises(TypeError, match="cast"):
        add(cuda.to_device(values(4)), 1, out=cuda.device_array(4, np.int64))


def test_masks_dtypes_and_casting(add):
    out, mask = cuda.to_device(np.zeros(4)), np.array([True, False, True, False])
    for given in (mask, cuda.to_device(mask)):
        add(cuda.to_device(values(4)), 1, out=out, where=given)
    equal(out, np.array([1.0, 0.0, 3.0, 0.0]))
    found = add(cuda.to_device(values(3, dtype="i8")), 1, dtype=np.float32, casting="unsafe")
    equal(found, np.arange(1, 4, dtype=np.float32))


def test_a_stream_orders_calls(add):
    stream = cuda.stream()
    total = cuda.to_device(np.zeros(10_000), stream=stream)
    for _ in range(10):
        add(total, 1.0, out=total, stream=stream)
    np.testing.assert_array_equal(total.copy_to_host(stream=stream), np.full(10_000, 10.0))


def test_fewer_threads_in_a_block(add):
    add.max_blocksize = 64
    equal(add(cuda.to_device(values(1000)), 1), values(1000) + 1)


def test_a_reduction_of_a_device_array(add):
    array = values(10_000, dtype="i8")
    assert add.reduce(cuda.to_device(array)) == array.sum()
    assert add.reduce(cuda.to_device(array[:1])) == 0
    with pytest.raises(TypeError, match="no identity"):
        add.reduce(cuda.device_array(0))


def test_an_outer_sum(add):
    array = values(3)
    equal(add.outer(cuda.to_device(array), cuda.to_device(array)), np.add.outer(array, array))


@pytest.mark.parametrize("method", ["accumulate", "reduceat", "at"])
def test_other_methods_need_host_arrays(add, method):
    with pytest.raises(UnsupportedError, match=f"no {method}\n  hint: pass array.copy_to_host"):
        getattr(add, method)(cuda.to_device(values(3)), [0])


def test_it_learns_the_types_of_device_arrays(device):
    @cuda.vectorize
    def cube(x):
        return x * x * x

    equal(cube(cuda.to_device(values(4, dtype="f4"))), values(4, dtype="f4") ** 3)
    assert cube.types == ["f->f"]


def test_operations_of_cuda_work_in_a_ufunc(device):
    @vectorize(["int32(int32)"], target="cuda")
    def ones(x):
        return cuda.popc(x)

    equal(ones(cuda.to_device(np.arange(4, dtype=np.int32))), np.array([0, 1, 1, 2], np.int32))


@pytest.fixture
def scaled(device):
    return vectorize(["float32(float32, float32)"], target="cuda")(lambda x, a: x * a)


def test_numbers_take_the_types_of_the_only_loop(scaled):
    assert (scaled(2, 3), scaled(2, 3).dtype) == (6, np.float32)
    equal(scaled(cuda.to_device(values(3, dtype="f4")), np.float64(2)), values(3, dtype="f4") * 2)


def test_arrays_keep_their_types_where_no_loop_takes_them(scaled):
    with pytest.raises(TypeError, match="not supported for the input types"):
        scaled(values(3), 2)


def test_a_generalized_ufunc_takes_wider_inputs_than_it_is_compiled_for(device):
    @guvectorize(["void(int32, int32[:], int32[:])"], "(),(n)->(n)", target="cuda")
    def scale(factor, x, out):
        for i in range(x.shape[0]):
            out[i] = factor * x[i]

    assert scale(2, np.arange(3, dtype=np.int64)).tolist() == [0, 2, 4]
