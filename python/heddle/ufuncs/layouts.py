"""Layouts of generalized ufuncs: ``(m,n),(n,p)->(m,p)`` says which dimensions of its arguments a function works on.

One without an arrow, ``(n),(k)``, has no results: the function writes to its arguments."""

import re

_group = re.compile(r"\(([^()]*)\)")
_list = re.compile(r"\([^()]*\)(,\([^()]*\))*")


class Layout:
    """text: without blanks. inputs, results: for each argument the names of its dimensions, a tuple.

    names: of all dimensions, in the order in which NumPy numbers them.
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
                f"{text!r} is no layout of a generalized ufunc\n  hint: write '(m,n),(n,p)->(m,p)', or '(n)->()'"
            )
        self.inputs, self.results = _groups(before), _groups(after)
        self.operands = self.inputs + self.results
        self.names = list(dict.fromkeys(name for group in self.operands for name in group))

    def numbers(self, group):
        """The numbers of a group's dimensions."""
        return [self.names.index(name) for name in group]

    def extents(self, shapes):
        """The extent of each dimension, and the loop dimensions of each operand. shapes: None for one not given.

        Raises ValueError where the shapes do not fit.
        """
        extents = {name: int(name) for name in self.names if name.isdigit()}
        loops = []
        for number, (shape, group) in enumerate(zip(shapes, self.operands, strict=True), 1):
            if shape is None:
                continue
            start = len(shape) - len(group)
            if start < 0:
                raise ValueError(
                    f"argument {number} has {len(shape)} dimensions, and the layout {self.text} wants {len(group)}"
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
            raise ValueError(f"pass out=: no input tells '{missing[0]}' of the layout {self.text}")
        return extents, loops


def _groups(text):
    return [tuple(name for name in group.split(",") if name) for group in _group.findall(text)]
