"""numba.cuda.launchconfig: the configuration of the launch that a kernel is compiled for."""

import contextlib

from heddle import _heddle

__all__ = ["capture_compile_config", "current_launch_config", "ensure_current_launch_config"]


def current_launch_config():
    """The configured kernel that the thread compiles for, as seen by a function that compiling calls (``@overload``);
    None where it compiles for no launch."""
    return _heddle.current_launch()


def ensure_current_launch_config():
    """The same. Raises RuntimeError for None."""
    found = current_launch_config()
    if found is None:
        raise RuntimeError("no kernel is being compiled for a launch on this thread")
    return found


@contextlib.contextmanager
def capture_compile_config(dispatcher):
    """A dict whose "config" becomes the configured kernel of the launch that ``dispatcher`` is compiled for inside; it
    stays None where launches find compiled code.

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
