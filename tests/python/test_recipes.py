"""Recipes, cheat sheets and the page on hardware: programs print what the pages show, and snippets compile."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from page_cells import CellRunner, is_shown

import heddle
from heddle import cuda

DOCS = Path(__file__).parents[2] / "docs"
PROGRAM = re.compile(r"^```python\n(.*?)^```\n(?:\n```\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL)


def read_recipes():
    """The programs of docs/recipes.md: maps a title to (program, output)."""
    parts = re.split(r"^### (.*)\n", (DOCS / "recipes.md").read_text(), flags=re.MULTILINE)
    return {
        title: PROGRAM.findall(text) for title, text in zip(parts[1::2], parts[2::2], strict=True)
    }


RECIPES = read_recipes()
WORKFLOW = "Run the tests in continuous integration (GitHub Actions)"
assert RECIPES.pop(WORKFLOW) == []  # it has no program in Python


def test_each_recipe_is_one_program():
    assert len(RECIPES) > 30
    assert [title for title, programs in RECIPES.items() if len(programs) != 1] == []


def test_the_recipe_that_errors_of_sorts_name_exists(cpu):
    with pytest.raises(heddle.TypingError) as caught:
        cuda.jit("void(float64[:])")(lambda x: x.sort())
    assert re.search('the recipe "(.*?)"', str(caught.value))[1] in RECIPES


@pytest.fixture
def run_recipes_test(tmp_path, plugin_options):
    """A function that runs the recipe's test with its pytest.ini. Returns the finished process."""
    text = (DOCS / "recipes.md").read_text()
    ((program, _),) = RECIPES["Check a kernel for races in a test"]
    (tmp_path / "pytest.ini").write_text(re.search(r"^```ini\n(.*?)^```", text, re.M | re.S)[1])

    def run(old="", new=""):
        assert old in program
        (tmp_path / "test_count.py").write_text(program.replace(old, new) if old else program)
        command = [sys.executable, "-m", "pytest", *plugin_options]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)

    return run


def test_the_recipes_test_passes_with_the_checks_on(run_recipes_test):
    result = run_recipes_test()
    assert result.returncode == 0 and "1 passed" in result.stdout, result.stdout


def test_the_recipes_test_fails_without_the_atomic_operation(run_recipes_test):
    result = run_recipes_test("cuda.atomic.add(bins, values[i], 1)", "bins[values[i]] += 1")
    shown = re.search(r"^error: race .*", (DOCS / "recipes.md").read_text(), re.M)[0]
    assert result.returncode == 1 and shown in result.stdout, result.stdout


@pytest.mark.parametrize("title", RECIPES)
def test_a_recipe_prints_what_it_shows(device, capfd, title):
    cells = CellRunner(capfd)
    ((text, shown),) = RECIPES[title]
    printed = cells.run(text)
    cells.close()
    assert is_shown(printed, shown), printed


def test_only_times_and_rates_may_differ_from_the_page():
    assert is_shown("copy:   1234.5 us", "copy: 7.2 us")
    assert not is_shown("copy: 7.2 bytes", "copy: 7.3 bytes")
    assert not is_shown("read: 7.2 us", "copy: 7.2 us")


def read_rows(page, first):
    """The rows of the tables whose first column has the title ``first``: lists of the code in each cell."""
    rows, wanted = [], False
    for line in (DOCS / "cheat_sheets" / page).read_text().splitlines():
        cells = [cell.strip().replace("\\|", "|") for cell in line.split(" | ")]
        if line.startswith("| "):
            cells[0], cells[-1] = cells[0][2:].strip(), cells[-1].removesuffix(" |")
            if cells[0] == first:
                wanted = True
            elif wanted and not line.startswith("| ---"):
                rows.append([re.findall(r"`+ ?(.*?) ?`+(?!`)", cell) for cell in cells])
        else:
            wanted = False
    return rows


ROWS = read_rows("python_and_cpp.md", "in Python")


@pytest.mark.parametrize("python", sum((row[0] for row in ROWS), []))
def test_a_python_snippet_of_the_cheat_sheet_compiles(cpu, tmp_path, python):
    path = tmp_path / "snippet.py"
    path.write_text(
        "def kernel(x, counts, n):\n"
        "    i, y, value, mask, lane = cuda.grid(1), np.float32(1), np.int32(1), 0xFFFFFFFF, 1\n"
        f"    {python}\n"
    )
    names = {"cuda": cuda, "np": np, "math": __import__("math")}
    exec(compile(path.read_text(), path, "exec"), names)
    cuda.jit(names["kernel"]).compile("void(float32[:], int32[:], int32)")


@pytest.mark.parametrize("cpp", sum((row[1] for row in ROWS), []))
def test_a_cpp_snippet_of_the_cheat_sheet_compiles(cpu, cpp):
    code = f"""
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void kernel(float* x, int* counts, int n) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x, value = 1, lane = 1;
  float y = 1;
  unsigned mask = 0xFFFFFFFF;
  {cpp};
}}"""
    heddle.RawKernel(code, "kernel").compile()


@pytest.mark.parametrize("page", sorted((DOCS / "cheat_sheets").glob("*.md")), ids=lambda p: p.stem)
def test_every_name_of_cuda_on_a_cheat_sheet_exists(page):
    text = page.read_text()
    for path in set(re.findall(r"(?<![\w.])(?:cuda|heddle)\.\w+(?:\.\w+)*", text)):
        if path.split(".")[-1] in ("md", "py", "compat"):
            continue
        found = {"cuda": cuda, "heddle": heddle}[path.split(".")[0]]
        for name in path.split(".")[1:]:
            found = getattr(found, name)
            if not hasattr(found, "__dict__") or type(found).__name__ == "Indices":
                break


@pytest.mark.parametrize(
    "page",
    ["cheat_sheets/kernels.md", "cheat_sheets/cupy.md", "cheat_sheets/debugging.md", "hardware.md"],
)
def test_a_page_prints_what_it_shows(cpu, capfd, numba_hidden, page):
    cells = CellRunner(capfd)
    programs = PROGRAM.findall((DOCS / page).read_text())
    assert programs
    for text, shown in programs:
        printed = cells.run(text)
        assert is_shown(printed, shown), printed
    heddle.compat.uninstall()
    cells.close()


def test_the_table_of_gpus_has_the_limits_that_heddle_computes_with():
    spec = importlib.util.find_spec("heddle.compiler.inspection.gpus")
    gpus = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(gpus)
    page = (DOCS / "hardware.md").read_text()
    for capability in [(7, 5), (8, 0), (8, 6), (8, 9), (9, 0), (10, 0), (12, 0)]:
        limits = gpus.get_capability_limits(capability)
        name = ".".join(map(str, capability))
        row = next(line for line in page.splitlines() if line.startswith(f"| {name} "))
        numbers = f"| {limits.threads} | {limits.blocks} | {limits.shared_bytes >> 10} |"
        assert numbers in row
