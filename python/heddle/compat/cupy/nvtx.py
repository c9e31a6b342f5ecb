"""cupy.cuda.nvtx: named ranges of a program. They do not reach a profiler."""

from heddle.support.missing_names import make_missing_name_error

available = False


def Mark(message, id_color=-1):
    """Mark this moment with a message."""


def MarkC(message, color=0):
    """Mark this moment with a message and a color."""


def RangePush(message, id_color=-1):
    """Start a named range, which the matching RangePop ends."""


def RangePushC(message, color=0):
    """Start a named range with a color."""


def RangePop():
    """End the range that was started last."""


def __getattr__(name):
    raise make_missing_name_error("heddle.cupy.cuda.nvtx", name)
