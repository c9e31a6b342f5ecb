"""How the command ``heddle`` is used, in short, and the message for a wrong use."""

import sys

USAGE = """\
usage: heddle run script.py [arguments]     run a program; its 'import numba.cuda' gives heddle
       heddle run -m module [arguments]     the same for a module, or for a text after -c
       heddle run notebook.ipynb [--save out.ipynb]   run a notebook's cells; keep what they print and draw
       heddle compile kernel.cu             the code of kernels for a device; 'heddle compile --help' tells how
       heddle inspect script.py [--html out.html] [--gpu H100]   run a program and show what became of its kernels
       heddle info                          devices, versions and the cache of compiled kernels
       heddle cache [list | size | clear]   look at that cache, or empty it
       heddle --version | --help
"""


def wrong_use(message):
    """Prints the message and the usage. Returns the exit code."""
    print(f"heddle: {message}\n{USAGE}", end="", file=sys.stderr)
    return 2
