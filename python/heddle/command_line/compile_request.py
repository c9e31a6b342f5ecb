"""Parses the command line of ``heddle compile``."""

import re

_forms = ("ptx", "asm", "llvm", "simt", "object")
_own_options = {
    "--device": "device",
    "--emit": "emit",
    "-o": "output",
    "--output": "output",
    "--arch": "arch",
    "-arch": "arch",
    "--gpu-architecture": "arch",
    "--cc": "cc",
    "--name": "names",
    "--signature": "signature",
}
_repeatable = ("names",)
# Compiler options whose value may be a separate argument.
_with_value = frozenset(
    [
        *("-D", "--define-macro", "-U", "--undefine-macro", "-I", "--include-path"),
        *("-include", "--pre-include", "-std", "--std", "-fmad", "--fmad", "-ftz", "--ftz"),
        *(
            "-prec-div",
            "--prec-div",
            "-prec-sqrt",
            "--prec-sqrt",
            "-maxrregcount",
            "--maxrregcount",
        ),
    ]
)
_flags_of_python_kernels = {
    "-use_fast_math": "fastmath",
    "-use-fast-math": "fastmath",
    "-G": "debug",
    "--device-debug": "debug",
    "-lineinfo": "lineinfo",
    "--generate-line-info": "lineinfo",
}


class WrongUse(Exception):
    """A usage error in the command line."""


class Failed(Exception):
    """Compiling or writing the code failed. Without arguments: the reason was already printed."""


class Request:
    """The parsed command line. None for a choice that the command line leaves open.

    file: the source. kernel: the name of the Python function, "" for CUDA C++. names: template instances. options: the
    compiler's options. form: a value of --emit. capability: the GPU's compute capability, (major, minor).
    """

    def __init__(self, arguments):
        given, self.options, sources = _parse_arguments(arguments)
        if len(sources) != 1:
            raise WrongUse(
                f"one source at a time, not {', '.join(sources)}"
                if sources
                else "compile what? Name a CUDA C++ file, or a Python file and a kernel"
            )
        self.file, self.kernel = _split_kernel_name(sources[0])
        self.names = given.get("names", [])
        self.signature = given.get("signature")
        if self.kernel and self.names:
            raise WrongUse("--name is for CUDA C++ templates: name a Python kernel after the colon")
        if not self.kernel and self.signature is not None:
            raise WrongUse(
                "--signature is for Python kernels: CUDA C++ kernels declare their types"
            )
        self.form = given.get("emit")
        if self.form is not None and self.form not in _forms:
            raise WrongUse(f"--emit is one of {', '.join(_forms)}, not {self.form!r}")
        self.capability = _parse_capability(given)
        self.device = given.get("device")
        self.output = given.get("output")

    def convert_python_options(self):
        """Converts the compiler options to options of ``cuda.jit``."""
        found = {}
        for option in self.options:
            registers = re.fullmatch(r"--?maxrregcount=(\d{1,3})", option, re.ASCII)
            if registers and int(registers[1]) <= 255:
                found["max_registers"] = int(registers[1])
            elif option in _flags_of_python_kernels:
                found[_flags_of_python_kernels[option]] = True
            else:
                raise WrongUse(
                    f"Python kernels have no option {option!r}; supported are -use_fast_math, -G, -lineinfo, "
                    "-maxrregcount= (0 to 255)"
                )
        return found


def _parse_arguments(arguments):
    """Returns the values of the command's options, the compiler options, and the sources."""
    for argument in arguments:
        _require_valid_unicode(argument)
    given, others, sources = {}, [], []
    rest = iter(arguments)
    for argument in rest:
        name, equals, value = argument.partition("=")
        if name in _own_options:
            value = value if equals else next(rest, None)
            if not value:
                raise WrongUse(f"{name} needs a value")
            key = _own_options[name]
            if key in _repeatable:
                given.setdefault(key, []).append(value)
            elif key in given:
                raise WrongUse(f"{name} is given twice: each command compiles one variant")
            else:
                given[key] = value
        elif argument.startswith("-"):
            others.append(argument)
            if argument in _with_value:
                value = next(rest, None)
                if value is None:
                    raise WrongUse(f"{argument} needs a value")
                others.append(value)
        else:
            sources.append(argument)
    return given, others, sources


def _require_valid_unicode(argument):
    try:
        argument.encode()
    except UnicodeEncodeError:
        raise WrongUse(f"{argument!r} is not valid Unicode") from None
    if "\0" in argument:
        raise WrongUse(f"{argument!r} has a NUL byte")


def _split_kernel_name(source):
    """Splits "file.py:kernel" into the file and the kernel; the kernel is "" for CUDA C++."""
    file, colon, kernel = source.rpartition(":")
    if colon and file.endswith(".py"):
        if not kernel:
            raise WrongUse(f"{source!r} names no kernel: write {file}:kernel")
        return file, kernel
    if source.endswith(".py"):
        raise WrongUse(f"which kernel of {source!r}? Write {source}:kernel")
    return source, ""


def _parse_capability(given):
    arch, cc = given.get("arch"), given.get("cc")
    if arch and cc:
        raise WrongUse("--arch and --cc mean the same: give one of them")
    if not arch and not cc:
        return None
    if not re.match(r"(sm|compute)_\d" if arch else r"\d+\.\d+$", arch or cc, re.ASCII):
        raise WrongUse(
            f"--arch is written sm_90, not {arch!r}" if arch else f"--cc is written 9.0, not {cc!r}"
        )
    from heddle.compiler.architectures import parse_architecture  # late: loads the compiler

    try:
        return parse_architecture(arch or cc)
    except ValueError as error:
        raise WrongUse(error) from None
