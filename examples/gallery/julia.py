"""A Julia set: complex numbers in a kernel.

One thread per pixel repeats z = z * z + c, from the point of its pixel. The color shows how fast z leaves.
"""

import math

import numpy as np
from palette import blend, write_picture

from heddle import cuda

C = -0.79 + 0.15j
MOST = 300


@cuda.jit
def iterate(speed, step):
    x, y = cuda.grid(2)
    height, width = speed.shape
    if x < width and y < height:
        z = complex((x - width / 2) * step, (y - height / 2) * step)
        n = 0
        while n < MOST and z.real * z.real + z.imag * z.imag < 100.0:
            z = z * z + C
            n += 1
        # A fraction of an iteration makes the colors smooth.
        speed[y, x] = n - math.log2(max(math.log(abs(z)), 0.5)) if n < MOST else MOST


def draw(width=480):
    speed = np.zeros((width * 2 // 3, width), np.float32)
    iterate[(-(-width // 16), -(-width // 16)), (16, 16)](speed, 3.1 / width)
    return blend(
        (speed / MOST) ** 0.4, "#0b0b2b", "#1d4a86", "#5cc5ea", "#fff4cf", "#f6a21b", "#300d04"
    )


if __name__ == "__main__":
    write_picture(draw(), "julia")
