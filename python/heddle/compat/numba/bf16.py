"""``numba.cuda._internal.cuda_bf16``: ``numba.cuda.bf16``, with the CUDA C++ name of the type."""

from heddle.cuda import bf16 as _bf16
from heddle.cuda.bf16 import *  # noqa: F403
from heddle.types import bfloat16 as nv_bfloat16

__all__ = [*_bf16.__all__, "nv_bfloat16"]
