"""The tutorials: each cell prints what its page shows, and the notebooks have the pages' cells."""

import importlib.util
import json
import re
from pathlib import Path

import pytest
from page_cells import CellRunner, is_shown

from heddle import compat

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs" / "tutorials").glob("[0-9]*.md"))


def script(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


notebooks = script("make_notebooks")


@pytest.fixture
def run_cell(capfd, numba_hidden):
    """A function that runs a cell as IPython does and returns what it prints."""
    cells = CellRunner(capfd)
    yield cells.run
    compat.uninstall()
    cells.close()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_cells_print_what_the_page_shows(page, device, run_cell):
    wrong = []
    for kind, text, shown in notebooks.split_into_cells(page.read_text()):
        printed = run_cell(text) if kind == "code" else ""
        if not is_shown(printed, shown):
            wrong.append(f"{text}\n{printed}")
    assert not wrong, "\n".join(wrong)


def test_only_times_and_rates_may_differ_from_the_page():
    assert is_shown("copy:   1234.5 us", "copy: 7.2 us")
    assert not is_shown("copy: 7.2 bytes", "copy: 7.3 bytes")
    assert not is_shown("read: 7.2 us", "copy: 7.2 us")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_page_ends_with_exercises_and_hidden_solutions(page):
    text = page.read_text()
    assert "\n## Exercises\n" in text
    exercises = text.partition("\n## Exercises\n")[2]
    asked = re.findall(r"^(\d)\. ", exercises, re.MULTILINE)
    solved = re.findall(r"^<summary>Solution (\d)</summary>$", exercises, re.MULTILINE)
    assert asked == solved and 2 <= len(asked) <= 5
    assert all("```python" in part for part in exercises.split("<summary>")[1:])


def test_the_code_of_a_solution_is_collapsed_in_the_notebook():
    solution = "<summary>Solution 1</summary>\n\n```python\n2\n```\n"
    page = f'A\n\n```python\n1\n```\n\n<details markdown="1">\n{solution}\n</details>\n'
    cells = json.loads(notebooks.make_notebook(page))["cells"]
    assert [cell["cell_type"] for cell in cells] == ["markdown", "code", "markdown", "code"]
    assert cells[2]["source"] == ["**Solution 1**"]
    assert [bool(cell["metadata"]) for cell in cells] == [False, False, False, True]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_notebook_is_made_of_the_page(page):
    notebook = ROOT / "examples" / "notebooks" / f"{page.stem}.ipynb"
    assert notebook.read_text() == notebooks.make_notebook(page.read_text()), "run `make tutorials`"


def test_the_notebooks_folder_has_their_pictures():
    folder = ROOT / "examples" / "notebooks"
    copies = {f"pictures/{path.name}": path.read_text() for path in folder.glob("pictures/*")}
    assert copies == notebooks.read_pictures(), "run `make tutorials`"
    shown = {
        found for page in PAGES for found in re.findall(r"!\[.*?\]\((.*?)\)", page.read_text())
    }
    assert shown == set(copies)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_page_has_a_picture_with_a_description(page):
    described = re.findall(r"!\[(.*?)\]\(pictures/", page.read_text())
    assert described and all(len(text) > 20 for text in described)


def test_every_page_is_in_the_course():
    course = (ROOT / "docs" / "tutorials" / "README.md").read_text()
    assert [page.name for page in PAGES if f"]({page.name})" not in course] == []


def test_the_pictures_are_those_that_the_script_draws():
    drawn = script("draw_tutorial_pictures").draw_pictures()
    folder = ROOT / "docs" / "tutorials" / "pictures"
    assert {path.stem: path.read_text() for path in folder.glob("*.svg")} == drawn
