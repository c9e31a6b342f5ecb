"""Streams and events: numba.cuda's classes over the runtime's."""

import contextlib
import functools
import warnings
import weakref

from heddle import config
from heddle.cuda.native_devices import current_native
from heddle.errors import EventError, HeddleWarning

_live_streams = weakref.WeakValueDictionary()  # (a device's number, handle) -> Stream


class Handle(int):
    """A stream's handle, for programs that ask a ctypes value for its ``value``, too."""

    __slots__ = ()

    @property
    def value(self):
        return int(self)


class Stream:
    """Work in order on one device, beside the work of other streams."""

    def __init__(self, native):
        self._native = native

    @staticmethod
    def of(native):
        """The Stream of one of the runtime's streams; the same object as long as it lives."""
        if native.native_handle == native.device.default_stream.native_handle:
            return DefaultStream.numbered(native.device, 0)
        key = (native.device.index, native.native_handle)
        known = _live_streams.get(key)
        if known is None or vars(known).get("_native") is not native:
            known = _live_streams[key] = Stream(native)
        return known

    @property
    def __heddle_stream__(self):
        return self._native

    @property
    def handle(self):
        """What the driver calls the stream (a CUstream); on the CPU device a number that is the stream's alone."""
        return Handle(self._native.native_handle)

    external = False  # whether another library made the stream

    @property
    def __cuda_stream__(self):
        """A function that returns (0, handle): how other libraries ask for a GPU's stream."""
        if self._device_of_handle().type != "cuda":
            raise AttributeError(
                "this stream is the CPU device's: there is no CUDA stream behind it"
            )
        return lambda: (0, int(self.handle))

    def _device_of_handle(self):
        return self._native.device

    def __int__(self):
        return int(self.handle)

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
        import asyncio  # late: takes longer to load than the rest of heddle

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
        return isinstance(other, Stream) and self._key() == other._key()

    def __hash__(self):
        return hash(("heddle.Stream", self._key()))

    def _key(self):
        return self._native.device.index, self._native.native_handle

    def __reduce__(self):
        raise TypeError("a stream belongs to its process: it cannot be pickled or copied")

    def __repr__(self):
        return f"<heddle CUDA stream {self.handle:#x}>"


class DefaultStream(Stream):
    """A stream that nobody makes. number: CUDA's, 0 and 1 for that of all threads, 2 for a thread's own."""

    _words = ("Default", "Legacy default", "Per-thread default")

    def __init__(self, native, number):
        super().__init__(native)
        self._number = number

    @staticmethod
    def numbered(device, number):
        """The device's stream of that number, for the calling thread; the same object as long as it lives."""
        native = device.per_thread_stream() if number == 2 else device.default_stream
        key = (device.index, native.native_handle, number)
        found = _live_streams.get(key)
        if found is None:
            found = _live_streams[key] = DefaultStream(native, number)
        return found

    @property
    def handle(self):
        return Handle(self._number)

    def __repr__(self):
        return f"<heddle {self._words[self._number]} CUDA stream on {self._native.device.name}>"


class ExternalStream(Stream):
    """A stream that another library made, by its handle. Nothing is asked of it before it is used."""

    external = True

    def __init__(self, handle, device):
        self._handle = handle
        self._device = device

    @functools.cached_property
    def _native(self):
        return self._device.external_stream(self._handle)

    @property
    def handle(self):
        return Handle(self._handle)

    def _device_of_handle(self):
        return self._device

    def _key(self):
        return self._device.index, self._handle

    def __repr__(self):
        return f"<heddle External CUDA stream {self._handle:#x}, another library's>"


def _call_back(callback, stream, arg):
    try:
        callback(stream, 0, arg)
    except Exception as error:
        warnings.warn(
            f"a stream callback raised {type(error).__name__}: {error}", HeddleWarning, stacklevel=2
        )


