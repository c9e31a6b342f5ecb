"""cupyx.time, which CuPy 11 renamed to cupyx.profiler."""

from heddle.compat.cupyx.profiler import benchmark as repeat

__all__ = ["repeat"]
