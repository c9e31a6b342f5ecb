"""Device arrays shared between processes of one machine, through handles."""

import contextlib

from heddle.cuda import memory_managers
from heddle.cuda.devices import current_context
from heddle.cuda.ipc_handles import IpcHandle
from heddle.errors import CudaSupportError
from heddle.support.byte_span import byte_span


class IpcArrayHandle:
    """A handle that lets another process open a device array. Can be pickled and sent.

    >>> with handle as array:
    ...     kernel[1, 64](array)
    """

    def __init__(self, ipc_handle, array_desc):
        self._ipc_handle = ipc_handle
        self._array_desc = array_desc

    def open(self):
        """Opens the array. Raises ValueError in the process that made the handle, or if it is already open."""
        return self._ipc_handle.open_array(current_context(), **self._array_desc)

    def close(self):
        """Releases the memory. Arrays over it must no longer be used."""
        self._ipc_handle.close()

    def __enter__(self):
        return self.open()

    def __exit__(self, *error):
        self.close()

    def __repr__(self):
        return "<heddle handle of an array of shape {shape}, {dtype}>".format(**self._array_desc)


def make_ipc_array_handle(array):
    """Creates the handle of a device array. Raises CudaSupportError if the array cannot be shared."""
    memory = array.gpu_data
    if memory is None:
        raise CudaSupportError(
            "only memory that heddle allocated can be shared with other processes: copy the array first"
        )
    low, _ = byte_span(array.shape, array.strides, array.itemsize)
    if low < 0:
        raise CudaSupportError(
            "an array with negative strides cannot be shared with other processes: copy it first"
        )
    handle = memory_managers.make_ipc_handle(memory.view(array.address - memory.address))
    description = {"shape": array.shape, "dtype": array.dtype, "strides": array.strides}
    return IpcArrayHandle(handle, description)


@contextlib.contextmanager
def open_foreign_array(handle, shape, strides, dtype, offset):
    """Context manager: a device array over memory of another process."""
    context = current_context()
    if not isinstance(handle, IpcHandle):
        _, reach = byte_span(shape, strides, dtype.itemsize)
        identity = context.device.get_device_identity()
        handle = IpcHandle(None, handle, offset + reach, identity, offset)
    array = handle.open_array(context, shape, dtype, strides)
    try:
        yield array
    finally:
        array.device.synchronize()
        handle.close()
