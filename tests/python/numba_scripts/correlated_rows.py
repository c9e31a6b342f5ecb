import numba as nb
import numba.cuda
import numpy as np


def make_kernel(columns, in_shared_memory):
    def kernel(a, b, out):
        row, thread = nb.cuda.blockIdx.x, nb.cuda.threadIdx.x
        if in_shared_memory:
            left, right = (
                nb.cuda.shared.array(columns, np.float32),
                nb.cuda.shared.array(columns, np.float32),
            )
            for i in range(thread, columns, nb.cuda.blockDim.x):
                left[i] = a[row, i]
                right[i] = b[row, i]
            nb.cuda.syncthreads()
        else:
            left, right = a[row, :], b[row, :]
        total = nb.float32(0)
        for i in range(thread, columns, nb.cuda.blockDim.x):
            total += left[i] * right[columns - 1 - i]
        nb.cuda.atomic.add(out, row, total)

    return nb.cuda.jit("void(float32[:,:], float32[:,:], float32[:])")(kernel)


a = np.arange(40, dtype=np.float32).reshape(4, 10)
b = a[::-1].copy()
for in_shared_memory in (True, False):
    out = np.zeros(4, np.float32)
    make_kernel(10, in_shared_memory)[4, 8](a, b, out)
    print(np.array_equal(out, (a * b[:, ::-1]).sum(1)))
