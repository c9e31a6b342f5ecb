"""Ray-traced spheres: device functions that return tuples, loops over the elements of arrays, reflections.

Each thread follows one ray from the eye. A sphere reflects a part of the light, so the ray goes on up to five times.
"""

import math

import numpy as np
from palette import write_picture

from heddle import cuda

# x, y, z, radius, red, green, blue
SPHERES = np.array(
    [
        (0.0, 1.0, 6.0, 1.0, 0.9, 0.25, 0.2),
        (2.1, 0.8, 5.2, 0.8, 0.2, 0.55, 0.9),
        (-2.1, 0.8, 5.0, 0.8, 0.3, 0.75, 0.35),
        (0.9, 0.45, 3.8, 0.45, 0.95, 0.75, 0.2),
        (-0.9, 0.4, 3.7, 0.4, 0.75, 0.4, 0.85),
        (0.0, 0.3, 3.1, 0.3, 0.95, 0.95, 0.95),
    ]
)
LIGHT = tuple(np.array([-0.5, 0.75, -0.43]) / np.linalg.norm([-0.5, 0.75, -0.43]))


@cuda.jit(device=True)
def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@cuda.jit(device=True)
def go(start, direction, length):
    return (
        start[0] + length * direction[0],
        start[1] + length * direction[1],
        start[2] + length * direction[2],
    )


@cuda.jit(device=True)
def find_nearest(spheres, start, direction):
    """The nearest hit of a ray: the number of the sphere, -1 for the floor, -2 for the sky, and the distance."""
    found, nearest = -2, 1e9
    if direction[1] < -1e-6:
        found, nearest = -1, -start[1] / direction[1]
    for k in range(spheres.shape[0]):
        to_center = (
            spheres[k, 0] - start[0],
            spheres[k, 1] - start[1],
            spheres[k, 2] - start[2],
        )
        along = dot(to_center, direction)
        inside = spheres[k, 3] ** 2 - dot(to_center, to_center) + along * along
        if inside > 0:
            length = along - math.sqrt(inside)
            if 1e-4 < length < nearest:
                found, nearest = k, length
    return found, nearest


@cuda.jit
def trace(spheres, picture, samples):
    x, y = cuda.grid(2)
    height, width = picture.shape[:2]
    if x >= width or y >= height:
        return
    red, green, blue = 0.0, 0.0, 0.0
    for sample in range(samples * samples):
        u = (x + (sample % samples + 0.5) / samples - width / 2) / width
        v = (height / 2 - y - (sample // samples + 0.5) / samples) / width
        size = math.sqrt(u * u + (v - 0.12) ** 2 + 1)
        start, direction, weight = (0.0, 1.6, 0.0), (u / size, (v - 0.12) / size, 1 / size), 1.0
        for _ in range(5):
            found, length = find_nearest(spheres, start, direction)
            if found == -2:
                glow = max(direction[1], 0.0)
                red += weight * (0.75 - 0.5 * glow)
                green += weight * (0.85 - 0.4 * glow)
                blue += weight
                break
            start = go(start, direction, length)
            if found == -1:
                normal, mirror = (0.0, 1.0, 0.0), 0.15
                tile = 0.35 + 0.5 * ((math.floor(start[0]) + math.floor(start[2])) % 2)
                color = (tile, tile, tile)
            else:
                radius, mirror = spheres[found, 3], 0.3
                normal = (
                    (start[0] - spheres[found, 0]) / radius,
                    (start[1] - spheres[found, 1]) / radius,
                    (start[2] - spheres[found, 2]) / radius,
                )
                color = (spheres[found, 4], spheres[found, 5], spheres[found, 6])
            start = go(start, normal, 1e-3)
            shade, _distance = find_nearest(spheres, start, LIGHT)
            bright = 0.2 + (0.8 * max(dot(normal, LIGHT), 0.0) if shade == -2 else 0.0)
            red += weight * (1 - mirror) * bright * color[0]
            green += weight * (1 - mirror) * bright * color[1]
            blue += weight * (1 - mirror) * bright * color[2]
            weight *= mirror
            direction = go(direction, normal, -2 * dot(direction, normal))
    picture[y, x, 0] = red / (samples * samples)
    picture[y, x, 1] = green / (samples * samples)
    picture[y, x, 2] = blue / (samples * samples)


def draw(width=480, samples=3):
    picture = np.zeros((width * 2 // 3, width, 3))
    trace[(-(-width // 16), -(-width // 16)), (16, 16)](SPHERES, picture, samples)
    return (255 * np.clip(picture, 0, 1) ** 0.8).astype(np.uint8)


if __name__ == "__main__":
    write_picture(draw(), "spheres")
