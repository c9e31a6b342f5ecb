"""Streams and events: numba.cuda's classes over the runtime's."""

import contextlib
import threading
import warnings
import weakref

from heddle.errors import HeddleWarning

_live_streams = weakref.WeakValueDictionary()


class Stream:
    """Work in order on one device, beside the work of other streams."""

    def __init__(self, native):
        self._native = native

    @staticmethod
    def of(native):
        """The Stream of one of the runtime's streams; the same object as long as it lives."""
        known = _live_streams.get(id(native))
        if known is None or known._native is not native:
            known = _live_streams[id(native)] = Stream(native)
        return known

    @property
    def __heddle_stream__(self):
        return self._native

    @property
    def handle(self):
        """A number that ``cuda.external_stream`` takes in this process."""
        return id(self._native)

    def __int__(self):
        return self.handle

    def synchronize(self):
        """Wait for all work enqueued so far. Raises the first error of a kernel since the last call."""
        self._native.synchronize()

    @contextlib.contextmanager
    def auto_synchronize(self):
        """Context manager that waits for the stream at its end."""
        yield self
        self.synchronize()

    def query(self):
        """Whether all work enqueued so far is done."""
        return self._native.done()

    def add_callback(self, callback, arg=None):
        """Call ``callback(stream, status, arg)`` on a thread of the device when the stream gets there; status is 0.

        An exception in it becomes a warning.
        """
        self._native.callback(lambda: _call_back(callback, self, arg))

    def async_done(self):
        """A future of the running asyncio loop that is done when the stream gets here; its result is the stream."""
        import asyncio  # takes longer to load than the rest of heddle

        loop = asyncio.get_running_loop()
        future = loop.create_future()

        def finish():
            if not future.done():
                future.set_result(self)

        def wake_the_loop():
            with contextlib.suppress(
                RuntimeError
            ):  # the loop was closed before the stream got here
                loop.call_soon_threadsafe(finish)

        self._native.callback(wake_the_loop)
        return future

    def __eq__(self, other):
        return isinstance(other, Stream) and self._native is other._native

    def __hash__(self):
        return hash(("heddle.Stream", id(self._native)))

    def __reduce__(self):
        raise TypeError("a stream belongs to its process: it cannot be pickled or copied")

    def __repr__(self):
        return f"<heddle stream {self.handle:#x}>"


def _call_back(callback, stream, arg):
    try:
        callback(stream, 0, arg)
    except Exception as error:
        warnings.warn(
            f"a stream callback raised {type(error).__name__}: {error}", HeddleWarning, stacklevel=2
        )


class Event:
    """A point in a stream's work."""

    def __init__(self, native):
        self._native = native

    def query(self):
        """Whether everything before the last ``record()`` has run."""
        return self._native.done()

    def record(self, stream=0):
        """Put the event at the end of what is enqueued on ``stream``."""
        native_stream(stream).record(self._native)

    def synchronize(self):
        """Wait for everything before the last ``record()``."""
        self._native.synchronize()

    def wait(self, stream=0):
        """Make ``stream`` wait for the event before it goes on. Does not wait on the host."""
        native_stream(stream).wait(self._native)

    def __reduce__(self):
        raise TypeError("an event belongs to its process: it cannot be pickled or copied")

    def elapsed_time(self, evtend):
        """Milliseconds from this event to ``evtend``. Both must have been recorded and have happened."""
        return evtend._native.milliseconds_since(self._native)


def native_stream(stream):
    """The runtime's stream for what users pass as one: a Stream, or 0 for the current device's default stream."""
    if isinstance(stream, Stream):
        return stream._native
    if stream is None or stream == 0:
        return _current_native().default_stream
    if isinstance(stream, int):
        return external_stream(stream)._native
    raise TypeError(
        f"{stream!r} is not a stream: pass what cuda.stream() returned, or 0 for the default stream"
    )


def _current_native():
    from heddle.cuda.devices import current_native

    return current_native()


def stream():
    """A new stream on the current device."""
    return Stream.of(_current_native().create_stream())


def default_stream():
    """The stream of launches and copies that name none."""
    return Stream.of(_current_native().default_stream)


def legacy_default_stream():
    """The default stream that all threads share: ``default_stream()``."""
    return default_stream()


_per_thread = threading.local()


def per_thread_default_stream():
    """A stream of the calling thread, the same one at each call on a device."""
    streams = _per_thread.__dict__.setdefault("streams", {})
    native = _current_native()
    if native.index not in streams:
        streams[native.index] = Stream.of(native.create_stream())
    return streams[native.index]


def external_stream(ptr):
    """The stream with the handle ``ptr``. Raises ValueError for a handle that is no living stream's.

    The CPU device has no streams but heddle's own.
    """
    found = _live_streams.get(int(ptr))
    if found is None:
        raise ValueError(
            f"{int(ptr):#x} is not the handle of a living stream; make one with cuda.stream()"
        )
    return found


def event(timing=True):
    """A new event on the current device. timing: whether ``elapsed_time`` may be asked of it."""
    return Event(_current_native().create_event(timing))


def event_elapsed_time(evtstart, evtend):
    """Milliseconds between two recorded events."""
    return evtstart.elapsed_time(evtend)
