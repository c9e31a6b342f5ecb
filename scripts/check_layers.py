"""Checks that each #include in src/ refers to an allowed lower layer, and that no folder has too many files."""

import collections
import pathlib
import re
import sys

MOST_FILES = 35  # per folder

# folder -> the other folders that its files may include. The longest folder that starts a path applies.
ALLOWED = {
    "support": "",
    "simt": "support",
    "codegen": "simt support",
    "simt_interpreter": "simt support",
    "frontend/python": "simt support",
    "frontend/cuda": "simt support",
    "frontend/ptx": "simt support",
    "backend/cpu": "codegen simt support",
    "backend/nvptx": "simt support",
    "runtime": "backend/cpu backend/nvptx frontend/ptx codegen simt support",
    "host": "runtime backend/cpu codegen simt support",
    "program": "runtime frontend/cuda simt support",
    "bindings": "program host runtime frontend/python frontend/cuda frontend/ptx backend/cpu backend/nvptx "
    "codegen simt support",
    "api": "program runtime simt support",
    "tools": "host frontend/cuda frontend/ptx backend/cpu backend/nvptx simt_interpreter codegen simt support",
}
# The folders within a layer, from bottom to top: each may use those before it.
ORDER = {
    "frontend/python": "types syntax ssa rows infer link emit library",
    "frontend/cuda": "clang lower",
    "backend/cpu": "abi prepare math vectorize operations blocks",
}


def find_layer(path, layers):
    return max((layer for layer in layers if path.startswith(layer + "/")), key=len, default="")


def find_problem(file, included):
    """Why ``file`` must not include ``included`` (both below src/); empty if it may."""
    here, there = find_layer(file, ALLOWED), find_layer(included, ALLOWED)
    if here != there:
        return "" if there in ALLOWED[here].split() else f"{here} may not use {there}"
    order = [f"{here}/{folder}" for folder in ORDER.get(here, "").split()]
    mine, other = find_layer(file, order), find_layer(included, order)
    up = mine and other and order.index(other) > order.index(mine)
    return f"{mine} may not use {other}" if up else ""


def find_crowded_folders(root):
    """(folder, number of files) for each folder with too many source files."""
    files = [p for folder in ("src", "python") for p in sorted((root / folder).rglob("*"))]
    names = (p for p in files if p.suffix in (".cpp", ".h", ".def", ".py", ".pyi", ".md"))
    found = collections.Counter(p.parent.relative_to(root).as_posix() for p in names)
    # Headers that programs include by name are exempt.
    return [(d, n) for d, n in found.items() if n > MOST_FILES and "/headers" not in d]


def main():
    root = pathlib.Path(__file__).parent.parent
    src = root / "src"
    problems = [
        f"{folder}: {n} files, more than {MOST_FILES}" for folder, n in find_crowded_folders(root)
    ]
    for path in sorted(src.rglob("*")):
        file = path.relative_to(src).as_posix()
        if path.suffix not in (".cpp", ".h", ".def") or "/headers/" in file:
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            found = re.match(r'#include "([^"]+)"', line)
            if found and (src / found[1]).exists() and (why := find_problem(file, found[1])):
                problems.append(f"src/{file}:{number}: {why}: {found[1]}")
    for text in problems:
        print(text)
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
