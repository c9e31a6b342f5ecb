"""``heddle.cuda.algorithms``: scans, sorted copies and histograms, compared with NumPy."""

import numpy as np
import pytest

import heddle
from heddle import cuda
from heddle.cuda import algorithms
from heddle.cuda.algorithms import histograms, scans, sort_kernels, sorting
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


def with_equal_keys(array):
    """Repeats elements; among floats, there are NaNs and zeros of both signs."""
    array[1::3] = array[::3][: array[1::3].size]
    if array.dtype.kind == "f":
        array[5::11] = np.nan
        array[6::13] = -0.0
        array[7::13] = 0.0
    return array


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("size", [0, 1, 31, 5000])
def test_indices_that_sort(device, dtype, descending, size):
    array = with_equal_keys(numbers(size, dtype))
    found = algorithms.argsort(cuda.to_device(array), descending=descending)
    order = np.argsort(array[:: -1 if descending else 1], kind="stable")
    expected = size - 1 - order[::-1] if descending else order
    assert found.dtype == np.int64
    np.testing.assert_array_equal(found.copy_to_host(), expected)
    np.testing.assert_array_equal(algorithms.argsort(array, descending), expected)


@pytest.mark.parametrize("dtype", ["?", "i2", "f4", "c16"])
@pytest.mark.parametrize("descending", [False, True])
def test_values_are_sorted_by_keys(device, dtype, descending):
    keys, values = with_equal_keys(numbers(7000, "f4")), numbers(7000, "i1").astype(dtype)
    given = cuda.to_device(keys)[::2], cuda.to_device(values[::2])
    found, moved = algorithms.sort_by_key(*given, descending=descending)
    order = algorithms.argsort(keys[::2], descending)
    np.testing.assert_array_equal(found.copy_to_host(), keys[::2][order])
    np.testing.assert_array_equal(moved.copy_to_host(), values[::2][order])
    found, moved = algorithms.sort_by_key(keys, values, descending)
    np.testing.assert_array_equal(moved, values[algorithms.argsort(keys, descending)])


def test_what_sort_by_key_refuses(device):
    keys = cuda.to_device(numbers(10))
    with pytest.raises(ValueError, match="10 keys, but 9 values"):
        algorithms.sort_by_key(keys, keys[1:])
    with pytest.raises(TypeError, match="keys are a device array, but the values are a host array"):
        algorithms.sort_by_key(keys, numbers(10))
    with pytest.raises(TypeError, match="rank 2 and dtype float64"):
        algorithms.sort_by_key(numbers(10), np.zeros((2, 5)))
    with pytest.raises(TypeError, match="argsort takes arrays of rank 1"):
        algorithms.argsort(np.zeros((2, 2)))


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
@pytest.mark.parametrize("size", [1, 33, 4096, 4097, 140_000])
@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("dtype", ["i2", "u4", "i8", "f8", "c16"])
def test_the_scan_of_gpus(device, size, exclusive, dtype):
    array = numbers(size, "?").astype(dtype)
    given, out = cuda.to_device(array), cuda.to_device(np.zeros_like(array))
    native = to_native_stream(0, given.device)
    scans._launch_gpu_scan(given, out, scans._add_numbers, array.dtype.type(7), exclusive, native)
    expected = np.cumsum(array, dtype=dtype) + array.dtype.type(7 if exclusive else 0)
    expected = expected - array if exclusive else expected
    np.testing.assert_array_equal(out.copy_to_host(), expected)


def test_the_scan_of_gpus_keeps_the_order_of_operands(device):
    def compose(f, g):  # of x -> a x + b modulo 2^16, packed in one number
        a, b = f >> 16, f & 0xFFFF
        c, d = g >> 16, g & 0xFFFF
        return (((a * c) & 0xFFFF) << 16) | ((b * c + d) & 0xFFFF)

    array = numbers(9000, "u4").astype(np.int64)
    given, out = cuda.to_device(array), cuda.to_device(np.zeros_like(array))
    native = to_native_stream(0, given.device)
    scans._launch_gpu_scan(given, out, compose, np.int64(0), False, native)
    expected = algorithms.inclusive_scan(array, compose)
    np.testing.assert_array_equal(out.copy_to_host(), expected)


@pytest.mark.parametrize("dtype", ["i4", "f8"])
def test_the_scan_of_gpus_in_place(device, dtype):
    array = numbers(9000, "?").astype(dtype)
    given = cuda.to_device(array)
    native = to_native_stream(0, given.device)
    scans._launch_gpu_scan(given, given, scans._add_numbers, array.dtype.type(0), False, native)
    np.testing.assert_array_equal(given.copy_to_host(), np.cumsum(array, dtype=dtype))


