"""cupy.cuda's functions that locate a CUDA toolkit: Heddle needs none, but programs call these functions."""

import os
import shutil

__all__ = ["get_cub_path", "get_cuda_path", "get_nvcc_path", "get_rocm_path"]


def get_cuda_path():
    """The folder of the CUDA toolkit; None if there is none."""
    named = os.environ.get("CUDA_PATH", "")
    if os.path.exists(named):
        return named
    nvcc = shutil.which("nvcc")
    if nvcc is not None:
        return os.path.dirname(os.path.dirname(nvcc))
    return "/usr/local/cuda" if os.path.exists("/usr/local/cuda") else None


def get_nvcc_path():
    """The compiler nvcc; None if there is none."""
    named = os.environ.get("NVCC")
    if named:
        return named
    found = os.path.join(get_cuda_path() or "", "bin", "nvcc")
    return found if os.path.exists(found) else shutil.which("nvcc")


def get_cub_path():
    """The folder with CUB's headers; None if there is none."""
    named = os.environ.get("CUB_PATH", "")
    if os.path.exists(named):
        return named
    include = os.path.join(get_cuda_path() or "", "include")
    return include if os.path.exists(os.path.join(include, "cub")) else None


def get_rocm_path():
    """None: ROCm is not supported."""
