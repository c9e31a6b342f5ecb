"""Streams and events: numba.cuda's classes around the native ones."""

import contextlib
import contextvars
import functools
import operator
import threading
import warnings
import weakref

from heddle import _heddle, config
from heddle.cuda.native_devices import current_native
from heddle.errors import EventError, HeddleWarning

_live_streams = weakref.WeakValueDictionary()  # (device index, handle) -> Stream
_live_streams_guard = threading.Lock()  # held to add one


class Handle(int):
    """A stream handle with the attribute ``value``, for programs that expect a ctypes value."""

    __slots__ = ()

    @property
    def value(self):
        return int(self)


class Stream:
    """A queue of work on one device, which ``cuda.stream()`` creates. Work in different streams may overlap.

    >>> stream = cuda.stream()
    >>> with stream.auto_synchronize():
    ...     on_device = cuda.to_device(x, stream=stream)
    ...     kernel[4, 256, stream](on_device)
    >>> stream.query()
    True
    """

    def __init__(self, native):
        self._native = native

    @staticmethod
    def _wrap_native(native):
        """The Stream of a native stream; always the same object while it is alive."""
        if native.native_handle == native.device.default_stream.native_handle:
            return DefaultStream.from_number(native.device, 0)
        key = (native.device.index, native.native_handle)
        known = Stream._find_live_stream(key, native)
        if known is None:
            with _live_streams_guard:
                known = Stream._find_live_stream(key, native)
                if known is None:
                    known = _live_streams[key] = Stream(native)
        return known

    @staticmethod
    def _find_live_stream(key, native):
        known = _live_streams.get(key)
        return known if known is not None and vars(known).get("_native") is native else None

    # Launches read it: a getter in C is faster than a function.
    __heddle_stream__ = property(operator.attrgetter("_native"))

    @property
    def handle(self):
        """The driver's handle (a CUstream). On the CPU device, a number unique to the stream."""
        return Handle(self._native.native_handle)

    external = False  # whether another library created the stream

    @property
    def __cuda_stream__(self):
        """A function that returns (0, handle), the protocol for CUDA streams of other libraries."""
        if self._get_device().type != "cuda":
            raise AttributeError("this stream belongs to the CPU device: it has no CUDA stream")
        return lambda: (0, int(self.handle))

    def _get_device(self):
        return self._native.device

    def __int__(self):
        return int(self.handle)

    def synchronize(self):
        """Waits for all work enqueued so far. Raises the first kernel error since the last call."""
        self._native.synchronize()

    @contextlib.contextmanager
    def auto_synchronize(self):
        """Context manager that synchronizes the stream on exit."""
        yield self
        self.synchronize()

    def query(self):
        """True if all work enqueued so far is done."""
        return self._native.done()

    def add_callback(self, callback, arg=None):
        """Enqueues a call of ``callback(stream, status, arg)``, with status 0, on a thread of the device.

        The callback sees the caller's context variables. An exception in the callback becomes a warning.
        """
        # Warning filters are context variables on free-threaded Python 3.14. Graphs repeat calls, and a context can be
        # entered once at a time.
        context = contextvars.copy_context()
        self._native.callback(lambda: context.copy().run(_run_callback, callback, self, arg))

    def async_done(self):
        """A future of the running asyncio loop, which completes when all work enqueued so far is done. Its result is
        the stream."""
        import asyncio  # late: takes longer to load than the rest of heddle

        loop = asyncio.get_running_loop()
        future = loop.create_future()

        def resolve_future():
            if not future.done():
                future.set_result(self)

        def resolve_future_in_loop():
            with contextlib.suppress(RuntimeError):  # the loop was closed in the meantime
                loop.call_soon_threadsafe(resolve_future)

        self._native.callback(resolve_future_in_loop)
        return future

    def __eq__(self, other):
        return isinstance(other, Stream) and self._make_equality_key() == other._make_equality_key()

    def __hash__(self):
        return hash(("heddle.Stream", self._make_equality_key()))

    def _make_equality_key(self):
        return self._native.device.index, self._native.native_handle

    def __reduce__(self):
        raise TypeError("a stream belongs to its process: it cannot be pickled or copied")

    def __repr__(self):
        return f"<heddle CUDA stream {self.handle:#x}>"


