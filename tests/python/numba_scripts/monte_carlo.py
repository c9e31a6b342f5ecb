import numpy as np
from numba import cuda, float32, int32, uint32

# A linear congruential generator per thread; the states live on the device.


@cuda.jit(uint32(uint32), device=True, inline=True)
def lcg(state):
    return uint32(1664525) * state + uint32(1013904223)


@cuda.jit("void(uint32[:], int32, float32[:])")
def compute_pi(rng_states, iterations, out):
    """Estimate pi from the share of random points that fall into a circle."""
    thread_id = cuda.grid(1)
    state = rng_states[thread_id]

    # Compute pi by drawing random (x, y) points and finding what
    # fraction lie inside a unit circle
    inside = int32(0)
    for i in range(iterations):
        state = lcg(state)
        x = float32(state >> 8) / float32(1 << 24)
        state = lcg(state)
        y = float32(state >> 8) / float32(1 << 24)
        if x**2 + y**2 <= 1.0:
            inside += 1

    rng_states[thread_id] = state
    out[thread_id] = 4.0 * inside / iterations


threads_per_block = 64
blocks = 24
states = np.arange(1, threads_per_block * blocks + 1, dtype=np.uint32) * np.uint32(2654435761)
rng_states = cuda.to_device(states)
out = np.zeros(threads_per_block * blocks, dtype=np.float32)

compute_pi[blocks, threads_per_block](rng_states, 1000, out)
print("pi:", round(float(out.mean()), 2))
