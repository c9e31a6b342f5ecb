"""Runs a recorded launch on the CPU device."""

import ast
import ctypes
import linecache
import os

from heddle import _heddle
from heddle.compiler.kept_texts import keep_source_text
from heddle.cuda.native_devices import find_native_device, pop_native, push_native
from heddle.replay.record import read_record, unpickle_launch


def replay(path):
    """Runs the launch in a file, and waits for it. Reports name the lines and the source of the recorded program.

    Raises RecordError for a file that cannot be used, and the exceptions of the launch.
    """
    push_native(find_native_device("cpu"))
    try:
        record, memory = read_record(path)
        _install_recorded_source_texts(record.texts)
        launch = unpickle_launch(record, memory, path)
        if "variables" in launch:
            _set_variables(launch["kernel"]._module._program, memory, launch["variables"])
        _call_from_line(record.file, record.line, lambda: _run_recorded_launch(record, launch))
        find_native_device("cpu").synchronize()
    finally:
        pop_native()


def _install_recorded_source_texts(texts):
    """Makes messages and compilation use the recorded source texts instead of the current contents of the files."""
    files = [file for file, _ in texts]
    for file, text in texts:
        keep_source_text(file, text)
        if files.count(file) == 1 or os.path.isabs(file):  # others are chosen by their contents
            linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file


def _set_variables(program, memory, recorded):
    """Sets the variables of a CUDA C++ program, except those that the CPU's code does not contain."""
    addresses = {symbol: address for symbol, address, _ in program.variables()}
    for symbol, recorded_address, nbytes in recorded:
        if symbol in addresses:
            saved, _ = memory.find_address_and_buffer(recorded_address)
            ctypes.memmove(addresses[symbol], saved, nbytes)
            _heddle.record_host_write_for_check(addresses[symbol], nbytes)


def _run_recorded_launch(record, launch):
    grid, block = tuple(record.grid), tuple(record.block)
    if isinstance(launch["kernel"], _heddle.KernelLauncher):
        call = _heddle.KernelLauncher.__call__
        call(launch["kernel"], grid, block, launch["args"], shared_mem=record.shared_bytes)
    else:
        configured = launch["kernel"][grid, block, 0, record.shared_bytes]
        configured(*launch["args"], **launch["kwargs"])


def _call_from_line(file, line, function):
    """Calls a function from a frame that is at a line of a file, where reports look for the caller of a launch."""
    tree = ast.parse("call()")
    ast.increment_lineno(tree, line - 1)
    exec(compile(tree, file, "exec"), {"call": function})
