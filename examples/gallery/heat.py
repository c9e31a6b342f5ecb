"""Heat in a plate: a stencil, thousands of launches, data that stays on the device.

Two wires are hot and cold. In each step, every other element takes the mean of its four neighbors.
"""

import numpy as np
from palette import blend, write_picture

from heddle import cuda


@cuda.jit
def spread(temperature, fixed, out):
    x, y = cuda.grid(2)
    height, width = temperature.shape
    if 0 < x < width - 1 and 0 < y < height - 1:
        if fixed[y, x]:
            out[y, x] = temperature[y, x]
        else:
            vertical = temperature[y - 1, x] + temperature[y + 1, x]
            horizontal = temperature[y, x - 1] + temperature[y, x + 1]
            out[y, x] = np.float32(0.25) * (vertical + horizontal)


def place_wires(width):
    """A hot spiral and cold edges: the temperatures at the start, and the elements that keep theirs."""
    height = width * 2 // 3
    y, x = np.mgrid[:height, :width]
    temperature, fixed = np.zeros((height, width), np.float32), np.zeros((height, width), bool)
    for angle in np.linspace(0, 4.5 * np.pi, 2000):
        radius = height * (0.06 + 0.026 * angle)
        row, column = height / 2 + radius * np.sin(angle), width / 2 + 1.25 * radius * np.cos(angle)
        near = np.s_[int(row) : int(row) + 2, int(column) : int(column) + 2]
        temperature[near], fixed[near] = angle / (4.5 * np.pi), True
    return temperature, fixed


def draw(width=480, steps=3000):
    temperature, fixed = map(cuda.to_device, place_wires(width))
    other = cuda.to_device(temperature.copy_to_host())
    blocks = -(-width // 32), -(-width // 8)
    for _ in range(steps // 2):
        spread[blocks, (32, 8)](temperature, fixed, other)
        spread[blocks, (32, 8)](other, fixed, temperature)
    shown = temperature.copy_to_host()
    lines = 0.08 * (np.abs(shown * 20 % 1 - 0.5) < 0.08)  # of equal temperature
    return blend(shown**0.6 - lines, "#04051e", "#3b1170", "#b3325f", "#f5853c", "#fdf3a8")


if __name__ == "__main__":
    write_picture(draw(), "heat")
