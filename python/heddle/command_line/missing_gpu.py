"""Explains to ``heddle doctor`` why there is no GPU, and what to do."""

import glob
import os

_nvidia = "0x10de"  # the vendor's number on the PCI bus
_display = ("0x0300", "0x0302")  # PCI classes: VGA and 3D controllers


def advise_without_gpu(reason):
    """Returns advice for a machine without a usable GPU. reason: the result of ``cuda.cuda_error()``."""
    if "HEDDLE_DEVICE" in reason or "DISABLE_CUDA" in reason:
        return "kernels run on the CPU device; unset the variable to use a GPU"
    closed = [path for path in glob.glob("/dev/nvidia*") if _is_closed_device(path)]
    if closed:
        return (
            f"this user must not open {closed[0]}: add the user to the group of the file (ls -l {closed[0]}), "
            "and log in again"
        )
    if "Permission denied" in reason:
        return "this user must not read the driver library that the message names: change its permissions"
    if os.environ.get("HEDDLE_LIBCUDA") and "there is no NVIDIA driver" in reason:
        return "HEDDLE_LIBCUDA names no library that can be loaded: correct the path, or unset the variable"
    if "needs a driver for CUDA" in reason or "has no function" in reason:
        return "install a driver for CUDA 12.0 or later (version 525 or later) from NVIDIA, and restart the machine"
    if "MISMATCH" in reason:
        return (
            "the driver library and the kernel module have different versions: restart the machine"
        )
    if "there is no NVIDIA driver" not in reason:
        return "run nvidia-smi, which reports more about the driver"
    if glob.glob("/dev/nvidia*"):
        return (
            "there are device files but no libcuda.so.1: start a container with --gpus all, or set HEDDLE_LIBCUDA to "
            "the path of the library"
        )
    if _count_nvidia_gpus():
        return "this machine has an NVIDIA GPU: install the driver from NVIDIA or your distribution"
    return "no NVIDIA GPU was found on the PCI bus; kernels run on the CPU device"


def _is_closed_device(path):
    return not os.path.isdir(path) and not os.access(path, os.R_OK | os.W_OK)


def _count_nvidia_gpus():
    return sum(
        _read_line(f"{folder}/vendor") == _nvidia
        and _read_line(f"{folder}/class").startswith(_display)
        for folder in glob.glob("/sys/bus/pci/devices/*")
    )


def _read_line(path):
    try:
        with open(path, encoding="ascii") as file:
            return file.readline().strip()
    except OSError:
        return ""
