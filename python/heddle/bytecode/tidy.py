"""Statements as a program has them: ``assert``, ``or``, ``x if test else y``, and few variables for the stack."""

import ast
from collections import Counter

from heddle.bytecode.values import calls, is_stable, joined, negation, same


def tidied(statements, temporaries, variables):
    """The same statements, shorter. variables: the function's own, see is_stable."""
    statements = _with_expressions(statements, temporaries)
    used = Counter(
        node.id
        for statement in statements
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and temporaries.are(node.id)
    )
    once = {identifier for identifier, count in used.items() if count == 2}
    return _without_copies(statements, once, variables)


def _map_bodies(statement, change):
    for field in ("body", "orelse"):
        inner = getattr(statement, field, None)
        if isinstance(statement, (ast.If, ast.For, ast.While)) and inner:
            setattr(statement, field, change(inner))
    return statement


def _with_expressions(statements, temporaries):
    out = []
    for statement in statements:
        _map_bodies(statement, lambda inner: _with_expressions(inner, temporaries))
        out.append(_as_assert(statement) or _as_choice(statement, temporaries) or statement)
        either = _as_either(out[-2:], temporaries)
        if either is not None:
            out[-2:] = [either]
    return out


def _as_assert(statement):
    match statement:
        case ast.If(test=test, body=[ast.Raise(exc=error, cause=None)], orelse=[]):
            message = None
            if isinstance(error, ast.Call) and len(error.args) == 1:
                error, message = error.func, error.args[0]
            if getattr(error, "is_of_assert", False):
                return _at(statement, ast.Assert(negation(test), message))
    return None


def _as_choice(statement, temporaries):
    """``if test: t = a`` ``else: t = b`` as ``t = a if test else b``."""
    match statement:
        case ast.If(
            test=test,
            body=[ast.Assign(targets=[ast.Name(id=one) as target], value=yes)],
            orelse=[ast.Assign(targets=[ast.Name(id=two)], value=no)],
        ) if one == two and temporaries.are(one):
            return _at(statement, ast.Assign([target], ast.IfExp(test, yes, no)))
    return None


def _as_either(pair, temporaries):
    """``t = a`` ``if a: t = b`` as ``t = a and b``; ``if not a`` makes an ``or``."""
    match pair:
        case [
            ast.Assign(targets=[ast.Name(id=one) as target], value=first),
            ast.If(
                test=test, body=[ast.Assign(targets=[ast.Name(id=two)], value=second)], orelse=[]
            ),
        ] if one == two and temporaries.are(one):
            if same(test, first):
                return _at(pair[0], ast.Assign([target], joined(ast.And, first, second)))
            if same(test, negation(first)):
                return _at(pair[0], ast.Assign([target], joined(ast.Or, first, second)))
    return None


def _at(statement, other):
    other.lineno = statement.lineno
    return other


def _without_copies(statements, once, variables):
    """Puts what a temporary variable holds in the place of its only use, in the statement that follows."""
    out = []
    for statement in statements:
        _map_bodies(statement, lambda inner: _without_copies(inner, once, variables))
        while out and _replaces_use(out[-1], statement, once, variables):
            out.pop()
        out.append(_as_augmented(statement) or statement)
    return out


def _as_augmented(statement):
    """``x[i] = x[i] + t`` as ``x[i] += t`` where the program had it."""
    match statement:
        case ast.Assign(targets=[target], value=ast.BinOp(left=left, op=op, right=right) as value):
            if getattr(value, "is_in_place", False) and same(left, target):
                return _at(statement, ast.AugAssign(target, op, right))
    return None


def _replaces_use(assignment, statement, once, variables):
    match assignment:
        case ast.Assign(targets=[ast.Name(id=identifier)], value=value) if identifier in once:
            pass
        case _:
            return False
    field = _computed_first.get(type(statement))
    part = field and getattr(statement, field)
    before = part and _computed_before(part, identifier)
    if before is None:
        return False
    if isinstance(statement, ast.AugAssign):
        before = [statement.target, *before]
    if calls(value):
        may_move = all(is_stable(node, variables) for node in before)
    else:
        may_move = is_stable(value, variables) or not any(map(calls, before))
    if may_move:
        setattr(statement, field, _Replacement(identifier, value).visit(part))
    return may_move


# What a statement computes before it does anything else.
_computed_first = {
    ast.Assign: "value",
    ast.AugAssign: "value",
    ast.Expr: "value",
    ast.Return: "value",
    ast.For: "iter",
    ast.If: "test",
}


def _computed_before(tree, identifier):
    """What an expression computes before it reads the variable; None where it does not, or not always."""
    match tree:
        case ast.Name(id=found):
            return [] if found == identifier else None
        case ast.IfExp(test=test):
            return _computed_before(test, identifier)
        case ast.BoolOp(values=[first, *_]):
            return _computed_before(first, identifier)
        case ast.Lambda():
            return None
    before = []
    for child in ast.iter_child_nodes(tree):
        further = _computed_before(child, identifier)
        if further is not None:
            return before + further
        before.append(child)
    return None


class _Replacement(ast.NodeTransformer):
    def __init__(self, identifier, value):
        self._identifier = identifier
        self._value = value

    def visit_Name(self, node):
        return self._value if node.id == self._identifier else node
