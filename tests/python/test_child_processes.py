"""Python processes started by a program under ``heddle run`` see the same substitutes as the program."""

import pytest

WORK = """
import multiprocessing
import numpy as np

def work(n):
    from numba import cuda

    @cuda.jit
    def k(x):
        x[cuda.grid(1)] += n

    x = np.ones(2)
    k[1, 2](x)
    return cuda.__name__, float(x.sum())

if __name__ == "__main__":
    with multiprocessing.get_context("{method}").Pool(1) as pool:
        print(pool.map(work, [1, 2]))
"""


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_workers_of_a_pool(run_script, method):
    result = run_script(WORK.replace("{method}", method))
    assert (result.stderr, result.stdout) == (
        "",
        "[('heddle.cuda', 4.0), ('heddle.cuda', 6.0)]\n",
    )


def test_a_process_of_a_process(run_script):
    inner = "import numba.cuda; print(numba.cuda.__name__)"
    outer = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {inner!r}])"
    result = run_script(
        f"import subprocess, sys; subprocess.run([sys.executable, '-c', {outer!r}])"
    )
    assert (result.stderr, result.stdout) == ("", "heddle.cuda\n")


def test_a_script_that_a_program_starts(run_script, tmp_path):
    (tmp_path / "other.py").write_text("import cupy, sys\nprint(cupy.__name__, sys.argv[1:])\n")
    result = run_script(
        "import subprocess, sys; subprocess.run([sys.executable, 'other.py', '-x'])",
        env={"HEDDLE_DEVICE": "cpu"},
    )
    assert (result.stderr, result.stdout) == ("", "cupy ['-x']\n")


def test_a_process_that_imports_no_numba_loads_nothing(run_script):
    inner = 'import sys; print([name for name in sys.modules if name.startswith("heddle")])'
    result = run_script(
        f"import subprocess, sys; subprocess.run([sys.executable, '-c', {inner!r}])"
    )
    assert (result.stderr, result.stdout) == ("", "[]\n")


def test_the_search_path_of_a_process_is_its_own(run_script, tmp_path):
    (tmp_path / "sitecustomize.py").write_text("import sys; sys.mine = 5\n")
    inner = 'import sys; print(sys.mine, [p for p in sys.path if "child_processes" in p])'
    result = run_script(
        "import os, subprocess, sys\n"
        "paths = os.environ['PYTHONPATH'].split(os.pathsep)\n"
        f"os.environ['PYTHONPATH'] = os.pathsep.join([paths[0], {str(tmp_path)!r}, *paths[1:]])\n"
        f"subprocess.run([sys.executable, '-c', {inner!r}])"
    )
    assert (result.stderr, result.stdout) == ("", "5 []\n")


def test_a_python_without_heddle_has_its_own_modules(run_script, tmp_path):
    other = tmp_path / "other"
    (other / "numba").mkdir(parents=True)
    (other / "numba" / "__init__.py").write_text("print('the real one')\n")
    (other / "heddle.py").write_text("raise ImportError('another Python')\n")
    result = run_script(
        "import os, subprocess, sys\n"
        "paths = os.environ['PYTHONPATH'].split(os.pathsep)\n"
        f"os.environ['PYTHONPATH'] = os.pathsep.join([paths[0], {str(other)!r}])\n"
        "subprocess.run([sys.executable, '-c', 'import numba'])"
    )
    assert (result.stderr, result.stdout) == ("", "the real one\n")


def test_a_test_of_numbas_test_case_runs_in_a_process_of_its_own(run_script):
    script = (
        "import os\n"
        "from numba import cuda\n"
        "from numba.cuda.testing import unittest\n"
        "from numba.cuda.tests.support import TestCase\n"
        "class Suite(TestCase):\n"
        "    @TestCase.run_test_in_subprocess(envvars={'MARK': 'child'})\n"
        "    def test_mark(self):\n"
        "        self.assertEqual(os.environ.get('MARK'), 'child')\n"
        "    @TestCase.run_test_in_subprocess\n"
        "    def test_fails(self):\n"
        "        self.fail('on purpose')\n"
        "unittest.main()\n"
    )
    result = run_script(script)
    assert "Ran 2 tests" in result.stderr and "FAILED (failures=1)" in result.stderr
    assert "on purpose" in result.stderr
