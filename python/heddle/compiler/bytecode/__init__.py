"""Rebuilds functions without source text from their bytecode, such as functions made by ``exec`` or at a prompt.

evaluation, values    the stack of expressions, and the statements they become
instructions          tables of stack effects: variables, operators, literals, calls
blocks                builds a graph of statements
graph, loops          reduces the graph to `if`, `for` and `while` by meaning-preserving rules
tidy                  simplifies the statements
definition            the function's syntax tree, and text for messages
"""

from heddle.compiler.bytecode.definition import rebuild_with_lines
from heddle.compiler.bytecode.values import CannotRebuild

__all__ = ["CannotRebuild", "rebuild_with_lines"]
