"""GPU architectures by the names that nvcc gives them."""

import re

from heddle import _heddle

_first_with_features = {"a": (9, 0), "f": (10, 0)}  # the suffixes; PTX ISA 9.0, ".target"


def parse_architecture(name):
    """The compute capability, (major, minor), for "sm_90", "compute_90", "90" or "9.0". Raises ValueError for others.

    The suffixes of architecture-specific features, as in "sm_90a", have no effect: Heddle's code does not need them.
    """
    found = re.fullmatch(r"(?:(?:sm_|compute_)?(\d+)(\d)|(\d+)\.(\d))([af]?)", name, re.ASCII)
    capability = found and tuple(int(part) for part in found.groups()[:4] if part)
    known = _heddle.compute_capabilities()
    if capability not in known or (
        found[5] and (found[3] or capability < _first_with_features[found[5]])
    ):
        names = ", ".join(f"sm_{major}{minor}" for major, minor in known)
        raise ValueError(f"unknown GPU architecture {name!r}: Heddle compiles for {names}")
    return capability
