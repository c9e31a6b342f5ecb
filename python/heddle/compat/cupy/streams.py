"""cupy.cuda.stream: Stream and Event on top of Heddle's. Each thread has a current stream for kernels on each
device."""

import threading
import warnings

from heddle import _heddle
from heddle.compat.cupy.cuda_errors import CUDARuntimeError
from heddle.compat.cupy.devices import get_device_number
from heddle.compat.cupy.graphs import Graph
from heddle.cuda import streams
from heddle.cuda.native_devices import current_native
from heddle.support.missing_names import make_missing_name_error

# cudaErrorIllegalState, cudaErrorStreamCaptureUnsupported, -Unmatched, -Unjoined
_ILLEGAL_STATE, _UNSUPPORTED, _UNMATCHED, _UNJOINED = 401, 900, 903, 904

__all__ = ["Event", "ExternalStream", "Stream", "get_current_stream", "get_elapsed_time"]


class _DeviceStreams:
    """A thread's streams on one device: the current one, and those entered by ``with``, outermost first.

    ``use()`` does not change the list. At the end of a ``with``, the stream of the enclosing ``with`` becomes current.
    """

    def __init__(self):
        self.current = Stream.null
        self.entered = []


class _PerThread(threading.local):
    def __init__(self):
        self.devices = {}  # a device's number -> _DeviceStreams
        self.left = []  # the _DeviceStreams of each active ``with``

    def set_current_stream(self, on_device, stream):
        """Make a stream current on a device. Launches read the current stream from the runtime."""
        on_device.current = stream
        native = stream.__heddle_stream__
        device = native.device
        is_default = native.native_handle == device.default_stream.native_handle
        _heddle.set_array_stream(device, None if is_default else native)

    def get_or_create_streams(self, number):
        if number not in self.devices:
            self.devices[number] = _DeviceStreams()
        return self.devices[number]


_per_thread = _PerThread()


class Stream:
    """An ordered queue of work on the current device.

    null: the default stream. ptds: the calling thread's default stream. non_blocking: do not synchronize with the
    default stream. priority: a hint that changes no result.
    ``with stream:`` and ``stream.use()`` make it the thread's current stream on its device.
    """

    def __init__(self, null=False, non_blocking=False, ptds=False, priority=None):
        self._of_thread = bool(ptds) and not null
        own = not (null or ptds)
        made = streams.create_stream(blocking=not non_blocking) if own else None
        self._set_heddle_stream(made, get_device_number(current_native()) if own else -1)
        self.non_blocking = bool(non_blocking) and own
        self.priority = priority or 0

    def _set_heddle_stream(self, own, device_id):
        """own: Heddle's stream; None for a default stream, because each device has a separate one."""
        self._own = own
        self.device_id = device_id

    @classmethod
    def from_external(cls, obj):
        """The stream of another library's object that has ``__cuda_stream__``; the object is kept alive."""
        try:
            protocol = obj.__cuda_stream__
        except AttributeError:
            raise AttributeError(
                f"a {type(obj).__name__} does not implement the protocol of CUDA streams: it has no __cuda_stream__()"
            ) from None
        stream = cls(null=True)
        stream._set_external_handle(
            _parse_cuda_stream_protocol(protocol()), get_device_number(current_native())
        )
        stream._foreign_stream_ref = obj
        return stream

    def _set_external_handle(self, handle, device_id):
        self._set_heddle_stream(streams.external_stream(handle) if handle else None, device_id)

    @property
    def _heddle_stream(self):
        if self._own is not None:
            return self._own
        return (
            streams.per_thread_default_stream()
            if self._of_thread
            else streams.legacy_default_stream()
        )

    @property
    def __heddle_stream__(self):
        return self._heddle_stream._native

    def __cuda_stream__(self):
        """(0, handle): the protocol through which other libraries get the stream's handle."""
        return 0, self.ptr

    @property
    def ptr(self):
        """The stream's handle; 0 for the default stream, as in CUDA."""
        if self._own is None:
            return 2 if self._of_thread else 0
        return int(self._own.handle)

    @property
    def is_non_blocking(self):
        """True if it was made with ``non_blocking=True``."""
        return self.non_blocking

    @property
    def done(self):
        return self._heddle_stream.query()

    def use(self):
        _per_thread.set_current_stream(self._get_current_device_streams(), self)
        return self

    def __enter__(self):
        on_device = self._get_current_device_streams()
        on_device.entered.append(self)
        _per_thread.set_current_stream(on_device, self)
        _per_thread.left.append(on_device)
        return self

    def __exit__(self, *error):
        on_device = _per_thread.left.pop()
        on_device.entered.pop()
        _per_thread.set_current_stream(
            on_device, on_device.entered[-1] if on_device.entered else Stream.null
        )

    def _get_current_device_streams(self):
        current = get_device_number(current_native())
        if self.device_id not in (-1, current):
            raise RuntimeError(
                f"the stream belongs to device {self.device_id}, but the current device is {current}: switch to the "
                "stream's device first"
            )
        return _per_thread.get_or_create_streams(current)

    def synchronize(self):
        if self.is_capturing():
            raise CUDARuntimeError(
                _UNSUPPORTED,
                "synchronize() waits for work that the graph runs later: call end_capture() first",
            )
        self._heddle_stream.synchronize()

    def record(self, event=None):
        """Record an event on the stream and return it. event: None creates a new one."""
        event = Event() if event is None else event
        event.record(self)
        return event

    def wait_event(self, event):
        """Make later work in the stream wait for the event."""
        try:
            event._event.wait(self._heddle_stream)
        except ValueError as error:  # from a capture
            raise CUDARuntimeError(_UNSUPPORTED, str(error)) from None

    def launch_host_func(self, callback, arg=None):
        """Call ``callback(arg)`` on a device thread when the stream reaches this point."""
        self._heddle_stream.add_callback(lambda stream, status, arg: callback(arg), arg)

    def add_callback(self, callback, arg=None):
        """Call ``callback(stream, status, arg)`` on a device thread when the stream reaches this point."""
        self._heddle_stream.add_callback(
            lambda stream, status, arg: callback(self, status, arg), arg
        )

    def is_capturing(self):
        """True if the stream's work goes to a graph: after ``begin_capture()``, or after the stream waited for an event
        of a capturing stream."""
        return self.__heddle_stream__.capturing

    def begin_capture(self, mode=None):
        """Record the stream's work for the graph that ``end_capture()`` returns; it runs only when the graph is
        launched. mode: ignored.
        """
        if self.ptr == 0:
            raise CUDARuntimeError(
                _UNSUPPORTED, "the default stream cannot capture: use a cupy.cuda.Stream()"
            )
        if self.is_capturing():
            raise CUDARuntimeError(_ILLEGAL_STATE, "the stream is capturing already")
        self.__heddle_stream__.begin_capture()

    def end_capture(self):
        """End the capture. Returns the cupy.cuda.Graph with the work recorded since ``begin_capture()``.

        Raises CUDARuntimeError if a stream that joined the capture was not joined back; this also ends the capture.
        """
        if not self.is_capturing():
            raise CUDARuntimeError(
                _ILLEGAL_STATE, "the stream is not capturing: call begin_capture() first"
            )
        try:
            return Graph.from_native(
                self.__heddle_stream__.end_capture(), get_native_current_stream
            )
        except ValueError as error:
            status = _UNMATCHED if self.is_capturing() else _UNJOINED
            raise CUDARuntimeError(status, str(error)) from None

    def __eq__(self, other):
        return isinstance(other, Stream) and self._heddle_stream == other._heddle_stream

    def __hash__(self):
        return hash(self._heddle_stream)

    def __repr__(self):
        return f"<{type(self).__name__} {self.ptr:#x} (device {self.device_id})>"


