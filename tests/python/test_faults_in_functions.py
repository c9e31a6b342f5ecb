"""Host functions that access memory far outside their arrays raise an exception instead of ending Python."""

import gc

import numpy as np
import pytest

from heddle import _heddle, cuda, njit, prange

FAR = 10**9  # elements: gigabytes away


@njit
def write_at(a, i):
    a[i] = 1.0
    return a[0]


@njit
def sum_of_new(a, i):
    made = np.ones(100)
    made += a[i]
    return made.sum()


@njit(parallel=True)
def write_in_parallel(a, step):
    for i in prange(1000):
        a[(i + 1) * step] = i


def fault_of(function, *arguments):
    with pytest.raises(IndexError, match=r"(?s)accessed memory at 0x.*boundscheck=True") as error:
        function(*arguments)
    return error


def test_an_index_far_outside_is_an_error():
    error = fault_of(write_at, np.zeros(10), FAR)
    assert str(error.value).startswith("write_at() accessed memory")
    assert error.traceback[-1].path.name == "test_faults_in_functions.py"


def test_functions_run_after_it_as_before():
    for _ in range(20):
        fault_of(write_at, np.zeros(10), FAR)
    assert write_at(np.zeros(10), 0) == 1.0


def test_what_the_call_has_made_is_freed():
    gc.collect()
    before = _heddle.live_arrays()
    fault_of(sum_of_new, np.zeros(10), FAR)
    gc.collect()
    assert _heddle.live_arrays() == before


def test_a_loop_of_several_threads_ends():
    for _ in range(5):
        fault_of(write_in_parallel, np.zeros(10), FAR)
    a = np.zeros(1001)
    write_in_parallel(a, 1)
    assert a[1000] == 999


def test_a_handler_of_the_function_does_not_catch_it():
    @njit
    def guarded(a, i):
        try:
            return write_at(a, i)
        except Exception:
            return -1.0

    fault_of(guarded, np.zeros(10), FAR)
    assert guarded(np.zeros(10), 2) == 0.0


def test_a_generator_may_run_into_it():
    @njit
    def elements(a, step):
        for i in range(10):
            yield a[i * step]

    assert list(elements(np.arange(10.0), 1)) == list(range(10))
    running = elements(np.arange(10.0), FAR)
    assert next(running) == 0.0
    with pytest.raises(IndexError, match="accessed memory"):
        next(running)


def test_a_global_table_is_no_different():
    table = np.arange(4.0)

    @njit
    def look_up(i):
        return table[i]

    fault_of(look_up, FAR)


def test_kernels_run_after_it(cpu):
    @cuda.jit
    def fill(a):
        a[cuda.grid(1)] = 7

    fault_of(write_at, np.zeros(10), FAR)
    a = np.zeros(64)
    fill[2, 32](a)
    cuda.synchronize()
    assert (a == 7).all()


@pytest.mark.parametrize("setting, raises", [("1", True), ("0", False), ("", False)])
def test_the_environment_has_every_function_check_indices(run_python, setting, raises):
    result = run_python(
        "import numpy as np\n"
        "from heddle import njit\n"
        "@njit\n"
        "def f(a, i):\n"
        "    return a[i]\n"
        "f(np.zeros(100)[:3], 4)\n",
        NUMBA_BOUNDSCHECK=setting,
    )
    assert ("IndexError: index 4 is out of bounds" in result.stderr) == raises, result.stderr


def test_a_few_elements_behind_an_array_are_written_without_harm_as_in_numba(run_script):
    program = """
import numpy as np
from numba import njit

@njit
def one_too_many(n, behind):
    items = np.empty(n)
    for i in range(n + behind):
        items[i] = i
    return items

kept = [one_too_many(n, 8) for n in range(1, 9) for _ in range(200)]
del kept[::2]
kept += [one_too_many(n, 8) for n in range(1, 9) for _ in range(200)]
del kept
print("done")
"""
    result = run_script(program)
    assert (result.stdout, result.stderr, result.returncode) == ("done\n", "", 0)
