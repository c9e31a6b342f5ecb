"""The arguments for functions that cannot be measured at all arguments."""

import functools

import numpy as np


def corner_cases(dtype):
    """Numbers where functions change their behavior, and their neighbors."""
    info = np.finfo(dtype)
    some = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 8.0, 10.0, 88.0, 103.0, 127.0, 128.0, 149.0, 709.0]
    some += [745.0, 1023.0, 1024.0, 1e5, 2.0**23, 2.0**24, 2.0**31, 2.0**52, 2.0**53, 1e22]
    some += [np.pi / 4, np.pi / 2, np.pi, 2 * np.pi, 1e-3, 1e-5, 1e-10, 0.1, 0.7, 1 / 3]
    some += [info.tiny, info.smallest_subnormal, info.max, info.eps, np.inf]
    values = np.array(some, dtype)
    with np.errstate(over="ignore"):
        values = np.concatenate(
            [values, np.nextafter(values, dtype(0)), np.nextafter(values, dtype(np.inf))]
        )
    return np.unique(np.concatenate([values, -values, np.array([np.nan], dtype)]))


def pairs_of_corner_cases(dtype):
    """All pairs of corner cases, as two arrays."""
    corners = corner_cases(dtype)
    return np.repeat(corners, len(corners)), np.tile(corners, len(corners))


# Where the exponential functions for float and double overflow and underflow.
_limits = [38.5, 45.0, 88.7, 103.9, 128.0, 149.0, 308.2, 323.3, 709.8, 710.5, 745.1, 1024.0, 1074.0]


# Functions with the same dtype share their random numbers, which take long to generate.
_kept = functools.lru_cache(maxsize=64)


@_kept
def samples(dtype, count, seed):
    """Random numbers: a third with all exponents, a third near 1, a third where exponential functions overflow."""
    return _samples(dtype, count, np.random.default_rng(seed))


@_kept
def pairs_of_samples(dtype, count, seed):
    """Two arrays of random numbers in which each third of the first is combined with each third of the second."""
    random = np.random.default_rng(seed)
    first, second = _samples(dtype, count, random), _samples(dtype, count, random)
    return first, np.concatenate([second[k::3] for k in range(3)])


def _samples(dtype, count, random):
    bits = np.uint32 if dtype is np.float32 else np.uint64
    third = count // 3
    every = random.integers(0, np.iinfo(bits).max, count - 2 * third, bits, endpoint=True)
    near = random.standard_normal(third) * 10.0 ** random.uniform(-3, 2, third)
    limits = random.choice(_limits, third) + random.standard_normal(third)
    limits *= random.choice([-1, 1], third)
    return np.concatenate([every.view(dtype), near.astype(dtype), limits.astype(dtype)])