Stream.null = Stream(null=True)
Stream.ptds = Stream(ptds=True)


class ExternalStream(Stream):
    """A stream given by another library's handle. device_id: its device's number; -1 means the current device."""

    def __init__(self, ptr, device_id=-1):
        warnings.warn(
            "ExternalStream is deprecated: use Stream.from_external(object) with the other library's stream",
            DeprecationWarning,
            stacklevel=2,
        )
        super().__init__(null=True)
        self._set_external_handle(ptr, device_id)


def _parse_cuda_stream_protocol(answer):
    """The handle in the result of ``__cuda_stream__()``. Raises TypeError or ValueError if it breaks the protocol."""
    if not (isinstance(answer, tuple) and len(answer) == 2):
        raise TypeError(
            f"__cuda_stream__() must return a 2-tuple, the protocol's version and the handle, not {answer!r}"
        )
    version, handle = answer
    if not (isinstance(version, int) and isinstance(handle, int)):
        raise TypeError(f"__cuda_stream__() must return (int, int), not {answer!r}")
    if version != 0:
        raise ValueError(
            f"__cuda_stream__() returned the unsupported version {version}; only version 0 is supported"
        )
    return handle


def get_current_stream(device_id=-1):
    """The calling thread's current stream on a device; -1 means the current device."""
    return _per_thread.get_or_create_streams(
        get_device_number(current_native()) if device_id in (-1, None) else device_id
    ).current


class Event:
    """A point in a stream's work. disable_timing: do not record the time; get_elapsed_time() then raises an error."""

    def __init__(self, block=False, disable_timing=False, interprocess=False):
        if interprocess and not disable_timing:
            raise ValueError(
                "an event for other processes cannot record the time: pass disable_timing=True"
            )
        self._event = streams.event(timing=not disable_timing)

    @property
    def ptr(self):
        """The driver's handle (a CUevent); on the CPU device, a number unique to the event."""
        return self._event._native.native_handle

    @property
    def done(self):
        return self._event.query()

    def record(self, stream=None):
        stream = get_current_stream() if stream is None else stream
        self._event.record(getattr(stream, "_heddle_stream", stream))

    def synchronize(self):
        self._event.synchronize()

    def __repr__(self):
        return f"<Event {self.ptr:#x}>"


def get_elapsed_time(start_event, end_event):
    """Milliseconds between two recorded events, both reached. Raises CUDARuntimeError."""
    try:
        return start_event._event.elapsed_time(end_event._event)
    except ValueError as error:  # an event that was never recorded counts as done
        not_ready = not (start_event.done and end_event.done)
        raise CUDARuntimeError(600 if not_ready else 400, str(error)) from None


def get_native_current_stream():
    """The runtime's object for the current stream on the current device."""
    return get_current_stream().__heddle_stream__


def __getattr__(name):
    raise make_missing_name_error("heddle.cupy.cuda.stream", name)
