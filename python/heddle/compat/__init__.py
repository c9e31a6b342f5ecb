"""Runs programs that import numba or CuPy on Heddle: ``install()`` makes both imports return Heddle's modules.

    sys.meta_path:   [StandIns, CupyStandIns, ...]   these finders come first
    numba            a module with Heddle's names
    numba.cuda       heddle.cuda itself
    numba.types      heddle.types itself, and so on: see ``standins.py``
    cupy             heddle.compat.cupy, if CuPy is missing or the device is the CPU: see ``cupy_standins.py``

Names that Heddle lacks raise an ImportError or AttributeError that mentions Heddle, to avoid confusion with numba.
"""

import sys

from heddle.compat.cupy_standins import CupyStandIns
from heddle.compat.standins import StandIns
from heddle.compiler.kept_texts import start_keeping_source_texts, stop_keeping_source_texts

_finder = StandIns()
_cupy_finder = CupyStandIns()


def install():
    """Makes ``import numba`` return Heddle, whether or not numba is installed. Repeated calls have no effect.

    From then on, source texts that the program compiles are kept, for kernels that it defines with ``exec``.

    Raises ImportError if the real numba is already imported: its compiled functions and partly imported modules would
    be mixed with Heddle's.
    """
    if _finder in sys.meta_path:
        return
    real = sys.modules.get("numba")
    if real is not None:
        raise ImportError(
            f"numba was imported before heddle took its place (from {getattr(real, '__file__', 'somewhere')}), so "
            "names from it would be mixed with heddle's: load heddle first, in a notebook after a restart of the "
            "kernel; or write 'from heddle import cuda'",
            name="numba",
        )
    sys.meta_path[:0] = [_finder, _cupy_finder]
    start_keeping_source_texts()


def uninstall():
    """Undoes ``install()``. Names that a program has imported keep referring to Heddle."""
    for finder in (_finder, _cupy_finder):
        if finder in sys.meta_path:
            sys.meta_path.remove(finder)
            finder.unload_modules()
    stop_keeping_source_texts()


def are_standins_installed():
    """True after ``install()``: ``import numba`` returns Heddle."""
    return _finder in sys.meta_path
