"""Flow around a cylinder with the lattice Boltzmann method: nine numbers per cell, one launch per step.

A cell holds the amounts of fluid that move in nine directions. A step collects them from the neighbors and moves them
towards equilibrium. Vortices leave the cylinder in turn; colors show the direction of rotation.
"""

import numpy as np
from palette import blend, write_picture

from heddle import cuda, float32

DX = (0, 1, 0, -1, 0, 1, -1, -1, 1)
DY = (0, 0, 1, 0, -1, 1, 1, -1, -1)
OPPOSITE = (0, 3, 4, 1, 2, 7, 8, 5, 6)
WEIGHTS = np.array([4 / 9] + 4 * [1 / 9] + 4 * [1 / 36], np.float32)
SPEED = np.float32(0.1)


@cuda.jit(device=True)
def equilibrium(k, density, ux, uy):
    along = float32(3) * (DX[k] * ux + DY[k] * uy)
    square = float32(1.5) * (ux * ux + uy * uy)
    return WEIGHTS[k] * density * (float32(1) + along + float32(0.5) * along * along - square)


@cuda.jit
def advance(cells, solid, out, velocity, rate):
    x, y = cuda.grid(2)
    height, width = solid.shape
    if x >= width or y >= height or solid[y, x]:
        return
    here = cuda.local.array(9, float32)
    density, ux, uy = float32(0), float32(0), float32(0)
    for k in range(9):
        row, column = (y - DY[k]) % height, min(max(x - DX[k], 0), width - 1)
        # Fluid that meets a wall comes back.
        here[k] = cells[OPPOSITE[k], y, x] if solid[row, column] else cells[k, row, column]
        density += here[k]
        ux += DX[k] * here[k]
        uy += DY[k] * here[k]
    ux, uy = ux / density, uy / density
    if x == 0:
        density, ux, uy = float32(1), SPEED, float32(0)
    velocity[0, y, x], velocity[1, y, x] = ux, uy
    for k in range(9):
        target = equilibrium(k, density, ux, uy)
        out[k, y, x] = target if x == 0 else here[k] + rate * (target - here[k])


def draw(width=480, steps=6000):
    width, height = width * 2 // 3, width * 2 // 9
    y, x = np.mgrid[:height, :width]
    radius = height / 9
    solid = (x - width / 5) ** 2 + (y - height / 2 - 1) ** 2 < radius**2
    rate = np.float32(1 / (0.5 + 3 * SPEED * 2 * radius / 130))  # Reynolds number 130
    flow = np.ones((9, height, width), np.float32) * WEIGHTS[:, None, None]
    flow[1] *= 1 + 3 * SPEED
    flow[2] *= 1 + 0.3 * np.sin(x / width * 6).astype(
        np.float32
    )  # a disturbance, from which vortices grow
    cells, other, solid_cells = map(cuda.to_device, (flow, flow, solid))
    velocity = cuda.to_device(np.zeros((2, height, width), np.float32))
    for _ in range(steps):
        advance[(-(-width // 32), -(-height // 4)), (32, 4)](
            cells, solid_cells, other, velocity, rate
        )
        cells, other = other, cells
    ux, uy = velocity.copy_to_host()
    rotation = np.gradient(uy, axis=1) - np.gradient(ux, axis=0)
    picture = blend(
        0.5 + 0.5 * np.tanh(rotation * 40), "#0b2a6b", "#67a9d8", "#f7f7f2", "#ee9a62", "#7a1020"
    )
    picture[solid] = 30
    return picture.repeat(2, axis=0).repeat(2, axis=1)


if __name__ == "__main__":
    write_picture(draw(), "fluid")
