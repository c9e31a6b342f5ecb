"""Window functions for signal samples."""

import math

import numpy as np

from heddle.compiler.library_registry import compiled, implements


@compiled
def _make_cosine_window(M, constant, first, second):
    """A sum of cosines over ``M`` samples."""
    out = np.ones(max(M, 0))
    if M > 1:
        for i in range(M):
            turn = math.pi * (2 * i + 1 - M) / (M - 1)
            out[i] = constant + first * math.cos(turn) + second * math.cos(2 * turn)
    return out


@implements("numpy.hanning")
def _choose_hanning_implementation(M):
    return lambda M: _make_cosine_window(M, 0.5, 0.5, 0.0)


@implements("numpy.hamming")
def _choose_hamming_implementation(M):
    return lambda M: _make_cosine_window(M, 0.54, 0.46, 0.0)


@implements("numpy.blackman")
def _choose_blackman_implementation(M):
    return lambda M: _make_cosine_window(M, 0.42, 0.5, 0.08)


@implements("numpy.bartlett")
def _choose_bartlett_implementation(M):
    return _bartlett


def _bartlett(M):
    out = np.ones(max(M, 0))
    if M > 1:
        for i in range(M):
            n = 2 * i + 1 - M
            out[i] = 1 + n / (M - 1) if n <= 0 else 1 - n / (M - 1)
    return out


@compiled
def _compute_bessel_i0(x):
    """The modified Bessel function of order 0, by its power series, all of whose terms are positive."""
    quarter = x * x / 4
    total, term, terms = 1.0, 1.0, 0
    while term > total * 1e-17:
        terms += 1
        term *= quarter / (terms * terms)
        total += term
    total = 1.0
    for k in range(terms, 0, -1):  # smallest terms first, for less rounding
        total = 1.0 + total * quarter / (k * k)
    return total


@implements("numpy.kaiser")
def _choose_kaiser_implementation(M, beta):
    return _kaiser_window


def _kaiser_window(M, beta):
    out = np.ones(max(M, 0))
    if M > 1:
        half = (M - 1) / 2
        for i in range(M):
            place = (i - half) / half
            out[i] = _compute_bessel_i0(
                beta * math.sqrt(max(1 - place * place, 0.0))
            ) / _compute_bessel_i0(float(beta))
    return out
