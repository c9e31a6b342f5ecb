"""The module that ``import numba`` returns. heddle.support.numba_modules lists its submodules."""
# ruff: noqa: F401 - the imports are the exports of this module

import types as _types

from numpy import ndindex as pndindex

import heddle as _heddle_package
from heddle import _heddle, cuda, errors, types
from heddle import compat as _compat
from heddle.compat.numba import extensions as _extensions
from heddle.compiler import intrinsics as _intrinsics
from heddle.compiler.host_jit import jit, jit_module, njit
from heddle.cuda import literal_unroll, literally
from heddle.support.numba_modules import import_submodule_or_raise as _submodule_or_refuse
from heddle.types import deferred_type, from_dtype, optional, typeof

globals().update({name: getattr(types, name) for name in types.type_names})
globals().update(
    {
        name: value
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, Exception) and value is not Exception
    }
)
globals().update(_intrinsics.list_heddle_members())

# The numba release whose public names are provided; programs compare versions. Some parse each part of __version__ as
# a number, so it cannot say more; version_info does.
_numba_version = (0, 68, 1)

__version__ = "{}.{}.{}".format(*_numba_version)
version_info = _types.SimpleNamespace(
    major=_numba_version[0],
    minor=_numba_version[1],
    patch=_numba_version[2],
    short=_numba_version[:2],
    full=_numba_version,
    string=f"{__version__}+heddle.{_heddle.__version__}",
    tuple=tuple(str(part) for part in _numba_version),
    git_revision=None,
)

_heddle.set_extension_loader(_extensions.load_extensions)
if _compat.are_standins_installed():
    _heddle.pad_numpy_arrays()

# Loaded from heddle on first use.
_loaded_late = [
    *("cfunc", "get_parallel_chunksize", "guvectorize", "parallel_chunksize", "set_num_threads"),
    *("objmode", "set_parallel_chunksize", "stencil", "threading_layer", "vectorize"),
]

__all__ = sorted(
    name
    for name, value in globals().items()
    if not name.startswith("_") and not isinstance(value, _types.ModuleType)
)
__all__ += ["experimental", *_loaded_late]


def __getattr__(name):
    if name == "bool":  # defining it here would hide the builtin in this file
        return types.boolean
    if name in _loaded_late:
        return getattr(_heddle_package, name)
    return _submodule_or_refuse("numba", name, "heddle")
