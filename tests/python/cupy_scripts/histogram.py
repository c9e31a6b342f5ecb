import cupy as cp
import numpy as np

histogram = cp.RawKernel(
    r"""
extern "C" __global__
void histogram(const unsigned char* data, unsigned int* bins, int n) {
    extern __shared__ unsigned int local[];
    for (int b = threadIdx.x; b < 256; b += blockDim.x) local[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&local[data[i]], 1);
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += blockDim.x) atomicAdd(&bins[b], local[b]);
}
""",
    "histogram",
)
data = cp.random.randint(0, 256, 50000).astype(cp.uint8)
bins = cp.zeros(256, dtype=cp.uint32)
histogram((16,), (128,), (data, bins, data.size), shared_mem=256 * 4)
print(np.array_equal(bins.get(), np.bincount(data.get(), minlength=256)))
