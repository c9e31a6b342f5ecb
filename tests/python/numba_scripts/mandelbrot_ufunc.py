"""The Mandelbrot set by a ufunc of two broadcast axes."""

import numpy as np
from numba import float64, int32, vectorize


@vectorize([int32(float64, float64, int32)], target="cuda")
def escape(x, y, limit):
    re, im = x, y
    z_re, z_im = 0.0, 0.0
    for n in range(limit):
        z_re, z_im = z_re * z_re - z_im * z_im + re, 2 * z_re * z_im + im
        if z_re * z_re + z_im * z_im >= 4.0:
            return n
    return 255


x, y = np.linspace(-2, 1, 60), np.linspace(-1, 1, 40)
image = escape(x[None, :], y[:, None], np.int32(50))
print(image.shape, image.dtype, image.max())
