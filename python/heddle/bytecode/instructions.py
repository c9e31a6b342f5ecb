"""Tables of what each instruction does to the stack. Python 3.11 to 3.14 say the same with different instructions.

operation = Operations()

@operation("BINARY_SUBSCR")              the instructions that mean this, in whichever Python
def _subscript(e, instruction):          e: the block that is read, an Evaluation
"""

from heddle.bytecode.values import CannotRebuild


class Operations(dict):
    """Functions by the names of instructions. Called with names, a decorator that adds a function."""

    def __call__(self, *names):
        def register(function):
            self.update(dict.fromkeys(names, function))
            return function

        return register


def unfinished(e, kind):
    """The top of the stack, which is still being put together."""
    value = e.pop()
    if not isinstance(value, kind):
        raise CannotRebuild("a value that is used in an unusual way")
    return value
