"""Compiles the kernels in CUDA C++ with NVRTC, with CuPy's options, and with Heddle. Needs no GPU."""

import contextlib
import ctypes
import io
import tempfile
import time
from pathlib import Path

from measure_kernels import read_program

from heddle.cli import main as run_heddle

_ARCHITECTURE = "sm_90"
_CUDA_HEADERS = "/usr/local/cuda/include"


class Nvrtc:
    """NVRTC, called with CuPy's options. headers: a folder of CuPy's package, cupy/_core/include/cupy."""

    def __init__(self, library, headers):
        self.library = ctypes.CDLL(str(library))
        self.folders = [f"{headers}/_cccl/{part}" for part in ("cub", "libcudacxx", "thrust")]
        self.folders += [str(Path(headers).parent), _CUDA_HEADERS]

    def compile(self, source, expression):
        """The compiler's messages if it refuses the program, or an empty string."""
        program = ctypes.c_void_p()
        lib = self.library
        lib.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"k.cu", 0, None, None)
        lib.nvrtcAddNameExpression(program, expression.encode())
        options = [
            "-std=c++17",
            *(f"-I{folder}" for folder in self.folders),
            "-ftz=true",
            f"--gpu-architecture={_ARCHITECTURE}",
            "--device-as-default-execution-space",
        ]
        given = (ctypes.c_char_p * len(options))(*(option.encode() for option in options))
        result = lib.nvrtcCompileProgram(program, len(options), given)
        size = ctypes.c_size_t()
        lib.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value)
        lib.nvrtcGetProgramLog(program, log)
        lib.nvrtcDestroyProgram(ctypes.byref(program))
        return log.value.decode() if result else ""


def compile_all(kernels, folders, library, headers):
    """Prints the programs that a compiler refuses. Returns the exit code."""
    nvrtc, refused = Nvrtc(library, headers), 0
    kernels = [kernel for kernel in kernels if not kernel.is_python]
    for kernel in kernels:
        source = read_program(kernel, Path(folders[kernel.suite]))
        start = time.perf_counter()
        messages = {"NVRTC": nvrtc.compile(source, kernel.function)}
        middle = time.perf_counter()
        messages["Heddle"] = compile_with_heddle(source, kernel.function)
        times = (1e3 * (middle - start), 1e3 * (time.perf_counter() - middle))
        for compiler, text in messages.items():
            if text:
                refused += 1
                print(f"{kernel.name}: {compiler} refuses it:\n{text[:1500]}", flush=True)
        if not any(messages.values()):
            print(f"{kernel.name}: NVRTC {times[0]:.0f} ms, Heddle {times[1]:.0f} ms", flush=True)
    print(f"{len(kernels)} programs, {refused} refusals")
    return 1 if refused else 0


def compile_with_heddle(source, expression):
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "k.cu")
        file.write_text(source)
        arguments = ["compile", str(file), "--name", expression, "--arch", _ARCHITECTURE]
        arguments += ["-std=c++17", "-ftz=true", "-default-device", "-o", f"{folder}/k.ptx"]
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors):
            try:
                code = run_heddle(arguments)
            except SystemExit as stop:
                code = stop.code
        return (errors.getvalue() or f"exit code {code}") if code else ""
