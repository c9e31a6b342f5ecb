"""A measured function: its kernels and its errors at given inputs."""

import zlib

import numpy as np
from functions import BINARY
from inputs import draw_sample_pairs, draw_samples, make_corner_case_pairs, make_corner_cases
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


def format_kernel_source(name, dtype):
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


class ValuesChanged(Exception):
    """A function has other values than in the run that it should continue."""


class MeasuredFunction:
    """A math function to measure.

    name: the C name, without the final f for float. rows: for each device, the row that the run continues, or None.

    The methods return results for each device. Threads may call them at the same time, each with its own evaluators.
    """

    def __init__(self, reference, name, dtype, rows):
        self.reference, self.name, self.dtype, self.rows = reference, name, dtype, rows
        self.results = (Result * len(rows))(*(row.to_result() if row else Result() for row in rows))
        self.begins = [row.samples if row else 0 for row in rows]  # the samples measured before
        self.checksums = [""] * len(rows)  # known when the corner cases are compared
        self.parts = []  # unfinished ones, used by measure.py
        self.failed = False

    @property
    def label(self):
        return f"{self.dtype.__name__} {self.name}"

    def compile(self, devices):
        module = heddle.RawModule(code=format_kernel_source(self.name, self.dtype))
        for device in devices:
            with device:
                self._evaluate = module.get_function("evaluate")
                if self.dtype is np.float32 and self.name not in BINARY:
                    self._every = module.get_function("every")

    def compare_strided_floats(self, evaluators, first, step, n):
        """Compare at the n floats whose bits are first, first + step and so on."""
        numbers = [np.uint32(first), np.uint32(step)]
        found = [e.evaluate(self._every, np.float32, numbers, n) for e in evaluators]
        return self.reference.compare_strided_floats(self.name, first, step, n, found)

    def compare_corner_cases(self, evaluators):
        """Compare at the corner cases, which the rows that the run continues contain already.

        Raises ValuesChanged if the values are not those with which a row was made.
        """
        two = self.name in BINARY
        arguments = make_corner_case_pairs(self.dtype) if two else [make_corner_cases(self.dtype)]
        found = self._compute_values(evaluators, *arguments)
        self.checksums = [_compute_checksum(values) for values in found]
        results = self.reference.compare(self.name, *arguments, *([] if two else [None]), found)
        for i, row in enumerate(self.rows):
            if row and row.checksum == self.checksums[i]:
                results[i] = Result()
            elif row and row.checksum:
                raise ValuesChanged(f"{row.device} computes other values of {self.label}")
        return results

    def compare_samples(self, evaluators, n, seed):
        if self.name in BINARY:
            return self._compare_values(evaluators, *draw_sample_pairs(self.dtype, n, seed))
        return self._compare_values(evaluators, draw_samples(self.dtype, n, seed))

    def _compare_values(self, evaluators, x, y=None):
        found = self._compute_values(evaluators, *([x] if y is None else [x, y]))
        return self.reference.compare(self.name, x, y, found)

    def _compute_values(self, evaluators, *arguments):
        count = len(arguments[0])
        return [e.evaluate(self._evaluate, self.dtype, arguments, count) for e in evaluators]


def _compute_checksum(values):
    """Computes a checksum of the values that is the same for all representations of NaN."""
    return f"{zlib.crc32(np.where(np.isnan(values), np.nan, values).tobytes()):08x}"
