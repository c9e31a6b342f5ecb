"""Makes examples/notebooks of docs/tutorials: the pages are the source, a notebook has the same cells.

A block of Python is a code cell, a block without a language after it is what the cell prints; the rest is text.
"""

import json
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGES = ROOT / "docs" / "tutorials"
NOTEBOOKS = ROOT / "examples" / "notebooks"

_block = re.compile(r"^```(python)?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def cells_of(page):
    """The cells of a page's text, in order: ("text", text, "") or ("code", program, what it prints)."""
    cells, end = [], 0
    for found in _block.finditer(page):
        text = page[end : found.start()].strip("\n")
        end = found.end()
        if found[1] is None:
            if text or not cells or cells[-1][0] != "code":
                raise ValueError(f"an output that follows no code:\n{found[0]}")
            cells[-1] = ("code", cells[-1][1], found[2])
            continue
        if text:
            cells.append(("text", text, ""))
        cells.append(("code", found[2], ""))
    rest = page[end:].strip("\n")
    return [*cells, ("text", rest, "")] if rest else cells


def notebook_of(page):
    """The text of the notebook with these cells."""
    cells, prompt = [], 0
    for number, (kind, text, printed) in enumerate(cells_of(page)):
        cell = {"id": f"cell{number}", "metadata": {}}
        if kind == "text":
            cells.append({"cell_type": "markdown", **cell, "source": _lines(_relinked(text))})
            continue
        prompt += 1
        outputs = [{"name": "stdout", "output_type": "stream", "text": _lines(printed)}]
        cell |= {"execution_count": prompt, "outputs": outputs if printed else []}
        cells.append({"cell_type": "code", **cell, "source": _lines(text.rstrip("\n"))})
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    notebook = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def _lines(text):
    return text.splitlines(keepends=True)


def _relinked(text):
    """The text with its links to other pages and pictures as they are from the notebooks' folder."""
    text = re.sub(r"\]\((\d\d_\w+)\.md\)", r"](\1.ipynb)", text)
    text = re.sub(r"\]\(\.\./", "](../../docs/", text)
    return re.sub(r"\]\(pictures/", "](../../docs/tutorials/pictures/", text)


def main():
    for page in sorted(PAGES.glob("[0-9]*.md")):
        (NOTEBOOKS / f"{page.stem}.ipynb").write_text(notebook_of(page.read_text()))


if __name__ == "__main__":
    main()
