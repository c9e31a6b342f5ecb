"""CUDA's float16 functions for kernels, under the names of ``numba.cuda.fp16``.

>>> y = cuda.fp16.hadd(a, b)
"""

from heddle.compiler import intrinsics as _intrinsics
from heddle.support.missing_names import make_missing_name_error as _missing_name

_functions = {
    name: member
    for name, member in vars(_intrinsics.find_intrinsic("cuda.fp16")).items()
    if isinstance(member, _intrinsics.Intrinsic)
}
globals().update(_functions)

__all__ = [*_functions]


def __getattr__(name):
    raise _missing_name("heddle.cuda.fp16", name)
