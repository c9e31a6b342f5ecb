"""Ufuncs with target "cuda" on dates and time spans."""

import numpy as np
import pytest

from heddle import cuda, errors, from_dtype, guvectorize, vectorize

day, span = from_dtype(np.dtype("datetime64[D]")), from_dtype(np.dtype("timedelta64[D]"))
starts = np.arange("2005-02", "2006-02", dtype="datetime64[D]")
ends = starts + np.arange(starts.size) ** 2


@vectorize([(day, day)], target="cuda")
def days_between(a, b):
    return b - a


@guvectorize([(day[:], span[:])], "(n)->(n)", target="cuda")
def since_the_first(dates, out):
    for i in range(dates.size):
        out[i] = dates[i] - dates[0]


def test_a_ufunc_takes_arrays_of_dates(device):
    np.testing.assert_array_equal(days_between(starts, ends), ends - starts)


def test_a_ufunc_takes_a_date_for_an_array(device):
    np.testing.assert_array_equal(days_between(starts, ends[3]), ends[3] - starts)


def test_dates_on_the_device_stay_there(device):
    between = days_between(cuda.to_device(starts), cuda.to_device(ends))
    assert isinstance(between, cuda.devicearray.DeviceNDArray)
    np.testing.assert_array_equal(between.copy_to_host(), ends - starts)


def test_dates_of_another_unit_are_converted(device):
    seconds = starts.astype("datetime64[s]")
    np.testing.assert_array_equal(days_between(seconds, ends), ends - starts)


def test_a_ufunc_without_signatures_learns_dates(device):
    later = vectorize(target="cuda")(lambda a, b: a + b)
    np.testing.assert_array_equal(later(starts, ends - starts), ends)


def test_a_loop_of_numbers_stands_beside_one_of_dates(device):
    both = vectorize([(day, day), "float64(float64, float64)"], target="cuda")(lambda a, b: b - a)
    assert both(1.5, 4.0) == 2.5
    np.testing.assert_array_equal(both(starts, ends), ends - starts)


def test_a_generalized_ufunc_takes_arrays_of_dates(device):
    np.testing.assert_array_equal(
        since_the_first(starts.reshape(5, 73))[2], np.arange(73).astype("timedelta64[D]")
    )


def test_a_number_for_a_date_is_told(device):
    with pytest.raises(TypeError, match=r"no loop for float64, datetime64\[D\]"):
        days_between(np.zeros(3), starts[:3])


def test_a_ufunc_of_the_host_says_which_target_takes_dates():
    with pytest.raises(errors.UnsupportedError, match='hint: target="cuda" takes dates'):
        vectorize([(day, day)])(lambda a, b: b - a)
