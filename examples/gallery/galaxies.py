"""Two galaxies pass each other: n-body forces with tiles in shared memory, and a picture by atomic additions.

Each thread moves one star. The threads of a block load the positions of all stars in turn, one tile at a time.
"""

import math

import numpy as np
from palette import blend, write_picture

from heddle import cuda, float32

THREADS = 128


@cuda.jit
def accelerate(position, mass, velocity, step):
    """Adds the attraction of all stars to the velocities. The number of stars is a multiple of THREADS."""
    tile = cuda.shared.array((THREADS, 3), float32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    x, y = position[i, 0], position[i, 1]
    force_x, force_y = float32(0), float32(0)
    for first in range(0, position.shape[0], THREADS):
        tile[t, 0], tile[t, 1] = position[first + t, 0], position[first + t, 1]
        tile[t, 2] = mass[first + t]
        cuda.syncthreads()
        for k in range(THREADS):
            dx, dy = tile[k, 0] - x, tile[k, 1] - y
            near = float32(1) / math.sqrt(dx * dx + dy * dy + float32(0.002))
            pull = tile[k, 2] * near * near * near
            force_x += pull * dx
            force_y += pull * dy
        cuda.syncthreads()
    velocity[i, 0] += step * force_x
    velocity[i, 1] += step * force_y


@cuda.jit
def move(position, velocity, step):
    i = cuda.grid(1)
    position[i, 0] += step * velocity[i, 0]
    position[i, 1] += step * velocity[i, 1]


@cuda.jit
def count_stars(position, counts, scale):
    i = cuda.grid(1)
    row = int(counts.shape[0] / 2 + position[i, 1] * scale)
    column = int(counts.shape[1] / 2 + position[i, 0] * scale)
    if 0 <= row < counts.shape[0] and 0 <= column < counts.shape[1]:
        cuda.atomic.add(counts, (row, column), 1)


def make_galaxy(stars, center, motion, turn, seed):
    """Stars on circular orbits around a heavy center."""
    random = np.random.default_rng(seed)
    radius, angle = 0.08 + 0.45 * random.random(stars) ** 0.7, 2 * np.pi * random.random(stars)
    position = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
    speed = turn / np.sqrt(radius)
    velocity = np.stack([-speed * np.sin(angle), speed * np.cos(angle)], axis=1)
    mass = np.full(stars, 0.05 / stars)
    position[0], velocity[0], mass[0] = 0, 0, 1
    return position + center, velocity + motion, mass


def draw(width=480, stars=2048, steps=240):
    first = make_galaxy(stars, (-0.55, -0.25), (0.35, 0.3), 1, seed=1)
    second = make_galaxy(stars, (0.55, 0.25), (-0.35, -0.3), -1, seed=2)
    both = [np.concatenate(arrays).astype(np.float32) for arrays in zip(first, second, strict=True)]
    position, velocity, mass = map(cuda.to_device, both)
    blocks = 2 * stars // THREADS
    counts = cuda.to_device(np.zeros((width * 2 // 3, width), np.int32))
    step = np.float32(0.006)
    for number in range(steps):
        accelerate[blocks, THREADS](position, mass, velocity, step)
        move[blocks, THREADS](position, velocity, step)
        if number >= steps - 30:  # short traces
            count_stars[blocks, THREADS](position, counts, width / 2.6)
    light = 1 - np.exp(-counts.copy_to_host() / 4)
    return blend(light, "#02020c", "#3a4fa0", "#f4c58a", "#ffffff")


if __name__ == "__main__":
    write_picture(draw(), "galaxies")
