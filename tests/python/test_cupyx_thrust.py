"""cupyx.jit.thrust: algorithms on ranges of arrays, run by single threads of kernels."""

import numpy as np
import pytest

from heddle import cuda
from heddle.compat import cupy
from heddle.compat.cupyx import jit
from heddle.errors import TypingError

pytestmark = pytest.mark.usefixtures("device")

thrust = jit.thrust
rows = np.random.default_rng(4).integers(0, 20, (6, 30)).astype(np.int32)


def zeros(shape, dtype=np.int32):
    return cupy.zeros(shape, dtype)


def by_rows(kernel, *arrays, of=rows):
    """Launch one thread per row; return the contents of the arrays."""
    kernel[1, len(of)](cupy.asarray(of), *arrays)
    return [array.get() for array in arrays]


def test_a_range_may_be_in_shared_memory():
    @jit.rawkernel()
    def kernel(x):
        t = jit.threadIdx.x
        block = jit.shared_memory(np.int32, 32)
        block[t] = t // 2
        jit.syncthreads()
        x[t] = thrust.count(thrust.device, block, block + 32, t)

    x = zeros(32)
    kernel[1, 32](x)
    assert x.get().tolist() == [2] * 16 + [0] * 16


@pytest.mark.parametrize("order", ["C", "F"])
def test_rows_of_every_order_are_ranges(order):
    @jit.rawkernel()
    def kernel(x, out):
        i = jit.threadIdx.x
        thrust.adjacent_difference(thrust.seq, x[i].begin(), x[i].end(), out[i].begin())

    out = zeros(rows.shape)
    kernel[1, 6](cupy.asarray(rows, order=order), out)
    np.testing.assert_array_equal(out.get(), np.diff(rows, axis=1, prepend=0))


def test_iterators_are_moved_subtracted_and_indexed():
    @jit.rawkernel()
    def kernel(x, out):
        i = jit.threadIdx.x
        first, last = x[i].begin(), x[i].end()
        middle = first + 10
        out[i, 0] = last - middle
        out[i, 1] = middle[-1]
        out[i, 2] = (middle - 4) - first

    (found,) = by_rows(kernel, zeros((6, 3)))
    np.testing.assert_array_equal(found, np.stack([[20, row[9], 6] for row in rows]))


def test_a_value_is_searched_in_an_ordered_range():
    @jit.rawkernel()
    def kernel(x, holds, place, count):
        i = jit.threadIdx.x
        first, last = x[i].begin(), x[i].end()
        holds[i] = thrust.binary_search(thrust.seq, first, last, 5)
        place[i] = thrust.lower_bound(thrust.seq, first, last, 5) - first
        start, end = thrust.equal_range(thrust.seq, first, last, 5)
        count[i] = end - start

    ordered = np.sort(rows)
    found = by_rows(kernel, zeros(6, bool), zeros(6), zeros(6), of=ordered)
    np.testing.assert_array_equal(found[0], (ordered == 5).any(1))
    np.testing.assert_array_equal(found[1], (ordered < 5).sum(1))
    np.testing.assert_array_equal(found[2], (ordered == 5).sum(1))


def test_values_of_a_range_are_searched_in_another():
    @jit.rawkernel()
    def kernel(x, values, holds, places):
        i = jit.threadIdx.x
        first, last = x[i].begin(), x[i].end()
        begin, end = values.begin(), values.end()
        thrust.binary_search(thrust.seq, first, last, begin, end, holds[i].begin())
        thrust.lower_bound(thrust.seq, first, last, begin, end, places[i].begin())

    ordered, values = np.sort(rows), np.array([3, 0, 19], np.int32)
    holds, places = zeros((6, 3), bool), zeros((6, 3))
    kernel[1, 6](cupy.asarray(ordered), cupy.asarray(values), holds, places)
    np.testing.assert_array_equal(holds.get(), (ordered[:, :, None] == values).any(1))
    np.testing.assert_array_equal(places.get(), [np.searchsorted(row, values) for row in ordered])


