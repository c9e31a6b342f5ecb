"""cupyx.scipy on the CPU device: SciPy's functions, whose results are CuPy's arrays. SciPy's classes are its own."""

import importlib
import sys

from heddle.compat.cupy.array_kinds import is_array
from heddle.compat.cupy.numpy_functions import NumpyModule

PREFIX = "cupyx.scipy"


def module(name):
    """The module ``cupyx.scipy.x`` of that name. Raises ModuleNotFoundError when SciPy, or its ``x``, is not there."""
    found = importlib.import_module(_of_scipy(name))  # late: a program imports it
    made = NumpyModule(found, name)
    if name == PREFIX:
        made.get_array_module = get_array_module
    return made


def get_array_module(*args):
    """cupyx.scipy when one of the values is an array of CuPy's, else SciPy."""
    name = PREFIX if any(map(is_array, args)) else _of_scipy(PREFIX)
    importlib.import_module(name)  # late: as above
    return sys.modules[name]


def _of_scipy(name):
    return name.removeprefix("cupyx.")
