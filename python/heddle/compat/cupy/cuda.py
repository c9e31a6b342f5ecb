"""cupy.cuda: devices, streams, events, memory."""

from heddle.compat.cupy import compiler, driver, memory, nvtx, profiler, runtime
from heddle.compat.cupy import devices as device
from heddle.compat.cupy import streams as stream
from heddle.compat.cupy.compiler import CompileException
from heddle.compat.cupy.devices import Device
from heddle.compat.cupy.memory import (
    Memory,
    MemoryPointer,
    MemoryPool,
    PinnedMemoryPool,
    UnownedMemory,
    alloc,
    alloc_pinned_memory,
    set_allocator,
)
from heddle.compat.cupy.streams import (
    Event,
    ExternalStream,
    Stream,
    get_current_stream,
    get_elapsed_time,
)
from heddle.cuda.profiler_marks import profiling as profile
from heddle.missing_names import missing_name

__all__ = [
    "CompileException",
    "Device",
    "Event",
    "ExternalStream",
    "Memory",
    "MemoryPointer",
    "MemoryPool",
    "PinnedMemoryPool",
    "Stream",
    "UnownedMemory",
    "alloc",
    "alloc_pinned_memory",
    "compiler",
    "device",
    "driver",
    "get_current_stream",
    "get_device_id",
    "get_elapsed_time",
    "is_available",
    "memory",
    "nvtx",
    "profile",
    "profiler",
    "runtime",
    "set_allocator",
    "stream",
]


def is_available():
    """True: the CPU device counts."""
    return True


def get_device_id():
    return Device().id


def __getattr__(name):
    raise missing_name("heddle.cupy.cuda", name)
