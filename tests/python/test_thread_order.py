"""Kernels that map x to rows: a warp's threads are rearranged along the axis that is contiguous in memory.

The results, and every index that a thread sees, do not change.
"""

import numpy as np
import pytest

import heddle
from heddle import cuda, float32, int32

BLOCKS = [(16, 16), (8, 4), (1, 64), (64, 1), (5, 7), (32, 32)]
ROWS, COLUMNS = 45, 70
ALONG_Y = "a warp's threads are neighbors along y"
ALONG_Z = "a warp's threads are neighbors along z"


def remarks_of(kernel):
    return "\n".join(text for texts in kernel.inspect_remarks().values() for text in texts)


def blocks_for(shape, block):
    return tuple(-(-n // threads) for n, threads in zip(shape, block, strict=True))


def places(out):
    i, j = cuda.grid(2)
    if i < out.shape[0] and j < out.shape[1]:
        place = cuda.threadIdx.x + 100 * cuda.threadIdx.y
        out[i, j] = place + 10_000 * cuda.blockDim.x + 1_000_000 * cuda.blockDim.y


def matmul(a, b, c):
    i, j = cuda.grid(2)
    if i < c.shape[0] and j < c.shape[1]:
        total = int32(0)
        for k in range(a.shape[1]):
            total += a[i, k] * b[k, j]
        c[i, j] = total


def tiled_matmul(a, b, c):
    tile_a = cuda.shared.array((8, 8), int32)
    tile_b = cuda.shared.array((8, 8), int32)
    i, j = cuda.grid(2)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    total = int32(0)
    for first in range(0, a.shape[1], 8):
        inside = i < a.shape[0] and first + y < a.shape[1]
        tile_a[x, y] = a[i, first + y] if inside else 0
        inside = j < b.shape[1] and first + x < b.shape[0]
        tile_b[x, y] = b[first + x, j] if inside else 0
        cuda.syncthreads()
        for k in range(8):
            total += tile_a[x, k] * tile_b[k, y]
        cuda.syncthreads()
    if i < c.shape[0] and j < c.shape[1]:
        c[i, j] = total


def by_grid_strides(out, a):
    i, j = cuda.grid(2)
    rows, columns = cuda.gridsize(2)
    for r in range(i, a.shape[0], rows):
        for c in range(j, a.shape[1], columns):
            out[r, c] = a[r, c] + r * 1000 + c


def in_three_dimensions(out, a):
    i, j, k = cuda.grid(3)
    if i < a.shape[0] and j < a.shape[1] and k < a.shape[2]:
        out[i, j, k] = a[i, j, k] + i * 10_000 + j * 100 + k


def expected_places(shape, block):
    x = np.arange(shape[0])[:, None] % block[0]
    y = np.arange(shape[1])[None, :] % block[1]
    return (x + 100 * y + 10_000 * block[0] + 1_000_000 * block[1]).astype(np.int32)


@pytest.mark.parametrize("block", BLOCKS, ids=str)
def test_threads_see_the_block_that_was_asked_for(device, block):
    kernel = cuda.jit(places)
    out = cuda.to_device(np.zeros((ROWS, COLUMNS), np.int32))
    kernel[blocks_for(out.shape, block), block](out)
    np.testing.assert_array_equal(out.copy_to_host(), expected_places(out.shape, block))
    assert ALONG_Y in remarks_of(kernel)


@pytest.mark.parametrize("reorder", [True, False])
@pytest.mark.parametrize("kernel", [matmul, tiled_matmul], ids=lambda f: f.__name__)
def test_products_of_matrices(device, kernel, reorder):
    rng = np.random.default_rng(1)
    a = rng.integers(-9, 9, (ROWS, 30)).astype(np.int32)
    b = rng.integers(-9, 9, (30, COLUMNS)).astype(np.int32)
    c = cuda.to_device(np.zeros((ROWS, COLUMNS), np.int32))
    compiled = cuda.jit(kernel, reorder=reorder)
    compiled[blocks_for(c.shape, (8, 8)), (8, 8)](cuda.to_device(a), cuda.to_device(b), c)
    np.testing.assert_array_equal(c.copy_to_host(), a @ b)
    assert (ALONG_Y in remarks_of(compiled)) == reorder


@pytest.mark.parametrize("block", BLOCKS, ids=str)
def test_grid_strides_in_two_dimensions(device, block):
    a = np.arange(ROWS * COLUMNS, dtype=np.int32).reshape(ROWS, COLUMNS)
    out = cuda.to_device(np.zeros_like(a))
    cuda.jit(by_grid_strides)[(2, 3), block](out, cuda.to_device(a))
    rows, columns = np.indices(a.shape)
    np.testing.assert_array_equal(out.copy_to_host(), a + rows * 1000 + columns)


@pytest.mark.parametrize(
    "block", [(8, 8, 8), (4, 16, 2), (128, 2, 2), (1, 1, 64), (65, 1, 3)], ids=str
)
def test_three_dimensions(device, block):
    a = np.arange(9 * 20 * 33, dtype=np.int32).reshape(9, 20, 33)
    out = cuda.to_device(np.zeros_like(a))
    kernel = cuda.jit(in_three_dimensions)
    kernel[blocks_for(a.shape, block), block](out, cuda.to_device(a))
    i, j, k = np.indices(a.shape)
    np.testing.assert_array_equal(out.copy_to_host(), a + i * 10_000 + j * 100 + k)
    assert ALONG_Z in remarks_of(kernel)


def with_shuffle(out, a):
    i, j = cuda.grid(2)
    out[i, j] = cuda.shfl_sync(0xFFFFFFFF, a[i, j], 0)


def with_lane(out, a):
    i, j = cuda.grid(2)
    out[i, j] = a[i, j] + cuda.laneid


def with_warp_number(out, a):
    i, j = cuda.grid(2)
    out[i, j] = a[i, j] + cuda.threadIdx.x // cuda.warpsize


def with_print(out, a):
    i, j = cuda.grid(2)
    if a[i, j] < 0:
        print("negative")
    out[i, j] = a[i, j]


def with_columns_along_x(out, a):
    j, i = cuda.grid(2)
    out[i, j] = a[i, j]


def transposing(out, a):
    i, j = cuda.grid(2)
    out[i, j] = a[j, i]


@pytest.mark.parametrize(
    "kernel",
    [with_shuffle, with_lane, with_warp_number, with_print, with_columns_along_x],
    ids=lambda f: f.__name__,
)
def test_the_order_stays_where_it_is_seen_or_no_other_is_better(device, kernel):
    a = cuda.to_device(np.ones((32, 32), np.int32))
    out = cuda.to_device(np.zeros((32, 32), np.int32))
    compiled = cuda.jit(kernel)
    compiled[1, (32, 32)](out, a)
    cuda.synchronize()
    assert ALONG_Y not in remarks_of(compiled)


def test_stores_are_contiguous_rather_than_loads():
    def transposing_columns(out, a):
        j, i = cuda.grid(2)
        out[i, j] = a[j, i]

    a = np.arange(40 * 48, dtype=np.int32).reshape(40, 48)
    for kernel, extents in ((transposing, (48, 40)), (transposing_columns, (40, 48))):
        compiled, out = cuda.jit(kernel), np.zeros((48, 40), np.int32)
        compiled[tuple(n // 8 for n in extents), (8, 8)](out, a)
        assert np.array_equal(out, a.T)
        assert (ALONG_Y in remarks_of(compiled)) == (kernel is transposing)


def test_debug_mode_keeps_the_order_and_reports_the_thread(device):
    @cuda.jit(debug=True, opt=False)
    def beyond(out):
        i, j = cuda.grid(2)
        if i == 3 and j == 5:
            out[i, j + 100] = 1
        else:
            out[i, j] = 1

    with pytest.raises(IndexError, match=r"thread \(3, 5, 0\)"):
        beyond[1, (8, 8)](cuda.to_device(np.zeros((8, 8), np.int32)))
        cuda.synchronize()
    device.reset()


def test_a_barrier_that_threads_miss_keeps_the_order_and_names_the_thread(cpu):
    @cuda.jit
    def missed(out):
        i, j = cuda.grid(2)
        if i > 0:
            cuda.syncthreads()
            out[i, j] = 1
        else:  # of the same warp
            cuda.syncthreads()
            out[i, j] = 2

    expected = (
        r"warp 0 of block \(0, 0, 0\): 24 threads wait there while 8 wait .*\n.*thread \(1, 0, 0\)"
    )
    with pytest.raises(heddle.errors.KernelRuntimeError, match=expected):
        missed[1, (4, 8)](np.zeros((4, 8), np.int32))
        cuda.synchronize()
    cpu.reset()
    assert ALONG_Y not in remarks_of(missed)  # which threads make up a warp matters there


def test_kept_code_remembers_the_order(device, tmp_path, monkeypatch):
    monkeypatch.setenv("HEDDLE_CACHE_DIR", str(tmp_path))
    for _ in range(2):
        kernel = cuda.jit(places, cache=True)
        out = cuda.to_device(np.zeros((ROWS, COLUMNS), np.int32))
        kernel[blocks_for(out.shape, (4, 16)), (4, 16)](out)
        np.testing.assert_array_equal(out.copy_to_host(), expected_places(out.shape, (4, 16)))
        assert ALONG_Y in remarks_of(kernel)


def test_code_for_other_launchers_keeps_the_order():
    both = [
        cuda.compile_ptx(f, (float32[:, ::1], float32[:, ::1]), cc=(8, 0))[0]
        for f in (with_columns_along_x, with_rows_along_x)
    ]
    first, second = (
        [line.split("%")[-1] for line in text.splitlines() if "%tid." in line] for text in both
    )
    assert first and sorted(first) == sorted(second)


def with_rows_along_x(out, a):
    i, j = cuda.grid(2)
    out[i, j] = a[i, j]


CUDA_CPP = r"""
extern "C" __global__ void places(int *out, int rows, int columns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < rows && j < columns)
    out[i * columns + j] = threadIdx.x + 100 * threadIdx.y + 10000 * blockDim.x + 1000000 * blockDim.y;
}
"""


@pytest.mark.parametrize("options", [(), ("--reorder=false",)], ids=str)
def test_cuda_cpp(device, options):
    kernel = heddle.RawKernel(CUDA_CPP, "places", options=options)
    for block in BLOCKS:
        out = cuda.to_device(np.zeros((ROWS, COLUMNS), np.int32))
        arguments = (out, np.int32(ROWS), np.int32(COLUMNS))
        kernel(blocks_for(out.shape, block), block, arguments)
        np.testing.assert_array_equal(out.copy_to_host(), expected_places(out.shape, block))
    assert any(ALONG_Y in text for text in kernel.inspect_remarks()) == (not options)
