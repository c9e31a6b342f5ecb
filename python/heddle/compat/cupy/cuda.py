"""cupy.cuda: devices, streams, events, memory."""

from heddle.compat.cupy import compiler, driver, memory, nvtx, profiler, runtime
from heddle.compat.cupy import devices as device
from heddle.compat.cupy import streams as stream
from heddle.compat.cupy.compiler import CompileException
from heddle.compat.cupy.devices import Device
from heddle.compat.cupy.memory import (
    Memory,
    MemoryAsyncPool,
    MemoryPointer,
    MemoryPool,
    PinnedMemoryPointer,
    PinnedMemoryPool,
    UnownedMemory,
    alloc,
    alloc_pinned_memory,
    malloc_async,
    malloc_managed,
    set_allocator,
    set_pinned_memory_allocator,
    using_allocator,
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
    "MemoryAsyncPool",
    "MemoryPointer",
    "MemoryPool",
    "PinnedMemoryPointer",
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
    "malloc_async",
    "malloc_managed",
    "memory",
    "nvtx",
    "profile",
    "profiler",
    "runtime",
    "set_allocator",
    "set_pinned_memory_allocator",
    "stream",
    "using_allocator",
]


def is_available():
    """True: the CPU device counts."""
    return True


def get_device_id():
    return Device().id


def __getattr__(name):
    raise missing_name("heddle.cupy.cuda", name)
