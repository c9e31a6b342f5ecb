"""Pi from random numbers: a generator of its own in every thread.

Threads cannot share one random number generator without waiting for each other, so each keeps its own 64-bit state
and mixes its index into the start. The share of random points in the unit square that fall into the quarter circle
is pi / 4. A thread counts its own hits in a register and adds them to the total once, at the end.
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
    """The state's upper 53 bits as a number from 0 up to 1."""
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
    """Let n threads (a multiple of 64) throw that many points each. Returns the kernel's hits and NumPy's."""
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