class DefaultStream(Stream):
    """A predefined stream. number: CUDA's number; 0 and 1 are the legacy default stream, 2 is the per-thread one."""

    _names = ("Default", "Legacy default", "Per-thread default")

    def __init__(self, native, number):
        self._own = native
        self._number = number

    @property
    def _native(self):
        """The stream of work that names none: in the body of ``cuda.graph()``, the stream that captures."""
        captured = find_graph_stream(self._own.device) if self._number == 0 else None
        return self._own if captured is None else captured._native

    @staticmethod
    def from_number(device, number):
        """The device's predefined stream with CUDA's ``number``; always the same object while it is alive."""
        native = device.per_thread_stream() if number == 2 else device.default_stream
        key = (device.index, native.native_handle, number)
        found = _live_streams.get(key)
        if found is None:
            found = _live_streams[key] = DefaultStream(native, number)
        return found

    @property
    def handle(self):
        return Handle(self._number)

    def _get_device(self):
        return self._own.device

    def _make_equality_key(self):
        return self._own.device.index, self._own.native_handle

    def __repr__(self):
        return f"<heddle {self._names[self._number]} CUDA stream on {self._own.device.name}>"


class ExternalStream(Stream):
    """A stream that another library created, identified by its handle. Not validated until first use."""

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

    def _get_device(self):
        return self._device

    def _make_equality_key(self):
        return self._device.index, self._handle

    def __repr__(self):
        return f"<heddle External CUDA stream {self._handle:#x}, another library's>"


def _run_callback(callback, stream, arg):
    try:
        callback(stream, 0, arg)
    except Exception as error:
        warnings.warn(
            f"a stream callback raised {type(error).__name__}: {error}", HeddleWarning, stacklevel=2
        )


class Event:
    """A position in the work of a stream, created by ``cuda.event()``.

    >>> first, second, done = cuda.stream(), cuda.stream(), cuda.event()
    >>> on_device = cuda.to_device(x, stream=first)
    >>> done.record(first)
    >>> done.wait(second)  # second continues after the copy
    >>> kernel[4, 256, second](on_device)
    >>> second.synchronize()
    """

    def __init__(self, native, device=None):
        self._native = native
        self._device = device

    def query(self):
        """True if all work before the last ``record()`` is done."""
        return self._native.done()

    def record(self, stream=0):
        """Records the event after the work enqueued on ``stream``, which belongs to the event's device."""
        to_native_stream(stream, self._device).record(self._native)

    def synchronize(self):
        """Waits for the work before the last ``record()``."""
        self._native.synchronize()

    def wait(self, stream=0):
        """Makes ``stream`` wait for the event. Does not block the host."""
        to_native_stream(stream).wait(self._native)

    def __reduce__(self):
        raise TypeError("an event belongs to its process: it cannot be pickled or copied")

    def elapsed_time(self, evtend):
        """Milliseconds from this event to ``evtend``. Raises EventError unless both were recorded and are complete."""
        try:
            return evtend._native.milliseconds_since(self._native)
        except ValueError as error:
            raise EventError(str(error)) from None


def to_native_stream(stream, device=None):
    """Converts a user's stream argument to a native stream.

    stream: a Stream; 0 or None for the default stream of ``device``, by default the current device; a driver handle; a
    stream of another library (torch, CuPy, cuda.core). Raises TypeError for other objects.
    """
    native = getattr(stream, "__heddle_stream__", None)
    if native is not None:
        return native
    device = current_native() if device is None else device
    if stream is None:
        return _get_default_or_capturing_stream(device)
    handle = stream if isinstance(stream, int) else _get_foreign_handle(stream)
    return (
        _get_default_or_capturing_stream(device)
        if handle == 0
        else get_stream_by_handle(device, handle)._native
    )


