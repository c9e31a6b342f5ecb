import numpy as np
from numba import cuda


@cuda.jit
def jacobi_step(A, b, x, x_new, changed):
    i = cuda.grid(1)
    n = b.shape[0]
    if i >= n:
        return
    sigma = 0.0
    row = A[i, :]
    for j in range(n):
        if j != i:
            sigma += row[j] * x[j]
    x_new[i] = (b[i] - sigma) / row[i]
    if abs(x_new[i] - x[i]) > 1e-10:
        changed[0] = True


n = 200
rng = np.random.default_rng(3)
A = rng.random((n, n))
A += np.diag(A.sum(axis=1) + 1)
b = rng.random(n)

x, x_new = np.zeros(n), np.zeros(n)
changed = np.zeros(1, dtype=np.bool_)
jacobi = jacobi_step.forall(n)
for iteration in range(1000):
    changed[0] = False
    jacobi(cuda.In(A), cuda.In(b), cuda.In(x), cuda.Out(x_new), cuda.InOut(changed))
    x, x_new = x_new, x
    if not changed[0]:
        break

np.testing.assert_allclose(A @ x, b, atol=1e-7)
print("converged:", iteration < 999)
