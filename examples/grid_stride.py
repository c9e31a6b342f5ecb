"""The grid-stride loop: any number of threads for any amount of data.

A fixed number of threads processes the data together: thread i takes elements i, i + gridsize, i + 2 * gridsize, and
so on. Neighboring threads still access neighboring elements, and the launch no longer depends on the data size. A
thread reuses its setup (here the sine and cosine of the angle) for many elements.
"""

import math

import numpy as np

from heddle import cuda


@cuda.jit
def rotate(x, y, angle):
    """Rotates the points (x, y) around the origin, in place. angle: radians."""
    sine = math.sin(angle)
    cosine = math.cos(angle)
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        old_x = x[i]
        x[i] = cosine * old_x - sine * y[i]
        y[i] = sine * old_x + cosine * y[i]


def run(n):
    """Rotates n points by 30 degrees. Returns the coordinates of the kernel and of NumPy, shape (2, n)."""
    angle = np.pi / 6
    rng = np.random.default_rng(2)
    points = rng.normal(size=(2, n))
    turned = points.copy()
    rotate[64, 128](turned[0], turned[1], angle)

    sine, cosine = np.sin(angle), np.cos(angle)
    return turned, np.array([[cosine, -sine], [sine, cosine]]) @ points


def main(n=1_000_000):
    turned, expected = run(n)
    np.testing.assert_allclose(turned, expected, rtol=1e-12, atol=1e-12)
    print(f"turned {n:,} points by 30 degrees with {64 * 128:,} threads")


if __name__ == "__main__":
    main()
