"""Extracts definitions from Python files and notebooks by name."""

import ast
import json
import textwrap


def take_definitions(texts, files, names):
    """The source of the named functions and assignments, wherever they are in the files, in the files' order."""
    parts = []
    for text, file in zip(texts, files, strict=True):
        text = join_code_cells(text) if file.endswith(".ipynb") else text
        nodes = ast.walk(ast.parse(text))
        wanted = [node for node in nodes if _name_of(node) in names]
        parts += [_cut(text, node) for node in sorted(wanted, key=lambda node: node.lineno)]
    return "\n\n".join(parts) + "\n"


def join_code_cells(text):
    """The code of a notebook, without its magic commands."""
    cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    sources = ["".join(cell["source"]) for cell in cells]
    return "\n\n".join(source for source in sources if _is_python(source))


def _is_python(source):
    try:
        ast.parse(source)
    except SyntaxError:
        return False
    return True


def _name_of(node):
    if isinstance(node, ast.FunctionDef):
        return node.name
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id
    return None


def _cut(text, node):
    first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
    lines = text.splitlines()[first - 1 : node.end_lineno]
    return textwrap.dedent("\n".join(lines))
