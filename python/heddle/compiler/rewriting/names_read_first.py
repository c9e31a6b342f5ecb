"""Determines which names statements read before they have certainly assigned them.

x = a       reads a; x is assigned, y may not be
if a:
    y = x
use(y)      reads y
"""

import ast


def list_names_read_first(statements, read_behind=()):
    """The names that the statements may read before assigning them, or that are read after them."""
    reads = set()
    assigned = _track_names_in_block(statements, set(), reads)
    return reads | (set(read_behind) - assigned)


def _track_names_in_block(statements, assigned, reads):
    """Adds the names that the statements read to ``reads``. Returns the names assigned after them."""
    for statement in statements:
        assigned = _STATEMENTS.get(type(statement), _track_names_in_other_statement)(
            statement, assigned, reads
        )
    return assigned


def _add_names_read_before_assignment(nodes, assigned, reads):
    for node in nodes:
        reads |= {
            part.id for part in ast.walk(node) if _is_name_in_context(part, ast.Load)
        } - assigned


def _is_name_in_context(node, context):
    return isinstance(node, ast.Name) and isinstance(node.ctx, context)


def _list_stored_names(node):
    return {part.id for part in ast.walk(node) if _is_name_in_context(part, ast.Store)}


def _track_names_in_assign(node, assigned, reads):
    _add_names_read_before_assignment([node], assigned, reads)
    return assigned | _list_stored_names(node)


def _track_names_in_with(node, assigned, reads):
    _add_names_read_before_assignment([item.context_expr for item in node.items], assigned, reads)
    names = {
        name
        for item in node.items
        if item.optional_vars
        for name in _list_stored_names(item.optional_vars)
    }
    return _track_names_in_block(node.body, assigned | names, reads)


def _track_names_in_if(node, assigned, reads):
    _add_names_read_before_assignment([node.test], assigned, reads)
    return _track_names_in_block(node.body, assigned, reads) & _track_names_in_block(
        node.orelse, assigned, reads
    )


def _track_names_in_loop(node, assigned, reads):
    """A ``for`` or ``while`` loop, which may have no iterations."""
    _add_names_read_before_assignment(
        [node.iter if isinstance(node, ast.For) else node.test], assigned, reads
    )
    names = _list_stored_names(node.target) if isinstance(node, ast.For) else set()
    _track_names_in_block(node.body, assigned | names, reads)
    _track_names_in_block(node.orelse, assigned, reads)
    return assigned


def _track_names_in_other_statement(node, assigned, reads):
    """A statement that certainly assigns nothing. An augmented assignment reads its target."""
    _add_names_read_before_assignment([node], assigned, reads)
    if isinstance(node, ast.AugAssign):
        reads |= _list_stored_names(node.target) - assigned
    return assigned


_STATEMENTS = {
    ast.Assign: _track_names_in_assign,
    ast.AnnAssign: _track_names_in_assign,
    ast.With: _track_names_in_with,
    ast.If: _track_names_in_if,
    ast.For: _track_names_in_loop,
    ast.While: _track_names_in_loop,
}
