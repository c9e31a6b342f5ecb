"""cupy.cuda.runtime's functions of streams and events, which are numbers: their ``ptr``."""

from heddle.compat.cupy.cuda_errors import CUDARuntimeError
from heddle.compat.cupy.devices import get_device_id
from heddle.compat.cupy.runtime.handles import give_up, held, hold
from heddle.compat.cupy.streams import Event, Stream, get_elapsed_time
from heddle.cuda.streams import native_stream

# Flags of driver_types.h
streamDefault, streamNonBlocking = 0, 1
streamLegacy, streamPerThread = 1, 2
eventDefault, eventBlockingSync, eventDisableTiming, eventInterprocess = 0, 1, 2, 4


def streamCreate():
    """The ``ptr`` of a new stream."""
    return streamCreateWithFlags(streamDefault)


def streamCreateWithFlags(flags):
    """The ``ptr`` of a new stream. flags: streamDefault or streamNonBlocking."""
    return streamCreateWithPriority(flags, 0)


def streamCreateWithPriority(flags, priority):
    """As streamCreateWithFlags; the priority is a hint."""
    stream = Stream(non_blocking=bool(flags & streamNonBlocking), priority=priority)
    return hold(stream.ptr, stream)


def streamDestroy(stream):
    """Give back what streamCreate() gave."""
    give_up(stream, Stream, "streamCreate")


def streamSynchronize(stream):
    """Wait for a stream. stream: its ``ptr``."""
    _stream(stream).synchronize()


def streamIsCapturing(stream):
    """Whether a stream keeps its work for a graph. stream: its ``ptr``."""
    return _stream(stream).is_capturing()


def streamQuery(stream):
    """0 if all work of a stream is done, else 600, CUDA's "not ready". stream: its ``ptr``."""
    return 0 if native_stream(stream).done() else 600


def streamWaitEvent(stream, event, flags=0):
    """Let what comes later in a stream wait for an event. Both by their ``ptr``."""
    native_stream(stream).wait(_event(event)._event._native)


def launchHostFunc(stream, callback, arg):
    """Call ``callback(arg)`` on a thread of the device when a stream gets there. stream: its ``ptr``."""
    _stream(stream).launch_host_func(callback, arg)


def streamAddCallback(stream, callback, arg, flags=0):
    """Call ``callback(stream, status, arg)`` on a thread of the device when a stream gets there."""
    _stream(stream).add_callback(lambda _, status, arg: callback(stream, status, arg), arg)


def _stream(ptr):
    found = held.get(ptr)
    if isinstance(found, Stream):
        return found
    stream = Stream(null=True)
    stream._set_handle(ptr, get_device_id())
    return stream


def eventCreate():
    """The ``ptr`` of a new event."""
    return eventCreateWithFlags(eventDefault)


def eventCreateWithFlags(flags):
    """The ``ptr`` of a new event. flags: a sum of eventBlockingSync, eventDisableTiming and eventInterprocess."""
    event = Event(
        block=bool(flags & eventBlockingSync),
        disable_timing=bool(flags & eventDisableTiming),
        interprocess=bool(flags & eventInterprocess),
    )
    return hold(event.ptr, event)


def eventDestroy(event):
    """Give back what eventCreate() gave."""
    give_up(event, Event, "eventCreate")


def _event(ptr):
    found = held.get(ptr)
    if not isinstance(found, Event):
        raise CUDARuntimeError(400, f"{ptr:#x} is not from eventCreate()")
    return found


def eventRecord(event, stream):
    """Put an event at the end of a stream's work. Both by their ``ptr``."""
    native_stream(stream).record(_event(event)._event._native)


def eventQuery(event):
    """0 if an event has happened, else 600, CUDA's "not ready"."""
    return 0 if _event(event).done else 600


def eventSynchronize(event):
    """Wait for an event."""
    _event(event).synchronize()


def eventElapsedTime(start, end):
    """Milliseconds between two events that have happened."""
    return get_elapsed_time(_event(start), _event(end))
