import sys

import numpy as np
from numba import cuda, float64, void

THREADS = 128


@cuda.jit(void(float64[::1], float64[::1], float64[::1]))
def dot(a, b, c):
    cache = cuda.shared.array(THREADS, dtype=float64)
    tid = cuda.threadIdx.x + cuda.blockIdx.x * cuda.blockDim.x
    cache_index = cuda.threadIdx.x
    temp = 0.0
    while tid < a.size:
        temp += a[tid] * b[tid]
        tid += cuda.blockDim.x * cuda.gridDim.x
    cache[cache_index] = temp
    cuda.syncthreads()

    i = cuda.blockDim.x // 2
    while i != 0:
        if cache_index < i:
            cache[cache_index] += cache[cache_index + i]
        cuda.syncthreads()
        i = i // 2
    if cache_index == 0:
        c[cuda.blockIdx.x] = cache[0]


def main():
    if not cuda.is_available():
        sys.exit("This program needs a GPU")
    n = 33 * 1024
    a = np.arange(n, dtype=np.float64)
    b = 2.0 * a
    blocks = min(32, (n + THREADS - 1) // THREADS)
    partial_c = cuda.pinned_array(blocks)
    with cuda.pinned(a, b):
        stream = cuda.stream()
        with stream.auto_synchronize():
            dev_a = cuda.to_device(a, stream=stream)
            dev_b = cuda.to_device(b, stream=stream)
            dev_c = cuda.device_array(blocks, stream=stream)
            dot[blocks, THREADS, stream](dev_a, dev_b, dev_c)
            dev_c.copy_to_host(partial_c, stream=stream)
    print(f"Does GPU value {partial_c.sum():.6g} = {a @ b:.6g}?")


if __name__ == "__main__":
    main()
