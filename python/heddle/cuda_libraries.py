"""Where the headers of CUB, Thrust and libcu++ are installed, for programs in CUDA C++ that include them."""

import sys
from pathlib import Path

# In a folder of sys.path: those of the packages nvidia-cuda-cccl and nvidia-cuda-cccl-cu12.
_PLACES = ("nvidia/cu13/include/cccl", "nvidia/cuda_cccl/include")


def folder():
    """The folder with ``cub``, ``cuda``, ``nv`` and ``thrust`` that a package brought; "" if none did."""
    for entry in sys.path:
        for place in _PLACES:
            found = Path(entry, place)
            if (found / "cub").is_dir():
                return str(found)
    return ""
