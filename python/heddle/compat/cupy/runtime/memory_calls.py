"""cupy.cuda.runtime's memory functions."""

import ctypes
from typing import NamedTuple

from heddle import _heddle
from heddle.compat.cupy.cuda_errors import CUDARuntimeError
from heddle.compat.cupy.device_memory import ManagedMemory, Memory
from heddle.compat.cupy.devices import get_device_id
from heddle.compat.cupy.pinned_memory import PinnedMemory
from heddle.compat.cupy.runtime.handles import held, hold_object, release_object
from heddle.cuda.native_devices import current_native
from heddle.cuda.streams import to_native_stream

# cudaMemcpyKind, in CUDA's driver_types.h
memcpyHostToHost, memcpyHostToDevice, memcpyDeviceToHost, memcpyDeviceToDevice = range(4)
memcpyDefault = 4

# Flags of driver_types.h
memAttachGlobal, memAttachHost = 1, 2
memoryTypeUnregistered, memoryTypeHost, memoryTypeDevice, memoryTypeManaged = range(4)
hostAllocDefault, hostAllocPortable, hostAllocMapped, hostAllocWriteCombined = 0, 1, 2, 4


def _synchronize_stream(stream):
    to_native_stream(stream).synchronize()


def malloc(size):
    """Allocate ``size`` bytes on the current device and return the address."""
    return _allocate(Memory, size)


def mallocManaged(size, flags=1):
    """Allocate ``size`` bytes that the host and the device can access and return the address."""
    return _allocate(ManagedMemory, size)


def hostAlloc(size, flags=0):
    """Allocate ``size`` bytes of page-locked host memory and return the address."""
    return _allocate(PinnedMemory, size)


def _allocate(kind, size):
    try:
        memory = kind(size)
    except MemoryError as error:
        raise CUDARuntimeError(2, str(error)) from None
    return hold_object(memory.ptr, memory) if memory.ptr else 0


def free(ptr):
    """Free memory that malloc() allocated."""
    release_object(ptr, Memory, "malloc")


def freeHost(ptr):
    """Free memory that hostAlloc() allocated."""
    release_object(ptr, PinnedMemory, "hostAlloc")


def hostRegister(ptr, size, flags=0):
    """Page-lock existing host memory. flags: ignored."""
    current_native().pin(ptr, size)


def hostUnregister(ptr):
    """Undo hostRegister()."""
    current_native().unpin(ptr)


def mallocAsync(size, stream):
    """The same as malloc(). stream: the ``ptr`` of the stream that uses the memory first."""
    return malloc(size)


def freeAsync(ptr, stream):
    """Wait for the stream, then free the memory. stream: its ``ptr``."""
    _synchronize_stream(stream)
    free(ptr)


class PointerAttributes(NamedTuple):
    """CUDA's information about an address. type: 1 for host memory, 2 for device memory, 3 for managed memory."""

    device: int
    devicePointer: int
    hostPointer: int
    type: int


def pointerGetAttributes(ptr):
    """The PointerAttributes of an address; memory from elsewhere counts as memory of the current device."""
    memory = next(
        (found for start, found in held.items() if _is_pointer_inside(ptr, start, found)), None
    )
    kind = {PinnedMemory: 1, ManagedMemory: 3}.get(type(memory), 2)
    device = getattr(memory, "device_id", get_device_id())
    return PointerAttributes(device, ptr, 0 if kind == 2 else ptr, kind)


def _is_pointer_inside(ptr, start, memory):
    return isinstance(memory, (Memory, PinnedMemory)) and start <= ptr < start + memory.size


def memPrefetchAsync(ptr, size, device, stream):
    """Hint that a device will need managed memory soon. Does nothing."""


def memAdvise(ptr, size, advice, device):
    """Hint about how managed memory will be used. Does nothing."""


def memset(ptr, value, size):
    """Set ``size`` bytes of the current device's memory to ``value``."""
    memsetAsync(ptr, value, size, 0)
    _synchronize_stream(0)


def memsetAsync(ptr, value, size, stream):
    """The same as memset(), in stream order. stream: its ``ptr``."""
    to_native_stream(stream).fill(ptr, value, size, None)


def memcpy(dst, src, size, kind):
    """Copy ``size`` bytes between addresses. kind: memcpyHostToDevice and so on."""
    memcpyAsync(dst, src, size, kind, 0)
    _synchronize_stream(0)


def memcpy2D(dst, dpitch, src, spitch, width, height, kind):
    """Copy ``height`` rows of ``width`` bytes; the rows begin every ``dpitch`` and ``spitch`` bytes."""
    memcpy2DAsync(dst, dpitch, src, spitch, width, height, kind, 0)
    _synchronize_stream(0)


def memcpy2DAsync(dst, dpitch, src, spitch, width, height, kind, stream):
    """The same as memcpy2D(), in stream order. stream: its ``ptr``."""
    if width > min(dpitch, spitch):
        raise CUDARuntimeError(12, f"rows of {width} bytes overlap: {dpitch=}, {spitch=}")
    for row in range(height):
        memcpyAsync(dst + row * dpitch, src + row * spitch, width, kind, stream)


def memcpyPeer(dst, dst_device, src, src_device, size):
    """Copy ``size`` bytes between devices; the addresses already tell which."""
    memcpy(dst, src, size, memcpyDefault)


def memcpyPeerAsync(dst, dst_device, src, src_device, size, stream):
    """The same as memcpyPeer(), in stream order. stream: its ``ptr``."""
    memcpyAsync(dst, src, size, memcpyDefault, stream)


def memcpyAsync(dst, src, size, kind, stream):
    """The same as memcpy(), in stream order. stream: its ``ptr``."""
    stream = to_native_stream(stream)
    if kind == memcpyHostToHost and not stream.capturing:
        stream.synchronize()
        _heddle.record_host_write_for_check(dst, size)
        ctypes.memmove(dst, src, size)
    elif kind == memcpyHostToDevice:
        stream.upload(dst, src, size)
    elif kind == memcpyDeviceToHost:
        stream.download(src=src, host_address=dst, nbytes=size)
    else:
        stream.copy(dst, src, size, None)
