"""The environment variables that Heddle reads, by topic, with their values and meanings.

The table drives all that depends on a variable's values: heddle.config reads settings with it and warns of values that
have no effect, ``heddle doctor`` reports those, and docs/api/settings.md lists the variables.
"""

import os
from collections.abc import Callable
from typing import NamedTuple


class Values(NamedTuple):
    """The values that a variable accepts. description: completes "the value must be". parse: returns the value of a
    text; raises ValueError if the variable does not accept it."""

    description: str
    parse: Callable = str


def _make_range_parser(least, most, number=int):
    def parse_number(text):
        value = number(text)
        if not least <= value <= most or text.strip() != text or "_" in text:
            raise ValueError
        return value

    return parse_number


def _make_choice_parser(*choices):
    def parse_word(text):
        if text not in choices:
            raise ValueError
        return text

    return parse_word


def _parse_device(text):
    kind, separator, number = text.partition(":")
    if text != "cpu" and (kind != "cuda" or bool(separator) != number.isdecimal()):
        raise ValueError
    return text


def _parse_optimization_level(text):
    """An optimization level. "max" is numba's name of the highest."""
    return 3 if text == "max" else _make_range_parser(0, 3)(text)


_unlimited = float("inf")
# Texts that users write for others.
_synonyms = {
    **dict.fromkeys(("on", "true", "yes"), "1"),
    **dict.fromkeys(("off", "false", "no"), "0"),
    **dict.fromkeys(("gpu", "nvidia"), "cuda"),
}

TEXT = Values("a text")
SWITCH = Values("0 or 1", _make_range_parser(0, _unlimited))
WHOLE_NUMBER = Values("a whole number", _make_range_parser(-_unlimited, _unlimited))
NUMBER = Values("a number", _make_range_parser(-_unlimited, _unlimited, float))
SECONDS = Values("a number of seconds", _make_range_parser(0, _unlimited, float))


def _parse_byte_size(text):
    """A number of bytes, as DiskCache::configuredMaxBytes reads it."""
    number = text.rstrip("iB") if text[-2:-1].isalpha() else text
    unit = number[-1:].upper()
    factor = {"K": 2**10, "M": 2**20, "G": 2**30}.get(unit, 1)
    return _make_range_parser(0, 9e18, float)(number[:-1] if factor > 1 else number) * factor


class Variable(NamedTuple):
    """A variable. page: the page and heading in docs that describe it, if any. raises: code that needs the value raises
    an exception for a wrong one; all others ignore wrong values."""

    name: str
    meaning: str
    page: str = ""
    values: Values = SWITCH
    raises: bool = False

    def format_advice(self):
        """The advice for a wrong value."""
        return f"set {self.name} to {self.values.description}, or unset it"


class WrongValue(NamedTuple):
    """A variable that is set to a value that it does not accept. name: of the variable that is set, which may be
    numba's."""

    variable: Variable
    name: str
    text: str

    def describe(self):
        return f"{self.name}={self.text} is ignored: the value must be {self.variable.values.description}"

    def format_advice(self):
        text = self.text.lower().strip()
        near = _synonyms.get(text, text)
        if near != self.text and _accepts_text(self.variable.values, near):
            return f"did you mean {self.name}={near}?"
        return self.variable.format_advice().replace(self.variable.name, self.name)


