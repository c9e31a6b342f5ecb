"""The Mandelbrot set near its seahorse valley: threads whose loops differ in length.

Each thread also computes the derivative of z. It gives the distance of the pixel to the set, which draws fine lines.
"""

import math

import numpy as np
from palette import blend, write_picture

from heddle import cuda

CENTER = -0.7436, 0.1318
EXTENT = 0.008
MOST = 1500


@cuda.jit
def find_distances(distance, left, top, step):
    column, row = cuda.grid(2)
    if row < distance.shape[0] and column < distance.shape[1]:
        c = complex(left + column * step, top - row * step)
        z, slope = 0j, 0j
        for _ in range(MOST):
            if z.real * z.real + z.imag * z.imag > 1e6:
                break
            slope = 2 * z * slope + 1
            z = z * z + c
        size = abs(z)
        distance[row, column] = size * math.log(size) / abs(slope) / step if size > 2 else 0


def draw(width=480):
    distance = np.zeros((width * 2 // 3, width))
    step = EXTENT / width
    left, top = CENTER[0] - EXTENT / 2, CENTER[1] + EXTENT / 3
    find_distances[(-(-width // 16), -(-width // 16)), (16, 16)](distance, left, top, step)
    return blend(np.tanh(distance / 3) ** 0.6, "#02040f", "#16305c", "#d9882b", "#fff3d6")


if __name__ == "__main__":
    write_picture(draw(), "mandelbrot")
