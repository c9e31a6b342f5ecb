"""Kernels for which the CPU device runs adjacent blocks together: every thread runs once, with its own indices."""

import numpy as np
import pytest

from heddle import cuda

GRIDS = [(1, 1, 1), (5, 3, 2), (200, 7, 1), (7, 200, 1), (1, 65, 3), (130, 1, 1)]
BLOCKS = [(16, 16), (8, 8, 2), (4, 64), (100,), (3, 5), (1, 32)]


@pytest.fixture(autouse=True)
def on_the_cpu(device):
    if device.type != "cpu":
        pytest.skip("the order of blocks is the CPU device's")


@cuda.jit
def columns(seen, of_block):
    """x is the column."""
    x, y, z = cuda.grid(3)
    seen[z, y, x] += 1
    of_block[z, y, x] = cuda.blockIdx.x + 1000 * cuda.blockIdx.y + 1000000 * cuda.blockIdx.z


@cuda.jit
def rows(seen, of_block):
    """x is the row: threads adjacent along y are neighbours."""
    x, y, z = cuda.grid(3)
    seen[z, x, y] += 1
    of_block[z, x, y] = cuda.blockIdx.x + 1000 * cuda.blockIdx.y + 1000000 * cuda.blockIdx.z


@pytest.mark.parametrize("grid", GRIDS, ids=str)
@pytest.mark.parametrize("block", BLOCKS, ids=str)
@pytest.mark.parametrize("kernel", [columns, rows], ids=lambda k: k.py_func.__name__)
def test_every_thread_runs_once(kernel, block, grid):
    block = (*block, 1, 1)[:3]
    nx, ny, nz = (g * b for g, b in zip(grid, block, strict=True))
    shape = (nz, ny, nx) if kernel is columns else (nz, nx, ny)
    seen, of_block = np.zeros(shape, np.int32), np.full(shape, -1)
    kernel[grid, block](seen, of_block)
    assert (seen == 1).all()
    z, y, x = np.indices((nz, ny, nx))
    expected = x // block[0] + 1000 * (y // block[1]) + 1000000 * (z // block[2])
    if kernel is rows:
        expected = expected.transpose(0, 2, 1)
    np.testing.assert_array_equal(of_block, expected)


@cuda.jit
def blur(u, v):
    x, y = cuda.grid(2)
    if 1 <= x < u.shape[1] - 1 and 1 <= y < u.shape[0] - 1:
        total = 0
        for dy in range(-1, 2):
            for dx in range(-1, 2):
                total += u[y + dy, x + dx]
        v[y, x] = total


def test_a_stencil():
    u = np.random.default_rng(0).integers(0, 100, (301, 517))
    v = np.zeros_like(u)
    blur[(33, 19), (16, 16)](u, v)
    expected = sum(
        u[1 + dy : 300 + dy, 1 + dx : 516 + dx] for dy in (-1, 0, 1) for dx in (-1, 0, 1)
    )
    np.testing.assert_array_equal(v[1:-1, 1:-1], expected)
    assert not v[0].any() and not v[-1].any() and not v[:, 0].any() and not v[:, -1].any()


@cuda.jit(debug=True)
def one_fails(u):
    x, y = cuda.grid(2)
    assert not (x == 37 and y == 21)
    u[y, x] = 1


def test_the_block_that_fails_is_told():
    with pytest.raises(AssertionError, match=r"block \(2, 1, 0\), thread \(5, 5, 0\)"):
        one_fails[(8, 8), (16, 16)](np.zeros((128, 128)))
