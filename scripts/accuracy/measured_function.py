"""A measured function: its kernels and its errors at given inputs."""

import numpy as np
from functions import BINARY
from inputs import corner_cases, pairs_of_corner_cases, pairs_of_samples, samples
from reference import Result

import heddle

_kernel = """
extern "C" __global__ void evaluate({inputs}, {type}* out, int n) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = {name}({arguments});
}}
"""
_kernel_of_every = """
extern "C" __global__ void every(unsigned first, unsigned step, float* out, int n) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = {name}(__uint_as_float(first + i * step));
}}
"""


def source_of(name, dtype):
    """The kernels' source: ``evaluate`` takes the values of arrays, ``every`` takes each step-th float."""
    is_float, two = dtype is np.float32, name in BINARY
    kind, name = ("float", f"{name}f") if is_float else ("double", name)
    source = _kernel.format(
        inputs=", ".join(f"const {kind}* {x}" for x in ("xy" if two else "x")),
        type=kind,
        name=name,
        arguments="x[i], y[i]" if two else "x[i]",
    )
    return source + (_kernel_of_every.format(name=name) if is_float and not two else "")


class MeasuredFunction:
    """name: the C name, without the final f for float. devices: their number.

    The methods return results for each device. Threads may call them at the same time, each with its own evaluators.
    """

    def __init__(self, reference, name, dtype, devices):
        self.reference, self.name, self.dtype = reference, name, dtype
        self.results = (Result * devices)()  # for all inputs so far
        self.parts_left = 0  # used by measure.py
        self.failed = False

    @property
    def label(self):
        return f"{self.dtype.__name__} {self.name}"

    def compile(self, devices):
        module = heddle.RawModule(code=source_of(self.name, self.dtype))
        for device in devices:
            with device:
                self._evaluate = module.get_function("evaluate")
                if self.dtype is np.float32 and self.name not in BINARY:
                    self._every = module.get_function("every")

    def compare_every(self, evaluators, first, step, n):
        """Compare at the n floats whose bits are first, first + step and so on."""
        numbers = [np.uint32(first), np.uint32(step)]
        found = [e.values(self._every, np.float32, numbers, n) for e in evaluators]
        return self.reference.compare_every(self.name, first, step, n, found)

    def compare_corner_cases(self, evaluators):
        if self.name in BINARY:
            return self._compare(evaluators, *pairs_of_corner_cases(self.dtype))
        return self._compare(evaluators, corner_cases(self.dtype))

    def compare_samples(self, evaluators, n, seed):
        if self.name in BINARY:
            return self._compare(evaluators, *pairs_of_samples(self.dtype, n, seed))
        return self._compare(evaluators, samples(self.dtype, n, seed))

    def _compare(self, evaluators, x, y=None):
        arguments = [x] if y is None else [x, y]
        found = [e.values(self._evaluate, self.dtype, arguments, len(x)) for e in evaluators]
        return self.reference.compare(self.name, x, y, found)
