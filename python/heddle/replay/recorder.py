"""Records launches on GPUs before they run, and writes the record of a launch that fails: ``HEDDLE_REPLAY=1``.

After an illegal access nothing can be copied from the GPU. Therefore each launch waits for the GPU, saves the memory
that the kernel may access, launches, and waits again.
"""

import os
import shlex

import numpy as np

from heddle import _heddle
from heddle.compiler.source import find_cell_name
from heddle.cuda.native_devices import current_native, pop_native, push_native
from heddle.cuda.streams import to_native_stream
from heddle.errors import CudaAPIError
from heddle.replay.memory import MemoryToSave
from heddle.replay.pickled_launches import LaunchPickler, Pointer, Structure
from heddle.replay.record import Record, write_record
from heddle.support.tracebacks import find_program_line

# The driver's codes for failures of kernels: launch timeout, assertion, illegal and misaligned addresses, traps.
_codes_of_failures = {700, 702, 710, 714, 715, 716, 717, 718, 719}

_folder = None  # where the records go; None: the working folder


def start_recording_this_process(setting):
    """Records all launches of this process from now on. setting: the folder for records; "1" for the working folder."""
    global _folder
    _folder = None if setting == "1" else os.path.abspath(setting)
    _heddle.set_launch_recorder(_launch_and_record_failure)


class _PythonLaunch:
    """A launch of a kernel in Python."""

    uses_pointers = False

    def __init__(self, configured, args, kwargs):
        self._configured = configured
        self._args = args
        self._kwargs = kwargs
        stream = configured.stream
        self.stream = stream._native if stream else current_native().default_stream
        self.name = configured.dispatcher.py_func.__name__
        self.grid, self.block = configured.griddim, configured.blockdim
        self.shared_bytes = configured.sharedmem

    def run(self):
        self._configured(*self._args, **self._kwargs)

    def make_picklable_description(self, memory):
        """The launch as a dict that is pickled."""
        return {
            "kernel": self._configured.dispatcher,
            "args": self._args,
            "kwargs": self._kwargs,
        }

    def list_arguments(self):
        """Pairs of an argument's name in messages and what is pickled of it."""
        code = self._configured.dispatcher.py_func.__code__
        named = [*zip(code.co_varnames, self._args, strict=False), *self._kwargs.items()]
        return [
            (f"argument {number} ({name})", value)
            for number, (name, value) in enumerate(named, start=1)
        ]


class _CudaLaunch:
    """A launch of a kernel in CUDA C++."""

    uses_pointers = True

    def __init__(self, kernel, args, kwargs):
        self._kernel = kernel
        self._call = args, kwargs
        given = {**dict(zip(("grid", "block", "args"), args, strict=False)), **kwargs}
        self._values = given.get("args", ())
        self.name = kernel.name
        self.grid, self.block = (_to_three_extents(given[name]) for name in ("grid", "block"))
        self.shared_bytes = int(given.get("shared_mem") or 0)
        device = current_native()
        stream = given.get("stream")
        is_native = isinstance(stream, _heddle.Stream)
        self.stream = stream if is_native else to_native_stream(stream, device)

    def run(self):
        args, kwargs = self._call
        _heddle.KernelLauncher.__call__(self._kernel, *args, **kwargs)

    def make_picklable_description(self, memory):
        """The launch as a dict that is pickled. Adds the variables of the program to ``memory``."""
        return {
            "kernel": self._kernel,
            "args": self._list_arguments_with_marked_addresses(),
            "variables": self._list_variables_and_add_memory(memory),
        }

    def _list_arguments_with_marked_addresses(self):
        pointers = self._kernel._module._get_kernel_on_current_device(self._kernel.name).pointers
        values = tuple(self._values)
        return tuple(map(_wrap_address_or_record, values, pointers))

    def _list_variables_and_add_memory(self, memory):
        program = self._kernel._module._program
        variables = program.variables() if isinstance(program, _heddle.CudaProgram) else []
        for _, address, nbytes in variables:
            memory.add_range(address, address + nbytes, on_host=False)
        return variables

    def list_arguments(self):
        parameters = self._kernel._module._get_kernel_on_current_device(
            self._kernel.name
        ).parameters
        return [
            (f"argument {number} ({name})" if name else f"argument {number}", value)
            for number, ((name, _), value) in enumerate(
                zip(parameters, self._list_arguments_with_marked_addresses(), strict=False), start=1
            )
        ]


