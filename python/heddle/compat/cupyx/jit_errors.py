"""The exceptions of ``cupyx.jit`` kernels that do not compile: Heddle's, which are also Python's."""

import contextlib
import functools

from heddle.errors import CompileError


@contextlib.contextmanager
def translate_compile_errors():
    """Context manager that makes a CompileError also a TypeError and ValueError; for an unknown name, also a NameError.

    CuPy raises one of these, depending on which mistake it finds first.
    """
    try:
        yield
    except CompileError as error:
        is_name = " is not defined" in str(error).partition("\n")[0]
        made = _make_error_class(type(error), is_name)(
            *map(_replace_names_by_cupy_names, error.args)
        )
        vars(made).update(vars(error))
        raise made.with_traceback(error.__traceback__) from None


def _replace_names_by_cupy_names(text):
    if not isinstance(text, str):
        return text
    return text.replace("@cuda.jit(device=True)", "@jit.rawkernel(device=True)").replace(
        "with @cuda.jit\n", "with @jit.rawkernel()\n"
    )


@functools.cache
def _make_error_class(kind, is_name):
    theirs = (NameError, TypeError, ValueError) if is_name else (TypeError, ValueError)
    bases = (kind, *(base for base in theirs if not issubclass(kind, base)))
    return type(kind.__name__, bases, {"__module__": kind.__module__, "__doc__": kind.__doc__})
