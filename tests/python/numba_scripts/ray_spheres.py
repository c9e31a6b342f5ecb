"""Spheres with a light: device functions of tuples, one ray a thread."""

import math

import numpy as np
from numba import cuda


@cuda.jit(device=True, inline=True)
def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@cuda.jit(device=True)
def minus(a, b):
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@cuda.jit(device=True)
def unit(a):
    length = math.sqrt(dot(a, a))
    return a[0] / length, a[1] / length, a[2] / length


@cuda.jit(device=True)
def distance(origin, ray, centre, radius):
    to_origin = minus(origin, centre)
    b = dot(to_origin, ray)
    inside = b * b - dot(to_origin, to_origin) + radius**2
    if inside < 0.0:
        return -1.0
    near = -b - math.sqrt(inside)
    return near if near > 1e-4 else -b + math.sqrt(inside)


@cuda.jit
def render(image, spheres, light):
    x, y = cuda.grid(2)
    if x >= image.shape[1] or y >= image.shape[0]:
        return
    eye = (0.0, 0.0, -3.0)
    ray = unit(((x + 0.5) / image.shape[1] * 2 - 1, (y + 0.5) / image.shape[0] * 2 - 1, 1.5))
    nearest, hit = np.inf, -1
    for k in range(spheres.shape[0]):
        t = distance(eye, ray, (spheres[k, 0], spheres[k, 1], spheres[k, 2]), spheres[k, 3])
        if 0 < t < nearest:
            nearest, hit = t, k
    if hit >= 0:
        point = (eye[0] + nearest * ray[0], eye[1] + nearest * ray[1], eye[2] + nearest * ray[2])
        normal = unit(minus(point, (spheres[hit, 0], spheres[hit, 1], spheres[hit, 2])))
        towards = unit(minus((light[0], light[1], light[2]), point))
        image[y, x] = max(0.0, dot(normal, towards)) * 0.9 + 0.1


image = np.zeros((24, 32))
spheres = np.array([[0, 0, 0, 1.0], [1.2, 0.3, 0.5, 0.5]])
render[(4, 3), (8, 8)](image, spheres, np.array([2.0, -3.0, -3.0]))
print((image > 0).sum(), np.round(image.sum(), 6))
