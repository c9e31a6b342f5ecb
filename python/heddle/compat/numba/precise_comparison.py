"""numba's strict comparison of values: of the same kind, and equal exactly or to a given precision."""

import math
import numbers

import numpy as np

# Bits of the significand, without the implicit one.
_significands = {"single": 23, "double": 52}


def describe_difference(first, second, prec, ulps, ignore_sign_on_zero, abs_tol):
    """A sentence that describes the difference of two values; None if there is none. See ``assertPreciseEqual``."""
    if prec not in ("exact", *_significands):
        raise ValueError(f"prec is 'exact', 'single' or 'double', not {prec!r}")
    compare = _Comparison(prec, ulps, ignore_sign_on_zero, abs_tol)
    return compare.describe_difference(first, second)


def _get_comparison_kind(value):
    """The kind of a value; only values of one kind compare. For numbers, it is independent of the width."""
    if isinstance(value, np.ndarray):
        return "array"
    if isinstance(value, (bool, np.bool_)):
        return "bool"
    for kind, abstract in (
        ("int", numbers.Integral),
        ("float", numbers.Real),
        ("complex", numbers.Complex),
        ("sequence", (tuple, list)),
    ):
        if isinstance(value, abstract):
            return kind
    return type(value).__name__


class _Comparison:
    def __init__(self, prec, ulps, ignore_sign_on_zero, abs_tol):
        self.prec, self.ulps = prec, ulps
        self.ignore_sign_on_zero = ignore_sign_on_zero
        self.abs_tol = abs_tol

    def describe_difference(self, first, second):
        kinds = _get_comparison_kind(first), _get_comparison_kind(second)
        if kinds[0] != kinds[1]:
            return f"{first!r} is of kind {kinds[0]}, {second!r} of kind {kinds[1]}"
        if kinds[0] == "array":
            return self._describe_array_difference(first, second)
        if kinds[0] == "sequence":
            return self._describe_sequence_difference(first, second)
        if kinds[0] == "complex":
            return self.describe_difference(first.real, second.real) or self.describe_difference(
                first.imag, second.imag
            )
        if kinds[0] == "float":
            return self._describe_float_difference(first, second)
        if isinstance(first, (np.datetime64, np.timedelta64)) and np.isnat(first):
            return None if np.isnat(second) else f"{first!r} != {second!r}"
        return None if first == second else f"{first!r} != {second!r}"

    def _describe_sequence_difference(self, first, second):
        if len(first) != len(second):
            return f"there are {len(first)} items in one, {len(second)} in the other"
        for place, (one, other) in enumerate(zip(first, second, strict=True)):
            if difference := self.describe_difference(one, other):
                return f"item {place}: {difference}"
        return None

    def _describe_array_difference(self, first, second):
        for fact in ("dtype", "ndim", "shape", "itemsize"):
            one, other = getattr(first, fact), getattr(second, fact)
            if one != other:
                return f"{fact} of one array is {one}, of the other {other}"
        for place in np.ndindex(first.shape):
            if difference := self.describe_difference(first[place], second[place]):
                return f"element {place}: {difference}"
        return None

    def _describe_float_difference(self, first, second):
        if math.isnan(first) and math.isnan(second):
            return None
        if first == second:
            signs_differ = first == 0 and math.copysign(1, first) != math.copysign(1, second)
            if not signs_differ or self.ignore_sign_on_zero:
                return None
        elif self._is_close(first, second):
            return None
        return f"{first!r} != {second!r}"

    def _is_close(self, first, second):
        distance = abs(first - second)
        if self.abs_tol is not None:
            eps = np.finfo(first).eps if isinstance(first, np.floating) else 2.0**-52
            if distance <= (eps if self.abs_tol == "eps" else self.abs_tol):
                return True
        if self.prec == "exact" or not math.isfinite(distance):
            return False
        _, exponent = math.frexp(max(abs(first), abs(second)))
        return distance <= math.ldexp(self.ulps, exponent - 1 - _significands[self.prec])
