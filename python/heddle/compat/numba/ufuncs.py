"""numba.np.ufunc and the modules below it: the decorators of ufuncs, and the classes of what they make."""

from heddle.compat.numba_modules import submodule_or_refuse as _submodule_or_refuse
from heddle.parallel_threads import get_num_threads, set_num_threads, threading_layer
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
