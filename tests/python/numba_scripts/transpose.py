import numpy as np
from numba import cuda, float32

TILE_DIM = 32
BLOCK_ROWS = 8


@cuda.jit
def transpose(a_in, a_out):
    # The extra column avoids bank conflicts.
    tile = cuda.shared.array((TILE_DIM, TILE_DIM + 1), float32)
    x = cuda.blockIdx.x * TILE_DIM + cuda.threadIdx.x
    y = cuda.blockIdx.y * TILE_DIM + cuda.threadIdx.y
    for j in range(0, TILE_DIM, BLOCK_ROWS):
        if x < a_in.shape[1] and y + j < a_in.shape[0]:
            tile[cuda.threadIdx.y + j, cuda.threadIdx.x] = a_in[y + j, x]

    cuda.syncthreads()

    x = cuda.blockIdx.y * TILE_DIM + cuda.threadIdx.x
    y = cuda.blockIdx.x * TILE_DIM + cuda.threadIdx.y
    for j in range(0, TILE_DIM, BLOCK_ROWS):
        if x < a_out.shape[1] and y + j < a_out.shape[0]:
            a_out[y + j, x] = tile[cuda.threadIdx.x, cuda.threadIdx.y + j]


m, n = 100, 70
a = np.random.default_rng(0).random((m, n)).astype(np.float32)
d_out = cuda.device_array((n, m), dtype=np.float32)

start, end = cuda.event(), cuda.event()
start.record()
transpose[(-(-n // TILE_DIM), -(-m // TILE_DIM)), (TILE_DIM, BLOCK_ROWS)](cuda.to_device(a), d_out)
end.record()
end.synchronize()

np.testing.assert_array_equal(d_out.copy_to_host(), a.T)
print(cuda.event_elapsed_time(start, end) >= 0)
