"""Marks for a profiler that records only a part of a program."""

import contextlib

from heddle.cuda.native_devices import current_native


def profile_start():
    """Tell a GPU's profiler to record from here on. The CPU device has none, so nothing happens there."""
    current_native().start_profiler()


def profile_stop():
    """Tell a GPU's profiler to stop recording. The CPU device has none, so nothing happens there."""
    current_native().stop_profiler()


@contextlib.contextmanager
def profiling():
    """Context manager: ``profile_start()`` before, ``profile_stop()`` after."""
    profile_start()
    try:
        yield
    finally:
        profile_stop()
