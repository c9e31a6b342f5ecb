import numba
import numpy as np
from numba import cuda


@cuda.jit
def min_max(x, min_max_array):
    nelements = x.shape[0]
    start = cuda.grid(1)
    stride = cuda.gridsize(1)
    # Array already seeded with starting values appropriate for x's dtype
    for i in range(start, nelements, stride):
        cuda.atomic.max(min_max_array, 1, x[i])
        cuda.atomic.min(min_max_array, 0, x[i])


@cuda.jit(device=True)
def compute_bin(x, n, xmin, xmax):
    # special case to mirror NumPy behavior for last bin
    if x == xmax:
        return n - 1
    bin = np.int32(n * (np.float64(x) - np.float64(xmin)) / (np.float64(xmax) - np.float64(xmin)))
    if bin < 0 or bin >= n:
        return -1
    else:
        return bin


@cuda.jit
def histogram(x, xmin, xmax, histogram_out):
    nbins = histogram_out.shape[0]
    start = cuda.grid(1)
    stride = cuda.gridsize(1)
    for i in range(start, x.shape[0], stride):
        bin_number = compute_bin(x[i], nbins, xmin, xmax)
        if bin_number >= 0 and bin_number < histogram_out.shape[0]:
            cuda.atomic.add(histogram_out, bin_number, 1)


def dtype_min_max(dtype):
    """Get the min and max value for a numeric dtype"""
    if np.issubdtype(dtype, np.integer):
        info = np.iinfo(dtype)
    else:
        info = np.finfo(dtype)
    return info.min, info.max


@numba.cuda.jit
def get_bin_edges(a_min, a_max, edges):
    i = cuda.grid(1)
    if i < edges.size:
        edges[i] = a_min + i * (a_max - a_min) / (edges.size - 1)


def numba_gpu_histogram(a, bins):
    # Move data to GPU so we can do two operations on it
    a_gpu = cuda.to_device(a)

    # Find min and max value in array
    dtype_min, dtype_max = dtype_min_max(a.dtype)
    # Put them in the array in reverse order so that they will be replaced by the first element
    min_max_array_gpu = cuda.to_device(np.array([dtype_max, dtype_min], dtype=a.dtype))
    min_max[64, 64](a_gpu, min_max_array_gpu)
    a_min, a_max = min_max_array_gpu.copy_to_host()

    # Bin the data into a histogram
    histogram_out = cuda.to_device(np.zeros(shape=(bins,), dtype=np.int32))
    histogram[64, 64](a_gpu, a_min, a_max, histogram_out)

    bin_edges = cuda.device_array(bins + 1)
    get_bin_edges[1, 64](a_min, a_max, bin_edges)
    return histogram_out.copy_to_host(), bin_edges.copy_to_host()


a = np.random.default_rng(0).normal(size=10_000).astype(np.float32)
hist, edges = numba_gpu_histogram(a, bins=10)
expected, expected_edges = np.histogram(a, bins=10)
np.testing.assert_array_equal(hist, expected)
np.testing.assert_allclose(edges, expected_edges, rtol=1e-6)
print(hist.sum())
