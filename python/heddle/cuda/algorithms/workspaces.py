"""Memory for launches. Streams keep memory for partial results, and host threads memory for a result."""

import itertools
import threading
import weakref

import numpy as np

from heddle.cuda.device_ndarray import DeviceNDArray
from heddle.cuda.host_memory import Window

most_blocks = 4096
_most_kept = 1 << 26  # bytes of a piece of memory that a stream keeps
_most_epochs = 1 << 30
_per_thread_stream = 2  # the driver's handle: for each host thread another stream


class Workspace:
    """Device memory for the partial results of a launch, and the ticket that determines the last block.

    Launches in one stream run in order, so they share a workspace.
    """

    def __init__(self, stream):
        self._device = stream.device
        self.ticket, _ = _allocate_device_and_numpy_array(
            self._device, "device", 1, np.dtype(np.int64)
        )
        _fill_with_zeros(stream, self.ticket, self.ticket.nbytes)
        self._partials = {}
        self._scratch = {}
        self._states = None
        self._epochs = itertools.count()

    def get_partial_results_array(self, dtype, purpose="values"):
        """A device array of ``most_blocks`` elements, a separate one for each purpose."""
        key = dtype, purpose
        if key not in self._partials:
            made, _ = _allocate_device_and_numpy_array(self._device, "device", most_blocks, dtype)
            return self._partials.setdefault(key, made)
        return self._partials[key]

    def get_scratch(self, count, dtype, purpose):
        """A device array of at least ``count`` elements with the values that an earlier launch has left."""
        key = dtype, purpose
        found = self._scratch.get(key)
        if found is None or found.size < count:
            found = _allocate_device_and_numpy_array(
                self._device, "device", _round_up(count), dtype
            )[0]
            if found.nbytes <= _most_kept:
                self._scratch[key] = found
        return found

    def get_states_and_next_epoch(self, count, stream):
        """A device array of at least ``count`` uint64, and the number of its use: from 1, increasing. It contains what
        earlier uses have left, and is 0 before the first."""
        epoch = next(self._epochs) % _most_epochs + 1
        states = self._states
        if states is None or states.size < count or epoch == 1:
            dtype = np.dtype(np.uint64)
            states, _ = _allocate_device_and_numpy_array(
                self._device, "device", _round_up(count), dtype
            )
            _fill_with_zeros(stream, states, states.nbytes)
            self._states = states
        return states, epoch


_workspaces = weakref.WeakKeyDictionary()  # native stream -> Workspace
_default_streams = {}  # by device; keeps the workspaces of default streams alive
_results = threading.local()


_threads = threading.local()


def get_workspace(stream):
    """The Workspace of a native stream."""
    if stream.native_handle == _per_thread_stream:
        workspaces = _threads.__dict__
        stream_or_index = stream.device.index
    else:
        workspaces, stream_or_index = _workspaces, stream
    found = workspaces.get(stream_or_index)
    if found is None:
        found = workspaces.setdefault(stream_or_index, Workspace(stream))
        if stream is stream.device.default_stream:
            _default_streams[stream.device.index] = stream
    return found


def get_thread_result_arrays(device, dtype):
    """A one-element array for the calling thread in memory mapped to ``device``: as device array and NumPy array."""
    results = _results.__dict__
    key = device.index, dtype
    if key not in results:
        results[key] = _allocate_device_and_numpy_array(device, "mapped", 1, dtype)
    return results[key]


def get_cleared_scratch(stream, count, dtype, purpose):
    """A device array of at least ``count`` zeros for launches in a native stream: until the next call, in a graph for
    each of its launches."""
    if stream.capturing:
        return allocate_zeros(stream, count, dtype)
    scratch = get_workspace(stream).get_scratch(count, dtype, purpose)
    _fill_with_zeros(stream, scratch, count * dtype.itemsize)
    return scratch


def _fill_with_zeros(stream, array, nbytes):
    # GPUs free memory in stream order. To keep it alive would take a callback, for which the stream waits.
    kept = array.owner if stream.device.uses_host_memory or stream.capturing else None
    stream.fill(array.address, 0, nbytes, kept)


def allocate_scratch(stream, count, dtype):
    """A device array of ``count`` elements for launches in a native stream."""
    return _wrap_memory_as_arrays(
        stream.device, stream.allocate(count * dtype.itemsize), count, dtype
    )[0]


def allocate_zeros(stream, count, dtype):
    """As ``allocate_scratch``; the stream sets the elements to 0."""
    zeros = allocate_scratch(stream, count, dtype)
    stream.fill(zeros.address, 0, zeros.nbytes, zeros.owner)
    return zeros


def _round_up(count):
    return 1 << (count - 1).bit_length()


def _allocate_device_and_numpy_array(device, kind, count, dtype):
    memory = device.allocate(max(count * dtype.itemsize, 1), kind)
    return _wrap_memory_as_arrays(device, memory, count, dtype)


def _wrap_memory_as_arrays(device, memory, count, dtype):
    """Memory as a device array, and as the NumPy array that describes it."""
    window = Window(device, memory.address, (count,), None, f"|V{dtype.itemsize}", False, memory)
    array = window.as_numpy_array(dtype)
    return DeviceNDArray._create_over_memory_of(device, array, memory), array
