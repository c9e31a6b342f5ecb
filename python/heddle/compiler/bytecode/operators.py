"""Instructions for operators, comparisons and subscripts."""

import ast

from heddle.compiler.bytecode.instructions import Operations
from heddle.compiler.bytecode.values import make_slice

operation = Operations()

_binary = {
    "+": ast.Add,
    "-": ast.Sub,
    "*": ast.Mult,
    "/": ast.Div,
    "//": ast.FloorDiv,
    "%": ast.Mod,
    "**": ast.Pow,
    "<<": ast.LShift,
    ">>": ast.RShift,
    "&": ast.BitAnd,
    "|": ast.BitOr,
    "^": ast.BitXor,
    "@": ast.MatMult,
}
_compared = {
    "<": ast.Lt,
    "<=": ast.LtE,
    ">": ast.Gt,
    ">=": ast.GtE,
    "==": ast.Eq,
    "!=": ast.NotEq,
}
_unary = {"UNARY_NEGATIVE": ast.USub, "UNARY_INVERT": ast.Invert, "UNARY_NOT": ast.Not}


@operation("STORE_SUBSCR")
def _store_subscript(e, instruction):
    e.pop_and_assign(ast.Subscript(*e.pop_many(2)))


@operation("STORE_SLICE")
def _store_slice(e, instruction):
    container, lower, upper = e.pop_many(3)
    e.pop_and_assign(ast.Subscript(container, make_slice(lower, upper)))


@operation("DELETE_SUBSCR")
def _delete_subscript(e, instruction):
    e.spill_affected_and_emit(ast.Delete([ast.Subscript(*e.pop_many(2))]))


@operation("BINARY_OP")
def _push_binary_operation(e, instruction):
    left, right = e.pop_many(2)
    symbol = instruction.argrepr
    if symbol.startswith("["):
        e.push(ast.Subscript(left, right))
        return
    result = ast.BinOp(left, _binary[symbol.removesuffix("=")](), right)
    result.is_in_place = symbol.endswith("=")
    e.push(result)


@operation("BINARY_SUBSCR")
def _load_subscript(e, instruction):
    e.push(ast.Subscript(*e.pop_many(2)))


@operation("BINARY_SLICE")
def _load_slice(e, instruction):
    container, lower, upper = e.pop_many(3)
    e.push(ast.Subscript(container, make_slice(lower, upper)))


@operation("BUILD_SLICE")
def _build_slice(e, instruction):
    e.push(make_slice(*e.pop_many(instruction.arg)))


@operation(*_unary)
def _push_unary_operation(e, instruction):
    e.push(ast.UnaryOp(_unary[instruction.opname](), e.pop()))


@operation("UNARY_POSITIVE")
def push_unary_plus(e, instruction):
    e.push(ast.UnaryOp(ast.UAdd(), e.pop()))


@operation("COMPARE_OP")
def _push_value_comparison(e, instruction):
    _push_comparison(e, _compared[instruction.argval])


@operation("IS_OP")
def _push_identity_comparison(e, instruction):
    _push_comparison(e, ast.IsNot if instruction.arg else ast.Is)


@operation("CONTAINS_OP")
def _push_membership_comparison(e, instruction):
    _push_comparison(e, ast.NotIn if instruction.arg else ast.In)


def _push_comparison(e, operator):
    left, right = e.pop_many(2)
    e.push(ast.Compare(left, [operator()], [right]))
