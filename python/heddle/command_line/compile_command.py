"""``heddle compile``: compiles kernels without a launch, and prints the code or writes it to a file."""

import sys

from heddle.command_line.compile_request import Failed, Request, WrongUse

_usage = """\
usage: heddle compile kernel.cu [options] [compiler options]
       heddle compile module.py:kernel --signature "void(float32[:], int32)" [options]
"""

HELP = f"""\
{_usage}
Compiles a CUDA C++ program, or a kernel in a Python file, and prints its code. Needs neither a GPU nor the CUDA
toolkit, and does not launch the kernel. A Python file is imported, so that its top level runs, under the name of the
module: code below "if __name__ == '__main__':" does not run. Output of the file goes to standard error.

  --device cuda|cpu        the target: a GPU or this machine's processor. Default: cuda with --emit ptx or --arch, else
                           the device that runs kernels on this machine (see 'heddle info')
  --emit FORM              ptx     GPU assembly; the default for GPUs
                           asm     assembly of the target (PTX for a GPU); the default for the CPU
                           llvm    optimized LLVM IR for the target
                           simt    SIMT IR, the input of the back ends
                           object  machine code. CPU: an ELF object whose symbol '<kernel>.entry' Heddle's runtime
                                   calls. GPU: a cubin, which needs the GPU, because its driver assembles it
  -o FILE                  write to FILE ('-': standard output). Default: standard output for text. An object goes to a
                           file named after the source: kernel.o or kernel.cubin
  --arch sm_90, --cc 9.0   the GPU architecture. Default: that of the installed GPU, else sm_75. sm_90a means sm_90
  --name EXPR              CUDA C++: a template instance to compile as a kernel, as in 'scale<float>'. Repeatable
  --signature TYPES        Python: the argument types of the kernel. Not needed if the kernel declares one signature.
                           Host functions (njit) are also accepted, with --emit asm and llvm

Compiler options for CUDA C++: -std= -D -U -I -include -use_fast_math -fmad= -G -lineinfo -maxrregcount= -w. The folder
of the source is searched for headers. Options for Python kernels: -use_fast_math -G -lineinfo -maxrregcount=.

Exit code: 0 on success, 1 if the program does not compile (the message shows where), 2 for a usage error or
an unusable file.

  heddle compile saxpy.cu                                          PTX for this machine's GPU; without a GPU, assembly
  heddle compile saxpy.cu --emit ptx                               PTX for this machine's GPU, or for sm_75
  heddle compile saxpy.cu --arch sm_90 -o saxpy.ptx
  heddle compile blur.cu --name 'blur<float>' --name 'blur<double>' -DRADIUS=3
  heddle compile saxpy.cu --device cpu --emit asm
  heddle compile saxpy.cu --device cpu --emit object               writes saxpy.o
  heddle compile model.py:step --signature 'void(float32[:], int32)' --emit ptx
"""


def run(arguments):
    """Runs ``heddle compile`` with these arguments. Returns the exit code."""
    if any(argument in ("-h", "--help") for argument in arguments):
        print(HELP, end="")
        return 0
    from heddle.command_line import kernel_code  # late: loads the compiler; --help does not

    try:
        request = Request(arguments)
        target = kernel_code.Target(request)
        code, warnings = kernel_code.compile_code(request, target)
        if warnings:
            print(warnings.rstrip("\n"), file=sys.stderr)
        _write_code(code, target)
    except WrongUse as error:
        message = f"heddle compile: {error}\n{_usage}'heddle compile --help' lists the options\n"
        print(message, end="", file=sys.stderr)
        return 2
    except Failed as error:
        if error.args:
            print(error, file=sys.stderr)
        return 1
    return 0


def _write_code(code, target):
    if target.output == "-":
        stdout = target.reserved_stdout or sys.stdout.buffer
        stdout.write(code)
        stdout.flush()
        return
    try:
        with open(target.output, "wb") as file:
            file.write(code)
    except OSError as error:
        raise Failed(f"heddle compile: cannot write {target.output!r}: {error.strerror}") from None
