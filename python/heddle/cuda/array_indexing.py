"""Indexing of device arrays: elements and views."""

import operator

import numpy as np

from heddle.cuda import transfers


class IndexedArray:
    """The indexing of a device array. A base class of DeviceNDArray, which owns the memory."""

    record_class = None  # set to DeviceRecord by its module

    def getitem(self, item, stream=0):
        """Returns ``self[item]`` in the order of ``stream``: an element as a NumPy scalar, or a view."""
        found = self._select_numpy_view(item)
        if found.ndim or _has_ellipsis(item):
            return self._wrap_numpy_view(found)
        if found.dtype.names is not None:
            return self.record_class._create_over_memory_of(
                self.device, found, self.owner, stream or self.stream
            )
        element = np.empty((), self._dtype)
        transfers.copy_to_host_memory(element, found, self.device, stream or self.stream)
        return element[()]

    def setitem(self, key, value, stream=0):
        """Assigns ``self[key] = value`` in the order of ``stream``, with NumPy's broadcasting and casting."""
        target = self._select_numpy_view(key)
        on_device = isinstance(value, IndexedArray)
        source = value._get_numpy_view() if on_device else np.asarray(value)
        while source.ndim > target.ndim and source.shape[0] == 1:
            source = source[0]
        try:
            source = np.broadcast_to(source, target.shape)
        except ValueError:
            raise ValueError(
                f"cannot assign an array of shape {source.shape} to one of shape {target.shape}"
            ) from None
        stream = stream or self.stream
        if on_device:
            transfers.copy_between_devices(target, self.device, source, value.device, stream)
        else:
            transfers.copy_to_device_memory(target, source, self.device, stream)

    def __getitem__(self, item):
        return self.getitem(item)

    def __setitem__(self, key, value):
        self.setitem(key, value)

    def _select_numpy_view(self, item):
        """The selected part of the array, as a NumPy array. Reads no element."""
        items = item if isinstance(item, tuple) else (item,)
        for part in items:
            if not is_basic_index_part(part):
                raise IndexError(
                    f"a device array takes integers, slices and ... as indices, not {type(part).__name__}: "
                    "use copy_to_host()[...] for NumPy's other indices"
                )
        return self._get_numpy_view()[items if _has_ellipsis(item) else (*items, Ellipsis)]

    def __len__(self):
        if not self.shape:
            raise TypeError("len() of a device array of rank 0")
        return self.shape[0]

    def __iter__(self):
        return (self[i] for i in range(len(self)))


def _has_ellipsis(item):
    return item is Ellipsis or (isinstance(item, tuple) and any(part is Ellipsis for part in item))


def is_basic_index_part(part):
    """True for an integer, a slice and an ellipsis."""
    if part is Ellipsis or isinstance(part, slice):
        return True
    if isinstance(part, (bool, np.bool_)):
        return False
    try:
        operator.index(part)
    except TypeError:
        return False
    return True
