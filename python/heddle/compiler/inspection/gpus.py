"""Resource limits of GPU multiprocessors, by compute capability, for GPUs that are not present."""

import re
from dataclasses import dataclass

_registers = 65536


@dataclass(frozen=True)
class Limits:
    """Limits of a multiprocessor: threads, blocks, bytes of shared memory, bytes of it that the system reserves per
    block, registers."""

    threads: int
    blocks: int
    shared_bytes: int
    reserved_bytes: int
    registers: int = _registers


# CUDA C++ Programming Guide 13, "Technical Specifications per Compute Capability".
_by_capability = {
    (7, 5): Limits(1024, 16, 64 << 10, 0),
    (8, 0): Limits(2048, 32, 164 << 10, 1024),
    (8, 6): Limits(1536, 16, 100 << 10, 1024),
    (8, 7): Limits(1536, 16, 164 << 10, 1024),
    (8, 9): Limits(1536, 24, 100 << 10, 1024),
    (9, 0): Limits(2048, 32, 228 << 10, 1024),
    (10, 0): Limits(2048, 32, 228 << 10, 1024),
    (10, 3): Limits(2048, 32, 228 << 10, 1024),
    (11, 0): Limits(1536, 24, 228 << 10, 1024),
    (12, 0): Limits(1536, 24, 100 << 10, 1024),
    (12, 1): Limits(1536, 24, 100 << 10, 1024),
}

_by_name = {
    "T4": (7, 5),
    "A100": (8, 0),
    "A10": (8, 6),
    "A40": (8, 6),
    "RTX 3090": (8, 6),
    "L4": (8, 9),
    "L40": (8, 9),
    "RTX 4090": (8, 9),
    "H100": (9, 0),
    "H200": (9, 0),
    "GH200": (9, 0),
    "B200": (10, 0),
    "B300": (10, 3),
    "RTX 5090": (12, 0),
}


def parse_gpu_capability(gpu):
    """Parses a GPU's name or compute capability: "H100", "sm_90", "9.0" or (9, 0). Raises ValueError for others."""
    found = _by_name.get(gpu.upper()) if isinstance(gpu, str) else gpu
    numbers = re.fullmatch(r"(?:sm_(\d+)(\d)|(\d+)\.(\d))", gpu) if isinstance(gpu, str) else None
    if numbers:
        found = tuple(int(number) for number in numbers.groups() if number)
    if found not in _by_capability:
        known = [f"sm_{major}{minor}" for major, minor in _by_capability]
        raise ValueError(
            f"unknown GPU {gpu!r}: name a compute capability ({', '.join(known)}) "
            f"or one of {', '.join(_by_name)}"
        )
    return found


def get_capability_limits(capability):
    return _by_capability[capability]


def read_device_limits(device):
    """The limits of a present GPU, from its driver."""
    return Limits(
        device.attribute("MAX_THREADS_PER_MULTIPROCESSOR"),
        device.attribute("MAX_BLOCKS_PER_MULTIPROCESSOR"),
        device.attribute("MAX_SHARED_MEMORY_PER_MULTIPROCESSOR"),
        device.attribute("RESERVED_SHARED_MEMORY_PER_BLOCK"),
        device.attribute("MAX_REGISTERS_PER_MULTIPROCESSOR"),
    )
