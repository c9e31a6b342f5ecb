"""The arrays of the CuPy substitute on a GPU: device arrays with arithmetic; also tested on the CPU device."""

import numpy as np
import pytest

from heddle.compat import cupy as cp
from heddle.compat.cupy import device_names
from heddle.compat.cupy.device_arrays import DeviceArray
from heddle.support.byte_span import byte_span

OPERATORS = [
    f"__{name}__" for name in "add sub mul truediv floordiv mod pow lt le gt ge eq ne".split()
]


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("types", [("f4", "f4"), ("i4", "f8"), ("i4", "i4"), ("u1", "i8")])
def test_an_operator_gives_numpys_values_and_type(device, operator, types):
    a, b = np.arange(6).astype(types[0]), np.arange(6)[::-1].astype(types[1]) + 1
    b = b.astype(types[1])
    result = getattr(DeviceArray.from_values(a), operator)(DeviceArray.from_values(b))
    expected = getattr(a, operator)(b)
    assert result.dtype == expected.dtype
    np.testing.assert_allclose(result.get(), expected)


@pytest.mark.parametrize("operator", ["__floordiv__", "__mod__"])
@pytest.mark.parametrize("dtype", ["i1", "i8", "u4", "e", "f", "d"])
def test_quotients_round_down_as_pythons(device, operator, dtype):
    a, b = (x.ravel().astype(dtype) for x in np.meshgrid(np.arange(-9, 10), [-4, -1, 3, 5]))
    result = getattr(DeviceArray.from_values(a), operator)(DeviceArray.from_values(b))
    np.testing.assert_array_equal(result.get(), getattr(a, operator)(b))


def test_a_quotient_by_zero_is_zero(device):
    x = DeviceArray.from_values(np.array([7, -7, 0]))
    assert (x // 0).tolist() == (x % 0).tolist() == [0, 0, 0]


@pytest.mark.parametrize("dtype", ["e", "f", "d", "F", "D"])
def test_powers_are_numpys(device, dtype):
    x = np.arange(1, 6).astype(dtype)
    rtol = 1e-3 if dtype == "e" else 1e-6
    for found, expected in (
        (DeviceArray.from_values(x) ** 2, x**2),
        (2 ** DeviceArray.from_values(x), 2**x),
    ):
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found.get(), expected, rtol=rtol)


def test_masks_are_combined(device):
    x = DeviceArray.from_values(np.arange(6))
    assert (((x > 1) & (x < 4)) | ~(x != 5)).tolist() == [False, False, True, True, False, True]


def test_the_size_of_a_complex_number_is_real(device):
    size = abs(DeviceArray.from_values(np.array([3 + 4j], "F")) * 1j)
    assert size.dtype == np.float32 and size.tolist() == [5]


def test_numbers_are_operands_on_either_side(device):
    x = DeviceArray.from_values(np.arange(4, dtype="f"))
    result = 2 * x + 1 - x / 2
    assert result.dtype == np.float32 and result.tolist() == [1, 2.5, 4, 5.5]


def test_operands_are_broadcast(device):
    x = np.arange(12.0).reshape(3, 4)
    result = DeviceArray.from_values(x) - DeviceArray.from_values(x[0])
    np.testing.assert_array_equal(result.get(), x - x[0])


def test_an_operation_in_place_changes_the_array(device):
    x = DeviceArray.from_values(np.ones((2, 3)))
    x[:, 1] *= 5
    assert x.tolist() == [[1, 5, 1]] * 2


@pytest.mark.parametrize("dtype", ["i1", "i8", "e", "f"])
def test_an_array_is_negated_and_made_positive(device, dtype):
    x = DeviceArray.from_values(np.array([-1, 2], dtype))
    assert (-x).tolist() == [1, -2] and abs(x).tolist() == [1, 2]


def test_another_type_is_a_copy(device):
    x = DeviceArray.from_values(np.array([1.5, 2.5])).astype("i4")
    assert x.dtype == np.int32 and x.tolist() == [1, 2]


