"""Functions of calls_numba.csv return the same values as numba.njit 0.68.1.

calls_numba_values.csv has arguments and results for a sample, with floats in hexadecimal. It leaves out shifts by the
width or more and conversions of floats to integers that cannot hold them, for which processors and GPUs differ.
"""

import csv
import json
import warnings
from pathlib import Path

import numpy as np
import pytest
from compile_calls import define_function, evaluate_types, load_prelude

import heddle.compat
from heddle import cuda

with open(Path(__file__).parent / "calls_numba_values.csv", newline="") as file:
    ROWS = list(csv.DictReader(file))


def number(value):
    """The number that the file stores as JSON: ["c", re, im] is complex, a text is a float."""
    if isinstance(value, list):
        return complex(number(value[1]), number(value[2]))
    if isinstance(value, str):
        return float.fromhex(value)
    return value


@pytest.fixture(scope="module")
def names(numba_hidden):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        names = load_prelude()
    yield names
    heddle.compat.uninstall()


@pytest.mark.parametrize("row", range(len(ROWS)))
def test_a_function_returns_numbas_value(device, names, row):
    types = evaluate_types(ROWS[row], names)
    function = define_function(ROWS[row]["source"], names, f"<value {row}>")

    @cuda.jit
    def kernel(out, *arguments):
        out[0] = function(*arguments)

    for arguments, expected in json.loads(ROWS[row]["calls"]):
        expected = np.asarray(number(expected))
        out = np.zeros(1, expected.dtype)
        values = [np.dtype(str(t)).type(number(v)) for t, v in zip(types, arguments, strict=True)]
        kernel[1, 1](out, *values)
        np.testing.assert_allclose(out[0], expected, rtol=2e-6)