class Event:
    """A point in a stream's work."""

    def __init__(self, native, device=None):
        self._native = native
        self._device = device

    def query(self):
        """Whether everything before the last ``record()`` has run."""
        return self._native.done()

    def record(self, stream=0):
        """Put the event at the end of what is enqueued on ``stream``, a stream of the event's device."""
        native_stream(stream, self._device).record(self._native)

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
        try:
            return evtend._native.milliseconds_since(self._native)
        except ValueError as error:
            raise EventError(str(error)) from None


def native_stream(stream, device=None):
    """The runtime's stream for what users pass as one.

    stream: a Stream; 0 or None for the default stream of ``device``, or of the current device; the handle of a
    driver's stream; a stream of another library (torch, CuPy, cuda.core).
    Raises TypeError for anything else.
    """
    native = getattr(stream, "__heddle_stream__", None)
    if native is not None:
        return native
    device = current_native() if device is None else device
    if stream is None:
        return _default_of(device)
    handle = stream if isinstance(stream, int) else _foreign_handle(stream)
    return _default_of(device) if handle == 0 else with_handle(device, handle)._native


def number_for_others(stream, device):
    """What the CUDA array interface calls a stream of a device: its handle, and 1 for the default stream."""
    known = isinstance(stream, DefaultStream)
    return int(stream if known else Stream.of(native_stream(stream, device))) or 1


def _foreign_handle(stream):
    protocol = getattr(stream, "__cuda_stream__", None)
    if protocol is not None:
        return (protocol() if callable(protocol) else protocol)[1]
    for name in ("cuda_stream", "ptr"):  # torch.cuda.Stream, cupy.cuda.Stream
        handle = getattr(stream, name, None)
        if isinstance(handle, int):
            return handle
    raise TypeError(
        f"{stream!r} is not a stream: pass what cuda.stream() returned, or 0 for the default stream"
    )


def _default_of(device):
    # A GPU keeps this stream and the default stream of launches in order; the CPU device keeps no two streams in order.
    if int(config.CUDA_PER_THREAD_DEFAULT_STREAM) and device.type == "cuda":
        return device.per_thread_stream()
    return device.default_stream


def with_handle(device, handle):
    """The stream of a device with that handle, which other libraries may have made."""
    if handle in (0, 1, 2) and device.type != "cuda":
        return DefaultStream.numbered(device, handle)
    found = _live_streams.get((device.index, handle))
    if found is not None:
        return found
    found = _live_streams[device.index, handle] = ExternalStream(handle, device)
    return found


def stream():
    """A new stream on the current device. It and the default stream wait for each other."""
    return new_stream(blocking=True)


def new_stream(blocking):
    """A new stream on the current device. blocking: whether it and the default stream wait for each other."""
    return Stream.of(current_native().create_stream(blocking))


def default_stream():
    """The stream of launches and copies that name none."""
    device = current_native()
    is_own = _default_of(device) is not device.default_stream
    return DefaultStream.numbered(device, 2 if is_own else 0)


def legacy_default_stream():
    """The default stream that all threads share. On a GPU it and those of ``cuda.stream`` wait for each other."""
    return DefaultStream.numbered(current_native(), 1)


def per_thread_default_stream():
    """A stream of the calling thread, the same one at each call on a device.

    On a GPU the driver finds it by the thread that uses it: its handle is the same in all threads.
    """
    return DefaultStream.numbered(current_native(), 2)


def external_stream(ptr):
    """The stream of the current device with the handle ``ptr``, such as another library's; it stays theirs.

    Nothing is asked of it before it is used. The use of a handle that is no living stream's raises ValueError on the
    CPU device, which has no streams but heddle's own; on a GPU the driver may end the process.
    """
    return with_handle(current_native(), int(getattr(ptr, "value", ptr)))


def event(timing=True):
    """A new event on the current device. timing: whether ``elapsed_time`` works on it."""
    device = current_native()
    return Event(device.create_event(timing), device)


def event_elapsed_time(evtstart, evtend):
    """Milliseconds between two recorded events."""
    return evtstart.elapsed_time(evtend)
