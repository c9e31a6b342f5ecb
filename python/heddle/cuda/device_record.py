"""DeviceRecord: a record in device memory."""

from heddle.cuda.device_ndarray import DeviceNDArray


class DeviceRecord(DeviceNDArray):
    """A record in device memory: an element of a structured device array, or ``to_device`` of a record.

    Indexing with a field name returns a NumPy scalar, a DeviceRecord, or a view of an array field. Kernels may modify
    the record.
    """

    __heddle_record__ = True  # kernels see the record itself, not a zero-dimensional array

    def __init__(self, dtype, stream=0, gpu_data=None):
        """Creates a record over ``gpu_data``, or over new memory. dtype: a structured dtype."""
        super().__init__((), None, dtype, stream, gpu_data)

    def _select_field(self, name):
        if not isinstance(name, str):
            raise TypeError(f"a field of a record is selected by its name, not by {name!r}")
        return self._get_numpy_view()[name]

    def getitem(self, item, stream=0):
        """Returns the field of that name, in the order of ``stream``. Raises ValueError if there is none."""
        stream = stream or self.stream
        field = self._select_field(item)
        if field.ndim == 0 and field.dtype.names is not None:
            return DeviceRecord._create_over_memory_of(self.device, field, self.owner, stream)
        found = DeviceNDArray._create_over_memory_of(self.device, field, self.owner, stream)
        return found if field.ndim else found.getitem((), stream)

    def setitem(self, key, value, stream=0):
        """Assigns to the field of that name, in the order of ``stream``."""
        stream = stream or self.stream
        field = DeviceNDArray._create_over_memory_of(
            self.device, self._select_field(key), self.owner, stream
        )
        field.setitem(Ellipsis, value, stream)

    def __len__(self):
        return len(self.dtype.names)


DeviceNDArray.record_class = DeviceRecord
