"""What ``import cupyx`` gives where heddle stands in for CuPy: ``cupyx.profiler``."""

from heddle.compat.cupyx import profiler
from heddle.missing_names import missing_name

__all__ = ["profiler"]


def __getattr__(name):
    raise missing_name("heddle.cupyx", name)
