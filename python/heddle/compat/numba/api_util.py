"""numba.cuda.api_util: normalizes the arguments of functions that create arrays."""

from heddle.cuda.layout import normalize_layout as prepare_shape_strides_dtype

__all__ = ["prepare_shape_strides_dtype"]
