"""The matrix product of tensor_cores.py for GPUs of compute capability 9.0: warpgroups multiply tiles in shared memory.

A block computes a tile of the product. Each warpgroup holds the sums of its rows. All threads copy: they start to copy
the tiles for a later step, and the products of the current step run meanwhile.
"""

import dataclasses

import numpy as np

from heddle import cuda
from heddle.cuda import wgmma

DEPTH = 64  # columns of a, and rows of b, in a tile
WARPGROUPS = 2
THREADS = 128 * WARPGROUPS


@dataclasses.dataclass(frozen=True)
class Plan:
    """Sizes of a block's tile in the result. stages: tiles of a and b in shared memory."""

    rows: int = 128
    columns: int = 256
    stages: int = 4
    group: int = 8  # rows of blocks that run at about the same time, so that they share tiles in the L2 cache

    @property
    def shared_bytes(self):
        return 2 * self.stages * DEPTH * (self.rows + self.columns)

    def __str__(self):
        return f"{self.rows} x {self.columns} by warpgroups, {self.stages} stages, groups of {self.group}"


PLANS = [
    Plan(rows, columns, group=group)
    for rows, columns in [(128, 256), (256, 128), (256, 192)]
    for group in [8, 16]
]


def make_product(plan):
    """A kernel that computes c = a @ b: float16 factors in C order, float32 sums. a.shape[1] is a multiple of 64."""
    rows, columns, stages, group = plan.rows, plan.columns, plan.stages, plan.group
    size_of_a, size = stages * rows * DEPTH, plan.shared_bytes // 2
    panels = columns // 64
    fragments = rows // 64 // WARPGROUPS  # of a warpgroup
    rows_at_once = THREADS // 8  # eight threads copy a row of 64 halves

    @cuda.jit(device=True)
    def start_copies(tiles_of_a, tiles_of_b, stage, a, b, top, left, k):
        row, column = np.uint32(cuda.threadIdx.x // 8), np.uint32(cuda.threadIdx.x % 8 * 8)
        place = wgmma.swizzle(row, column)
        for i in range(rows // rows_at_once):
            r = row + np.uint32(i * rows_at_once)
            cuda.pipeline.memcpy_async(tiles_of_a, (stage, r, place), a, (top + r, k + column), 8)
        for panel in range(panels):
            first = left + column + np.uint32(64 * panel)
            for i in range(DEPTH // rows_at_once):
                r = row + np.uint32(i * rows_at_once)
                to = (stage, panel, r, place)
                cuda.pipeline.memcpy_async(tiles_of_b, to, b, (k + r, first), 8)
        cuda.pipeline.commit()

    @cuda.jit(launch_bounds=(THREADS, 1))
    def product(a, b, c):
        memory = cuda.shared.array(0, np.float16)
        tiles_of_a = memory[:size_of_a].reshape(stages, rows, DEPTH)
        tiles_of_b = memory[size_of_a:size].reshape(stages, panels, DEPTH, 64)
        row = np.uint32(cuda.threadIdx.x // 128 * (64 * fragments))

        down, along = cuda.gridDim.y, cuda.gridDim.x
        block = cuda.blockIdx.y * along + cuda.blockIdx.x
        first = block // (group * along) * group
        height = min(group, down - first)
        top = (first + block % (group * along) % height) * rows
        left = block % (group * along) // height * columns
        # The last tiles of a row or column overlap with those before.
        top = np.uint32(min(top, c.shape[0] - rows))
        left = np.uint32(min(left, c.shape[1] - columns))

        sums = wgmma.accumulator(columns, shape=fragments)
        last = a.shape[1] - DEPTH
        for step in range(stages - 2):
            k = np.uint32(min(step * DEPTH, last))
            start_copies(tiles_of_a, tiles_of_b, np.uint32(step), a, b, top, left, k)
        stage, free = np.uint32(0), np.uint32(stages - 2)
        for k in range(0, a.shape[1], DEPTH):
            cuda.pipeline.wait_prior(stages - 3)
            cuda.syncthreads()  # the tiles of this step are complete, and the products before the last one
            for i in range(fragments):
                start = row + np.uint32(64 * i)
                tile_of_a = tiles_of_a[stage, start : start + np.uint32(64)]
                wgmma.mma(sums[i], tile_of_a, tiles_of_b[stage])
            # The last steps copy the last tile again.
            ahead = np.uint32(min(k + (stages - 2) * DEPTH, last))
            start_copies(tiles_of_a, tiles_of_b, free, a, b, top, left, ahead)
            wgmma.wait_prior(fragments, sums)
            stage = np.uint32(stage + 1 if stage + 1 < stages else 0)
            free = np.uint32(free + 1 if free + 1 < stages else 0)
        wgmma.wait_prior(0, sums)
        for i in range(fragments):
            wgmma.store(c, (top + row + 64 * i, left), sums[i])

    return product


def launch(plan, kernel, a, b, c, stream=0):
    grid = (-(-c.shape[1] // plan.columns), -(-c.shape[0] // plan.rows))
    kernel[grid, THREADS, stream, plan.shared_bytes](a, b, c)
