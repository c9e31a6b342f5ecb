"""Patterns of two chemicals (Gray and Scott's model): a stencil over two arrays, and feed rates that vary in space.

V consumes U and makes more of itself: U + 2 V -> 3 V. U is fed, V is removed. The feed rate increases to the right.
"""

import numpy as np
from palette import blend, write_picture

from heddle import cuda, float32


@cuda.jit(device=True)
def curvature(a, y, x):
    """The Laplace operator on a torus, with diagonal neighbors."""
    height, width = a.shape
    up, down, left, right = (y - 1) % height, (y + 1) % height, (x - 1) % width, (x + 1) % width
    sides = a[up, x] + a[down, x] + a[y, left] + a[y, right]
    corners = a[up, left] + a[up, right] + a[down, left] + a[down, right]
    return float32(0.2) * sides + float32(0.05) * corners - a[y, x]


@cuda.jit
def react(u, v, new_u, new_v):
    x, y = cuda.grid(2)
    if y < u.shape[0] and x < u.shape[1]:
        feed = float32(0.022) + float32(0.033) * float32(x) / float32(u.shape[1])
        made = u[y, x] * v[y, x] * v[y, x]
        removed = (feed + float32(0.06)) * v[y, x]
        new_u[y, x] = u[y, x] + curvature(u, y, x) - made + feed * (float32(1) - u[y, x])
        new_v[y, x] = v[y, x] + float32(0.5) * curvature(v, y, x) + made - removed


def draw(width=480, steps=6000):
    size = width // 2
    shape = size * 2 // 3, size
    spots = np.random.default_rng(3).random(shape) < 0.02
    v = np.where(spots, 0.9, 0).astype(np.float32)
    v = np.maximum.reduce([np.roll(v, (dy, dx), (0, 1)) for dy in range(3) for dx in range(3)])
    now = [cuda.to_device(np.ones(shape, np.float32)), cuda.to_device(v)]
    after = [cuda.device_array_like(a) for a in now]
    for _ in range(steps):
        react[(-(-size // 32), -(-size // 8)), (32, 8)](*now, *after)
        now, after = after, now
    shown = now[1].copy_to_host().repeat(2, axis=0).repeat(2, axis=1)
    return blend(shown * 2.6, "#0c1024", "#0f5c66", "#8fd6a2", "#fff6cf")


if __name__ == "__main__":
    write_picture(draw(), "reaction_diffusion")
