"""Finding elements by a condition or by their value."""

import functools

import numpy as np

from heddle import types
from heddle.compiler.library_registry import (
    compiled,
    find_common_dtype,
    get_element_dtype,
    implements,
    is_absent_or_none,
    is_array,
    is_date_or_timedelta,
    is_integer_or_bool,
    is_number_or_bool,
    is_text,
    is_text_array,
    make_builtins_accept_numbers,
    make_builtins_accept_sequences,
)
from heddle.host_library.lists import is_list
from heddle.host_library.shapes import (
    normalize_axis,
    normalize_index,
    remove_dimension,
    replace_extent,
    to_contiguous_3d_around_axis,
)


@compiled
def _mark_nonempty_texts(texts):
    out = np.empty(texts.shape, np.bool_)
    for index in np.ndindex(texts.shape):
        out[index] = len(texts[index]) > 0
    return out


@implements("numpy.count_nonzero")
def _choose_count_nonzero_implementation(a, axis=None):
    if is_text_array(a) and is_absent_or_none(axis):
        return lambda a: np.count_nonzero(_mark_nonempty_texts(a))
    if not is_array(a) or not is_integer_or_bool(axis):
        return None
    return lambda a, axis: (a != 0).sum(axis)


@implements("array.nonzero", "numpy.nonzero")
def _choose_nonzero_implementation(a):
    if is_text_array(a):
        return lambda a: np.nonzero(_mark_nonempty_texts(a))
    if is_array(a, 1):
        return lambda a: (_find_nonzero_in_vector(a),)
    return _find_nonzero if is_array(a) and a.ndim > 0 else None


@compiled
def _find_nonzero_in_vector(a):
    count = np.count_nonzero(a)
    out = np.empty(count, np.int64)
    k = 0
    # Without a branch on the element, which the processor cannot predict.
    for i in range(a.size):
        if k == count:
            break
        out[k] = i
        k += 1 if a[i] else 0
    return out


def _find_nonzero(a):
    out = _allocate_indices(np.count_nonzero(a), a.shape)
    k = 0
    for index in np.ndindex(a.shape):
        if a[index]:
            _store_index(out, k, index)
            k += 1
    return out


@compiled
def _allocate_indices(count, shape):
    if len(shape) == 0:
        return ()
    return (np.empty(count, np.int64), *_allocate_indices(count, shape[1:]))


@compiled
def _store_index(out, k, index):
    if len(out) > 0:
        out[0][k] = index[0]
        _store_index(out[1:], k, index[1:])


@implements("numpy.where")
def _choose_where_implementation(condition, x=None, y=None):
    return _choose_nonzero_implementation(condition) if x is None and y is None else None


@implements("numpy.argwhere")
def _choose_argwhere_implementation(a):
    if is_number_or_bool(a):
        return lambda a: np.empty((1 if a else 0, 0), np.int64)
    return _argwhere if is_array(a) and a.ndim > 0 else None


def _argwhere(a):
    out = np.empty((np.count_nonzero(a), a.ndim), np.int64)
    k = 0
    for index in np.ndindex(a.shape):
        if a[index]:
            out[k] = index
            k += 1
    return out


@implements("numpy.flatnonzero")
def _choose_flatnonzero_implementation(a):
    if is_array(a, 1):
        return lambda a: _find_nonzero_in_vector(a)
    return _flatnonzero if is_array(a) else None


def _flatnonzero(a):
    out = np.empty(np.count_nonzero(a), np.int64)
    k = 0
    for i, v in enumerate(np.nditer(a)):
        if v.item():
            out[k] = i
            k += 1
    return out


make_builtins_accept_numbers("numpy.flatnonzero")


@implements("numpy.extract")
def _choose_extract_implementation(condition, arr):
    if is_array(condition) and is_array(arr):
        return _extract
    known = all(is_array(of) or is_number_or_bool(of) for of in (condition, arr))
    extract_from_arrays = lambda condition, arr: np.extract(np.asarray(condition), np.asarray(arr))  # noqa: E731
    return extract_from_arrays if known else None


