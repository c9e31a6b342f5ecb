"""The memory that a launch may access: copies in the recording process, new allocations in the replay.

Memory is saved by address range. Ranges that overlap are merged, so that views of the same memory remain aliases.
"""

import ctypes

import numpy as np

from heddle import _heddle
from heddle.cuda.native_devices import find_native_device

# Multiples of this many bytes are as aligned in the replay as in the recording process: memory of the CPU device, and
# of cuMemAlloc, starts at one.
_alignment = 256


class MemoryToSave:
    """The address ranges that a record needs."""

    def __init__(self):
        self._ranges = []  # (first, end, whether the host can read it)

    def add(self, first, end, on_host):
        """Adds the bytes from ``first`` to before ``end``."""
        if first < end:
            self._ranges.append((first, end, on_host))

    def merge(self):
        """The ranges in the order of addresses, with those merged that overlap."""
        merged = []
        for first, end, on_host in sorted(self._ranges):
            if merged and first < merged[-1][1]:
                known_first, known_end, known_on_host = merged[-1]
                merged[-1] = known_first, max(known_end, end), known_on_host or on_host
            else:
                merged.append((first, end, on_host))
        return merged

    def save(self, device):
        """Copies the ranges to the host. Returns pairs of an address and a NumPy array of bytes.

        Raises MemoryError before it copies if the host has too little memory.
        """
        ranges = self.merge()
        needed = sum(end - first for first, end, _ in ranges)
        free, _ = find_native_device("cpu").memory_info()
        if needed > free:
            raise MemoryError(
                f"the launch may access {needed} bytes, and the host has {free} bytes of free memory"
            )
        return [(first, _copy(device, first, end, on_host)) for first, end, on_host in ranges]


def _copy(device, first, end, on_host):
    copied = np.empty(end - first, np.uint8)
    address = copied.ctypes.data
    if on_host:
        ctypes.memmove(address, first, copied.nbytes)
    else:
        device.default_stream.download(address, first, copied.nbytes)
    return copied


class Allocation:
    """The memory in the replay that stands for an allocation of the recorded program."""

    def __init__(self, address, size, owner):
        self.ptr = address  # kernels find the bounds of pointers by these names
        self.size = size
        self.owner = owner


class RestoredMemory:
    """Memory of the CPU device with the contents of saved ranges."""

    def __init__(self):
        self._ranges = []  # (first, end, new address of the first byte, buffer)

    def restore(self, first, size, read_into):
        """Allocates memory for the range at the recorded address ``first``.

        read_into: a function that fills a memoryview of the new bytes.
        """
        cpu = find_native_device("cpu")
        shift = first % _alignment
        # Not "device", whose values count as undefined until something is written: a record does not tell which are.
        buffer = cpu.allocate(size + shift, "managed")
        address = buffer.address + shift
        read_into(memoryview((ctypes.c_char * size).from_address(address)).cast("B"))
        self._ranges.append((first, first + size, address, buffer))

    def find(self, address):
        """The new address for a recorded one, and the buffer that contains it. Raises LookupError."""
        # The end of a range may be the start of the next one.
        for first, end, new_first, buffer in reversed(self._ranges):
            if first <= address <= end:
                return new_first + (address - first), buffer
        raise LookupError(f"the record has no memory at {address:#x}")

    def find_allocation(self, first, end):
        """The Allocation for the recorded bytes from ``first`` to before ``end``."""
        address, buffer = self.find(first)
        return Allocation(address, end - first, buffer)


def find_allocation(device, value, first, end):
    """The allocation, as (first byte, end), around the elements or the pointer of a value on a GPU.

    Elements are in the bytes from ``first`` to before ``end``. Raises LookupError if there is no memory.
    """
    found = _heddle.find_allocation(value, first, end) or device.allocation_at(first)
    if found is None:
        raise LookupError(f"its address {first:#x} is in no memory of {device.name}")
    return min(found[0], first), max(found[1], end)
