"""Random walks with a generator of its own in each thread."""

import numpy as np
from numba import cuda
from numba.cuda.random import create_xoroshiro128p_states, xoroshiro128p_uniform_float32


@cuda.jit
def walk(states, steps, ends):
    i = cuda.grid(1)
    if i < ends.size:
        x = 0
        for _ in range(steps):
            if xoroshiro128p_uniform_float32(states, i) < 0.5:
                x -= 1
            else:
                x += 1
        ends[i] = x


threads, blocks = 64, 16
states = create_xoroshiro128p_states(threads * blocks, seed=1)
ends = np.zeros(threads * blocks, dtype=np.int32)
walk[blocks, threads](states, 100, ends)
print(int(ends.sum()), bool((ends % 2 == 0).all()))
