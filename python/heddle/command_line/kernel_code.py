"""Compiles the request of a ``heddle compile`` command."""

import importlib.util
import os
import sys
import types

from heddle import _heddle, compat
from heddle.command_line.compile_request import Failed, WrongUse
from heddle.command_line.run_program import report_exception
from heddle.command_line.source_files import read_nonempty_text, read_python_bytes
from heddle.compiler.compile_ahead import default_capability
from heddle.compiler.dispatcher import Dispatcher
from heddle.compiler.host_dispatcher import HostDispatcher
from heddle.compiler.signatures import parse_signature
from heddle.cuda.native_devices import current_native
from heddle.errors import HeddleError


class Target:
    """The target of a Request and the output file, with every default resolved.

    device: "cuda" or "cpu". capability: None for that of the installed GPU. form: "asm" also for PTX. output: a file
    name, or "-". reserved_stdout: a binary file for the code, if standard output is reserved for it.
    """

    def __init__(self, request):
        try:
            here = current_native().type
        except ValueError as error:  # $HEDDLE_DEVICE names an unknown device
            raise Failed(f"heddle compile: {error}") from None
        self.capability = request.capability
        self.device = request.device
        if self.device is None:
            self.device = "cuda" if request.form == "ptx" or self.capability else here
        if self.device not in ("cuda", "cpu"):
            raise WrongUse(f"--device is cuda or cpu, not {self.device!r}")
        if self.device == "cpu" and request.form == "ptx":
            raise WrongUse("the CPU has no PTX: use --emit asm, or --device cuda")
        if self.device == "cpu" and self.capability:
            raise WrongUse("--arch and --cc are for GPUs: CPU code is for this processor")
        if self.device == "cuda" and here != "cuda" and not self.capability:
            self.capability = default_capability
        self.form = "asm" if request.form in (None, "ptx") else request.form
        self.output = request.output or self._choose_default_output(request.file)
        self.reserved_stdout = None

    def reserve_stdout(self):
        """Reserves standard output for the code: other output, also that of kernels, goes to standard error."""
        if sys.stdout is None or sys.stderr is None:  # closed by the caller
            return
        sys.stdout.flush()
        self.reserved_stdout = os.fdopen(os.dup(1), "wb")
        os.dup2(2, 1)
        sys.stdout = sys.stderr

    def _choose_default_output(self, source):
        if self.form != "object":
            return "-"
        stem = os.path.splitext(os.path.basename(source))[0]
        return stem + (".o" if self.device == "cpu" else ".cubin")


def compile_code(request, target):
    """Compiles the request. Returns the code, as bytes, and the warnings. Raises Failed, WrongUse and UnusableFile."""
    return _compile_python(request, target) if request.kernel else _compile_cuda(request, target)


def _compile_cuda(request, target):
    source = read_nonempty_text(request.file)
    folder = os.path.dirname(request.file) or "."
    try:
        options = _heddle.CudaOptions([*request.options, "-I", folder])
    except ValueError as error:
        raise WrongUse(error) from None
    code, log, kernels = call_compiler_or_fail(
        lambda: _heddle.compile_cuda_ahead(
            source,
            request.file,
            options,
            request.names,
            target.device,
            target.capability,
            target.form,
        )
    )
    if not kernels:
        log += (
            f"{request.file}: there is no kernel in this program\n"
            "  hint: --name instantiates a template as a kernel: --name 'scale<float>'\n"
        )
    return code, log


def _compile_python(request, target):
    options = request.convert_python_options()
    read_python_bytes(request.file)
    signature = request.signature and parse_given_signature(request.signature)
    target.reserve_stdout()
    found = _find_function(_load_module(request.file), request.kernel, request.file)
    if isinstance(found, HostDispatcher):
        signature = signature or _get_only_declared_signature(found, request.kernel)
        return compile_host_code_to_text(found, signature, request).encode(), ""
    function = found.py_func if isinstance(found, Dispatcher) else found
    declared = found.targetoptions if isinstance(found, Dispatcher) else {}
    dispatcher = Dispatcher(function, {**declared, **options})
    code, _ = call_compiler_or_fail(
        lambda: _heddle.compile_ahead(
            dispatcher,
            signature or _get_only_declared_signature(found, request.kernel),
            function.__name__,
            target.device,
            target.capability,
            target.form,
        )
    )
    return code, ""


def compile_host_code_to_text(function, signature, request):
    """The code of a host function for this processor, as text."""
    if request.device == "cuda" or request.capability or request.form not in (None, "asm", "llvm"):
        raise WrongUse(
            f"{function.py_func.__name__} is a host function: it has --emit asm or llvm, for this processor"
        )
    alone = HostDispatcher(function.py_func, function.targetoptions, function.compiled_options)
    call_compiler_or_fail(lambda: alone.compile(signature))
    (code,) = (alone.inspect_llvm if request.form == "llvm" else alone.inspect_asm)().values()
    return code


def parse_given_signature(signature):
    """Parses a signature. Raises WrongUse if it is malformed."""
    try:
        return parse_signature(signature)
    except TypeError as error:
        raise WrongUse(error) from None


def _get_only_declared_signature(function, name):
    declared = getattr(function, "declared", ())
    if len(declared) == 1:
        return declared[0]
    reason = "declares several signatures" if declared else "declares no signature"
    raise WrongUse(
        f"{name} {reason}: give the types of its arguments, as in "
        "--signature 'void(float32[:], int32)'"
    )


def _load_module(file):
    """Imports a file as a module. Reports an exception as Python does, then raises Failed."""
    compat.install()
    folder = os.path.dirname(os.path.abspath(file))
    name = os.path.splitext(os.path.basename(file))[0]
    while name in sys.modules:  # the file is named like a module of Heddle or Python
        name += "_"
    sys.path.insert(0, folder)
    spec = importlib.util.spec_from_file_location(name, file)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        report_exception(error)
        raise Failed from None
    return module


def _find_function(module, name, file):
    """Finds a kernel, device function, jitted function or plain function by name, such as "Model.step" in a class."""
    found = module
    for part in name.split("."):
        found = vars(found).get(part) if isinstance(found, (type, types.ModuleType)) else None
    found = found.__func__ if isinstance(found, staticmethod) else found
    if isinstance(found, (Dispatcher, HostDispatcher, types.FunctionType)):
        return found
    compiled = (Dispatcher, HostDispatcher)
    known = [key for key, value in vars(module).items() if isinstance(value, compiled)]
    reason = f"{name!r} is not a function" if found is not None else f"there is no {name!r}"
    raise Failed(
        f"{file}: {reason} in this file; its kernels and jitted functions are: {', '.join(known) or 'none'}"
    )


def call_compiler_or_fail(compile):
    """Calls compile. Turns the compiler's errors into Failed, with the message for the user."""
    try:
        return compile()
    except (HeddleError, TypeError, ValueError, NotImplementedError, MemoryError) as error:
        raise Failed(str(error)) from None
