"""Copies for a device that uses host memory. transfers.py states the guarantees."""

import numpy as np

from heddle import _heddle
from heddle.cuda.host_memory import (
    may_copy_asynchronously,
    record_host_copy_for_check,
    record_stream_copy_for_check,
)
from heddle.cuda.layout import address_of
from heddle.cuda.streams import find_graph_stream, to_native_stream


def copy_to_device_memory(target, source, device, stream):
    stream = _find_stream_or_refuse_capture(source, device, stream)
    if stream:  # a graph reads the source at each launch
        keeps = may_copy_asynchronously(source) or to_native_stream(stream, device).capturing
        source = source if keeps else source.copy(order="K")
    copy_on_device(target, source, device, stream)


def copy_to_host_memory(target, source, device, stream):
    stream = _find_stream_or_refuse_capture(target, device, stream)
    if not stream:
        copy_on_device(target, source, device, stream)
    else:
        copy_on_device(target, source, device, stream)
        if not may_copy_asynchronously(target):
            to_native_stream(stream, device).synchronize()


def _find_stream_or_refuse_capture(on_host, device, stream):
    """The stream of a copy from or to a host array: in ``with cuda.graph()``, the one that captures."""
    stream = stream or find_graph_stream(device)
    captures = _heddle.thread_capture() and stream and to_native_stream(stream, device).capturing
    if captures and not may_copy_asynchronously(on_host):
        _heddle.refuse_host_copy_in_capture()
    return stream


def copy_on_device(target, source, device, stream):
    stream = stream or find_graph_stream(device)
    is_done = not stream
    stream = to_native_stream(stream or 0, device)
    if is_done:
        stream.wait_for_earlier_work()
        _copy_elements(target, source)
        record_stream_copy_for_check(stream, target, source, done=True)
        return
    same_layout = (
        target.dtype == source.dtype and target.strides == source.strides and target.flags.forc
    )
    if same_layout and not np.may_share_memory(target, source):
        stream.copy(address_of(target), address_of(source), target.nbytes, (target, source))
    else:
        stream.call_in_order(lambda: _copy_elements(target, source))
        record_stream_copy_for_check(stream, target, source, done=False)


def _copy_elements(target, source):
    record_host_copy_for_check(target, source)
    np.copyto(target, source, casting="unsafe")
