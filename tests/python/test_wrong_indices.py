"""Host functions raise for indices past the ends of an array, as NumPy does, and never access memory there."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from heddle import njit

PROGRAM = Path(__file__).parents[1] / "fuzz" / "wrong_indices.py"


@pytest.mark.parametrize("part", range(4))
def test_calls_with_wrong_indices_end_as_in_numpy(part):
    done = subprocess.run(
        [sys.executable, PROGRAM, "--seconds", "60", "--cases", "4", "--part", f"{part}/4"],
        env={**os.environ, "HEDDLE_DEVICE": "cpu", "MALLOC_PERTURB_": "165"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    failures = [line for line in done.stdout.splitlines() if line.startswith("FAIL")]
    assert done.returncode == 0, "\n".join(failures) or done.stdout[-300:] + done.stderr[-3000:]


ROW = np.arange(5.0)
MATRIX = np.arange(20.0).reshape(4, 5)


@pytest.mark.parametrize("array", [ROW, MATRIX, MATRIX[:, ::2], np.zeros(0)])
@pytest.mark.parametrize("index", [12, -21, 20, 2**40, -(2**62)])
def test_take_of_a_number_without_dimensions_is_checked(array, index):
    take = njit(lambda a, i: np.take(a, i))
    if -array.size <= index < array.size:
        assert take(array, np.array(index)) == np.take(array, index)
        return
    with pytest.raises(IndexError, match="out of bounds"):
        take(array, np.array(index))


@pytest.mark.parametrize("index", [4, -5])
def test_take_along_an_axis_of_a_number_without_dimensions_is_checked(index):
    take = njit(lambda a, i: np.take(a, i, 0))
    np.testing.assert_array_equal(take(MATRIX, np.array(2)), MATRIX[2])
    with pytest.raises(IndexError, match="out of bounds"):
        take(MATRIX, np.array(index))


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64, np.uint8])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_take_along_axis_checks_its_indices(axis, dtype):
    take = njit(lambda a, i, axis: np.take_along_axis(a, i, axis))
    fits = np.full(MATRIX.shape, 3, dtype)
    np.testing.assert_array_equal(
        take(MATRIX, fits, axis), np.take_along_axis(MATRIX, fits.astype(np.int64), axis)
    )
    fits[1, 2] = 5
    with pytest.raises(IndexError, match="out of bounds"):
        take(MATRIX, fits, axis)


@pytest.mark.parametrize("length", [0, 3, 6, 9])
@pytest.mark.parametrize(
    "access",
    [
        lambda a, mask: a[:, mask],
        lambda a, mask: a[mask],
        lambda a, mask: a[mask, 1],
        lambda a, mask: a[1, mask],
    ],
)
def test_a_mask_has_the_extent_of_its_dimension(access, length):
    with pytest.raises(IndexError, match="boolean index did not match"):
        njit(access)(MATRIX, np.zeros(length, np.bool_))


@pytest.mark.parametrize("length", [3, 6])
def test_an_assignment_checks_the_extents_of_masks(length):
    @njit
    def assign(a, mask):
        a[mask] = 5.0

    with pytest.raises(IndexError, match="boolean index did not match"):
        assign(MATRIX.copy(), np.zeros(length, np.bool_))


def test_edges_of_a_histogram_increase():
    with pytest.raises(ValueError, match="increase monotonically"):
        njit(lambda a, bins: np.histogram(a, bins))(ROW, np.array([0.0, 3.0, 1.0]))
