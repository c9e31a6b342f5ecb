"""cupyx.scipy on the CPU device: SciPy's functions, whose results are CuPy's arrays. SciPy's classes, but for those
of sparse matrices, are its own."""

import importlib
import sys

from heddle.compat.cupy.array_kinds import is_array
from heddle.compat.cupy.numpy_functions import NumpyModule

PREFIX = "cupyx.scipy"


def module(name):
    """The module ``cupyx.scipy.x`` of that name. Raises ModuleNotFoundError when SciPy, or its ``x``, is not there."""
    found = importlib.import_module(_of_scipy(name))  # late: a program imports it
    if name == f"{PREFIX}.sparse" or name.startswith(f"{PREFIX}.sparse."):
        from heddle.compat.cupyx.sparse import (
            SparseModule,
        )  # late: for programs with sparse matrices

        return SparseModule(found, name)
    return _Scipy(found, name) if name == PREFIX else NumpyModule(found, name)


class _Scipy(NumpyModule):
    """cupyx.scipy itself."""

    def __getattr__(self, name):
        if name == "get_array_module":
            return get_array_module
        if name == "sparse":
            return importlib.import_module(f"{PREFIX}.sparse")  # late: as above
        return super().__getattr__(name)


def get_array_module(*args):
    """cupyx.scipy when one of the values is an array of CuPy's, else SciPy."""
    name = PREFIX if any(map(is_array, args)) else _of_scipy(PREFIX)
    importlib.import_module(name)  # late: as above
    return sys.modules[name]


def _of_scipy(name):
    return name.removeprefix("cupyx.")
