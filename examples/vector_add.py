"""Add two vectors: one thread per element.

A kernel is a function that every thread of a launch runs. ``kernel[blocks, threads](...)`` starts blocks * threads of
them; ``cuda.grid(1)`` tells a thread which one it is. The grid is made of whole blocks, so it is often a little larger
than the data: each thread checks its index before it writes.
"""

import numpy as np

from heddle import cuda


@cuda.jit
def add(a, b, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i] + b[i]


def run(n):
    """Add two vectors of n numbers. Returns the kernel's result and NumPy's."""
    rng = np.random.default_rng(1)
    a = rng.random(n, dtype=np.float32)
    b = rng.random(n, dtype=np.float32)
    out = np.zeros_like(a)

    threads = 256
    blocks = (n + threads - 1) // threads
    add[blocks, threads](a, b, out)
    return out, a + b


def main(n=1_000_000):
    out, expected = run(n)
    np.testing.assert_array_equal(out, expected)
    print(f"added {n:,} pairs of numbers: {out[0]:.3f}, {out[1]:.3f}, ... {out[-1]:.3f}")


if __name__ == "__main__":
    main()
