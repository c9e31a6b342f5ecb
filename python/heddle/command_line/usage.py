"""The usage text of the command ``heddle``, and usage errors."""

import sys

USAGE = """\
usage: heddle run script.py [arguments]     run a program with Heddle in place of numba and CuPy
       heddle run -m module [arguments]     run a module, or with -c the text of a program
       heddle run notebook.ipynb [--save out.ipynb]   run a notebook; --save keeps the outputs
       heddle check [--json FILE] [--html FILE] [--no-lints] script.py [arguments]
                                            run a program, module or notebook on the CPU device, and report races,
                                            invalid accesses and slow code of its kernels; exit status 1 if there are
                                            errors
       heddle check FILE.replay             the same for a launch that failed on a GPU under HEDDLE_REPLAY=1; this runs
                                            code from the file
       heddle compile kernel.cu             print a kernel's code; 'heddle compile --help' lists the options
       heddle inspect script.py [--html out.html] [--gpu H100]   run a program and show how its kernels were compiled
       heddle info                          show devices, versions and the cache of compiled kernels
       heddle cache [list | size | clear]   show or clear the cache
       heddle --version | --help
"""


def report_wrong_use(message):
    """Prints the message and the usage to stderr. Returns the exit code, 2."""
    print(f"heddle: {message}\n{USAGE}", end="", file=sys.stderr)
    return 2
