"""datetime64 and timedelta64 in kernels, compared with NumPy."""

import numpy as np
import pytest

from heddle import cuda, njit
from heddle.errors import TypingError

nat = np.timedelta64("NaT")
launch = np.datetime64("2024-02-29T12:00", "s")
minute = np.timedelta64(1, "m")


def computed(function, dtype, *args):
    """The result of a device function for scalar arguments, as an element with that dtype."""
    device_function = cuda.jit(device=True)(function)

    @cuda.jit
    def k(out, args):
        out[0] = device_function(args[0], args[1])

    out = np.zeros(1, dtype)
    k[1, 1](out, args)
    return out[0]


def check(function, *args):
    with np.errstate(all="ignore"):
        expected = function(*args)
    found = computed(function, np.asarray(expected).dtype, *args)
    np.testing.assert_array_equal(found, expected)


def seconds(n):
    return np.timedelta64(n, "s")


def date(text, unit):
    return np.datetime64(text, unit)


@pytest.mark.parametrize(
    "a, b",
    [
        (seconds(7), seconds(-3)),
        (seconds(7), np.timedelta64(250, "ms")),
        (np.timedelta64(2, "W"), np.timedelta64(-5, "us")),
        (np.timedelta64(3, "Y"), np.timedelta64(5, "M")),
        (seconds(1), nat),
        (nat, nat),
    ],
)
class TestTwoDurations:
    def test_sum(self, device, a, b):
        check(lambda a, b: a + b, a, b)

    def test_difference(self, device, a, b):
        check(lambda a, b: a - b, a, b)

    def test_ratio(self, device, a, b):
        check(lambda a, b: a / b, a, b)

    def test_floor_of_the_ratio(self, device, a, b):
        check(lambda a, b: a // b, a, b)

    def test_remainder(self, device, a, b):
        check(lambda a, b: a % b, a, b)

    def test_equality(self, device, a, b):
        check(lambda a, b: a == b, a, b)
        check(lambda a, b: a != b, a, b)
        check(lambda a, b: a == a, a, b)

    def test_order(self, device, a, b):
        check(lambda a, b: a < b, a, b)
        check(lambda a, b: a >= b, a, b)


@pytest.mark.parametrize("time", [seconds(7), seconds(-7), nat.astype("m8[s]")])
@pytest.mark.parametrize("number", [2, -3, 0, 0.3, -2.5, float("nan"), float("inf")])
class TestADurationAndANumber:
    def test_product(self, device, time, number):
        check(lambda a, n: a * n, time, number)
        check(lambda n, a: n * a, number, time)

    def test_quotient(self, device, time, number):
        check(lambda a, n: a / n, time, number)


@pytest.mark.parametrize("number", [2, -3, 0])
@pytest.mark.parametrize("n", [7, -7])
def test_a_duration_divided_to_whole_numbers_truncates_as_in_numpy(device, n, number):
    check(lambda a, n: a // n, seconds(n), number)


def test_the_sign_of_a_duration(device):
    check(lambda a, b: -a, seconds(5), 0)
    check(lambda a, b: abs(a), seconds(-5), 0)
    check(lambda a, b: abs(a), nat, 0)
    check(lambda a, b: +a, seconds(-5), 0)


@pytest.mark.parametrize(
    "a, b",
    [
        (date("2024-03-01", "D"), date("2024-02-28", "D")),
        (date("2024-03", "M"), date("1969-12-31T23:59:59", "s")),
        (date("0001", "Y"), date("2400-02-29", "D")),
        (date("1900-03-01", "D"), date("1899", "Y")),
        (date("2024-03-01", "D"), date("NaT", "D")),
        (date("-5000-07", "M"), date("2000-01-01", "D")),
    ],
)
class TestTwoDates:
    def test_difference(self, device, a, b):
        check(lambda a, b: a - b, a, b)

    def test_comparisons(self, device, a, b):
        check(lambda a, b: a < b, a, b)
        check(lambda a, b: a >= b, a, b)
        check(lambda a, b: a == b, a, b)
        check(lambda a, b: a != b, a, b)


@pytest.mark.parametrize(
    "a, b",
    [
        (date("2024-02-28", "D"), np.timedelta64(2, "D")),
        (date("2024-02-28", "D"), np.timedelta64(1, "h")),
        (date("2024-02", "M"), np.timedelta64(29, "D")),
        (date("2024", "Y"), np.timedelta64(-13, "M")),
        (date("2024", "Y"), nat),
    ],
)
def test_a_date_and_a_duration(device, a, b):
    check(lambda a, b: a + b, a, b)
    check(lambda a, b: b + a, a, b)
    check(lambda a, b: a - b, a, b)


@pytest.mark.parametrize("unit", ["Y", "M", "W", "D", "h", "ms"])
def test_a_date_is_stored_in_the_units_of_the_array(device, unit):
    @cuda.jit
    def k(dates, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = dates[i]

    days = np.arange(-800000, 800000, 997).astype("M8[D]")
    out = np.zeros(days.size, f"M8[{unit}]")
    k.forall(days.size)(days, out)
    np.testing.assert_array_equal(out, days.astype(out.dtype))


@pytest.mark.parametrize("unit", ["D", "s"])
def test_months_become_days(device, unit):
    @cuda.jit
    def k(dates, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = dates[i]

    months = np.arange(-30000, 30000).astype("M8[M]")
    out = np.zeros(months.size, f"M8[{unit}]")
    k.forall(months.size)(months, out)
    np.testing.assert_array_equal(out, months.astype(out.dtype))


def test_durations_are_stored_in_coarser_units_rounded_down(device):
    @cuda.jit
    def k(a, out):
        out[cuda.grid(1)] = a[cuda.grid(1)]

    a = np.array([-1001, -1000, -1, 0, 999, 1000, "NaT"], "m8[ms]")
    out = np.zeros(7, "m8[s]")
    k[1, 7](a, out)
    np.testing.assert_array_equal(out, a.astype("m8[s]"))


def test_global_times_are_constants(device):
    @cuda.jit
    def k(out):
        out[0] = launch + 90 * minute

    out = np.zeros(1, "M8[s]")
    k[1, 1](out)
    assert out[0] == np.datetime64("2024-02-29T13:30", "s")


def test_a_kernel_makes_times(device):
    @cuda.jit
    def k(n, out):
        out[0] = np.timedelta64(n, "m")
        out[1] = np.timedelta64("NaT")
        out[2] = np.timedelta64(np.timedelta64(n, "h"), "s") + np.timedelta64(1, "s")

    out = np.zeros(3, "m8[s]")
    k[1, 1](5, out)
    np.testing.assert_array_equal(out, np.array([300, "NaT", 18001], "m8[s]"))


def test_isnat(device):
    @cuda.jit
    def k(a, out):
        out[cuda.grid(1)] = np.isnat(a[cuda.grid(1)])

    out = np.zeros(2, bool)
    k[1, 2](np.array(["NaT", "2024-01-01"], "M8[D]"), out)
    np.testing.assert_array_equal(out, [True, False])


def test_a_variable_that_holds_times_of_two_units(device):
    @cuda.jit
    def k(a, b, out):
        t = a
        if out[0]:
            t = b
        out[1] = t

    out = np.array([1, 0], "m8[ms]")
    k[1, 1](seconds(3), np.timedelta64(4, "ms"), out)
    assert out[1] == np.timedelta64(4, "ms")


def test_times_in_shared_memory_and_as_fields(device):
    record = np.dtype([("at", "M8[s]"), ("took", "m8[ms]")])
    milliseconds = np.dtype("m8[ms]")

    @cuda.jit
    def k(a):
        shared = cuda.shared.array(2, milliseconds)
        i = cuda.grid(1)
        shared[i] = a[i].took
        cuda.syncthreads()
        a[i].at += shared[1 - i]

    a = np.array([("2024-01-01T00:00:00", 1500), ("2024-01-01T00:00:00", 60000)], record)
    k[1, 2](a)
    np.testing.assert_array_equal(
        a["at"], np.array(["2024-01-01T00:01:00", "2024-01-01T00:00:01"], "M8[s]")
    )


def test_an_array_of_times_on_the_device(device):
    @cuda.jit
    def k(a, step):
        a[cuda.grid(1)] += step

    days = np.arange(3).astype("M8[D]")
    a = cuda.to_device(days)
    k[1, 3](a, np.timedelta64(2, "D"))
    np.testing.assert_array_equal(a.copy_to_host(), days + 2)


def test_times_are_assigned_and_changed_through_views(device):
    @cuda.jit
    def k(a, b):
        a[:] = b
        a[1:] += np.timedelta64(30, "s")

    a, b = np.zeros(3, "M8[s]"), np.array(["2024-01-01", "NaT", "2024-01-03"], "M8[D]")
    k[1, 1](a, b)
    expected = b.astype("M8[s]")
    expected[1:] += np.timedelta64(30, "s")
    np.testing.assert_array_equal(a, expected)


def test_months_and_days_do_not_mix():
    @cuda.jit
    def k(a, b, out):
        out[0] = a < b

    with pytest.raises(TypingError, match="cannot compare with <") as caught:
        k[1, 1](np.timedelta64(1, "M"), np.timedelta64(1, "D"), np.zeros(1))
    assert "months and years have no fixed number of days" in str(caught.value)


def test_two_dates_are_not_added():
    @cuda.jit
    def k(a, out):
        out[0] = a + a

    with pytest.raises(TypingError, match=r"bad operands for \+"):
        k[1, 1](launch, np.zeros(1, "M8[s]"))


def test_a_count_of_several_units_has_no_type():
    @cuda.jit
    def k(a):
        pass

    with pytest.raises(TypeError, match=r"counted by ones, as in m8\[s\]"):
        k[1, 1](np.zeros(1, "m8[25s]"))


def test_dates_and_spans_are_looked_for_in_arrays():
    @njit
    def f(a, x):
        return x in a, x not in a

    days = np.array(["2020-01-01", "NaT", "2021-01-01"], "M8[D]")
    assert f(days, date("2021-01-01", "D")) == (True, False)
    assert f(days, date("2021-01-01T00", "h")) == (True, False)
    assert f(days, date("2021-01-02", "D")) == (False, True)
    assert f(days, date("NaT", "D")) == (False, True)
    assert f(np.array([60, 61], "m8[s]"), minute) == (True, False)
    with pytest.raises(TypingError, match="'in' takes"):
        f(days, minute)


@pytest.mark.parametrize("year", ["2001", "1969"])
def test_a_year_and_weeks(device, year):
    check(lambda a, b: a + b, date(year, "Y"), np.timedelta64(3, "W"))
    check(lambda a, b: a == b, date(year, "Y"), date(year + "-01-02", "W"))
    check(lambda a, b: a < b, date(year, "M"), date(year + "-01-09", "W"))
