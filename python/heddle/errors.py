"""What heddle raises, under heddle's names and under numba's.

    HeddleError
      CompileError              the function cannot be compiled; the text shows the line and the reason
        TypingError             types do not fit, or a name is unknown
          UnsupportedError      valid Python that heddle does not compile
          UnsupportedDtype      (also a TypeError and a NotImplementedError)
          ConstantError         (also a ValueError)
          ResultError           (also a TypeError)
          MemberError           (also an AttributeError and a KeyError)
          ArgumentError         (also a TypeError and a ValueError)
        LoweringError           the device cannot run the kernel (resources, limits)
        InternalError           a bug in heddle
      KernelRuntimeError        a running kernel stopped (also a RuntimeError)
      CudaSupportError          no usable device (also a RuntimeError)
      CudaDriverError           a driver call failed
        CudaAPIError            ... with the driver's error code
          LaunchShapeError      (also a ValueError)
          DeviceMemoryError     (also a MemoryError)
          EventError            (also a ValueError)
      RemovedOptionError        (also a TypeError)
      LinkerError               code that a kernel cannot be linked with (also a RuntimeError)

Names from numba.core.errors that heddle does not raise itself are aliases of the class that it raises in that
situation, so that ``except numba.core.errors.NumbaTypeError`` catches heddle's TypingError.

``str(error)`` is plain text. Where Python itself prints the traceback of an error that ends a program, and in IPython,
the message of a CompileError is coloured: when standard error is a terminal and NO_COLOR is not set, or always with
FORCE_COLOR.
"""

import numbers
import os
import sys


class HeddleError(Exception):
    """Base of every error that heddle raises on its own account."""


class CompileError(HeddleError):
    """A function cannot be compiled. The text names file and line and shows the expression."""

    _coloured = None  # the same text with a terminal's colours; the compiler sets it

    @property
    def msg(self):
        """The message, as numba's errors have it."""
        return Exception.__str__(self)

    def __str__(self):
        if self._coloured and _is_printed_in_colour(1):
            return self._coloured
        return Exception.__str__(self)  # not KeyError's, which quotes


class TypingError(CompileError):
    """The types in an expression do not fit, or a name is unknown."""


class UnsupportedDtype(TypingError, TypeError, NotImplementedError):
    """A NumPy dtype that kernels have no type for."""


class ConstantError(TypingError, ValueError):
    """A constant is out of its range: an extent of an array, a number of dimensions."""


class OptionError(TypingError, TypeError, ValueError):
    """A decorator has no such option, or its option no such value."""


class ResultError(TypingError, TypeError):
    """A kernel returns a value."""


class MemberError(TypingError, AttributeError, KeyError):
    """A module, a class or a record has no such name."""


class UnsupportedError(TypingError):
    """Valid Python that heddle does not compile."""


class LoweringError(CompileError):
    """The device cannot run the kernel: it needs too many resources, or an operation that the device lacks."""


class InternalError(CompileError):
    """A broken promise inside heddle: always a bug in heddle, never in the program."""


class ArgumentError(TypingError, TypeError, ValueError):
    """A value that is of no type that kernels have."""


class DeviceFunctionError(HeddleError, TypeError, RuntimeError):
    """A device function is launched."""


class RemovedOptionError(HeddleError, TypeError):
    """An option of ``cuda.jit`` that numba had once."""


class KernelRuntimeError(HeddleError, RuntimeError):
    """A running kernel stopped.

    tid, ctaid: indices of the thread in its block and of the block in its grid, tuples (x, y, z), or None.
    """

    def __init__(self, msg, tid=None, ctaid=None):
        super().__init__(msg)
        self.msg = msg
        self.tid = tid
        self.ctaid = ctaid


class CudaSupportError(HeddleError, RuntimeError, ImportError):
    """The program needs a device, or a feature of a device, that this machine does not have."""


class CCSupportError(CudaSupportError):
    """Nothing can be compiled for a GPU of this compute capability."""


class CudaDriverError(HeddleError):
    """A call to a device's driver failed."""


class CudaAPIError(CudaDriverError):
    """A call to a device's driver failed with the error ``code``."""

    def __init__(self, code, msg):
        super().__init__(code, msg)
        self.code = code
        self.msg = msg

    def __str__(self):
        return f"[{self.code}] {self.msg}"


class LaunchShapeError(CudaAPIError, ValueError):
    """A grid, a block or an amount of shared memory that the device cannot launch; ``code`` is CUDA's for it."""

    def __str__(self):
        return self.msg


class DeviceMemoryError(CudaAPIError, MemoryError):
    """No memory is left, on a device or for it; ``code`` is CUDA's for it."""

    def __init__(self, msg):
        super().__init__(2, msg)

    def __str__(self):
        return self.msg

    def __reduce__(self):
        return type(self), (self.msg,)


class EventError(CudaAPIError, ValueError):
    """Events that say no time; ``code`` is CUDA's for it."""

    def __init__(self, msg):
        super().__init__(400, msg)

    def __str__(self):
        return self.msg

    def __reduce__(self):
        return type(self), (self.msg,)


