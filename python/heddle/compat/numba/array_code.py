"""numba.np.arrayobj and numba.core.typing.arraydecl: array elements in user-built code."""

from collections import namedtuple

from heddle import types
from heddle.codegen import cgutils, layouts
from heddle.codegen.structures import create_struct_proxy
from heddle.errors import LoweringError
from heddle.support.missing_names import make_missing_name_error as _missing_name

__all__ = ["basic_indexing", "get_array_index_type", "make_array", "normalize_indices"]

make_array = create_struct_proxy

Indexing = namedtuple("Indexing", ("index", "result", "advanced"))


def get_array_index_type(ary, idx):
    """The type of the element that an index selects; None if it selects more than an element."""
    parts = list(idx) if isinstance(idx, types.BaseTuple) else [idx]
    whole = all(isinstance(part, types.Integer) for part in parts) and len(parts) == ary.ndim
    return Indexing(idx, ary.dtype, False) if whole else None


def normalize_indices(context, builder, index_types, indices):
    """Converts integer indices to 64 bits. Returns their types and values."""
    values = [
        context.cast(builder, value, kind, types.intp)
        for kind, value in zip(index_types, indices, strict=True)
    ]
    return tuple(types.intp for _ in values), values


def basic_indexing(context, builder, aryty, ary, index_types, indices, boundscheck=None):
    """The address of the element at integer indices, with empty extents and strides."""
    if len(indices) != aryty.ndim or not all(isinstance(t, types.Integer) for t in index_types):
        raise LoweringError("user-built code indexes arrays with one integer per axis")
    place = cgutils.get_item_pointer(context, builder, aryty, ary, indices, wraparound=True)
    return builder.bitcast(place, layouts.data_type(aryty.dtype).as_pointer()), (), ()


def __getattr__(name):
    raise _missing_name("heddle.np.arrayobj", name)