def get_interface_stream_number(stream, device):
    """The number of a stream in the CUDA array interface: its handle, or 1 for the default stream."""
    known = isinstance(stream, DefaultStream)
    return int(stream if known else Stream._wrap_native(to_native_stream(stream, device))) or 1


def _get_foreign_handle(stream):
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


def find_graph_stream(device):
    """The stream for the thread's work on a device in the body of ``with cuda.graph()``; None outside."""
    captured = _heddle.thread_capture()
    is_here = captured is not None and captured[0].device is device
    return Stream._wrap_native(captured[0]) if is_here else None


def _get_default_or_capturing_stream(device):
    captured = find_graph_stream(device)
    return _get_default_stream(device) if captured is None else captured._native


def _get_default_stream(device):
    # On a GPU, this stream and the default stream wait for each other. On the CPU device, no two streams do.
    if int(config.CUDA_PER_THREAD_DEFAULT_STREAM) and device.type == "cuda":
        return device.per_thread_stream()
    return device.default_stream


def get_stream_by_handle(device, handle):
    """The stream of a device with this handle. Other libraries may have created it."""
    if handle in (0, 1, 2) and device.type != "cuda":
        return DefaultStream.from_number(device, handle)
    found = _live_streams.get((device.index, handle))
    if found is not None:
        return found
    found = _live_streams[device.index, handle] = ExternalStream(handle, device)
    return found


def stream():
    """Creates a stream on the current device. The stream and the default stream wait for each other.

    >>> stream = cuda.stream()
    >>> on_device = cuda.to_device(x, stream=stream)
    >>> kernel[4, 256, stream](on_device)
    >>> stream.synchronize()
    """
    return create_stream(blocking=True)


def create_stream(blocking):
    """Creates a stream on the current device. blocking: it and the default stream wait for each other."""
    return Stream._wrap_native(current_native().create_stream(blocking))


def default_stream():
    """The stream that launches and copies use by default.

    >>> cuda.default_stream().synchronize()
    """
    device = current_native()
    is_own = _get_default_stream(device) is not device.default_stream
    return DefaultStream.from_number(device, 2 if is_own else 0)


def legacy_default_stream():
    """The default stream shared by all threads. On a GPU, this stream and streams from ``cuda.stream`` wait for each
    other.

    >>> cuda.legacy_default_stream().synchronize()
    """
    return DefaultStream.from_number(current_native(), 1)


def per_thread_default_stream():
    """The default stream of the calling thread; the same stream at each call on a device.

    On a GPU, its handle is the same in all threads: the driver selects the stream by the thread that uses it.

    >>> cuda.per_thread_default_stream()
    <heddle Per-thread default CUDA stream on ...>
    """
    return DefaultStream.from_number(current_native(), 2)


def external_stream(ptr):
    """The stream of the current device with the handle ``ptr``. Another library created the stream and still owns it.

    The handle is not validated until first use. An invalid handle then raises ValueError on the CPU device, which has
    only Heddle's streams; on a GPU, the driver may end the process.

    >>> theirs = cuda.stream()  # in practice a stream of torch or CuPy
    >>> cuda.external_stream(theirs.handle) == theirs
    True
    """
    return get_stream_by_handle(current_native(), int(getattr(ptr, "value", ptr)))


def event(timing=True):
    """Creates an event on the current device. timing: enables ``elapsed_time``.

    >>> done = cuda.event()
    >>> done.record()
    >>> done.synchronize()
    >>> done.query()
    True
    """
    device = current_native()
    return Event(device.create_event(timing), device)


def event_elapsed_time(evtstart, evtend):
    """Milliseconds between two recorded events.

    >>> begin, end = cuda.event(), cuda.event()
    >>> begin.record()
    >>> kernel[4, 256](x)
    >>> end.record()
    >>> end.synchronize()
    >>> cuda.event_elapsed_time(begin, end) > 0
    True
    """
    return evtstart.elapsed_time(evtend)
