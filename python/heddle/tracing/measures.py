"""Sectors and bank conflicts of a request: an access that lanes of a warp execute together."""

_sector_bytes = 32
# Shared memory has 32 banks of 4 bytes (CUDA C++ Programming Guide, compute capability 5.x and later).
_banks, _bank_bytes = 32, 4


def count_sectors_and_minimum(size, addresses):
    """The sectors of global memory that lanes touch, and the number that would suffice for as many bytes.

    size: the bytes that each lane accesses. addresses: a list with an address for each lane.
    """
    touched = {
        sector
        for address in addresses
        for sector in range(address // _sector_bytes, (address + size - 1) // _sector_bytes + 1)
    }
    return len(touched), -(-len(set(addresses)) * size // _sector_bytes)


def count_bank_passes_and_minimum(size, lanes, addresses):
    """The passes through the banks of shared memory, and the number without conflicts.

    Lanes that access 8 or 16 bytes each are served per half or quarter of a warp. Lanes that access the same word do
    not conflict. lanes: the numbers of the lanes, one for each address.
    """
    together = _banks * _bank_bytes // max(size, _bank_bytes)
    parts = {}
    for lane, address in zip(lanes, addresses, strict=True):
        words = parts.setdefault(lane // together, set())
        words.update(range(address // _bank_bytes, (address + size - 1) // _bank_bytes + 1))
    return sum(_count_largest_bank_conflict(words) for words in parts.values()), len(parts)


def _count_largest_bank_conflict(words):
    counts = [0] * _banks
    for word in words:
        counts[word % _banks] += 1
    return max(counts)
