"""Makes a failing kernel smaller while it still fails: removes statements, then replaces expressions by simpler ones.

The watching interpreter runs each candidate first, so that a candidate that races or reads out of bounds does not count
as a failure.
"""

import ast
import copy
import re
import time
import warnings
from dataclasses import replace

from case import SameArray
from judge import judge


def _is_barrier(statement):
    return isinstance(statement, ast.Expr) and "syncthreads" in ast.dump(statement)


def _find_statement_lists(tree):
    for node in ast.walk(tree):
        for name in ("body", "orelse"):
            statements = getattr(node, name, None)
            if isinstance(statements, list) and not isinstance(node, ast.Module):
                yield node, name, statements


def _remove_statements(tree):
    """The trees without a run of statements, long runs first, and with an `if` or a loop replaced by its body."""
    count = sum(1 for _ in _find_statement_lists(tree))
    for which in range(count):
        length = len(list(_find_statement_lists(tree))[which][2])
        size = length
        while size:
            for start in range(0, length - size + 1):
                candidate = copy.deepcopy(tree)
                node, name, statements = list(_find_statement_lists(candidate))[which]
                if size == length and name == "body":
                    statements[:] = [ast.Pass()]
                else:
                    del statements[start : start + size]
                yield candidate
            size = size // 2 if size > 2 else size - 1
        for start in range(length):
            candidate = copy.deepcopy(tree)
            _, _, statements = list(_find_statement_lists(candidate))[which]
            inner = statements[start]
            if isinstance(inner, (ast.If, ast.For, ast.While)):
                statements[start : start + 1] = inner.body
                yield candidate


def _find_expressions(tree):
    """(node, field, index or None) of each expression that can be replaced."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.arguments, ast.Attribute)):
            continue
        for name, value in ast.iter_fields(node):
            if name in ("func", "target", "targets", "decorator_list"):
                continue
            values = value if isinstance(value, list) else [value]
            for i, item in enumerate(values):
                if isinstance(item, ast.expr) and not isinstance(item, (ast.Constant, ast.Slice)):
                    yield node, name, i if isinstance(value, list) else None


def _list_simpler(expression):
    """The expression's operands, and a constant."""
    if isinstance(expression, (ast.Name, ast.Attribute)):
        return []
    operands = [e for e in ast.iter_child_nodes(expression) if isinstance(e, ast.expr)]
    if isinstance(expression, ast.Call):
        operands = expression.args
    return [*operands, ast.Constant(1)]


def _simplify_expressions(tree):
    places = list(_find_expressions(tree))
    for which, (node, name, i) in enumerate(places):
        value = getattr(node, name)
        options = len(_list_simpler(value if i is None else value[i]))
        for option in range(options):
            candidate = copy.deepcopy(tree)
            other, _, _ = list(_find_expressions(candidate))[which]
            old = getattr(other, name) if i is None else getattr(other, name)[i]
            new = _list_simpler(old)[option]
            if i is None:
                setattr(other, name, new)
            else:
                getattr(other, name)[i] = new
            yield candidate


def _remove_unused_functions(tree):
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    candidate = copy.deepcopy(tree)
    candidate.body = [
        part
        for part in candidate.body
        if not isinstance(part, ast.FunctionDef) or part.name == "kernel" or part.name in used
    ]
    if len(candidate.body) < len(tree.body):
        yield candidate


def _remove_unused_arguments(case):
    tree = ast.parse(case.source)
    kernel = next(f for f in tree.body if getattr(f, "name", None) == case.kernel)
    used = {n.id for n in ast.walk(kernel) if isinstance(n, ast.Name)}
    used |= {a.of for a in case.arguments.values() if isinstance(a, SameArray)}
    kernel.args.args = [a for a in kernel.args.args if a.arg in used]
    arguments = {name: a for name, a in case.arguments.items() if name in used}
    return replace(case, source=ast.unparse(tree) + "\n", arguments=arguments)


def _normalize_reason(text):
    """The start of an error's first line without line numbers, which differ in a smaller kernel."""
    places = r"<kernel \d+ of seed \d+>:\d+: | at line \d+"
    return re.sub(places, "", text.splitlines()[0])[:60] if text else ""


def shrink(case, devices, verdict, seconds=60, judge=judge):
    """A smaller case that ``judge`` finds to fail in the same way on the same device, searched within the time."""
    devices = [d for d in devices if d.type == verdict.device]
    reason = _normalize_reason(verdict.text) if verdict.kind == "error" else ""
    end = time.monotonic() + seconds

    def fails(candidate):
        found = judge(candidate, devices, watched=True)
        return found.kind == verdict.kind and _normalize_reason(found.text).startswith(reason)

    def remove_arguments(case):
        candidate = _remove_unused_arguments(case)
        return candidate if fails(candidate) else case

    best = case
    if not fails(best):
        return best
    progress = True
    while progress:
        progress = False
        for candidates in _remove_statements, _simplify_expressions, _remove_unused_functions:
            again = True
            while again:
                again = False
                for tree in candidates(ast.parse(best.source)):
                    if time.monotonic() > end:
                        return remove_arguments(best)
                    try:
                        text = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
                        with warnings.catch_warnings(action="ignore"):
                            compile(text, "<candidate>", "exec")  # rejects a break outside a loop
                    except (ValueError, AttributeError, RecursionError, SyntaxError):
                        continue
                    if len(text) >= len(best.source):
                        continue
                    candidate = best.with_source(text)
                    if fails(candidate):
                        best, again, progress = candidate, True, True
                        break
    return remove_arguments(best)
