"""CUDA's bfloat16 functions for kernels, under the names of ``numba.cuda.bf16``.

>>> y = cuda.bf16.habs(x)
"""

from heddle.compiler import intrinsics as _intrinsics
from heddle.support.missing_names import make_missing_name_error as _missing_name
from heddle.types import bfloat16

_functions = {
    name: member
    for name, member in vars(_intrinsics.find_intrinsic("cuda.bf16")).items()
    if isinstance(member, _intrinsics.Intrinsic)
}
globals().update(_functions)

__all__ = [*_functions, "bfloat16"]


def __getattr__(name):
    raise _missing_name("heddle.cuda.bf16", name)