class LinkerError(HeddleError, RuntimeError):
    """Code that a kernel is linked with does not fit it, or is of a kind that kernels are not linked with."""


class UnsupportedCodeError(LinkerError, NotImplementedError):
    """Code of a kind that kernels are not linked with."""


class HeddleWarning(Warning):
    """Base of heddle's warnings."""


class NumbaPerformanceWarning(HeddleWarning):
    """A launch runs, but slower than it could."""


class NumbaDeprecationWarning(HeddleWarning, DeprecationWarning):
    """Something that will go."""


class NumbaPendingDeprecationWarning(HeddleWarning, PendingDeprecationWarning):
    """Something that will go, later."""


class NumbaDebugInfoWarning(HeddleWarning):
    """Debug information is incomplete."""


class NumbaInvalidConfigWarning(HeddleWarning):
    """Options that contradict each other."""


class NumbaExperimentalFeatureWarning(HeddleWarning):
    """Something that may still change."""


class NumbaTypeSafetyWarning(HeddleWarning):
    """A conversion that may lose information."""


class NumbaSystemWarning(HeddleWarning):
    """Something about the machine or its setup."""


NumbaWarning = HeddleWarning
NumbaParallelSafetyWarning = NumbaPedanticWarning = NumbaIRAssumptionWarning = HeddleWarning

NumbaError = HeddleError
CompilerError = DeprecationError = NumbaRuntimeError = HeddleError
IRError = RedefinedError = NotDefinedError = VerificationError = CompileError
ConstantInferenceError = ForceLiteralArg = TypingError
LiteralTypingError = RequireLiteralValue = UntypedAttributeError = TypingError
NumbaAssertionError = NumbaAttributeError = NumbaIndexError = NumbaKeyError = TypingError
NumbaNotImplementedError = NumbaTypeError = NumbaValueError = TypingError
ByteCodeSupportError = UnsupportedBytecodeError = UnsupportedError
UnsupportedRewriteError = UnsupportedParforsError = UnsupportedError
ForbiddenConstruct = CudaLoweringError = LoweringError
InternalTargetMismatchError = NonexistentTargetError = InternalError

# numba's for the libraries of NVIDIA's toolkit, which compile for it; here heddle compiles.
CudaRuntimeError = DeadMemoryError = CudaDriverError
NvvmError = NvrtcError = NvrtcCompilationError = NvrtcBuiltinOperationFailure = CompileError
NvvmSupportError = NvrtcSupportError = CudaSupportError
NvvmWarning = HeddleWarning

missing_launch_config_msg = (
    "a kernel needs to know how many threads to run: write kernel[blocks, threads_per_block](...)"
)


def normalize_kernel_dimensions(griddim, blockdim):
    """Grid and block as three ints each. Raises ValueError or TypeError for what can be neither."""
    return _three_ints(griddim, "griddim"), _three_ints(blockdim, "blockdim")


def _three_ints(dim, name):
    extents = tuple(dim) if isinstance(dim, (tuple, list)) else (dim,)
    if not 1 <= len(extents) <= 3:
        raise ValueError(f"{name} has 1 to 3 dimensions, not {len(extents)}: {dim!r}")
    if not all(isinstance(extent, numbers.Integral) for extent in extents):
        raise TypeError(f"{name} is an int or a tuple of ints, not {dim!r}")
    return (*(int(extent) for extent in extents), 1, 1)[:3]


def _is_printed_in_colour(depth):
    """Whether the caller prints the text where colours are shown.

    depth: the number of frames between this one and the caller's.
    """
    if os.environ.get("NO_COLOR"):
        return False
    printer = _printer_of_tracebacks(depth + 2)
    if printer == "IPython":
        return str(sys.modules["IPython"].get_ipython().colors).lower() != "nocolor"
    return printer == "Python" and (bool(os.environ.get("FORCE_COLOR")) or _is_terminal(sys.stderr))


def _is_terminal(stream):
    try:
        return stream.isatty() and os.environ.get("TERM") != "dumb"
    except (AttributeError, ValueError):  # no stream, or a closed one
        return False


def _printer_of_tracebacks(depth):
    """What prints a traceback, "Python" or "IPython", by the frame at this depth; None for any other code, which may
    write the text to a file."""
    try:
        frame = sys._getframe(depth)
    except ValueError:
        return "Python"  # the interpreter, when nothing else runs any more
    while frame is not None and frame.f_globals.get("__name__") == "traceback":
        if frame.f_code.co_name == "_print_exception_bltin":  # the interpreter of Python 3.13
            return "Python"
        frame = frame.f_back
    name = "" if frame is None else frame.f_globals.get("__name__", "")
    if name.startswith("heddle.command_line."):
        return "Python"
    return "IPython" if name.startswith("IPython.core.") else None


def __getattr__(name):
    from heddle.missing_names import missing_name  # late: for wrong names only

    raise missing_name("heddle.errors", name)
