"""The help texts of the command ``heddle``, and usage errors."""

import sys

USAGE = """\
usage: heddle COMMAND [options]

  run       run a program, a module or a notebook with Heddle in place of numba and CuPy
  check     run a program and report races, invalid accesses and slow code of its kernels
  trace     run a program and show how one block of a kernel runs, step by step
  inspect   run a program and show how its kernels were compiled
  compile   print the code of a kernel without a launch
  info      show versions, devices and the cache of compiled kernels
  doctor    find out what works on this machine, and what to do about the rest
  cache     show or clear the cache of compiled kernels

'heddle COMMAND --help' describes a command. 'heddle --version' prints the version.

  heddle run script.py
"""

# The help text of each command. That of "compile" is in compile_command.
HELP = {
    "run": """\
usage: heddle run script.py [arguments]
       heddle run -m module [arguments]
       heddle run -c text [arguments]
       heddle run notebook.ipynb [--save out.ipynb]

Runs a program as Python does, except that imports of numba and numba.cuda, and of cupy where there is no GPU, import
Heddle. A folder or a zip file with a __main__.py is also a program; '-' reads the program from standard input. A
notebook prints the output of its cells, and --save keeps it in a copy of the notebook.

Exit status: that of the program.

  heddle run saxpy.py 1000
  heddle run -m pytest tests
  heddle run analysis.ipynb --save results.ipynb
""",
    "check": """\
usage: heddle check [--json FILE] [--html FILE] [--no-lints] program [arguments]
       heddle check FILE.replay

Runs a program on the CPU device, and reports races, invalid accesses and slow code of its kernels. The program is
written as for 'heddle run': a script, -m and a module, or a notebook. FILE.replay is a launch that failed on a GPU
under HEDDLE_REPLAY=1. It may contain any code: run only files that you trust.

  --json FILE   also write the report as JSON
  --html FILE   also write the report as a page for browsers
  --no-lints    report mistakes only, not slow code

Exit status: that of the program, or 1 if that is 0 and there are errors.

  heddle check saxpy.py 1000
  heddle check --html report.html -m pytest tests
""",
    "trace": """\
usage: heddle trace [options] program [arguments]

Runs a program on the CPU device and records one block of one launch: which lanes of each warp are active, where threads
wait at barriers, the sectors of each request to global memory, and the bank conflicts of each request to shared memory.
The program is written as for 'heddle run'. Without --html, prints a table with a row for each line of the source.

  --html [FILE]   write a page that animates the block, by default to a file named after the program
  --kernel NAME   trace a launch of this kernel; by default, of the kernel that is launched first
  --launch N      trace the launch with this number, among those of the kernel; by default 1
  --block X,Y,Z   trace this block; by default 0,0,0
  --steps N       record at most this number of steps of each thread; by default 1000

FILE ends with .html. Options may also follow the name of a script.

Exit status: that of the program, or 1 if that is 0 and the launch or the block does not exist.

  heddle trace transpose.py
  heddle trace transpose.py --html
  heddle trace --kernel reduce --launch 2 --block 3 --html reduce.html sums.py 1000
""",
    "inspect": """\
usage: heddle inspect [--html FILE] [--gpu NAME] script.py [arguments]

Runs a program and shows how its kernels were compiled: the registers and the shared memory, what limits the number of
resident blocks, and the source with the compiler's remarks. 'heddle compile' prints the code.

  --html FILE   write a page for browsers instead of text, with the source next to PTX and SIMT IR
  --gpu NAME    show the code for this GPU, such as H100 or sm_90, which need not be installed

Exit status: that of the program.

  heddle inspect saxpy.py
  heddle inspect --gpu H100 --html saxpy.html saxpy.py
""",
    "info": """\
usage: heddle info

Shows the versions of Heddle, LLVM, Python and NumPy, the devices with their memory, and the cache of compiled kernels.
'heddle doctor' also runs kernels and explains what does not work.

  heddle info
""",
    "doctor": """\
usage: heddle doctor

Runs a small kernel on each device, and checks the driver, the cache, the HEDDLE_ variables and the libraries that
Heddle works with. For what does not work, it says why and what to do.

Exit status: 1 if there are problems. A missing GPU is not a problem.

  heddle doctor
""",
    "cache": """\
usage: heddle cache [list | size | clear]

Shows or clears the cache of compiled kernels, which cache=True and RawKernel fill. It is in ~/.cache/heddle, or in
HEDDLE_CACHE_DIR.

  list    the kernels, most recently used first, with device and size
  size    the folder, the number of kernels and their size; the default
  clear   remove all compiled kernels

  heddle cache list
""",
}


def print_help(command):
    """Prints the help text of a command. Returns the exit code, 0."""
    print(HELP[command], end="")
    return 0


def report_wrong_use(message, command=None):
    """Prints the message and the usage, of one command if it is given, to stderr. Returns the exit code, 2."""
    if command not in HELP:
        print(f"heddle: {message}\n{USAGE}", end="", file=sys.stderr)
        return 2
    usage = HELP[command].partition("\n\n")[0]
    advice = f"'heddle {command} --help' describes the command"
    print(f"heddle {command}: {message}\n{usage}\n{advice}", file=sys.stderr)
    return 2
