"""A matrix product on tensor cores in Python, compared with cuBLAS. Needs a GPU, and CuPy or torch.

    python benchmarks/tensor_cores.py             # 4096 x 4096 x 4096, the best kernel
    python benchmarks/tensor_cores.py --all       # kernels of other tile sizes and numbers of stages, too

A block computes a tile of the product. It copies the next tiles of a and b to shared memory while tensor cores multiply
the current ones: ``stages`` tiles are in shared memory. Each warp holds its part of the sums in registers. On GPUs of
compute capability 9.0, the kernels of warpgroup_product.py are measured, too.
"""

import argparse
import dataclasses
import statistics
import time

import numpy as np

import warpgroup_product
from heddle import cuda
from heddle.cuda import wmma

PADDING = 8  # halves after each row in shared memory, so that eight rows are in different banks


@dataclasses.dataclass(frozen=True)
class Plan:
    """Sizes of tiles: of a block in the result and along k, and of a warp. stages: tiles in shared memory."""

    rows: int = 256
    columns: int = 128
    depth: int = 64
    stages: int = 3
    group: int = 8  # rows of blocks that run at about the same time, so that they share tiles in the L2 cache
    warp_rows: int = 64
    warp_columns: int = 64

    @property
    def threads(self):
        return 32 * (self.rows // self.warp_rows) * (self.columns // self.warp_columns)

    @property
    def bytes_of_a(self):
        return 2 * self.stages * self.rows * (self.depth + PADDING)

    @property
    def shared_bytes(self):
        return self.bytes_of_a + 2 * self.stages * self.depth * (self.columns + PADDING)

    def __str__(self):
        return f"{self.rows} x {self.columns} x {self.depth}, {self.stages} stages, groups of {self.group}"


PLANS = [
    Plan(rows, columns, depth, stages, group)
    for rows, columns in [(256, 128), (128, 256), (128, 128)]
    for depth, stages in [(64, 3), (64, 4), (32, 4)]
    for group in [8, 16]
    if (rows, columns, depth, stages) != (128, 128, 64, 4)  # a block per multiprocessor
]


def make_product(plan):
    """A kernel that computes c = a @ b: float16 factors in C order, float32 sums. Tiles must divide the shapes."""
    rows, columns, depth, stages = plan.rows, plan.columns, plan.depth, plan.stages
    warp_rows, warp_columns = plan.warp_rows, plan.warp_columns
    warps_along = columns // warp_columns
    threads = plan.threads
    size_of_a = plan.bytes_of_a // 2
    size = plan.shared_bytes // 2
    stride_of_a, stride_of_b = depth + PADDING, columns + PADDING
    tiles_down, tiles_along = warp_rows // 16, warp_columns // 16
    copies_of_a = rows * depth // (8 * threads)
    copies_of_b = depth * columns // (8 * threads)
    parts = depth // 16
    group = plan.group
    # A thread copies 8 halves of a row at a time, then of the row that is so many below.
    rows_of_a, rows_of_b = 8 * threads // depth, 8 * threads // columns

    @cuda.jit(device=True)
    def start_copies(tiles_of_a, tiles_of_b, stage, a, b, top, left, k, part, count):
        """Starts to copy one of ``count`` parts of the tiles at column k of a and row k of b."""
        row, column = cuda.threadIdx.x // (depth // 8), cuda.threadIdx.x % (depth // 8) * 8
        for i in range(part * copies_of_a // count, (part + 1) * copies_of_a // count):
            r = row + i * rows_of_a
            cuda.pipeline.memcpy_async(tiles_of_a, (stage, r, column), a, (top + r, k + column), 8)
        row, column = cuda.threadIdx.x // (columns // 8), cuda.threadIdx.x % (columns // 8) * 8
        for i in range(part * copies_of_b // count, (part + 1) * copies_of_b // count):
            r = row + i * rows_of_b
            cuda.pipeline.memcpy_async(tiles_of_b, (stage, r, column), b, (k + r, left + column), 8)

    @cuda.jit(device=True)
    def load_parts(parts_of_a, parts_of_b, to, tiles_of_a, tiles_of_b, stage, row, column, k):
        """Loads the fragments of a warp for 16 columns of a, and rows of b."""
        for i in range(tiles_down):
            wmma.load_matrix_sync(parts_of_a[to, i], tiles_of_a, (stage, row + 16 * i, k))
        for j in range(tiles_along):
            wmma.load_matrix_sync(parts_of_b[to, j], tiles_of_b, (stage, k, column + 16 * j))

    @cuda.jit
    def product(a, b, c):
        memory = cuda.shared.array(0, np.float16)
        tiles_of_a = memory[:size_of_a].reshape(stages, rows, stride_of_a)
        tiles_of_b = memory[size_of_a:size].reshape(stages, depth, stride_of_b)
        warp = cuda.threadIdx.x // 32
        row, column = warp // warps_along * warp_rows, warp % warps_along * warp_columns

        down, along = cuda.gridDim.y, cuda.gridDim.x
        block = cuda.blockIdx.y * along + cuda.blockIdx.x
        first = block // (group * along) * group
        height = min(group, down - first)
        top = np.uint32((first + block % (group * along) % height) * rows)
        left = np.uint32(block % (group * along) // height * columns)

        sums = wmma.fragment(
            wmma.accumulator, 16, 16, 16, np.float32, shape=(tiles_down, tiles_along)
        )
        parts_of_a = wmma.fragment(wmma.matrix_a, 16, 16, 16, np.float16, shape=(2, tiles_down))
        parts_of_b = wmma.fragment(wmma.matrix_b, 16, 16, 16, np.float16, shape=(2, tiles_along))
        wmma.fill_fragment(sums, 0)

        last = a.shape[1] - depth
        for step in range(stages - 1):
            k = np.uint32(min(step * depth, last))
            start_copies(tiles_of_a, tiles_of_b, step, a, b, top, left, k, 0, 1)
            cuda.pipeline.commit()
        cuda.pipeline.wait_prior(stages - 2)
        cuda.syncthreads()
        load_parts(parts_of_a, parts_of_b, 0, tiles_of_a, tiles_of_b, 0, row, column, 0)

        stage, free = np.uint32(0), np.uint32(stages - 1)
        for first in range(0, a.shape[1], depth):
            # A branch would keep loads and products apart: the last steps copy the last tile again.
            ahead = np.uint32(min(first + (stages - 1) * depth, last))
            for part in range(parts):
                if part < parts - 1:
                    k = 16 * (part + 1)
                else:  # no thread needs this tile any more, and the next one is complete
                    cuda.pipeline.commit()
                    cuda.pipeline.wait_prior(stages - 2)
                    cuda.syncthreads()
                    free, stage = stage, np.uint32(stage + 1 if stage + 1 < stages else 0)
                    k = 0
                to = (part + 1) % 2
                load_parts(
                    parts_of_a, parts_of_b, to, tiles_of_a, tiles_of_b, stage, row, column, k
                )
                if part < parts - 1:
                    start_copies(
                        tiles_of_a, tiles_of_b, free, a, b, top, left, ahead, part, parts - 1
                    )
                for i in range(tiles_down):
                    for j in range(tiles_along):
                        wmma.mma_sync(
                            sums[i, j], parts_of_a[part % 2, i], parts_of_b[part % 2, j], sums[i, j]
                        )

        for i in range(tiles_down):
            for j in range(tiles_along):
                wmma.store_matrix_sync(c, (top + row + 16 * i, left + column + 16 * j), sums[i, j])

    return product


def launch(plan, kernel, a, b, c, stream=0):
    grid = (c.shape[1] // plan.columns, c.shape[0] // plan.rows)
    kernel[grid, plan.threads, stream, plan.shared_bytes](a, b, c)


def measure_milliseconds(call, calls=20, repeats=9):
    """The median over ``repeats`` of the time of a call, of which ``calls`` follow each other on the GPU."""
    call()
    times = []
    for _ in range(repeats):
        cuda.synchronize()
        start = time.perf_counter()
        for _ in range(calls):
            call()
        cuda.synchronize()
        times.append(1000 * (time.perf_counter() - start) / calls)
    return statistics.median(times)


def make_cublas_product(a, b):
    """A function that multiplies in cuBLAS through torch or CuPy, and its name."""
    try:
        import torch
    except ImportError:
        import cupy

        x, y = cupy.asarray(a), cupy.asarray(b)
        out = cupy.empty((a.shape[0], b.shape[1]), cupy.float16)
        return (lambda: cupy.matmul(x, y, out=out)), "CuPy"
    x, y = (torch.as_tensor(m, device="cuda") for m in (a, b))
    out = torch.empty((a.shape[0], b.shape[1]), dtype=torch.float16, device="cuda")
    return (lambda: torch.matmul(x, y, out=out)), "torch"


def list_products(with_all_plans):
    """The plan, and the functions that make and launch its kernel, of each product to measure."""
    found = [(plan, make_product, launch) for plan in (PLANS if with_all_plans else [Plan()])]
    if cuda.get_current_device().compute_capability == (9, 0):
        plans = warpgroup_product.PLANS if with_all_plans else [warpgroup_product.Plan()]
        make, start = warpgroup_product.make_product, warpgroup_product.launch
        found += [(plan, make, start) for plan in plans]
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=4096)
    parser.add_argument("--all", action="store_true", help="also measure kernels of other sizes")
    options = parser.parse_args()
    n = options.size
    rng = np.random.default_rng(1)
    host = rng.integers(-4, 5, (2, n, n)).astype(np.float16)
    a, b = (cuda.to_device(m) for m in host)
    c = cuda.device_array((n, n), np.float32)
    rows = rng.integers(0, n, 64)
    expected = host[0][rows].astype(np.float32) @ host[1].astype(np.float32)

    def report(name, milliseconds):
        print(
            f"{name}: {milliseconds:.4f} ms, {2e-9 * n**3 / milliseconds:.0f} TFLOP/s", flush=True
        )
        return milliseconds

    ours = []
    for plan, make, start in list_products(options.all):
        kernel = make(plan)
        try:
            start(plan, kernel, a, b, c)
            np.testing.assert_array_equal(c.copy_to_host()[rows], expected)
        except Exception as error:  # one plan must not hide the others
            print(f"heddle {plan}: {error!s:.200}", flush=True)
            continue
        found = measure_milliseconds(lambda p=plan, k=kernel, s=start: s(p, k, a, b, c))
        ours.append(report(f"heddle {plan}", found))
    product, library = make_cublas_product(*host)
    theirs = report(f"cuBLAS through {library}", measure_milliseconds(product))
    print(f"ratio: {theirs / min(ours):.2f} of the speed of cuBLAS")


if __name__ == "__main__":
    main()
