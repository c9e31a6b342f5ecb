"""``heddle.benchmark``: times a function on the host and on devices, with the interface of ``cupyx.profiler``."""

import math
import time

import numpy as np

from heddle.cuda.devices import all_devices, current_device
from heddle.cuda.streams import Event, to_native_stream


class BenchmarkResult:
    """The times that ``benchmark`` measured. ``str`` formats a summary.

    name: the name of the function. cpu_times: seconds from the start of each call until it returned, shape (calls,).
    gpu_times: seconds from the start of each call until its work on the device was done, shape (devices, calls).
    devices: the measured devices.
    """

    def __init__(self, name, cpu_times, gpu_times, devices):
        self.name = name
        self.cpu_times = cpu_times
        self.gpu_times = gpu_times
        self.devices = devices

    def to_str(self, show_gpu=False):
        """The summary as one line. show_gpu: includes the device times."""
        parts = [f"{self.name:<20s}:", _format_summary("CPU", self.cpu_times)]
        if show_gpu:
            parts += [
                _format_summary(_format_label(device), times)
                for device, times in zip(self.devices, self.gpu_times, strict=True)
            ]
        return " ".join(parts)

    def __str__(self):
        return self.to_str(show_gpu=True)

    def __repr__(self):
        return str(self)


def benchmark(
    func,
    args=(),
    kwargs=None,
    n_repeat=10000,
    *,
    name=None,
    n_warmup=10,
    max_duration=math.inf,
    devices=None,
):
    """Times ``func(*args, **kwargs)``. Returns a BenchmarkResult.

    n_repeat: the maximum number of calls. name: the function's name in the summary, by default ``func.__name__``.
    n_warmup: untimed calls before the measurement. max_duration: seconds after which no further call starts. At least
    one call is made. devices: the devices to measure, as indices or objects, by default the current one. Events on
    their default streams measure the device times. Raises TypeError or ValueError for invalid arguments.

    >>> result = heddle.benchmark(kernel[4, 256], (x,), n_repeat=10, name="double")
    >>> result.cpu_times.shape
    (10,)
    >>> print(result)
    double              :    CPU:   ... us ...
    """
    measured = _select_devices(devices)
    streams = [to_native_stream(0, device._native) for device in measured]
    return measure(func, args, kwargs, n_repeat, name, n_warmup, max_duration, measured, streams)


def measure(func, args, kwargs, n_repeat, name, n_warmup, max_duration, devices, streams):
    """Implements ``benchmark``. streams: for each device, the stream whose events measure the device time."""
    if not callable(func):
        raise TypeError(f"benchmark times a function, not a {type(func).__name__}")
    if not isinstance(args, tuple):
        raise TypeError(
            f"args is a tuple of arguments, not a {type(args).__name__}: write args=(x,) for one argument"
        )
    if not isinstance(n_repeat, int) or not isinstance(n_warmup, int):
        raise TypeError(f"n_repeat and n_warmup are ints, not {n_repeat!r} and {n_warmup!r}")
    if n_repeat < 1 or n_warmup < 0:
        raise ValueError(f"n_repeat is at least 1 and n_warmup 0, not {n_repeat} and {n_warmup}")
    kwargs = dict(kwargs or {})
    if name is None:
        name = getattr(func, "__name__", None) or getattr(func, "name", type(func).__name__)

    for _ in range(n_warmup):
        func(*args, **kwargs)
    for stream in streams:
        stream.synchronize()

    starts, ends = ([_create_event(device) for device in devices] for _ in range(2))
    cpu_times, gpu_times = [], []
    stop = time.perf_counter() + max_duration
    while not cpu_times or (len(cpu_times) < n_repeat and time.perf_counter() < stop):
        _record_events(starts, streams)
        began = time.perf_counter()
        func(*args, **kwargs)
        cpu_times.append(time.perf_counter() - began)
        _record_events(ends, streams)
        for event in ends:
            event.synchronize()
        gpu_times.append([a.elapsed_time(b) * 1e-3 for a, b in zip(starts, ends, strict=True)])
    rows = np.array(gpu_times, np.float64).reshape(len(cpu_times), len(devices)).T
    return BenchmarkResult(name, np.array(cpu_times), np.ascontiguousarray(rows), tuple(devices))


def _select_devices(wanted):
    if wanted is None:
        return [current_device()]
    known = all_devices()
    found = []
    for which in wanted:
        number = getattr(which, "id", which)
        if not isinstance(number, int) or not 0 <= number < len(known):
            raise ValueError(
                f"there is no device {which!r}: they are numbered 0 to {len(known) - 1}"
            )
        found.append(known[number])
    return found


def _create_event(device):
    return Event(device._native.create_event(True), device._native)


def _record_events(events, streams):
    for event, stream in zip(events, streams, strict=True):
        stream.record(event._native)


def _format_label(device):
    return f"GPU-{device.id}" if device.type == "cuda" else "device cpu"


def _format_summary(label, seconds):
    us = seconds * 1e6
    shown = f"   {label}: {us.mean():9.3f} us"
    if len(us) > 1:
        shown += f"   +/- {us.std():6.3f} (min: {us.min():9.3f} / max: {us.max():9.3f}) us"
    return shown
