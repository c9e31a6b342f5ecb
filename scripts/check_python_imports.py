"""Checks the imports in python/heddle: no cycles, none of a higher layer, no late ones without a reason.

Imports belong at the top of a file. An import inside a function, or any call of import_module, needs a comment with the
reason on its line:

    import asyncio  # late: takes longer to load than the rest of heddle

The search for cycles includes these imports.

A folder's README.md may list its files and folders in numbered layers, from low to high:

    1. `layout`, `streams`: strides and streams
    2. `algorithms/`, `__init__`: sorting

It must list each of them. A file imports only from its own line and from those above it. import_module is free to load
any layer, for what a program asks for by name.
"""

import ast
import graphlib
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "python" / "heddle"


def get_module_name(path):
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def find_imported_modules(node, known):
    """The package's files that an import statement, or a call of import_module with a constant, loads."""
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom):
        names = [f"{node.module}.{alias.name}" for alias in node.names]
        names = [name if name in known else node.module for name in names]
    else:
        names = [getattr(argument, "value", None) for argument in node.args]
    return {name for name in names if name in known}


def is_import(node):
    return isinstance(node, (ast.Import, ast.ImportFrom))


def is_import_by_name(node):
    called = getattr(node, "func", None)
    return getattr(called, "id", getattr(called, "attr", None)) in ("import_module", "__import__")


def find_late_imports(tree):
    """The nodes that import a module inside a function or by name."""
    functions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
    inside = {node for f in ast.walk(tree) if isinstance(f, functions) for node in ast.walk(f)}
    return [n for n in ast.walk(tree) if is_import_by_name(n) or (is_import(n) and n in inside)]


def read_layers(readme):
    """name of a file or folder -> the number of its layer; empty if the text lists none."""
    found = {}
    for number, entries in re.findall(r"^(\d+)\. (.*?):", readme, re.MULTILINE | re.DOTALL):
        found.update((name, int(number)) for name in re.findall(r"`(\w+)/?`", entries))
    return found


def find_part(module, package):
    """The file or folder of a package that contains a module; None for modules outside."""
    if module == package:
        return "__init__"
    outside, _, inside = module.partition(f"{package}.")
    return None if outside or not inside else inside.partition(".")[0]


def find_layer_problems(package, layers, graph):
    """Yields a text for each part of a package that its layers lack, and for each import of a higher layer."""
    parts = {find_part(module, package) for module in graph} - {None}
    for name in sorted(parts ^ set(layers)):
        yield f"{package}: README.md and the folder differ: {name}"
    for module, imported in graph.items():
        here = layers.get(find_part(module, package))
        for other in sorted(imported):
            there = layers.get(find_part(other, package))
            if here and there and there > here:
                yield f"{module}, in layer {here} of {package}, imports {other} in layer {there}"


def main():
    paths = sorted(PACKAGE.rglob("*.py"))
    known = {
        get_module_name(path) for path in [*paths, *PACKAGE.rglob("*.pyi")]
    }  # .pyi: the extension
    statements, loads = {name: set() for name in known}, {name: set() for name in known}
    wrong = []
    for path in paths:
        text = path.read_text()
        tree, lines = ast.parse(text), text.splitlines()
        imports = [node for node in ast.walk(tree) if is_import(node)]
        by_name = [node for node in ast.walk(tree) if is_import_by_name(node)]
        module = get_module_name(path)
        statements[module].update(*(find_imported_modules(n, known) for n in imports))
        loads[module].update(*(find_imported_modules(n, known) for n in [*imports, *by_name]))
        wrong += [
            f"{path.relative_to(ROOT)}:{node.lineno}: a relative import, which this check cannot follow"
            for node in imports
            if getattr(node, "level", 0)
        ]
        wrong += [
            f"{path.relative_to(ROOT)}:{node.lineno}: a late import without '# late: why' on its line"
            for node in find_late_imports(tree)
            if "# late: " not in lines[node.end_lineno - 1]
        ]
    for readme in sorted(PACKAGE.rglob("README.md")):
        if layers := read_layers(readme.read_text()):
            wrong += find_layer_problems(get_module_name(readme.parent), layers, statements)
    try:
        graphlib.TopologicalSorter(loads).prepare()
    except graphlib.CycleError as error:
        wrong.append(f"a circle of imports: {' <- '.join(error.args[1])}")
    print(*wrong, sep="\n", end="\n" if wrong else "", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
