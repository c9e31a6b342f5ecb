"""``heddle compile``: the code of kernels, shown or written to a file, without a launch."""

import importlib.util
import os
import re
import sys

_usage = """\
usage: heddle compile kernel.cu [options] [compiler options]
       heddle compile module.py:kernel --signature "void(float32[:], int32)" [options]
"""

_help = f"""\
{_usage}
Compiles a program in CUDA C++, or a kernel of a Python file, and shows its code. Nothing is launched; no GPU and no
CUDA toolkit is needed.

  --device cuda|cpu        what the code is for: a GPU or this machine's processor. When it is left out: a GPU with
                           --emit ptx or --arch, else the device that kernels run on here (see 'heddle info')
  --emit FORM              ptx     the GPU's assembly: the default for it
                           asm     the device's assembly (PTX for a GPU): the default for the CPU
                           llvm    LLVM IR for the device, optimised
                           simt    SIMT IR: what the device's compiler begins with
                           object  machine code: an ELF object whose '<kernel>.entry' Heddle's runtime calls; a cubin
                                   for a GPU, which its driver makes: only where the GPU is present
  -o FILE                  write to FILE ('-' is the standard output). Without it text is shown, and an object goes to
                           a file named after the source: kernel.o, kernel.cubin
  --arch sm_90, --cc 9.0   the GPU's architecture. When it is left out: that of the GPU that is present, else sm_75
  --name EXPR              CUDA C++: an instance of a template that is to be a kernel, 'scale<float>'; may be repeated
  --signature TYPES        Python: the types of the kernel's arguments; may be left out when the kernel declares them

Compiler options of CUDA C++: -std= -D -U -I -include -use_fast_math -fmad= -G -lineinfo -maxrregcount= -w. Headers are
looked for beside the source, too. Python kernels take -use_fast_math -G -lineinfo -maxrregcount=.

Exit code: 0, 1 when the program is wrong (the message shows where), 2 for a wrong use of this command.

  heddle compile saxpy.cu                                          PTX for this machine's GPU, or for sm_75
  heddle compile saxpy.cu --arch sm_90 -o saxpy.ptx
  heddle compile blur.cu --name 'blur<float>' --name 'blur<double>' -DRADIUS=3
  heddle compile saxpy.cu --device cpu --emit asm
  heddle compile saxpy.cu --device cpu --emit object               writes saxpy.o
  heddle compile model.py:step --signature 'void(float32[:], int32)' --emit ptx
"""

