"""``%load_ext heddle``: what IPython, in a terminal or a notebook, has of heddle."""

import sys

from heddle import _heddle, compat, cuda
from heddle.notebook.compile_magic import heddle_magic


def load(shell):
    """The stand-ins for numba and CuPy; what kernels print goes to sys.stdout, the cell's output; ``%%heddle``."""
    compat.install()
    if shell is None:
        return
    _heddle.print_to_python(True)
    shell.events.register("post_run_cell", _finish_prints)
    shell.register_magic_function(heddle_magic(shell), "cell", "heddle")


def unload(shell):
    """Undoes it. Names that were imported keep meaning heddle's."""
    compat.uninstall()
    if shell is None:
        return
    _heddle.print_to_python(False)
    shell.events.unregister("post_run_cell", _finish_prints)
    shell.magics_manager.magics["cell"].pop("heddle", None)


def _finish_prints(result):
    """Waits, at the end of a cell, for its kernels that print: their lines belong to this cell."""
    if _heddle.launched_prints():
        try:
            cuda.synchronize()
        except Exception:  # of a kernel: the cell ends, and nothing of it would report the error
            sys.modules["IPython"].get_ipython().showtraceback()
    _heddle.pass_on_prints()
