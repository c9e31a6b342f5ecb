"""Writes docs/accuracy.md from results files; the last row for a function, dtype and device counts.

python scripts/accuracy/page.py docs/accuracy.json -o docs/accuracy.md
python scripts/accuracy/page.py docs/accuracy.json new.json --results docs/accuracy.json -o docs/accuracy.md
"""

import argparse
from pathlib import Path

from functions import BINARY, UNARY
from results import Results

_introduction = """# Accuracy of mathematical functions

`python scripts/accuracy/measure.py` measures the errors below and writes this page; do not edit it.
An error is the largest distance between a result and the exact value, in units in the last place
(ulps) of the result's type. CUDA's bound is from the CUDA C++ Programming Guide. CUDA measures
from the exact value *rounded* to the type. A result within the bound may thus be up to half a unit
farther from the exact value. A correctly rounded function has an error of at most 0.50.

The last column of a table is the number of inputs measured. Where these are not all 2^32 floats,
the first table uses every n-th float and the others random numbers, plus corner cases. One third of
the random numbers spans all exponents, one third is near 1, and one third is near the limits of
exponential functions. The corner cases are special values and the numbers next to each point where
a function overflows, underflows or has a root.

The references are glibc's double functions for float32 and libquadmath's for float64. Functions
that these libraries lack use formulas in the same types. The error of the references is below 10^-6
ulp: it matters only for values halfway between two numbers. An infinite result counts as the next
power of two. A function must return NaN exactly where the exact result is NaN; otherwise it is
marked. The tables exclude `-use_fast_math` and intrinsics with reduced accuracy (`__sinf` and
others).

The bounds of `j0`, `j1`, `y0` and `y1` hold for |x| <= 8. For larger |x|, CUDA bounds the absolute
error by 2.2e-6 for float and 5e-12 for double, and larger errors are marked. The bound of `lgamma`
holds outside (-10.001, -2.264), where the function has zeros. On GPUs `lgamma` is libdevice's,
which exceeds the bound near -2.17 and beside negative integers.
"""
_tables = [
    ("float32, one argument", "float32", UNARY),
    ("float64, one argument", "float64", UNARY),
    ("float32, two arguments", "float32", BINARY),
    ("float64, two arguments", "float64", BINARY),
]


def format_page(results):
    """The page as Markdown."""
    parts = [_introduction]
    for heading, dtype, functions in _tables:
        rows = [row for row in results if row.dtype == dtype and row.function in functions]
        if rows:
            parts.append(f"## {heading}\n\n{_format_table(rows)}")
    return "\n".join(parts)


def _format_table(rows):
    devices = sorted({row.device for row in rows}, key=lambda d: (not d.startswith("CPU"), d))
    by_function = {}
    for row in rows:
        by_function.setdefault(row.function, {})[row.device] = row
    lines = ["| function | CUDA's bound | " + " | ".join(devices) + " | inputs |"]
    lines.append("| --- | ---: |" + " ---: |" * len(devices) + " ---: |")
    for function, found in by_function.items():
        first = next(iter(found.values()))
        cells = [f"`{function}{'f' if first.dtype == 'float32' else ''}`", str(first.bound)]
        cells += [_format_error(found.get(device)) for device in devices]
        counts = dict.fromkeys(
            _format_input_count(found[device]) for device in devices if device in found
        )
        lines.append("| " + " | ".join([*cells, "; ".join(counts)]) + " |")
    return "\n".join(lines) + "\n"


def _format_error(row):
    return "" if row is None else f"{row.worst:.2f}" + (" **over**" if row.exceeds_bounds else "")


def _format_input_count(row):
    return "all 2^32" if row.inputs == 1 << 32 else f"{row.inputs:,}"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", type=Path, nargs="+", help="results files")
    parser.add_argument("--results", type=Path, help="a file to write the merged rows to")
    parser.add_argument("-o", "--output", type=Path, help="the page to write")
    options = parser.parse_args()
    results = Results()
    for path in options.files:
        results.read(path)
    if options.results:
        results.write(options.results)
    if options.output:
        options.output.write_text(format_page(results))


if __name__ == "__main__":
    main()
