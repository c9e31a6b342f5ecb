"""cupy.cuda.compiler: the exceptions for programs that do not compile."""

import re

from heddle.missing_names import missing_name

__all__ = ["CompileException", "JitifyException"]


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


def is_valid_kernel_name(name):
    """Whether a kernel may be called so."""
    return re.fullmatch("[a-zA-Z_][a-zA-Z_0-9]*", name) is not None


def __getattr__(name):
    raise missing_name("heddle.cupy.cuda.compiler", name)
