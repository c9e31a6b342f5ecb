"""numba.cuda.vector_types: CUDA's vector types, by name."""

from typing import NamedTuple

from heddle import _heddle, cuda, types
from heddle.support.missing_names import make_missing_name_error as _missing_name
from heddle.types import VectorType

__all__ = ["VectorType", "vector_types"]


class _VectorType(NamedTuple):
    """A vector type with ``num_elements`` components of ``base_type``. ``user_facing_object``: the name in kernels."""

    name: str
    base_type: _heddle.Type
    attr_names: tuple
    user_facing_object: object

    @property
    def num_elements(self):
        return len(self.attr_names)


_bases = [f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)]
vector_types = {
    f"{base}x{count}": _VectorType(
        f"{base}x{count}",
        getattr(types, base),
        ("x", "y", "z", "w")[:count],
        getattr(cuda, f"{base}x{count}"),
    )
    for base in (*_bases, "float32", "float64")
    for count in (1, 2, 3, 4)
}


def __getattr__(name):
    raise _missing_name("heddle.cuda.vector_types", name)
