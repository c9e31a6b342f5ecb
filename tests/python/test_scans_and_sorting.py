"""``heddle.cuda.algorithms``: scans, sorted copies and histograms, compared with NumPy."""

import numpy as np
import pytest

from heddle import cuda
from heddle.cuda import algorithms
from heddle.cuda.algorithms import histograms, scan_kernels, scans, sort_kernels, sorting
from heddle.cuda.streams import to_native_stream

SIZES = [1, 2, 31, 257, 1792, 1793, 40_000]
DTYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8"]


def numbers(count, dtype="i4"):
    dtype = np.dtype(dtype)
    mixed = (np.arange(count, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(3)
    if dtype.kind == "f":
        values = (mixed % np.uint64(20_001)).astype("f8") / 8 - 1000
        return values.astype(dtype)
    return mixed.astype(dtype) if dtype.kind != "b" else (mixed % np.uint64(3) == 0)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", ["?", "u1", "i4", "u8", "f8", "c16"])
def test_running_sums(device, size, dtype):
    array = numbers(size, "i1").astype(dtype) if dtype != "?" else numbers(size, "?")
    found = algorithms.inclusive_scan(cuda.to_device(array))
    expected = np.cumsum(array)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found.copy_to_host(), expected)
    found = algorithms.exclusive_scan(cuda.to_device(array), init=5)
    before = expected - array.astype(expected.dtype) + expected.dtype.type(5)
    np.testing.assert_array_equal(found.copy_to_host(), before)


def test_a_function_need_not_be_commutative(device):
    def compose(f, g):  # of x -> a x + b modulo 2^16, packed in one number
        a, b = f >> 16, f & 0xFFFF
        c, d = g >> 16, g & 0xFFFF
        return (((a * c) & 0xFFFF) << 16) | ((b * c + d) & 0xFFFF)

    array = numbers(30_000, "u4").astype(np.int64)
    expected = np.empty_like(array)
    expected[0] = array[0]
    for i in range(1, array.size):
        expected[i] = compose(int(expected[i - 1]), int(array[i]))
    found = algorithms.inclusive_scan(cuda.to_device(array), compose)
    np.testing.assert_array_equal(found.copy_to_host(), expected)


def test_a_scan_by_a_device_function_into_an_array(device):
    @cuda.jit(device=True)
    def higher(x, y):
        return max(x, y)

    array = numbers(5000, "f4")
    out = cuda.device_array(5000, np.float32)
    assert algorithms.inclusive_scan(cuda.to_device(array), higher, out=out) is out
    np.testing.assert_array_equal(out.copy_to_host(), np.maximum.accumulate(array))


def test_arrays_of_the_host_and_of_other_layouts(device):
    array = numbers(3000).reshape(50, 60)
    found = algorithms.inclusive_scan(array.T)
    assert isinstance(found, np.ndarray)
    np.testing.assert_array_equal(found, np.cumsum(array.T))
    found = algorithms.inclusive_scan(cuda.to_device(array)[::3, 1::2])
    np.testing.assert_array_equal(found.copy_to_host(), np.cumsum(array[::3, 1::2]))
    assert algorithms.inclusive_scan(cuda.device_array(0, np.int32)).size == 0


def test_what_a_scan_refuses(device):
    array = cuda.to_device(numbers(10))
    with pytest.raises(ValueError, match="out takes an array of rank 1 with 10 elements of int64"):
        algorithms.inclusive_scan(array, out=cuda.device_array(10, np.int32))
    with pytest.raises(TypeError, match="scans combine numbers"):
        algorithms.inclusive_scan(np.array(["a"]))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("descending", [False, True])
def test_sorted_copies(device, dtype, descending):
    for size in 0, 1, 4095, 4097, 50_000:
        array = numbers(size, dtype)
        given = cuda.to_device(array)
        found = algorithms.sort(given, descending=descending).copy_to_host()
        expected = np.sort(array)[::-1] if descending else np.sort(array)
        np.testing.assert_array_equal(found, expected)
        np.testing.assert_array_equal(given.copy_to_host(), array)


def test_nans_and_infinities_are_sorted_as_in_numpy(device):
    array = numbers(9000, "f4")
    array[[5, 700, 8999]] = np.nan
    array[[6, 800]] = -np.nan
    array[[7, 4000]] = np.inf, -np.inf
    found = algorithms.sort(cuda.to_device(array)).copy_to_host()
    np.testing.assert_array_equal(found, np.sort(array))
    np.testing.assert_array_equal(algorithms.sort(array), np.sort(array))
    stepped = algorithms.sort(cuda.to_device(array)[::2]).copy_to_host()
    np.testing.assert_array_equal(stepped, np.sort(array[::2]))


def test_what_sort_refuses(device):
    with pytest.raises(TypeError, match="rank 2 and dtype float64"):
        algorithms.sort(np.zeros((2, 2)))
    with pytest.raises(TypeError, match="dtype complex128"):
        algorithms.sort(cuda.to_device(np.zeros(3, complex)))


@pytest.mark.parametrize("dtype", ["u1", "i4", "f4", "f8"])
@pytest.mark.parametrize(
    ("bins", "limits"),
    [(10, None), (7, (-50, 90)), (5000, (0, 255)), ([0, 1, 10, 100], None)],
    ids=str,
)
def test_histograms(device, dtype, bins, limits):
    array = (numbers(20_000, "i1") if dtype != "u1" else numbers(20_000, "u1")).astype(dtype)
    counts, edges = algorithms.histogram(cuda.to_device(array), bins, limits)
    expected, expected_edges = np.histogram(array, bins, limits)
    np.testing.assert_array_equal(counts.copy_to_host(), expected)
    np.testing.assert_array_equal(edges, expected_edges)


def test_a_histogram_leaves_nans_out(device):
    array = np.array([0.0, 1.0, np.nan, 0.1, 0.3 - 0.2, 1.0])
    counts, _ = algorithms.histogram(cuda.to_device(array), 10, (0, 1))
    np.testing.assert_array_equal(counts.copy_to_host(), np.histogram(array, 10, (0, 1))[0])
    with pytest.raises(ValueError, match="finite"):
        algorithms.histogram(cuda.to_device(array), 10)


# The kernels for GPUs run on every device.
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("exclusive", [False, True])
def test_the_scan_of_gpus(device, size, exclusive):
    array = numbers(size, "i1").astype(np.int64)
    chunk = 2 * scan_kernels.tile
    blocks = -(-size // chunk)
    given, out = cuda.to_device(array), cuda.to_device(np.zeros_like(array))
    totals = cuda.to_device(np.zeros(blocks, np.int64))
    total, scan = scans._get_scan_kernels(scans._add, array.dtype, exclusive, False)
    total[blocks, scan_kernels.threads](given, totals, chunk)
    scan[blocks, scan_kernels.threads](given, out, totals, chunk, 7, True)
    expected = np.cumsum(array) + 7
    np.testing.assert_array_equal(out.copy_to_host(), expected - array if exclusive else expected)


@pytest.mark.parametrize("dtype", ["i2", "u4", "f8"])
def test_the_sort_of_gpus(device, dtype):
    array = numbers(10_000, dtype)
    given, out = cuda.to_device(array), cuda.to_device(np.zeros_like(array))
    sorting._launch_radix_sort(given, out, False, to_native_stream(0, given.device))
    np.testing.assert_array_equal(out.copy_to_host(), np.sort(array))
    assert array.size > 2 * sort_kernels.tile


@pytest.mark.parametrize("count", [10, 4096, 5000])
@pytest.mark.parametrize("even", [False, True])
def test_the_histogram_of_gpus(device, count, even):
    array = numbers(20_000, "f4")
    expected, edges = np.histogram(array, count)
    given = cuda.to_device(array)
    found = histograms._count_on_device(given, edges, even, to_native_stream(0, given.device))
    np.testing.assert_array_equal(found.copy_to_host(), expected)
