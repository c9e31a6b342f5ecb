"""The typing context: the first argument of user-defined typing functions."""

import numpy as np

from heddle import types
from heddle.errors import UnsupportedError


class TypingContext:
    """The queries of numba's typing context that do not need numba's compiler."""

    def resolve_value_type(self, value):
        """The type of a value."""
        return types.typeof(value)

    def can_convert(self, fromty, toty):
        """The cost of a conversion between two types, a number above 0; None if there is no conversion."""
        fromty, toty = types.unliteral(fromty), types.unliteral(toty)
        if fromty == toty:
            return 1
        numbers = (types.Number, types.Boolean)
        both = isinstance(fromty, numbers) and isinstance(toty, numbers)
        loses = isinstance(fromty, types.Complex) and not isinstance(toty, types.Complex)
        return 2 if both and not loses else None

    def unify_types(self, *typelist):
        """The common type of the given types; None if there is none."""
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
            f"the typing context's {name} belongs to numba's compiler\n"
            "  hint: it has resolve_value_type, can_convert and unify_types"
        )


typing_context = TypingContext()
