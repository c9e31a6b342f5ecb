"""Matrix products on tensor cores, under the names of ``nvcuda::wmma`` in CUDA C++.

A *fragment* is a matrix that the 32 lanes of a warp hold together.

>>> a = cuda.wmma.fragment(cuda.wmma.matrix_a, 16, 16, 16, np.float16)
"""

from typing import Any as _Any

from heddle.compiler import intrinsics as _intrinsics
from heddle.support.missing_names import make_missing_name_error as _missing_name

matrix_a, matrix_b, accumulator = "matrix_a", "matrix_b", "accumulator"
row_major, col_major = "row_major", "col_major"
tf32 = "tf32"

fragment: _Any = _intrinsics.find_intrinsic("cuda.wmma.fragment")
fill_fragment: _Any = _intrinsics.find_intrinsic("cuda.wmma.fill_fragment")
load_matrix_sync: _Any = _intrinsics.find_intrinsic("cuda.wmma.load_matrix_sync")
store_matrix_sync: _Any = _intrinsics.find_intrinsic("cuda.wmma.store_matrix_sync")
mma_sync: _Any = _intrinsics.find_intrinsic("cuda.wmma.mma_sync")

__all__ = [
    "accumulator",
    "col_major",
    "fill_fragment",
    "fragment",
    "load_matrix_sync",
    "matrix_a",
    "matrix_b",
    "mma_sync",
    "row_major",
    "store_matrix_sync",
    "tf32",
]


def __getattr__(name):
    raise _missing_name("heddle.cuda.wmma", name)
