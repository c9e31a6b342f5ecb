"""Threads draw numbers from private states of the random number generator."""

import numpy as np

from heddle import cuda
from heddle.cuda.random import create_xoroshiro128p_states, xoroshiro128p_uniform_float32


@cuda.jit
def points(states, out):
    i = cuda.grid(1)
    inside = 0
    for _ in range(50):
        x = xoroshiro128p_uniform_float32(states, i)
        y = xoroshiro128p_uniform_float32(states, i)
        if x * x + y * y < 1:
            inside += 1
    out[i] = inside


states = create_xoroshiro128p_states(64, seed=1)
out = np.zeros(64, np.int32)
points[2, 32](states, out)
assert 3 < 4 * out.mean() / 50 < 3.3
