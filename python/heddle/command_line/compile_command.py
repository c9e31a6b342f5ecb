"""``heddle compile``: the code of kernels, shown or written to a file, without a launch."""

import sys

from heddle.command_line.compile_request import Failed, Request, WrongUse

_usage = """\
usage: heddle compile kernel.cu [options] [compiler options]
       heddle compile module.py:kernel --signature "void(float32[:], int32)" [options]
"""

_help = f"""\
{_usage}
Compiles a program in CUDA C++, or a kernel of a Python file, and shows its code. Nothing is launched; no GPU and no
CUDA toolkit is needed.

  --device cuda|cpu        what the code is for: a GPU or this machine's processor. When it is left out: a GPU with
                           --emit ptx or --arch, else the device that kernels run on here (see 'heddle info')
  --emit FORM              ptx     the GPU's assembly: the default for it
                           asm     the device's assembly (PTX for a GPU): the default for the CPU
                           llvm    LLVM IR for the device, optimised
                           simt    SIMT IR: what the device's compiler begins with
                           object  machine code: an ELF object whose '<kernel>.entry' Heddle's runtime calls; a cubin
                                   for a GPU, which its driver makes: only where the GPU is present
  -o FILE                  write to FILE ('-' is the standard output). Without it text is shown, and an object goes to
                           a file named after the source: kernel.o, kernel.cubin
  --arch sm_90, --cc 9.0   the GPU's architecture. When it is left out: that of the GPU that is present, else sm_75
  --name EXPR              CUDA C++: an instance of a template that is to be a kernel, 'scale<float>'; may be repeated
  --signature TYPES        Python: the types of the kernel's arguments; may be left out when the kernel declares them.
                           Also of a function of the host (njit), which has --emit asm and llvm

Compiler options of CUDA C++: -std= -D -U -I -include -use_fast_math -fmad= -G -lineinfo -maxrregcount= -w. Headers are
looked for beside the source, too. Python kernels take -use_fast_math -G -lineinfo -maxrregcount=.

Exit code: 0, 1 when the program is wrong (the message shows where), 2 for a wrong use of this command.

  heddle compile saxpy.cu                                          PTX for this machine's GPU, or for sm_75
  heddle compile saxpy.cu --arch sm_90 -o saxpy.ptx
  heddle compile blur.cu --name 'blur<float>' --name 'blur<double>' -DRADIUS=3
  heddle compile saxpy.cu --device cpu --emit asm
  heddle compile saxpy.cu --device cpu --emit object               writes saxpy.o
  heddle compile model.py:step --signature 'void(float32[:], int32)' --emit ptx
"""


def run(arguments):
    """``heddle compile`` with these arguments. Returns the exit code."""
    if any(argument in ("-h", "--help") for argument in arguments):
        print(_help, end="")
        return 0
    from heddle.command_line import kernel_code  # late: loads the compiler; --help does not

    try:
        request = Request(arguments)
        target = kernel_code.Target(request)
        code, warnings = kernel_code.compiled(request, target)
        if warnings:
            print(warnings.rstrip("\n"), file=sys.stderr)
        _write(code, target.output)
    except WrongUse as error:
        message = f"heddle compile: {error}\n{_usage}'heddle compile --help' tells the options\n"
        print(message, end="", file=sys.stderr)
        return 2
    except Failed as error:
        if error.args:
            print(error, file=sys.stderr)
        return 1
    return 0


def _write(code, output):
    if output == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(code)
        sys.stdout.buffer.flush()
        return
    try:
        with open(output, "wb") as file:
            file.write(code)
    except OSError as error:
        raise Failed(f"heddle compile: cannot write {output!r}: {error.strerror}") from None
