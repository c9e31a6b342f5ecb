"""``heddle trace``: the steps and requests of traced blocks, compared with values that were computed by hand."""

import json
import re

import numpy as np
import pytest

import heddle
from heddle import cuda, float32
from heddle.cli import main
from heddle.tracing.html_page import format_page
from heddle.tracing.measures import count_bank_passes_and_minimum, count_sectors_and_minimum
from heddle.tracing.process import LaunchTracer
from heddle.tracing.summary import format_summary, sum_costs_by_line

pytestmark = pytest.mark.usefixtures("cpu")


def trace(launch, kernel="", number=1, block=(0, 0, 0), steps=1000):
    with LaunchTracer(kernel, number, block, steps) as tracer:
        launch()
        cuda.synchronize()
    return tracer.trace


def list_steps(traced, warp=0):
    """(line after the kernel's first one, lanes) of each step."""
    steps = traced.warps[warp]
    first = min(step.place.line for step in steps)
    return [(step.place.line - first, step.lanes) for step in steps]


def list_requests(traced, warp=0):
    return [request for step in traced.warps[warp] for request in step.requests]


def masks(*lanes):
    return sum(1 << lane for lane in lanes)


@cuda.jit
def copy_with_stride(x, out, stride):
    i = cuda.grid(1)
    out[i] = x[stride * i]


@pytest.mark.parametrize(("stride", "sectors"), [(1, 4), (2, 8), (8, 32), (64, 32)])
def test_a_stride_multiplies_the_sectors_of_a_request(stride, sectors):
    x, out = np.zeros(64 * 32, np.float32), np.zeros(32, np.float32)
    read, write = list_requests(trace(lambda: copy_with_stride[1, 32](x, out, stride)))
    assert (read.op, read.array, read.is_shared, read.units, read.needed) == (
        "read",
        "x",
        False,
        sectors,
        4,
    )
    assert (write.op, write.array, write.units, write.needed) == ("write", "out", 4, 4)


def test_a_view_that_starts_in_the_middle_of_a_sector_needs_one_more():
    x, out = cuda.to_device(np.zeros(40, np.float32)), np.zeros(32, np.float32)
    read, _ = list_requests(trace(lambda: copy_with_stride[1, 32](x[1:], out, 1)))
    assert read.units == 5


def test_host_arrays_count_as_aligned():
    memory = np.zeros(100, np.float32)
    for start in range(4):
        read, _ = list_requests(
            trace(lambda start=start: copy_with_stride[1, 32](memory[start:], memory[50:], 1))
        )
        assert read.units == 4


@cuda.jit
def use_banks(out, stride):
    s = cuda.shared.array(1024, float32)
    t = cuda.threadIdx.x
    s[t * stride] = t
    out[t] = s[t * stride]


@pytest.mark.parametrize(("stride", "ways"), [(0, 1), (1, 1), (2, 2), (3, 1), (8, 8), (32, 32)])
def test_a_stride_in_shared_memory_makes_bank_conflicts(stride, ways):
    out = np.zeros(32, np.float32)
    shared = [r for r in list_requests(trace(lambda: use_banks[1, 32](out, stride))) if r.is_shared]
    assert [(r.op, r.array, r.units, r.needed) for r in shared] == [
        ("write", "s", ways, 1),
        ("read", "s", ways, 1),
    ]


def test_wide_accesses_are_served_in_parts():
    assert count_bank_passes_and_minimum(8, range(32), [8 * lane for lane in range(32)]) == (2, 2)
    assert count_bank_passes_and_minimum(8, range(32), [16 * lane for lane in range(32)]) == (4, 2)
    assert count_sectors_and_minimum(16, [16 * lane for lane in range(32)]) == (16, 16)


@cuda.jit
def diverge(out):
    t = cuda.threadIdx.x
    if t == 5:
        return
    if t < 8:
        out[t] = 1
    else:
        out[t] = 2
    for _ in range(t % 3):
        out[t] += 1
    out[t] = 3


def test_lanes_run_the_sides_of_a_branch_and_the_iterations_of_a_loop_that_they_take():
    everyone = 0xFFFFFFFF & ~masks(5)
    first = masks(*(t for t in range(32) if t % 3 >= 1 and t != 5))
    second = masks(*(t for t in range(32) if t % 3 == 2 and t != 5))
    out = np.zeros(32, np.int32)
    assert list_steps(trace(lambda: diverge[1, 32](out))) == [
        (0, 0xFFFFFFFF),
        (1, 0xFFFFFFFF),
        (3, everyone),
        (4, masks(0, 1, 2, 3, 4, 6, 7)),
        (6, 0xFFFFFF00),
        (7, everyone),
        (7, first),
        (8, first),
        (7, first),
        (7, second),
        (8, second),
        (7, second),
        (9, everyone),
    ]
    assert out.tolist() == [3] * 5 + [0] + [3] * 26


