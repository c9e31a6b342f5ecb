"""Measured errors: a JSON file with one row per function, dtype and device."""

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from functions import BINARY, UNARY, get_absolute_error_bound, get_ulp_bound
from reference import Result


@dataclass
class Row:
    """The errors of a function on a device, measured at ``inputs`` arguments."""

    function: str  # the C name, without the final f for float
    dtype: str
    device: str
    inputs: int
    worst: float  # the largest error, in units in the last place
    at: str  # the arguments with that error
    absolute: float  # the largest absolute error where CUDA bounds it
    absolute_at: str
    wrong: int  # how often exactly one of the result and the exact value is NaN
    wrong_at: str
    samples: int = 0  # the number of random arguments among the inputs
    checksum: str = ""  # of the values at the corner cases; empty if unknown

    @classmethod
    def from_result(cls, function, dtype, device, result, samples=0, checksum=""):
        """The row for a Result of the reference."""

        def arguments(x, y):
            return f"{x!r}, {y!r}" if function in BINARY else repr(x)

        return cls(
            function,
            dtype,
            device,
            result.count,
            result.worst,
            arguments(result.at, result.at2),
            result.absolute,
            arguments(result.absolute_at, 0.0),
            result.wrong,
            arguments(result.wrong_at, result.wrong_at2),
            samples,
            checksum,
        )

    def to_result(self):
        """The Result from which the row was made, without the function's value at the largest error."""
        (at, at2), (wrong_at, wrong_at2) = (
            [*map(float, text.split(", ")), 0.0][:2] for text in (self.at, self.wrong_at)
        )
        return Result(
            worst=self.worst,
            at=at,
            at2=at2,
            absolute=self.absolute,
            absolute_at=float(self.absolute_at.split(", ")[0]),
            wrong=self.wrong,
            wrong_at=wrong_at,
            wrong_at2=wrong_at2,
            count=self.inputs,
        )

    @property
    def bound(self):
        return get_ulp_bound(self.function, self.dtype)

    @property
    def exceeds_bounds(self):
        """True if an error exceeds CUDA's bounds."""
        return (
            self.worst > self.bound + 0.5 + 1e-6
            or self.wrong > 0
            or self.absolute > get_absolute_error_bound(self.function, self.dtype)
        )

    def __str__(self):
        text = f"{self.dtype} {self.function:14} {self.worst:8.3f} ulp (CUDA {self.bound}) at {self.at}"
        if self.absolute:
            text += f"; elsewhere {self.absolute:.2g} at {self.absolute_at}"
        if self.wrong:
            text += f"; {self.wrong} NaNs in the wrong place: {self.wrong_at}"
        return text + f"; {self.inputs:,} inputs" + ("  OVER" if self.exceeds_bounds else "")


class Results:
    """Rows in the order of the page. A new row replaces the row for the same function, dtype and device."""

    def __init__(self):
        self._rows = {}

    def read(self, path):
        """Add the rows of a file."""
        for row in json.loads(Path(path).read_text()):
            self.add(Row(**row))

    def add(self, row):
        self._rows[row.function, row.dtype, row.device] = row

    def find(self, function, dtype, device):
        """The row of a function; None if it was not measured."""
        return self._rows.get((function, dtype, device))

    def write(self, path):
        """Write the file atomically: an interrupted program leaves the old or the new file."""
        text = "[\n" + ",\n".join(json.dumps(asdict(row)) for row in self) + "\n]\n"
        beside = Path(f"{path}.new")
        beside.write_text(text)
        os.replace(beside, path)

    def __iter__(self):
        names = [*UNARY, *BINARY]
        return iter(
            sorted(
                self._rows.values(),
                key=lambda row: (names.index(row.function), row.dtype, row.device),
            )
        )
