"""A recorded launch, and its file.

    heddle replay           the first line
    {"version": 1, ...}     the second line: everything but code and memory, as JSON
    bytes                   the pickled kernel and arguments (pickled_launches)
    bytes                   the memory, range after range

The header contains the sizes of what follows, so that a truncated file is detected.
"""

import dataclasses
import json
import os
import pickle
import re
import sys
import tempfile

from heddle._heddle import __version__
from heddle.replay.memory import RestoredMemory
from heddle.replay.pickled_launches import LaunchUnpickler

_magic = b"heddle replay\n"
_version = 1
file_ending = ".replay"


class RecordError(Exception):
    """A file that cannot be replayed. The text names the file."""


@dataclasses.dataclass
class Record:
    """A launch.

    kernel: its name. grid, block: tuples of three ints. shared_bytes: dynamic shared memory. file, line: the program's
    call. texts: pairs of a file and its source text. uses_pointers: the memory may contain addresses. launch: the
    pickled launch. memory: pairs of an address and bytes, in the order of addresses.
    """

    kernel: str
    grid: tuple
    block: tuple
    shared_bytes: int
    file: str
    line: int
    texts: list
    uses_pointers: bool
    launch: bytes
    memory: list


_fields_in_header = tuple(field.name for field in dataclasses.fields(Record))[:-2]


def write_record(record, folder):
    """Writes a record to a new file in a folder, which is created if needed. Returns its path. Raises OSError."""
    os.makedirs(folder, exist_ok=True)
    header = {
        "version": _version,
        "python": list(sys.version_info[:2]),
        "heddle": __version__,
        **{name: getattr(record, name) for name in _fields_in_header},
        "launch_bytes": len(record.launch),
        "memory": [[address, len(saved)] for address, saved in record.memory],
    }
    # The file gets its name when it is complete.
    handle, unfinished = tempfile.mkstemp(prefix=".heddle-", suffix=file_ending, dir=folder)
    try:
        with open(handle, "wb") as file:
            file.write(_magic + json.dumps(header).encode() + b"\n" + record.launch)
            for _, saved in record.memory:
                file.write(saved)
        path = _create_unique_record_file(folder, record.kernel)
        os.replace(unfinished, path)
    except BaseException:
        os.unlink(unfinished)
        raise
    return path


def _create_unique_record_file(folder, kernel):
    """Creates an empty file that no other record has, named after a kernel."""
    stem = re.sub(r"\W+", "_", kernel).strip("_") or "kernel"
    number = 1
    while True:
        suffix = "" if number == 1 else f"-{number}"
        path = os.path.join(folder, f"{stem}{suffix}{file_ending}")
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            return path
        except FileExistsError:
            number += 1


def read_record(path):
    """Reads a file. Returns (the Record without its memory, the RestoredMemory). Raises RecordError."""
    try:
        with open(path, "rb") as file:
            header = _read_header(file, path)
            fields = {name: header[name] for name in _fields_in_header}
            launch = _read_exactly(file, header["launch_bytes"], path)
            memory = RestoredMemory()
            for address, size in header["memory"]:
                memory.restore_range(address, size, lambda into: _read_into(file, into, path))
            if file.read(1):
                raise RecordError(f"{path!r} is damaged: it has bytes past its end")
            if fields["uses_pointers"]:
                memory.translate_addresses()
    except FileNotFoundError:
        raise RecordError(f"there is no file {path!r}") from None
    except (OSError, MemoryError) as error:
        raise RecordError(f"cannot read {path!r}: {error}") from None
    except (KeyError, TypeError, ValueError):
        raise RecordError(f"{path!r} is damaged: its header does not describe a launch") from None
    return Record(**fields, launch=launch, memory=[]), memory


def _read_header(file, path):
    if file.readline(len(_magic)) != _magic:
        raise RecordError(f"{path!r} is not the record of a launch: HEDDLE_REPLAY=1 writes those")
    try:
        header = json.loads(file.readline())
    except ValueError:
        raise _make_truncated_error(path) from None
    if header["version"] != _version:
        raise RecordError(
            f"{path!r} has version {header['version']} of the format, and this Heddle ({__version__}) reads version "
            f"{_version}: replay it with Heddle {header['heddle']}"
        )
    if tuple(header["python"]) != sys.version_info[:2]:
        recorded = ".".join(map(str, header["python"]))
        raise RecordError(
            f"{path!r} contains bytecode of Python {recorded}: replay it with that version"
        )
    return header


def _read_exactly(file, size, path):
    data = file.read(size)
    if len(data) < size:
        raise _make_truncated_error(path)
    return data


def _read_into(file, memory, path):
    while memory:
        count = file.readinto(memory)
        if not count:
            raise _make_truncated_error(path)
        memory = memory[count:]


def _make_truncated_error(path):
    return RecordError(f"{path!r} is truncated: the program or the copy of the file did not finish")


def unpickle_launch(record, memory, path):
    """The kernel and its arguments. Raises RecordError. Runs code from the file."""
    try:
        return LaunchUnpickler(record.launch, memory).load()
    except ImportError as error:
        raise RecordError(
            f"{path!r} needs a package that is not installed here: {error}"
        ) from error
    except (
        pickle.UnpicklingError,
        AttributeError,
        EOFError,
        LookupError,
        TypeError,
        ValueError,
    ) as error:
        raise RecordError(
            f"cannot restore the kernel and its arguments from {path!r}: {error}"
        ) from error
