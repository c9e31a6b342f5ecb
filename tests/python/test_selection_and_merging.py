"""``heddle.cuda.algorithms``: chosen and distinct elements, merges and reductions of segments, compared with NumPy."""

import itertools

import numpy as np
import pytest
from test_scans_and_sorting import DTYPES, numbers

from heddle import cuda
from heddle.cuda import algorithms
from heddle.cuda.algorithms import merging, segments, select_kernels, selection
from heddle.cuda.streams import to_native_stream

SIZES = [0, 1, 31, 4096, 4097, 13_000]


def is_large(x):
    return x > 20


def make_mask(size):
    return numbers(size, "u1") > 100


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", ["?", "u1", "f4", "i8", "c16"])
def test_elements_of_a_mask(device, size, dtype):
    array, mask = numbers(size, "i1").astype(dtype), make_mask(size)
    found = algorithms.select(cuda.to_device(array), cuda.to_device(mask))
    np.testing.assert_array_equal(found.copy_to_host(), array[mask])
    np.testing.assert_array_equal(algorithms.select(array, mask), array[mask])


@pytest.mark.parametrize("size", SIZES)
def test_elements_that_satisfy_a_function(device, size):
    array = numbers(size, "i1")
    found = algorithms.select(cuda.to_device(array), is_large)
    np.testing.assert_array_equal(found.copy_to_host(), array[array > 20])
    np.testing.assert_array_equal(
        algorithms.select(array, cuda.jit(device=True)(is_large)), array[array > 20]
    )


def test_elements_of_arrays_of_other_layouts(device):
    array = numbers(6000, "i2").reshape(60, 100)
    mask = make_mask(6000).reshape(60, 100)
    given = cuda.to_device(array)[::2, 1::3]
    expected = array[::2, 1::3][mask[::2, 1::3]]
    found = algorithms.select(given, cuda.to_device(mask)[::2, 1::3])
    np.testing.assert_array_equal(found.copy_to_host(), expected)
    found = algorithms.select(cuda.to_device(array[0])[::3], is_large)
    np.testing.assert_array_equal(found.copy_to_host(), array[0, ::3][array[0, ::3] > 20])


def test_what_select_refuses(device):
    array = cuda.to_device(numbers(10))
    with pytest.raises(ValueError, match=r"shape \(10,\), but the condition \(9,\)"):
        algorithms.select(array, cuda.to_device(make_mask(9)))
    with pytest.raises(TypeError, match="bools or a function, but this array has dtype int32"):
        algorithms.select(array, array)
    with pytest.raises(TypeError, match="in a device array, but the condition is in a host array"):
        algorithms.select(array, make_mask(10))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_distinct_elements(device, size, dtype):
    array = numbers(size, "i1").astype(dtype)
    if array.dtype.kind == "f":
        array[::9] = np.nan
    values, counts = algorithms.unique(cuda.to_device(array), return_counts=True)
    expected, expected_counts = np.unique(array, return_counts=True)
    np.testing.assert_array_equal(values.copy_to_host(), expected)
    np.testing.assert_array_equal(counts.copy_to_host(), expected_counts)
    np.testing.assert_array_equal(algorithms.unique(array), expected)


def test_distinct_elements_of_a_matrix(device):
    array = numbers(600, "u1").reshape(20, 30) % 7
    found = algorithms.unique(cuda.to_device(array)[:, ::2])
    np.testing.assert_array_equal(found.copy_to_host(), np.unique(array[:, ::2]))
    with pytest.raises(TypeError, match="dtype complex128"):
        algorithms.unique(np.zeros(3, complex))


MERGED_SIZES = [(0, 0), (0, 5), (5, 0), (1, 1), (1000, 2000), (1792, 1792), (4000, 3)]


def make_sorted_pair(sizes, dtype, descending):
    pair = [numbers(size + 9, "i1")[9:].astype(dtype) for size in sizes]
    if np.dtype(dtype).kind == "f":
        pair[0][::7], pair[1][::9] = np.nan, np.nan
    first, second = (algorithms.sort(array, descending) for array in pair)
    return first, second, algorithms.sort(np.concatenate(pair), descending)


