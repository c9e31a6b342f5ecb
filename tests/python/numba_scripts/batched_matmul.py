"""Products of a thousand small matrices by a generalized ufunc, and the sum of one of them by a reduction."""

import numpy as np
from numba import cuda, guvectorize


@guvectorize(
    ["void(float64[:,:], float64[:,:], float64[:,:])"], "(m,n),(n,p)->(m,p)", target="cuda"
)
def batched_matmul(a, b, c):
    m, n = a.shape
    n, p = b.shape
    for i in range(m):
        for j in range(p):
            c[i, j] = 0
            for k in range(n):
                c[i, j] += a[i, k] * b[k, j]


@cuda.reduce
def total(x, y):
    return x + y


batched_matmul.max_blocksize = 32
a = np.arange(8000, dtype=np.float64).reshape(1000, 2, 4)
b = np.arange(20000, dtype=np.float64).reshape(1000, 4, 5)
stream = cuda.stream()
d_a, d_b = cuda.to_device(a, stream=stream), cuda.to_device(b, stream=stream)
d_c = cuda.device_array((1000, 2, 5), np.float64, stream=stream)
batched_matmul(d_a, d_b, out=d_c, stream=stream)
c = d_c.copy_to_host(stream=stream)
stream.synchronize()
print(np.allclose(c, a @ b), np.allclose(batched_matmul(a, b), c))
print(
    total(c[0].ravel()) == c[0].sum(), total(cuda.to_device(c[1].ravel()), init=1) == c[1].sum() + 1
)
