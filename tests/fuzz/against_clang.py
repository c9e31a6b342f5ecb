"""Compares the results of programs from control_flow.py on devices with Clang's unoptimized host code.

A batch of programs is one module, compiled for the device and for the host. The modules are compiled in several ways in
turn: normally, for debugging, and with an additional kernel too large for the CPU optimizer, which turns it off.
"""

import ctypes
import itertools
import os
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from control_flow import WORDS, Program, generate_program

# Without Clang, the system's own compiler is used: the programs have the same meaning for both.
COMPILER = next(filter(shutil.which, ["clang++-22", "/usr/lib/llvm-22/bin/clang++", "c++"]), "c++")
BLOCKS, THREADS = 4, 32
PROGRAMS_AT_ONCE = 25

COMMON = "#define FUEL (fuel && fuel--)\n"
HOST = COMMON + "#define FUNCTION static\n#define MEET(x)\n#define EXCHANGE(x)\n"
# In a uniform program every thread has the same value.
DEVICE = (
    COMMON
    + """#define PTX
#define FUNCTION static __device__
#define MEET(x) x = meet(x)
#define EXCHANGE(x) x = __shfl_xor_sync(0xffffffffu, x, 1)
__device__ unsigned meet(unsigned x) {
__shared__ unsigned values[32];
values[threadIdx.x] = x;
__syncthreads();
x = values[threadIdx.x ^ 1];
__syncthreads();
return x;
}
"""
)
LARGE = (
    '\nextern "C" __global__ void large(volatile unsigned* o) {\n' + "o[0] = o[1];\n" * 1100 + "}\n"
)
# ptxas 13.0 itself crashes with a segmentation fault on one such program in 20,000.
DRIVER_CRASHED = "crashed while the driver assembled PTX"
WAYS = {"as usual": ((), ""), "for debugging": (("-G",), ""), "not optimized": ((), LARGE)}


