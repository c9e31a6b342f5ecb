"""Complete programs in the style of numba's documentation, run unchanged by ``heddle run``.

Each program in numba_scripts/ checks its own results against NumPy; its output is checked here.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import heddle

FOLDER = Path(__file__).parent / "numba_scripts"
PRINTED = {
    "hash_table": "True False True",
    "pagerank": "True True",
    "ray_tracer": "1007 130 0",
    "search_tree": "99\nTrue 26 86\nTrue False",
    "matrix_class": "5.0 [[0. 0. 7.]\n"
    " [6. 7. 7.]] [1. 0. 7.] [6. 0. 5.]\n"
    "[10.  2. 14.] [[ 67.  54.  91.]\n"
    " [ 42.  49.  49.]\n"
    " [ 72.  55. 140.]] True 3 12.0\n"
    "(5.0, -1.0) [[-1. -1. -1.]\n"
    " [-1.  0.  7.]\n"
    " [-1. -1. -1.]]",
    "least_recently_used": "-1 10 [1, 3, 4] 3 6\n516",
    "breadth_first": "0 1 2 2 3 4 3 4 5 3 4 5\n0.0 1.0 4.0 5.0 7.0 11.0 5.0 8.0 13.0 8.0 12.0 13.0",
    "lu_decomposition": "True\n[[7.0, 7.0, 7.0], [1.0, 2.0, 3.0]] (12, 12) [7.0, 1.0]",
    "quicksort_rows": "True",
    "radix_sort": "True",
    "ray_spheres": "183 88.322219",
    "ufuncs_with_one_signature": "-0.6667 -0.6667 -0.6667 -0.6667 -1.0\n"
    "[0, 2, 4, 6]\n[0, 1, 16, 81, 256]",
    "clicks": "[0, 0, 2, 3, 3, 3, 6, 6, 8, 9, 9, 9, 12]",
    "cpu_gpu": "3 2",
    "dot_product": "Does GPU value 2.57236e+13 = 2.57236e+13?",
    "enums_and_records": "[100 100 100] [[0.0, 0.0, 0.0], [0.5, 0.5, 0.5], [1.0, 1.0, 1.0]]",
    "fft": "True 5",
    "correlated_rows": "True\nTrue",
    "shared_counts": "True True",
    "last_block_sum": "124750.0 0\n124750.0 0",
    "lorenz": "True",
    "floor_histogram": "19940 True True",
    "game_of_life": "5",
    "generated_kernels": "True True",
    "heat_1d": "10000",
    "histogram": "10000",
    "increment_2d": "5180.0\n210",
    "jacobi": "converged: True",
    "kmeans": "[[-0.0, -0.0], [5.0, 5.0], [-0.0, 6.0]] [500, 500, 500]",
    "laplace": "100",
    "matmul": "[ 253.  782. 1311. 1840. 2369.]",
    "monte_carlo": "pi: 3.14",
    "nbody": "momentum kept: True",
    "neighbours": "True 760",
    "partial_sums": "100000.0\n100000.0",
    "prefix_sum": "True",
    "random_walk": "90 True",
    "ray_match": "[6.0, 7.0, -1.0, -1.0]",
    "streams_and_pinned": "[1.0, 2.0, 3.0, 4.0] True",
    "sum_reduction": "523776\n523776",
    "tiles_by_ceil": "True 234.0",
    "transpose": "True",
    "unit_tests": "4 0 0",
    "warp_reduce_in_list": "[256.0, 256.0, 256.0, 232.0]",
    "batched_matmul": "True True\nTrue True",
    "mandelbrot_ufunc": "(40, 60) int32 255",
    "moving_mean": "[[0.0, 0.5, 1.0, 2.0, 3.0], [5.0, 5.5, 6.0, 7.0, 8.0]]\n[0.0, 0.5, 1.5, 2.5, 3.5]",
    "ufunc_pipeline": "True",
    "read_numbers": "[[1, -2, 3], [40, 50, 60], [7, 8, 9]]",
    "edit_distance": "3 3\n['kitten', 'sitting', 'straße', '日本語']",
    "caesar": "Khoor, Zruog\n  6 **jumped*\n  5 **quick**\n  5 **brown**\n  3 ***the***\n"
    "  3 ***fox***",
    "guarded_roots": "[2.0, -1.0, 1.414214, -1.0, 3.0] 2\nValueError: no convergence",
    "chunked_means": "275 > 104 > 13 3",
    "palindromes": "['A man, a plan, a canal, panama', 'été', 'no lemon, no melon']\n"
    "Amanplcétoe [1, 4, 9, 8, 2, 4, 1, 2, 1, 4, 2]",
}


def test_every_program_is_tested():
    assert {path.stem for path in FOLDER.glob("*.py")} == set(PRINTED)


@pytest.mark.parametrize("name", PRINTED)
def test_a_program_for_numba_gives_the_right_results(run_heddle, name):
    result = run_heddle("run", FOLDER / f"{name}.py")
    assert (result.stderr, result.stdout) == ("", PRINTED[name] + "\n")


@pytest.mark.parametrize("name", ["matmul", "dot_product"])
def test_a_program_for_numba_runs_as_a_module(run_heddle, tmp_path, name):
    (tmp_path / "program.py").write_text((FOLDER / f"{name}.py").read_text())
    result = run_heddle("run", "-m", "program")
    assert (result.stderr, result.stdout) == ("", PRINTED[name] + "\n")


def test_a_program_for_numba_runs_where_numba_is_not_installed(tmp_path):
    # -S leaves out site-packages, and numba with it; NumPy is put back by hand.
    import numpy

    (tmp_path / "numpy").symlink_to(Path(numpy.__file__).parent)
    for beside in Path(numpy.__file__).parent.parent.glob("numpy.libs"):
        (tmp_path / "numpy.libs").symlink_to(beside)
    package = Path(heddle.__file__).parent.parent
    result = subprocess.run(
        [sys.executable, "-S", "-m", "heddle", "run", str(FOLDER / "matmul.py")],
        env={**os.environ, "PYTHONPATH": f"{package}{os.pathsep}{tmp_path}"},
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert (result.stderr, result.stdout) == ("", PRINTED["matmul"] + "\n")
