"""heddle.benchmark: times of functions on the host and on devices."""

import time

import numpy as np
import pytest

import heddle
from heddle import cuda


@cuda.jit
def increment(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += 1


def test_a_result_has_a_time_of_the_host_and_of_the_device_for_each_call(device):
    x = cuda.to_device(np.zeros(100))
    result = heddle.benchmark(increment.forall(100), (x,), n_repeat=7, n_warmup=2)
    assert result.cpu_times.shape == (7,) and result.gpu_times.shape == (1, 7)
    assert (result.cpu_times > 0).all() and (result.gpu_times > 0).all()


def test_the_function_is_called_for_warming_up_and_for_each_time(device):
    x = cuda.to_device(np.zeros(4))
    heddle.benchmark(increment.forall(4), (x,), n_repeat=5, n_warmup=3)
    assert x.copy_to_host().tolist() == [8] * 4


def test_times_are_in_seconds(cpu):
    result = heddle.benchmark(time.sleep, (0.01,), n_repeat=2, n_warmup=0)
    assert 0.01 <= result.cpu_times.min() < 1
    assert 0.01 <= result.gpu_times.min() < 1


def test_keyword_arguments_are_passed_on(cpu):
    seen = []
    heddle.benchmark(lambda a, b: seen.append((a, b)), (1,), {"b": 2}, n_repeat=1, n_warmup=0)
    assert seen == [(1, 2)]


def test_no_call_starts_after_the_longest_duration(cpu):
    result = heddle.benchmark(time.sleep, (0.02,), n_warmup=0, max_duration=0.05)
    assert 1 <= len(result.cpu_times) <= 3


def test_one_call_is_timed_even_when_no_time_is_left(cpu):
    assert heddle.benchmark(int, n_warmup=0, max_duration=0).cpu_times.shape == (1,)


def test_the_summary_names_the_function_and_its_times(cpu):
    result = heddle.benchmark(time.sleep, (0.001,), n_repeat=3, name="a nap")
    assert str(result).startswith("a nap ")
    assert "CPU:" in result.to_str() and "device cpu" not in result.to_str()
    assert "device cpu: " in str(result) and "min:" in str(result)


def test_a_function_is_called_by_its_own_name(cpu):
    assert heddle.benchmark(time.sleep, (0,), n_repeat=1).name == "sleep"


def test_the_devices_to_watch_are_named_by_number(device):
    assert heddle.benchmark(int, n_repeat=2, devices=(device.id,)).gpu_times.shape == (1, 2)


def test_an_unknown_device_is_refused():
    with pytest.raises(ValueError, match="there is no device 99"):
        heddle.benchmark(int, devices=(99,))


def test_arguments_that_are_no_tuple_are_refused():
    with pytest.raises(TypeError, match="args is a tuple"):
        heddle.benchmark(int, [1])


def test_what_cannot_be_called_is_refused():
    with pytest.raises(TypeError, match="times a function, not a int"):
        heddle.benchmark(3)
