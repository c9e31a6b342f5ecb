"""Memory for launches. Reductions reuse partial results for each stream, and a result for each host thread."""

import threading
import weakref

import numpy as np

from heddle.cuda.device_ndarray import DeviceNDArray
from heddle.cuda.host_memory import Window

most_blocks = 4096


class Workspace:
    """Device memory for the partial results of a launch, and the ticket that determines the last block.

    Launches in one stream run in order, so they share a workspace.
    """

    def __init__(self, stream):
        self._device = stream.device
        self.ticket, _ = _allocate_array_and_window(self._device, "device", 1, np.dtype(np.int64))
        stream.fill(self.ticket.address, 0, 8, self.ticket.owner)
        self._partials = {}

    def get_partials(self, dtype, purpose="values"):
        """A device array of ``most_blocks`` elements, a separate one for each purpose."""
        key = dtype, purpose
        if key not in self._partials:
            self._partials[key], _ = _allocate_array_and_window(
                self._device, "device", most_blocks, dtype
            )
        return self._partials[key]


_workspaces = weakref.WeakKeyDictionary()  # native stream -> Workspace
_default_streams = {}  # by device; keeps the workspaces of default streams alive
_results = threading.local()


def get_workspace(stream):
    """The Workspace of a native stream."""
    found = _workspaces.get(stream)
    if found is None:
        found = _workspaces[stream] = Workspace(stream)
        if stream is stream.device.default_stream:
            _default_streams[stream.device.index] = stream
    return found


def get_thread_result_array(device, dtype):
    """A one-element array for the calling thread in memory mapped to ``device``: as device array and NumPy array."""
    results = _results.__dict__
    key = device.index, dtype
    if key not in results:
        results[key] = _allocate_array_and_window(device, "mapped", 1, dtype)
    return results[key]


def allocate_scratch(stream, count, dtype):
    """A device array of ``count`` elements for launches in a native stream."""
    return _wrap_memory(stream.device, stream.allocate(count * dtype.itemsize), count, dtype)[0]


def allocate_zeros(stream, count, dtype):
    """As ``allocate_scratch``; the stream sets the elements to 0."""
    zeros = allocate_scratch(stream, count, dtype)
    stream.fill(zeros.address, 0, zeros.nbytes, zeros.owner)
    return zeros


def _allocate_array_and_window(device, kind, count, dtype):
    memory = device.allocate(max(count * dtype.itemsize, 1), kind)
    return _wrap_memory(device, memory, count, dtype)


def _wrap_memory(device, memory, count, dtype):
    """Memory as a device array, and as the NumPy array that describes it."""
    window = Window(device, memory.address, (count,), None, f"|V{dtype.itemsize}", False, memory)
    array = window.array(dtype)
    return DeviceNDArray._create_over(device, array, memory), array
