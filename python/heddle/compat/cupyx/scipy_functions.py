"""cupyx.scipy on the CPU device: SciPy's functions, returning CuPy arrays. Except for sparse matrices, SciPy's classes
are used unchanged."""

import importlib
import sys

from heddle.compat.cupy.array_kinds import is_device_array
from heddle.compat.cupy.numpy_functions import NumpyModule

PREFIX = "cupyx.scipy"


def import_wrapped_scipy_module(name):
    """The module ``cupyx.scipy.x``. Raises ModuleNotFoundError if SciPy, or its module, does not exist."""
    found = importlib.import_module(_to_scipy_name(name))  # late: a program imports it
    if name == f"{PREFIX}.sparse" or name.startswith(f"{PREFIX}.sparse."):
        from heddle.compat.cupyx.sparse import (
            SparseModule,
        )  # late: for programs with sparse matrices

        return SparseModule(found, name)
    return _Scipy(found, name) if name == PREFIX else NumpyModule(found, name)


class _Scipy(NumpyModule):
    """The package cupyx.scipy."""

    def __getattr__(self, name):
        if name == "get_array_module":
            return get_array_module
        if name == "sparse":
            return importlib.import_module(f"{PREFIX}.sparse")  # late: as above
        return super().__getattr__(name)


def get_array_module(*args):
    """cupyx.scipy if one of the values is a CuPy array, else SciPy."""
    name = PREFIX if any(map(is_device_array, args)) else _to_scipy_name(PREFIX)
    importlib.import_module(name)  # late: as above
    return sys.modules[name]


def _to_scipy_name(name):
    return name.removeprefix("cupyx.")
