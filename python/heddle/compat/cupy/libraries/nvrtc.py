"""cupy.cuda.nvrtc: the functions of NVRTC, which makes PTX of programs in CUDA C++. Heddle's compiler does it here."""

from heddle.compat.cupy.compiler import CompileException, compile_using_nvrtc
from heddle.compat.cupy.libraries.c_libraries import LibraryError, NumberedObjects
from heddle.compat.cupy.runtime import runtimeGetVersion
from heddle.missing_names import missing_name

# NVRTC's codes (nvrtc.h) and what CuPy says of them.
_ERRORS = {
    3: "NVRTC_ERROR_INVALID_INPUT",
    4: "NVRTC_ERROR_INVALID_PROGRAM",
    6: "NVRTC_ERROR_COMPILATION",
    10: "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID",
}


class NVRTCError(LibraryError):
    """What NVRTC refuses. status: its code, an int."""

    @staticmethod
    def _name_of(status):
        return f"{_ERRORS.get(status, 'NVRTC_ERROR_UNKNOWN')} ({status})"


class _Program:
    def __init__(self, source, name):
        self.source, self.name = source, name
        self.expressions = []
        self.ptx, self.symbols, self.log = None, {}, ""


_programs = NumberedObjects(lambda: NVRTCError(4, "no program has this number"))


def getVersion():
    """The version of CUDA whose language is compiled: a tuple (major, minor)."""
    version = runtimeGetVersion()
    return version // 1000, version % 1000 // 10


def getSupportedArchs():
    """The compute capabilities that programs are compiled for, as ints: 75 is 7.5."""
    return [75, 80, 86, 87, 89, 90, 100, 120]


def createProgram(src, name, headers, include_names):
    """A program, as a number. headers, include_names: the texts of headers, and what the program calls them."""
    if headers or include_names:
        raise NVRTCError(3, "put headers in a folder that an option -I names")
    return _programs.add(_Program(src, name))


def destroyProgram(prog):
    """Forget a program."""
    _programs.remove(prog)


def addNameExpression(prog, name):
    """Before it is compiled: an instance of a template that is to be a kernel."""
    _programs[prog].expressions.append(name)


def compileProgram(prog, options):
    """Compile a program for the architecture that an option names. Raises NVRTCError; the log then says why."""
    program = _programs[prog]
    architecture, others = None, []
    for option in options:
        key, _, value = option.partition("=")
        if key in ("-arch", "--gpu-architecture"):
            architecture = value.removeprefix("compute_").removeprefix("sm_").rstrip("af")
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
    program.symbols = symbols or {}


def getPTX(prog):
    """The PTX of a compiled program, as bytes."""
    program = _programs[prog]
    if program.ptx is None:
        raise NVRTCError(4, "the program is not compiled")
    return program.ptx


def getLoweredName(prog, name):
    """The symbol of a kernel that an expression named, in the PTX."""
    symbols = _programs[prog].symbols
    if name not in symbols:
        raise NVRTCError(10, f"the program was not compiled with the expression {name!r}")
    return symbols[name]


def getProgramLog(prog):
    """What the compiler said of a program."""
    return _programs[prog].log


def __getattr__(name):
    raise missing_name("heddle.cupy.cuda.nvrtc", name)
