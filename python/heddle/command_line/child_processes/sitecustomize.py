"""Makes ``import numba`` return Heddle in the processes that a program under ``heddle run`` starts.

Python imports a module of this name when it starts; ``heddle run`` puts this folder on PYTHONPATH. The file may run in
any Python, also one that does not have heddle: there it does nothing.
"""

import os
import sys

_folder = os.path.dirname(os.path.abspath(__file__))


class _StandInsLater:
    """Installs the stand-ins when the program first imports one of them; other processes are not slowed down."""

    def find_spec(self, name, path=None, target=None):
        if name not in ("numba", "cupy", "cupyx"):
            return None
        sys.meta_path.remove(self)
        try:
            from heddle import compat  # late: for programs that import numba or CuPy
        except (ImportError, SyntaxError):
            return None
        compat.install()
        for finder in sys.meta_path:
            found = finder.find_spec(name, path, target)
            if found is not None:
                return found
        return None


def _import_hidden_module():
    """Imports the module of the same name that Python would have found without this one."""
    sys.path[:] = [place for place in sys.path if os.path.abspath(place) != _folder]
    this = sys.modules.pop(__name__)
    try:
        __import__(__name__)  # late: it is another module of this name
    except ImportError:
        pass
    sys.modules.setdefault(__name__, this)


sys.meta_path.insert(0, _StandInsLater())
_import_hidden_module()
