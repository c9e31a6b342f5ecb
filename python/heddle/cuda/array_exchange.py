"""Shares device arrays with other libraries: NumPy's protocol, the CUDA array interface, DLPack."""

import numpy as np

from heddle import _heddle
from heddle._heddle import DeviceArrayBase
from heddle.cuda.host_memory import export_as_numpy_array
from heddle.cuda.native_devices import refuse_sharing_if_has_gpu
from heddle.cuda.streams import Stream, get_interface_stream_number, to_native_stream


def make_cuda_array_interface(array, stream):
    """The value of ``array.__cuda_array_interface__``, version 3. stream: the number of the stream that produces the
    array's values."""
    return {
        "version": 3,
        "data": (array.address if array.size else 0, array.readonly),
        "shape": array.shape,
        "strides": None if array.is_c_contiguous() else array.strides,
        "typestr": array.typestr,
        "descr": array._dtype.descr,
        "stream": stream,
    }


class ExchangedArray(DeviceArrayBase):
    """The sharing protocols of a device array. A base class of DeviceNDArray."""

    def __array__(self, dtype=None, copy=None):
        if not self.device.uses_host_memory:
            if copy is False:
                raise ValueError("an array in a GPU's memory can only be read as a copy")
            values = self.copy_to_host()
            return values if dtype is None else values.astype(dtype, copy=False)
        self.raise_dropped_error()  # of the buffer protocol, which NumPy tries first
        self.device.synchronize()
        if copy is False:
            return np.asarray(export_as_numpy_array(self), dtype=dtype)
        return np.array(self._get_numpy_view(), dtype=dtype)

    @property
    def __cuda_array_interface__(self):
        if self.device.type != "cuda":
            refuse_sharing_if_has_gpu()
        return make_cuda_array_interface(self, self._get_interface_stream_number())

    def _get_interface_stream_number(self):
        """The number, in the CUDA array interface, of the stream that produces the array's values."""
        if self.stream:
            return get_interface_stream_number(self.stream, self.device)
        return 1  # the legacy default stream; the interface does not allow 0

    @property
    def _numba_type_(self):
        """The type of the array in a kernel."""
        return _heddle.typeof(self)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        """The array as a DLPack capsule, for ``from_dlpack`` of other libraries.

        stream: the consumer's stream, on a GPU. None and 1 are the legacy default stream, 2 the per-thread default
        stream; -1 requests no synchronization; other values are handles. That stream waits for the work enqueued on
        this array's stream. Raises BufferError for a stream of the CPU device, or an unreachable dl_device.
        """
        if self.device.uses_host_memory:
            if stream not in (None, -1):
                raise BufferError("an array in the CPU device's memory has no stream")
            self.device.synchronize()
            return export_as_numpy_array(self).__dlpack__(
                **_drop_none_options(max_version=max_version, dl_device=dl_device, copy=copy)
            )
        if dl_device is not None and tuple(dl_device) != self.__dlpack_device__():
            if tuple(dl_device) != (1, 0) or copy is False:
                raise BufferError(
                    f"the array is on {self.device.name}: it can only be copied to the host"
                )
            return self.copy_to_host().__dlpack__(**_drop_none_options(max_version=max_version))
        array = self._copy_to_new_array() if copy else self
        self._make_consumer_wait(stream)
        versioned = max_version is not None and max_version[0] >= 1
        return _heddle.dlpack_capsule(array, versioned, bool(copy))

    def __dlpack_device__(self):
        return (1, 0) if self.device.uses_host_memory else (2, self.device.index)  # kDLCPU, kDLCUDA

    def _make_consumer_wait(self, consumer):
        """Makes another library's stream wait for the work enqueued on the array's stream."""
        if consumer == -1:
            return
        if consumer == 0:
            raise ValueError(
                "DLPack's stream 0 is ambiguous: pass 1 for the default stream, 2 for the per-thread one"
            )
        producer = to_native_stream(self.stream, self.device)
        waiting = to_native_stream(1 if consumer is None else consumer, self.device)
        if Stream._wrap_native(producer) != Stream._wrap_native(waiting):
            event = self.device.create_event(False)
            producer.record(event)
            waiting.wait(event)

    @property
    def __cuda_memory__(self):
        return True


def _drop_none_options(**options):
    """Drops options that are None, because older consumers and producers do not know them."""
    return {name: value for name, value in options.items() if value is not None}
