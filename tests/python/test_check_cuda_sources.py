"""Findings in CUDA C++ programs, whose text is in no file: names of kernels, and lines of the program's own text."""

import json
import sys

import numpy as np
import pytest

import heddle
from heddle import cuda
from heddle.checking.findings import to_json
from heddle.checking.html_report import format_page
from heddle.compat import cupy as cp

pytestmark = pytest.mark.usefixtures("cpu")

SUMS = """\
namespace sums {
struct Sum { __device__ void add(float *x) const { *x += 1; } };
template <class T> __global__ void all(T *x) { x[0] += threadIdx.x; }
template <class T> __global__ void of_struct(T *x) { Sum{}.add(x); }
}
__global__ void plain(float *x, int n) { x[n] += threadIdx.x; }
__global__ void plain(float *x) { x[0] += threadIdx.x; }
"""


def check_kernel(name, *arguments):
    """The findings of a kernel of SUMS."""
    names = ["sums::all<float>", "sums::all<unsigned int>", "sums::of_struct<float>"]
    module = heddle.RawModule(code=SUMS, name_expressions=names)
    with heddle.check(print=False, lints=False) as report:
        module.get_function(name)((1,), (2,), (cp.zeros(4, dtype=np.float32), *arguments))
    return report


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("sums::all<float>", "sums::all<float>"),
        ("plain(float*, int)", "plain"),
        ("plain(float*)", "plain"),
    ],
)
def test_kernels_are_named_without_parameters(name, shown):
    report = check_kernel(name, *([np.int32(1)] if "int" in name else []))
    assert {finding.kernel for finding in report.findings} == {shown}
    assert f"\n  kernel {shown}, launched with grid (1, 1, 1)" in str(report)
    assert "_Z" not in str(report) + format_page(report.findings) + report._repr_html_()
    assert "_Z" not in json.dumps(to_json(report.findings))


def test_only_functions_that_the_kernel_calls_are_named_at_accesses():
    assert " reads in add\n" in str(check_kernel("sums::of_struct<float>"))
    assert " reads\n" in str(check_kernel("sums::all<float>"))


def test_kernels_of_a_race_between_streams_are_named_without_parameters():
    module = heddle.RawModule(code=SUMS, name_expressions=["sums::all<float>"])
    kernel, x = module.get_function("sums::all<float>"), cp.zeros(4, dtype=np.float32)
    with heddle.check(print=False) as report:
        for stream in (cp.cuda.Stream(non_blocking=True), cp.cuda.Stream(non_blocking=True)):
            kernel((1,), (1,), (x,), stream=stream)
    assert "kernel sums::all<float>, launched in stream 2 with grid" in str(report)
    assert "_Z" not in str(report) + json.dumps(to_json(report.findings))


FIRST = "// first\n__global__ void k(int *x) {\n  x[0] = threadIdx.x + 1;\n}\n"
SECOND = "// second\n__global__ void k(int *x) {\n  x[0] = threadIdx.x + 2;\n}\n"
LONGER = "\n" * 30 + "#include <mma.h>\n__global__ void k(int *x) {\n  x[1] = threadIdx.x + 3;\n}\n"


@pytest.fixture
def report():
    """A check of one kernel in each of three programs, the first one compiled twice."""
    programs = [heddle.RawModule(code=code) for code in (FIRST, SECOND, LONGER, FIRST)]
    with heddle.check(print=False, lints=False) as report:
        for program in programs:
            program.get_function("k")((1,), (2,), (cp.zeros(4, dtype=np.int32),))
    return report


def test_each_program_is_quoted_from_its_own_text(report):
    assert [finding.count for finding in report.findings] == [2, 1, 1]
    shown = str(report).split("\n\n")
    assert shown[0].count("3 |   x[0] = threadIdx.x + 1;") == 2
    assert shown[1].count("3 |   x[0] = threadIdx.x + 2;") == 2
    assert shown[2].count("33 |   x[1] = threadIdx.x + 3;") == 2


def test_the_page_shows_each_program(report):
    page = format_page(report.findings)
    assert page.count("<h2>&lt;cuda source&gt;</h2>") == 3
    assert all(page.count(f"// {name}") == 1 for name in ("first", "second"))


def test_the_json_form_does_not_contain_the_text(report):
    assert "threadIdx" not in json.dumps(
        [f["accesses"] for f in to_json(report.findings)["findings"]]
    )


def test_programs_of_processes_are_quoted_from_their_own_text(tmp_path, run_heddle):
    launch = (
        "import numpy as np, heddle\n"
        "x = heddle.cuda.to_device(np.zeros(4, np.int32))\n"
        "heddle.RawModule(code={!r}).get_function('k')((1,), (2,), (x,))\n"
    )
    (tmp_path / "child.py").write_text(launch.format(SECOND))
    start = f"import subprocess\nsubprocess.run([{sys.executable!r}, 'child.py'], check=False)\n"
    (tmp_path / "parent.py").write_text(launch.format(FIRST) + start)
    result = run_heddle("check", "--no-lints", tmp_path / "parent.py")
    assert "3 |   x[0] = threadIdx.x + 1;" in result.stderr
    assert "3 |   x[0] = threadIdx.x + 2;" in result.stderr


def test_linked_functions_are_quoted():
    code = 'extern "C" __device__ int put(int *r, int *x) {\n  x[0] = threadIdx.x;\n  return 0;\n}'
    ffi = pytest.importorskip("cffi").FFI()
    put = cuda.declare_device("put", "int32(CPointer(int32))", link=cuda.CUSource(code))

    @cuda.jit
    def k(x):
        put(ffi.from_buffer(x))

    with heddle.check(print=False, lints=False) as report:
        k[1, 2](np.zeros(4, np.int32))
    assert "<unnamed-cu>:2: thread (0, 0, 0) of block (0, 0, 0) writes in put" in str(report)
    assert "2 |   x[0] = threadIdx.x;" in str(report)
