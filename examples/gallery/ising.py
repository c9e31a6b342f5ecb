"""Ising's magnet near its critical temperature: a random generator in each thread, and a checkerboard of updates.

A spin flips with a probability that depends on its four neighbors. Fields of one color have only neighbors of the other
color, so all spins of a color flip at the same time.
"""

import math

import numpy as np
from palette import blend, write_picture

from heddle import cuda
from heddle.cuda.random import create_xoroshiro128p_states, xoroshiro128p_uniform_float32

TEMPERATURE = 2.29


@cuda.jit
def flip(spins, color, states):
    x, y = cuda.grid(2)
    height, width = spins.shape
    column = 2 * x + (y + color) % 2
    if y < height and column < width:
        around = spins[(y - 1) % height, column] + spins[(y + 1) % height, column]
        around += spins[y, (column - 1) % width] + spins[y, (column + 1) % width]
        energy = 2 * spins[y, column] * around
        draw = xoroshiro128p_uniform_float32(states, y * (width // 2) + x)
        if draw < math.exp(np.float32(-energy / TEMPERATURE)):
            spins[y, column] = -spins[y, column]


def draw(width=480, sweeps=800):
    width, height = width // 2, width // 3
    start = np.random.default_rng(6).choice(np.array([-1, 1], np.int32), (height, width))
    spins = cuda.to_device(start)
    states = create_xoroshiro128p_states(height * (width // 2), seed=5)
    sums = np.zeros((height, width))
    for sweep in range(sweeps):
        for color in range(2):
            flip[(-(-width // 64), -(-height // 8)), (32, 8)](spins, color, states)
        if sweep >= sweeps - 12:
            sums += spins.copy_to_host()
    shown = (0.5 + sums / 24).repeat(2, axis=0).repeat(2, axis=1)
    return blend(shown, "#10233f", "#2f6f8f", "#f1ead6", "#e4572e")


if __name__ == "__main__":
    write_picture(draw(), "ising")