_forms = ("ptx", "asm", "llvm", "simt", "object")
_own = {
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
# The compiler's options whose value may be the next argument.
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
_python_flags = {
    "-use_fast_math": "fastmath",
    "-use-fast-math": "fastmath",
    "-G": "debug",
    "--device-debug": "debug",
    "-lineinfo": "lineinfo",
    "--generate-line-info": "lineinfo",
}


class _WrongUse(Exception):
    """The command line says what cannot be done."""


class _Failed(Exception):
    """The program cannot be compiled, or its code not be written."""


def run(arguments):
    """``heddle compile`` with these arguments. Returns the exit code."""
    if any(argument in ("-h", "--help") for argument in arguments):
        print(_help, end="")
        return 0
    try:
        order = _Order(arguments)
        code, warnings = order.compiled()
        if warnings:
            print(warnings.rstrip("\n"), file=sys.stderr)
        _write(code, order)
    except _WrongUse as error:
        message = f"heddle compile: {error}\n{_usage}'heddle compile --help' tells the options\n"
        print(message, end="", file=sys.stderr)
        return 2
    except _Failed as error:
        if error.args:
            print(error, file=sys.stderr)
        return 1
    return 0


class _Order:
    """What the command line asks for."""

    def __init__(self, arguments):
        given, self.options, sources = _read(arguments)
        if len(sources) != 1:
            raise _WrongUse(
                f"one source at a time, not {', '.join(sources)}"
                if sources
                else "compile what? Name a file of CUDA C++, or a Python file and its kernel"
            )
        self.file, self.kernel = _split(sources[0])
        self.names = given.pop("names", [])
        self.signature = given.pop("signature", None)
        if self.kernel and self.names:
            raise _WrongUse("--name is for templates of CUDA C++: the kernel follows the colon")
        if not self.kernel and self.signature is not None:
            raise _WrongUse("--signature is for Python kernels: CUDA C++ has its own types")
        self._choose_code(given)
        self.output = given.get("output") or self._usual_output()

    def _choose_code(self, given):
        from heddle.cuda.devices import current_native

        form = given.get("emit")
        if form is not None and form not in _forms:
            raise _WrongUse(f"--emit is one of {', '.join(_forms)}, not {form!r}")
        self.capability = _capability(given)
        self.device = given.get("device")
        try:
            here = current_native().type
        except ValueError as error:  # $HEDDLE_DEVICE names a device that there is not
            raise _Failed(f"heddle compile: {error}") from None
        if self.device is None:
            self.device = "cuda" if form == "ptx" or self.capability else here
        if self.device not in ("cuda", "cpu"):
            raise _WrongUse(f"--device is cuda or cpu, not {self.device!r}")
        if self.device == "cpu" and form == "ptx":
            raise _WrongUse("the CPU has no PTX: use --emit asm, or --device cuda")
        if self.device == "cpu" and self.capability:
            raise _WrongUse("--arch and --cc are a GPU's: the CPU's code is for this processor")
        if self.device == "cuda" and here != "cuda" and not self.capability:
            from heddle.compile_ahead import default_capability

            self.capability = default_capability
        self.form = "asm" if form in (None, "ptx") else form

    def _usual_output(self):
        if self.form != "object":
            return "-"
        stem = os.path.splitext(os.path.basename(self.file))[0]
        return stem + (".o" if self.device == "cpu" else ".cubin")

    def compiled(self):
        """The code, as bytes, and warnings."""
        if not os.path.exists(self.file):
            raise _WrongUse(f"there is no file {self.file!r}")
        if os.path.isdir(self.file):
            raise _WrongUse(f"{self.file!r} is a folder: name a file")
        return self._of_python() if self.kernel else self._of_cuda()

    def _of_cuda(self):
        from heddle import _heddle

        try:
            with open(self.file, encoding="utf-8") as file:
                source = file.read()
        except (OSError, UnicodeDecodeError) as error:
            raise _Failed(f"heddle compile: cannot read {self.file!r}: {error}") from None
        folder = os.path.dirname(self.file) or "."
        try:
            options = _heddle.CudaOptions([*self.options, "-I", folder])
        except ValueError as error:
            raise _WrongUse(error) from None
        code, log, kernels = _checked(
            lambda: _heddle.compile_cuda_ahead(
                source, self.file, options, self.names, self.device, self.capability, self.form
            )
        )
        if not kernels:
            log += (
                f"{self.file}: there is no kernel in this program\n"
                "  hint: a template is a kernel once --name has an instance of it: --name 'scale<float>'\n"
            )
        return code, log

    def _of_python(self):
        from heddle import _heddle
        from heddle.dispatcher import Dispatcher

        options = _python_options(self.options)
        signature = self.signature and _parsed(self.signature)
        found = _find(_loaded(self.file), self.kernel, self.file)
        function = found.py_func if isinstance(found, Dispatcher) else found
        declared = found.targetoptions if isinstance(found, Dispatcher) else {}
        dispatcher = Dispatcher(function, {**declared, **options})
        code, _ = _checked(
            lambda: _heddle.compile_ahead(
                dispatcher,
                signature or self._declared_by(found),
                function.__name__,
                self.device,
                self.capability,
                self.form,
            )
        )
        return code, ""

    def _declared_by(self, found):
        declared = getattr(found, "declared", ())
        if len(declared) == 1:
            return declared[0]
        reason = "declares several signatures" if declared else "declares no signature"
        raise _WrongUse(
            f"{self.kernel} {reason}: name the types of its arguments, as in "
            "--signature 'void(float32[:], int32)'"
        )


def _parsed(signature):
    from heddle.signatures import parse_signature

    try:
        return parse_signature(signature)
    except TypeError as error:
        raise _WrongUse(error) from None


def _read(arguments):
    """The command's own options, those of the compiler, and the sources."""
    for argument in arguments:
        _require_text(argument)
    given, others, sources = {}, [], []
    rest = iter(arguments)
    for argument in rest:
        name, equals, value = argument.partition("=")
        if name in _own:
            value = value if equals else next(rest, None)
            if not value:
                raise _WrongUse(f"{name} needs a value")
            key = _own[name]
            if key in _repeatable:
                given.setdefault(key, []).append(value)
            elif key in given:
                raise _WrongUse(f"{name} is given twice: one command makes one code")
            else:
                given[key] = value
        elif argument.startswith("-"):
            others.append(argument)
            if argument in _with_value:
                value = next(rest, None)
                if value is None:
                    raise _WrongUse(f"{argument} needs a value")
                others.append(value)
        else:
            sources.append(argument)
    return given, others, sources


def _require_text(argument):
    try:
        argument.encode()
    except UnicodeEncodeError:
        raise _WrongUse(f"{argument!r} is not valid Unicode") from None
    if "\0" in argument:
        raise _WrongUse(f"{argument!r} has a NUL byte in it")


def _split(source):
    """A file, and the kernel in it that the colon names: "" for CUDA C++."""
    file, colon, kernel = source.rpartition(":")
    if colon and file.endswith(".py"):
        if not kernel:
            raise _WrongUse(f"{source!r} names no kernel: write {file}:kernel")
        return file, kernel
    if source.endswith(".py"):
        raise _WrongUse(f"which kernel of {source!r}? Write {source}:kernel")
    return source, ""


def _capability(given):
    arch, cc = given.get("arch"), given.get("cc")
    if arch and cc:
        raise _WrongUse("--arch and --cc say the same: give one of them")
    pattern = r"(?:sm|compute)_(\d{1,2})(\d)" if arch else r"(\d{1,2})\.(\d)"
    if not arch and not cc:
        return None
    found = re.fullmatch(pattern, arch or cc, re.ASCII)
    if not found:
        raise _WrongUse(
            f"--arch is written sm_90, not {arch!r}" if arch else f"--cc is written 9.0, not {cc!r}"
        )
    return int(found[1]), int(found[2])


def _python_options(options):
    found = {}
    for option in options:
        registers = re.fullmatch(r"--?maxrregcount=(\d{1,3})", option, re.ASCII)
        if registers and int(registers[1]) <= 255:
            found["max_registers"] = int(registers[1])
        elif option in _python_flags:
            found[_python_flags[option]] = True
        else:
            raise _WrongUse(
                f"Python kernels have no option {option!r}; known are -use_fast_math, -G, -lineinfo, "
                "-maxrregcount= (0 to 255)"
            )
    return found


def _loaded(file):
    """The module that a file makes; what it raises is shown as Python would show it."""
    from heddle import compat
    from heddle.run_program import report

    compat.install()
    folder = os.path.dirname(os.path.abspath(file))
    name = os.path.splitext(os.path.basename(file))[0]
    if name in sys.modules:  # a file that is called like one of ours, or of Python's
        name = "__main__"
    sys.path.insert(0, folder)
    spec = importlib.util.spec_from_file_location(name, file)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        report(error)
        raise _Failed from None
    return module


def _find(module, name, file):
    """The kernel, device function or plain function of that name, "Model.step" for one in a class."""
    import types

    from heddle.dispatcher import Dispatcher

    found = module
    for part in name.split("."):
        found = vars(found).get(part) if isinstance(found, (type, types.ModuleType)) else None
    found = found.__func__ if isinstance(found, staticmethod) else found
    if isinstance(found, (Dispatcher, types.FunctionType)):
        return found
    kernels = [key for key, value in vars(module).items() if isinstance(value, Dispatcher)]
    reason = f"{name!r} is no function" if found is not None else f"there is no {name!r}"
    raise _Failed(f"{file}: {reason} in it; its kernels are: {', '.join(kernels) or 'none'}")


def _checked(compile):
    """The result; a message for the user where the compiler refuses."""
    from heddle.errors import HeddleError

    try:
        return compile()
    except (HeddleError, TypeError, ValueError, NotImplementedError, MemoryError) as error:
        raise _Failed(str(error)) from None


def _write(code, order):
    if order.output == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(code)
        sys.stdout.buffer.flush()
        return
    try:
        with open(order.output, "wb") as file:
            file.write(code)
    except OSError as error:
        raise _Failed(f"heddle compile: cannot write {order.output!r}: {error.strerror}") from None
