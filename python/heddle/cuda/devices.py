"""Devices as numba.cuda shows them: the list of them, the current one, its attributes, its context."""

import functools

from heddle import _heddle, config
from heddle.cuda import memory_managers
from heddle.cuda.contexts import Context
from heddle.cuda.native_devices import (
    current_native,
    native_device,
    native_devices,
    pop_native,
    push_native,
    select_default,
    select_native,
)
from heddle.missing_names import nearest_name


class _Name(str):
    """The name of a device, for programs written for releases of numba where it was bytes, too."""

    __slots__ = ()

    def decode(self, encoding="utf-8", errors="strict"):
        return str(self)


class Device:
    """A device. Every attribute of the CUDA driver (CU_DEVICE_ATTRIBUTE_...) is an attribute of the same name.

    >>> cuda.get_current_device().MULTIPROCESSOR_COUNT
    """

    def __init__(self, native):
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
        return True

    @property
    def supports_bfloat16(self):
        return True

    def get_primary_context(self):
        return self._context

    def get_device_identity(self):
        """Identifies the device in every process of the machine; handles for other processes contain it."""
        return self.uuid

    def _with_identity(self, identity):
        """The device with that identity; this one when there is none."""
        return next((d for d in all_devices() if d.get_device_identity() == identity), self)

    def reset(self):
        """Wait for everything that runs on the device. Its memory is freed with the last array that uses it."""
        self._native.synchronize()
        memory_managers.reset(self._context)

    def __getattr__(self, name):
        if name.startswith("_"):  # also keeps an object without a native device from recursing
            raise AttributeError(name)
        value = self._native.attribute(name)
        if value is None:
            near = nearest_name(name.upper(), self._native.attribute_names())
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
        return _device, (self.id,)


class _DeviceInList(Device):
    """A device out of ``cuda.gpus``: ``with cuda.gpus[0]:`` makes it the current one inside."""

    @property
    def _device(self):  # programs take the name from it, though numba means it for itself
        return self

    def __enter__(self):
        push_native(self._native)
        return self

    def __exit__(self, *error):
        pop_native()  # unless a close() inside has ended it already


class DeviceList:
    """The GPUs of this machine; where there is none, the CPU device. A sequence.

    A program that spreads its work over all of them thus never gives the CPU a share beside GPUs.
    """

    @property
    def lst(self):
        return list(_gpus_or_cpu())

    @property
    def current(self):
        return current_device()

    def __len__(self):
        return len(_gpus_or_cpu())

    def __getitem__(self, index):
        return _gpus_or_cpu()[index]

    def __iter__(self):
        return iter(_gpus_or_cpu())

    def __str__(self):
        return ", ".join(str(device) for device in self)

    def __repr__(self):
        return f"<heddle devices: {self}>"


@functools.cache
def all_devices():
    """Every device of this machine: GPUs as the driver numbers them, then the CPU. A device's ``id`` is its place."""
    return tuple(_DeviceInList(native) for native in native_devices())


@functools.cache
def _gpus_or_cpu():
    gpus = tuple(device for device in all_devices() if device.type == "cuda")
    return gpus or all_devices()


def _device(which):
    """The device that a user names: by number, as "cpu", "cuda" or "cuda:1", or by itself."""
    return all_devices()[native_device(which).index]


def device_of(native):
    """The Device of one of the runtime's devices."""
    return all_devices()[native.index]


def current_device():
    """The device that this thread works on: the one selected last, else the default one.

    The default is the first GPU, or the CPU where there is none; $HEDDLE_DEVICE names another. Raises ValueError when
    that is no device of this machine.
    """
    return device_of(current_native())


gpus = DeviceList()


def list_devices():
    """The GPUs of this machine, or the CPU device where there is none, as ``cuda.gpus``."""
    return gpus


def get_current_device():
    """The device that this thread works on."""
    return current_device()


def select_device(device_id):
    """Make a device the current one of this thread. Returns its context.

    device_id: its number; or "cpu", "cuda" (the first GPU), "cuda:1"; or the device itself. ``select_device("cpu")``
    is how a program runs on the CPU of a machine with GPUs.
    Raises CudaSupportError when there is no such device, with the reason.
    """
    device = _device(device_id)
    select_native(device._native)
    return device.get_primary_context()


def current_context(devnum=None):
    """The context of device ``devnum``, or of this thread's current device."""
    return (current_device() if devnum is None else _device(devnum)).get_primary_context()


def close():
    """Wait for the devices and make the default one current again. Arrays and kernels stay usable."""
    for native in native_devices():
        native.synchronize()
    select_default()


get_context, reset = current_context, close  # numba's names in cuda.devices


def synchronize():
    """Wait for everything that runs on the current device.

    Raises the first error of a kernel that nobody has seen yet.
    """
    current_native().synchronize()


def require_context(function):
    """Decorator for functions that use the current device; a device is always ready, so it changes nothing."""

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        current_device()
        return function(*args, **kwargs)

    return wrapper


def is_available():
    """Whether kernels can run. The CPU device is always there; the setting DISABLE_CUDA says no, as in numba."""
    return not int(config.DISABLE_CUDA) and len(all_devices()) > 0


def cuda_error():
    """Why there is no GPU, one sentence; None when there is one. Kernels run on the CPU device either way."""
    return _heddle.no_gpu_reason() or None


def is_supported_version():
    """Whether the driver is recent enough for heddle."""
    return True


def is_float16_supported():
    """Whether kernels may use float16: on every device."""
    return True


def is_bfloat16_supported():
    """Whether kernels may use bfloat16: on every device, older GPUs compute it in float32."""
    return True


def detect():
    """Print what devices there are. Returns whether there is one that kernels run on."""
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
