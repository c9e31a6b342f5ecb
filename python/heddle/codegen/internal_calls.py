"""``context.compile_internal``: calls of Python functions in generated code."""

from heddle.compiler.dispatcher import Dispatcher
from heddle.errors import LoweringError


class InternalCall:
    """The result of a call of a Python function with the generated code's arguments. It can only be returned."""

    def __init__(self, function, args):
        self.function, self._args = Dispatcher(function, {"device": True}), list(args)

    def require_arguments(self, args):
        """Raises LoweringError unless the call passes exactly the arguments of the generated code."""
        if len(args) == len(self._args) and all(map(_is_same_object, args, self._args)):
            return
        raise LoweringError(
            f"compile_internal({self.function.__name__}) must be called with the arguments of the generated code\n"
            "  hint: write the function with @overload, which may compute with them"
        )

    def __getattr__(self, name):
        raise LoweringError(
            f"the value of compile_internal({self.__dict__['function'].__name__}) can only be returned\n"
            "  hint: write the function with @overload, which may compute with it"
        )


def _is_same_object(a, b):
    return a is b
