"""Checks that every #include of src/ points down, to the layers in its row, and that no folder has too many files."""

import collections
import pathlib
import re
import sys

MOST_FILES = 35  # in a folder

# folder: the folders that its files may include, besides itself. The longest folder that a path begins with counts.
ALLOWED = {
    "support": "",
    "simt": "support",
    "simt_interpreter": "simt support",
    "frontend/python": "simt support",
    "frontend/cuda": "simt support",
    "frontend/ptx": "simt support",
    "backend/cpu": "simt support",
    "backend/nvptx": "simt support",
    "runtime": "backend/cpu backend/nvptx frontend/ptx simt support",
    "host": "runtime backend/cpu simt support",
    "program": "runtime frontend/cuda simt support",
    "bindings": "program host runtime frontend/python frontend/cuda frontend/ptx backend/cpu backend/nvptx "
    "simt support",
    "api": "program runtime simt support",
    "tools": "host frontend/cuda frontend/ptx backend/cpu backend/nvptx simt_interpreter simt support",
}
# Within a layer, in the order of the house: a folder may use those before it.
ORDER = {
    "frontend/python": "types syntax ssa rows infer link emit library",
    "frontend/cuda": "clang lower",
}


def layer_of(path, layers):
    return max((layer for layer in layers if path.startswith(layer + "/")), key=len, default="")


def problem(file, included):
    """Why `file` may not include `included` (both below src/); empty when it may."""
    here, there = layer_of(file, ALLOWED), layer_of(included, ALLOWED)
    if here != there:
        return "" if there in ALLOWED[here].split() else f"{here} may not use {there}"
    order = [f"{here}/{folder}" for folder in ORDER.get(here, "").split()]
    mine, other = layer_of(file, order), layer_of(included, order)
    up = mine and other and order.index(other) > order.index(mine)
    return f"{mine} may not use {other}" if up else ""


def crowded(root):
    """The folders of sources in which nobody finds a file."""
    files = [p for folder in ("src", "python") for p in sorted((root / folder).rglob("*"))]
    names = (p for p in files if p.suffix in (".cpp", ".h", ".def", ".py", ".pyi", ".md"))
    found = collections.Counter(p.parent.relative_to(root).as_posix() for p in names)
    # Headers that programs include by name.
    return [(d, n) for d, n in found.items() if n > MOST_FILES and "/headers" not in d]


def main():
    root = pathlib.Path(__file__).parent.parent
    src = root / "src"
    problems = [f"{folder}: {n} files, more than {MOST_FILES}" for folder, n in crowded(root)]
    for path in sorted(src.rglob("*")):
        file = path.relative_to(src).as_posix()
        if path.suffix not in (".cpp", ".h", ".def") or "/headers/" in file:
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            found = re.match(r'#include "([^"]+)"', line)
            if found and (src / found[1]).exists() and (why := problem(file, found[1])):
                problems.append(f"src/{file}:{number}: {why}: {found[1]}")
    for text in problems:
        print(text)
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
