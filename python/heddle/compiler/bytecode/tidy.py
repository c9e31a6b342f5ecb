"""Restores source-like statements: ``assert``, ``or``, ``x if test else y``, and few variables for stack entries."""

import ast
from collections import Counter

from heddle.compiler.bytecode.values import (
    are_equal_expressions,
    contains_call,
    is_stable,
    make_flat_bool_op,
    negate_condition,
)


def simplify_statements(statements, temporaries, variables):
    """Simplifies the statements. variables: the function's local variables, see is_stable."""
    statements = _restore_expressions(statements, temporaries)
    used = Counter(
        node.id
        for statement in statements
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and temporaries.is_temporary(node.id)
    )
    once = {identifier for identifier, count in used.items() if count == 2}
    return _inline_temporaries(statements, once, variables)


def _map_nested_bodies(statement, change):
    for field in ("body", "orelse"):
        inner = getattr(statement, field, None)
        if isinstance(statement, (ast.If, ast.For, ast.While)) and inner:
            setattr(statement, field, change(inner))
    return statement


def _restore_expressions(statements, temporaries):
    out = []
    for statement in statements:
        _map_nested_bodies(statement, lambda inner: _restore_expressions(inner, temporaries))
        out.append(
            _restore_assert(statement)
            or _restore_conditional_expression(statement, temporaries)
            or statement
        )
        either = _restore_and_or(out[-2:], temporaries)
        if either is not None:
            out[-2:] = [either]
    return out


def _restore_assert(statement):
    match statement:
        case ast.If(test=test, body=[ast.Raise(exc=error, cause=None)], orelse=[]):
            message = None
            if isinstance(error, ast.Call) and len(error.args) == 1:
                error, message = error.func, error.args[0]
            if getattr(error, "is_of_assert", False):
                return _copy_line_number(statement, ast.Assert(negate_condition(test), message))
    return None


def _restore_conditional_expression(statement, temporaries):
    """Converts ``if test: t = a`` ``else: t = b`` to ``t = a if test else b``."""
    match statement:
        case ast.If(
            test=test,
            body=[ast.Assign(targets=[ast.Name(id=one) as target], value=yes)],
            orelse=[ast.Assign(targets=[ast.Name(id=two)], value=no)],
        ) if one == two and temporaries.is_temporary(one):
            return _copy_line_number(statement, ast.Assign([target], ast.IfExp(test, yes, no)))
    return None


def _restore_and_or(pair, temporaries):
    """Converts ``t = a`` ``if a: t = b`` to ``t = a and b``; with ``if not a``, to an ``or``."""
    match pair:
        case [
            ast.Assign(targets=[ast.Name(id=one) as target], value=first),
            ast.If(
                test=test, body=[ast.Assign(targets=[ast.Name(id=two)], value=second)], orelse=[]
            ),
        ] if one == two and temporaries.is_temporary(one):
            if are_equal_expressions(test, first):
                return _copy_line_number(
                    pair[0], ast.Assign([target], make_flat_bool_op(ast.And, first, second))
                )
            if are_equal_expressions(test, negate_condition(first)):
                return _copy_line_number(
                    pair[0], ast.Assign([target], make_flat_bool_op(ast.Or, first, second))
                )
    return None


def _copy_line_number(statement, other):
    other.lineno = statement.lineno
    return other


def _inline_temporaries(statements, once, variables):
    """Substitutes the value of a temporary variable for its only use, in the following statement."""
    out = []
    for statement in statements:
        _map_nested_bodies(statement, lambda inner: _inline_temporaries(inner, once, variables))
        while out and _replace_use_if_safe(out[-1], statement, once, variables):
            out.pop()
        out.append(_restore_augmented_assignment(statement) or statement)
    return out


def _restore_augmented_assignment(statement):
    """Restores ``x[i] += t`` from ``x[i] = x[i] + t`` if it was written so."""
    match statement:
        case ast.Assign(targets=[target], value=ast.BinOp(left=left, op=op, right=right) as value):
            if getattr(value, "is_in_place", False) and are_equal_expressions(left, target):
                return _copy_line_number(statement, ast.AugAssign(target, op, right))
    return None


def _replace_use_if_safe(assignment, statement, once, variables):
    match assignment:
        case ast.Assign(targets=[ast.Name(id=identifier)], value=value) if identifier in once:
            pass
        case _:
            return False
    field = _computed_first.get(type(statement))
    part = field and getattr(statement, field)
    before = part and _list_nodes_evaluated_before_use(part, identifier)
    if before is None:
        return False
    if isinstance(statement, ast.AugAssign):
        before = [statement.target, *before]
    if contains_call(value):
        may_move = all(is_stable(node, variables) for node in before)
    else:
        may_move = is_stable(value, variables) or not any(map(contains_call, before))
    if may_move:
        setattr(statement, field, _Replacement(identifier, value).visit(part))
    return may_move


# The part of a statement that is computed first.
_computed_first = {
    ast.Assign: "value",
    ast.AugAssign: "value",
    ast.Expr: "value",
    ast.Return: "value",
    ast.For: "iter",
    ast.If: "test",
}


def _list_nodes_evaluated_before_use(tree, identifier):
    """The nodes that an expression computes before it reads the variable; None if it may not read it."""
    match tree:
        case ast.Name(id=found):
            return [] if found == identifier else None
        case ast.IfExp(test=test):
            return _list_nodes_evaluated_before_use(test, identifier)
        case ast.BoolOp(values=[first, *_]):
            return _list_nodes_evaluated_before_use(first, identifier)
        case ast.Lambda():
            return None
    before = []
    for child in ast.iter_child_nodes(tree):
        further = _list_nodes_evaluated_before_use(child, identifier)
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
