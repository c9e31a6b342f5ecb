"""``context.compile_internal``: code that is a function written in Python."""

from heddle.compiler.dispatcher import Dispatcher
from heddle.errors import LoweringError


class InternalCall:
    """The value of such a function for the arguments of the code that asks for it: all that the code may return."""

    def __init__(self, function, args):
        self.function, self._args = Dispatcher(function, {"device": True}), list(args)

    def require_arguments(self, args):
        """Raises LoweringError unless the function was called with the arguments that the code was given."""
        if len(args) == len(self._args) and all(map(_is, args, self._args)):
            return
        raise LoweringError(
            f"compile_internal({self.function.__name__}) must be called with the arguments that the code was given\n"
            "  hint: write the function with @overload, which may compute with them"
        )

    def __getattr__(self, name):
        raise LoweringError(
            f"the value of compile_internal({self.__dict__['function'].__name__}) can be returned, nothing else\n"
            "  hint: write the function with @overload, which may compute with it"
        )


def _is(a, b):
    return a is b
