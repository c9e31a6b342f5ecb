"""Heddle's exceptions and warnings, also under numba's names.

    HeddleError
      CompileError              the function cannot be compiled; the text shows the line and the reason
        TypingError             the types do not fit, or a name is unknown
          UnsupportedError      valid Python that Heddle does not compile
          UnsupportedDtype      (also a TypeError and a NotImplementedError)
          ConstantError         (also a ValueError)
          ResultError           (also a TypeError)
          MemberError           (also an AttributeError and a KeyError)
          ArgumentError         (also a TypeError and a ValueError)
        LoweringError           the device cannot run the kernel (resources, limits)
        InternalError           a bug in Heddle
      KernelRuntimeError        a kernel failed while running (also a RuntimeError)
      CheckError                heddle.check found errors in kernels
      CudaSupportError          no usable device (also a RuntimeError)
      CudaDriverError           a driver call failed
        CudaAPIError            ... with the driver's error code
          LaunchShapeError      (also a ValueError)
          DeviceMemoryError     (also a MemoryError)
          EventError            (also a ValueError)
      RemovedOptionError        (also a TypeError)
      LinkerError               code that cannot be linked into a kernel (also a RuntimeError)

Names from numba.core.errors that Heddle does not raise are aliases of the class that it raises in that situation. So
``except numba.core.errors.NumbaTypeError`` catches Heddle's TypingError.

``str(error)`` is plain text. The message of a CompileError is colored in IPython and in the traceback of an uncaught
exception, if standard error is a terminal and NO_COLOR is not set, or if FORCE_COLOR is set.

>>> from heddle.errors import TypingError
"""

import numbers
import os
import sys


class HeddleError(Exception):
    """Base class of the errors that Heddle defines.

    >>> @cuda.jit
    ... def wrong(x):
    ...     x[0] = y
    >>> try:
    ...     wrong[1, 32](x)
    ... except heddle.HeddleError as error:
    ...     print(type(error).__name__)
    TypingError
    """


class CompileError(HeddleError):
    """A function cannot be compiled. The text gives the file and line and shows the expression.

    >>> @cuda.jit
    ... def wrong(x):
    ...     x[0] = y
    >>> try:
    ...     wrong[1, 32](x)
    ... except heddle.CompileError as error:
    ...     print(error)
    <...>:3: name 'y' is not defined
       3 |     x[0] = y
         |            ^
      hint: assign it before the call, or pass it as an argument
      compiling wrong(array(float32, 1d, C)) for cpu
    """

    _colored = None  # the text with terminal colors, set by the compiler

    @property
    def msg(self):
        """The message, as in numba's errors."""
        return Exception.__str__(self)

    def __str__(self):
        if self._colored and _is_printed_in_color(1):
            return self._colored
        return Exception.__str__(self)  # KeyError.__str__ would quote it


class TypingError(CompileError):
    """The types in an expression do not match, or a name is unknown.

    >>> @cuda.jit
    ... def wrong(x):
    ...     x[0, 1] = 2
    >>> wrong[1, 32](x)
    Traceback (most recent call last):
    heddle.errors.TypingError: ...:3: cannot index a 1-D array with 2 indices
    ...
    """


class UnsupportedDtype(TypingError, TypeError, NotImplementedError):
    """A NumPy dtype without a kernel type."""


class ConstantError(TypingError, ValueError):
    """A constant is out of range, such as an array extent or a number of dimensions."""


class OptionError(TypingError, TypeError, ValueError):
    """A decorator has no such option, or the option does not take this value."""


class ResultError(TypingError, TypeError):
    """A kernel returns a value."""


class MemberError(TypingError, AttributeError, KeyError):
    """A module, class or record has no such member."""


class UnsupportedError(TypingError):
    """Valid Python that Heddle does not compile.

    >>> @cuda.jit
    ... def wrong(x):
    ...     x[0] = [1][0]
    >>> wrong[1, 32](x)
    Traceback (most recent call last):
    heddle.errors.UnsupportedError: ...:3: lists are not supported in kernels
    ...
    """


