"""Arrays are larger than what is set and used: results of a compaction, stacks, tiles at the edge."""

import numpy as np

from heddle import cuda


@cuda.jit
def compact(x, kept, n):
    i = cuda.grid(1)
    if x[i] % 3 == 0:
        kept[cuda.atomic.add(n, 0, 1)] = x[i]


@cuda.jit
def total(kept, n, out):
    stack = cuda.local.array(8, np.int32)
    s = cuda.shared.array(64, np.int32)
    t = cuda.threadIdx.x
    if t < n[0]:
        s[t] = kept[t]
    depth = 0
    for k in range(t % 8):
        stack[depth] = k  #? local-array note
        depth += 1
    while depth > 0:
        depth -= 1
        cuda.atomic.add(out, 1, stack[depth])
    cuda.syncthreads()
    if t == 0:
        for k in range(n[0]):
            out[0] += s[k]


x = cuda.to_device(np.arange(64, dtype=np.int32))
kept, n = cuda.device_array(64, np.int32), cuda.to_device(np.zeros(1, np.int32))
out = cuda.to_device(np.zeros(2, np.int32))
compact[2, 32](x, kept, n)
total[1, 64](kept, n, out)
np.testing.assert_array_equal(out.copy_to_host(), [sum(range(0, 64, 3)), 8 * 56])
