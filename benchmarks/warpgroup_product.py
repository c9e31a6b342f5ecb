"""The matrix product of tensor_cores.py for GPUs of compute capability 9.0: warpgroups multiply tiles in shared memory.

A block computes a tile of the product. Each warpgroup holds the sums of its rows. All threads copy: they start to copy
the tiles for a later step, and the products of the current step run meanwhile.
"""

import dataclasses

import numpy as np

from heddle import cuda
from heddle.cuda import wgmma

DEPTH = 64  # columns of a, and rows of b, in a tile


@dataclasses.dataclass(frozen=True)
class Plan:
    """Sizes of a block's tile in the result. stages: tiles of a and b in shared memory."""

    rows: int = 128
    columns: int = 256
    warpgroups: int = 2
    stages: int = 4
    group: int = 8  # rows of blocks that run at about the same time, so that they share tiles in the L2 cache

    @property
    def threads(self):
        return 128 * self.warpgroups

    @property
    def shared_bytes(self):
        return 2 * self.stages * DEPTH * (self.rows + self.columns)

    def __str__(self):
        return f"{self.rows} x {self.columns} by warpgroups, {self.stages} stages, groups of {self.group}"


PLANS = [
    Plan(rows, columns, warpgroups, group=group)
    for rows, columns, warpgroups in [(128, 256, 2), (192, 256, 3), (256, 192, 2)]
    for group in [8, 16]
]


def make_product(plan):
    """A kernel that computes c = a @ b: float16 factors in C order, float32 sums. a.shape[1] is a multiple of 64."""
    rows, columns, stages, group = plan.rows, plan.columns, plan.stages, plan.group
    size_of_a, size = stages * rows * DEPTH, plan.shared_bytes // 2
    panels = columns // 64
    fragments = rows // 64 // plan.warpgroups  # of a warpgroup
    # With three warpgroups, the first one copies b, the others a.
    divides_copies = plan.warpgroups == 3
    copiers_of_a = plan.threads - 128 if divides_copies else plan.threads
    copiers_of_b = 128 if divides_copies else plan.threads

    @cuda.jit(device=True)
    def copy_a(tiles, stage, a, top, k, thread):
        row, column = thread // 8, thread % 8 * 8
        place = wgmma.swizzle(row, column)
        for i in range(rows * 8 // copiers_of_a):
            r = row + np.uint32(i * copiers_of_a // 8)
            cuda.pipeline.memcpy_async(tiles, (stage, r, place), a, (top + r, k + column), 8)

    @cuda.jit(device=True)
    def copy_b(tiles, stage, b, left, k, thread):
        row, column = thread // 8, thread % 8 * 8
        place = wgmma.swizzle(row, column)
        for panel in range(panels):
            first = left + column + np.uint32(64 * panel)
            for i in range(DEPTH * 8 // copiers_of_b):
                r = row + np.uint32(i * copiers_of_b // 8)
                cuda.pipeline.memcpy_async(tiles, (stage, panel, r, place), b, (k + r, first), 8)

    @cuda.jit(device=True)
    def start_copies(tiles_of_a, tiles_of_b, stage, a, b, top, left, k):
        thread = np.uint32(cuda.threadIdx.x)
        if not divides_copies or thread < 128:
            copy_b(tiles_of_b, stage, b, left, k, thread)
        if not divides_copies:
            copy_a(tiles_of_a, stage, a, top, k, thread)
        elif thread >= 128:
            copy_a(tiles_of_a, stage, a, top, k, thread - np.uint32(128))
        cuda.pipeline.commit()

    @cuda.jit(launch_bounds=(plan.threads, 1))
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
        top, left = (
            np.uint32(min(top, c.shape[0] - rows)),
            np.uint32(min(left, c.shape[1] - columns)),
        )

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
    kernel[grid, plan.threads, stream, plan.shared_bytes](a, b, c)
