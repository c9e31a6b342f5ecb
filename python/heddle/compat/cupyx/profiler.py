"""cupyx.profiler: benchmark, time_range, profile, and the IPython magic %gpu_timeit."""

import contextlib
import math

from heddle.benchmarking import measure
from heddle.compat.cupy import nvtx
from heddle.compat.cupy.devices import Device
from heddle.compat.cupy.streams import get_native_current_stream
from heddle.compat.cupyx.timing_magic import make_magic
from heddle.cuda.profiler_marks import profiling as profile

__all__ = ["benchmark", "profile", "time_range"]


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
    """As heddle.benchmark, measured on the current stream of each device."""
    measured = [Device(device) for device in (devices or [None])]
    streams = []
    for device in measured:
        with device:
            streams.append(get_native_current_stream())
    known = [device._device for device in measured]
    return measure(func, args, kwargs, n_repeat, name, n_warmup, max_duration, known, streams)


class time_range(contextlib.ContextDecorator):
    """Context manager and decorator that names a part of a program, with ``cupy.cuda.nvtx``.

    message: the name; by default that of the decorated function. sync: synchronize the device at both ends.
    """

    def __init__(self, message=None, color_id=None, argb_color=None, sync=False):
        if color_id is not None and argb_color is not None:
            raise ValueError("a range has one color: give color_id or argb_color")
        self.message = message
        self.color_id, self.argb_color = color_id, argb_color
        self.sync = sync

    def __call__(self, func):
        if self.message is None:
            self.message = func.__name__
        return super().__call__(func)

    def __enter__(self):
        if self.message is None:
            raise ValueError("in a 'with' statement the range needs a name: time_range(\"name\")")
        if self.sync:
            Device().synchronize()
        if self.argb_color is not None:
            nvtx.RangePushC(self.message, self.argb_color)
        else:
            nvtx.RangePush(self.message, -1 if self.color_id is None else self.color_id)
        return self

    def __exit__(self, *error):
        if self.sync:
            Device().synchronize()
        nvtx.RangePop()


def load_ipython_extension(shell):
    """``%load_ext cupyx.profiler``: registers ``%gpu_timeit`` and ``%%gpu_timeit``."""
    shell.register_magic_function(make_magic(shell, benchmark), "line_cell", "gpu_timeit")


def unload_ipython_extension(shell):
    """Does nothing: the magics remain registered, as in CuPy."""