class LoweringError(CompileError):
    """The device cannot run the kernel: it needs too many resources, or an operation that the device lacks.

    >>> try:
    ...     kernel[1, 32](x)
    ... except heddle.LoweringError as error:
    ...     print(error)
    """


class InternalError(CompileError):
    """A violated invariant in Heddle: always a bug in Heddle, never in the program.

    >>> try:
    ...     kernel[1, 32](x)
    ... except heddle.InternalError as error:
    ...     print(error)  # report it
    """


class ArgumentError(TypingError, TypeError, ValueError):
    """An argument whose type kernels do not support."""


class DeviceFunctionError(HeddleError, TypeError, RuntimeError):
    """A device function was launched like a kernel."""


class RemovedOptionError(HeddleError, TypeError):
    """An option of ``cuda.jit`` that numba has removed."""


class KernelRuntimeError(HeddleError, RuntimeError):
    """A kernel failed while running.

    tid, ctaid: the index of the thread in its block and of the block in the grid, tuples (x, y, z), or None.

    >>> try:
    ...     cuda.synchronize()
    ... except cuda.KernelRuntimeError as error:
    ...     print(error.tid, error.ctaid)
    """

    def __init__(self, msg, tid=None, ctaid=None):
        super().__init__(msg)
        self.msg = msg
        self.tid = tid
        self.ctaid = ctaid


class CheckError(HeddleError):
    """``heddle.check(raise_errors=True)`` found errors in kernels. The text is the report.

    >>> @cuda.jit
    ... def count(x):
    ...     x[0] += 1
    >>> try:
    ...     with heddle.check(raise_errors=True, print=False):
    ...         count[1, 32](x)
    ... except heddle.CheckError as error:
    ...     print(error)
    error: race on global memory: `x[0]` is written and read by threads of a warp ...
      hint: use `cuda.atomic.add(x, 0, 1)`
    ...
    """


class CudaSupportError(HeddleError, RuntimeError, ImportError):
    """The program needs a device, or a device feature, that this machine lacks.

    >>> cuda.select_device("cuda:7")
    Traceback (most recent call last):
    heddle.errors.CudaSupportError: there is no device 'cuda:7': ...
    """


class CCSupportError(CudaSupportError):
    """GPUs of this compute capability are not supported."""


class CudaDriverError(HeddleError):
    """A call to a device driver failed."""


class CudaAPIError(CudaDriverError):
    """A call to a device driver failed with the error ``code``."""

    def __init__(self, code, msg):
        super().__init__(code, msg)
        self.code = code
        self.msg = msg

    def __str__(self):
        return f"[{self.code}] {self.msg}"


class LaunchShapeError(CudaAPIError, ValueError):
    """A grid, block or shared memory size that the device cannot launch; ``code`` is the CUDA error code."""

    def __str__(self):
        return self.msg


class DeviceMemoryError(CudaAPIError, MemoryError):
    """Out of device memory, or of host memory for a device; ``code`` is the CUDA error code."""

    def __init__(self, msg):
        super().__init__(2, msg)

    def __str__(self):
        return self.msg

    def __reduce__(self):
        return type(self), (self.msg,)


class EventError(CudaAPIError, ValueError):
    """Events between which no time can be measured; ``code`` is the CUDA error code."""

    def __init__(self, msg):
        super().__init__(400, msg)

    def __str__(self):
        return self.msg

    def __reduce__(self):
        return type(self), (self.msg,)


class LinkerError(HeddleError, RuntimeError):
    """Code that does not fit the kernel it is linked into, or a kind of code that kernels cannot link."""


class UnsupportedCodeError(LinkerError, NotImplementedError):
    """A kind of code that kernels cannot link."""


