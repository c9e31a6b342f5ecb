"""Particles as records; what a kernel does to them is a member of an enumeration."""

from enum import IntEnum

import numpy as np
from numba import cuda, from_dtype

particle = np.dtype(
    [("position", np.float32, (3,)), ("speed", np.float32), ("kind", np.int32)], align=True
)
particle_type = from_dtype(particle)


class Kind(IntEnum):
    RESTING = 0
    MOVING = 1
    FAST = 2


@cuda.jit
def step(particles, counts):
    i = cuda.grid(1)
    if i >= particles.shape[0]:
        return
    p = particles[i]
    if p.kind == Kind.RESTING:
        cuda.atomic.add(counts, Kind.RESTING, 1)
        return
    factor = 2 if p.kind == Kind.FAST else 1
    for axis in range(3):
        p.position[axis] += factor * p.speed
    cuda.atomic.add(counts, p.kind, 1)


particles = np.zeros(300, dtype=particle)
particles["kind"] = np.arange(300) % 3
particles["speed"] = 0.5
counts = np.zeros(3, dtype=np.int32)
step[3, 128](particles, counts)
print(counts, particles["position"][:3].tolist())