@pytest.mark.parametrize("sizes", MERGED_SIZES, ids=str)
@pytest.mark.parametrize("dtype", ["?", "u1", "i4", "f8"])
@pytest.mark.parametrize("descending", [False, True])
def test_merged_arrays(device, sizes, dtype, descending):
    first, second, expected = make_sorted_pair(sizes, dtype, descending)
    given = cuda.to_device(first), cuda.to_device(second)
    found = algorithms.merge(*given, descending=descending)
    np.testing.assert_array_equal(found.copy_to_host(), expected)
    np.testing.assert_array_equal(algorithms.merge(first, second, descending), expected)


def test_merges_of_strided_arrays(device):
    array = np.arange(3000, dtype="i4")
    given = cuda.to_device(array)
    found = algorithms.merge(given[::2], given[1::2])
    np.testing.assert_array_equal(found.copy_to_host(), array)


def test_what_merge_refuses(device):
    array = cuda.to_device(numbers(10))
    with pytest.raises(TypeError, match="two device arrays or two host arrays"):
        algorithms.merge(array, numbers(10))
    with pytest.raises(TypeError, match="these have int32 and int32|these have int32 and float64"):
        algorithms.merge(numbers(10), numbers(10, "f8"))
    with pytest.raises(TypeError, match="merge takes arrays of rank 1"):
        algorithms.merge(np.zeros((2, 2)), np.zeros(2))


OPERATIONS = ["sum", "prod", "min", "max"]


def make_offsets(count, average):
    lengths = numbers(count, "u4") % np.uint32(2 * average)
    return np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)


def reduce_with_numpy(array, offsets, function, initial):
    parts = [array[a:b] for a, b in zip(offsets, offsets[1:], strict=False)]
    return np.array([function(part) if part.size else initial for part in parts])


@pytest.mark.parametrize(("count", "average"), [(1, 10), (100, 3), (50, 100), (7, 3000)])
@pytest.mark.parametrize(
    ("dtype", "operation"),
    [*itertools.product(["?", "u1", "i4", "f8"], OPERATIONS), ("c16", "sum"), ("c16", "prod")],
)
def test_reduced_segments(device, count, average, dtype, operation):
    offsets = make_offsets(count, average)
    array = numbers(offsets[-1], "?").astype(dtype)
    own = cuda.to_device(array)
    found = algorithms.segmented_reduce(own, cuda.to_device(offsets), operation)
    initial = segments._choose_initial_value(operation, None, found.dtype)
    expected = reduce_with_numpy(array, offsets, getattr(np, operation), initial)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found.copy_to_host(), expected)
    np.testing.assert_array_equal(algorithms.segmented_reduce(array, offsets, operation), expected)


def test_segments_reduced_by_a_function(device):
    array, offsets = numbers(5000, "i4"), make_offsets(20, 200)

    def join(x, y):
        return x | y

    given = cuda.to_device(array)
    found = algorithms.segmented_reduce(given, offsets, join, init=1).copy_to_host()
    expected = reduce_with_numpy(array, offsets, np.bitwise_or.reduce, 0) | 1
    np.testing.assert_array_equal(found, expected)
    with pytest.raises(TypeError, match="needs init"):
        algorithms.segmented_reduce(given, offsets, join)


def test_what_segmented_reduce_refuses(device):
    array = numbers(10)
    with pytest.raises(ValueError, match="'sum', 'prod', 'min', 'max' or a function, not 'mean'"):
        algorithms.segmented_reduce(array, [0, 10], "mean")
    with pytest.raises(ValueError, match="go from 0 to 11, but the array has 10 elements"):
        algorithms.segmented_reduce(array, [0, 11])
    with pytest.raises(ValueError, match=r"offsets\[1\] is 5, offsets\[2\] is 3"):
        algorithms.segmented_reduce(cuda.to_device(array), [0, 5, 3, 10])
    with pytest.raises(TypeError, match="offsets takes an array of rank 1 of integers"):
        algorithms.segmented_reduce(array, [0.5, 1])
    assert algorithms.segmented_reduce(array, [0]).size == 0


