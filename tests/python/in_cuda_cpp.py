"""Helpers that tests of CUDA C++ code share."""

import numpy as np

import heddle
from heddle import cuda


def run(source, *args, grid=1, block=1, options=()):
    """Run the kernel ``k`` of a program; NumPy array arguments hold its results afterwards."""
    there = [cuda.to_device(a) if isinstance(a, np.ndarray) else a for a in args]
    heddle.RawKernel(source, "k", options)(grid, block, tuple(there))
    for given, used in zip(args, there):
        if isinstance(given, np.ndarray):
            used.copy_to_host(given)
