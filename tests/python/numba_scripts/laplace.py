# The classic Laplace demo: errors per block, reduced on the host, until the plate is in balance.
import numpy as np
from numba import cuda, f8

# NOTE: CUDA kernel does not return any value
tpb = 16


@cuda.jit(device=True)
def get_max(a, b):
    if a > b:
        return a
    else:
        return b


@cuda.jit("void(f8[:,:], f8[:,:], f8[:,:])")
def jacobi_relax_core(A, Anew, error):
    err_sm = cuda.shared.array((tpb, tpb), dtype=f8)

    ty = cuda.threadIdx.x
    tx = cuda.threadIdx.y
    bx = cuda.blockIdx.x
    by = cuda.blockIdx.y

    n = A.shape[0]
    m = A.shape[1]

    i, j = cuda.grid(2)

    err_sm[ty, tx] = 0
    if j >= 1 and j < n - 1 and i >= 1 and i < m - 1:
        Anew[j, i] = 0.25 * (A[j, i + 1] + A[j, i - 1] + A[j - 1, i] + A[j + 1, i])
        err_sm[ty, tx] = Anew[j, i] - A[j, i]

    cuda.syncthreads()

    # max-reduce err_sm vertically
    t = tpb // 2
    while t > 0:
        if ty < t:
            err_sm[ty, tx] = get_max(err_sm[ty, tx], err_sm[ty + t, tx])
        t //= 2
        cuda.syncthreads()

    # max-reduce err_sm horizontally
    t = tpb // 2
    while t > 0:
        if tx < t and ty == 0:
            err_sm[ty, tx] = get_max(err_sm[ty, tx], err_sm[ty, tx + t])
        t //= 2
        cuda.syncthreads()

    if tx == 0 and ty == 0:
        error[by, bx] = err_sm[0, 0]


NN = 64
NM = 64
A = np.zeros((NN, NM), dtype=np.float64)
Anew = np.zeros((NN, NM), dtype=np.float64)
for j in range(NN):
    A[j, 0] = 1.0
    Anew[j, 0] = 1.0

iter_max = 100
tol = 1.0e-6
blockdim = (tpb, tpb)
griddim = (NN // blockdim[0], NM // blockdim[1])

error_grid = np.zeros(griddim)
stream = cuda.stream()
dA = cuda.to_device(A, stream)
dAnew = cuda.to_device(Anew, stream)
derror_grid = cuda.to_device(error_grid, stream)

error = 1.0
iterations = 0
while error > tol and iterations < iter_max:
    jacobi_relax_core[griddim, blockdim, stream](dA, dAnew, derror_grid)
    derror_grid.copy_to_host(error_grid, stream=stream)
    stream.synchronize()
    error = np.abs(error_grid).max()
    # swap dA and dAnew
    dA, dAnew = dAnew, dA
    iterations += 1
dA.copy_to_host(A, stream=stream)
stream.synchronize()

reference = np.zeros((NN, NM))
reference[:, 0] = 1.0
for _ in range(iter_max):
    new = reference.copy()
    new[1:-1, 1:-1] = 0.25 * (
        reference[1:-1, 2:] + reference[1:-1, :-2] + reference[:-2, 1:-1] + reference[2:, 1:-1]
    )
    last_error = np.abs(new - reference).max()
    reference = new
np.testing.assert_allclose(A, reference, rtol=1e-12, atol=1e-12)
assert np.isclose(error, last_error)
print(iterations)
