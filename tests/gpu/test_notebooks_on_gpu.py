"""Notebooks whose kernels run and print on the GPU: each line appears in the cell that launched it, in order."""

import pytest

pytest.importorskip("ipykernel")
pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")


@pytest.fixture
def run_notebook(tmp_path, run_heddle):
    """A function that makes a notebook of cells, runs it, and gives what each cell printed."""

    def run(*cells):
        made = [nbformat.v4.new_code_cell(cell) for cell in cells]
        nbformat.write(nbformat.v4.new_notebook(cells=made), tmp_path / "given.ipynb")
        saved = tmp_path / "saved.ipynb"
        folder = str(tmp_path / "ipython")
        result = run_heddle("given.ipynb", "--save", saved, IPYTHONDIR=folder)
        assert (result.stderr, result.returncode) == ("", 0), result.stdout
        cells = nbformat.read(saved, as_version=4).cells
        return ["".join(o.get("text", "") for o in cell.outputs) for cell in cells], result.stdout

    return run


DEFINE = """\
import numpy as np
from numba import cuda

@cuda.jit
def show(x):
    print({printed})

print(cuda.get_current_device().type)"""


def test_prints_of_kernels_are_in_their_cells_in_order(run_notebook):
    texts, printed = run_notebook(
        DEFINE.format(printed="cuda.grid(1), x[0]"),
        "x = cuda.to_device(np.array([1.5]))\nprint('before')\nshow[1, 2](x)\n"
        "cuda.synchronize()\nprint('after')",
        "show[1, 1](x)",  # Nobody waits for it.
        "print('between')",
        "s = cuda.stream()\nshow[1, 1, s](x)\ns.synchronize()\nprint('end')",
        "show[1, 1](np.array([2.5]))\nprint('host array')",
    )
    assert texts == [
        "cuda\n",
        "before\n0 1.500000\n1 1.500000\nafter\n",
        "0 1.500000\n",
        "between\n",
        "0 1.500000\nend\n",
        "0 2.500000\nhost array\n",
    ]
    assert printed == "".join(texts)


def test_a_thousand_lines_are_in_the_cell(run_notebook):
    texts, _ = run_notebook(
        DEFINE.format(printed="x[cuda.grid(1)]"),
        "show[8, 128](cuda.to_device(np.arange(1024)))",
    )
    assert sorted(map(int, texts[1].split())) == list(range(1024))


def test_raw_kernels_print_into_the_cell(run_notebook):
    texts, _ = run_notebook(
        'import heddle\nk = heddle.RawKernel(r\'extern "C" __global__ void k(int n)'
        ' { printf("n is %d\\n", n); }\', "k")',
        "k((1,), (1,), (7,))",
        "print('next')",
    )
    assert texts == ["", "n is 7\n", "next\n"]


def test_the_cell_whose_kernel_fails_is_named(run_heddle, tmp_path):
    failing = "@cuda.jit(debug=True, opt=False)\ndef k(x):\n    x[cuda.grid(1) + 4] = 1\n"
    cells = ["from numba import cuda\nimport numpy as np", failing + "k[1, 1](np.ones(3))"]
    made = [nbformat.v4.new_code_cell(cell) for cell in cells]
    nbformat.write(nbformat.v4.new_notebook(cells=made), tmp_path / "wrong.ipynb")
    result = run_heddle("wrong.ipynb", IPYTHONDIR=str(tmp_path / "ipython"))
    assert "wrong.ipynb: cell 2 (In [2]) failed: IndexError: " in result.stderr
    assert result.returncode == 1
