"""The functions of NVIDIA's math library for kernels, as ``numba.cuda.libdevice`` names them: ``libdevice.sinf(x)``.

Names end in ``f`` for float32; ``_rn``, ``_rd``, ``_ru`` and ``_rz`` say how a result is rounded (to the nearest, down,
up, to zero). What C returns through pointers is a tuple here. On the CPU device they are Heddle's own, within CUDA's
error bounds.
"""

from heddle.compiler import intrinsics as _intrinsics
from heddle.missing_names import missing_name as _missing_name

_functions = vars(_intrinsics.intrinsic("cuda.libdevice"))
__all__ = sorted(
    name for name, value in _functions.items() if isinstance(value, _intrinsics.Intrinsic)
)
globals().update({name: _functions[name] for name in __all__})


def __getattr__(name):
    raise _missing_name("heddle.cuda.libdevice", name)
