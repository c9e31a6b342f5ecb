"""numpy.random, with the numbers of NumPy's legacy generator for the same seed. Each thread has a generator."""

import numpy as np

from heddle.compiler.library_registry import (
    compiled,
    implements,
    is_absent_or_none,
    is_array,
    is_integer_or_bool,
)
from heddle.host_library.random.generators import draw_numbers
from heddle.host_library.random.mersenne_twister import (
    NUMPY,
    get_words,
    next_float,
    next_integer_up_to,
)
from heddle.host_library.random.mersenne_twister import (
    seed_state as start,
)


@implements("numpy.random.seed")
def _choose_seed_implementation(seed=None):
    return _seed if is_integer_or_bool(seed) else None


def _seed(seed):
    if seed < 0 or seed > 0xFFFFFFFF:
        raise ValueError("Seed must be between 0 and 2**32 - 1")
    start(get_words(NUMPY), seed)


def _make_drawing_function(dtype):
    @compiled
    def draw_numbers_of_words(draw, parameters, size):
        """One number ``draw(words, *parameters)``, or an array of them with shape ``size``."""
        return draw_numbers(get_words(NUMPY), draw, parameters, size, dtype)

    return draw_numbers_of_words


draw_floats, draw_integers = map(_make_drawing_function, (np.float64, np.int64))


def implement_for_all_arguments(function):
    """Implements the function of numpy.random with that name, for any arguments."""
    implements(f"numpy.random.{function.__name__}")(lambda *arguments, **named: function)
    return function


# Uniform numbers


@implement_for_all_arguments
def rand(*shape):
    if len(shape) == 0:
        return next_float(get_words(NUMPY))
    return draw_floats(next_float, (), shape)


@implement_for_all_arguments
def random_sample(size=None):
    return draw_floats(next_float, (), size)


for _name in ("random", "ranf", "sample"):
    implements(f"numpy.random.{_name}")(lambda size=None: random_sample)


@compiled
def _draw_uniform(words, low, high):
    return low + (high - low) * next_float(words)


@implement_for_all_arguments
def uniform(low=0.0, high=1.0, size=None):
    return draw_floats(_draw_uniform, (low, high), size)


# Integers, permutations and choices


@compiled
def _draw_integer(words, low, high):
    return np.int64(np.uint64(low) + next_integer_up_to(words, np.uint64(high - 1 - low)))


@implement_for_all_arguments
def randint(low, high=None, size=None):
    first, end = (0, np.int64(low)) if high is None else (np.int64(low), np.int64(high))
    if first >= end:
        raise ValueError("low >= high")
    return draw_integers(_draw_integer, (first, end), size)


@implements("numpy.random.shuffle")
def _choose_shuffle_implementation(x):
    if not is_array(x):
        return None
    return _shuffle if x.ndim == 1 else _shuffle_rows


def _shuffle(x):
    words = get_words(NUMPY)
    for i in range(x.size - 1, 0, -1):
        j = np.int64(next_integer_up_to(words, np.uint64(i)))
        x[i], x[j] = x[j], x[i]


def _shuffle_rows(x):
    words = get_words(NUMPY)
    for i in range(x.shape[0] - 1, 0, -1):
        j = np.int64(next_integer_up_to(words, np.uint64(i)))
        row = x[i].copy()
        x[i] = x[j]
        x[j] = row


@implements("numpy.random.permutation")
def _choose_permutation_implementation(x):
    if is_integer_or_bool(x):
        return _permute_range
    return _permute if is_array(x, 1) else _permute_rows if is_array(x) else None


def _permute_range(x):
    out = np.arange(x)
    np.random.shuffle(out)
    return out


def _permute(x):
    out = x.copy()
    np.random.shuffle(out)
    return out


def _permute_rows(x):
    return x[np.random.permutation(x.shape[0])]


@implements("numpy.random.choice")
def _choose_choice_implementation(a, size=None, replace=None, p=None):
    if not (is_array(a, 1) or is_integer_or_bool(a)):
        return None
    if not is_absent_or_none(p):
        drawn = _draw_weighted_item if is_absent_or_none(size) else _draw_weighted_items
        return drawn if is_array(p, 1) else None
    return _draw_item if is_absent_or_none(size) else _draw_items


@compiled
def _get_items_or_numbers(a, number):
    return a[number] if isinstance(a, np.ndarray) else number


@compiled
def _count_items(a):
    return a.size if isinstance(a, np.ndarray) else np.int64(a)


def _draw_item(a, size=None, replace=True):
    if _count_items(a) == 0:
        raise ValueError("a must be non-empty")
    return _get_items_or_numbers(a, np.random.randint(0, _count_items(a)))


def _draw_items(a, size, replace=True):
    if replace:
        return _get_items_or_numbers(a, np.random.randint(0, _count_items(a), size))
    out = np.empty(size, np.int64)
    if out.size > _count_items(a):
        raise ValueError("Cannot take a larger sample than population when 'replace=False'")
    numbers = np.random.permutation(_count_items(a))[: out.size].reshape(out.shape)
    return _get_items_or_numbers(a, numbers)


@compiled
def _compute_cumulative_probabilities(p, count):
    """The upper bound of each item's share of [0, 1). Raises ValueError for invalid probabilities."""
    if p.size != count:
        raise ValueError("'a' and 'p' must have same size")
    if np.any(p < 0):
        raise ValueError("probabilities are not non-negative")
    if not abs(p.sum() - 1.0) <= 1.5e-8:  # as in NumPy: the square root of float64's epsilon
        raise ValueError("probabilities do not sum to 1")
    bounds = np.cumsum(p)
    return bounds / bounds[-1]


def _draw_weighted_item(a, size=None, replace=True, p=None):
    bounds = _compute_cumulative_probabilities(p, _count_items(a))
    return _get_items_or_numbers(a, np.searchsorted(bounds, np.random.random(), side="right"))


def _draw_weighted_items(a, size, replace=True, p=None):
    bounds = _compute_cumulative_probabilities(p, _count_items(a))
    if replace:
        draws = np.random.random(size)
        numbers = np.searchsorted(bounds, draws.ravel(), side="right")
        return _get_items_or_numbers(a, numbers.reshape(draws.shape))
    numbers = np.empty(size, np.int64)
    if numbers.size > np.count_nonzero(p):
        raise ValueError("Fewer non-zero entries in p than size")
    return _get_items_or_numbers(a, _draw_distinct_indices(p, numbers.size).reshape(numbers.shape))


@compiled
def _draw_distinct_indices(p, count):
    """``count`` different indices, drawn in rounds as in NumPy: each round leaves out the shares of those found
    before."""
    left = p.astype(np.float64)
    found = np.empty(count, np.int64)
    known = 0
    while known < count:
        draws = np.random.random(count - known)
        for i in range(known):
            left[found[i]] = 0.0
        bounds = np.cumsum(left)
        bounds /= bounds[-1]
        first = known
        for number in np.searchsorted(bounds, draws, side="right"):
            if number not in found[first:known]:
                found[known] = number
                known += 1
    return found
