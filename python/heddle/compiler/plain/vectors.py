"""CUDA's vector types, such as ``cuda.float32x4``, in kernels that run as plain Python."""

import functools

import numpy as np

from heddle.compiler.intrinsics import VectorClass, list_cuda_members

_fields = "xyzw"


class Vector:
    """The fields x, y, z and w, as far as the vector has them. Like a number, it does not change."""

    def __init__(self, number, length, *values):
        components = []
        for value in values:
            components += value if isinstance(value, Vector) else [value]
        if len(components) != length:
            raise TypeError(f"a vector of {length} was given {len(components)} numbers")
        self.__dict__.update(zip(_fields, map(number, components), strict=False))

    def __setattr__(self, name, value):
        raise AttributeError(f"the field {name!r} of a vector cannot be assigned")

    def __iter__(self):
        return iter(self.__dict__.values())


def make_vector_constructors():
    """The constructors by full name, including the names in CUDA C++."""
    found = {}
    for name, member in list_cuda_members().items():
        if isinstance(member, VectorClass):
            number, _, length = name.partition("x")
            make = functools.partial(Vector, getattr(np, number), int(length))
            found |= {f"cuda.{n}": make for n in (name, *member.aliases)}
    return found
