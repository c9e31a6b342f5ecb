"""The Game of Life on a torus, from random cells: two buffers, and indices that wrap around.

The color of a living cell shows its age. Dead cells that lived before are dark blue.
"""

import numpy as np
from palette import blend, write_picture

from heddle import cuda


@cuda.jit
def live(age, out):
    """age: generations that a cell has lived; negative for dead cells."""
    x, y = cuda.grid(2)
    height, width = age.shape
    if x < width and y < height:
        neighbors = 0
        for dy in range(-1, 2):
            for dx in range(-1, 2):
                neighbors += age[(y + dy) % height, (x + dx) % width] > 0
        own = age[y, x]
        neighbors -= own > 0
        if neighbors == 3 or (neighbors == 2 and own > 0):
            out[y, x] = min(max(own, 0) + 1, 100)
        else:
            out[y, x] = -1 if own != 0 else 0


def draw(width=240, generations=300):
    cells = np.random.default_rng(4).random((width * 2 // 3, width)) < 0.25
    age = cuda.to_device(cells.astype(np.int32))
    other = cuda.device_array_like(age)
    for _ in range(generations):
        live[(-(-width // 32), -(-width // 8)), (32, 8)](age, other)
        age, other = other, age
    shown = age.copy_to_host()
    picture = blend(
        np.log1p(np.maximum(shown, 0)) / np.log(101), "#0a0d14", "#fff2b0", "#f59b23", "#c92f4b"
    )
    picture[shown < 0] = 18, 32, 58
    return picture.repeat(2, axis=0).repeat(2, axis=1)


if __name__ == "__main__":
    write_picture(draw(), "life")
