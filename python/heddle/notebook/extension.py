"""``%load_ext heddle``: integrates Heddle into IPython, in a terminal or a notebook."""

import sys

from heddle import _heddle, compat, cuda
from heddle.notebook.compile_magic import make_heddle_magic


def install_standins_and_magic(shell):
    """Installs the substitutes for numba and CuPy, redirects kernel output to sys.stdout, and adds ``%%heddle``."""
    compat.install()
    if shell is None:
        return
    _heddle.print_to_python(True)
    shell.events.register("post_run_cell", _wait_for_kernels_and_flush_prints)
    shell.register_magic_function(make_heddle_magic(shell), "cell", "heddle")


def uninstall_standins_and_magic(shell):
    """Undoes ``install_standins_and_magic``. Names that were imported keep referring to Heddle."""
    compat.uninstall()
    if shell is None:
        return
    _wait_for_kernels_and_flush_prints(None)
    _heddle.print_to_python(False)
    shell.events.unregister("post_run_cell", _wait_for_kernels_and_flush_prints)
    shell.magics_manager.magics["cell"].pop("heddle", None)


def _wait_for_kernels_and_flush_prints(result):
    """Waits for kernels that print, because their lines belong to the cell that launched them."""
    if _heddle.launched_prints():
        try:
            cuda.synchronize()
        except Exception:  # a kernel's error, which nothing else would report in this cell
            sys.modules["IPython"].get_ipython().showtraceback()
    _heddle.pass_on_prints()