def split_into_batches(seeds):
    """Splits the seeds into lists, one per module. A program alone is compiled in the same mode as in its list."""
    for _, batch in itertools.groupby(seeds, lambda seed: seed // PROGRAMS_AT_ONCE):
        yield list(batch)


def choose_compile_mode(seed):
    return list(WAYS)[seed // PROGRAMS_AT_ONCE % len(WAYS)]


def format_device_source(programs, way):
    text = DEVICE + WAYS[way][1]
    for p in programs:
        index = "blockIdx.x" if p.uniform else "i"
        text += (
            f'\n{p.source}\nextern "C" __global__ void k{p.seed}(unsigned* out) {{\n'
            "unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n"
            f"unsigned* o = out + {WORDS} * i;\n"
            f"unsigned r = p{p.seed}({index}, o);\no[0] ^= r;\n}}\n"
        )
    return text


def format_host_source(programs):
    text = HOST
    for p in programs:
        index = f"i / {THREADS}" if p.uniform else "i"
        text += (
            f'\n{p.source}\nextern "C" void k{p.seed}(unsigned* out) {{\n'
            f"for (unsigned i = 0; i < {BLOCKS * THREADS}; ++i) {{\n"
            f"unsigned* o = out + {WORDS} * i;\n"
            f"unsigned r = p{p.seed}({index}, o);\no[0] ^= r;\n}}\n}}\n"
        )
    return text


def run_on_host(programs):
    """The output of each program on the host."""
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder) / "programs.cpp", Path(folder) / "programs.so"
        source.write_text(format_host_source(programs))
        command = [COMPILER, "-std=c++17", "-O0", "-w", "-shared", "-fPIC", source, "-o", library]
        subprocess.run(command, check=True, capture_output=True, text=True)
        loaded = ctypes.CDLL(os.fspath(library))
        results = []
        for p in programs:
            out = np.zeros(BLOCKS * THREADS * WORDS, np.uint32)
            loaded[f"k{p.seed}"](out.ctypes.data_as(ctypes.c_void_p))
            results.append(out)
    return results


def run_on_device(programs, way, device):
    """Run the programs on a device and yield each output."""
    import heddle
    from heddle import cuda

    with device:
        module = heddle.RawModule(code=format_device_source(programs, way), options=WAYS[way][0])
        for p in programs:
            out = cuda.to_device(np.zeros(BLOCKS * THREADS * WORDS, np.uint32))
            module.get_function(f"k{p.seed}")(BLOCKS, THREADS, (out,))
            yield out.copy_to_host()


@dataclass
class Failure:
    program: Program
    kind: str  # "mismatch" or "error"
    text: str
    fatal: bool = False  # whether the device may now be unusable


def find_failure(programs, way, devices):
    """Returns the Failure of the first program that fails on a device; None if all succeed."""
    try:
        wanted = run_on_host(programs)
    except subprocess.CalledProcessError as error:
        return Failure(programs[0], "error", f"refused for the host: {error.stderr[-2000:]}")
    for device in devices:
        at = 0
        try:
            for at, found in enumerate(run_on_device(programs, way, device)):
                wrong = np.flatnonzero(found != wanted[at])
                if wrong.size:
                    i = wrong[0]
                    text = f"word {i} is {found[i]}, not {wanted[at][i]}"
                    where = f"{wrong.size} words differ on {device.type}, {way}"
                    return Failure(programs[at], "mismatch", f"{where}: {text}")
        except Exception as error:
            text = f"{device.type}, {way}: {type(error).__name__}: {error}"
            return Failure(programs[at], "error", text, fatal=device.type != "cpu")
    return None


def make_judge(devices, seconds_to_shrink):
    """Makes the function that checks ``count`` programs, starting with a seed, and returns the answer to report."""

    def judge_seeds(seed, count):
        programs = [generate_program(s) for s in range(seed, seed + count)]
        way = choose_compile_mode(seed)
        found = find_failure(programs, way, devices)
        if not found:
            return {"kind": "ok", "text": ""}
        if count == 1 and DRIVER_CRASHED in found.text:
            return {"kind": "refused", "text": found.text, "fatal": True}
        failing = found.program
        if count == 1 and not found.fatal:
            failing = shrink(failing, way, devices, found.kind, seconds_to_shrink)
        script = f"// seed {failing.seed}, {way}\n{format_device_source([failing], way)}"
        return {"kind": found.kind, "text": found.text, "fatal": found.fatal, "script": script}

    return judge_seeds


# Shrinking: remove lines as long as the program fails in the same way.


def shrink(failing, way, devices, kind, seconds):
    end = time.monotonic() + seconds
    # Everything before the program's own function stays, and so do its variables and its result.
    begin = failing.source.rindex("FUNCTION")
    own = failing.source[begin:].splitlines(keepends=True)
    first, lines, last = failing.source[:begin] + "".join(own[:2]), own[2:-2], "".join(own[-2:])
    small = failing
    size = len(lines) // 2
    while size:
        at = 0
        while at < len(lines) and time.monotonic() < end:
            fewer = remove_lines(lines, at, size)
            smaller = replace(failing, source=first + "".join(fewer) + last)
            if len(fewer) < len(lines) and fails(smaller, way, devices, kind):
                lines, small = fewer, smaller
            else:
                at += size
        size //= 2
    return small


def remove_lines(lines, at, size):
    """Removes these lines and the closing lines of the blocks that they open.

    Returns all lines if the removed ones close a block that they do not open.
    """
    opened = 0
    for line in lines[at : at + size]:
        opened += line.count("{") - line.count("}")
        if opened < 0 or (opened == 0 and line.startswith("}")):
            return lines
    kept = lines[:at]
    inside = 0  # open blocks that stay
    for line in lines[at + size :]:
        grown = line.count("{") - line.count("}")
        if opened and inside == 0 and (grown < 0 or line.startswith("}")):
            opened += grown
        else:
            inside += grown
            kept.append(line)
    return kept


def fails(program, way, devices, kind):
    found = find_failure([program], way, devices)
    return (
        found is not None
        and found.kind == kind
        and not found.text.startswith("refused for the host")
    )
