"""Devices, with the interface of numba.cuda: the list of devices, the current one, its attributes and its context."""

import functools

from heddle import _heddle, config
from heddle.cuda import memory_managers
from heddle.cuda.contexts import Context
from heddle.cuda.native_devices import (
    current_native,
    find_native_device,
    native_devices,
    pop_native,
    push_native,
    reset_to_default_device,
    select_native,
)
from heddle.support.missing_names import find_nearest_name


class _Name(str):
    """A device name with ``decode()``, which programs call because old numba releases return bytes."""

    __slots__ = ()

    def decode(self, encoding="utf-8", errors="strict"):
        return str(self)


class Device:
    """A device, for example ``cuda.get_current_device()``.

    ``id`` is its index in ``cuda.all_devices()``, ``type`` is "cpu" or "cuda", and ``name``, ``uuid`` and
    ``compute_capability`` identify it. Each attribute of the CUDA driver (CU_DEVICE_ATTRIBUTE_...) is also an attribute
    of the object, under the same name. ``Device(0)`` is device 0; it raises CudaSupportError if there is none.

    >>> cuda.get_current_device().MAX_THREADS_PER_BLOCK
    1024
    """

    def __init__(self, devnum):
        native = devnum if isinstance(devnum, _heddle.Device) else find_native_device(devnum)
        self._native = native
        self.id = native.index
        self.name = _Name(native.name)
        self.uuid = native.uuid
        self.type = native.type
        self.compute_capability = tuple(native.compute_capability)
        self._context = Context(self)

    @property
    def __heddle_device__(self):
        return self._native

    @property
    def supports_float16(self):
        """True, because kernels can use float16 on every device."""
        return True

    @property
    def supports_bfloat16(self):
        """True, because kernels can use bfloat16 on every device."""
        return True

    def get_primary_context(self):
        """The device's context: its memory, streams and events."""
        return self._context

    def get_device_identity(self):
        """Identifies the device in every process of the machine. Handles for other processes contain it."""
        return self.uuid

    def _get_device_by_identity_or_self(self, identity):
        """The device with that identity, or this one if there is none."""
        return next((d for d in all_devices() if d.get_device_identity() == identity), self)

    def reset(self):
        """Waits for all work on the device. Memory is freed with the last array that uses it."""
        self._native.synchronize()
        memory_managers.reset_manager(self._context)

    def __getattr__(self, name):
        if name.startswith("_"):  # also prevents recursion in an object without _native
            raise AttributeError(name)
        value = self._native.attribute(name)
        if value is None:
            near = find_nearest_name(name.upper(), self._native.attribute_names())
            hint = f"; did you mean {near}?" if near else ""
            raise AttributeError(
                f"the CUDA driver has no device attribute {name!r}{hint}", name=name, obj=self
            )
        return value

    def __dir__(self):
        return [*super().__dir__(), *self._native.attribute_names()]

    def __eq__(self, other):
        return isinstance(other, Device) and self.id == other.id

    def __hash__(self):
        return hash(("heddle.Device", self.id))

    def __repr__(self):
        return f"<heddle device {self.id} '{self.name}'>"

    def __str__(self):
        return self.name

    def __reduce__(self):
        return _find_device, (self.id,)


class _DeviceInList(Device):
    """A device in ``cuda.gpus``. ``with cuda.gpus[0]:`` makes it current inside the block."""

    @property
    def _device(self):  # private in numba, but programs use it
        return self

    def __enter__(self):
        push_native(self._native)
        return self

    def __exit__(self, *error):
        pop_native()  # no effect if close() was called inside


class DeviceList:
    """The sequence of the GPUs of this machine, or of the CPU device if there is no GPU.

    Programs that distribute work over all entries therefore never mix the CPU with GPUs.

    >>> for gpu in cuda.gpus:
    ...     with gpu:
    ...         on_device = cuda.to_device(x)
    ...         kernel[4, 256](on_device)
    """

    @property
    def lst(self):
        return list(_list_gpus_or_cpu())

    @property
    def current(self):
        return current_device()

    def __len__(self):
        return len(_list_gpus_or_cpu())

    def __getitem__(self, index):
        return _list_gpus_or_cpu()[index]

    def __iter__(self):
        return iter(_list_gpus_or_cpu())

    def __str__(self):
        return ", ".join(str(device) for device in self)

    def __repr__(self):
        return f"<heddle devices: {self}>"


@functools.cache
def all_devices():
    """All devices of this machine: the GPUs in the driver's order, then the CPU. ``id`` is the index in this tuple.

    >>> [device.type for device in cuda.all_devices()]  # without a GPU
    ['cpu']
    """
    return tuple(_DeviceInList(native) for native in native_devices())


