"""docs/reference: the pages match the compiler's tables, and each missing name of numba.cuda has an explanation."""

import fnmatch
import importlib.util
import re
from pathlib import Path

import pytest

import heddle
from heddle import cuda

ROOT = Path(__file__).parents[2]


def load(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


reference = load("make_reference")
ROWS = {row["name"] for row in reference.list_library()}
REFUSED = reference.list_refused()
ATTRIBUTES = [name for name in reference.read_numba_names() if name.startswith("array.")]


def refusal_of(name):
    return next((line for line in REFUSED if fnmatch.fnmatchcase(name, line["name"])), None)


def test_the_pages_are_what_the_tables_say():
    assert reference.find_stale() == [], "run `make reference` and commit what it changes"


def test_the_site_has_the_pages_in_the_order_of_their_topics():
    site = (ROOT / "scripts" / "site" / "mkdocs.yml").read_text()
    shown = re.findall(r"- reference/(\w+\.md)", site)
    elsewhere = re.findall(r"- [^:\n]+: reference/(\w+\.md)", site)
    topics = [file for files in reference.TOPICS.values() for file in files]
    there = [
        file for file in topics if (reference.FOLDER / file).exists() and file not in elsewhere
    ]
    assert shown == ["README.md", *there]


def test_every_name_of_numba_is_a_row_or_refused_with_a_reason():
    looked_up = [name for name in reference.read_numba_names() if name not in ATTRIBUTES]
    assert [name for name in looked_up if name not in ROWS and not refusal_of(name)] == []


def test_every_row_has_a_sentence():
    assert [row["name"] for row in reference.list_library() if not row["doc"].endswith(".")] == []


def compiles(expression, tmp_path):
    """The exception raised by compiling a kernel with the expression; None if it compiles."""
    path = tmp_path / "kernel.py"
    path.write_text(f"def kernel(x):\n    {expression}\n")
    names = {"cuda": cuda, "operator": __import__("operator")}
    exec(compile(path.read_text(), path, "exec"), names)
    try:
        cuda.jit(names["kernel"]).compile((heddle.float32[::1],))
    except Exception as error:
        return error
    return None


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_an_attribute_of_arrays_compiles_or_is_refused_as_told(device, tmp_path, name):
    error = compiles(f"x.{name.removeprefix('array.')}", tmp_path)
    assert (error is None) == (refusal_of(name) is None), error


@pytest.mark.parametrize(
    "line",
    [line for line in REFUSED if not line["name"].startswith("array.")],
    ids=lambda r: r["name"],
)
def test_what_is_refused_raises_the_error_that_the_page_names(device, tmp_path, line):
    names = (name for name in reference.read_numba_names() if name not in ROWS)
    name = next(name for name in names if fnmatch.fnmatchcase(name, line["name"]))
    error = compiles(f"{name.removeprefix('builtins.')}(x, 0)", tmp_path)
    assert type(error).__name__ == line["error"], error
