"""Pi from random numbers, with a private generator in every thread.

Threads that share a random number generator have to wait for each other. So each thread has a private 64-bit state,
seeded with its index. A random point in the unit square lies inside the quarter circle with probability pi / 4. A
thread counts its hits in a register and adds them to the total once, at the end.
"""

import numpy as np

from heddle import cuda

SEED = np.uint64(0x9E3779B97F4A7C15)  # any odd number with well mixed bits


@cuda.jit(device=True)
def next_random(state):
    """One step of xorshift64 (Marsaglia, Journal of Statistical Software 8, 2003)."""
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state


@cuda.jit(device=True)
def unit(state):
    """The state's upper 53 bits as a number in [0, 1)."""
    return (state >> 11) * (1.0 / 2**53)


@cuda.jit
def count_hits(points, hits):
    state = np.uint64(cuda.grid(1) + 1) * SEED
    mine = 0
    for _ in range(points):
        state = next_random(state)
        x = unit(state)
        state = next_random(state)
        y = unit(state)
        if x * x + y * y < 1.0:
            mine += 1
    cuda.atomic.add(hits, 0, mine)


def count_with_numpy(threads, points):
    state = np.arange(1, threads + 1, dtype=np.uint64) * SEED
    hits = 0
    for _ in range(points):
        state = next_random.py_func(state)
        x = unit.py_func(state)
        state = next_random.py_func(state)
        y = unit.py_func(state)
        hits += np.count_nonzero(x * x + y * y < 1.0)
    return hits


def run(n, points=500):
    """Draws the given number of points in each of n threads (a multiple of 64). Returns the hits of the kernel and
    of NumPy."""
    hits = np.zeros(1, np.int64)
    count_hits[n // 64, 64](points, hits)
    return hits, count_with_numpy(n, points)


def main(n=8192, points=500):
    hits, expected = run(n, points)
    assert hits[0] == expected
    pi = 4 * hits[0] / (n * points)
    print(
        f"{n * points:,} points from {n:,} generators: pi is about {pi:.4f} (off by {abs(pi - np.pi):.4f})"
    )


if __name__ == "__main__":
    main()
