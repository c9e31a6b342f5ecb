"""The functions of NVIDIA's math library for kernels, under the names of ``numba.cuda.libdevice``: ``libdevice.sinf``.

Names with the suffix ``f`` take float32. ``_rn``, ``_rd``, ``_ru`` and ``_rz`` round to nearest, down, up and toward
zero. Functions that return values through pointers in C return tuples. On the CPU device, Heddle's implementations
stay within CUDA's error bounds.

>>> y = cuda.libdevice.sinf(x)
"""

from heddle.compiler import intrinsics as _intrinsics
from heddle.support.missing_names import make_missing_name_error as _missing_name

_functions = vars(_intrinsics.find_intrinsic("cuda.libdevice"))
__all__ = sorted(
    name for name, value in _functions.items() if isinstance(value, _intrinsics.Intrinsic)
)
globals().update({name: _functions[name] for name in __all__})


def __getattr__(name):
    raise _missing_name("heddle.cuda.libdevice", name)
