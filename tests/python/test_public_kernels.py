"""benchmarks/public_kernels: device code of published files, and the comparison of two libraries."""

import importlib.util
import json
import queue
import sys
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks" / "public_kernels"
sys.path.append(str(FOLDER))

from device_code import make_program  # noqa: E402
from entries import Kernel, Launch, from_bfloat16, to_bfloat16  # noqa: E402
from libraries import Heddle  # noqa: E402
from measure_kernels import (  # noqa: E402
    check_results,
    compute_difference,
    is_usable,
    measure_kernel,
    repeat_close_first_calls,
)
from python_code import take_definitions  # noqa: E402
from tables import SUITES, list_kernels  # noqa: E402

import heddle  # noqa: E402


def load_program():
    """The main program, whose name, `run`, is also that of the fuzzer's."""
    spec = importlib.util.spec_from_file_location("run_public_kernels", FOLDER / "run.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


run = load_program()

PUBLISHED = r"""
#include <cuda_runtime.h>
#include <cooperative_groups.h>
#include <vector>
#include "helper.h"
#define SCALE 3  // not "4"
namespace cg = cooperative_groups;
using namespace std;
cublasHandle_t handle;
void check(cudaError_t error, const char* file = "main { ;");
template <typename T> __device__ T scale(T x) { return SCALE * x; }
__global__ void other(int* x) { x[0] = missing; }
template <typename T> __global__ void multiply(T* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = scale(x[i]);
}
template <typename T> void launch(T* x) { multiply<T><<<1, 32>>>(x, 32); }
template void launch<int>(int* x);
#ifdef TWICE
extern "C" {
__device__ int twice(int x) { return 2 * x; }
int main() { printf("};"); }
}
#endif
struct Pair { int a, b; };
"""


@pytest.fixture
def published(tmp_path):
    """A folder like a copy of a suite."""
    (tmp_path / "kernels.cu").write_text(PUBLISHED)
    return tmp_path


def make_launch(n):
    x = np.arange(n, dtype=np.float32)
    return Launch((1,), (32,), (x, np.int32(n)), wanted={0: 3 * x})


def describe_kernel(make=make_launch, function="multiply<float>"):
    return Kernel("suite", ("kernels.cu",), function, make, (1 << 20, 32))


def test_host_code_and_other_kernels_are_left_out():
    program = make_program([PUBLISHED], "multiply<int>")
    for left_out in ("handle", "check", "other", "launch", "main", "using namespace", "vector"):
        assert left_out not in program


def test_types_macros_and_device_functions_stay():
    program = make_program([PUBLISHED], "multiply<int>")
    for kept in ("#define SCALE 3", "T scale(T x)", "struct Pair { int a, b; };", "int twice"):
        assert kept in program


def test_a_header_that_no_kept_code_uses_is_left_out():
    used = PUBLISHED.replace("if (i < n)", "cooperative_groups::this_thread_block().sync();")
    assert "#include <cooperative_groups.h>" in make_program([used], "multiply<int>")
    unused = PUBLISHED.replace("namespace cg = cooperative_groups;", "")
    assert "cooperative_groups.h" not in make_program([unused], "multiply<int>")


def test_an_entry_adds_definitions_and_drops_others():
    program = make_program(
        [PUBLISHED], "multiply<int>", defines="#define TWICE", keep="main", drop="struct Pair"
    )
    assert "#define TWICE" in program and "int main()" in program and "Pair" not in program


def test_a_program_of_device_code_compiles(cpu):
    source = make_program([PUBLISHED], "multiply<int>", defines="#define TWICE")
    module = heddle.RawModule(code=source, name_expressions=("multiply<int>",))
    x = np.arange(32, dtype=np.int32)
    module.get_function("multiply<int>")((1,), (32,), (x, 32))
    np.testing.assert_array_equal(x, 3 * np.arange(32))


def test_definitions_of_python_files_are_found_inside_of_functions():
    text = (
        "def test():\n    N = 4\n    @cuda.jit\n    def k(x):\n        x[0] = N\n    k[1, 1]([0])\n"
    )
    taken = take_definitions([text], ["test.py"], ("N", "k"))
    assert taken == "N = 4\n\n@cuda.jit\ndef k(x):\n    x[0] = N\n"


def test_definitions_of_notebooks_are_found_beside_magic_commands():
    cells = [{"cell_type": "code", "source": [line]} for line in ("%timeit f()", "f = 3")]
    text = json.dumps({"cells": [{"cell_type": "markdown", "source": ["f = 4"]}, *cells]})
    assert take_definitions([text], ["test.ipynb"], ("f",)) == "f = 3\n"


def test_a_kernel_is_compiled_checked_and_timed(cpu, published):
    found = measure_kernel(describe_kernel(), published, 32, {"Heddle": Heddle()})
    assert found["changed"] == [0] and found["heddle_us"] > 0 and found["heddle_first_ms"] > 0


def test_a_wrong_result_is_an_error(cpu, published):
    def make(n):
        launch = make_launch(n)
        launch.wanted = {0: launch.arguments[0] * 4}
        return launch

    with pytest.raises(AssertionError, match="differs by 2.5e-01 from the reference"):
        measure_kernel(describe_kernel(make), published, 32, {"Heddle": Heddle()})


def test_the_results_of_two_libraries_are_compared(cpu, published):
    other = Heddle()
    other.name = "NVRTC"
    other.to_host = lambda array: array.copy_to_host() * np.float32(1.5)
    libraries = {"Heddle": Heddle(), "NVRTC": other}
    found = measure_kernel(describe_kernel(), published, 32, libraries)
    assert not found["ok"] and found["difference"] == pytest.approx(1 / 3)
    assert found["peer_us"] > 0


def test_a_peer_that_refuses_a_program_leaves_the_times_of_heddle(cpu, published):
    other = Heddle()
    other.compile_module = lambda source, expression: 1 / 0
    libraries = {"Heddle": Heddle(), "NVRTC": other}
    found = measure_kernel(describe_kernel(), published, 32, libraries)
    assert found["heddle_us"] > 0 and "ZeroDivisionError" in found["peer_failure"]


def test_a_library_whose_arrays_fail_is_not_usable(cpu):
    library = Heddle()
    assert is_usable(library)
    library.to_host = lambda array: 1 / 0
    assert not is_usable(library)


def test_a_launch_that_changes_nothing_is_an_error():
    launch = make_launch(32)
    with pytest.raises(AssertionError, match="changed no array"):
        check_results(launch, {0: launch.arguments[0].copy()})


def test_equal_infinities_do_not_differ():
    a = np.array([np.inf, 2, 4], np.float32)
    assert compute_difference(a, a) == 0
    assert compute_difference(a, np.array([np.inf, 3, 4], np.float32)) == 0.25


def test_nans_differ():
    a = np.array([np.nan, 1], np.float32)
    assert np.isnan(compute_difference(a, np.ones(2, np.float32)))


def test_integers_differ_by_their_number():
    assert compute_difference(np.array([1, 2, 3, 4]), np.array([1, 2, 3, 5])) == 0.25


def test_bfloat16_numbers_keep_their_upper_bits():
    numbers = np.array([[1, -2.5], [1024, 0]], np.float32)
    np.testing.assert_array_equal(from_bfloat16(to_bfloat16(numbers)), numbers)


class ScriptedChild:
    """The lines of a process that measures; an exception in place of a line is raised."""

    def __init__(self, *lines, code=0):
        self.left, self.process = [*lines, None], self
        self.wait = lambda: code

    def read_line(self, seconds):
        line = self.left.pop(0)
        if isinstance(line, Exception):
            raise line
        return line and json.dumps(line)


STARTED = {"machine": {"device": "none"}}


def read_results(child):
    """The rows, and the names of the finished kernels."""
    rows, finished = [], None
    results = run._read_results(child, "a", 1e18, 5, {})
    while True:
        try:
            rows.append(next(results))
        except StopIteration as stop:
            finished = stop.value
            return rows, finished


def test_a_crash_is_the_failure_of_the_kernel_that_runs():
    child = ScriptedChild(STARTED, {"start": "a"}, {"done": "a"}, {"start": "b"}, code=-11)
    rows, finished = read_results(child)
    assert rows[1] == {"done": "b", "failure": "the process ended with exit code -11"}
    assert finished == ["a", "b"]


def test_a_kernel_that_hangs_is_stopped():
    child = ScriptedChild(STARTED, {"start": "a"}, queue.Empty())
    rows, finished = read_results(child)
    assert rows == [{"done": "a", "failure": "stopped after 5 s"}] and finished == ["a"]


def test_a_process_may_end_before_its_last_kernel():
    child = ScriptedChild(STARTED, {"start": "a"}, {"done": "a", "failure": "illegal address"})
    assert read_results(child)[1] == ["a"]


def test_a_process_that_does_not_start_ends_the_program():
    with pytest.raises(SystemExit, match="does not start"):
        read_results(ScriptedChild(code=1))


def test_the_summary_has_means_by_suite():
    common = {"peer": "NVRTC", "ok": True, "heddle_first_ms": 10, "peer_first_ms": 20}
    rows = [
        {"done": "A: one", "heddle_us": 10, "peer_us": 20, **common},
        {"done": "A: two", "heddle_us": 20, "peer_us": 10, **common},
        {"done": "B: one", "heddle_us": 3, "peer_us": 2, **common},
        {"done": "B: two", "failure": "refused"},
        {"done": "B: three", "failure": run.OUT_OF_TIME},
    ]
    lines = "\n".join(run.summarize(rows)).splitlines()
    assert "| A | NVRTC | 2 | 1.000 | 2.00 (two) | 0.50 |" in lines
    assert "| all | NVRTC | 3 | 1.145 | 2.00 (two) | 0.50 |" in lines
    assert "3 of 4 kernels agree or passed their check" in lines
    assert lines[-1] == "not run for lack of time: 1"


def test_kernels_of_the_tables_have_different_names_and_known_suites():
    kernels = list_kernels()
    assert len({kernel.name for kernel in kernels}) == len(kernels)
    assert {kernel.suite for kernel in kernels} == set(SUITES)


class TimedContender:
    """A contender whose first calls take the given seconds."""

    def __init__(self, *seconds):
        self.first_call, *self.later = seconds
        self.sources = []

    def compile_and_launch(self, source):
        self.sources.append(source)
        return None, self.later.pop(0)


@pytest.mark.parametrize("is_python", [False, True])
def test_first_calls_that_are_close_are_medians_of_different_sources(is_python):
    own, peer = (TimedContender(*s) for s in ((9, 2, 3, 4, 5), (8, 7, 6, 1, 2)))
    assert repeat_close_first_calls([own, peer], "x = 1", is_python, repeats=4) == {
        "heddle_first_ms": 4000,
        "peer_first_ms": 6000,
    }
    assert own.sources == peer.sources and len(set(own.sources)) == 4
    if is_python:
        for source in own.sources:
            compile(source, "kernels.py", "exec")


def test_first_calls_that_are_far_apart_are_measured_once():
    assert repeat_close_first_calls([TimedContender(3), TimedContender(8)], "code", False) == {}