# The kernels for GPUs run on every device.
@pytest.mark.parametrize("size", [1, 4096, 4097, 13_000])
@pytest.mark.parametrize("dtype", ["u1", "f4", "i8", "c16"])
def test_the_selection_of_gpus(device, size, dtype):
    array, mask = numbers(size, "i1").astype(dtype), make_mask(size)
    given = cuda.to_device(array)
    native = to_native_stream(0, given.device)
    found, indices = selection._select_on_device(
        given, cuda.to_device(mask), select_kernels.is_in_mask, native, True
    )
    np.testing.assert_array_equal(found.copy_to_host(), array[mask])
    np.testing.assert_array_equal(indices.copy_to_host(), np.flatnonzero(mask))


def test_the_selection_of_gpus_counts_the_elements_of_huge_arrays_in_64_bits(device, monkeypatch):
    monkeypatch.setattr(selection, "_most_for_32_bits", 0)
    array, mask = numbers(13_000), make_mask(13_000)
    given = cuda.to_device(array)
    native = to_native_stream(0, given.device)
    found, _ = selection._select_on_device(
        given, cuda.to_device(mask), select_kernels.is_in_mask, native
    )
    np.testing.assert_array_equal(found.copy_to_host(), array[mask])


@pytest.mark.parametrize("size", [1, 4096, 13_000])
@pytest.mark.parametrize("dtype", ["?", "i4", "f8"])
def test_the_distinct_elements_of_gpus(device, size, dtype):
    array = numbers(size, "i1").astype(dtype)
    if array.dtype.kind == "f":
        array[::9] = np.nan
    ordered = cuda.to_device(np.sort(array))
    found = selection._find_run_values_and_lengths(
        ordered, True, to_native_stream(0, ordered.device)
    )
    for part, expected in zip(found, np.unique(array, return_counts=True), strict=True):
        np.testing.assert_array_equal(part.copy_to_host(), expected)


@pytest.mark.parametrize("sizes", MERGED_SIZES[1:], ids=str)
@pytest.mark.parametrize("dtype", ["?", "i4", "f8"])
@pytest.mark.parametrize("descending", [False, True])
def test_the_merge_of_gpus(device, sizes, dtype, descending):
    first, second, expected = make_sorted_pair(sizes, dtype, descending)
    out = cuda.to_device(np.zeros_like(expected))
    native = to_native_stream(0, out.device)
    merging._launch_merge(cuda.to_device(first), cuda.to_device(second), out, descending, native)
    np.testing.assert_array_equal(out.copy_to_host(), expected)


def test_the_merge_of_gpus_takes_equal_elements_of_the_first_array_first(device):
    first, second = np.full(3000, -0.0), np.full(3000, 0.0)
    out = cuda.to_device(np.zeros(6000))
    native = to_native_stream(0, out.device)
    merging._launch_merge(cuda.to_device(first), cuda.to_device(second), out, False, native)
    np.testing.assert_array_equal(np.signbit(out.copy_to_host()), np.arange(6000) < 3000)


@pytest.mark.parametrize("lanes", [1, 32, 256])
@pytest.mark.parametrize("dtype", ["?", "i2", "f4", "c16"])
@pytest.mark.parametrize("average", [1, 20, 700])
def test_the_segments_of_gpus(device, lanes, dtype, average):
    offsets = make_offsets(40, average)
    array = numbers(offsets[-1], "?").astype(dtype)
    given, out = cuda.to_device(array), cuda.to_device(np.zeros(40, array.dtype))
    native = to_native_stream(0, given.device)
    add = segments._functions["sum"]
    initial = array.dtype.type(0)
    limits = cuda.to_device(offsets)
    segments._launch_gpu_segmented_reduction(given, limits, out, add, initial, lanes, native)
    expected = reduce_with_numpy(array, offsets, np.sum, initial).astype(dtype)
    np.testing.assert_array_equal(out.copy_to_host(), expected)
