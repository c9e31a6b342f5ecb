"""Host functions that benchmarks/host.py compiles with Heddle and with numba: programs from numba's tutorials.

``programs(compiler)``, where ``compiler`` is the module ``heddle`` or ``numba``, returns for each name the compiled
function and a function that creates its arguments.
"""

import math

import numpy as np


def make_programs(compiler):
    njit, prange, stencil, vectorize = (
        compiler.njit,
        compiler.prange,
        compiler.stencil,
        compiler.vectorize,
    )
    random = np.random.default_rng(1)

    @njit
    def increment(a):
        for i in range(a.size):
            a[i] += 1

    @njit
    def where_and_sum(a):
        return np.where(a > 0.5, a * 2.0, a - 1.0).sum()

    @njit(parallel=True)
    def parallel_sum(a):
        total = 0.0
        for i in prange(a.size):
            total += a[i] * a[i]
        return total

    @njit(parallel=True)
    def sum_of_products(a, b):
        return np.sum(a * b)

    @njit
    def matmul(a, b, c):
        for i in range(a.shape[0]):
            for j in range(b.shape[1]):
                total = 0.0
                for k in range(a.shape[1]):
                    total += a[i, k] * b[k, j]
                c[i, j] = total

    @njit
    def mandelbrot(height, width, limit):
        counts = np.zeros((height, width), np.int64)
        for y in range(height):
            for x in range(width):
                c = complex(-2.0 + 3.0 * x / width, -1.0 + 2.0 * y / height)
                z = 0.0j
                for n in range(limit):
                    if z.real * z.real + z.imag * z.imag > 4.0:
                        break
                    z = z * z + c
                    counts[y, x] = n
        return counts

    @njit
    def heat(u, v):
        for i in range(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                v[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])

    @njit
    def moving_average(a, out):
        for i in range(2, a.size - 2):
            out[i] = (a[i - 2] + a[i - 1] + a[i] + a[i + 1] + a[i + 2]) / 5.0

    @stencil
    def blur_kernel(a):
        return 0.2 * (a[0, 0] + a[-1, 0] + a[1, 0] + a[0, -1] + a[0, 1])

    @njit
    def blur(a):
        return blur_kernel(a)

    @njit
    def k_means(points, centers, labels, rounds):
        k, dimensions = centers.shape
        for _ in range(rounds):
            sums = np.zeros((k, dimensions))
            counts = np.zeros(k, np.int64)
            for i in range(points.shape[0]):
                best, nearest = np.inf, 0
                for c in range(k):
                    distance = 0.0
                    for d in range(dimensions):
                        difference = points[i, d] - centers[c, d]
                        distance += difference * difference
                    if distance < best:
                        best, nearest = distance, c
                labels[i] = nearest
                counts[nearest] += 1
                for d in range(dimensions):
                    sums[nearest, d] += points[i, d]
            for c in range(k):
                if counts[c] > 0:
                    for d in range(dimensions):
                        centers[c, d] = sums[c, d] / counts[c]

    @njit
    def sort(a):
        return np.sort(a)

    @vectorize(["float64(float64, float64)"])
    def hypotenuse(x, y):
        return math.sqrt(x * x + y * y)

    @njit
    def n_body(x, y, z, fx, fy, fz):
        for i in range(x.size):
            ax, ay, az = 0.0, 0.0, 0.0
            for j in range(x.size):
                dx, dy, dz = x[j] - x[i], y[j] - y[i], z[j] - z[i]
                r = dx * dx + dy * dy + dz * dz + 1e-9
                w = 1.0 / (r * math.sqrt(r))
                ax += w * dx
                ay += w * dy
                az += w * dz
            fx[i], fy[i], fz[i] = ax, ay, az

    @njit
    def normal(x):
        return 0.5 * (1.0 + math.erf(x / math.sqrt(2.0)))

    @njit
    def black_scholes(price, strike, years, rate, volatility, call):
        for i in range(price.size):
            root = volatility * math.sqrt(years[i])
            d = (math.log(price[i] / strike[i]) + (rate + 0.5 * volatility**2) * years[i]) / root
            call[i] = price[i] * normal(d) - strike[i] * math.exp(-rate * years[i]) * normal(
                d - root
            )

    @njit
    def floyd_warshall(d):
        for k in range(d.shape[0]):
            for i in range(d.shape[0]):
                for j in range(d.shape[0]):
                    if d[i, k] + d[k, j] < d[i, j]:
                        d[i, j] = d[i, k] + d[k, j]

    @njit
    def scan(a, out):
        carried = 0.0
        for i in range(a.size):
            carried = 0.9 * carried + 0.1 * a[i]
            out[i] = carried

    # Its own generator: random numbers in jitted functions are a different subject.
    @njit(parallel=True)
    def pi(n):
        hits = 0
        for i in prange(n):
            state = i * 1103515245 + 12345
            state = (state ^ (state >> 13)) * 1540483477
            x = (state & 65535) / 65536.0
            y = ((state >> 16) & 65535) / 65536.0
            if x * x + y * y < 1.0:
                hits += 1
        return 4.0 * hits / n

    @njit(parallel=True)
    def expression(a, b):
        return np.sqrt(a * b + 1.0) - a / (b + 2.0)

    def of_floats(*shape, dtype=np.float64):
        """A random array aligned to a cache line; reading an unaligned one can take up to 1.5 times as long."""
        values = random.random(shape).astype(dtype)
        line = 64
        memory = np.empty(values.nbytes + line, np.uint8)
        first = -memory.ctypes.data % line
        aligned = memory[first : first + values.nbytes].view(dtype).reshape(shape)
        aligned[...] = values
        return aligned

    return {
        "increment of 1e6 float32": (increment, lambda: (of_floats(10**6, dtype=np.float32),)),
        "np.where and sum, 2^24": (where_and_sum, lambda: (of_floats(2**24),)),
        "prange sum, 2^24": (parallel_sum, lambda: (of_floats(2**24),)),
        "parallel sum of products, 2^22": (
            sum_of_products,
            lambda: (of_floats(2**22), of_floats(2**22)),
        ),
        "parallel expression, 2^22": (expression, lambda: (of_floats(2**22), of_floats(2**22))),
        "matmul, 300": (
            matmul,
            lambda: (of_floats(300, 300), of_floats(300, 300), np.zeros((300, 300))),
        ),
        "Mandelbrot, 200 x 300": (mandelbrot, lambda: (200, 300, 100)),
        "heat, 1000 x 1000": (heat, lambda: (of_floats(1000, 1000), np.zeros((1000, 1000)))),
        "moving average, 1e6": (moving_average, lambda: (of_floats(10**6), np.zeros(10**6))),
        "stencil, 1000 x 1000": (blur, lambda: (of_floats(1000, 1000),)),
        "n-body, 2000": (n_body, lambda: tuple(of_floats(2000) for _ in range(6))),
        "Black-Scholes, 1e6": (
            black_scholes,
            lambda: (
                *(of_floats(10**6) * 20 + 10, of_floats(10**6) * 30 + 10, of_floats(10**6) + 0.5),
                *(0.02, 0.3, np.zeros(10**6)),
            ),
        ),
        "Floyd-Warshall, 300": (floyd_warshall, lambda: (of_floats(300, 300),)),
        "k-means, 1e5 points": (
            k_means,
            lambda: (
                *(of_floats(10**5, 3), of_floats(8, 3), np.zeros(10**5, np.int64)),
                5,
            ),
        ),
        "sort, 1e6": (sort, lambda: (of_floats(10**6),)),
        "ufunc, 1 element": (hypotenuse, lambda: (of_floats(1), of_floats(1))),
        "ufunc, 1e3 elements": (hypotenuse, lambda: (of_floats(10**3), of_floats(10**3))),
        "ufunc, 1e7 elements": (hypotenuse, lambda: (of_floats(10**7), of_floats(10**7))),
        "scan, 1e6": (scan, lambda: (of_floats(10**6), np.zeros(10**6))),
        "Monte-Carlo pi, 1e7": (pi, lambda: (10**7,)),
    }