class HeddleWarning(Warning):
    """Base class of Heddle's warnings."""


class NumbaPerformanceWarning(HeddleWarning):
    """A launch is slower than necessary."""


class NumbaDeprecationWarning(HeddleWarning, DeprecationWarning):
    """A deprecated feature."""


class NumbaPendingDeprecationWarning(HeddleWarning, PendingDeprecationWarning):
    """A feature that will be deprecated."""


class NumbaDebugInfoWarning(HeddleWarning):
    """Debug information is incomplete."""


class NumbaInvalidConfigWarning(HeddleWarning):
    """Contradictory options."""


class NumbaExperimentalFeatureWarning(HeddleWarning):
    """A feature that may still change."""


class NumbaTypeSafetyWarning(HeddleWarning):
    """A conversion that may lose information."""


class NumbaSystemWarning(HeddleWarning):
    """A problem of the machine or its configuration."""


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

# numba's errors from the libraries of NVIDIA's toolkit. Heddle compiles instead.
CudaRuntimeError = DeadMemoryError = CudaDriverError
NvvmError = NvrtcError = NvrtcCompilationError = NvrtcBuiltinOperationFailure = CompileError
NvvmSupportError = NvrtcSupportError = CudaSupportError
NvvmWarning = HeddleWarning

missing_launch_config_msg = (
    "a kernel needs to know how many threads to run: write kernel[blocks, threads_per_block](...)"
)


def normalize_kernel_dimensions(griddim, blockdim):
    """Grid and block as three ints each. Raises ValueError or TypeError for an invalid shape."""
    return _to_three_ints(griddim, "griddim"), _to_three_ints(blockdim, "blockdim")


def _to_three_ints(dim, name):
    extents = tuple(dim) if isinstance(dim, (tuple, list)) else (dim,)
    if not 1 <= len(extents) <= 3:
        raise ValueError(f"{name} has 1 to 3 dimensions, not {len(extents)}: {dim!r}")
    if not all(isinstance(extent, numbers.Integral) for extent in extents):
        raise TypeError(f"{name} is an int or a tuple of ints, not {dim!r}")
    return (*(int(extent) for extent in extents), 1, 1)[:3]


def _is_printed_in_color(depth):
    """True if the caller prints the text to a place that shows colors.

    depth: the number of frames between this function and the caller.
    """
    if os.environ.get("NO_COLOR"):
        return False
    printer = _identify_traceback_printer(depth + 2)
    if printer == "IPython":
        return str(sys.modules["IPython"].get_ipython().colors).lower() != "nocolor"
    return printer == "Python" and (
        bool(os.environ.get("FORCE_COLOR")) or _can_show_color(sys.stderr)
    )


def _can_show_color(stream):
    try:
        return stream.isatty() and os.environ.get("TERM") != "dumb"
    except (AttributeError, ValueError):  # no stream, or a closed one
        return False


def _identify_traceback_printer(depth):
    """Returns which printer of tracebacks, "Python" or "IPython", owns the frame at this depth; None for other code,
    which may write the text to a file."""
    try:
        frame = sys._getframe(depth)
    except ValueError:
        return "Python"  # the interpreter, after the last Python frame has ended
    while frame is not None and frame.f_globals.get("__name__") == "traceback":
        if frame.f_code.co_name == "_print_exception_bltin":  # the interpreter in Python 3.13
            return "Python"
        frame = frame.f_back
    name = "" if frame is None else frame.f_globals.get("__name__", "")
    if name.startswith("heddle.command_line."):
        return "Python"
    return "IPython" if name.startswith("IPython.core.") else None


def __getattr__(name):
    if name.startswith("__"):  # Python asks for __path__ at every import from here
        raise AttributeError(f"module 'heddle.errors' has no attribute {name!r}", name=name)
    from heddle.support.missing_names import make_missing_name_error  # late: for wrong names only

    raise make_missing_name_error("heddle.errors", name)
