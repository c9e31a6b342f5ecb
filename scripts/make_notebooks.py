"""Generates examples/notebooks, with their pictures, from docs/tutorials.

A Python block becomes a code cell. A block without a language right after it is the output of that cell. The rest
becomes text cells. The code of solutions, which are in <details>, is collapsed.
"""

import json
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGES = ROOT / "docs" / "tutorials"
NOTEBOOKS = ROOT / "examples" / "notebooks"

_block = re.compile(r"^```(python)?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def split_into_cells(page):
    """Splits a page into cells, in order: ("text", text, "") or ("code", program, output)."""
    cells, end = [], 0
    for found in _block.finditer(page):
        text = page[end : found.start()].strip("\n")
        end = found.end()
        if found[1] is None:
            if text or not cells or cells[-1][0] != "code":
                raise ValueError(f"an output without a code block before it:\n{found[0]}")
            cells[-1] = ("code", cells[-1][1], found[2])
            continue
        if text:
            cells.append(("text", text, ""))
        cells.append(("code", found[2], ""))
    rest = page[end:].strip("\n")
    return [*cells, ("text", rest, "")] if rest else cells


def make_notebook(page):
    """Returns the notebook of this page as JSON text."""
    cells, prompt, in_solution = [], 0, False
    for number, (kind, text, printed) in enumerate(split_into_cells(page)):
        cell = {"id": f"cell{number}", "metadata": {}}
        if kind == "text":
            in_solution = text.rfind("<details") > text.rfind("</details>")
            text = _relink(_replace_details(text))
            if text:
                cells.append({"cell_type": "markdown", **cell, "source": _split_lines(text)})
            continue
        prompt += 1
        if in_solution:
            cell["metadata"] = {"jupyter": {"outputs_hidden": True, "source_hidden": True}}
        outputs = [{"name": "stdout", "output_type": "stream", "text": _split_lines(printed)}]
        cell |= {"execution_count": prompt, "outputs": outputs if printed else []}
        cells.append({"cell_type": "code", **cell, "source": _split_lines(text.rstrip("\n"))})
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    notebook = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def _split_lines(text):
    return text.splitlines(keepends=True)


def _replace_details(text):
    """The text with the titles of <details> as bold lines: a cell cannot contain other cells."""
    text = re.sub(r"<details[^>]*>\n<summary>(.*?)</summary>", r"**\1**", text)
    return text.replace("</details>", "").strip("\n")


def _relink(text):
    """Rewrites links to other pages relative to the notebooks' folder, which has copies of the pictures."""
    text = re.sub(r"\]\((\d\d_\w+)\.md\)", r"](\1.ipynb)", text)
    return re.sub(r"\]\(\.\./", "](../../docs/", text)


def read_pictures():
    """The pictures of the pages, by path. Jupyter shows only files in the folder in which it starts."""
    return {f"pictures/{path.name}": path.read_text() for path in PAGES.glob("pictures/*.svg")}


def main():
    (NOTEBOOKS / "pictures").mkdir(exist_ok=True)
    for path, picture in read_pictures().items():
        (NOTEBOOKS / path).write_text(picture)
    for page in sorted(PAGES.glob("[0-9]*.md")):
        (NOTEBOOKS / f"{page.stem}.ipynb").write_text(make_notebook(page.read_text()))


if __name__ == "__main__":
    main()