def test_scans_sum_up_to_each_element_or_before_it():
    @jit.rawkernel()
    def kernel(x, inclusive, exclusive, begun):
        i = jit.threadIdx.x
        first, last = x[i].begin(), x[i].end()
        thrust.inclusive_scan(thrust.seq, first, last, inclusive[i].begin())
        thrust.exclusive_scan(thrust.seq, first, last, exclusive[i].begin())
        thrust.exclusive_scan(thrust.seq, first, last, begun[i].begin(), 10)

    found = by_rows(kernel, *(zeros(rows.shape) for _ in range(3)))
    sums = rows.cumsum(1)
    np.testing.assert_array_equal(found, [sums, sums - rows, sums - rows + 10])


def test_scans_by_key_begin_anew_at_each_key():
    @jit.rawkernel()
    def kernel(key, a, b):
        thrust.exclusive_scan_by_key(thrust.device, key.begin(), key.end(), a.begin(), a.begin(), 5)
        thrust.inclusive_scan_by_key(thrust.device, key.begin(), key.end(), b.begin(), b.begin())

    a, b = cupy.ones(6, np.int64), cupy.ones(6, np.int64)
    kernel[1, 1](cupy.array([0, 0, 1, 2, 2, 2]), a, b)
    assert a.get().tolist() == [5, 6, 5, 5, 6, 7] and b.get().tolist() == [1, 2, 1, 1, 2, 3]


def test_sums_and_products_of_ranges():
    @jit.rawkernel()
    def kernel(x, total, begun, product):
        i = jit.threadIdx.x
        first, last = x[i].begin(), x[i].end()
        total[i] = thrust.reduce(thrust.seq, first, last)
        begun[i] = thrust.reduce(thrust.seq, first, last, 7)
        product[i] = thrust.inner_product(thrust.seq, first, last, first, 0.0)

    total, begun, product = by_rows(kernel, zeros(6), zeros(6), zeros(6, np.float64))
    np.testing.assert_array_equal(total, rows.sum(1))
    np.testing.assert_array_equal(begun, rows.sum(1) + 7)
    np.testing.assert_array_equal(product, (rows**2).sum(1))


def test_runs_of_equal_keys_are_summed():
    @jit.rawkernel()
    def kernel(keys, values, keys_out, sums, sizes):
        ends = thrust.reduce_by_key(
            thrust.seq, keys.begin(), keys.end(), values.begin(), keys_out.begin(), sums.begin()
        )
        sizes[0] = ends[0] - keys_out.begin()
        sizes[1] = ends[1] - sums.begin()

    keys, values = cupy.array([1, 3, 3, 2, 1]), cupy.array([9, 8, 7, 6, 5])
    keys_out, sums, sizes = zeros(5), zeros(5), zeros(2)
    kernel[1, 1](keys, values, keys_out, sums, sizes)
    assert sizes.get().tolist() == [4, 4] and keys_out.get()[:4].tolist() == [1, 3, 2, 1]
    assert sums.get()[:4].tolist() == [9, 15, 6, 5]


def test_ranges_are_filled_copied_and_compared():
    @jit.rawkernel()
    def kernel(x, y, same, place):
        i = jit.threadIdx.x
        first, last, other = x[i].begin(), x[i].end(), y[i].begin()
        thrust.fill(thrust.seq, other, y[i].end(), 50)
        thrust.copy(thrust.seq, first, last - 1, other)
        same[i] = thrust.equal(thrust.seq, first, last, other)
        place[i] = thrust.mismatch(thrust.seq, first, last, other)[1] - other

    y, same, place = by_rows(kernel, zeros(rows.shape), cupy.ones(6, bool), zeros(6))
    np.testing.assert_array_equal(y, np.hstack([rows[:, :-1], np.full((6, 1), 50)]))
    assert not same.any() and place.tolist() == [29] * 6


def test_a_value_that_is_not_there_is_found_at_the_end():
    @jit.rawkernel()
    def kernel(x, place):
        i = jit.threadIdx.x
        place[i] = thrust.find(thrust.seq, x[i].begin(), x[i].end(), 7) - x[i].begin()

    (place,) = by_rows(kernel, zeros(6))
    assert place.tolist() == [[*row, 7].index(7) for row in rows.tolist()]


def test_elements_of_a_value_are_removed():
    @jit.rawkernel()
    def kernel(x, copied, sizes):
        end = thrust.remove_copy(thrust.seq, x.begin(), x.end(), copied.begin(), 1)
        sizes[0] = end - copied.begin()
        sizes[1] = thrust.remove(thrust.seq, x.begin(), x.end(), 1) - x.begin()

    x, copied, sizes = cupy.array([3, 1, 4, 1, 5]), zeros(5), zeros(2)
    kernel[1, 1](x, copied, sizes)
    assert sizes.get().tolist() == [3, 3]
    assert x.get()[:3].tolist() == copied.get()[:3].tolist() == [3, 4, 5]


