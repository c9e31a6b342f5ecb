"""cupy.cuda.nvrtc: NVRTC's functions, which compile CUDA C++ programs to PTX. Heddle's compiler does the work here."""

from heddle import _heddle
from heddle.compat.cupy.compiler import CompileException, compile_using_nvrtc
from heddle.compat.cupy.libraries.c_libraries import LibraryError, NumberedObjects
from heddle.compat.cupy.runtime import runtimeGetVersion
from heddle.support.missing_names import make_missing_name_error

# NVRTC's error codes (nvrtc.h) -> CuPy's names for them.
_ERRORS = {
    3: "NVRTC_ERROR_INVALID_INPUT",
    4: "NVRTC_ERROR_INVALID_PROGRAM",
    5: "NVRTC_ERROR_INVALID_OPTION",
    6: "NVRTC_ERROR_COMPILATION",
    10: "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID",
}


class NVRTCError(LibraryError):
    """An error of NVRTC. status: its code, an int."""

    @staticmethod
    def _name_status(status):
        return f"{_ERRORS.get(status, 'NVRTC_ERROR_UNKNOWN')} ({status})"


class _Program:
    def __init__(self, source, name):
        self.source, self.name = source, name
        self.expressions = []
        self.ptx, self.symbols, self.log = None, {}, ""


_programs = NumberedObjects(lambda: NVRTCError(4, "no program has this number"))


def getVersion():
    """The CUDA version that is compiled: a tuple (major, minor)."""
    version = runtimeGetVersion()
    return version // 1000, version % 1000 // 10


def getSupportedArchs():
    """The compute capabilities that programs can be compiled for, as ints: 75 means 7.5."""
    return [10 * major + minor for major, minor in _heddle.compute_capabilities()]


def createProgram(src, name, headers, include_names):
    """Create a program and return its handle. headers, include_names: must be empty, else NVRTCError is raised."""
    if headers or include_names:
        raise NVRTCError(3, "put headers in a folder and name it with the option -I")
    return _programs.add(_Program(src, name))


def destroyProgram(prog):
    """Delete a program."""
    _programs.remove(prog)


def addNameExpression(prog, name):
    """Before compilation: name a template instance to compile as a kernel."""
    _programs[prog].expressions.append(name)


def compileProgram(prog, options):
    """Compile a program for the architecture given by an option. Raises NVRTCError; the log then tells the reason."""
    program = _programs[prog]
    architecture, others = None, []
    for option in options:
        key, _, value = option.partition("=")
        if key in ("-arch", "--gpu-architecture"):
            architecture = value
        else:
            others.append(option)
    try:
        program.ptx, symbols = compile_using_nvrtc(
            program.source,
            others,
            architecture,
            program.name or "default_program",
            program.expressions,
        )
    except CompileException as error:
        program.log = error.get_message()
        raise NVRTCError(6) from error
    except ValueError as error:
        program.log = str(error)
        raise NVRTCError(5, program.log) from None
    program.symbols = symbols or {}


def getPTX(prog):
    """A compiled program's PTX, as bytes."""
    program = _programs[prog]
    if program.ptx is None:
        raise NVRTCError(4, "the program is not compiled")
    return program.ptx


def getLoweredName(prog, name):
    """The PTX symbol of the kernel that a name expression stands for."""
    symbols = _programs[prog].symbols
    if name not in symbols:
        raise NVRTCError(10, f"the program was not compiled with the expression {name!r}")
    return symbols[name]


def getProgramLog(prog):
    """The compiler's messages for a program."""
    return _programs[prog].log


def __getattr__(name):
    raise make_missing_name_error("heddle.cupy.cuda.nvrtc", name)