def test_filling_sets_every_element(device):
    x = DeviceArray((2, 3), "f")
    x.fill(7)
    assert x.tolist() == [[7] * 3] * 2


def test_an_element_is_an_array_of_no_dimensions(device):
    x = DeviceArray.from_values(np.arange(4))
    assert type(x[2]) is DeviceArray and x[2].shape == () and int(x[2]) == 2


def test_axes_are_exchanged_without_a_copy(device):
    x = DeviceArray.from_values(np.arange(6).reshape(2, 3))
    assert x.T.address == x.address and x.T.tolist() == [[0, 3], [1, 4], [2, 5]]


def test_another_shape_is_a_copy_where_it_must_be(device):
    x = DeviceArray.from_values(np.arange(6).reshape(2, 3))
    assert x.T.reshape(6).tolist() == [0, 3, 1, 4, 2, 5]


ORDERS = ["C", "F", "A", "K"]
LAYOUTS = {
    "C": np.arange(24).reshape(2, 3, 4),
    "F": np.asfortranarray(np.arange(24).reshape(2, 3, 4)),
    "axes exchanged": np.arange(24).reshape(2, 4, 3).transpose(0, 2, 1),
    "strided": np.arange(96).reshape(2, 6, 8)[:, ::2, ::2],
    "reversed": np.arange(24).reshape(2, 3, 4)[:, ::-1, ::-1],
    "empty": np.empty((2, 0, 4), "i8"),
    "of no dimensions": np.array(7),
}


def _copy_with_layout(values):
    """A device array with the values and the strides of a NumPy array."""
    low, high = byte_span(values.shape, values.strides, values.itemsize)
    memory = cp.cuda.alloc(max(high - low, 1))
    array = DeviceArray(values.shape, values.dtype, memory - low, values.strides)
    array.copy_to_device(values)
    return array


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("call", ["copy", "ravel", "flatten"])
def test_an_order_gives_numpys_elements(device, call, layout, order):
    values = LAYOUTS[layout]
    found = getattr(_copy_with_layout(values), call)(order)
    expected = getattr(values, call)(order)
    np.testing.assert_array_equal(found.get(), expected)
    assert not values.size or found.strides == expected.strides


@pytest.mark.parametrize("order", ["C", "F", "A"])
@pytest.mark.parametrize("layout", [name for name in LAYOUTS if LAYOUTS[name].ndim])
def test_another_shape_in_an_order_gives_numpys_elements(device, layout, order):
    values = LAYOUTS[layout]
    shape = (4, -1) if values.size else (0, 3)
    found = _copy_with_layout(values).reshape(shape, order=order)
    np.testing.assert_array_equal(found.get(), values.reshape(shape, order=order))


def test_a_wrong_shape_or_order_is_an_error(device):
    x = DeviceArray.from_values(np.arange(6))
    for shape, order in (((-1, -1), "C"), ((4, 2), "F"), ((2, 3), "K"), ((2, 3), "X")):
        with pytest.raises(ValueError):
            x.reshape(shape, order=order)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_another_type_keeps_the_order(device, layout, order):
    values = LAYOUTS[layout]
    found = _copy_with_layout(values).astype("f", order)
    expected = values.astype("f", order)
    np.testing.assert_array_equal(found.get(), expected)
    assert not values.size or found.strides == expected.strides


@pytest.mark.parametrize("order", ORDERS)
def test_the_same_type_is_a_copy_only_if_the_order_differs(device, order):
    for values in (LAYOUTS["C"], LAYOUTS["F"], LAYOUTS["strided"]):
        x = _copy_with_layout(values)
        is_kept = values.astype(values.dtype, order, copy=False) is values
        assert (x.astype(x.dtype, order, copy=False) is x) == is_kept
        assert (device_names.asarray(x, order=order) is x) == is_kept


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", ["empty_like", "ones_like", "zeros_like", "array"])
def test_functions_make_arrays_in_an_order(device, name, order):
    for values in (LAYOUTS["C"], LAYOUTS["F"], LAYOUTS["axes exchanged"]):
        found = getattr(device_names, name)(_copy_with_layout(values), order=order)
        assert found.strides == getattr(np, name)(values, order=order).strides


