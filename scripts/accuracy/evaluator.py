"""Evaluates kernels on a device."""

import numpy as np

from heddle import cuda

# The largest number of values computed at once.
FLOATS, DOUBLES = 1 << 22, 1 << 19

_threads = 256


class Evaluator:
    """A device for one thread, with a private stream and buffers. Each evaluation overwrites the previous values."""

    def __init__(self, device):
        self._device = device
        sizes = {np.float32: FLOATS, np.float64: DOUBLES}
        with device:
            self._stream = cuda.stream()
            self._there = {dtype: cuda.device_array(n, dtype) for dtype, n in sizes.items()}
            self._here = {dtype: cuda.pinned_array(n, dtype) for dtype, n in sizes.items()}

    def evaluate(self, kernel, dtype, arguments, n):
        """The n values that a kernel computes. arguments: its first arguments, numbers and NumPy arrays."""
        here, there = self._here[dtype][:n], self._there[dtype][:n]
        with self._device:
            arguments = [self._to_device(a) for a in arguments]
            grid = -(-n // _threads)
            kernel((grid,), (_threads,), (*arguments, there, np.int32(n)), stream=self._stream)
            there.copy_to_host(here, stream=self._stream)
            self._stream.synchronize()
        return here

    def _to_device(self, argument):
        if isinstance(argument, np.ndarray):
            return cuda.to_device(argument, stream=self._stream)
        return argument
