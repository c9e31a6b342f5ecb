"""Starts and stops a profiler, to record a part of a program."""

import contextlib

from heddle.cuda.native_devices import current_native


def profile_start():
    """Starts recording in a GPU profiler. Has no effect on the CPU device.

    >>> cuda.profile_start()
    """
    current_native().start_profiler()


def profile_stop():
    """Stops recording in a GPU profiler. Has no effect on the CPU device.

    >>> cuda.profile_stop()
    """
    current_native().stop_profiler()


@contextlib.contextmanager
def profiling():
    """Context manager that profiles the block: calls ``profile_start()`` and ``profile_stop()``.

    >>> with cuda.profiling():
    ...     kernel[4, 256](x)
    """
    profile_start()
    try:
        yield
    finally:
        profile_stop()