@cuda.jit
def end_early(out, n):
    t = cuda.threadIdx.x
    if t < n:
        out[t] = 1
        cuda.syncthreads()
        out[t] = 2
        cuda.syncthreads()
    else:
        out[t] = 3
        return
    out[t] += 4


@pytest.mark.parametrize("n", [10, 40])
def test_threads_that_return_early_do_not_hold_up_a_barrier(n):
    out = np.zeros(64, np.int32)
    traced = trace(lambda: end_early[1, 64](out, n))
    assert [s.waited for steps in traced.warps for s in steps if s.wait == "barrier"].count(1) <= 1
    assert out.tolist() == [6] * n + [3] * (64 - n)
    warp = n // 32
    mine = (1 << n % 32) - 1
    assert list_steps(traced, warp) == [
        (0, 0xFFFFFFFF),
        (1, 0xFFFFFFFF),
        (7, 0xFFFFFFFF & ~mine),
        *((line, mine) for line in (2, 3, 4, 5, 9)),
    ]


@cuda.jit
def work_unevenly(out):
    t = cuda.threadIdx.x
    total = 0
    if t < 32:
        for i in range(10):
            total += i
    cuda.syncthreads()
    out[t] = total


def test_a_warp_waits_at_the_barrier_until_the_slowest_one_arrives():
    out = np.zeros(64, np.int32)
    traced = trace(lambda: work_unevenly[1, 64](out))
    slow, fast = ([s for s in steps if s.wait == "barrier"] for steps in traced.warps)
    assert [s.lanes for s in slow + fast] == [0xFFFFFFFF] * 2
    assert slow[0].waited == 0
    assert fast[0].waited == slow[0].tick - fast[0].tick > 10
    assert (
        traced.warps[0][-1].tick == traced.warps[1][-1].tick == slow[0].tick + 1 == traced.end - 1
    )


@cuda.jit
def sum_in_a_warp(out):
    value = cuda.threadIdx.x
    for shift in (16, 8, 4, 2, 1):
        value += cuda.shfl_down_sync(0xFFFFFFFF, value, shift)
    if cuda.threadIdx.x == 0:
        out[0] = value


def test_warp_operations_are_marked_and_no_barriers():
    out = np.zeros(1, np.int32)
    traced = trace(lambda: sum_in_a_warp[1, 32](out))
    assert [s.lanes for s in traced.warps[0] if s.wait == "warp"] == [0xFFFFFFFF] * 5
    assert not [s for s in traced.warps[0] if s.wait == "barrier"]
    assert out[0] == sum(range(32))


@cuda.jit
def fill_plane(out):
    x, y = cuda.grid(2)
    if x < out.shape[1]:
        out[y, x] = 100 * cuda.blockIdx.x + cuda.blockIdx.y


def test_the_warps_of_a_2d_block_take_its_rows():
    out = np.zeros((8, 20), np.int32)
    traced = trace(lambda: fill_plane[(2, 2), (16, 4)](out), block=(1, 1, 0))
    assert (traced.grid, traced.block_shape, traced.block) == ((2, 2, 1), (16, 4, 1), (1, 1, 0))
    write = list_requests(traced, warp=1)[0]
    assert write.lanes == 0x000F000F
    assert [a - write.addresses[0] for a in write.addresses] == [0, 4, 8, 12, 80, 84, 88, 92]
    np.testing.assert_array_equal(out[4:, 16:], 101)
    np.testing.assert_array_equal(out[:4, :16], 0)
    np.testing.assert_array_equal(out[4:, :16], 1)


def test_a_partial_warp_has_fewer_lanes():
    traced = trace(lambda: copy_with_stride[1, 40](np.zeros(40, "f"), np.zeros(40, "f"), 1))
    assert traced.get_lane_mask_of_warp(0) == 0xFFFFFFFF
    assert traced.get_lane_mask_of_warp(1) == 0xFF
    assert {step.lanes for step in traced.warps[1]} == {0xFF}


PROGRAM = r"""
__device__ float square(float v) {
  return v * v;
}
extern "C" __global__ void spread(const float* a, float* c, int n) {
  __shared__ float tile[64];
  int i = threadIdx.x;
  if (i >= n) return;
  for (int j = 0; j < i / 16; ++j)
    tile[2 * i] = square(a[i]);
  __syncthreads();
  c[i] = tile[2 * i];
}
"""


