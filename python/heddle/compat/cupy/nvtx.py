"""cupy.cuda.nvtx: names for parts of a program. They are not passed on to a profiler."""

from heddle.missing_names import missing_name

available = False


def Mark(message, id_color=-1):
    """Name this moment."""


def MarkC(message, color=0):
    """Name this moment, with a colour."""


def RangePush(message, id_color=-1):
    """Name what follows, up to the RangePop that belongs to it."""


def RangePushC(message, color=0):
    """Name what follows, with a colour."""


def RangePop():
    """End the part that was named last."""


def __getattr__(name):
    raise missing_name("heddle.cupy.cuda.nvtx", name)
