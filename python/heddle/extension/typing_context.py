"""The typing context: the first argument of what a program writes to give types, which it asks about types."""

import numpy as np

from heddle import types
from heddle.errors import UnsupportedError


class TypingContext:
    """Answers what needs no compiler of numba's."""

    def resolve_value_type(self, value):
        """The type of a value."""
        return types.typeof(value)

    def can_convert(self, fromty, toty):
        """How far a conversion from a type to another one goes, as a number above 0; None where there is none."""
        fromty, toty = types.unliteral(fromty), types.unliteral(toty)
        if fromty == toty:
            return 1
        numbers = (types.Number, types.Boolean)
        both = isinstance(fromty, numbers) and isinstance(toty, numbers)
        loses = isinstance(fromty, types.Complex) and not isinstance(toty, types.Complex)
        return 2 if both and not loses else None

    def unify_types(self, *typelist):
        """The type that has the values of all of them; None where there is none."""
        numbers = (types.Number, types.Boolean)
        if types.is_homogeneous(*typelist):
            return typelist[0]
        if all(isinstance(each, numbers) for each in typelist):
            dtypes = [types.as_dtype(types.unliteral(each)) for each in typelist]
            return types.from_dtype(np.result_type(*dtypes))
        return None

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        raise UnsupportedError(
            f"the typing context's {name} belongs to numba's own compiler\n"
            "  hint: it has resolve_value_type, can_convert and unify_types"
        )


typing_context = TypingContext()