def test_a_program_in_cuda_cpp_has_the_lines_of_its_source():
    kernel = heddle.RawKernel(PROGRAM, "spread")
    a, c = np.ones(32, "f"), np.zeros(32, "f")
    traced = trace(lambda: kernel((1,), (32,), (a, c, np.int32(24))))
    runs = {costs.place.line: costs for costs in sum_costs_by_line(traced)}
    assert runs[8].lanes == 32
    assert (runs[3].runs, runs[3].lanes) == (1, 8)
    assert (runs[10].global_requests, runs[10].sectors, runs[10].lanes) == (1, 1, 16)
    assert (runs[11].lanes, runs[11].waits) == (24, 0)
    assert (runs[12].shared_requests, runs[12].passes, runs[12].best_passes) == (1, 2, 1)
    (shared,) = [r for r in list_requests(traced) if r.is_shared and r.op == "read"]
    assert shared.array == "tile"
    assert c[16:].tolist() == [1] * 8 + [0] * 8


VECTORS = r"""
extern "C" __global__ void move(const float4* a, float4* b) {
  extern __shared__ float4 tile[];
  tile[threadIdx.x] = a[threadIdx.x];
  float4 v = tile[threadIdx.x];
  v.x += 1;
  b[threadIdx.x] = v;
}
"""


def test_a_vector_is_one_request():
    kernel = heddle.RawKernel(VECTORS, "move")
    a, b = np.ones(128, "f"), np.zeros(128, "f")
    traced = trace(lambda: kernel((1,), (32,), (a, b), shared_mem=512))
    assert [(r.op, r.is_shared, r.size, r.units, r.needed) for r in list_requests(traced)] == [
        ("read", False, 16, 16, 16),
        ("write", True, 16, 4, 4),
        ("read", True, 16, 4, 4),
        ("write", False, 16, 16, 16),
    ]


def test_the_traced_launch_is_that_of_the_number_and_of_the_kernel():
    x, out = np.zeros(256, np.float32), np.zeros(256, np.float32)

    def launch():
        use_banks[1, 32](out, 1)
        copy_with_stride[1, 32](x, out, 1)
        copy_with_stride[2, 32](x, out, 2)

    assert trace(launch).kernel == "use_banks"
    traced = trace(launch, kernel="copy_with_stride", number=2, block=(1, 0, 0))
    assert (traced.kernel, traced.grid, traced.block) == ("copy_with_stride", (2, 1, 1), (1, 0, 0))
    assert list_requests(traced)[0].units == 8
    assert trace(launch, kernel="other") is None


@cuda.jit
def loop_long(out):
    t = cuda.threadIdx.x
    for _ in range(10 * (t + 1)):
        out[t] += 1


def test_a_trace_is_cut_off_at_the_same_place_for_all_threads():
    out = np.zeros(64, np.int32)
    traced = trace(lambda: loop_long[1, 64](out), steps=50)
    assert traced.is_cut
    assert max(map(len, traced.warps)) <= 50
    assert out[63] == 640
    assert not trace(lambda: loop_long[1, 64](out), steps=5000).is_cut


@cuda.jit
def write_outside(out):
    out[cuda.threadIdx.x] = 1


def test_mistakes_are_counted_and_do_not_end_the_trace():
    out = np.zeros(30, np.int32)
    traced = trace(lambda: write_outside[1, 32](out))
    assert traced.mistakes == 1
    assert list_requests(traced)[0].lanes == 0x3FFFFFFF


def test_the_summary_has_a_row_for_each_line():
    out = np.zeros(32, np.float32)
    text = format_summary(trace(lambda: use_banks[1, 32](out, 2)))
    assert re.search(r"use_banks\[1, 32\] at .*test_trace.py:\d+, block \(0, 0, 0\)", text)
    row = re.search(r"^ *\d+ .*out\[t\] = s\[t \* stride\]$", text, re.MULTILINE)[0].split()
    assert row[1:8] == ["1", "100%", "1", "4", "4", "1", "2"]


def split_page(page):
    """The trace in a page, and the page without it."""
    before, data, after = re.split(r'(?<=id="trace">)(.*?)(?=</script>)', page, maxsplit=1)
    return json.loads(data), before + after


def test_the_page_has_the_trace_and_loads_nothing():
    page = format_page(trace(lambda: use_banks[1, 32](np.zeros(32, "f"), 32)))
    data, rest = split_page(page)
    assert data["end"] == len(data["warps"][0]["steps"]) == 3
    assert data["warps"][0]["lanes"] == 0xFFFFFFFF
    (write,) = data["warps"][0]["steps"][1][4]
    assert write[:7] == ["write", data["arrays"].index("s"), 1, 4, 0xFFFFFFFF, 32, 1]
    assert write[7] == [0, 128, 32]
    assert not re.search(r"https?:|\bsrc=|<link|@import|url\(|fetch\(|import\(", rest)


