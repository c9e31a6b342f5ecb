"""Draws that random and numpy.random share, as in numba: the algorithms of Python's random.

Sources: Cheng (1977) and Ahrens and Dieter (1974) for gamma, Fisher (1993) for von Mises.
"""

import math

from heddle.compiler.library_registry import compiled
from heddle.host_library.random.mersenne_twister import next_float


@compiled
def draw_triangular(words, low, high, peak):
    """A number from low to high. peak: the position of the mode between them, from 0 to 1."""
    u = next_float(words)
    if u > peak:
        return high + (low - high) * math.sqrt((1.0 - u) * (1.0 - peak))
    return low + (high - low) * math.sqrt(u * peak)


@compiled
def draw_gamma(words, alpha, beta):
    if alpha <= 0.0 or beta <= 0.0:
        raise ValueError("gammavariate: alpha and beta must be > 0.0")
    if not math.isfinite(alpha):  # no draw would be accepted
        return alpha
    if alpha > 1.0:
        root = math.sqrt(2.0 * alpha - 1.0)
        b = alpha - math.log(4.0)
        c = alpha + root
        while True:
            u = next_float(words)
            if not (u > 1e-7 and u < 0.9999999):
                continue
            w = 1.0 - next_float(words)
            v = math.log(u / (1.0 - u)) / root
            x = alpha * math.exp(v)
            z = u * u * w
            r = b + c * v - x
            if r + (1.0 + math.log(4.5)) - 4.5 * z >= 0.0 or r >= math.log(z):
                return x * beta
    if alpha == 1.0:
        return -math.log(1.0 - next_float(words)) * beta
    while True:
        u = next_float(words)
        b = (math.e + alpha) / math.e
        p = b * u
        x = math.pow(p, 1.0 / alpha) if p <= 1.0 else -math.log((b - p) / alpha)
        w = next_float(words)
        if p > 1.0:
            if w <= math.pow(x, alpha - 1.0):
                return x * beta
        elif w <= math.exp(-x):
            return x * beta


@compiled
def draw_beta(words, alpha, beta):
    y = draw_gamma(words, alpha, 1.0)
    return y / (y + draw_gamma(words, beta, 1.0)) if y else 0.0


@compiled
def draw_von_mises(words, mu, kappa):
    if math.isnan(kappa):  # no draw would be accepted
        return kappa
    if kappa <= 1e-6:
        return 2.0 * math.pi * next_float(words)
    s = 0.5 / kappa
    r = s + math.sqrt(1.0 + s * s)
    while True:
        z = math.cos(math.pi * next_float(words))
        d = z / (r + z)
        u = next_float(words)
        if u < 1.0 - d * d or u <= (1.0 - d) * math.exp(d):
            break
    q = 1.0 / r
    angle = math.acos((q + z) / (1.0 + q * z))
    if next_float(words) > 0.5:
        return (mu + angle) % (2.0 * math.pi)
    return (mu - angle) % (2.0 * math.pi)
