"""The tutorials: each cell prints what its page shows, and the notebooks have the pages' cells."""

import importlib.util
import linecache
import re
from pathlib import Path

import pytest

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
    names, files = {"__name__": "__main__"}, []

    def run(text):
        file = f"<cell {len(files)} of {id(files)}>"
        files.append(file)
        linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
        exec(compile(text, file, "exec"), names)
        return capfd.readouterr().out

    yield run
    compat.uninstall()
    for file in files:
        linecache.cache.pop(file, None)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_cells_print_what_the_page_shows(page, device, run_cell):
    wrong = []
    for kind, text, shown in notebooks.split_into_cells(page.read_text()):
        printed = run_cell(text) if kind == "code" else ""
        if printed.rstrip() != shown.rstrip():
            wrong.append(f"{text}\n{printed}")
    assert not wrong, "\n".join(wrong)


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


def test_every_page_is_in_the_course():
    course = (ROOT / "docs" / "tutorials" / "README.md").read_text()
    assert [page.name for page in PAGES if f"]({page.name})" not in course] == []


def test_the_pictures_are_those_that_the_script_draws():
    drawn = script("draw_tutorial_pictures").draw_pictures()
    folder = ROOT / "docs" / "tutorials" / "pictures"
    assert {path.stem: path.read_text() for path in folder.glob("*.svg")} == drawn
