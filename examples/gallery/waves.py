"""Waves after two slits: the wave equation, with an array that says where waves are slow.

A wave from the left passes a wall with two openings, and the two waves on the other side interfere.
"""

import math

import numpy as np
from palette import blend, write_picture

from heddle import cuda


@cuda.jit
def advance(before, now, speed, time):
    """Replaces the heights before by those after ``now``."""
    x, y = cuda.grid(2)
    height, width = now.shape
    if 0 < x < width - 1 and 0 < y < height - 1:
        vertical = now[y - 1, x] + now[y + 1, x]
        horizontal = now[y, x - 1] + now[y, x + 1]
        curvature = vertical + horizontal - np.float32(4) * now[y, x]
        after = np.float32(2) * now[y, x] - before[y, x] + speed[y, x] * curvature
        before[y, x] = after * np.float32(0.9995)
        if x == 1:
            before[y, x] = math.sin(np.float32(0.35) * time)


def place_wall(width):
    """The squared speeds of waves: zero in the wall."""
    height = width * 2 // 3
    speed = np.full((height, width), 0.25, np.float32)
    speed[:, width // 4 : width // 4 + 4] = 0
    for middle in (height * 2 // 5, height * 3 // 5):
        slit = max(1, height // 40)
        speed[middle - slit : middle + slit, width // 4 : width // 4 + 4] = 0.25
    return speed


def draw(width=480, steps=760):
    speed = cuda.to_device(place_wall(width))
    now, before = (cuda.to_device(np.zeros(speed.shape, np.float32)) for _ in range(2))
    for step in range(steps):
        advance[(-(-width // 32), -(-width // 8)), (32, 8)](before, now, speed, np.float32(step))
        before, now = now, before
    heights = now.copy_to_host()
    heights[:, width // 4 :] *= 3
    picture = blend(0.5 + 0.4 * heights, "#03142e", "#0b4f8a", "#e8f3fa", "#e58a2e", "#5b1d05")
    picture[speed.copy_to_host() == 0] = 40
    return picture


if __name__ == "__main__":
    write_picture(draw(), "waves")