def test_ranges_are_sorted_with_values_beside_them():
    @jit.rawkernel()
    def kernel(x, values):
        i = jit.threadIdx.x
        thrust.sort_by_key(thrust.seq, x[i].begin(), x[i].end(), values[i].begin())

    keys = np.stack([np.random.default_rng(i).permutation(50) for i in range(6)])
    x, values = cupy.asarray(keys), cupy.asarray(keys * 0.5)
    kernel[1, 6](x, values)
    np.testing.assert_array_equal(x.get(), np.sort(keys))
    np.testing.assert_array_equal(values.get(), np.sort(keys) * 0.5)


def test_a_range_is_sorted_and_known_to_be():
    @jit.rawkernel()
    def kernel(x, until, was, now):
        i = jit.threadIdx.x
        first, last = x[i].begin(), x[i].end()
        until[i] = thrust.is_sorted_until(thrust.seq, first, last) - first
        was[i] = thrust.is_sorted(thrust.seq, first, last)
        thrust.sort(thrust.seq, first, last)
        now[i] = thrust.is_sorted(thrust.seq, first, last)

    until, was, now = by_rows(kernel, zeros(6), cupy.ones(6, bool), zeros(6, bool))
    falls = [next(k for k in range(1, 30) if row[k] < row[k - 1]) for row in rows]
    assert until.tolist() == falls and not was.any() and now.all()


def test_elements_are_gathered_by_their_numbers():
    @jit.rawkernel()
    def kernel(numbers, x, out):
        thrust.gather(thrust.seq, numbers.begin(), numbers.end(), x.begin(), out.begin())

    out = zeros(4, np.float32)
    kernel[1, 1](cupy.array([2, 0, 1, 1]), cupy.array([1.5, 2.5, 3.5], np.float32), out)
    assert out.get().tolist() == [3.5, 1.5, 2.5, 2.5]


def test_an_iterator_may_be_a_constant_or_count():
    @jit.rawkernel()
    def kernel(out):
        i = jit.threadIdx.x
        out[i, 0] = thrust.make_constant_iterator(i * i)[i]
        out[i, 1] = thrust.make_counting_iterator(i * i)[i]

    out = zeros((5, 2))
    kernel[1, 5](out)
    assert out.get().tolist() == [[i * i, i * i + i] for i in range(5)]


def test_an_array_of_two_dimensions_is_no_range():
    @jit.rawkernel()
    def kernel(x):
        x[0, 0] = x.end() - x.begin()

    with pytest.raises(TypingError, match="no implementation of 'end'"):
        kernel[1, 1](zeros((2, 2)))


def test_other_kernels_have_no_sums_of_arrays():
    @cuda.jit
    def kernel(x):
        x[0] = (x + 1)[0]

    with pytest.raises(TypingError, match="array"):
        kernel[1, 1](np.zeros(2))


def test_elements_are_replaced_turned_round_and_numbered():
    @jit.rawkernel()
    def kernel(x, replaced, turned, counted):
        i = jit.threadIdx.x
        first, last = x[i].begin(), x[i].end()
        thrust.replace_copy(thrust.seq, first, last, replaced[i].begin(), 3, 50)
        thrust.reverse_copy(thrust.seq, first, last, turned[i].begin())
        thrust.reverse(thrust.seq, turned[i].begin(), turned[i].begin() + 5)
        thrust.sequence(thrust.seq, counted[i].begin(), counted[i].end(), 5, i)
        thrust.replace(thrust.seq, counted[i].begin(), counted[i].end(), 5, 0)

    replaced, turned, counted = by_rows(
        kernel, zeros(rows.shape), zeros(rows.shape), zeros(rows.shape)
    )
    np.testing.assert_array_equal(replaced, np.where(rows == 3, 50, rows))
    np.testing.assert_array_equal(turned[:, 5:], rows[:, ::-1][:, 5:])
    np.testing.assert_array_equal(turned[:, :5], rows[:, -5:])
    steps = 5 + np.arange(6)[:, None] * np.arange(30)
    np.testing.assert_array_equal(counted, np.where(steps == 5, 0, steps))


