"""Compiled functions in other processes: pools with each start method, joblib, pytest-xdist, pickle, cloudpickle."""

import copy
import pickle
import subprocess
import sys

import cloudpickle
import numpy as np
import pytest

import heddle
from heddle import cuda


@cuda.jit
def triple(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= 3


@heddle.njit
def factorial(n):
    return 1 if n < 2 else n * factorial(n - 1)


@pytest.mark.parametrize("function", [triple, factorial], ids=["kernel", "njit"])
@pytest.mark.parametrize("pickler", [pickle, cloudpickle], ids=["pickle", "cloudpickle"])
def test_a_global_of_a_module_is_the_same_object_again(pickler, function):
    assert pickle.loads(pickler.dumps(function)) is function


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("function", [triple, factorial], ids=["kernel", "njit"])
def test_a_global_of_a_module_is_pickled_by_every_protocol(function, protocol):
    assert pickle.loads(pickle.dumps(function, protocol)) is function


@pytest.mark.parametrize("pickler", [pickle, cloudpickle], ids=["pickle", "cloudpickle"])
def test_a_local_kernel_is_pickled_with_what_it_names(device, pickler):
    factor = 5

    @cuda.jit(device=True)
    def scaled(value):
        return value * factor

    @cuda.jit
    def k(x):
        x[cuda.grid(1)] = scaled(x[cuda.grid(1)])

    pickled = pickler.dumps(k)
    again = pickle.loads(pickled)
    x = np.arange(3.0)
    again[1, 3](x)
    assert x.tolist() == [0, 5, 10]
    assert pickle.loads(pickled) is again


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
@pytest.mark.parametrize("decorator", [cuda.jit, heddle.njit, heddle.vectorize])
def test_a_copy_of_a_local_function_is_the_function(decorator, copied):
    function = decorator(lambda x: x)
    assert copied([function])[0] is function


def test_a_local_function_that_calls_itself_is_pickled(device):
    @cuda.jit(device=True)
    def power(n):
        return 1 if n < 1 else n * power(n - 1)

    @cuda.jit
    def k(x):
        x[0] = power(x[0])

    x = np.array([5])
    pickle.loads(pickle.dumps(k))[1, 1](x)
    assert x[0] == 120


WORK = """
import sys
import numpy as np
from numba import cuda, njit

@cuda.jit
def triple(x):
    x[cuda.grid(1)] *= 3

@njit
def factorial(n):
    return 1 if n < 2 else n * factorial(n - 1)

def work(n, kernel=triple):
    x = np.full(2, n)
    kernel[1, 2](x)
    return int(x.sum()) + factorial(n)

def run(function, n):
    return function(n)
"""

CHECK = "    print([one.result() for one in results])\n"


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_an_executor_runs_compiled_functions(run_script, method):
    result = run_script(
        WORK
        + f"""
if __name__ == "__main__":
    import concurrent.futures, multiprocessing
    context = multiprocessing.get_context("{method}")
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as pool:
        results = [pool.submit(run, factorial, 4), pool.submit(work, 3, triple)]
"""
        + CHECK,
        env={"HEDDLE_DEVICE": "cpu"},
    )
    assert (result.stderr, result.stdout) == ("", "[24, 24]\n")


def test_forked_processes_draw_different_random_numbers(run_script):
    result = run_script(
        """
import multiprocessing, random
import numpy as np
from heddle import njit

@njit
def draw(seeds):
    if seeds:
        np.random.seed(1)
        random.seed(2)
    return np.random.random(), random.random()

draw(True)
with multiprocessing.get_context("fork").Pool(2) as pool:
    drawn = pool.map(draw, [False] * 20, chunksize=1)
print(len({x for pair in [draw(False), *drawn] for x in pair}))
""",
        env={"HEDDLE_DEVICE": "cpu"},
    )
    assert (result.stderr, result.stdout) == ("", "42\n")


def test_joblib_takes_compiled_functions_of_the_program(run_script):
    result = run_script(
        WORK
        + """
import joblib
factor = 2
inner = njit(lambda n: n * factor)
results = joblib.Parallel(n_jobs=2)(joblib.delayed(f)(n) for n in (3, 4) for f in (work, factorial, inner))
print(results)
""",
        env={"HEDDLE_DEVICE": "cpu"},
    )
    assert (result.stderr, result.stdout) == ("", "[24, 6, 6, 48, 24, 8]\n")


IN_NUMBAS_STYLE = """
import unittest
import numpy as np
from numba import cuda, int32
from numba.cuda.testing import CUDATestCase, skip_unless_cudasim, unittest as cuda_unittest

SIZE = 16

def shared_sum(values, out):
    tile = cuda.shared.array(SIZE, int32)
    i = cuda.threadIdx.x
    tile[i] = values[i]
    cuda.syncthreads()
    step = SIZE // 2
    while step > 0:
        if i < step:
            tile[i] += tile[i + step]
        cuda.syncthreads()
        step //= 2
    if i == 0:
        out[0] = tile[0]

class TestBlocks(CUDATestCase):
    def setUp(self):
        super().setUp()
        self.values = np.arange(SIZE, dtype=np.int32)

    def test_sum(self):
        compiled = cuda.jit("void(int32[:], int32[:])")(shared_sum)
        out = np.zeros(1, np.int32)
        compiled[1, SIZE](self.values, out)
        self.assertEqual(out[0], self.values.sum())

    def test_atomic(self):
        @cuda.jit
        def count(x, bins):
            cuda.atomic.add(bins, x[cuda.grid(1)] % 4, 1)

        bins = cuda.to_device(np.zeros(4, np.int32))
        count[2, 8](self.values, bins)
        np.testing.assert_array_equal(bins.copy_to_host(), 4)

    def test_out_of_bounds(self):
        @cuda.jit(debug=True, opt=False)
        def k(x):
            x[cuda.grid(1) + SIZE] = 1

        with self.assertRaises(IndexError):
            k[1, 1](self.values)

    @cuda_unittest.skip("as its name says")
    def test_skipped(self):
        raise AssertionError

if __name__ == "__main__":
    unittest.main()
"""


def test_a_suite_in_numbas_style_runs_under_xdist(run_heddle, tmp_path):
    (tmp_path / "test_blocks.py").write_text(IN_NUMBAS_STYLE)
    result = run_heddle(
        *("run", "-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider", "test_blocks.py"),
        env={"HEDDLE_DEVICE": "cpu"},
    )
    assert "3 passed, 1 skipped" in result.stdout, result.stdout + result.stderr


def test_coverage_counts_the_lines_of_kernels_as_plain_python(tmp_path, run_heddle):
    (tmp_path / "program.py").write_text(
        "from numba import cuda\nimport numpy as np\n\n@cuda.jit\ndef k(x):\n    if x[0] > 9:\n"
        "        x[0] = 1\n    cuda.syncthreads()\n\nk[1, 4](np.zeros(4))\n"
    )
    run_heddle(
        "run",
        "-m",
        "coverage",
        "run",
        "--include=program.py",
        "program.py",
        env={"HEDDLE_DISABLE_JIT": "1"},
    )
    report = subprocess.run(
        [sys.executable, "-m", "coverage", "report", "-m"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert report.stdout.splitlines()[2].split() == ["program.py", "8", "1", "88%", "7"]


def test_a_kernel_with_a_signature_that_calls_a_function_is_pickled(device):
    @cuda.jit(device=True)
    def add_one(x):
        return x + 1

    @cuda.jit("void(int64[:])")
    def k(a):
        a[0] = add_one(a[0])

    a = cuda.to_device(np.array([5]))
    pickle.loads(pickle.dumps(k))[1, 1](a)
    assert a.copy_to_host()[0] == 6
