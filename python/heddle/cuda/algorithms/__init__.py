"""Algorithms on whole arrays of the device: each waits for its result and returns it, or leaves it on the device."""

from heddle.cuda.algorithms.arg_reductions import argmax, argmin
from heddle.cuda.algorithms.reductions import all, any, max, min, prod, sum

__all__ = ["all", "any", "argmax", "argmin", "max", "min", "prod", "sum"]
