"""Two spheres in a light: named tuples as vectors and as results of device functions, a picture of three channels."""

import math
from collections import namedtuple

import numpy as np
from numba import cuda

Vec = namedtuple("Vec", "x y z")
Hit = namedtuple("Hit", ["distance", "index"])


@cuda.jit(device=True)
def minus(a, b):
    return Vec(a.x - b.x, a.y - b.y, a.z - b.z)


@cuda.jit(device=True)
def dot(a, b):
    return a.x * b.x + a.y * b.y + a.z * b.z


@cuda.jit(device=True)
def unit(a):
    length = math.sqrt(dot(a, a))
    return Vec(a.x / length, a.y / length, a.z / length)


@cuda.jit(device=True)
def distance_to(origin, direction, center, radius):
    offset = minus(origin, center)
    b = dot(offset, direction)
    inside = b * b - dot(offset, offset) + radius * radius
    return -1.0 if inside < 0 else -b - math.sqrt(inside)


@cuda.jit(device=True)
def trace(origin, direction, spheres):
    best, index = math.inf, -1
    for k in range(spheres.shape[0]):
        center = Vec(spheres[k, 0], spheres[k, 1], spheres[k, 2])
        t = distance_to(origin, direction, center, spheres[k, 3])
        if 1e-4 < t < best:
            best, index = t, k
    return Hit(best, index)


@cuda.jit
def render(image, spheres, colors):
    x, y = cuda.grid(2)
    height, width, _ = image.shape
    if x < width and y < height:
        eye = Vec(0.0, 0.0, 0.0)
        ray = unit(Vec((x - width / 2) / width, (y - height / 2) / height, 1.0))
        hit = trace(eye, ray, spheres)
        if hit.index >= 0:
            place = Vec(ray.x * hit.distance, ray.y * hit.distance, ray.z * hit.distance)
            sphere = spheres[hit.index]
            normal = unit(minus(place, Vec(sphere[0], sphere[1], sphere[2])))
            light = max(dot(normal, unit(Vec(1.0, -1.0, -1.0))), 0.1)
            for channel in range(3):
                image[y, x, channel] = min(int(255 * light * colors[hit.index, channel]), 255)


image = np.zeros((60, 80, 3), np.uint8)
spheres = np.array([[0.0, 0.0, 4.0, 1.0], [1.0, 0.5, 5.0, 0.7]])
colors = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
render[(10, 8), (8, 8)](image, spheres, colors)
print((image[..., 0] > 0).sum(), (image[..., 1] > 0).sum(), image[..., 2].max())