def _extract(condition, arr):
    chosen, values = condition.ravel(), arr.ravel()
    count = 0
    for i in range(chosen.size):
        if chosen[i]:
            if i >= values.size:
                raise ValueError("condition shape inconsistent with arr shape")
            count += 1
    out = np.empty(count, arr.dtype)
    k = 0
    for i in range(chosen.size):
        if chosen[i]:
            out[k] = values[i]
            k += 1
    return out


@implements("numpy.searchsorted")
def _choose_searchsorted_implementation(a, v, side=None):
    if is_text(side) and not isinstance(side, types.StringLiteral):
        return _searchsorted_on_side
    if (
        is_array(a, 1)
        and is_number_or_bool(v)
        and "c" in (get_element_dtype(a).kind, get_element_dtype(v).kind)
    ):
        return _searchsorted_complex
    if is_array(a, 1) and get_element_dtype(a).kind in "mM":
        same = (is_array(v) or is_date_or_timedelta(v)) and get_element_dtype(
            v
        ) == get_element_dtype(a)
        return None if not same else _searchsorted_times if is_array(v) else _searchsorted_time
    if not is_array(v):
        return None
    return _searchsorted_each_left if is_absent_or_none(side) else _searchsorted_each


def _searchsorted_on_side(a, v, side):
    if side == "left":
        return np.searchsorted(a, v, "left")
    if side == "right":
        return np.searchsorted(a, v, "right")
    raise ValueError(f"Invalid value given for 'side': {side}")


@compiled
def _float_sorts_before(x, y):
    return x < y or (y != y and x == x)


@compiled
def _sorts_before(x, y):
    """True if NumPy sorts x before y: by real part, then by imaginary part; NaNs come last."""
    x_is_nan, y_is_nan = x != x, y != y
    if x_is_nan or y_is_nan:
        return y_is_nan and (not x_is_nan or _nan_sorts_before(x, y))
    return x.real < y.real or (x.real == y.real and x.imag < y.imag)


@compiled
def _nan_sorts_before(x, y):
    same = (x.real != x.real) == (y.real != y.real) and (x.real == y.real or x.real != x.real)
    return _float_sorts_before(x.imag, y.imag) if same else _float_sorts_before(x.real, y.real)


def _searchsorted_complex(a, v, side="left"):
    low, high = 0, a.size
    while low < high:
        middle = (low + high) // 2
        if _sorts_before(a[middle], v) or (side == "right" and not _sorts_before(v, a[middle])):
            low = middle + 1
        else:
            high = middle
    return low


@compiled
def _to_sortable_counts(times):
    """Integers that sort like the times; NaT, the smallest count, comes last."""
    return times.view(np.int64).view(np.uint64) + np.uint64(2**63 - 1)


def _searchsorted_times(a, v, side="left"):
    return np.searchsorted(_to_sortable_counts(a), _to_sortable_counts(v), side)


def _searchsorted_time(a, v, side="left"):
    return np.searchsorted(_to_sortable_counts(a), _to_sortable_counts(np.array((v,))), side)[0]


def _searchsorted_each_left(a, v):
    out = np.empty(v.shape, np.int64)
    for index in np.ndindex(v.shape):
        out[index] = np.searchsorted(a, v[index])
    return out


def _searchsorted_each(a, v, side):
    out = np.empty(v.shape, np.int64)
    for index in np.ndindex(v.shape):
        out[index] = np.searchsorted(a, v[index], side)
    return out


@implements("numpy.digitize")
def _choose_digitize_implementation(x, bins, right=None):
    if not is_array(bins, 1) or not (is_array(x) or is_number_or_bool(x)):
        return None
    if is_number_or_bool(x):
        return lambda x, bins, right=False: np.digitize(np.array((x,)), bins, right)[0]
    return _digitize if is_absent_or_none(right) else _digitize_on_side


@compiled
def _check_monotonic_and_test_descending(bins):
    """True if bins decrease: the first two different values decide; comparisons with NaN count as neither."""
    first = 1
    while first < bins.size and bins[first] == bins[0]:
        first += 1
    rises = first >= bins.size or bins[first] > bins[0]
    for i in range(first + 1, bins.size):
        if bins[i] < bins[i - 1] if rises else bins[i] > bins[i - 1]:
            raise ValueError("bins must be monotonically increasing or decreasing")
    return not rises