def test_functions_keep_the_order_of_numpy_arrays(device):
    values = LAYOUTS["F"]
    assert device_names.array(values).strides == values.strides
    assert device_names.zeros((2, 3), order="F").is_f_contiguous()
    assert device_names.ascontiguousarray(values).is_c_contiguous()
    assert device_names.asfortranarray(LAYOUTS["C"]).is_f_contiguous()


def test_an_array_looks_at_memory(device):
    memory = cp.cuda.alloc(16)
    DeviceArray((4,), "f", memory).set(np.arange(4, dtype="f"))
    assert DeviceArray((2,), "f", memory + 8).tolist() == [2, 3]


def test_kernels_of_fragments_take_and_make_device_arrays(device):
    square = cp.ElementwiseKernel("T x", "T y", "y = x * x", "square")
    total = cp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "total")
    squares = square(DeviceArray.from_values(np.arange(6.0).reshape(2, 3)))
    assert type(squares) is DeviceArray and total(squares, axis=1).tolist() == [5, 50]


def test_reductions_in_several_streams_keep_their_parts_apart(device):
    total = cp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "total")
    arrays = [DeviceArray.from_values(np.full(1 << 18, k, "i8")) for k in range(8)]
    streams = [cp.cuda.Stream(non_blocking=True) for _ in range(3)]
    cp.cuda.Device().synchronize()
    sums = [total(x, stream=streams[k % 3]) for k, x in enumerate(arrays)]
    cp.cuda.Device().synchronize()
    assert [int(s) for s in sums] == [k << 18 for k in range(8)]


def test_raw_kernels_take_device_arrays(device):
    x = DeviceArray.from_values(np.arange(4, dtype="f"))
    kernel = cp.RawKernel("__global__ void k(float* x) { x[threadIdx.x] *= 2; }", "k")
    kernel((1,), (4,), (x,))
    assert x.tolist() == [0, 2, 4, 6]


def test_what_is_not_there_advises_cupy(device):
    with pytest.raises(AttributeError, match="cumsum: .* install CuPy for the rest"):
        DeviceArray.from_values(np.ones(3)).cumsum()


@pytest.mark.parametrize("name", ["zeros", "ones", "arange", "identity"])
def test_functions_make_device_arrays(device, name):
    made = getattr(device_names, name)(3, dtype="f")
    assert type(made) is DeviceArray and made.dtype == np.float32
    np.testing.assert_array_equal(made.get(), getattr(np, name)(3, dtype="f"))


def test_functions_make_arrays_like_others(device):
    x = device_names.asarray([[1, 2], [3, 4]])
    assert device_names.full_like(x, 7).tolist() == [[7, 7], [7, 7]]
    assert device_names.zeros_like(x, dtype="f").dtype == np.float32


def test_asarray_copies_no_array_of_its_type(device):
    x = device_names.asarray(np.ones(3))
    assert device_names.asarray(x) is x and device_names.asarray(x, "f").dtype == np.float32


def test_random_numbers_are_device_arrays(device):
    device_names.random.seed(1)
    values = device_names.random.rand(4)
    assert type(values) is DeviceArray
    np.testing.assert_array_equal(values.get(), np.random.RandomState(1).rand(4))


def test_a_function_that_is_not_there_advises_cupy(device):
    with pytest.raises(AttributeError, match="sort: .* install CuPy for the rest"):
        device_names.sort  # noqa: B018


def test_an_array_is_copied_to_numpy(device):
    assert device_names.asnumpy(device_names.arange(3)).tolist() == [0, 1, 2]


def test_integers_become_float64(device):
    x = DeviceArray.from_values(np.arange(3))
    assert device_names.asarray(x, np.dtype("float64")).dtype == np.float64
    assert DeviceArray.from_values(x, np.dtype("float64")).tolist() == [0.0, 1.0, 2.0]
