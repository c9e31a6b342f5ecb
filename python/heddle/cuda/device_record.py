"""DeviceRecord: one record in a device's memory."""

from heddle.cuda.device_ndarray import DeviceNDArray


class DeviceRecord(DeviceNDArray):
    """One record in a device's memory: an element of a structured device array, or ``to_device`` of one.

    A string selects a field: a NumPy scalar, a DeviceRecord, or a view of a field that is an array. A kernel that
    takes it may change it.
    """

    __heddle_record__ = True  # a kernel sees the record itself, not an array of rank 0

    def __init__(self, dtype, stream=0, gpu_data=None):
        """A record over ``gpu_data``, or over new memory. dtype: a structured one."""
        super().__init__((), None, dtype, stream, gpu_data)

    def _field(self, name):
        if not isinstance(name, str):
            raise TypeError(f"a field of a record is selected by its name, not by {name!r}")
        return self._window()[name]

    def getitem(self, item, stream=0):
        """The field of that name, in the order of ``stream``. Raises ValueError for a name that the record lacks."""
        stream = stream or self.stream
        field = self._field(item)
        if field.ndim == 0 and field.dtype.names is not None:
            return DeviceRecord._over(self.device, field, self.owner, stream)
        found = DeviceNDArray._over(self.device, field, self.owner, stream)
        return found if field.ndim else found.getitem((), stream)

    def setitem(self, key, value, stream=0):
        """Assigns to the field of that name, in the order of ``stream``."""
        stream = stream or self.stream
        field = DeviceNDArray._over(self.device, self._field(key), self.owner, stream)
        field.setitem(Ellipsis, value, stream)

    def __len__(self):
        return len(self.dtype.names)


DeviceNDArray.record_class = DeviceRecord