@functools.cache
def _list_gpus_or_cpu():
    gpus = tuple(device for device in all_devices() if device.type == "cuda")
    return gpus or all_devices()


def _find_device(which):
    """Returns the device for an index, "cpu", "cuda", "cuda:1", or a device."""
    return all_devices()[find_native_device(which).index]


def get_device_for_native(native):
    """The Device of a native device."""
    return all_devices()[native.index]


def current_device():
    """The current device of the calling thread: the last one selected, else the default.

    The default is the first GPU, or the CPU if there is none; $HEDDLE_DEVICE selects another. Raises ValueError if
    that names no device of this machine.
    """
    return get_device_for_native(current_native())


gpus = DeviceList()


def list_devices():
    """The GPUs of this machine, or the CPU device if there is no GPU. Same as ``cuda.gpus``.

    >>> len(cuda.list_devices())  # without a GPU
    1
    """
    return gpus


def get_current_device():
    """The current device of the calling thread.

    >>> cuda.get_current_device().type
    'cpu'
    """
    return current_device()


def select_device(device_id):
    """Makes a device the current one of the calling thread. Returns its context.

    device_id: the device's index, "cpu", "cuda" (the first GPU), "cuda:1", or the device itself.
    ``select_device("cpu")`` runs a program on the CPU of a machine with GPUs. Raises CudaSupportError, with the reason,
    if the machine lacks the device.

    >>> cuda.select_device("cpu")
    <heddle context of <heddle device ...>>
    """
    device = _find_device(device_id)
    select_native(device._native)
    return device.get_primary_context()


def current_context(devnum=None):
    """The context of device ``devnum``, or of the calling thread's current device.

    >>> cuda.current_context().get_memory_info()
    MemoryInfo(free=..., total=...)
    """
    return (current_device() if devnum is None else _find_device(devnum)).get_primary_context()


def close():
    """Waits for all devices and makes the default device current. Arrays and kernels stay usable.

    >>> cuda.close()
    """
    for native in native_devices():
        native.synchronize()
    reset_to_default_device()


get_context, reset = current_context, close  # the names in numba's cuda.devices


def synchronize():
    """Waits for all work on the current device.

    Raises the first kernel error that has not been raised yet.

    >>> on_device = cuda.to_device(x)
    >>> kernel[4, 256](on_device)
    >>> cuda.synchronize()
    """
    current_native().synchronize()


def require_context(function):
    """Decorates a function that uses the current device. Has no effect: a device is always ready.

    >>> @cuda.require_context
    ... def run(x):
    ...     kernel[4, 256](x)
    """

    @functools.wraps(function)
    def call_with_device(*args, **kwargs):
        current_device()
        return function(*args, **kwargs)

    return call_with_device


def is_available():
    """True if kernels can run. The CPU device always exists, so this is False only if DISABLE_CUDA is set, as in numba.

    >>> cuda.is_available()
    True
    """
    return not int(config.DISABLE_CUDA) and len(all_devices()) > 0


def cuda_error():
    """One sentence that explains why there is no GPU; None if there is one. Kernels then run on the CPU device.

    >>> cuda.cuda_error() is None  # without a GPU
    False
    """
    return _heddle.no_gpu_reason() or None


def is_supported_version():
    """True if the driver is recent enough for Heddle.

    >>> cuda.is_supported_version()
    True
    """
    return True


def is_float16_supported():
    """True, because kernels can use float16 on every device.

    >>> cuda.is_float16_supported()
    True
    """
    return True


def is_bfloat16_supported():
    """True, because kernels can use bfloat16 on every device. Older GPUs compute it in float32.

    >>> cuda.is_bfloat16_supported()
    True
    """
    return True


def detect():
    """Prints the devices of this machine. Returns True if kernels can run.

    >>> cuda.detect()
    Found 1 device that heddle can use
    id 0    ...    [SUPPORTED]
                             Device type: cpu
                      Compute Capability: ...
    ...
    True
    """
    devices = all_devices()
    print(f"Found {len(devices)} device{'s' if len(devices) != 1 else ''} that heddle can use")
    for device in devices:
        print(f"id {device.id}    {device.name:>36}    [SUPPORTED]")
        facts = {
            "Device type": device.type,
            "Compute Capability": "{}.{}".format(*device.compute_capability),
            "UUID": device.uuid,
            "Multiprocessors": device.MULTIPROCESSOR_COUNT,
            "Memory (MiB)": device.get_primary_context().get_memory_info().total >> 20,
        }
        for label, value in facts.items():
            print(f"{label:>40}: {value}")
    if cuda_error():
        print(f"No GPU: {cuda_error()}")
    print("Summary:")
    print(f"\t{len(devices)}/{len(devices)} devices are supported")
    return is_available()
