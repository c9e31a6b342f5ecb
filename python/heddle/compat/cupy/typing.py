"""cupy.typing: NumPy's names for annotations, as in CuPy."""

import numpy.typing
from numpy.typing import ArrayLike, DTypeLike, NDArray

from heddle.support.missing_names import make_missing_name_error

__all__ = ["ArrayLike", "DTypeLike", "NDArray"]


def __getattr__(name):
    if name == "NBitBase":  # looked up on request only: NumPy warns
        return numpy.typing.NBitBase
    raise make_missing_name_error("heddle.cupy.typing", name)
