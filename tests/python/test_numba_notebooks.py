"""Published notebooks with ufuncs, kernels and plots, which ``heddle run`` runs unchanged.

Their output must equal numba's, from its simulator where they launch kernels. If numba is installed, that is checked:

    scripts/setup.sh bench && .venv/bin/python -m pytest tests/python/test_numba_notebooks.py
"""

import importlib.util
from pathlib import Path

import pytest

pytest.importorskip("ipykernel")
pytest.importorskip("matplotlib")
nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")

FOLDER = Path(__file__).parent / "numba_notebooks"
PRINTED = {
    "game_of_life": "[5, 5, 5, 5, 5] [11 12]\n",
    "heat_equation": "True [75.363 53.022 34.635]\n",
    "histogram_with_atomics": (
        "[  0   2   3  13  18  44  82 125 102 109  61  27   9   4   1   0] True\n"
    ),
    "julia_on_the_gpu": "(5, 6) 0 40 14156\n",
    "mandelbrot": "(180, 240) int64 795754\n",
    "monte_carlo_pi": "True 1\n",
    "moving_average": "(3, 200) [-0.470349 -1.        0.722278] 0.5\n105.018682\n",
    "n_body": "(3000, 3, 2) True [[-0.0026, 0.0093], [0.9584, -0.2646], [-1.6015, -1.068]]\n",
    "random_walks": "[-4. 10. 10.] 19.051765\n",
    "word_counts": "36 20 [('the', 8), ('a', 3), ('warp', 3), ('weft', 3), ('heddle', 2)]\n",
}


def check_outputs(notebook, name):
    outputs = [o for cell in notebook.cells for o in cell.get("outputs", [])]
    assert [o.text for o in outputs if o.output_type == "stream"] == [PRINTED[name]]
    assert [o for o in outputs if "image/png" in o.get("data", {})]


@pytest.mark.parametrize("name", PRINTED)
def test_a_notebook_written_for_numba_runs_as_it_is(name, run_heddle, tmp_path):
    environment = {"HEDDLE_DEVICE": "cpu", "IPYTHONDIR": str(tmp_path / "ipython")}
    saved = tmp_path / "saved.ipynb"
    result = run_heddle("run", FOLDER / f"{name}.ipynb", "--save", saved, env=environment)
    assert result.returncode == 0, result.stderr
    check_outputs(nbformat.read(saved, as_version=4), name)


@pytest.mark.skipif(importlib.util.find_spec("numba") is None, reason="numba is not installed")
@pytest.mark.parametrize("name", PRINTED)
def test_numba_prints_the_same(name, monkeypatch, tmp_path):
    monkeypatch.setenv("NUMBA_ENABLE_CUDASIM", "1")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    notebook = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
    nbclient.NotebookClient(notebook, kernel_name="python3", timeout=300).execute()
    check_outputs(notebook, name)


def test_each_notebook_is_tested():
    assert sorted(PRINTED) == sorted(path.stem for path in FOLDER.glob("*.ipynb"))
