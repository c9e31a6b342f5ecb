"""Copies between arrays, in stream order, with CUDA's rules about when host memory may be used again."""

import numpy as np

from heddle.cuda.host_memory import is_pinned
from heddle.cuda.streams import native_stream


def to_device_memory(target, source, device, stream):
    """Copies a host array into a device array's memory, both seen as NumPy arrays of equal shape.

    With stream 0 the copy is done on return. With a stream it may not be, but the source may be changed at once
    unless it is pinned.
    """
    if not stream:
        device.synchronize()
        np.copyto(target, source, casting="unsafe")
    else:
        enqueue(stream, target, source if is_pinned(source) else source.copy(order="K"))


def to_host_memory(target, source, device, stream):
    """Copies a device array's memory into a host array, both seen as NumPy arrays of equal shape.

    Done on return, unless there is a stream and the target is pinned.
    """
    if not stream:
        device.synchronize()
        np.copyto(target, source, casting="unsafe")
    else:
        enqueue(stream, target, source)
        if not is_pinned(target):
            native_stream(stream).synchronize()


def enqueue(stream, target, source):
    """Copies between two arrays of equal shape when the stream gets there; both are kept alive until then."""
    stream = native_stream(stream)
    same_layout = (
        target.dtype == source.dtype and target.strides == source.strides and target.flags.forc
    )
    if same_layout and not np.may_share_memory(target, source):
        stream.copy(_address(target), _address(source), target.nbytes, (target, source))
    else:
        stream.callback(lambda: np.copyto(target, source, casting="unsafe"))


def _address(array):
    return array.__array_interface__["data"][0]


def check_compatible(target, source):
    """Refuses a copy between arrays of different shapes or dtypes. An axis of extent 1 more or less is no difference.

    Returns the source in the target's shape.
    """
    if target.dtype != source.dtype:
        raise TypeError(
            f"incompatible dtype: cannot copy {source.dtype} to {target.dtype}; convert one with astype first"
        )
    if target.shape == source.shape:
        return source
    if [n for n in target.shape if n != 1] != [n for n in source.shape if n != 1]:
        raise ValueError(f"incompatible shape: cannot copy {source.shape} to {target.shape}")
    return source.reshape(target.shape)
