from math import sqrt

import numpy as np
from numba import cuda, float32

TILE = 64
SOFTENING = 1e-2


@cuda.jit(device=True)
def body_body_interaction(xi, yi, zi, xj, yj, zj, mj, acc):
    rx = xj - xi
    ry = yj - yi
    rz = zj - zi
    sqr_dist = rx * rx + ry * ry + rz * rz + SOFTENING
    s = mj / (sqr_dist * sqrt(sqr_dist))
    return acc[0] + rx * s, acc[1] + ry * s, acc[2] + rz * s


@cuda.jit
def compute_accelerations(positions, masses, accelerations):
    sh_positions = cuda.shared.array((TILE, 3), float32)
    sh_masses = cuda.shared.array(TILE, float32)
    i = cuda.grid(1)
    n = positions.shape[0]
    tx = cuda.threadIdx.x

    acc = (0.0, 0.0, 0.0)
    xi = yi = zi = float32(0)
    if i < n:
        xi, yi, zi = positions[i, 0], positions[i, 1], positions[i, 2]

    for start in range(0, n, TILE):
        if start + tx < n:
            for axis in range(3):
                sh_positions[tx, axis] = positions[start + tx, axis]
            sh_masses[tx] = masses[start + tx]
        cuda.syncthreads()
        for j in range(min(TILE, n - start)):
            acc = body_body_interaction(
                xi, yi, zi,
                sh_positions[j, 0], sh_positions[j, 1], sh_positions[j, 2], sh_masses[j],
                acc,
            )  # fmt: skip
        cuda.syncthreads()

    if i < n:
        accelerations[i, 0], accelerations[i, 1], accelerations[i, 2] = acc


@cuda.jit
def step(positions, velocities, accelerations, dt):
    i, axis = cuda.grid(2)
    if i < positions.shape[0] and axis < 3:
        velocities[i, axis] += accelerations[i, axis] * dt
        positions[i, axis] += velocities[i, axis] * dt


n = 300
rng = np.random.default_rng(1)
positions = rng.normal(size=(n, 3)).astype(np.float32)
velocities = np.zeros_like(positions)
masses = rng.uniform(0.5, 1.0, n).astype(np.float32)
d_positions, d_velocities = cuda.to_device(positions), cuda.to_device(velocities)
d_masses = cuda.to_device(masses)
d_accelerations = cuda.device_array((n, 3), np.float32)

for _ in range(3):
    compute_accelerations[(n + TILE - 1) // TILE, TILE](d_positions, d_masses, d_accelerations)
    step[((n + 31) // 32, 1), (32, 4)](d_positions, d_velocities, d_accelerations, 0.01)

for _ in range(3):
    r = positions[None, :, :] - positions[:, None, :]
    d2 = (r**2).sum(axis=-1) + SOFTENING
    accelerations = (r * (masses[None, :] / d2**1.5)[..., None]).sum(axis=1)
    velocities += accelerations * 0.01
    positions += velocities * 0.01
np.testing.assert_allclose(d_positions.copy_to_host(), positions, rtol=1e-4, atol=1e-4)
momentum = (d_velocities.copy_to_host() * masses[:, None]).sum(axis=0)
print("momentum kept:", bool(np.all(np.abs(momentum) < 1e-2)))
