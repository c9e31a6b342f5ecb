"""cupy.cuda.graph on the CPU device: what streams have captured, to be done again."""

__all__ = ["Graph"]


class Graph:
    """What a stream captured: made by ``stream.begin_capture()`` and ``stream.end_capture()``."""

    def __init__(self, *args, **keywords):
        raise NotImplementedError(
            "a Graph is made by capturing a stream: stream.begin_capture(), the work, stream.end_capture()"
        )

    @classmethod
    def of(cls, native, current_stream):
        """native: the runtime's graph. current_stream: a function that gives the runtime's current stream."""
        graph = object.__new__(cls)
        graph._native, graph._current_stream = native, current_stream
        return graph

    def launch(self, stream=None):
        """Do the captured work in the order of a stream, the current one when None."""
        self._native.launch(self._current_stream() if stream is None else stream.__heddle_stream__)

    def upload(self, stream=None):
        """Make a launch faster: there is nothing to do for that here."""
