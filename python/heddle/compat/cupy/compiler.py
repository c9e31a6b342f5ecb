"""cupy.cuda.compiler: the exceptions for programs that do not compile."""

import re

from heddle import _heddle
from heddle.compiler.compile_ahead import default_capability
from heddle.cuda.native_devices import current_native
from heddle.errors import CompileError
from heddle.missing_names import missing_name
from heddle.raw.cupys_exceptions import compile_error
from heddle.raw.modules import RawModule

__all__ = ["CompileException", "JitifyException", "compile_using_nvrtc"]


class CompileException(Exception):
    """A program does not compile. What heddle raises is a heddle.TypingError, too.

    source: the program. name: its file. options: the compiler's. backend: "nvrtc" or "nvcc".
    """

    def __init__(self, msg, source, name, options, backend="nvrtc"):
        super().__init__(msg)
        self._msg = msg
        self.source, self.name = source, name
        self.options, self.backend = options, backend

    def __reduce__(self):
        return type(self), (self._msg, self.source, self.name, self.options, self.backend)

    def get_message(self):
        """The compiler's messages."""
        return self._msg

    def dump(self, f):
        """Writes the messages and the program with its lines' numbers to a file."""
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
    """A program of ``jitify=True`` does not compile."""


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
    """PTX of a program, as bytes, and None; with name_expressions the symbol of each, too: a dict.

    arch: "75" is compute capability 7.5; that of the current GPU when None. Raises CompileException.
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
            _capability(arch),
            "asm",
        )
    except CompileError as error:
        raise compile_error(error, module) from None
    if log_stream is not None:
        log_stream.write(log)
    code = code.encode() if isinstance(code, str) else code
    return code, _symbols(module, names) if names else None


def _capability(arch):
    if arch is None:
        return None if current_native().type == "cuda" else default_capability
    return divmod(int(str(arch).removeprefix("sm_").removeprefix("compute_")), 10)


def _symbols(module, names):
    return {name: module.get_function(name).kernel.symbol for name in names}


def is_valid_kernel_name(name):
    """Whether a kernel may be called so."""
    return re.fullmatch("[a-zA-Z_][a-zA-Z_0-9]*", name) is not None


def __getattr__(name):
    raise missing_name("heddle.cupy.cuda.compiler", name)
