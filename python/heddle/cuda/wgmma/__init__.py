"""Matrix products of warpgroups: 128 threads multiply factors in shared memory, on tensor cores.

>>> sums = cuda.wgmma.accumulator(256)
"""

from typing import Any as _Any

from heddle.compiler import intrinsics as _intrinsics
from heddle.support.missing_names import make_missing_name_error as _missing_name

accumulator: _Any = _intrinsics.find_intrinsic("cuda.wgmma.accumulator")
mma: _Any = _intrinsics.find_intrinsic("cuda.wgmma.mma")
store: _Any = _intrinsics.find_intrinsic("cuda.wgmma.store")
swizzle: _Any = _intrinsics.find_intrinsic("cuda.wgmma.swizzle")
wait_prior: _Any = _intrinsics.find_intrinsic("cuda.wgmma.wait_prior")

__all__ = ["accumulator", "mma", "store", "swizzle", "wait_prior"]


def __getattr__(name):
    raise _missing_name("heddle.cuda.wgmma", name)
