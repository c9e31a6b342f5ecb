"""cupy.cuda.graph: captured stream work that can be launched again."""

__all__ = ["Graph"]


class Graph:
    """Captured stream work, created by ``stream.begin_capture()`` and ``stream.end_capture()``."""

    def __init__(self, *args, **keywords):
        raise NotImplementedError(
            "a Graph is made by capturing a stream: stream.begin_capture(), the work, stream.end_capture()"
        )

    @classmethod
    def from_native(cls, native, current_stream):
        """Wrap ``native``, the runtime's graph. current_stream: a function that returns the runtime's current
        stream."""
        graph = object.__new__(cls)
        graph._native, graph._current_stream = native, current_stream
        return graph

    def launch(self, stream=None):
        """Run the captured work in stream order. stream: None means the current stream."""
        self._native.launch(self._current_stream() if stream is None else stream.__heddle_stream__)

    def upload(self, stream=None):
        """Prepare a launch. Does nothing: launches need no preparation here."""