SETS = {
    "set_union": [1, 2, 2, 3, 5, 6],
    "set_intersection": [2, 5],
    "set_difference": [1, 2],
    "set_symmetric_difference": [1, 2, 3, 6],
}


@pytest.mark.parametrize(("name", "expected"), SETS.items(), ids=SETS)
def test_ordered_ranges_are_joined_as_sets(name, expected):
    function, by_key = getattr(thrust, name), getattr(thrust, f"{name}_by_key")
    has_second = name != "set_intersection"

    @jit.rawkernel()
    def kernel(x, y, values, others, out, keys, taken, sizes):
        ranges = (x.begin(), x.end(), y.begin(), y.end())
        end = function(thrust.seq, *ranges, out.begin())
        sizes[0] = end - out.begin()
        if has_second:
            ends = by_key(thrust.seq, *ranges, values, others, keys.begin(), taken.begin())
        else:
            ends = by_key(thrust.seq, *ranges, values, keys.begin(), taken.begin())
        sizes[1] = ends[0] - keys.begin()

    x, y = cupy.asarray([1, 2, 2, 5]), cupy.asarray([2, 3, 5, 6])
    out, keys, taken = (zeros(8, np.int64) for _ in range(3))
    sizes = zeros(2)
    kernel[1, 1](x, y, x * 10, y * 100, out, keys, taken, sizes)
    assert sizes.get().tolist() == [len(expected)] * 2
    assert out.get()[: len(expected)].tolist() == expected
    assert keys.get()[: len(expected)].tolist() == expected
    of_first = [k * 10 if k in (1, 2, 5) else k * 100 for k in expected]
    assert taken.get()[: len(expected)].tolist() == of_first


def test_equal_neighbours_are_kept_once():
    @jit.rawkernel()
    def kernel(x, keys, values, sizes):
        sizes[0] = thrust.unique(thrust.seq, x.begin(), x.end()) - x.begin()
        ends = thrust.unique_by_key(thrust.seq, keys.begin(), keys.end(), values.begin())
        sizes[1] = ends[1] - values.begin()

    x, values = cupy.asarray([1, 3, 3, 3, 2, 2, 1]), cupy.arange(7)
    keys, sizes = x.copy(), zeros(2)
    kernel[1, 1](x, keys, values, sizes)
    assert sizes.get().tolist() == [4, 4]
    assert x.get()[:4].tolist() == keys.get()[:4].tolist() == [1, 3, 2, 1]
    assert values.get()[:4].tolist() == [0, 1, 4, 6]


def test_a_stable_sort_keeps_the_order_of_equal_keys():
    @jit.rawkernel()
    def kernel(x, values, alone):
        i = jit.threadIdx.x
        thrust.stable_sort_by_key(thrust.seq, x[i].begin(), x[i].end(), values[i].begin())
        thrust.stable_sort(thrust.seq, alone[i].begin(), alone[i].end())

    keys = np.random.default_rng(1).integers(0, 9, (4, 300)).astype(np.int32)
    values, alone = cupy.asarray(np.tile(np.arange(300), (4, 1))), cupy.asarray(keys)
    values, alone = by_rows(kernel, values, alone, of=keys)
    np.testing.assert_array_equal(values, np.argsort(keys, axis=1, kind="stable"))
    np.testing.assert_array_equal(alone, np.sort(keys, axis=1))


def test_ranges_are_exchanged_scattered_and_searched():
    @jit.rawkernel()
    def kernel(x, y, places, out, above):
        thrust.swap_ranges(thrust.seq, x.begin(), x.end(), y.begin())
        thrust.scatter(thrust.seq, x.begin(), x.end(), places.begin(), out.begin())
        above[0] = thrust.upper_bound(thrust.seq, x.begin(), x.end(), 5) - x.begin()
        thrust.upper_bound(thrust.seq, x.begin(), x.end(), y.begin(), y.end(), above.begin() + 1)

    x, y = cupy.asarray([9, 5, 4]), cupy.asarray([2, 5, 7])
    out, above = zeros(3, np.int64), zeros(4)
    kernel[1, 1](x, y, cupy.asarray([2, 0, 1]), out, above)
    assert (x.get().tolist(), y.get().tolist()) == ([2, 5, 7], [9, 5, 4])
    assert out.get().tolist() == [5, 7, 2]
    assert above.get().tolist() == [2, 3, 2, 1]
