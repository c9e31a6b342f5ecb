"""Compares the processor time of compilers on kernels in CUDA C++: NVRTC, and Heddle with ptxas. Needs no GPU.

Both compile to machine code. On a GPU, the driver assembles Heddle's PTX; ptxas stands for it. Processor time does not
count waits, so other programs on the machine disturb it less than the time of a first call.
"""

import contextlib
import ctypes
import io
import math
import resource
import statistics
import subprocess
import tempfile
from pathlib import Path

from measure_kernels import read_program

from heddle.cli import main as run_heddle

_ARCHITECTURE = "sm_90"
_REPETITIONS = 5
_EMPTY = 'extern "C" __global__ void k() {}'


class Refused(Exception):
    """A compiler does not accept a program."""


class Nvrtc:
    """NVRTC of a toolkit, called with CuPy's options."""

    def __init__(self, toolkit):
        self.library = ctypes.CDLL(str(next(Path(toolkit).glob("lib*/libnvrtc.so.*[0-9]"))))
        options = [
            "-std=c++17",
            *(f"-I{toolkit}/include{part}" for part in ("/cccl", "")),
            "-ftz=true",
            f"--gpu-architecture={_ARCHITECTURE}",
            "--device-as-default-execution-space",
        ]
        self.options = (ctypes.c_char_p * len(options))(*(option.encode() for option in options))

    def compile(self, source, expression):
        """Returns the processor time in seconds. Raises Refused."""
        start = _processor_time()
        program = ctypes.c_void_p()
        lib = self.library
        lib.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"k.cu", 0, None, None)
        lib.nvrtcAddNameExpression(program, expression.encode())
        result = lib.nvrtcCompileProgram(program, len(self.options), self.options)
        seconds = _processor_time() - start
        if result:
            size = ctypes.c_size_t()
            lib.nvrtcGetProgramLogSize(program, ctypes.byref(size))
            log = ctypes.create_string_buffer(size.value)
            lib.nvrtcGetProgramLog(program, log)
            raise Refused(f"NVRTC refuses it:\n{log.value.decode()[:1500]}")
        lib.nvrtcDestroyProgram(ctypes.byref(program))
        return seconds


class HeddleAndPtxas:
    """Heddle, and the toolkit's assembler, whose times are without its start."""

    def __init__(self, toolkit):
        self.ptxas = f"{toolkit}/bin/ptxas"
        self.start_of_ptxas = 0
        self.start_of_ptxas = statistics.median(
            self.compile(_EMPTY, "k")[1] for _ in range(_REPETITIONS)
        )

    def compile(self, source, expression):
        """Returns the processor times of Heddle and of ptxas in seconds. Raises Refused."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "k.cu")
            file.write_text(source)
            arguments = ["compile", str(file), "--name", expression, "--arch", _ARCHITECTURE]
            arguments += ["-std=c++17", "-ftz=true", "-default-device", "-o", f"{folder}/k.ptx"]
            errors = io.StringIO()
            start = _processor_time()
            with contextlib.redirect_stderr(errors):
                try:
                    code = run_heddle(arguments)
                except SystemExit as stop:
                    code = stop.code
            seconds = _processor_time() - start
            if code:
                raise Refused(f"Heddle refuses it:\n{errors.getvalue()[:1500]}")
            start = _processor_time(resource.RUSAGE_CHILDREN)
            assemble = [self.ptxas, f"-arch={_ARCHITECTURE}", f"{folder}/k.ptx"]
            subprocess.run([*assemble, "-o", f"{folder}/k.cubin"], check=True)
            of_ptxas = _processor_time(resource.RUSAGE_CHILDREN) - start
            return seconds, max(of_ptxas - self.start_of_ptxas, 0)


def _processor_time(of=resource.RUSAGE_SELF):
    usage = resource.getrusage(of)
    return usage.ru_utime + usage.ru_stime


def compile_all(kernels, folders, toolkit):
    """Prints medians for each kernel, and the programs that a compiler refuses. Returns the exit code."""
    nvrtc, heddle = Nvrtc(toolkit), HeddleAndPtxas(toolkit)
    nvrtc.compile(_EMPTY, "k")
    ratios, refused = [], 0
    kernels = [kernel for kernel in kernels if not kernel.is_python]
    print("| kernel | NVRTC | Heddle | ptxas | ratio |\n|" + " --- |" * 5, flush=True)
    for kernel in kernels:
        source = read_program(kernel, Path(folders[kernel.suite]))
        rows = []
        try:
            for _ in range(_REPETITIONS):
                seconds = nvrtc.compile(source, kernel.function)
                rows.append((seconds, *heddle.compile(source, kernel.function)))
        except Refused as error:
            refused += 1
            print(f"{kernel.name}: {error}", flush=True)
            continue
        theirs, ours, of_ptxas = map(statistics.median, zip(*rows, strict=True))
        ratios.append((ours + of_ptxas) / theirs)
        times = " | ".join(f"{1e3 * time:.0f} ms" for time in (theirs, ours, of_ptxas))
        print(f"| {kernel.name} | {times} | {ratios[-1]:.2f} |", flush=True)
    if ratios:
        mean = math.exp(statistics.mean(map(math.log, ratios)))
        slower = sum(ratio > 1 for ratio in ratios)
        print(
            f"\n{len(ratios)} kernels: geometric mean {mean:.3f}, worst {max(ratios):.2f}, {slower} above 1"
        )
    print(f"{len(kernels)} programs, {refused} refusals")
    return 1 if refused else 0
