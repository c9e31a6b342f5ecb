"""Locates the headers of CUB, Thrust and libcu++ for CUDA C++ programs that include them."""

import sys
from pathlib import Path

# Relative to sys.path, for the packages nvidia-cuda-cccl and nvidia-cuda-cccl-cu12.
_PLACES = ("nvidia/cu13/include/cccl", "nvidia/cuda_cccl/include")


def find_cub_folder():
    """The folder with ``cub``, ``cuda``, ``nv`` and ``thrust`` from an installed package; "" if there is none."""
    for entry in sys.path:
        for place in _PLACES:
            found = Path(entry, place)
            if (found / "cub").is_dir():
                return str(found)
    return ""
