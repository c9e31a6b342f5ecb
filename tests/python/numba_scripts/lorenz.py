import numpy as np
from numba import cuda, float64


def make_solver(derivatives, n):
    slope = cuda.jit(device=True)(derivatives)

    @cuda.jit
    def runge_kutta(start, out, dt, steps, parameters):
        i = cuda.grid(1)
        if i >= start.shape[0]:
            return
        y = cuda.local.array(n, float64)
        moved = cuda.local.array(n, float64)
        k = cuda.local.array((4, n), float64)
        for j in range(n):
            y[j] = start[i, j]
        for _ in range(steps):
            slope(y, k[0], parameters)
            for stage in range(1, 4):
                part = dt if stage == 3 else 0.5 * dt
                for j in range(n):
                    moved[j] = y[j] + part * k[stage - 1, j]
                slope(moved, k[stage], parameters)
            for j in range(n):
                y[j] += dt / 6 * (k[0, j] + 2 * k[1, j] + 2 * k[2, j] + k[3, j])
        for j in range(n):
            out[i, j] = y[j]

    return runge_kutta


def lorenz(y, dy, p):
    dy[0] = p[0] * (y[1] - y[0])
    dy[1] = y[0] * (p[1] - y[2]) - y[1]
    dy[2] = y[0] * y[1] - p[2] * y[2]


def on_the_host(y, dt, steps, p):
    def slope(y):
        dy = np.zeros(3)
        lorenz(y, dy, p)
        return dy

    for _ in range(steps):
        k0 = slope(y)
        k1 = slope(y + dt / 2 * k0)
        k2 = slope(y + dt / 2 * k1)
        k3 = slope(y + dt * k2)
        y = y + dt / 6 * (k0 + 2 * k1 + 2 * k2 + k3)
    return y


start = np.random.default_rng(0).random((10, 3))
parameters = (10.0, 28.0, 8 / 3)
out = np.zeros_like(start)
make_solver(lorenz, 3)[1, 32](start, out, 0.01, 50, parameters)
print(np.allclose(out, [on_the_host(y, 0.01, 50, parameters) for y in start], rtol=1e-9))