def test_the_page_keeps_a_source_with_markup():
    @cuda.jit
    def compare(out):
        out[0] = 1  # </script><b>&amp;

    data, _ = split_page(format_page(trace(lambda: compare[1, 1](np.zeros(1, "f")))))
    assert any("</script><b>&amp;" in line for line in data["files"][0]["lines"])


SCRIPT = """\
import sys
import numpy as np
from heddle import cuda

@cuda.jit
def double(x):
    i = cuda.grid(1)
    x[i] *= 2

@cuda.jit
def clear(x):
    x[cuda.grid(1)] = 0

x = cuda.to_device(np.ones(64, np.float32))
double[2, 32](x)
double[2, 32](x)
clear[1, 64](x)
print("ran", *sys.argv[1:])
"""


@pytest.fixture
def run_trace(tmp_path, run_heddle):
    """A function that runs ``heddle trace`` with arguments, in a folder with SCRIPT."""
    (tmp_path / "script.py").write_text(SCRIPT)
    return lambda *arguments: run_heddle("trace", *arguments)


def test_the_command_prints_the_table_of_the_first_launch(run_trace):
    result = run_trace("script.py", "one", "--html")
    assert result.returncode == 0
    assert result.stdout.startswith(
        "ran one --html\ndouble[2, 32] at script.py:15, block (0, 0, 0)\n1 warp, 2 steps, 100% of the lanes active\n"
    )
    assert result.stderr == "heddle trace: --kernel NAME traces another kernel: clear\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ("script.py", "--html", "page.html", "--kernel", "clear"),
        ("--kernel=clear", "--html=page.html", "script.py"),
    ],
)
def test_the_command_writes_a_page(run_trace, tmp_path, arguments):
    result = run_trace(*arguments)
    assert (result.returncode, result.stdout) == (0, "ran\n")
    assert result.stderr == "heddle trace: the page is in page.html\n"
    data, _ = split_page((tmp_path / "page.html").read_text())
    assert len(data["warps"]) == 2
    assert data["files"][0]["name"] == "script.py"


def test_the_page_is_named_after_the_program(run_trace, tmp_path):
    assert run_trace("--html", "script.py").returncode == 0
    assert (tmp_path / "script.html").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--kernel", "sort"],
            "the program did not launch sort. It launched double 2 times, clear once",
        ),
        (
            ["--launch", "4"],
            "there is no launch 4. The program launched double 2 times, clear once",
        ),
        (
            ["--kernel", "double", "--launch", "3"],
            "there is no launch 3. The program launched double 2 times, clear once",
        ),
        (["--block", "2"], "block 2 is not in the grid (2, 1, 1) of double"),
    ],
)
def test_a_launch_that_does_not_exist_is_explained(run_trace, arguments, message):
    result = run_trace(*arguments, "script.py")
    assert (result.returncode, result.stdout) == (1, "ran\n")
    assert result.stderr == f"heddle trace: {message}\n"


def test_a_program_without_a_kernel_is_explained(run_heddle):
    result = run_heddle("trace", "-c", "print(1)")
    assert (result.returncode, result.stdout) == (1, "1\n")
    assert result.stderr == "heddle trace: the program launched no kernel on the CPU device\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "name a program, after the options"),
        (["--steps", "0", "x.py"], "--steps needs a number from 1 to 1000000, not '0'"),
        (
            ["--block", "1,2,3,4", "x.py"],
            "--block needs an index, such as 2 or 0,1,0, not '1,2,3,4'",
        ),
        (["x.py", "--kernel"], "--kernel needs the name of a kernel"),
    ],
)
def test_wrong_use_is_explained(capsys, arguments, message):
    assert main(["trace", *arguments]) == 2
    assert capsys.readouterr().err.startswith(f"heddle trace: {message}\n")


def test_a_trace_that_is_cut_off_says_so(run_trace):
    result = run_trace("--steps", "1", "--html", "page.html", "script.py")
    assert "the trace is cut off at --steps 1: a larger number records more" in result.stderr


def test_the_trace_may_be_of_a_process_that_the_program_starts(run_trace, tmp_path):
    (tmp_path / "start.py").write_text(
        "import subprocess, sys\nsubprocess.run([sys.executable, '-m', 'heddle', 'run', 'script.py'])"
    )
    assert "double[2, 32] at script.py:15" in run_trace("start.py").stdout


def test_a_notebook_is_traced(run_trace, tmp_path):
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("nbclient")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(SCRIPT)])
    nbformat.write(notebook, tmp_path / "book.ipynb")
    result = run_trace("--kernel", "double", "book.ipynb")
    assert result.returncode == 0, result.stderr
    assert re.search(r"double\[2, 32\] at .*:15, block", result.stdout)
    assert re.search(r"^ *8 .*x\[i\] \*= 2$", result.stdout, re.MULTILINE)
