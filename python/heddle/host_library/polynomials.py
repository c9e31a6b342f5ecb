"""numpy.polynomial.polynomial, with coefficients from the lowest degree up; np.roots, from the highest degree down."""

import functools

import numpy as np
from numpy.polynomial import polynomial

from heddle import types
from heddle.compiler.library_registry import (
    compiled,
    find_common_dtype,
    find_common_float_dtype,
    get_element_dtype,
    implements,
    is_array,
    is_number_or_bool,
)

_module = "numpy.polynomial.polynomial"


@compiled
def _trim_high_zeros(c):
    """A copy of the coefficients without leading zeros (those of the highest degrees)."""
    size = c.size
    while size > 1 and c[size - 1] == 0:
        size -= 1
    return c[:size].copy()


@functools.cache
def _specialize_sum(element, sign):
    def add_polynomials(c1, c2):
        out = np.zeros(max(c1.size, c2.size), element)
        out[: c1.size] = c1
        for i in range(c2.size):
            out[i] += sign * c2[i]
        return _trim_high_zeros(out)

    return add_polynomials


def _find_coefficient_dtype(c1, c2):
    """The coefficients' joint dtype, at least float64; None if they are not vectors."""
    if not is_array(c1, 1) or not is_array(c2, 1):
        return None
    return np.result_type(find_common_dtype(c1, c2), np.float64)


def _implement_polynomial_operator(name):
    """Implements a function of two polynomials' coefficients, each of which may also be a single number."""
    own = getattr(polynomial, name)

    def apply_to_numbers(c1, c2):
        return own(np.atleast_1d(np.asarray(c1)), np.atleast_1d(np.asarray(c2)))

    def register_operator(choose):
        @implements(f"{_module}.{name}")
        def choose_implementation(c1, c2):
            known = all(is_array(c) or is_number_or_bool(c) for c in (c1, c2))
            if known and (is_number_or_bool(c1) or is_number_or_bool(c2)):
                return apply_to_numbers
            element = _find_coefficient_dtype(c1, c2)
            return None if element is None else choose(element)

    return register_operator


@_implement_polynomial_operator("polyadd")
def _choose_polyadd_implementation(element):
    return _specialize_sum(element, 1)


@_implement_polynomial_operator("polysub")
def _choose_polysub_implementation(element):
    return _specialize_sum(element, -1)


@_implement_polynomial_operator("polymul")
def _choose_polymul_implementation(element):
    return _multiply_polynomials


def _multiply_polynomials(c1, c2):
    return _trim_high_zeros(np.convolve(_trim_high_zeros(c1 * 1.0), _trim_high_zeros(c2 * 1.0)))


@_implement_polynomial_operator("polydiv")
def _choose_polydiv_implementation(element):
    return _specialize_polydiv(element)


@functools.cache
def _specialize_polydiv(element):
    def divide_polynomials(c1, c2):
        rest, divisor = _trim_high_zeros(c1.astype(element)), _trim_high_zeros(c2.astype(element))
        last = divisor[divisor.size - 1]
        if last == 0:
            raise ZeroDivisionError()
        if rest.size < divisor.size:
            return np.zeros(1, element), rest
        out = np.zeros(rest.size - divisor.size + 1, element)
        for k in range(out.size - 1, -1, -1):
            out[k] = rest[k + divisor.size - 1] / last
            for i in range(divisor.size):
                rest[k + i] -= out[k] * divisor[i]
        return out, _trim_high_zeros(
            rest[: max(divisor.size - 1, 1)] * (1 if divisor.size > 1 else 0)
        )

    return divide_polynomials


@implements(f"{_module}.polyval")
def _choose_polyval_implementation(x, c, tensor=None):
    if not (is_array(x) or is_number_or_bool(x)) or not is_array(c) or c.ndim == 0:
        return None
    if c.ndim == 1:
        return _evaluate_polynomial
    return _evaluate_columns if tensor is None else None


def _evaluate_polynomial(x, c, tensor=True):
    total = x * 0 + c[len(c) - 1] * 1.0
    for k in range(len(c) - 2, -1, -1):
        total = total * x + c[k]
    return total


_compiled_value = compiled(_evaluate_polynomial)


@compiled
def _tuple_of_ones_like(extents):
    return () if len(extents) == 0 else (1, *_tuple_of_ones_like(extents[1:]))


def _evaluate_columns(x, c):
    """The values of several polynomials, one per column, at each place."""
    places = np.asarray(x)
    return _compiled_value(places, c.reshape((*c.shape, *_tuple_of_ones_like(places.shape))))


@implements("numpy.polynomial.polyutils.trimseq")
def _choose_trimseq_implementation(seq):
    return (lambda seq: _trim_high_zeros(seq)) if is_array(seq, 1) else None


@implements("numpy.polynomial.polyutils.as_series")
def _choose_as_series_implementation(alist, trim=None):
    if is_array(alist) and alist.ndim in (1, 2):
        return _specialize_as_series(find_common_float_dtype(alist))
    kinds = alist.types if isinstance(alist, types.BaseTuple) else [getattr(alist, "dtype", None)]
    if not kinds or not all(is_array(c, 1) or is_number_or_bool(c) for c in kinds):
        return None
    return _specialize_as_series(find_common_float_dtype(*kinds))


@functools.cache
def _specialize_as_series(element):
    def make_series(alist, trim=True):
        out = []
        for part in alist:
            c = np.atleast_1d(np.asarray(part)).astype(element)
            if c.size == 0:
                raise ValueError("Coefficient array is empty")
            out.append(_trim_high_zeros(c) if trim else c)
        return out

    return make_series


@implements(f"{_module}.polyint")
def _choose_polyint_implementation(c, m=None):
    if not is_array(c) or c.ndim == 0:
        return None
    element = np.result_type(get_element_dtype(c), np.float64)
    return _specialize_polyint(element) if c.ndim == 1 else _specialize_polyint_of_columns(element)


@functools.cache
def _specialize_polyint_of_columns(element):
    """The function that integrates along the first axis."""

    def integrate_columns(c, m=1):
        out = c.astype(element)
        for _ in range(m):
            longer = np.zeros((out.shape[0] + 1, *out.shape[1:]), element)
            for k in range(out.shape[0]):
                longer[k + 1] = out[k] / (k + 1)
            out = longer
        return out

    return integrate_columns


@functools.cache
def _specialize_polyint(element):
    def integrate_polynomial(c, m=1):
        out = c.astype(element)
        for _ in range(m):
            if out.size == 1 and out[0] == 0:
                break
            longer = np.zeros(out.size + 1, element)
            for k in range(out.size):
                longer[k + 1] = out[k] / (k + 1)
            out = longer
        return out

    return integrate_polynomial


@implements("numpy.roots")
def _choose_roots_implementation(p):
    if not is_array(p, 1):
        return None
    return _specialize_roots(
        np.dtype(np.float64) if get_element_dtype(p).kind in "biu" else get_element_dtype(p)
    )


@functools.cache
def _specialize_roots(element):
    def roots(p):
        places = np.nonzero(p)[0]
        if places.size == 0:
            return np.zeros(0, element)
        zeros = p.size - 1 - places[-1]
        known = p[places[0] : places[-1] + 1].astype(element)
        n = known.size - 1
        out = np.zeros(n + zeros, element)
        if n > 0:
            companion = np.diag(np.ones(max(n - 1, 0)), -1).astype(element)
            companion[0] = -known[1:] / known[0]
            out[:n] = np.linalg.eigvals(companion)
        return out

    return roots