def _digitize(x, bins):
    return _digitize_on_side(x, bins, False)


@compiled
def _digitize_on_side(x, bins, right):
    descending = _check_monotonic_and_test_descending(bins)
    rising = bins[::-1] if descending else bins
    out = np.empty(x.shape, np.int64)
    for index in np.ndindex(x.shape):
        if right:
            place = np.searchsorted(rising, x[index])
        else:
            place = np.searchsorted(rising, x[index], "right")
        out[index] = bins.size - place if descending else place
    return out


def _choose_flat_take_implementation(a, indices, axis=None):
    if not is_array(a) or not is_absent_or_none(axis):
        return None
    if is_integer_or_bool(indices):
        return _get_one_from_flat
    if is_array(indices, 0):
        return lambda a, indices: np.take(a, indices.item())
    return (lambda a, indices: a.ravel()[indices]) if is_array(indices) else None


def _get_one_from_flat(a, indices):
    return a.ravel()[normalize_index(indices, a.size)]


@implements("numpy.take", "array.take")
def _choose_take_implementation(a, indices, axis=None):
    if is_absent_or_none(axis) or not is_array(a) or not is_integer_or_bool(axis):
        return _choose_flat_take_implementation(a, indices, axis)
    if is_integer_or_bool(indices):
        return _take_one_along_axis
    if is_array(indices, 0):
        return lambda a, indices, axis: np.take(a, indices.item(), axis)
    return _take_several_along_axis if is_array(indices, 1) else None


def _take_one_along_axis(a, indices, axis):
    place = normalize_axis(axis, a.ndim)
    index = normalize_index(indices, a.shape[place])
    return (
        to_contiguous_3d_around_axis(a, place)[:, index]
        .copy()
        .reshape(remove_dimension(a.shape, place))
    )


def _take_several_along_axis(a, indices, axis):
    place = normalize_axis(axis, a.ndim)
    parts = to_contiguous_3d_around_axis(a, place)
    out = np.empty(replace_extent(a.shape, place, indices.size), a.dtype)
    taken = to_contiguous_3d_around_axis(out, place)
    for k in range(indices.size):
        taken[:, k] = parts[:, normalize_index(indices[k], a.shape[place])]
    return out


@implements("numpy.select")
def _choose_select_implementation(condlist, choicelist, default=None):
    lists = (condlist, choicelist)
    if not all(is_list(of) or isinstance(of, types.BaseTuple) for of in lists):
        return None
    conditions, choices = ([of.dtype] if is_list(of) else of.types for of in lists)
    if not all(map(is_array, (*conditions, *choices))):
        return None
    if not (default is None or is_number_or_bool(default)):
        return None
    if any(isinstance(of, types.BaseTuple) and not isinstance(of, types.UniTuple) for of in lists):
        return _select_from_copies
    return _specialize_select(
        find_common_dtype(*choices, types.int64 if default is None else default)
    )


def _select_from_copies(condlist, choicelist, default=0):
    return np.select(
        _copy_arrays_unless_list(condlist), _copy_arrays_unless_list(choicelist), default
    )


@compiled
def _copy_arrays_unless_list(arrays):
    if isinstance(arrays, list):
        return arrays
    if len(arrays) == 0:
        return ()
    return (arrays[0].copy(), *_copy_arrays_unless_list(arrays[1:]))


@functools.cache
def _specialize_select(element):
    def select(condlist, choicelist, default=0):
        out = np.full(condlist[0].shape, element.type(default))
        for k in range(len(condlist) - 1, -1, -1):
            condition, choice = condlist[k], choicelist[k]
            for index in np.ndindex(out.shape):
                if condition[index]:
                    out[index] = choice[index]
        return out

    return select


make_builtins_accept_sequences(
    *("numpy.searchsorted", "numpy.where", "numpy.take", "numpy.digitize"),
    *("numpy.fliplr", "numpy.flipud", "numpy.array_equal", "numpy.expand_dims"),
)
