"""Handles that let another process on the same machine open device memory."""

from heddle.cuda.memory import MemoryPointer
from heddle.types import as_dtype


class IpcHandle:
    """A handle that lets another process on the same machine open device memory.

    base: kept alive in this process. handle: the driver's 64 bytes. size: bytes of the allocation. source_info:
    identifies the device. offset: bytes from the start of the allocation.

    Can be pickled. The other process calls ``open`` or ``open_array``, and later ``close``.

    >>> handle = cuda.current_context().get_ipc_handle(memory)
    >>> handle.open_array(cuda.current_context(), 100, np.float32)  # in another process
    """

    # The class that open_array() returns, DeviceNDArray. Its module sets it, because importing it here would be
    # circular: arrays allocate memory, and memory has handles.
    array_class = None

    def __init__(self, base, handle, size, source_info=None, offset=0):
        self.base = base
        self.handle = bytes(handle)
        self.size = size
        self.source_info = source_info
        self.offset = offset
        self._opened = None

    def open(self, context):
        """Opens the memory, as a MemoryPointer. Raises ValueError in the process that made the handle."""
        if self.base is not None:
            raise ValueError("this process made the handle and has the memory already")
        if self._opened is not None:
            raise ValueError("the handle is open already: close() it first")
        device = context.device._get_device_by_identity_or_self(self.source_info)
        self._opened = device._native.import_memory(self.handle, self.size)
        return MemoryPointer(
            device.get_primary_context(),
            self._opened.address + self.offset,
            self.size - self.offset,
            owner=self._opened,
        )

    def open_array(self, context, shape, dtype, strides=None):
        """Opens the memory as a device array."""
        return self.array_class(shape, strides, as_dtype(dtype), gpu_data=self.open(context))

    def close(self):
        """Releases the memory. Arrays over it must no longer be used."""
        if self._opened is None:
            raise ValueError("the handle is not open")
        self._opened = None

    def __reduce__(self):
        return _rebuild_handle, (self.handle, self.size, self.source_info, self.offset)


def _rebuild_handle(handle, size, source_info, offset):
    return IpcHandle(None, handle, size, source_info, offset)


def export_handle(memory, base):
    """Creates the IpcHandle of a piece of memory.

    base: the allocation that contains it, a native Buffer or a MemoryPointer.
    """
    native = memory.device
    return IpcHandle(
        base,
        native.export_memory(base.address),
        base.nbytes,
        native.uuid,
        memory.address - base.address,
    )
