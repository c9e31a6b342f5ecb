"""cupy.cuda.device: devices of the same type as the default one, numbered from 0."""

import functools

from heddle.compat.cupy.cuda_errors import CUDARuntimeError
from heddle.cuda import devices
from heddle.cuda.native_devices import current_native, pop_native, push_native
from heddle.support.missing_names import make_missing_name_error

__all__ = ["Device", "from_pointer", "get_compute_capability", "get_device_id"]


def list_devices():
    """The devices a program sees: all GPUs, or only the CPU device if that is the default."""
    kind = current_native().type
    return [device for device in devices.all_devices() if device.type == kind]


def get_device_number(native):
    """The program's number for a runtime device: a GPU's index, or 0 for the CPU device."""
    return native.index if native.type == "cuda" else 0


def get_native_device(number):
    """The runtime device with that number; negative numbers, which CuPy uses for "any", give the current one."""
    return current_native() if number < 0 else _find_device(number)._native


def _find_device(number):
    known = list_devices()
    if not 0 <= number < len(known):
        raise CUDARuntimeError(
            101, f"there is no device {number}, they are numbered 0 to {len(known) - 1}"
        )
    return known[number]


@functools.total_ordering
class Device:
    """The device with that number; None means the current one. ``with`` and ``use()`` make it the current device.

    A number without a device raises CUDARuntimeError on first use, not here.
    """

    def __init__(self, device=None):
        self.id = get_device_number(current_native()) if device is None else int(device)

    @classmethod
    def from_native(cls, native):
        """The Device for a runtime device."""
        return cls(get_device_number(native))

    @classmethod
    def from_pci_bus_id(cls, pci_bus_id):
        """The device at a PCI address such as "0000:65:00.0". Raises CUDARuntimeError if there is none."""
        for number in range(len(list_devices())):
            if cls(number).pci_bus_id.lower() == pci_bus_id.lower():
                return cls(number)
        well_formed = len(pci_bus_id.replace(".", ":").split(":")) == 4
        raise CUDARuntimeError(101 if well_formed else 1, repr(pci_bus_id))

    @property
    def _device(self):
        return _find_device(self.id)

    @property
    def native(self):
        return self._device._native

    @property
    def compute_capability(self):
        """The digits of the compute capability as one string: "90"."""
        return "".join(map(str, self._device.compute_capability))

    @property
    def attributes(self):
        """CUDA's device attributes under the runtime's names, such as MultiProcessorCount and WarpSize: a dict."""
        names = self.native.attribute_names()
        return {to_camel_case(name): self.native.attribute(name) for name in names}

    @property
    def mem_info(self):
        """(free, total) device memory in bytes."""
        return tuple(self._device.get_primary_context().get_memory_info())

    @property
    def pci_bus_id(self):
        """The PCI address, such as "0000:65:00.0"; zeros for the CPU device."""
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
    return get_device_number(current_native())


def get_compute_capability():
    """The digits of the current device's compute capability as one string: "90"."""
    return Device().compute_capability


def from_pointer(ptr):
    """The device that owns the memory at ``ptr``, which is assumed to be the current device."""
    return Device()


_IRREGULAR_NAMES = {
    "MAX_BLOCKS_PER_MULTIPROCESSOR": "MaxBlocksPerMultiprocessor",
    "MAX_REGISTERS_PER_MULTIPROCESSOR": "MaxRegistersPerMultiprocessor",
    "MAX_SHARED_MEMORY_PER_MULTIPROCESSOR": "MaxSharedMemoryPerMultiprocessor",
    "MULTI_GPU_BOARD": "IsMultiGpuBoard",
    "MULTI_GPU_BOARD_GROUP_ID": "MultiGpuBoardGroupID",
    "READ_ONLY_HOST_REGISTER_SUPPORTED": "HostRegisterReadOnlySupported",
    "TIMELINE_SEMAPHORE_INTEROP_SUPPORTED": "MaxTimelineSemaphoreInteropSupported",
    "MEMPOOL_SUPPORTED_HANDLE_TYPES": "MemoryPoolSupportedHandleTypes",
}
_IRREGULAR_WORDS = (
    ("Multiprocessor", "MultiProcessor"),
    ("Maximum", "Max"),
    ("1d", "1D"),
    ("2d", "2D"),
    ("3d", "3D"),
    ("cubemap", "Cubemap"),
    ("Alternate", "Alt"),
    ("GpuDirectRdma", "GPUDirectRDMA"),
)


def to_camel_case(name):
    """The runtime's name for a driver attribute: MultiProcessorCount for MULTIPROCESSOR_COUNT."""
    if name in _IRREGULAR_NAMES:
        return _IRREGULAR_NAMES[name]
    words = "".join(part.capitalize() for part in name.split("_"))
    for drivers, runtimes in _IRREGULAR_WORDS:
        words = words.replace(drivers, runtimes)
    return words


def __getattr__(name):
    raise make_missing_name_error("heddle.cupy.cuda.device", name)
