"""``cuda.reduce``: reductions of arrays by a function, with numba.cuda's arguments and results."""

import functools

import numpy as np
import pytest

from heddle import cuda, types
from heddle.cuda.algorithms import reduce_kernels

sum_reduce = cuda.reduce(lambda a, b: a + b)
max_reduce = cuda.Reduce(lambda a, b: max(a, b))

# Around the elements of a thread's lanes, of a warp, of a block, of several blocks.
SIZES = [1, 2, 3, 31, 32, 33, 63, 64, 65, 255, 257, 1023, 1025, 4099, 100_003]
DTYPES = ["?", "i1", "u1", "i2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16"]


def values(count, dtype="f8"):
    """Zeros and a few ones, whose sum is exact in every dtype."""
    return (np.arange(count) % 64 == 1).astype(dtype)


@pytest.mark.parametrize("count", SIZES)
def test_the_sum_of_any_number_of_elements(device, count):
    array = np.arange(1, count + 1, dtype=np.float64)
    assert sum_reduce(array) == sum_reduce(cuda.to_device(array)) == array.sum()


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_result_has_the_arrays_dtype(device, dtype):
    array = values(1000, dtype)
    result = sum_reduce(cuda.to_device(array))
    assert result == array.sum(dtype=dtype) and result.dtype == array.dtype


def test_a_decorated_function_keeps_its_name(device):
    @cuda.reduce
    def product(a, b):
        """The product."""
        return a * b

    assert (product.__name__, product.__doc__) == ("product", "The product.")
    assert product(np.arange(1.0, 11.0), init=1) == 3628800


def test_a_device_function_reduces(device):
    @cuda.jit(device=True)
    def larger(a, b):
        return a if a > b else b

    assert cuda.reduce(larger)(np.arange(3717.0)) == 3716


def test_a_function_with_captured_values_reduces(device):
    modulus = 97

    @cuda.reduce
    def add(a, b):
        return (a + b) % modulus

    array = np.arange(10_000, dtype=np.int32)
    assert add(cuda.to_device(array)) == array.sum() % modulus


def test_init_is_reduced_with_the_array(device):
    array = np.arange(10.0)
    assert sum_reduce(array, init=3) == 48
    assert max_reduce(-array - 1) == 0  # as in numba, init is 0 where none is given
    assert max_reduce(-array - 1, init=-np.inf) == -1


def test_an_empty_array_is_init(device):
    assert sum_reduce(np.zeros(0, np.float32), init=7) == np.float32(7)
    assert sum_reduce(cuda.device_array(0, np.int16), init=2).dtype == np.int16


def test_size_limits_the_elements(device):
    array = np.arange(100_000.0)
    assert sum_reduce(array, size=1000) == array[:1000].sum()
    assert sum_reduce(cuda.to_device(array), size=10**9) == array.sum()


@pytest.mark.parametrize("count", [0, 1, 100, 100_000])
def test_a_result_on_the_device_stays_there(device, count):
    result = cuda.device_array(3, np.float64)
    array = cuda.to_device(np.arange(count, dtype=np.float64))
    assert sum_reduce(array, res=result, init=5) is None
    assert result.copy_to_host()[0] == 5 + count * (count - 1) // 2


def test_a_result_of_another_dtype_is_refused(device):
    with pytest.raises(TypeError, match="the result has dtype float64, but res has float32"):
        sum_reduce(np.ones(3), res=cuda.device_array(1, np.float32))


def test_a_matrix_is_refused(device):
    with pytest.raises(TypeError, match="reduces arrays of rank 1, but this one has rank 2"):
        sum_reduce(np.ones((3, 3)))


def test_arrays_in_steps_and_backwards(device):
    array = np.arange(20_001.0)
    on_device = cuda.to_device(array)
    for part in (slice(None, None, 3), slice(None, None, -1), slice(1, None)):
        assert sum_reduce(array[part]) == sum_reduce(on_device[part]) == array[part].sum()


def test_reductions_in_a_stream_follow_each_other(device):
    stream = cuda.stream()
    results = cuda.device_array(20, np.int64)
    for count in range(20):
        array = cuda.to_device(np.ones(count * 5000, np.int64), stream=stream)
        sum_reduce(array, res=results[count:], stream=stream)
    assert results.copy_to_host(stream=stream).tolist() == [count * 5000 for count in range(20)]


def test_threads_of_the_host_reduce_at_the_same_time(device):
    from concurrent.futures import ThreadPoolExecutor

    def sums(first):
        with cuda.gpus[device.id] if device.type == "cuda" else cuda.current_context("cpu"):
            return [sum_reduce(np.full(50_000, first + i)) for i in range(20)]

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(sums, range(4)))
    assert found == [[50_000 * (first + i) for i in range(20)] for first in range(4)]


def test_a_function_that_does_not_compile_is_told(device):
    with pytest.raises(cuda.errors.TypingError, match="nowhere"):
        cuda.reduce(lambda a, b: nowhere)(np.ones(4))  # noqa: F821 - that is the mistake


@functools.cache
def kernel_that_adds(dtype):
    add = cuda.jit(device=True)(lambda a, b: a + b)
    return reduce_kernels.make_gpu_reduction_kernel(add, types.from_dtype(dtype), dtype.itemsize)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("count", SIZES)
def test_the_kernels_for_gpus_in_any_number_of_blocks(device, dtype, count):
    dtype = np.dtype(dtype)
    kernel = kernel_that_adds(dtype)
    array, ticket = values(count, dtype), np.zeros(1, np.int64)
    most = -(-count // (reduce_kernels.threads * reduce_kernels.get_vector_length(dtype.itemsize)))
    for blocks in {1, min(3, most), min(most, 300)}:
        result, partials = np.zeros(1, dtype), np.zeros(blocks, dtype)
        kernel[blocks, reduce_kernels.threads](array, dtype.type(1), result, partials, ticket)
        expected = array.sum(dtype=dtype) + dtype.type(1)
        assert (result[0], ticket[0]) == (expected, 0), blocks
