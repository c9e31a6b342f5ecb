"""What other libraries see of a device array: NumPy's protocol, the CUDA array interface, DLPack."""

import numpy as np

from heddle import _heddle
from heddle._heddle import DeviceArrayBase
from heddle.cuda.host_memory import exported_window
from heddle.cuda.native_devices import refuse_to_share_with_gpus
from heddle.cuda.streams import Stream, native_stream, number_for_others


class ExchangedArray(DeviceArrayBase):
    """An array in a device's memory, as other libraries take it. DeviceNDArray derives from it."""

    def __array__(self, dtype=None, copy=None):
        if not self.device.uses_host_memory:
            if copy is False:
                raise ValueError("an array in a GPU's memory can only be read as a copy")
            values = self.copy_to_host()
            return values if dtype is None else values.astype(dtype, copy=False)
        self.raise_dropped_error()  # NumPy has asked for the buffer before
        self.device.synchronize()
        if copy is False:
            return np.asarray(exported_window(self), dtype=dtype)
        return np.array(self._window(), dtype=dtype)

    @property
    def __cuda_array_interface__(self):
        if self.device.type != "cuda":
            refuse_to_share_with_gpus()
        return {
            "version": 3,
            "data": (self.address if self.size else 0, self.readonly),
            "shape": self.shape,
            "strides": None if self.is_c_contiguous() else self.strides,
            "typestr": self.typestr,
            "descr": self._dtype.descr,
            "stream": self._stream_of_values(),
        }

    def _stream_of_values(self):
        """The stream that what is in the array waits for, by the number that the array interface has for it."""
        if self.stream:
            return number_for_others(self.stream, self.device)
        return 1  # the legacy default stream, as 0 means nothing

    @property
    def _numba_type_(self):
        """The type that a kernel sees."""
        return _heddle.typeof(self)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        """The array as a DLPack capsule, for ``from_dlpack`` of other libraries.

        stream: on a GPU, the stream that the consumer works on: None and 1 are the legacy default stream, 2 is the
        per-thread one, -1 asks for no order; others are handles. It waits for what this array's stream has been given.
        """
        if self.device.uses_host_memory:
            if stream not in (None, -1):
                raise BufferError("an array in the CPU device's memory has no stream")
            self.device.synchronize()
            return exported_window(self).__dlpack__(
                **_without_none(max_version=max_version, dl_device=dl_device, copy=copy)
            )
        if dl_device is not None and tuple(dl_device) != self.__dlpack_device__():
            if tuple(dl_device) != (1, 0) or copy is False:
                raise BufferError(
                    f"the array is on {self.device.name}: it can be copied to the host only"
                )
            return self.copy_to_host().__dlpack__(**_without_none(max_version=max_version))
        array = self._copied() if copy else self
        self._order_before(stream)
        versioned = max_version is not None and max_version[0] >= 1
        return _heddle.dlpack_capsule(array, versioned, bool(copy))

    def __dlpack_device__(self):
        return (1, 0) if self.device.uses_host_memory else (2, self.device.index)  # kDLCPU, kDLCUDA

    def _order_before(self, consumer):
        """Makes another library's stream wait for what the array's own stream has been given so far."""
        if consumer == -1:
            return
        if consumer == 0:
            raise ValueError(
                "DLPack's stream 0 is ambiguous: pass 1 for the default stream, 2 for the thread's"
            )
        producer = native_stream(self.stream, self.device)
        waiting = native_stream(1 if consumer is None else consumer, self.device)
        if Stream.of(producer) != Stream.of(waiting):
            event = self.device.create_event(False)
            producer.record(event)
            waiting.wait(event)

    @property
    def __cuda_memory__(self):
        return True


def _without_none(**options):
    """The options that are not None: older consumers and producers do not know the others."""
    return {name: value for name, value in options.items() if value is not None}
