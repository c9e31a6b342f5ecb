import numpy as np
from numba import cuda, int32

BLOCK = 128


@cuda.jit
def scan_blocks(values, out, sums):
    """Inclusive scan of every block (Hillis and Steele), and the block's total."""
    temp = cuda.shared.array((2, BLOCK), int32)
    tid = cuda.threadIdx.x
    i = cuda.grid(1)
    source, target = 0, 1

    temp[source, tid] = values[i] if i < values.shape[0] else 0
    cuda.syncthreads()

    offset = 1
    while offset < BLOCK:
        temp[target, tid] = temp[source, tid]
        if tid >= offset:
            temp[target, tid] += temp[source, tid - offset]
        source, target = target, source
        offset <<= 1
        cuda.syncthreads()

    if i < values.shape[0]:
        out[i] = temp[source, tid]
    if tid == cuda.blockDim.x - 1 and sums is not None:
        sums[cuda.blockIdx.x] = temp[source, tid]


@cuda.jit
def add_offsets(out, block_sums):
    i = cuda.grid(1)
    if i < out.shape[0] and cuda.blockIdx.x > 0:
        out[i] += block_sums[cuda.blockIdx.x - 1]


values = np.random.default_rng(0).integers(0, 10, 10_000).astype(np.int32)
blocks = (values.size + BLOCK - 1) // BLOCK

d_values = cuda.to_device(values)
d_out = cuda.device_array_like(d_values)
d_sums = cuda.device_array(blocks, np.int32)
d_scanned = cuda.device_array(blocks, np.int32)
d_total = cuda.device_array(1, np.int32)
scan_blocks[blocks, BLOCK](d_values, d_out, d_sums)
scan_blocks[1, BLOCK](d_sums, d_scanned, d_total)
add_offsets[blocks, BLOCK](d_out, d_scanned)

np.testing.assert_array_equal(d_out.copy_to_host(), np.cumsum(values))
print(d_total[0] == values.sum())
