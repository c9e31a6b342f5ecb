"""Tables of the stack effects of instructions. Python 3.11 to 3.14 use different instructions for the same effect.

operation = Operations()

@operation("BINARY_SUBSCR")              the instructions with this effect, in any version
def _subscript(e, instruction):          e: the Evaluation of the block
"""

from heddle.compiler.bytecode.values import CannotRebuild


class Operations(dict):
    """Maps instruction names to functions. Called with names, it is a decorator that adds a function."""

    def __call__(self, *names):
        def register_operations(function):
            self.update(dict.fromkeys(names, function))
            return function

        return register_operations


def pop_unfinished(e, kind):
    """Pops the top of the stack, which is still under construction."""
    value = e.pop()
    if not isinstance(value, kind):
        raise CannotRebuild("a value that is used in an unusual way")
    return value
