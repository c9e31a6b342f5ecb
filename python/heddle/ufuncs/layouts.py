"""Layouts of generalized ufuncs: ``(m,n),(n,p)->(m,p)`` gives the core dimensions of each argument.

A layout without an arrow, ``(n),(k)``, has no results: the function writes to its arguments."""

import re

_group = re.compile(r"\(([^()]*)\)")
_list = re.compile(r"\([^()]*\)(,\([^()]*\))*")


class Layout:
    """A parsed layout. text: without blanks. inputs, results: a tuple of dimension names for each argument.

    names: all dimensions, in NumPy's order.
    """

    def __init__(self, text):
        if not isinstance(text, str):
            raise TypeError(
                f"the layout of a generalized ufunc is a string such as '(n)->()', not {text!r}"
            )
        self.text = "".join(text.split())
        before, arrow, after = self.text.partition("->")
        if not _list.fullmatch(before) or (arrow and not _list.fullmatch(after)):
            raise ValueError(
                f"{text!r} is not a layout of a generalized ufunc\n  hint: write '(m,n),(n,p)->(m,p)', or '(n)->()'"
            )
        self.inputs, self.results = _parse_dimension_groups(before), _parse_dimension_groups(after)
        self.operands = self.inputs + self.results
        self.names = list(dict.fromkeys(name for group in self.operands for name in group))

    def get_dimension_indices(self, group):
        """The indices of a group's dimensions in ``names``."""
        return [self.names.index(name) for name in group]

    def match_shapes_to_dimensions(self, shapes):
        """The extent of each dimension, and the loop dimensions of each operand. shapes: None for an operand not given.

        Raises ValueError if the shapes do not fit.
        """
        extents = {name: int(name) for name in self.names if name.isdigit()}
        loops = []
        for number, (shape, group) in enumerate(zip(shapes, self.operands, strict=True), 1):
            if shape is None:
                continue
            start = len(shape) - len(group)
            if start < 0:
                raise ValueError(
                    f"argument {number} has {len(shape)} dimensions, but the layout {self.text} needs {len(group)}"
                )
            for name, extent in zip(group, shape[start:], strict=True):
                if extents.setdefault(name, extent) != extent:
                    raise ValueError(
                        f"argument {number}: '{name}' of the layout {self.text} is {extent} here and {extents[name]} "
                        "before"
                    )
            loops.append(tuple(shape[:start]))
        missing = [name for name in self.names if name not in extents]
        if missing:
            raise ValueError(
                f"pass out=: no input determines '{missing[0]}' of the layout {self.text}"
            )
        return extents, loops


def _parse_dimension_groups(text):
    return [tuple(name for name in group.split(",") if name) for group in _group.findall(text)]
