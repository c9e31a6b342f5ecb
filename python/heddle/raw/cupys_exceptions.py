"""Exceptions of raw kernels that are also CuPy's, in programs that have imported CuPy or its substitute.

    except heddle.TypingError                           catches a compile error, with or without CuPy
    except cupy.cuda.compiler.CompileException          catches the same exception if CuPy is imported

Without CuPy they are only Heddle's.
"""

import functools
import sys

from heddle.errors import CompileError

# CUDA error codes, and the driver's messages.
INVALID_VALUE = 1, "CUDA_ERROR_INVALID_VALUE: invalid argument"
FILE_NOT_FOUND = 301, "CUDA_ERROR_FILE_NOT_FOUND: file not found"
NOT_FOUND = 500, "CUDA_ERROR_NOT_FOUND: named symbol not found"
_INVALID_PTX = 218


def make_cupy_compile_error(error, module):
    """Makes a RawModule's CompileError also a CuPy CompileException."""
    theirs = [_find_cupy_class("compiler.CompileException")]
    if module.jitify:
        theirs.append(_find_cupy_class("compiler.JitifyException"))
    # CuPy detects this error when it links NVRTC's output.
    links = module.backend == "nvrtc" and "there is no dynamic parallelism" in str(error)
    if links:
        theirs.append(_find_cupy_class("driver.CUDADriverError"))
    facts = {
        "_colored": error._colored,
        "_msg": str(error),
        "source": module.code or "",
        "name": "<cuda source>",
        "options": module.options,
        "backend": module.backend,
        "status": _INVALID_PTX if links else None,
    }
    return _make_combined_exception(error, theirs, str(error), facts)


def make_cupy_driver_error(error, code):
    """Makes ``error`` also a CuPy CUDADriverError. code: one of the above."""
    if isinstance(error, CompileError):
        return error
    status, meaning = code
    theirs = [_find_cupy_class("driver.CUDADriverError")]
    facts = {"status": status, "why": str(error)}
    return _make_combined_exception(error, theirs, f"{meaning}: {error}", vars(error) | facts)


def _find_cupy_class(path):
    """A class in cupy.cuda; None if there is none."""
    found = sys.modules.get("cupy") or sys.modules.get("heddle.compat.cupy")
    for name in f"cuda.{path}".split("."):
        found = getattr(found, name, None)
    return found


def _make_combined_exception(error, theirs, text, facts):
    """Creates an exception of the classes ``theirs`` and that of ``error``; returns ``error`` if there are none."""
    theirs = [kind for kind in theirs if kind is not None and not isinstance(error, kind)]
    if not theirs:
        return error
    made = _derive_from_heddle_and_cupy_classes(type(error), *theirs)(text)
    vars(made).update(facts)
    return made


@functools.cache
def _derive_from_heddle_and_cupy_classes(own, *theirs):
    def initialize_with_text(self, text):
        Exception.__init__(self, text)  # CuPy's classes build their text from other arguments

    def reduce_exception(self):
        return _restore_exception, (own, str(self), vars(self))

    shown = own if issubclass(own, CompileError) else theirs[0]
    members = {
        "__init__": initialize_with_text,
        "__reduce__": reduce_exception,
        "__module__": shown.__module__,
    }
    if shown is not own:
        members["__str__"] = Exception.__str__  # the text with CUDA's name for the error
    return type(shown.__name__, (own, *theirs), members)


def _restore_exception(own, text, facts):
    """Restores a pickled exception as Heddle's, because the reader may lack CuPy."""
    error = own.__new__(own, text)
    vars(error).update(facts)
    return error
