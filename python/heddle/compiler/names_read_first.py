"""Which names a run of statements reads before it has certainly assigned them.

x = a       reads a: x has its value, y may have none
if a:
    y = x
use(y)      reads y
"""

import ast


def names_read_first(statements, read_behind=()):
    """The names that the statements may read before they assign them, or that are read behind them."""
    reads = set()
    assigned = _run(statements, set(), reads)
    return reads | (set(read_behind) - assigned)


def _run(statements, assigned, reads):
    """Adds what the statements read to ``reads``; returns the names that are assigned behind them."""
    for statement in statements:
        assigned = _STATEMENTS.get(type(statement), _other)(statement, assigned, reads)
    return assigned


def _read(nodes, assigned, reads):
    for node in nodes:
        reads |= {part.id for part in ast.walk(node) if _is_name(part, ast.Load)} - assigned


def _is_name(node, context):
    return isinstance(node, ast.Name) and isinstance(node.ctx, context)


def _stored(node):
    return {part.id for part in ast.walk(node) if _is_name(part, ast.Store)}


def _assign(node, assigned, reads):
    _read([node], assigned, reads)
    return assigned | _stored(node)


def _with(node, assigned, reads):
    _read([item.context_expr for item in node.items], assigned, reads)
    names = {
        name for item in node.items if item.optional_vars for name in _stored(item.optional_vars)
    }
    return _run(node.body, assigned | names, reads)


def _if(node, assigned, reads):
    _read([node.test], assigned, reads)
    return _run(node.body, assigned, reads) & _run(node.orelse, assigned, reads)


def _loop(node, assigned, reads):
    """A ``for`` or a ``while``, of which no round may run."""
    _read([node.iter if isinstance(node, ast.For) else node.test], assigned, reads)
    names = _stored(node.target) if isinstance(node, ast.For) else set()
    _run(node.body, assigned | names, reads)
    _run(node.orelse, assigned, reads)
    return assigned


def _other(node, assigned, reads):
    """A statement that assigns nothing for certain; an assignment in place reads what it assigns."""
    _read([node], assigned, reads)
    if isinstance(node, ast.AugAssign):
        reads |= _stored(node.target) - assigned
    return assigned


_STATEMENTS = {
    ast.Assign: _assign,
    ast.AnnAssign: _assign,
    ast.With: _with,
    ast.If: _if,
    ast.For: _loop,
    ast.While: _loop,
}
