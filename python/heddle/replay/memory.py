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

# Words in memory count as addresses if an allocation of the GPU is there. Candidates are words near known memory.
_distance_of_memory = 2**38
_least_address = 2**16
_most_queries = 2**16


class MemoryToSave:
    """The address ranges that a record needs.

    uses_pointers: the kernel may load addresses from memory and from structures. The allocations to which these point
    are then also saved.
    """

    def __init__(self, uses_pointers):
        self.uses_pointers = uses_pointers
        self._ranges = []  # (first, end, whether the host can read it)
        self._values = []  # arrays of bytes that may contain addresses

    def add_range(self, first, end, on_host):
        """Adds the bytes from ``first`` to before ``end``."""
        if first < end:
            self._ranges.append((first, end, on_host))

    def add_pointer_values(self, structure):
        """Adds the memory to which addresses in a NumPy scalar or array point."""
        self._values.append(np.frombuffer(structure.tobytes(), np.uint8))

    def merge_ranges(self):
        """The ranges in the order of addresses, with overlapping ranges merged."""
        merged = []
        for first, end, on_host in sorted(self._ranges):
            if merged and first < merged[-1][1]:
                known_first, known_end, known_on_host = merged[-1]
                merged[-1] = known_first, max(known_end, end), known_on_host or on_host
            else:
                merged.append((first, end, on_host))
        return merged

    def copy_ranges_to_host(self, device):
        """Copies the ranges to the host. Returns pairs of an address and a NumPy array of bytes.

        Raises MemoryError before it copies if the host has too little memory.
        """
        if self.uses_pointers:
            for values in self._values:
                self._add_pointed_to_allocations(device, _view_aligned_words(0, values))
        saved = {}
        while True:
            ranges = self.merge_ranges()
            copied = sum(values.nbytes for values in saved.values())
            _require_free_host_memory(sum(end - first for first, end, _ in ranges), copied)
            added = [a_range for a_range in ranges if a_range not in saved]
            for a_range in added:
                saved[a_range] = _copy_to_host(device, *a_range)
                if self.uses_pointers:
                    self._add_pointed_to_allocations(
                        device, _view_aligned_words(a_range[0], saved[a_range])
                    )
            if not added:
                return [(a_range[0], saved[a_range]) for a_range in ranges]

    def _add_pointed_to_allocations(self, device, words):
        """Adds the allocations that contain the addresses in saved memory: words that look like GPU addresses."""
        known = [(first, end) for first, end, on_host in self._ranges if not on_host]
        low = max(
            min((first for first, _ in known), default=0) - _distance_of_memory, _least_address
        )
        high = max((end for _, end in known), default=2**64 - 1 - _distance_of_memory)
        done = 0  # end of the last allocation found
        queries = 0
        for address in _select_distinct_words_in_range(words, low, high + _distance_of_memory):
            if address < done or any(first <= address < end for first, end in known):
                continue
            if queries == _most_queries:
                break
            queries += 1
            if found := device.allocation_at(address):
                self.add_range(*found, on_host=False)
                done = found[1]


def _require_free_host_memory(needed, copied):
    """Raises MemoryError if the host has too little memory. copied: the bytes that are copied already."""
    free, _ = find_native_device("cpu").memory_info()
    if needed - copied > free:
        raise MemoryError(
            f"the launch may access {needed} bytes, and the host has {free} bytes of free memory"
        )


def _view_aligned_words(address, values):
    """The aligned 8-byte words in bytes that were at an address."""
    skipped = -address % 8
    count = max(0, values.nbytes - skipped) // 8
    return values[skipped : skipped + 8 * count].view(np.uint64)


def _select_distinct_words_in_range(words, low, high):
    """The distinct words from ``low`` to ``high`` as ints, in order."""
    parts = [
        part[(part >= np.uint64(low)) & (part <= np.uint64(high))] for part in _split_array(words)
    ]
    return np.unique(np.concatenate(parts)).tolist() if parts else []


def _split_array(words):
    """Splits an array into parts that are small enough for temporary arrays."""
    return [words[start : start + 2**21] for start in range(0, words.size, 2**21)]


def _copy_to_host(device, first, end, on_host):
    copied = np.empty(end - first, np.uint8)
    address = copied.ctypes.data
    if on_host:
        ctypes.memmove(address, first, copied.nbytes)
    else:
        device.default_stream.download(address, first, copied.nbytes)
    return copied


class Unbounded:
    """Keeps memory alive without telling kernels its bounds."""

    def __init__(self, buffer):
        self.buffer = buffer


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

    def restore_range(self, first, size, read_into):
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

    def translate_addresses(self):
        """Replaces recorded addresses in the memory with the addresses of the same bytes in this process."""
        for first, end, new_first, _ in self._ranges:
            values = np.frombuffer(
                (ctypes.c_char * (end - first)).from_address(new_first), np.uint8
            )
            self._translate_words(_view_aligned_words(first, values))

    def translate_structure(self, structure):
        """A copy of a NumPy scalar or array with its addresses replaced."""
        values = np.frombuffer(bytearray(structure.tobytes()), np.uint8)
        self._translate_words(_view_aligned_words(0, values))
        return values.view(structure.dtype).reshape(structure.shape)[()]

    def _translate_words(self, words):
        firsts = np.array([first for first, *_ in self._ranges], np.uint64)
        ends = np.array([end for _, end, *_ in self._ranges], np.uint64)
        new_firsts = np.array([new_first for _, _, new_first, _ in self._ranges], np.uint64)
        for part in _split_array(words) if self._ranges else ():
            place = np.searchsorted(firsts, part, side="right")
            is_inside = place > 0
            place = np.maximum(place, 1) - 1
            is_inside &= part <= ends[place]
            inside = place[is_inside]
            part[is_inside] += new_firsts[inside] - firsts[inside]

    def find_address_and_buffer(self, address):
        """The new address for a recorded one, and the buffer that contains it. Raises LookupError."""
        # The end of a range may be the start of the next one.
        for first, end, new_first, buffer in reversed(self._ranges):
            if first <= address <= end:
                return new_first + (address - first), buffer
        raise LookupError(f"the record has no memory at {address:#x}")

    def find_allocation(self, first, end):
        """The Allocation for the recorded bytes from ``first`` to before ``end``."""
        address, buffer = self.find_address_and_buffer(first)
        return Allocation(address, end - first, buffer)


def find_allocation(device, value, first, end):
    """The allocation, as (first byte, end), around the elements or the pointer of a value on a GPU; None if unknown.

    Elements are in the bytes from ``first`` to before ``end``.
    """
    found = _heddle.find_allocation(value, first, end) or device.allocation_at(first)
    return found and (min(found[0], first), max(found[1], end))
