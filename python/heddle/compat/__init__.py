"""Programs that import numba or CuPy, run on heddle: ``install()`` makes both importable from here.

    sys.meta_path:   [StandIns, CupyStandIns, ...]   whatever else is installed comes later
    numba            a module of heddle's names
    numba.cuda       heddle.cuda itself
    numba.types      heddle.types itself, and so on: see ``standins.py``
    cupy             heddle.compat.cupy, where CuPy is missing or the device is the CPU: see ``cupy_standins.py``

What heddle does not have raises ImportError or AttributeError that names heddle, so that nobody takes it for numba.
"""

import sys

from heddle.compat.cupy_standins import CupyStandIns
from heddle.compat.standins import StandIns
from heddle.compiler.kept_texts import forget_texts, keep_texts

_finder = StandIns()
_cupy_finder = CupyStandIns()


def install():
    """Make ``import numba`` give heddle, whether or not numba is installed. Doing it twice changes nothing.

    From here on the texts that the program compiles are kept, for kernels that it makes with ``exec``.

    Raises ImportError when the real numba has been imported already: functions compiled with it and its half-imported
    modules would be mixed with heddle's.
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
    keep_texts()


def uninstall():
    """Undo ``install()``. Names that a program has imported keep meaning heddle's."""
    for finder in (_finder, _cupy_finder):
        if finder in sys.meta_path:
            sys.meta_path.remove(finder)
            finder.forget()
    forget_texts()


def installed():
    """Whether ``import numba`` gives heddle."""
    return _finder in sys.meta_path
