"""The Mandelbrot set: threads with different amounts of work, in a two-dimensional grid.

One thread per pixel repeats z = z * z + c until z leaves the circle of radius 2. Pixels far from the set take a few
iterations, pixels inside take all of them. The kernel needs no special handling. The image is written as a PNG file.
"""

import struct
import sys
import zlib

import numpy as np

from heddle import cuda

LEFT, RIGHT, TOP = -2.2, 0.8, 1.2
ROUNDS = 200


@cuda.jit(device=True)
def rounds_until_it_leaves(c_real, c_imag, most):
    real, imag = 0.0, 0.0
    for n in range(most):
        if real * real + imag * imag > 4.0:
            return n
        real, imag = real * real - imag * imag + c_real, 2 * real * imag + c_imag
    return most


@cuda.jit
def draw(picture, left, top, step):
    x, y = cuda.grid(2)
    if y < picture.shape[0] and x < picture.shape[1]:
        picture[y, x] = rounds_until_it_leaves(
            left + (x + 0.5) * step, top - (y + 0.5) * step, ROUNDS
        )


def draw_with_numpy(rows, width, step):
    c = LEFT + (np.arange(width) + 0.5) * step + 1j * (TOP - (rows[:, None] + 0.5) * step)
    z, rounds = np.zeros_like(c), np.full(c.shape, ROUNDS)
    for n in range(ROUNDS):
        out = z.real**2 + z.imag**2 > 4.0
        rounds[out & (rounds == ROUNDS)] = n
        z = np.where(out, z, z * z + c)
    return rounds


def run(width):
    """Draws an image of this width. Returns every eighth row of iteration counts of the kernel and of NumPy."""
    picture = compute(width)
    rows = np.arange(0, picture.shape[0], 8)
    return picture[rows], draw_with_numpy(rows, width, (RIGHT - LEFT) / width)


def compute(width):
    picture = np.zeros((width * 4 // 5, width), np.uint8)
    blocks = ((width + 15) // 16, (picture.shape[0] + 15) // 16)
    draw[blocks, (16, 16)](picture, LEFT, TOP, (RIGHT - LEFT) / width)
    return picture


def colors(picture):
    """Colors from dark blue through white to red with the iteration count; black for points in the set."""
    t = np.log(1 + picture.astype(float)) / np.log(1 + ROUNDS)
    stops = [0, 0.3, 0.5, 0.7, 1]
    red, green, blue = [0, 20, 230, 255, 90], [5, 80, 250, 170, 0], [45, 170, 255, 20, 30]
    rgb = np.stack([np.interp(t, stops, channel) for channel in (red, green, blue)], axis=-1)
    rgb[picture == ROUNDS] = 0
    return rgb.astype(np.uint8)


def write_png(path, rgb):
    def chunk(kind, data):
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    height, width, _ = rgb.shape
    lines = b"".join(b"\0" + line.tobytes() for line in rgb)
    with open(path, "wb") as file:
        file.write(
            b"\x89PNG\r\n\x1a\n"
            + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
        )
        file.write(chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b""))


def main(width=1000, path="mandelbrot.png"):
    got, expected = run(width)
    # Rounding may decide in which iteration a point at the boundary leaves.
    assert np.mean(got == expected) > 0.999
    write_png(path, colors(compute(width)))
    print(f"drew {width} x {width * 4 // 5} pixels, up to {ROUNDS} rounds each: see {path}")


if __name__ == "__main__":
    main(path=sys.argv[1] if len(sys.argv) > 1 else "mandelbrot.png")
