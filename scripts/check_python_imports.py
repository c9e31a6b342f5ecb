"""Checks the imports in python/heddle: no cycles between files, and no import inside a function without a reason.

Imports belong at the top of a file. An import inside a function, or any call of import_module, needs a comment with the
reason on its line:

    import asyncio  # late: takes longer to load than the rest of heddle

The search for cycles includes these imports.
"""

import ast
import graphlib
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "python" / "heddle"


def module_name(path):
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported_modules(node, known):
    """The package's files that an import statement loads."""
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    else:
        names = [f"{node.module}.{alias.name}" for alias in node.names]
        names = [name if name in known else node.module for name in names]
    return {name for name in names if name in known}


def is_import(node):
    return isinstance(node, (ast.Import, ast.ImportFrom))


def loads_by_name(node):
    called = getattr(node, "func", None)
    return getattr(called, "id", getattr(called, "attr", None)) in ("import_module", "__import__")


def late_imports(tree):
    """The nodes that import a module inside a function or by name."""
    functions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
    inside = {node for f in ast.walk(tree) if isinstance(f, functions) for node in ast.walk(f)}
    return [n for n in ast.walk(tree) if loads_by_name(n) or (is_import(n) and n in inside)]


def main():
    paths = sorted(PACKAGE.rglob("*.py"))
    known = {module_name(path) for path in [*paths, *PACKAGE.rglob("*.pyi")]}  # .pyi: the extension
    graph, wrong = {}, []
    for path in paths:
        text = path.read_text()
        tree, lines = ast.parse(text), text.splitlines()
        imports = [node for node in ast.walk(tree) if is_import(node)]
        graph[module_name(path)] = set().union(*(imported_modules(n, known) for n in imports))
        wrong += [
            f"{path.relative_to(ROOT)}:{node.lineno}: a relative import, which this check cannot follow"
            for node in imports
            if getattr(node, "level", 0)
        ]
        wrong += [
            f"{path.relative_to(ROOT)}:{node.lineno}: a late import without '# late: why' on its line"
            for node in late_imports(tree)
            if "# late: " not in lines[node.end_lineno - 1]
        ]
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        wrong.append(f"a circle of imports: {' <- '.join(error.args[1])}")
    print(*wrong, sep="\n", end="\n" if wrong else "", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
