"""``heddle info`` and ``heddle cache``: print the devices, the versions and the cache of compiled kernels."""

import platform
import time

import numpy

from heddle import _heddle, cuda
from heddle.command_line.usage import report_wrong_use


def show_devices_and_versions(arguments):
    """Runs ``heddle info``. Returns the exit code."""
    if arguments:
        return report_wrong_use("takes no arguments", "info")
    print(f"heddle {_heddle.__version__}, LLVM {_heddle.llvm_version}")
    print(f"Python {platform.python_version()}, NumPy {numpy.__version__}, {platform.platform()}")
    for device in cuda.all_devices():
        memory = cuda.current_context(device.id).get_memory_info()
        print(f"device {device.id}: {device.name} ({device.type})")
        print(f"  multiprocessors         {device.MULTIPROCESSOR_COUNT}")
        print(f"  threads per block       {device.MAX_THREADS_PER_BLOCK}")
        print(
            f"  shared memory per block {format_size(device.MAX_SHARED_MEMORY_PER_BLOCK)}, up to "
            f"{format_size(device.MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)} if a launch requests it"
        )
        print(
            f"  memory                  {format_size(memory.total)}, {format_size(memory.free)} free"
        )
    if cuda.cuda_error():
        print(f"no GPU: {cuda.cuda_error()}")
    _show_cache_size()
    return 0


def show_or_clear_cache(arguments):
    """Runs ``heddle cache``. Returns the exit code."""
    actions = {"list": _list_cache, "size": _show_cache_size, "clear": _clear_cache}
    if len(arguments) > 1 or (arguments and arguments[0] not in actions):
        return report_wrong_use("takes one of: list, size, clear", "cache")
    actions[arguments[0] if arguments else "size"]()
    return 0


def _list_cache():
    entries = _heddle.cache_list()
    rows = [("kernel", "device", "size", "last used")] if entries else []
    for entry in entries:
        size, age = format_size(entry["bytes"]), _format_age(time.time() - entry["last_used"])
        rows.append((", ".join(entry["functions"]) or entry["key"], entry["target"], size, age))
    widths = [min(max(map(len, column)), 60) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        print("  ".join(cells).rstrip())


def _format_age(seconds):
    """Formats a time in the past: "3 minutes ago"."""
    for length, unit in (86400, "day"), (3600, "hour"), (60, "minute"):
        if seconds >= length:
            count = int(seconds // length)
            return f"{count} {unit}{'' if count == 1 else 's'} ago"
    return "now"


def _show_cache_size():
    info = _heddle.cache_info()
    state = "" if info["writable"] else ", read-only"
    print(f"cache {info['directory']}: {format_kernel_count(info['entries'])}", end="")
    print(f", {format_size(info['bytes'])} of at most {format_size(info['max_bytes'])}{state}")
    if info["problem"]:
        print(f"  not used: {info['problem']}")


def _clear_cache():
    print(f"removed {format_kernel_count(_heddle.cache_clear())}")


def format_kernel_count(count):
    """Formats "3 compiled kernels"."""
    return f"{count} compiled kernel{'' if count == 1 else 's'}"


def format_size(count):
    """Formats a number of bytes for people: 48 KiB, 1.5 GiB."""
    units = ["bytes", "KiB", "MiB", "GiB", "TiB"]
    while count >= 1024 and len(units) > 1:
        count /= 1024
        units.pop(0)
    return f"{count:.4g} {units[0]}"
