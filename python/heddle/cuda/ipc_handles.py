"""Handles by which another process of the same machine opens a piece of a device's memory."""

from heddle.cuda.memory import MemoryPointer
from heddle.types import as_dtype


class IpcHandle:
    """A piece of a device's memory as another process of this machine can open it.

    base: what to keep alive in this process. handle: the driver's 64 bytes. size: bytes of the allocation.
    source_info: which device. offset: bytes from the allocation's start to the piece. Can be pickled; the other
    process then calls ``open`` or ``open_array``, and ``close`` when it is done.
    """

    # The class of what open_array() returns: DeviceNDArray, whose file sets it. Arrays allocate memory, and memory has
    # handles, so that handles cannot import arrays.
    array_class = None

    def __init__(self, base, handle, size, source_info=None, offset=0):
        self.base = base
        self.handle = bytes(handle)
        self.size = size
        self.source_info = source_info
        self.offset = offset
        self._opened = None

    def open(self, context):
        """The memory in this process, as a MemoryPointer. The process that made the handle cannot open it."""
        if self.base is not None:
            raise ValueError("this process made the handle and has the memory already")
        if self._opened is not None:
            raise ValueError("the handle is open already: close() it first")
        device = context.device._with_identity(self.source_info)
        self._opened = device._native.import_memory(self.handle, self.size)
        return MemoryPointer(
            device.get_primary_context(),
            self._opened.address + self.offset,
            self.size - self.offset,
            owner=self._opened,
        )

    def open_array(self, context, shape, dtype, strides=None):
        """The memory in this process, as a device array."""
        return self.array_class(shape, strides, as_dtype(dtype), gpu_data=self.open(context))

    def close(self):
        """Release the memory. Arrays over it must not be used any more."""
        if self._opened is None:
            raise ValueError("the handle is not open")
        self._opened = None

    def __reduce__(self):
        return _ipc_handle_from, (self.handle, self.size, self.source_info, self.offset)


def _ipc_handle_from(handle, size, source_info, offset):
    return IpcHandle(None, handle, size, source_info, offset)


def exported(memory, base):
    """The IpcHandle of a piece of memory.

    base: the allocation that it is part of, a Buffer of the runtime or a MemoryPointer.
    """
    native = memory.device
    return IpcHandle(
        base,
        native.export_memory(base.address),
        base.nbytes,
        native.uuid,
        memory.address - base.address,
    )
