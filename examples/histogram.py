"""A histogram with atomics on global memory, then with block-private bins.

If all threads of a grid add to the same few bins, they queue for them. In the second kernel each block counts in shared
memory and adds its bins to the result at the end: one global atomic per bin and block instead of one per value.
"""

import numpy as np

from heddle import cuda

BINS = 64


@cuda.jit
def count_globally(values, low, high, bins):
    width = (high - low) / BINS
    for i in range(cuda.grid(1), values.size, cuda.gridsize(1)):
        if low <= values[i] < high:
            cuda.atomic.add(bins, int((values[i] - low) / width), 1)


@cuda.jit
def count_in_blocks(values, low, high, bins):
    mine = cuda.shared.array(BINS, np.int32)
    for b in range(cuda.threadIdx.x, BINS, cuda.blockDim.x):
        mine[b] = 0
    cuda.syncthreads()  # all bins are 0 before any thread counts

    width = (high - low) / BINS
    for i in range(cuda.grid(1), values.size, cuda.gridsize(1)):
        if low <= values[i] < high:
            cuda.atomic.add(mine, int((values[i] - low) / width), 1)
    cuda.syncthreads()  # all threads have counted before any bin is read

    for b in range(cuda.threadIdx.x, BINS, cuda.blockDim.x):
        cuda.atomic.add(bins, b, mine[b])


def run(n, way="blocks"):
    """Counts n normally distributed numbers in bins. Returns the counts of the kernel and of NumPy.

    way: "global" or "blocks".
    """
    values = np.random.default_rng(4).normal(size=n)
    # Bounds and bin width are exact in binary, so every value falls into the same bin as in NumPy.
    low, high = -2.0, 2.0
    bins = np.zeros(BINS, np.int32)
    kernel = count_globally if way == "global" else count_in_blocks
    kernel[64, 128](values, low, high, bins)

    inside = values[(values >= low) & (values < high)]
    return bins, np.histogram(inside, BINS, (low, high))[0]


def main(n=1_000_000):
    for way in ("global", "blocks"):
        bins, expected = run(n, way)
        np.testing.assert_array_equal(bins, expected)
        print(f"{way:>7}: {bins.sum():,} of {n:,} numbers in {BINS} bins")
    for row in bins.reshape(-1, 4).sum(axis=1):
        print("  " + "#" * round(50 * row / n * 8))


if __name__ == "__main__":
    main()
