"""Memory that reductions keep from call to call: partial results for each stream, a result for each host thread."""

import threading
import weakref

import numpy as np

from heddle.cuda.device_ndarray import DeviceNDArray
from heddle.cuda.host_memory import Window

most_blocks = 4096


class Workspace:
    """Where the blocks of a launch leave partial results, and the ticket by which the last of them is known.

    Work in one stream happens in order: its launches share one workspace.
    """

    def __init__(self, stream):
        self._device = stream.device
        self.ticket, _ = _array(self._device, "device", 1, np.dtype(np.int64))
        stream.fill(self.ticket.address, 0, 8, self.ticket.owner)
        self._partials = {}

    def partials(self, dtype, purpose="values"):
        """A device array of ``most_blocks`` elements, another one for each purpose."""
        key = dtype, purpose
        if key not in self._partials:
            self._partials[key], _ = _array(self._device, "device", most_blocks, dtype)
        return self._partials[key]


_workspaces = weakref.WeakKeyDictionary()  # of the runtime's streams
_default_streams = {}  # by device; what keeps their workspaces
_results = threading.local()


def workspace_of(stream):
    """The Workspace of one of the runtime's streams."""
    found = _workspaces.get(stream)
    if found is None:
        found = _workspaces[stream] = Workspace(stream)
        if stream is stream.device.default_stream:
            _default_streams[stream.device.index] = stream
    return found


def result_of_thread(device, dtype):
    """One element that ``device`` and the calling thread reach: as a device array and as a NumPy array."""
    results = _results.__dict__
    key = device.index, dtype
    if key not in results:
        results[key] = _array(device, "mapped", 1, dtype)
    return results[key]


def _array(device, kind, count, dtype):
    memory = device.allocate(max(count * dtype.itemsize, 1), kind)
    window = Window(device, memory.address, (count,), None, f"|V{dtype.itemsize}", False, memory)
    array = window.array(dtype)
    return DeviceNDArray._over(device, array, memory), array
