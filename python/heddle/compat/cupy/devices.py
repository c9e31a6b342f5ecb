"""cupy.cuda.Device: devices of the type of the default one, numbered from 0."""

import contextlib

from heddle.compat.cupy.cuda_errors import CUDARuntimeError
from heddle.cuda import devices


def offered():
    """The devices that a program sees: the GPUs, or the CPU device alone where that is the default."""
    kind = devices.current_device().type
    return [device for device in devices.all_devices() if device.type == kind]


class Device:
    """A device by its number; the current one when None. ``with`` and ``use()`` make it the current one."""

    def __init__(self, device=None):
        known = offered()
        if device is None:
            device = known.index(devices.current_device())
        number = int(device)
        if not 0 <= number < len(known):
            raise _no_device(number, len(known))
        self.id = number
        self._device = known[number]
        self._entered = []

    @classmethod
    def of(cls, native):
        """The Device of one of the runtime's devices."""
        return cls([device.id for device in offered()].index(native.index))

    @property
    def native(self):
        return self._device._native

    @property
    def compute_capability(self):
        """Both digits as one string: "90"."""
        return "".join(map(str, self._device.compute_capability))

    @property
    def attributes(self):
        """CUDA's attributes by the names of the runtime's enumeration: MultiProcessorCount, WarpSize and so on."""
        names = self.native.attribute_names()
        return {_camel(name): self.native.attribute(name) for name in names}

    @property
    def mem_info(self):
        """Free and total memory in bytes."""
        return tuple(self._device.get_primary_context().get_memory_info())

    @property
    def pci_bus_id(self):
        """Where it is plugged in: "0000:65:00.0"; zeros for the CPU device."""
        numbers = (self.native.attribute(f"PCI_{part}_ID") for part in ("DOMAIN", "BUS", "DEVICE"))
        return "{:04X}:{:02X}:{:02X}.0".format(*numbers)

    @property
    def name(self):
        return str(self._device.name)

    def use(self):
        devices.select_device(self._device)
        return self

    def synchronize(self):
        self.native.synchronize()

    def __enter__(self):
        entered = contextlib.ExitStack()
        entered.enter_context(self._device)
        self._entered.append(entered)
        return self

    def __exit__(self, *error):
        self._entered.pop().close()

    def __int__(self):
        return self.id

    __index__ = __int__

    def __eq__(self, other):
        return isinstance(other, (Device, int)) and self.id == int(other)

    def __hash__(self):
        return hash(self.id)

    def __repr__(self):
        return f"<CUDA Device {self.id}>"


def _no_device(number, count):
    return CUDARuntimeError(
        f"cudaErrorInvalidDevice: there is no device {number}, they are numbered 0 to {count - 1}"
    )


def _camel(name):
    words = "".join(part.capitalize() for part in name.split("_"))
    return words.replace("Multiprocessor", "MultiProcessor")
