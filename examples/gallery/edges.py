"""The edges of a picture, as a pencil drawing: a blur and Sobel's operator, with tiles and halos in shared memory."""

import math

import numpy as np
import spheres
from palette import blend, write_picture

from heddle import cuda, float32

TILE, HALO = 16, 2
SIDE = TILE + 2 * HALO
# Constant weights of a blur, one per row or column of 5 pixels.
BLUR = np.array([1, 4, 6, 4, 1], np.float32) / 16


@cuda.jit
def draw_edges(gray, edges):
    tile = cuda.shared.array((SIDE, SIDE), float32)
    smooth = cuda.shared.array((TILE + 2, TILE + 2), float32)
    height, width = gray.shape
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    left, top = cuda.blockIdx.x * TILE - HALO, cuda.blockIdx.y * TILE - HALO
    for row in range(ty, SIDE, TILE):
        for column in range(tx, SIDE, TILE):
            y, x = min(max(top + row, 0), height - 1), min(max(left + column, 0), width - 1)
            tile[row, column] = gray[y, x]
    cuda.syncthreads()
    # The blurred pixels of the tile and one around it. Those at the edge of the halo have fewer neighbors.
    for row in range(ty, TILE + 2, TILE):
        for column in range(tx, TILE + 2, TILE):
            total = float32(0)
            for dy in range(5):
                for dx in range(5):
                    y, x = (
                        min(max(row + dy - 1, 0), SIDE - 1),
                        min(max(column + dx - 1, 0), SIDE - 1),
                    )
                    total += BLUR[dy] * BLUR[dx] * tile[y, x]
            smooth[row, column] = total
    cuda.syncthreads()
    x, y = cuda.grid(2)
    if x < width and y < height:
        a = smooth[ty : ty + 3, tx : tx + 3]
        slope_x = a[0, 2] + 2 * a[1, 2] + a[2, 2] - a[0, 0] - 2 * a[1, 0] - a[2, 0]
        slope_y = a[2, 0] + 2 * a[2, 1] + a[2, 2] - a[0, 0] - 2 * a[0, 1] - a[0, 2]
        edges[y, x] = math.sqrt(slope_x * slope_x + slope_y * slope_y)


def draw(width=480):
    gray = spheres.draw(width).mean(axis=2, dtype=np.float32) / np.float32(255)
    edges = np.zeros_like(gray)
    blocks = -(-gray.shape[1] // TILE), -(-gray.shape[0] // TILE)
    draw_edges[blocks, (TILE, TILE)](gray, edges)
    return blend(np.clip(1.6 * edges, 0, 1) ** 0.7, "#fbf7ec", "#8d8779", "#1c1a18")


if __name__ == "__main__":
    write_picture(draw(), "edges")
