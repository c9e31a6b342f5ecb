"""The arguments for functions that cannot be measured at all arguments."""

import functools

import numpy as np


def make_corner_cases(dtype):
    """Numbers where functions change their behavior, and numbers close to these."""
    random = np.random.default_rng(1)
    return np.unique(
        np.concatenate(
            [
                _make_special_numbers(dtype),
                _make_neighbors(_list_special_points(dtype), dtype, random),
            ]
        )
    )


def make_corner_case_pairs(dtype):
    """Two arrays: all pairs of some numbers, and pairs for which functions overflow or underflow."""
    some, random = _make_special_numbers(dtype), np.random.default_rng(1)
    with np.errstate(all="ignore"):
        pairs = [_draw_powers_near_limits(dtype, random), _draw_legs_near_limits(dtype, random)]
    first, second = zip((np.repeat(some, len(some)), np.tile(some, len(some))), *pairs, strict=True)
    return np.concatenate(first), np.concatenate(second)


def _make_special_numbers(dtype):
    """Numbers of all sizes, and their neighbors."""
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


# Where erfc and normcdf (negated) underflow, and where others overflow: erfcx (negated), the modified Bessel functions
# and tgamma; lgamma.
_underflows = {
    np.float32: [9.194549449134672, 10.054194928818095, 12.949952701187203, 14.170185511544699],
    np.float64: [26.54325845425098, 27.226017111108364, 37.5193793471445, 38.48540833556734],
}
_overflows = {
    np.float32: [9.382413971420844, 91.90076466459583, 91.906264900177, 35.04009841994004],
    np.float64: [26.62873571375149, 713.9869085439683, 713.9876098185423, 171.6243769563027],
}
_overflow_of_lgamma = {np.float32: 4.0850034861653e36, np.float64: 2.5599833278516386e305}
_roots_of_bessel_functions = [2.404825557695773, 5.520078110286311, 3.8317059702075125]
_roots_of_bessel_functions += [7.015586669815619, 0.8935769662791675, 3.957678419314858]
_roots_of_bessel_functions += [7.086051060301773, 2.197141326031017, 5.429681040794135]


def _list_limit_exponents(dtype):
    """The base-2 logarithms of the numbers where results overflow, become subnormal and become zero."""
    info = np.finfo(dtype)
    return np.array([info.maxexp, info.minexp, info.minexp - info.nmant - 1])


def _list_special_points(dtype):
    """Positive numbers at which, or at whose negatives, functions overflow, underflow, reach a limit or have a root."""
    info = np.finfo(dtype)
    exponents = np.abs(_list_limit_exponents(dtype))
    points = [exponents, exponents * np.log(2), exponents * np.log10(2)]  # exp2, exp, exp10
    points.append(exponents * np.log(2) + np.log(2))  # sinh, cosh
    points.append(-np.log(info.eps) * np.array([0.5, 1, 2]))  # tanh, expm1, log1p of exponentials
    points += [_underflows[dtype], _overflows[dtype], [_overflow_of_lgamma[dtype]]]
    points.append(_roots_of_bessel_functions)
    points.append(np.pi / 4 * np.array([*range(1, 9), 1e3, 1e6, 1e9]))
    points.append(np.arange(0.5, 8.5, 0.5))  # sinpi, cospi, gamma functions, inverse functions
    points.append([20, 100, 170, 1e-4, 1e-8, 1e-16, info.tiny, info.max])
    return np.concatenate(points).astype(dtype)


def _make_neighbors(points, dtype, random):
    """The 101 numbers around each point and its negative, and others at distances of all sizes."""
    integer = np.int32 if dtype is np.float32 else np.int64
    bits = points.view(integer)[:, None] + np.arange(-50, 51).astype(integer)
    infinity = np.array(np.inf, dtype).view(integer)
    neighbors = np.clip(bits, 0, infinity).view(dtype)
    with np.errstate(over="ignore"):
        others = (points[:, None] * _draw_near_one(dtype, (len(points), 200), random)).astype(dtype)
    values = np.concatenate([neighbors.ravel(), others.ravel()])
    return np.concatenate([values, -values])


def _draw_near_one(dtype, shape, random):
    distances = 2.0 ** random.uniform(-np.finfo(dtype).nmant - 1, -1, shape)
    return 1 + distances * random.choice([-1, 1], shape)


def _draw_powers_near_limits(dtype, random, count=10_000):
    """Bases and exponents. A half has bases close to 1, a half has integer exponents and bases of both signs."""
    limits = random.choice(_list_limit_exponents(dtype), 2 * count)
    limits = limits * _draw_near_one(dtype, 2 * count, random)
    base = np.concatenate(
        [
            2.0 ** random.uniform(-120, 120, count // 2),
            1 + 2.0 ** random.uniform(-20, -1, count // 2) * random.choice([-1, 1], count // 2),
        ]
    )
    exponent = limits[:count] / np.log2(base.astype(dtype).astype(float))
    integers = random.integers(1, 200, count) * random.choice([-1, 1], count)
    roots = 2.0 ** (limits[count:] / integers) * random.choice([-1, 1], count)
    pairs = np.concatenate([base, roots]), np.concatenate([exponent, integers])
    return tuple(values.astype(dtype) for values in pairs)


def _draw_legs_near_limits(dtype, random, count=5000):
    """The legs of triangles whose hypotenuses are close to the largest or the smallest normal number."""
    info = np.finfo(dtype)
    size = random.choice([float(info.max), float(info.tiny)], count)
    angle = random.uniform(0, np.pi / 2, count)
    lengths = size * _draw_near_one(dtype, count, random)
    return (lengths * np.cos(angle)).astype(dtype), (lengths * np.sin(angle)).astype(dtype)


# Where the exponential functions for float and double overflow and underflow.
_limits = [38.5, 45.0, 88.7, 103.9, 128.0, 149.0, 308.2, 323.3, 709.8, 710.5, 745.1, 1024.0, 1074.0]


# Functions with the same dtype share their random numbers, which take long to generate.
_kept = functools.lru_cache(maxsize=64)


@_kept
def draw_samples(dtype, count, seed):
    """Random numbers: a third with all exponents, a third near 1, a third where exponential functions overflow."""
    return _draw_samples(dtype, count, np.random.default_rng(seed))


@_kept
def draw_sample_pairs(dtype, count, seed):
    """Two arrays of random numbers in which each third of the first is combined with each third of the second."""
    random = np.random.default_rng(seed)
    first, second = _draw_samples(dtype, count, random), _draw_samples(dtype, count, random)
    return first, np.concatenate([second[k::3] for k in range(3)])


def _draw_samples(dtype, count, random):
    bits = np.uint32 if dtype is np.float32 else np.uint64
    third = count // 3
    every = random.integers(0, np.iinfo(bits).max, count - 2 * third, bits, endpoint=True)
    near = random.standard_normal(third) * 10.0 ** random.uniform(-3, 2, third)
    limits = random.choice(_limits, third) + random.standard_normal(third)
    limits *= random.choice([-1, 1], third)
    return np.concatenate([every.view(dtype), near.astype(dtype), limits.astype(dtype)])
