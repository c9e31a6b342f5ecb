"""Exceptions of raw kernels that are CuPy's, too, in a program that has imported CuPy or what stands in for it.

    except heddle.TypingError                           catches a program that does not compile, with or without CuPy
    except cupy.cuda.compiler.CompileException          catches the same object where there is CuPy

Without CuPy they are heddle's own.
"""

import functools
import sys

from heddle.errors import CompileError

# CUDA's codes, and what the driver says of them.
INVALID_VALUE = 1, "CUDA_ERROR_INVALID_VALUE: invalid argument"
FILE_NOT_FOUND = 301, "CUDA_ERROR_FILE_NOT_FOUND: file not found"
NOT_FOUND = 500, "CUDA_ERROR_NOT_FOUND: named symbol not found"
_INVALID_PTX = 218


def compile_error(error, module):
    """``error``, a CompileError of a RawModule, as CuPy's CompileException, too."""
    theirs = [_cupys("compiler.CompileException")]
    if module.jitify:
        theirs.append(_cupys("compiler.JitifyException"))
    # CuPy finds this one out when it links what NVRTC has compiled.
    links = module.backend == "nvrtc" and "there is no dynamic parallelism" in str(error)
    if links:
        theirs.append(_cupys("driver.CUDADriverError"))
    facts = {
        "_coloured": error._coloured,
        "_msg": str(error),
        "source": module.code or "",
        "name": "<cuda source>",
        "options": module.options,
        "backend": module.backend,
        "status": _INVALID_PTX if links else None,
    }
    return _both(error, theirs, str(error), facts)


def driver_error(error, code):
    """``error`` as CuPy's CUDADriverError, too. code: one of the above."""
    if isinstance(error, CompileError):
        return error
    status, meaning = code
    theirs = [_cupys("driver.CUDADriverError")]
    facts = {"status": status, "why": str(error)}
    return _both(error, theirs, f"{meaning}: {error}", vars(error) | facts)


def _cupys(path):
    """A class of cupy.cuda's; None where there is none."""
    found = sys.modules.get("cupy") or sys.modules.get("heddle.compat.cupy")
    for name in f"cuda.{path}".split("."):
        found = getattr(found, name, None)
    return found


def _both(error, theirs, text, facts):
    """An exception of the classes ``theirs`` and of ``error``'s; ``error`` itself where there are none."""
    theirs = [kind for kind in theirs if kind is not None and not isinstance(error, kind)]
    if not theirs:
        return error
    made = _class_of(type(error), *theirs)(text)
    vars(made).update(facts)
    return made


@functools.cache
def _class_of(own, *theirs):
    def initialise(self, text):
        Exception.__init__(self, text)  # CuPy's classes make their texts from other arguments

    def reduce(self):
        return _restored, (own, str(self), vars(self))

    shown = own if issubclass(own, CompileError) else theirs[0]
    members = {"__init__": initialise, "__reduce__": reduce, "__module__": shown.__module__}
    if shown is not own:
        members["__str__"] = Exception.__str__  # the text with CUDA's name of the error
    return type(shown.__name__, (own, *theirs), members)


def _restored(own, text, facts):
    """A pickled exception, as one of heddle's: the reader may have no CuPy."""
    error = own.__new__(own, text)
    vars(error).update(facts)
    return error
