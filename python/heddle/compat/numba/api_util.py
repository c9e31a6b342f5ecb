"""numba.cuda.api_util: what the functions that make arrays do with their arguments."""

from heddle.cuda.layout import normalize_layout as prepare_shape_strides_dtype

__all__ = ["prepare_shape_strides_dtype"]
