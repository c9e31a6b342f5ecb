"""A Voronoi diagram by jump flooding: the nearest of many points, for every pixel, in a few launches.

Every pixel remembers the nearest point that it has heard of. In each pass it asks eight pixels at a distance, which is
halved from pass to pass.
"""

import numpy as np
from palette import write_picture

from heddle import cuda


@cuda.jit
def ask_neighbors(nearest, points, distance, out):
    x, y = cuda.grid(2)
    height, width = nearest.shape
    if x >= width or y >= height:
        return
    best, shortest = -1, 1e18
    for dy in range(-1, 2):
        for dx in range(-1, 2):
            row, column = y + dy * distance, x + dx * distance
            if 0 <= row < height and 0 <= column < width:
                heard = nearest[row, column]
                if heard >= 0:
                    length = (points[heard, 0] - x) ** 2 + (points[heard, 1] - y) ** 2
                    if length < shortest:
                        best, shortest = heard, length
    out[y, x] = best


def draw(width=480, count=220):
    height = width * 2 // 3
    random = np.random.default_rng(8)
    points = random.random((count, 2)) * (width, height)
    start = np.full((height, width), -1, np.int32)
    start[points[:, 1].astype(int), points[:, 0].astype(int)] = np.arange(count)
    nearest, on_device = cuda.to_device(start), cuda.to_device(points)
    other = cuda.device_array_like(nearest)
    distance = 1 << (width - 1).bit_length() - 1
    while distance:
        ask_neighbors[(-(-width // 16), -(-height // 16)), (16, 16)](
            nearest, on_device, distance, other
        )
        nearest, other, distance = other, nearest, distance // 2
    cells = nearest.copy_to_host()
    hues = np.stack(
        [points[:, 0] / width, 0.35 + 0.3 * random.random(count), points[:, 1] / height], 1
    )
    y, x = np.mgrid[:height, :width]
    far = np.hypot(points[cells, 0] - x, points[cells, 1] - y) / np.sqrt(width * height / count)
    picture = 255 * (0.25 + 0.7 * hues[cells]) * (1.1 - 0.6 * np.clip(far, 0, 1))[..., None]
    border = (cells != np.roll(cells, 1, 0)) | (cells != np.roll(cells, 1, 1))
    picture[border] *= 0.35
    return np.clip(picture, 0, 255).astype(np.uint8)


if __name__ == "__main__":
    write_picture(draw(), "voronoi")
