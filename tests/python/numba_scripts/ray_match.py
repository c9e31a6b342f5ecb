"""Shapes are told apart by match; what a ray hits may be None."""

import math

import numpy as np
from numba import cuda

SPHERE, PLANE = 0, 1


@cuda.jit(device=True)
def distance(shape, size, height):
    match shape:
        case 0:
            if abs(height) > size:
                return None
            return 10.0 - math.sqrt(size * size - height * height)
        case 1:
            return size
        case _:
            return None


@cuda.jit
def trace(shapes, sizes, heights, hits):
    i = cuda.grid(1)
    if i < hits.size:
        d = distance(shapes[i], sizes[i], heights[i])
        if d is None:
            hits[i] = -1.0
        else:
            hits[i] = d


shapes = np.array([0, 1, 0, 2], dtype=np.int64)
sizes = np.array([5.0, 7.0, 1.0, 1.0])
heights = np.array([3.0, 0.0, 2.0, 0.0])
hits = np.zeros(4)
trace[1, 32](shapes, sizes, heights, hits)
print(hits.tolist())
