"""Arrays get their values in many ways before a kernel uses them."""

import numpy as np

from heddle import cuda
from heddle.compat import cupy as cp


@cuda.jit
def total(x, out):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.add(out, 0, x[i])


def check(x, want):
    out = cuda.to_device(np.zeros(1, np.int32))
    total[2, 32](x, out)
    assert out.copy_to_host()[0] == want


ones = np.ones(64, np.int32)
x = cuda.device_array(64, np.int32)
x.copy_to_device(ones)
check(x, 64)
y = cuda.device_array(64, np.int32)
y.copy_to_device(x)
check(y, 64)
z = cuda.device_array(64, np.int32)
z[:] = 2
check(z, 128)
z = cuda.device_array(64, np.int32)
z[:32], z[32:] = 1, y[32:]
check(z, 64)
stream = cuda.stream()
late = cuda.device_array(64, np.int32, stream=stream)
late.copy_to_device(ones, stream=stream)
stream.synchronize()
check(late, 64)
strided = cuda.device_array((64, 2), np.int32)[:, 0]
strided[:] = 1
check(strided, 64)
managed = cuda.managed_array(64, np.int32)
managed[:] = 1
check(managed, 64)
mapped = cuda.mapped_array(64, np.int32)
mapped[:] = 1
check(mapped, 64)

a = cp.empty(64, dtype=np.int32)
a.fill(1)
check(a, 64)
b = cp.empty(64, dtype=np.int32)
b[...] = a
check(b, 64)
c = cp.empty_like(b)
cp.add(a, b, out=c)
check(c, 128)
d = cp.empty(64, dtype=np.int32)
d.set(ones)
check(d, 64)
e = cp.empty(64, dtype=np.int32)
e.data.copy_from_device(d.data, e.nbytes)
check(e, 64)
f = cp.empty(64, dtype=np.int32)
f.data.memset(0, f.nbytes)
check(f, 0)
g = cp.empty((8, 8), dtype=np.int32)
g[:4], g[4:].T[...] = 1, 2
check(g.ravel(), 96)
for full in (cp.zeros, cp.ones):
    check(full(64, dtype=np.int32), 64 if full is cp.ones else 0)
check(cp.full(64, 3, dtype=np.int32), 192)
check(cp.arange(64, dtype=np.int32), 2016)
check(a + b, 128)
check(cp.sort(a), 64)
check(cp.random.randint(1, 2, 64).astype(np.int32), 64)
