"""numba.np.ufunc and its submodules: ufunc decorators and classes."""

from heddle.compiler.rewriting.parallel_threads import (
    get_num_threads,
    set_num_threads,
    threading_layer,
)
from heddle.support.numba_modules import import_submodule_or_raise as _submodule_or_refuse
from heddle.ufuncs.generalized import GeneralizedUfunc as GUFunc
from heddle.ufuncs.guvectorized import guvectorize
from heddle.ufuncs.ufunc import Ufunc as DUFunc
from heddle.ufuncs.vectorized import vectorize

__all__ = [
    "DUFunc",
    "GUFunc",
    "get_num_threads",
    "guvectorize",
    "set_num_threads",
    "threading_layer",
    "vectorize",
]


def __getattr__(name):
    return _submodule_or_refuse("numba.np.ufunc", name, "heddle.np.ufunc")
