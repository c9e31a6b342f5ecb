"""``heddle info`` and ``heddle cache``: print the devices, the versions and the cache of compiled kernels."""

import platform
import time

import numpy

from heddle import _heddle, cuda
from heddle.command_line.usage import report_wrong_use


def show_devices_and_versions(arguments):
    """Runs ``heddle info``. Returns the exit code."""
    if arguments:
        return report_wrong_use("info takes no arguments")
    print(f"heddle {_heddle.__version__}, LLVM {_heddle.llvm_version}")
    print(f"Python {platform.python_version()}, NumPy {numpy.__version__}, {platform.platform()}")
    for device in cuda.all_devices():
        memory = cuda.current_context(device.id).get_memory_info()
        print(f"device {device.id}: {device.name} ({device.type})")
        print(f"  multiprocessors         {device.MULTIPROCESSOR_COUNT}")
        print(f"  threads per block       {device.MAX_THREADS_PER_BLOCK}")
        print(f"  shared memory per block {_format_size(device.MAX_SHARED_MEMORY_PER_BLOCK)}")
        print(
            f"  memory                  {_format_size(memory.total)}, {_format_size(memory.free)} free"
        )
    if cuda.cuda_error():
        print(f"no GPU: {cuda.cuda_error()}")
    _show_cache_size()
    return 0


def show_or_clear_cache(arguments):
    """Runs ``heddle cache``. Returns the exit code."""
    actions = {"list": _list_cache, "size": _show_cache_size, "clear": _clear_cache}
    if len(arguments) > 1 or (arguments and arguments[0] not in actions):
        return report_wrong_use("cache takes one of: list, size, clear")
    actions[arguments[0] if arguments else "size"]()
    return 0


def _list_cache():
    for entry in _heddle.cache_list():
        used = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(entry["last_used"]))
        print(f"{entry['key']}  {_format_size(entry['bytes']):>10}  last used {used}")


def _show_cache_size():
    info = _heddle.cache_info()
    state = "" if info["writable"] else ", read-only"
    print(f"cache {info['directory']}: {_format_kernel_count(info['entries'])}", end="")
    print(f", {_format_size(info['bytes'])} of at most {_format_size(info['max_bytes'])}{state}")
    if info["problem"]:
        print(f"  not used: {info['problem']}")


def _clear_cache():
    print(f"removed {_format_kernel_count(_heddle.cache_clear())}")


def _format_kernel_count(count):
    return f"{count} compiled kernel{'' if count == 1 else 's'}"


def _format_size(count):
    """Formats a number of bytes for people: 48 KiB, 1.5 GiB."""
    units = ["bytes", "KiB", "MiB", "GiB", "TiB"]
    while count >= 1024 and len(units) > 1:
        count /= 1024
        units.pop(0)
    return f"{count:.4g} {units[0]}"
