"""numba.cuda.launchconfig: the launch configuration for which a kernel is being compiled."""

import contextlib

from heddle import _heddle

__all__ = ["capture_compile_config", "current_launch_config", "ensure_current_launch_config"]


def current_launch_config():
    """The configured kernel that this thread is compiling, for functions called during compilation (``@overload``);
    None if it is not compiling for a launch."""
    return _heddle.current_launch()


def ensure_current_launch_config():
    """As ``current_launch_config``, but raises RuntimeError instead of returning None."""
    found = current_launch_config()
    if found is None:
        raise RuntimeError("no kernel is being compiled for a launch on this thread")
    return found


@contextlib.contextmanager
def capture_compile_config(dispatcher):
    """Context manager that yields a dict. Its "config" becomes the configured kernel of the launch for which
    ``dispatcher`` is compiled inside; it stays None if launches find compiled code.

    Same as numba.cuda.launchconfig.capture_compile_config (numba-cuda 0.30).
    """
    if dispatcher is None:
        raise TypeError("capture_compile_config takes a kernel, not None")
    record = {"config": None}
    capture = (dispatcher, record)
    _heddle.launch_captures.append(capture)
    try:
        yield record
    finally:
        known = [kept for kept in _heddle.launch_captures if kept is not capture]
        _heddle.launch_captures[:] = known
