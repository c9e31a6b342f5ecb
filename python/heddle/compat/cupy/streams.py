"""cupy.cuda.Stream and Event over heddle's. A thread has a current stream, where kernels go."""

import threading

from heddle.cuda import streams
from heddle.cuda.native_devices import current_native


class _PerThread(threading.local):
    def __init__(self):
        self.entered = []
        self.current = None


_per_thread = _PerThread()


class Stream:
    """Work in order on the current device.

    null: the default stream. ptds: the calling thread's. non_blocking, priority: hints, which change no result.
    ``with stream:`` and ``stream.use()`` make it the current one of the thread.
    """

    def __init__(self, null=False, non_blocking=False, ptds=False, priority=None):
        self._of_thread = bool(ptds)
        self._own = None if null or ptds else streams.stream()
        self.non_blocking = bool(non_blocking)
        self.priority = priority or 0

    @classmethod
    def from_external(cls, obj):
        """The stream that another library's object stands for, by ``__cuda_stream__``."""
        stream = cls(null=True)
        stream._own = streams.Stream.of(streams.native_stream(obj))
        return stream

    @property
    def _stream(self):
        if self._own is not None:
            return self._own
        return (
            streams.per_thread_default_stream()
            if self._of_thread
            else streams.legacy_default_stream()
        )

    @property
    def __heddle_stream__(self):
        return self._stream._native

    @property
    def __cuda_stream__(self):
        return self._stream.__cuda_stream__

    @property
    def ptr(self):
        """The stream's handle; 0 for the default stream, as in CUDA."""
        if self._own is None:
            return 2 if self._of_thread else 0
        return int(self._own.handle)

    @property
    def done(self):
        return self._stream.query()

    def use(self):
        _per_thread.current = self
        return self

    def __enter__(self):
        _per_thread.entered.append(_per_thread.current)
        return self.use()

    def __exit__(self, *error):
        _per_thread.current = _per_thread.entered.pop()

    def synchronize(self):
        self._stream.synchronize()

    def record(self, event=None):
        """Record an event, a new one when None, and return it."""
        event = Event() if event is None else event
        event.record(self)
        return event

    def wait_event(self, event):
        """Let what comes later wait for the event."""
        event._event.wait(self._stream)

    def launch_host_func(self, callback, arg=None):
        """Call ``callback(arg)`` on a thread of the device when the stream gets there."""
        self._stream.add_callback(lambda stream, status, arg: callback(arg), arg)

    def add_callback(self, callback, arg=None):
        """Call ``callback(stream, status, arg)`` on a thread of the device when the stream gets there."""
        self._stream.add_callback(lambda stream, status, arg: callback(self, status, arg), arg)

    def is_capturing(self):
        return False

    def __eq__(self, other):
        return isinstance(other, Stream) and self._stream == other._stream

    def __hash__(self):
        return hash(self._stream)

    def __repr__(self):
        return f"<Stream {self.ptr:#x}>"


Stream.null = Stream(null=True)
Stream.ptds = Stream(ptds=True)


class ExternalStream(Stream):
    """The stream of a handle that another library gave."""

    def __init__(self, ptr, device_id=-1):
        super().__init__(null=True)
        self._own = streams.external_stream(ptr) if ptr else None


def get_current_stream(device_id=None):
    """The stream where the calling thread's kernels go."""
    return _per_thread.current or Stream.null


class Event:
    """A point in a stream's work. disable_timing: the event takes no time, so get_elapsed_time refuses it."""

    def __init__(self, block=False, disable_timing=False, interprocess=False):
        self._event = streams.event(timing=not disable_timing)

    @property
    def done(self):
        return self._event.query()

    def record(self, stream=None):
        stream = get_current_stream() if stream is None else stream
        self._event.record(getattr(stream, "_stream", stream))

    def synchronize(self):
        self._event.synchronize()

    def __repr__(self):
        return "<Event>"


def get_elapsed_time(start_event, end_event):
    """Milliseconds between two recorded events that have happened."""
    return start_event._event.elapsed_time(end_event._event)


def native_current_stream():
    """The current stream as the runtime knows it, on the current device."""
    stream = get_current_stream().__heddle_stream__
    if stream.device.index != current_native().index:
        return streams.native_stream(0)
    return stream
