"""Functions rebuilt from their bytecode, for those whose text is nowhere: made by ``exec``, typed at a prompt.

evaluation, values    a stack of expressions, and the statements that come of it
instructions          tables of what instructions do to the stack: variables, operators, literals, calls
blocks                a function as a graph of statements
graph, loops          the graph as `if`, `for` and `while`, by rules that keep the meaning
tidy                  the same statements, shorter
definition            the function's syntax, and a text to show
"""

from heddle.bytecode.definition import rebuilt
from heddle.bytecode.values import CannotRebuild

__all__ = ["CannotRebuild", "rebuilt"]
