"""cupy.cuda.runtime's functions for streams and events, which they identify by ``ptr``."""

from heddle.compat.cupy.cuda_errors import CUDARuntimeError
from heddle.compat.cupy.devices import get_device_id
from heddle.compat.cupy.runtime.handles import held, hold_object, release_object
from heddle.compat.cupy.streams import Event, Stream, get_elapsed_time
from heddle.cuda.streams import to_native_stream

# Flags of driver_types.h
streamDefault, streamNonBlocking = 0, 1
streamLegacy, streamPerThread = 1, 2
eventDefault, eventBlockingSync, eventDisableTiming, eventInterprocess = 0, 1, 2, 4


def streamCreate():
    """Create a stream and return its ``ptr``."""
    return streamCreateWithFlags(streamDefault)


def streamCreateWithFlags(flags):
    """Create a stream and return its ``ptr``. flags: streamDefault or streamNonBlocking."""
    return streamCreateWithPriority(flags, 0)


def streamCreateWithPriority(flags, priority):
    """The same as streamCreateWithFlags(); the priority is a hint."""
    stream = Stream(non_blocking=bool(flags & streamNonBlocking), priority=priority)
    return hold_object(stream.ptr, stream)


def streamDestroy(stream):
    """Destroy a stream that streamCreate() created."""
    release_object(stream, Stream, "streamCreate")


def streamSynchronize(stream):
    """Wait for all work on a stream. stream: its ``ptr``."""
    _find_or_wrap_stream(stream).synchronize()


def streamIsCapturing(stream):
    """True if the stream's work goes to a graph. stream: its ``ptr``."""
    return _find_or_wrap_stream(stream).is_capturing()


def streamQuery(stream):
    """0 if all work on the stream is finished, else 600, CUDA's "not ready". stream: its ``ptr``."""
    return 0 if to_native_stream(stream).done() else 600


def streamWaitEvent(stream, event, flags=0):
    """Make later work on a stream wait for an event. stream, event: their ``ptr``."""
    to_native_stream(stream).wait(_require_event(event)._event._native)


def launchHostFunc(stream, callback, arg):
    """Call ``callback(arg)`` on a device thread when the stream reaches this point. stream: its ``ptr``."""
    _find_or_wrap_stream(stream).launch_host_func(callback, arg)


def streamAddCallback(stream, callback, arg, flags=0):
    """Call ``callback(stream, status, arg)`` on a device thread when the stream reaches this point."""
    _find_or_wrap_stream(stream).add_callback(
        lambda _, status, arg: callback(stream, status, arg), arg
    )


def _find_or_wrap_stream(ptr):
    found = held.get(ptr)
    if isinstance(found, Stream):
        return found
    stream = Stream(null=True)
    stream._set_external_handle(ptr, get_device_id())
    return stream


def eventCreate():
    """Create an event and return its ``ptr``."""
    return eventCreateWithFlags(eventDefault)


def eventCreateWithFlags(flags):
    """Create an event, return its ``ptr``. flags: a sum of eventBlockingSync, eventDisableTiming, eventInterprocess."""
    event = Event(
        block=bool(flags & eventBlockingSync),
        disable_timing=bool(flags & eventDisableTiming),
        interprocess=bool(flags & eventInterprocess),
    )
    return hold_object(event.ptr, event)


def eventDestroy(event):
    """Destroy an event that eventCreate() created."""
    release_object(event, Event, "eventCreate")


def _require_event(ptr):
    found = held.get(ptr)
    if not isinstance(found, Event):
        raise CUDARuntimeError(400, f"{ptr:#x} was not returned by eventCreate()")
    return found


def eventRecord(event, stream):
    """Record an event at the end of a stream's work. event, stream: their ``ptr``."""
    to_native_stream(stream).record(_require_event(event)._event._native)


def eventQuery(event):
    """0 if the event is reached, else 600, CUDA's "not ready"."""
    return 0 if _require_event(event).done else 600


def eventSynchronize(event):
    """Wait for an event."""
    _require_event(event).synchronize()


def eventElapsedTime(start, end):
    """Milliseconds between two events that were reached."""
    return get_elapsed_time(_require_event(start), _require_event(end))
