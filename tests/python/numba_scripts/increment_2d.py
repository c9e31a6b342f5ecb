import math

import numpy as np
from numba import cuda


@cuda.jit
def increment_by_one(an_array):
    # Thread id in a 1D block
    tx = cuda.threadIdx.x
    # Block id in a 1D grid
    ty = cuda.blockIdx.x
    # Block width, i.e. number of threads per block
    bw = cuda.blockDim.x
    # Compute flattened index inside the array
    pos = tx + ty * bw
    if pos < an_array.size:  # Check array boundaries
        an_array[pos] += 1


@cuda.jit
def increment_a_2D_array(an_array):
    x, y = cuda.grid(2)
    if x < an_array.shape[0] and y < an_array.shape[1]:
        an_array[x, y] += 1


@cuda.jit
def increment_a_3D_array(an_array):
    x, y, z = cuda.grid(3)
    nx, ny, nz = an_array.shape
    if x < nx and y < ny and z < nz:
        an_array[x, y, z] += 1


an_array = np.zeros(100, dtype=np.int64)
threadsperblock = 32
blockspergrid = (an_array.size + (threadsperblock - 1)) // threadsperblock
increment_by_one[blockspergrid, threadsperblock](an_array)
assert (an_array == 1).all()

an_array = np.zeros((70, 50), order="F")
threadsperblock = (16, 16)
blockspergrid_x = math.ceil(an_array.shape[0] / threadsperblock[0])
blockspergrid_y = math.ceil(an_array.shape[1] / threadsperblock[1])
blockspergrid = (blockspergrid_x, blockspergrid_y)
increment_a_2D_array[blockspergrid, threadsperblock](an_array)
increment_a_2D_array[blockspergrid, threadsperblock](an_array[::2, 1:-1])
print(an_array.sum())

cube = np.zeros((5, 6, 7), np.uint8)
increment_a_3D_array[(2, 2, 2), (4, 4, 4)](cube)
print(cube.sum())
