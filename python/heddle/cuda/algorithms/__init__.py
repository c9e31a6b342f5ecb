"""Algorithms on whole device arrays. Each waits for its result and returns it, or leaves the result on the device."""

from heddle.cuda.algorithms.arg_reductions import argmax, argmin
from heddle.cuda.algorithms.histograms import histogram
from heddle.cuda.algorithms.merging import merge
from heddle.cuda.algorithms.reductions import all, any, max, min, prod, sum
from heddle.cuda.algorithms.scans import exclusive_scan, inclusive_scan
from heddle.cuda.algorithms.segments import segmented_reduce
from heddle.cuda.algorithms.selection import select, unique
from heddle.cuda.algorithms.sorting import argsort, sort, sort_by_key

__all__ = [
    "all",
    "any",
    "argmax",
    "argmin",
    "argsort",
    "exclusive_scan",
    "histogram",
    "inclusive_scan",
    "max",
    "merge",
    "min",
    "prod",
    "segmented_reduce",
    "select",
    "sort",
    "sort_by_key",
    "sum",
    "unique",
]
