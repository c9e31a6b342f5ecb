"""Add two vectors: one thread per element.

Every thread of a launch runs the kernel. ``kernel[blocks, threads](...)`` starts blocks * threads of them, and
``cuda.grid(1)`` returns the index of the thread. A grid consists of whole blocks, so it is often a little larger than
the data: each thread checks its index before it writes.
"""

import numpy as np

from heddle import cuda


@cuda.jit
def add(a, b, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i] + b[i]


def run(n):
    """Adds two vectors of n numbers. Returns the sums of the kernel and of NumPy."""
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
