"""Indices that run through a range: the same as in plain Python for every start, end and step, in every warp lane."""

import itertools

import numpy as np
import pytest

from heddle import cuda

WIDTHS = [1, 4, None]
SIZE = 6
INT32 = [-(2**31), -7, -6, -1, 0, 1, 5, 6, 7, 2**31 - 1]
INT64 = [-(2**63), -(2**63) + 1, *INT32, 2**63 - 2, 2**63 - 1]
STEPS = [1, -1, 3, -2, 2**31 - 1]
VALUES = np.arange(SIZE) + 1.5


def first_outside(start, stop, step):
    """The index for which Python would raise IndexError; otherwise the sum."""
    total = 0.0
    for k in range(start, stop, step):
        if not -SIZE <= k < SIZE:
            return k, None
        total += VALUES[k]
    return None, total


def fixed_step(step, width):
    @cuda.jit(width=width)
    def k(values, starts, stops, out):
        i = cuda.threadIdx.x
        total = 0.0
        for at in range(starts[i], stops[i], step):
            total += values[at]
        out[i] = total

    return lambda values, starts, stops, out: k[1, len(out)](values, starts, stops, out)


def step_of_launch(step, width):
    @cuda.jit(width=width)
    def k(values, starts, stops, step, out):
        i = cuda.threadIdx.x
        total = 0.0
        for at in range(starts[i], stops[i], step):
            total += values[at]
        out[i] = total

    return lambda values, starts, stops, out: k[1, len(out)](values, starts, stops, step, out)


def by_arguments(step, width):
    @cuda.jit(width=width)
    def k(values, start, stop, out):
        total = 0.0
        for at in range(start, stop, step):
            total += values[at]
        out[cuda.threadIdx.x] = total

    return lambda values, starts, stops, out: k[1, len(out)](values, starts[0], stops[0], out)


def run(launch, starts, stops, step):
    """Launch these threads and compare each with Python."""
    out = np.full(len(starts), -1.0)
    expected = [first_outside(int(a), int(b), step) for a, b in zip(starts, stops, strict=True)]
    wrong = [k for k, total in expected if total is None]
    if not wrong:
        launch(VALUES, starts, stops, out)
        np.testing.assert_array_equal(out, [total for k, total in expected])
        return
    with pytest.raises(IndexError) as error:
        launch(VALUES, starts, stops, out)
    text = str(error.value)
    assert any(f"index {k} is out of bounds" in text for k in wrong), (text, wrong)


def cases(dtype, step):
    numbers = INT32 if dtype is np.int32 else INT64
    pairs = np.array(list(itertools.product(numbers, numbers)), dtype)
    # A range whose end is so near the largest number that a step wraps around belongs to the program.
    far = np.iinfo(dtype).max - abs(step)
    return pairs[(np.abs(pairs[:, 1].astype(float)) < far) | (pairs[:, 0] == pairs[:, 1])]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("kind", [fixed_step, step_of_launch, by_arguments])
def test_ranges(cpu, kind, dtype, step, width):
    launch = kind(step, width)
    pairs = cases(dtype, step)
    right = [first_outside(int(a), int(b), step)[1] is not None for a, b in pairs]
    fine = pairs[right]
    if kind is not by_arguments:
        run(launch, fine[:, 0].copy(), fine[:, 1].copy(), step)
    # One thread of a warp fails; the others are fine.
    for a, b in pairs if kind is by_arguments else pairs[np.logical_not(right)]:
        starts, stops = np.resize(fine[:, 0], 37), np.resize(fine[:, 1], 37)
        starts[21], stops[21] = a, b
        if kind is by_arguments:
            starts[:], stops[:] = a, b
        run(launch, starts, stops, step)
