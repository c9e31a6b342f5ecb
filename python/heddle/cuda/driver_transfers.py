"""Copies for devices with separate memory. transfers.py states the guarantees.

The driver copies contiguous bytes. If layouts differ, a kernel moves the elements from or to a compact copy on the
device. Host memory is always copied in the layout of the device side.
"""

import numpy as np

from heddle.cuda.copy_kernels import copy_elements
from heddle.cuda.host_memory import Window, find_memory_to_keep, may_copy_asynchronously
from heddle.cuda.layout import (
    address_of,
    contiguous_strides,
    has_dense_strides,
    have_equal_strides,
    lowest_address_of,
)
from heddle.cuda.streams import to_native_stream
from heddle.support.byte_span import byte_span

# Copying up to this many unneeded bytes is faster than launching a kernel.
_worth_a_kernel = 1 << 16


def copy_to_device_memory(target, source, device, stream):
    native = to_native_stream(stream, device)
    unrepeated = _shrink_repeated_axes(source)
    if unrepeated.dtype != target.dtype:
        unrepeated = unrepeated.astype(target.dtype)
    if unrepeated.size < source.size and target.nbytes > _worth_a_kernel:
        _broadcast_to_device(target, unrepeated, native, device)
        return
    source = np.broadcast_to(unrepeated, target.shape)
    if has_dense_strides(target):
        _send_to_device(target, source, native, bool(stream))
    else:
        staged = _allocate_staging(target, native, device)
        _send_to_device(staged, source, native, bool(stream))
        copy_elements(target, staged, native, device)


def _shrink_repeated_axes(array):
    """Reduces axes that repeat one element to extent 1."""
    repeated = (
        slice(0, 1) if stride == 0 and extent > 1 else slice(None)
        for stride, extent in zip(array.strides, array.shape, strict=True)
    )
    return array[(*repeated, ...)]


def _broadcast_to_device(target, unrepeated, native, device):
    """Copies a host array into a device array, broadcasting its axes of extent 1."""
    byte = _find_byte_of_only_element(unrepeated)
    if byte is not None and has_dense_strides(target):
        kept = find_memory_to_keep(native, target)
        native.fill(lowest_address_of(target), byte, target.nbytes, kept)
        return
    staged = _allocate_staging(unrepeated, native, device)
    _send_to_device(staged, unrepeated, native, later=False)
    copy_elements(target, np.broadcast_to(staged, target.shape), native, device)


def _find_byte_of_only_element(array):
    """The byte that the only element repeats; None if its bytes differ, or if there are several elements."""
    values = set(array.tobytes()) if array.size == 1 else set()
    return values.pop() if len(values) == 1 else None


def _send_to_device(target, source, native, later):
    """Copies a host array into a dense device array of the same dtype."""
    if not have_equal_strides(target, source):
        source, unordered = _allocate_host_array_like(target), source
        np.copyto(source, unordered)
    to, start = lowest_address_of(target), lowest_address_of(source)
    if may_copy_asynchronously(source):
        native.copy(to, start, target.nbytes, find_memory_to_keep(native, target, source))
        if not later:
            native.synchronize()
    else:
        native.upload(to, start, target.nbytes)


def _allocate_host_array_like(array):
    """Allocates a host array with the shape, dtype and strides of a dense array."""
    low, high = byte_span(array.shape, array.strides, array.itemsize)
    memory = np.empty(high - low, np.uint8)
    return np.ndarray(array.shape, array.dtype, memory, -low, array.strides)


def copy_to_host_memory(target, source, device, stream):
    native = to_native_stream(stream, device)
    later = bool(stream) and may_copy_asynchronously(target)
    low, high = byte_span(source.shape, source.strides, source.itemsize)
    if high - low > _worth_a_kernel and not has_dense_strides(source):
        source = _copy_to_c_order(source, native, device)
        low, high = 0, source.nbytes
    direct = (
        target.dtype == source.dtype
        and has_dense_strides(source)
        and have_equal_strides(target, source)
    )
    destination = target if direct else _allocate_host_bytes(high - low, device, later)
    to, start = lowest_address_of(destination), address_of(source) + low
    if later:
        kept = find_memory_to_keep(native, destination, source)
        native.copy(to, start, high - low, kept)
    else:
        native.download(to, start, high - low)
    if direct:
        return
    seen = np.ndarray(source.shape, source.dtype, destination, -low, source.strides)
    if later:
        native.callback(lambda: np.copyto(target, seen, casting="unsafe"))
    else:
        np.copyto(target, seen, casting="unsafe")


def _allocate_host_bytes(size, device, pinned):
    if not pinned:
        return np.empty(size, np.uint8)
    memory = device.allocate(size, "pinned")
    return Window(
        device, memory.address, (size,), (1,), "|u1", False, memory, "pinned"
    ).as_numpy_array(np.dtype(np.uint8))


def copy_on_device(target, source, device, stream):
    native = to_native_stream(stream, device)
    if target.dtype != source.dtype:
        _copy_with_conversion_through_host(target, source, device, device, stream)
        return
    if np.may_share_memory(target, source):
        source = _copy_to_c_order(source, native, device)
    if has_dense_strides(target) and have_equal_strides(target, source):
        to, start = lowest_address_of(target), lowest_address_of(source)
        native.copy(to, start, target.nbytes, find_memory_to_keep(native, target, source))
    else:
        copy_elements(target, source, native, device)


def copy_between_gpus(target, target_device, source, source_device, stream):
    if target.dtype != source.dtype:
        _copy_with_conversion_through_host(target, source, target_device, source_device, stream)
        return
    native = to_native_stream(stream, target_device)
    direct = has_dense_strides(target) and have_equal_strides(target, source)
    if not direct and not source.flags.c_contiguous:
        source = _copy_to_c_order(source, source_device.default_stream, source_device)
    source_device.synchronize()
    destination = target if direct else _allocate_staging(source, native, target_device)
    native.copy(
        lowest_address_of(destination),
        lowest_address_of(source),
        target.nbytes,
        (destination, source),
    )
    if not direct:
        copy_elements(target, destination, native, target_device)
    # The compact copy is freed in the source device's stream order, which does not include this stream.
    native.synchronize()


def _copy_with_conversion_through_host(target, source, target_device, source_device, stream):
    """Copies with a dtype conversion, which NumPy does."""
    unrepeated = _shrink_repeated_axes(source)
    values = np.empty(unrepeated.shape, unrepeated.dtype)
    copy_to_host_memory(
        values, unrepeated, source_device, stream if target_device is source_device else 0
    )
    copy_to_device_memory(target, np.broadcast_to(values, target.shape), target_device, stream)


def _allocate_staging(array, native, device):
    """Allocates device memory, in stream order, for an array's elements in C order."""
    memory = native.allocate(array.nbytes)
    strides = contiguous_strides(array.shape, array.itemsize)
    window = Window(device, memory.address, array.shape, strides, array.dtype.str, False, memory)
    return window.as_numpy_array(array.dtype)


def _copy_to_c_order(source, native, device):
    """Copies a device array to C order."""
    staged = _allocate_staging(source, native, device)
    copy_elements(staged, source, native, device)
    return staged