def _wrap_address_or_record(value, is_pointer):
    """Wraps an address for a kernel in a Pointer, and a record in a Structure. Returns other values unchanged."""
    if not is_pointer:
        return Structure(value) if isinstance(value, (np.void, np.ndarray)) else value
    if value is None:
        return None
    if isinstance(value, np.ndarray) and value.size == 1 and value.dtype.kind in "iu":
        value = value.item()  # CuPy's rules: the address is in the array
    if isinstance(value, (int, np.integer)):
        return Pointer(int(value), value) if value else 0
    if hasattr(value, "dtype") or hasattr(value, "__dlpack__"):
        return value
    for name in ("ptr", "address"):
        address = getattr(value, name, None)
        if isinstance(address, int):
            return Pointer(address, value) if address else 0
    return value


def _to_three_extents(extents):
    extents = tuple(extents) if isinstance(extents, (tuple, list)) else (extents,)
    return (*map(int, extents), 1, 1)[:3]


def _launch_and_record_failure(kernel, args, kwargs):
    """Makes a launch that the program requests, and writes its record if it fails."""
    is_python = isinstance(kernel, _heddle.ConfiguredKernel)
    try:
        launch = (_PythonLaunch if is_python else _CudaLaunch)(kernel, args, kwargs)
    except Exception:
        launch = None  # wrong arguments, which the launch rejects
    if launch is None or launch.stream.device.uses_host_memory or launch.stream.capturing:
        return _launch_unrecorded(kernel, args, kwargs)
    device = launch.stream.device
    device.synchronize()
    record, reason = _try_to_make_record(launch, device)
    try:
        launch.run()
        device.synchronize()
    except BaseException as error:
        if _is_failure_of_kernel(error):
            error.add_note(
                _write_record_and_make_note(record) if record else _describe_missing_record(reason)
            )
        raise


def _launch_unrecorded(kernel, args, kwargs):
    if isinstance(kernel, _heddle.ConfiguredKernel):
        kernel(*args, **kwargs)
    else:
        _heddle.KernelLauncher.__call__(kernel, *args, **kwargs)


def _try_to_make_record(launch, device):
    """The record of a launch, or None, and the reason if there is none."""
    push_native(device)
    try:
        return _make_record(launch, device), ""
    except MemoryError as error:
        return None, str(error) or "the host's memory is exhausted"
    except Exception as error:
        return None, _explain_missing_record(launch, device, error)
    finally:
        pop_native()


def _make_record(launch, device):
    memory = MemoryToSave(launch.uses_pointers)
    pickler = LaunchPickler(device, memory)
    pickled = pickler.pickle(launch.make_picklable_description(memory))
    file, line, _ = find_program_line()
    return Record(
        kernel=launch.name,
        grid=launch.grid,
        block=launch.block,
        shared_bytes=launch.shared_bytes,
        file=find_cell_name(file) or file,
        line=line,
        texts=list(pickler.texts),
        uses_pointers=launch.uses_pointers,
        launch=pickled,
        memory=memory.copy_ranges_to_host(device),
    )


def _explain_missing_record(launch, device, error):
    """The reason why a launch cannot be recorded. Names the argument, if it is one."""
    try:
        arguments = launch.list_arguments()
    except Exception:  # the kernel does not compile, as the launch will report
        arguments = []
    for name, value in arguments:
        try:
            LaunchPickler(device, MemoryToSave(launch.uses_pointers)).pickle(value)
        except Exception as found:
            return f"{name}: {_get_error_text(found)}"
    return _get_error_text(error)


def _get_error_text(error):
    return error.args[0] if isinstance(error, LookupError) and error.args else str(error)


def _is_failure_of_kernel(error):
    """True for exceptions that a failing kernel causes, and for Ctrl-C, because the kernel may hang."""
    if isinstance(error, CudaAPIError):
        return error.code in _codes_of_failures
    return isinstance(error, KeyboardInterrupt) or hasattr(error, "ctaid")


def _write_record_and_make_note(record):
    """Writes a record. Returns the note on the exception."""
    try:
        path = write_record(record, _folder or os.getcwd())
    except (OSError, ValueError) as error:  # ValueError: a null byte in the folder's name
        return _describe_missing_record(error)
    return (
        f"the launch is recorded in {path}\n"
        f"  hint: 'heddle check {shlex.quote(path)}' runs it on the CPU device and reports its mistakes"
    )


def _describe_missing_record(reason):
    return f"the launch is not recorded: {reason}"
