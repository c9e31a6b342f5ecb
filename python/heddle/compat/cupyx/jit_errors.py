"""What a kernel of ``cupyx.jit`` raises where it cannot be compiled: heddle's error, which is one of Python's, too."""

import contextlib
import functools

from heddle.errors import CompileError


@contextlib.contextmanager
def cupys_errors():
    """Context manager: a CompileError inside is a TypeError and a ValueError, too; of an unknown name, a NameError.

    CuPy raises one of these by what it finds first.
    """
    try:
        yield
    except CompileError as error:
        is_name = " is not defined" in str(error).partition("\n")[0]
        made = _class_of(type(error), is_name)(*map(_in_cupys_words, error.args))
        vars(made).update(vars(error))
        raise made.with_traceback(error.__traceback__) from None


def _in_cupys_words(text):
    if not isinstance(text, str):
        return text
    return text.replace("@cuda.jit(device=True)", "@jit.rawkernel(device=True)").replace(
        "with @cuda.jit\n", "with @jit.rawkernel()\n"
    )


@functools.cache
def _class_of(kind, is_name):
    theirs = (NameError, TypeError, ValueError) if is_name else (TypeError, ValueError)
    bases = (kind, *(base for base in theirs if not issubclass(kind, base)))
    return type(kind.__name__, bases, {"__module__": kind.__module__, "__doc__": kind.__doc__})
