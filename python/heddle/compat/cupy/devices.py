"""cupy.cuda.device: devices of the type of the default one, numbered from 0."""

import functools

from heddle.compat.cupy.cuda_errors import CUDARuntimeError
from heddle.cuda import devices
from heddle.cuda.native_devices import current_native, pop_native, push_native
from heddle.missing_names import missing_name

__all__ = ["Device", "from_pointer", "get_compute_capability", "get_device_id"]


def offered():
    """The devices that a program sees: the GPUs, or the CPU device alone where that is the default."""
    kind = current_native().type
    return [device for device in devices.all_devices() if device.type == kind]


def number_of(native):
    """What a program calls one of the runtime's devices: GPUs by their place in it, the CPU device 0."""
    return native.index if native.type == "cuda" else 0


def native_of(number):
    """The runtime's device of that number; the current one for a negative number, which is CuPy's "any"."""
    return current_native() if number < 0 else _offered(number)._native


def _offered(number):
    known = offered()
    if not 0 <= number < len(known):
        raise CUDARuntimeError(
            101, f"there is no device {number}, they are numbered 0 to {len(known) - 1}"
        )
    return known[number]


@functools.total_ordering
class Device:
    """A device by its number; the current one when None. ``with`` and ``use()`` make it the current one.

    A number that no device has is refused where the device is used.
    """

    def __init__(self, device=None):
        self.id = number_of(current_native()) if device is None else int(device)

    @classmethod
    def of(cls, native):
        """The Device of one of the runtime's devices."""
        return cls(number_of(native))

    @classmethod
    def from_pci_bus_id(cls, pci_bus_id):
        """The device that is plugged in there: "0000:65:00.0"."""
        for number in range(len(offered())):
            if cls(number).pci_bus_id.lower() == pci_bus_id.lower():
                return cls(number)
        well_formed = len(pci_bus_id.replace(".", ":").split(":")) == 4
        raise CUDARuntimeError(101 if well_formed else 1, repr(pci_bus_id))

    @property
    def _device(self):
        return _offered(self.id)

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
        return {camel_case(name): self.native.attribute(name) for name in names}

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
        push_native(self.native)
        return self

    def __exit__(self, *error):
        pop_native()

    def __int__(self):
        return self.id

    __index__ = __int__

    def __eq__(self, other):
        return self.id == other.id if isinstance(other, Device) else NotImplemented

    def __lt__(self, other):
        return self.id < other.id if isinstance(other, Device) else NotImplemented

    def __hash__(self):
        return hash(self.id)

    def __repr__(self):
        return f"<CUDA Device {self.id}>"


def get_device_id():
    """The number of the current device."""
    return number_of(current_native())


def get_compute_capability():
    """Both digits of the current device's compute capability as one string: "90"."""
    return Device().compute_capability


def from_pointer(ptr):
    """The device whose memory an address is in. Heddle knows this of the current device's memory only."""
    return Device()


def camel_case(name):
    """The runtime's name of a driver's attribute: MultiProcessorCount for MULTIPROCESSOR_COUNT."""
    words = "".join(part.capitalize() for part in name.split("_"))
    return words.replace("Multiprocessor", "MultiProcessor")


def __getattr__(name):
    raise missing_name("heddle.cupy.cuda.device", name)
