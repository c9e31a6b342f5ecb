"""Variables of kernels of ``cupyx.jit``, which keep the type of their first value, as in CuPy.

``s = np.uint32(1)`` at the top of a function makes s a uint32: what it is assigned later is converted, and cut as in C.
"""

import ast

from heddle import types
from heddle.extending import overload

_kept_name = "__heddle_name_kept"


def kept(before, after):
    """``after`` as a value of the type of ``before``, where both are numbers."""
    raise NotImplementedError("in kernels only")


@overload(kept)
def _choose_kept(before, after):
    if before == after or not (_is_real(before) and _is_real(after)):
        return lambda before, after: after
    return lambda before, after: type(before)(after)


def _is_real(a_type):
    return isinstance(a_type, types.Integer | types.Float | types.Boolean)


def with_kept_types(definition, function):
    """The same syntax, where assignments to variables that have a value already convert to its type."""
    if not isinstance(definition, ast.FunctionDef):
        return definition
    arguments = definition.args
    known = {a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
    body = []
    for statement in definition.body:
        body.append(_Rewriter(known).visit(statement))
        if isinstance(statement, ast.Assign):
            parts = [part for target in statement.targets for part in ast.walk(target)]
            names = [part for part in parts if isinstance(part, ast.Name)]
            known |= {name.id for name in names if isinstance(name.ctx, ast.Store)}
    definition.body = body
    vars(function).setdefault("__heddle_names__", {})[_kept_name] = kept
    return definition


class _Rewriter(ast.NodeTransformer):
    """known: the variables that have a value wherever the statement is reached."""

    def __init__(self, known):
        self._known = frozenset(known)

    def visit_Assign(self, node):
        match node.targets, node.value:
            case [ast.Tuple(elts=targets)], ast.Tuple(elts=values) if len(targets) == len(values):
                pairs = zip(targets, values, strict=True)
                node.value.elts = [self._assigned(target, value) for target, value in pairs]
            case [target], value:
                node.value = self._assigned(target, value)
        return node

    def _assigned(self, target, value):
        is_known = isinstance(target, ast.Name) and target.id in self._known
        return self._kept(target.id, value) if is_known else value

    def visit_AugAssign(self, node):
        if not (isinstance(node.target, ast.Name) and node.target.id in self._known):
            return node
        before = ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target)
        value = ast.copy_location(ast.BinOp(before, node.op, node.value), node)
        made = ast.Assign([node.target], self._kept(node.target.id, value))
        return ast.copy_location(made, node)

    def visit_FunctionDef(self, node):
        return node  # its variables are others

    visit_Lambda = visit_FunctionDef

    def _kept(self, name, value):
        call = ast.Call(ast.Name(_kept_name, ast.Load()), [ast.Name(name, ast.Load()), value], [])
        for part in (call, call.func, call.args[0]):
            ast.copy_location(part, value)
        return call
