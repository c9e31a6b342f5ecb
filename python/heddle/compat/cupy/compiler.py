"""cupy.cuda.compiler: the exceptions for programs that do not compile, and compile_using_nvrtc()."""

import re

from heddle import _heddle
from heddle.compiler.architectures import parse_architecture
from heddle.compiler.compile_ahead import default_capability
from heddle.cuda.native_devices import current_native
from heddle.errors import CompileError
from heddle.raw.cupys_exceptions import make_cupy_compile_error
from heddle.raw.modules import RawModule
from heddle.support.missing_names import make_missing_name_error

__all__ = ["CompileException", "JitifyException", "compile_using_nvrtc"]


class CompileException(Exception):
    """A program does not compile. The exceptions that heddle raises also derive from heddle.TypingError.

    source: the program's text. name: its file name. options: the compiler options. backend: "nvrtc" or "nvcc".
    """

    def __init__(self, msg, source, name, options, backend="nvrtc"):
        super().__init__(msg)
        self._msg = msg
        self.source, self.name = source, name
        self.options, self.backend = options, backend

    def __reduce__(self):
        return type(self), (self._msg, self.source, self.name, self.options, self.backend)

    def get_message(self):
        """The compiler's message text."""
        return self._msg

    def dump(self, f):
        """Write the messages and the program, with line numbers, to the file ``f``."""
        lines = self.source.split("\n")
        width = len(str(len(lines)))
        numbered = [f"{k:0{width}d} {line}".rstrip() for k, line in enumerate(lines, 1)]
        head = [
            f"{self.backend.upper()} compilation error: {self.get_message()}",
            "-----",
            f"Name: {self.name}",
            f"Options: {' '.join(self.options)}",
            "CUDA source:",
        ]
        f.write("\n".join([*head, *numbered, "-----", ""]))
        f.flush()


class JitifyException(Exception):
    """A program with ``jitify=True`` does not compile."""


def compile_using_nvrtc(
    source,
    options=(),
    arch=None,
    filename="kern.cu",
    name_expressions=None,
    log_stream=None,
    cache_in_memory=False,
    jitify=False,
):
    """Compile a program to PTX. Returns (the PTX as bytes, None), or with name_expressions (PTX, {expression: symbol}).

    arch: "75" means compute capability 7.5; None means that of the current GPU. Raises ValueError for unknown ones, and
    CompileException for a program that does not compile.
    """
    names = list(name_expressions or ())
    module = RawModule(code=source, options=tuple(options), name_expressions=names, jitify=jitify)
    try:
        code, log, _ = _heddle.compile_cuda_ahead(
            source,
            filename,
            _heddle.CudaOptions(list(options)),
            names,
            "cuda",
            _parse_capability(arch),
            "asm",
        )
    except CompileError as error:
        raise make_cupy_compile_error(error, module) from None
    if log_stream is not None:
        log_stream.write(log)
    code = code.encode() if isinstance(code, str) else code
    return code, _map_names_to_symbols(module, names) if names else None


def _parse_capability(arch):
    if arch is None:
        return None if current_native().type == "cuda" else default_capability
    return parse_architecture(str(arch))


def _map_names_to_symbols(module, names):
    return {name: module.get_function(name).kernel.symbol for name in names}


def is_valid_kernel_name(name):
    """True if ``name`` is allowed as a kernel name."""
    return re.fullmatch("[a-zA-Z_][a-zA-Z_0-9]*", name) is not None


def __getattr__(name):
    raise make_missing_name_error("heddle.cupy.cuda.compiler", name)
