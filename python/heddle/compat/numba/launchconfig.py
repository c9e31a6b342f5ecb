"""numba.cuda.launchconfig: the configuration of the launch that a kernel is compiled for.

Compilations of heddle are not the program's: there is never one.
"""


def current_launch_config():
    """None."""


def ensure_current_launch_config():
    """Raises RuntimeError: nothing is compiled while the program runs this."""
    raise RuntimeError("no kernel is being compiled for a launch on this thread")