@pytest.mark.parametrize("dtype", ["i4", "f8"])
def test_scans_of_gpus_in_one_stream_share_their_states(device, dtype):
    arrays = [numbers(size, "?").astype(dtype) for size in (9000, 33, 140_000, 9000)]
    native = to_native_stream(0, cuda.to_device(arrays[0]).device)
    found = [cuda.to_device(array) for array in arrays]
    for array in found * 2:
        scans._launch_gpu_scan(array, array, scans._add_numbers, array.dtype.type(0), False, native)
    for array, result in zip(arrays, found, strict=True):
        twice = np.cumsum(np.cumsum(array, dtype=dtype), dtype=dtype)
        np.testing.assert_array_equal(result.copy_to_host(), twice)


def test_a_graph_of_scans_of_gpus_is_launched_many_times(device):
    array = numbers(9000, "?").astype("i4")
    given = cuda.to_device(array)
    with cuda.graph() as graph:
        native = to_native_stream(0, given.device)
        scans._launch_gpu_scan(given, given, scans._add_numbers, np.int32(0), False, native)
    for _ in range(3):
        graph.launch()
        array = np.cumsum(array, dtype=array.dtype)
    np.testing.assert_array_equal(given.copy_to_host(), array)


def run_sort_of_gpus(array, descending=False, values=None):
    given, out = cuda.to_device(array), cuda.to_device(np.zeros_like(array))
    native = to_native_stream(0, given.device)
    if values is None:
        sorting._launch_radix_sort(given, out, descending, native)
        return out.copy_to_host()
    if isinstance(values, str):
        carried = cuda.to_device(np.zeros(array.size, np.int64))
        sorting._launch_radix_sort(given, out, descending, native, values, carried)
    else:
        carried = cuda.to_device(np.zeros_like(values))
        sorting._launch_sort_of_pairs(
            given, cuda.to_device(values), out, carried, descending, native
        )
    return out.copy_to_host(), carried.copy_to_host()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("descending", [False, True])
def test_the_sort_of_gpus(device, dtype, descending):
    array = numbers(17_000, dtype)
    found = run_sort_of_gpus(array, descending)
    np.testing.assert_array_equal(found, np.sort(array)[:: -1 if descending else 1])
    assert array.size > 2 * sort_kernels.choose_tile_config(array.itemsize, 0).size


def test_the_sort_of_gpus_counts_the_keys_of_huge_arrays_in_64_bits(device, monkeypatch):
    monkeypatch.setattr(sorting, "_most_for_32_bits", 0)
    array = with_equal_keys(numbers(9000, "i4"))
    np.testing.assert_array_equal(run_sort_of_gpus(array), np.sort(array))
    _, indices = run_sort_of_gpus(array, False, "index")
    np.testing.assert_array_equal(indices, np.argsort(array, kind="stable"))


@pytest.mark.parametrize("dtype", ["?", "u1", "i4", "f2", "f8"])
@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("size", [1, 6144, 6145, 13_000])
def test_the_sort_of_indices_of_gpus(device, dtype, descending, size):
    array = with_equal_keys(numbers(size, dtype))
    ordered, indices = run_sort_of_gpus(array, descending, "index")
    expected = algorithms.argsort(array, descending)
    np.testing.assert_array_equal(indices, expected)
    np.testing.assert_array_equal(ordered, array[expected])


@pytest.mark.parametrize("dtype", ["?", "i2", "f4", "f8", "c8", "c16"])
def test_the_sort_by_key_of_gpus(device, dtype):
    keys, values = with_equal_keys(numbers(9000, "f4")), numbers(9000, "i1").astype(dtype)
    found, moved = run_sort_of_gpus(keys, False, values)
    order = np.argsort(keys, kind="stable")
    np.testing.assert_array_equal(found, keys[order])
    np.testing.assert_array_equal(np.signbit(found), np.signbit(keys[order]))
    np.testing.assert_array_equal(moved, values[order])


def test_the_blocks_of_scans_and_sorts_of_gpus_do_not_race(device):
    with heddle.check(print=False, lints=False) as report:
        for array in numbers(9000, "i2"), numbers(5000, "i1").astype("f8"):
            given, out = cuda.to_device(array), cuda.to_device(np.zeros_like(array))
            native = to_native_stream(0, given.device)
            scans._launch_gpu_scan(
                given, out, scans._add_numbers, array.dtype.type(0), False, native
            )
            sorting._launch_radix_sort(given, out, False, native)
    assert report.findings == []


@pytest.mark.parametrize("count", [10, 4096, 5000])
@pytest.mark.parametrize("even", [False, True])
def test_the_histogram_of_gpus(device, count, even):
    array = numbers(20_000, "f4")
    expected, edges = np.histogram(array, count)
    given = cuda.to_device(array)
    found = histograms._count_on_device(given, edges, even, to_native_stream(0, given.device))
    np.testing.assert_array_equal(found.copy_to_host(), expected)
