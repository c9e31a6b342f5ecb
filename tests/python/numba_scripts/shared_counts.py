import numpy as np
from numba import cuda, float32, uint32, uint64


@cuda.jit(device=True)
def count_in_shared_memory(values, bins, step, dtype, size, change, as_index):
    thread = cuda.threadIdx.x
    shared = cuda.shared.array(size, dtype)
    shared[thread] = values[thread]
    cuda.syncthreads()
    change(shared, as_index(bins[thread] % size), step)
    cuda.syncthreads()
    values[thread] = shared[thread]


@cuda.jit(device=True)
def unchanged(number):
    return number


@cuda.jit(device=True)
def as_uint64(number):
    return uint64(number)


@cuda.jit("void(uint32[:])")
def count_itself(values):
    count_in_shared_memory(values, values, 1, uint32, 32, cuda.atomic.add, unchanged)


@cuda.jit("void(float32[:], uint32[:])")
def count_halves(values, bins):
    count_in_shared_memory(values, bins, 0.5, float32, 32, cuda.atomic.add, as_uint64)


bins = np.random.default_rng(3).integers(0, 32, 32).astype(np.uint32)
counts = np.bincount(bins, minlength=32)
itself, halves = bins.copy(), np.zeros(32, np.float32)
count_itself[1, 32](itself)
count_halves[1, 32](halves, bins)
print(np.array_equal(itself, bins + counts), np.array_equal(halves, counts * 0.5))