VARIABLES = {
    "Devices": [
        Variable(
            "HEDDLE_DEVICE",
            "the default device: `cpu`, `cuda` or `cuda:<number>`",
            "gpus.md#choosing-a-device",
            values=Values("cpu, cuda or cuda:<number>", _parse_device),
            raises=True,
        ),
        Variable(
            "HEDDLE_NUM_THREADS",
            "the number of threads of the CPU device and of `prange` loops; by default one per processor",
            values=Values("a whole number from 1", _make_range_parser(1, _unlimited)),
        ),
        Variable(
            "HEDDLE_CPU",
            "the processor that the CPU device and host functions compile for: `x86-64-v3` (AVX2), `x86-64-v2` (SSE "
            "4.2), on AArch64 `generic` (NEON), or another LLVM CPU name that the machine supports",
            values=Values(
                "x86-64, x86-64-v2, x86-64-v3, x86-64-v4, generic on AArch64, or the LLVM name of another processor"
            ),
            raises=True,
        ),
        Variable(
            "HEDDLE_WIDTH",
            "the number of threads that the CPU device runs together as vectors: 1 (scalar), 4, 8, 16 or 32",
            values=Values("1, 4, 8, 16 or 32", _make_choice_parser("1", "4", "8", "16", "32")),
        ),
        Variable(
            "HEDDLE_EXIT_TIMEOUT",
            "seconds that a program waits at exit for kernels on the CPU device; by default 10",
            values=SECONDS,
        ),
        Variable(
            "HEDDLE_LIBCUDA",
            "the path of the driver library, if it is not `libcuda.so.1`",
            values=TEXT,
        ),
        Variable(
            "HEDDLE_PTX_OPTIMIZATION",
            "the optimization level of the driver's assembler, 0 to 4: shows whether its optimizer breaks a kernel",
            values=Values("a whole number from 0 to 4", _make_range_parser(0, 4)),
        ),
    ],
    "Compilation and cache": [
        Variable(
            "HEDDLE_CACHE_DIR",
            "the folder in which `cache=True` keeps compiled kernels; only you may have write permission",
            values=TEXT,
        ),
        Variable(
            "HEDDLE_CACHE_MAXSIZE",
            "the size limit of the cache: bytes, or with a suffix, as in `500M`; by default `1G`",
            values=Values(
                "a number of bytes, or a number with the suffix K, M or G", _parse_byte_size
            ),
        ),
        Variable(
            "HEDDLE_PROGRESS",
            "seconds of compilation after which a line on the terminal says what is being compiled; by default 1; "
            "0: never",
            values=SECONDS,
        ),
        Variable(
            "HEDDLE_OPT",
            "0: compiles kernels without optimization unless they pass `opt`",
            values=Values("a whole number from 0 to 3", _parse_optimization_level),
        ),
        Variable(
            "HEDDLE_DISABLE_JIT",
            "1: kernels and host functions run as plain Python",
            "whole_programs.md#kernels-as-plain-python",
        ),
        Variable(
            "HEDDLE_CUDA_NVRTC_EXTRA_SEARCH_PATHS",
            "include folders, separated by colons, for CUDA C++ that Python kernels link",
            values=TEXT,
        ),
    ],
    "Finding mistakes": [
        Variable(
            "HEDDLE_CHECK",
            "1: checks kernels for races and invalid accesses, on the CPU device",
            "check.md#for-a-whole-process",
        ),
        Variable("HEDDLE_CHECK_LINTS", "0: checks do not look for slow code", "check.md#slow-code"),
        Variable(
            "HEDDLE_REPLAY",
            "1 or a folder: records launches that fail on a GPU, for `heddle check FILE`",
            "check.md#failures-on-a-gpu",
            values=TEXT,
        ),
        Variable(
            "HEDDLE_WARNINGS",
            "1: compiling a kernel warns of lossy conversions, such as `range(x / 2)`",
        ),
        Variable(
            "HEDDLE_BOUNDS",
            "0: kernels compiled from then on do not check indices on the CPU device",
        ),
        Variable(
            "HEDDLE_BOUNDSCHECK",
            "1 or 0: turns index checks in host functions on or off, whatever their decorators say",
        ),
        Variable("HEDDLE_CUDA_DEBUGINFO", "1: compiles kernels with `debug=True` by default"),
        Variable("HEDDLE_FULL_TRACEBACKS", "1: tracebacks show the frames in Heddle"),
        Variable(
            "HEDDLE_CUDA_LOW_OCCUPANCY_WARNINGS",
            "1: a launch of fewer than 128 blocks warns (`NumbaPerformanceWarning`)",
        ),
        Variable(
            "HEDDLE_CUDA_WARN_ON_IMPLICIT_COPY", "1: a launch with a NumPy array issues a warning"
        ),
    ],
    "Programs written for numba": [
        Variable(
            "HEDDLE_ENABLE_CUDASIM",
            "1: kernels run on the CPU device, or as plain Python if they do not compile",
        ),
        Variable("HEDDLE_DISABLE_CUDA", "1: `cuda.is_available()` is False"),
        Variable(
            "HEDDLE_CUDA_ARRAY_INTERFACE_SYNC",
            "0: `as_cuda_array` does not wait for the stream that an array names",
        ),
        Variable(
            "HEDDLE_CUDA_MEMORY_MANAGER",
            "the module of an external memory manager",
            "gpus.md#where-data-is",
            values=TEXT,
        ),
        Variable(
            "HEDDLE_CUDA_PER_THREAD_DEFAULT_STREAM",
            "1: work that names no stream uses the per-thread default stream",
        ),
    ],
}

# Variables that Heddle sets for processes that it starts, and for its tests.
INTERNAL_VARIABLES = ("HEDDLE_CHECK_FOLDER", "HEDDLE_TRACE", "HEDDLE_VERIFY")


def list_documented_names():
    """The names in VARIABLES."""
    return {variable.name for rows in VARIABLES.values() for variable in rows}


def find_wrong_values():
    """The variables of the table whose values they do not accept, as WrongValues. Empty values are as if unset."""
    wrong = []
    for variable in _list_variables():
        for name in (variable.name, "NUMBA_" + variable.name.partition("_")[2]):
            text = os.environ.get(name, "")
            if text.strip() and not _accepts_text(variable.values, text):
                wrong.append(WrongValue(variable, name, text))
    return wrong


def find_variable_of_message(message):
    """The variable that an error message begins with; None if there is none."""
    return next((row for row in _list_variables() if message.startswith(f"{row.name}=")), None)


def find_allowed_values(name, default):
    """The values of a setting: those of the table, or values of the default's type for numba's other settings."""
    row = next((row for row in _list_variables() if row.name == name), None)
    if row:
        return row.values
    return {int: WHOLE_NUMBER, float: NUMBER}.get(type(default), TEXT)


def read_switch(name):
    """True if the variable is set to an accepted value other than 0."""
    text = os.environ.get(name, "")
    return _accepts_text(SWITCH, text) and SWITCH.parse(text) != 0


def _accepts_text(values, text):
    try:
        values.parse(text)
    except ValueError:
        return False
    return True


def _list_variables():
    return [variable for rows in VARIABLES.values() for variable in rows]
