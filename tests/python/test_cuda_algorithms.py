"""``heddle.cuda.algorithms``, compared with NumPy."""

import warnings

import numpy as np
import pytest

from heddle import cuda
from heddle.cuda import algorithms
from heddle.cuda.algorithms import arg_reductions

REDUCTIONS = ["sum", "prod", "min", "max", "any", "all", "argmin", "argmax"]
DTYPES = ["?", "i1", "u1", "i2", "i4", "u4", "i8", "u8", "f2", "f4", "f8"]
SHAPES = [(1,), (65,), (100_003,), (17, 1, 33)]


def values(shape, dtype="f8"):
    count = int(np.prod(shape))
    numbers = (np.arange(count) * 7919 % 101).reshape(shape)
    return (numbers % 2 if dtype == "f2" else numbers).astype(dtype)


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_a_reduction_is_numpys(device, name, dtype, shape):
    array = values(shape, dtype)
    if name == "prod":  # exact in any order: no overflow beside a zero
        places = np.arange(array.size).reshape(shape)
        array = np.where(places % (array.size // 3 + 1), 1, 2).astype(dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # sums of many float16
        expected = getattr(np, name)(array)
    found = getattr(algorithms, name)(cuda.to_device(array))
    assert found.dtype == expected.dtype
    if dtype == "f2" and name == "sum" and array.size > 2048:
        np.testing.assert_allclose(found, expected, rtol=1e-2)
    else:
        assert found == expected


@pytest.mark.parametrize("name", REDUCTIONS)
def test_transposed_and_stepped_arrays_are_reduced(device, name):
    array = values((40, 50))
    array[13, 17], array[20, 7] = -1, 1000
    reduced, expected = getattr(algorithms, name), getattr(np, name)
    assert reduced(cuda.to_device(array).T) == expected(array.T)
    assert reduced(cuda.to_device(array)[::3, 1::2]) == expected(array[::3, 1::2])
    assert reduced(array) == expected(array)


@pytest.mark.parametrize("name", ["min", "max", "argmin", "argmax"])
@pytest.mark.parametrize("places", [[0], [5000], [9999], [300, 301, 9000]])
def test_a_nan_wins(device, name, places):
    array = values((10_000,))
    array[places] = np.nan
    found, expected = getattr(algorithms, name)(cuda.to_device(array)), getattr(np, name)(array)
    assert np.array_equal(found, expected, equal_nan=True)


def test_complex_sums_and_products(device):
    array = np.array([1 + 2j, 3 - 1j, 0.5j], np.complex64)
    assert algorithms.sum(cuda.to_device(array)) == array.sum()
    assert algorithms.prod(cuda.to_device(array)) == array.prod()


def test_the_dtype_of_a_sum_may_be_chosen(device):
    found = algorithms.sum(cuda.to_device(np.full(300, 200, np.uint8)), dtype=np.float32)
    assert found == 60_000 and found.dtype == np.float32


@pytest.mark.parametrize(("name", "expected"), [("sum", 0), ("prod", 1), ("any", 0), ("all", 1)])
def test_an_empty_array_has_the_identity(device, name, expected):
    assert getattr(algorithms, name)(cuda.device_array(0, np.float32)) == expected


@pytest.mark.parametrize("name", ["min", "max", "argmin", "argmax"])
def test_an_empty_array_has_no_lowest_element(device, name):
    with pytest.raises(ValueError, match="empty"):
        getattr(algorithms, name)(cuda.device_array((0, 3), np.float32))


def test_complex_numbers_have_no_order(device):
    with pytest.raises(TypeError, match="min compares ordered numbers"):
        algorithms.min(np.ones(3, np.complex64))


def test_a_result_may_stay_on_the_device(device):
    result = cuda.device_array(1, np.int64)
    assert algorithms.sum(cuda.to_device(np.arange(1000)), out=result) is None
    assert result.copy_to_host()[0] == 499_500


@pytest.mark.parametrize("count", [1, 31, 257, 5000])
@pytest.mark.parametrize("dtype", ["?", "i8", "u1", "f4", "f2"])
def test_the_kernel_for_gpus_finds_the_first_of_the_best(device, count, dtype):
    array, dtype = values((count,), dtype), np.dtype(dtype)
    kernel = arg_reductions.get_arg_kernel(arg_reductions._is_higher_or_nan, dtype)
    for blocks in {1, -(-count // arg_reductions.threads)}:
        result, ticket = np.full(1, -1), np.zeros(1, np.int64)
        partials = np.zeros(blocks, dtype), np.zeros(blocks, np.int64)
        kernel[blocks, arg_reductions.threads](array, result, *partials, ticket)
        assert (result[0], ticket[0]) == (np.argmax(array), 0)
