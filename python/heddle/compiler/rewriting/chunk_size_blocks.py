"""Rewrites ``with parallel_chunksize(n):`` in compiled functions as a try statement that restores the size."""

import ast
import itertools

from heddle.compiler import source

_numbers = itertools.count()


def register_chunk_size_context(context, set_size):
    """Registers the context manager. ``set_size(n)`` sets the size and returns the old one."""

    def rewrite_definition(definition, function):
        return _Rewriter(function, context, set_size).visit(definition)

    source.rewriters.append(rewrite_definition)


class _Rewriter(ast.NodeTransformer):
    def __init__(self, function, context, set_size):
        self._function, self._context, self._set_size = function, context, set_size

    def _resolve_global(self, node):
        if isinstance(node, ast.Attribute):
            return getattr(self._resolve_global(node.value), node.attr, None)
        return self._function.__globals__.get(node.id) if isinstance(node, ast.Name) else None

    def visit_With(self, node):
        self.generic_visit(node)
        call = node.items[0].context_expr
        if len(node.items) != 1 or not isinstance(call, ast.Call):
            return node
        if self._resolve_global(call.func) is not self._context:
            return node
        setter, before = "__heddle_name_set_parallel_chunksize", f"__chunksize_{next(_numbers)}"
        self._function.__dict__.setdefault("__heddle_names__", {})[setter] = self._set_size

        def make_setter_call(argument):
            return ast.Call(ast.Name(setter, ast.Load()), [argument], [])

        kept = ast.Assign([ast.Name(before, ast.Store())], make_setter_call(call.args[0]))
        back = ast.Expr(make_setter_call(ast.Name(before, ast.Load())))
        made = [kept, ast.Try(node.body, [], [], [back])]
        for statement in (kept, back):
            for part in ast.walk(statement):
                ast.copy_location(part, call)
        ast.copy_location(made[1], node)
        return made
