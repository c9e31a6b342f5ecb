"""cupy.cuda.compiler: the exception for programs that do not compile."""

from heddle.errors import TypingError as CompileException
from heddle.missing_names import missing_name

__all__ = ["CompileException"]


def __getattr__(name):
    raise missing_name("heddle.cupy.cuda.compiler", name)
