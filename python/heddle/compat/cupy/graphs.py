"""cupy.cuda.graph on the CPU device: what a thread does while one of its streams captures, kept to be done again.

What writes to memory that is there, such as a kernel, is kept and not done. What makes a new array is done, for its
shape; done again, it fills that array anew. NumPy does the arrays' work at once, so a graph's steps follow one another.
"""

import contextlib
import threading

import numpy as np

from heddle.compat.cupy.cuda_errors import CUDARuntimeError

__all__ = ["Graph"]

_ILLEGAL_STATE, _UNSUPPORTED = 401, 900

# Functions of NumPy that write to their first argument.
_WRITERS = {"at", "copyto", "fill_diagonal", "place", "put", "put_along_axis", "putmask"}


class _PerThread(threading.local):
    stream = None  # that captures
    graph = None  # what it captures to; None, too, while a step is done


_here = _PerThread()


class Graph:
    """What a stream captured: made by ``stream.begin_capture()`` and ``stream.end_capture()``."""

    def __init__(self, *args, **keywords):
        raise NotImplementedError(
            "a Graph is made by capturing a stream: stream.begin_capture(), the work, stream.end_capture()"
        )

    def launch(self, stream=None):
        """Do the captured work. stream: where its kernels go; the current one when None."""
        perform(lambda: self._run(stream), writes=True)

    def _run(self, stream):
        with stream or contextlib.nullcontext(), _not_capturing():
            for step in self._steps:
                step()

    def upload(self, stream=None):
        """Make a launch faster: there is nothing to do for that here."""


@contextlib.contextmanager
def _not_capturing():
    kept, _here.graph = _here.graph, None
    try:
        yield
    finally:
        _here.graph = kept


def begin(stream):
    """Let what the thread does from now on go to a graph."""
    if stream.ptr == 0:
        raise CUDARuntimeError(
            _UNSUPPORTED, "the default stream cannot capture: use a cupy.cuda.Stream()"
        )
    if _here.stream is not None:
        raise CUDARuntimeError(_ILLEGAL_STATE, "a stream of this thread captures already")
    graph = object.__new__(Graph)
    graph._steps = []
    _here.stream, _here.graph = stream, graph


def end(stream):
    """The graph of what the thread did since ``begin``."""
    if _here.stream != stream:
        raise CUDARuntimeError(
            _ILLEGAL_STATE, "the stream does not capture: begin_capture() comes first"
        )
    graph, _here.stream, _here.graph = _here.graph, None, None
    return graph


def captures(stream):
    """Whether the stream captures what the thread does."""
    return _here.stream is not None and _here.stream == stream


def capturing():
    """Whether what the thread does goes to a graph."""
    return _here.graph is not None


def require_no_capture(what):
    """Raise where the host would wait for work that is only kept."""
    if capturing():
        raise CUDARuntimeError(
            _UNSUPPORTED, f"{what} waits for work that the graph does later: end_capture() first"
        )


def perform(work, writes):
    """Call ``work()`` and return what it does; while the thread captures, keep it.

    writes: it writes to memory that is there, and returns nothing that is used.
    """
    graph = _here.graph
    if graph is None:
        return work()
    if writes:
        graph._steps.append(work)
        return None
    with _not_capturing():
        result = work()
    graph._steps.append(lambda: _renew(result, work()))
    return result


def writes_to_argument(function, args, keywords):
    """Whether a call of a function of NumPy, or a ufunc, writes to an array that it is given."""
    if isinstance(function, np.ufunc) and len(args) > function.nin:
        return True
    return keywords.get("out") is not None or function.__name__ in _WRITERS


def _renew(kept, again):
    if isinstance(kept, (tuple, list)):
        for one, other in zip(kept, again, strict=True):
            _renew(one, other)
    elif isinstance(kept, np.ndarray):
        if kept.shape != again.shape:
            raise ValueError(
                f"a graph's arrays keep their shapes: one had {kept.shape} when it was captured, and has "
                f"{again.shape} now"
            )
        np.copyto(np.asarray(kept), np.asarray(again))
