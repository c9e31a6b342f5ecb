"""The command ``heddle``."""

import os
import sys

_usage = """\
usage: heddle run script.py [arguments]     run a program; its 'import numba.cuda' gives heddle
       heddle run -m module [arguments]     the same for a module
       heddle compile kernel.cu             the code of kernels for a device; 'heddle compile --help' tells how
       heddle info                          devices, versions and the cache of compiled kernels
       heddle cache [list | size | clear]   look at that cache, or empty it
       heddle --version | --help
"""


def main(arguments=None):
    """Run the command. arguments: without the program's name; those of the process when None.

    Returns the exit code: 2 for a wrong use of the command, else the program's.
    """
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    try:
        code = _dispatch(arguments)
        sys.stdout.flush()
        return code
    except BrokenPipeError:  # the reader of our output went away, as with "heddle info | head -1"
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _dispatch(arguments):
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        print(_usage, end="", file=sys.stdout if arguments else sys.stderr)
        return 0 if arguments else 2
    command, rest = arguments[0], arguments[1:]
    commands = {
        "run": _run,
        "compile": _compile,
        "info": _info,
        "cache": _cache,
        "--version": _version,
        "-V": _version,
    }
    if command not in commands:
        return _wrong_use(f"there is no command {command!r}")
    return commands[command](rest)


def _wrong_use(message):
    print(f"heddle: {message}\n{_usage}", end="", file=sys.stderr)
    return 2


def _run(arguments):
    from heddle import run_program

    if not arguments:
        return _wrong_use("run what? Name a script, or -m and a module")
    if arguments[0] == "-m":
        if len(arguments) < 2:
            return _wrong_use("-m needs the name of a module")
        return run_program.run_module(arguments[1], arguments[2:])
    if arguments[0].startswith("-") and len(arguments[0]) > 1:
        return _wrong_use(f"run has no option {arguments[0]!r}")
    return run_program.run_script(arguments[0], arguments[1:])


def _compile(arguments):
    from heddle import compile_command

    return compile_command.run(arguments)


def _version(arguments):
    import heddle

    if arguments:
        return _wrong_use("--version takes no arguments")
    print(f"heddle {heddle.__version__}")
    return 0


def _info(arguments):
    import platform

    import numpy

    import heddle
    from heddle import _heddle, cuda

    if arguments:
        return _wrong_use("info takes no arguments")
    print(f"heddle {heddle.__version__}, LLVM {_heddle.llvm_version}")
    print(f"Python {platform.python_version()}, NumPy {numpy.__version__}, {platform.platform()}")
    for device in cuda.all_devices():
        memory = cuda.current_context(device.id).get_memory_info()
        print(f"device {device.id}: {device.name} ({device.type})")
        print(f"  multiprocessors         {device.MULTIPROCESSOR_COUNT}")
        print(f"  threads per block       {device.MAX_THREADS_PER_BLOCK}")
        print(f"  shared memory per block {_bytes(device.MAX_SHARED_MEMORY_PER_BLOCK)}")
        print(f"  memory                  {_bytes(memory.total)}, {_bytes(memory.free)} free")
    if cuda.cuda_error():
        print(f"no GPU: {cuda.cuda_error()}")
    _cache_size([])
    return 0


def _cache(arguments):
    actions = {"list": _cache_list, "size": _cache_size, "clear": _cache_clear}
    if len(arguments) > 1 or (arguments and arguments[0] not in actions):
        return _wrong_use("cache takes one of: list, size, clear")
    return actions[arguments[0] if arguments else "size"](arguments)


def _cache_list(arguments):
    import time

    from heddle import _heddle

    for entry in _heddle.cache_list():
        used = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(entry["last_used"]))
        print(f"{entry['key']}  {_bytes(entry['bytes']):>10}  last used {used}")
    return 0


def _cache_size(arguments):
    from heddle import _heddle

    info = _heddle.cache_info()
    state = "" if info["writable"] else ", cannot be written to"
    print(f"cache {info['directory']}: {_kernels(info['entries'])}", end="")
    print(f", {_bytes(info['bytes'])} of at most {_bytes(info['max_bytes'])}{state}")
    return 0


def _cache_clear(arguments):
    from heddle import _heddle

    print(f"removed {_kernels(_heddle.cache_clear())}")
    return 0


def _kernels(count):
    return f"{count} compiled kernel{'' if count == 1 else 's'}"


def _bytes(count):
    """A number of bytes as people read it: 48 KiB, 1.5 GiB."""
    units = ["bytes", "KiB", "MiB", "GiB", "TiB"]
    while count >= 1024 and len(units) > 1:
        count /= 1024
        units.pop(0)
    return f"{count:.4g} {units[0]}"
