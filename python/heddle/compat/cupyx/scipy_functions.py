"""cupyx.scipy on the CPU device: SciPy's functions, returning CuPy arrays. Except for sparse matrices, SciPy's classes
are used unchanged."""

import functools
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
    kinds = {PREFIX: _Scipy, f"{PREFIX}.fft": _Transforms, f"{PREFIX}.fftpack": _Transforms}
    return kinds.get(name, NumpyModule)(found, name)


class _Scipy(NumpyModule):
    """The package cupyx.scipy."""

    def __getattr__(self, name):
        if name == "get_array_module":
            return get_array_module
        if name == "sparse":
            return importlib.import_module(f"{PREFIX}.sparse")  # late: as above
        return super().__getattr__(name)


class _Transforms(NumpyModule):
    """The modules cupyx.scipy.fft and cupyx.scipy.fftpack. Their functions ignore ``plan``: SciPy makes its own."""

    def __getattr__(self, name):
        if name == "get_fft_plan":
            return get_fft_plan
        found = super().__getattr__(name)
        return _ignore_plan(found) if callable(found) else found


@functools.cache  # the same object each time, since programs compare functions
def _ignore_plan(transform):
    """Wrap a transform so that it accepts and ignores ``plan``."""

    @functools.wraps(transform)
    def transform_without_plan(*args, plan=None, **keywords):
        return transform(*args, **keywords)

    return transform_without_plan


class FftPlan:
    """The result of get_fft_plan(): ``plan=`` of a transform, or a context manager. It has no effect."""

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass


def get_fft_plan(a, shape=None, axes=None, value_type="C2C"):
    """A plan for transforms of ``a``. value_type: "C2C", "C2R" or "R2C"."""
    if value_type not in ("C2C", "C2R", "R2C"):
        raise ValueError(f"value_type is 'C2C', 'C2R' or 'R2C', not {value_type!r}")
    return FftPlan()


def get_array_module(*args):
    """cupyx.scipy if one of the values is a CuPy array, else SciPy."""
    name = PREFIX if any(map(is_device_array, args)) else _to_scipy_name(PREFIX)
    importlib.import_module(name)  # late: as above
    return sys.modules[name]


def _to_scipy_name(name):
    return name.removeprefix("cupyx.")
