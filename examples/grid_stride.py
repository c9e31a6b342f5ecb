"""The grid-stride loop: any number of threads for any amount of data.

Instead of one thread per element, a fixed number of threads walks over the data together: thread i takes elements
i, i + gridsize, i + 2 * gridsize, and so on. Neighbouring threads still touch neighbouring elements, the launch no
longer depends on the size of the data, and what a thread prepares once (here: the rotation's sine and cosine) serves
many elements.
"""

import math

import numpy as np

from heddle import cuda


@cuda.jit
def rotate(x, y, angle):
    """Turns the points (x, y) around the origin, in place. angle: radians."""
    sine = math.sin(angle)
    cosine = math.cos(angle)
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        old_x = x[i]
        x[i] = cosine * old_x - sine * y[i]
        y[i] = sine * old_x + cosine * y[i]


def run(n):
    """Turn n points by 30 degrees. Returns the kernel's coordinates and NumPy's."""
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
