"""The attributes that a class declares for ``jitclass``."""

import typing
from collections.abc import Mapping

from heddle import _heddle
from heddle.errors import TypingError
from heddle.extension.naming import as_numba_type


def parse_attributes(cls, spec):
    """Maps attribute names to types: those of ``spec``, then those of annotations."""
    attributes = {}
    for name, declared in _list_field_pairs(spec):
        if not isinstance(name, str):
            raise TypeError(f"spec keys should be strings, got {name!r}")
        attributes[name] = declared
    for name, annotation in typing.get_type_hints(cls).items():
        if name not in attributes:
            attributes[name] = _convert_annotation_to_type(name, annotation)
    for name, declared in attributes.items():
        if not isinstance(declared, _heddle.Type):
            raise TypeError(
                f"spec values should be types, got {declared!r} for attribute {name!r}\n"
                "  hint: types are those of heddle.types, such as int64, float64[:] and types.unicode_type"
            )
    return {
        mangle_private_name(name, cls.__name__): declared for name, declared in attributes.items()
    }


def mangle_private_name(name, class_name):
    """Mangles an attribute name with two leading underscores, as Python does."""
    is_private = name.startswith("__") and not name.endswith("__")
    return f"_{class_name.lstrip('_')}{name}" if is_private else name


def _list_field_pairs(spec):
    if spec is None:
        return ()
    if isinstance(spec, Mapping):
        return spec.items()
    try:
        return [(name, declared) for name, declared in spec]
    except (TypeError, ValueError):
        raise TypeError(
            f"the spec of a jitclass is a dict or a list of pairs of a name and a type, not {spec!r}"
        ) from None


def _convert_annotation_to_type(name, annotation):
    try:
        return as_numba_type(annotation)
    except TypingError:
        raise TypeError(
            f"the annotation {annotation!r} of attribute {name!r} is not a type of compiled code\n"
            "  hint: write a type such as float64[:], or give it in the spec"
        ) from None
