"""Findings of `heddle.check()` about barriers, warp operations, divisions and the device heap."""

import threading
import time

import numpy as np
import pytest

import heddle
from heddle import cuda
from heddle.compat import cupy as cp

pytestmark = pytest.mark.usefixtures("cpu")


def find_line(text):
    """The number of the line of this file that ends with a text."""
    with open(__file__, encoding="utf-8") as file:
        return next(n for n, line in enumerate(file, 1) if line.rstrip().endswith(text))


@cuda.jit
def fold(x, out):
    t = cuda.threadIdx.x
    if t < 32:
        x[t] += x[t + 32]
        cuda.syncthreads()  # branch
    cuda.syncthreads()  # all
    out[t] = t


@cuda.jit
def divide(x, y, out):
    i = cuda.grid(1)
    out[i] = x[i] // y[i]
    out[i + 32] = 7


@pytest.fixture
def report():
    with heddle.check(print=False) as report:
        yield report


def test_a_divergent_barrier_names_both_lines(report):
    with heddle.check(print=False) as inner:
        fold[1, 64](np.arange(64), np.zeros(64, np.int32))
    (finding,) = inner.findings
    first, second = find_line("# branch"), find_line("# all")
    assert (finding.kind, finding.severity, finding.space) == ("barrier", "error", "")
    assert [(a.op, a.line, a.thread) for a in finding.accesses] == [
        ("wait", first, (0, 0, 0)),
        ("wait", second, (32, 0, 0)),
    ]
    assert finding.message == (
        f"divergent barrier: 32 threads of the block wait at line {first} while 32 wait at line {second}"
    )
    assert finding.hint.startswith(f"move the barrier out of the branch in line {first - 2}:")


def test_a_block_goes_on_after_a_divergent_barrier(report):
    out = np.zeros(64, np.int32)
    fold[1, 64](np.arange(64), out)
    np.testing.assert_array_equal(out, np.arange(64))


def test_a_divergent_barrier_counts_once_per_block():
    with heddle.check(print=False) as inner:
        fold[5, 64](np.arange(64), np.zeros(64, np.int32))
    assert [f.count for f in inner.findings if f.kind == "barrier"] == [5]


def test_a_division_by_zero_gives_0_and_the_kernel_goes_on():
    out = np.full(64, -1)
    with heddle.check(print=False) as inner:
        divide[1, 32](np.arange(32), np.arange(32) % 4, out)
    (finding,) = inner.findings
    assert (finding.kind, finding.count, finding.accesses[0].op) == ("division", 8, "divide")
    assert finding.hint == "divide only if `y[i] != 0`"
    assert out[:32:4].tolist() == [0] * 8 and out[32:].tolist() == [7] * 32


@pytest.mark.parametrize("dtype", [np.int32, np.float64])
def test_a_division_by_zero_in_debug_mode_is_a_finding_and_the_kernel_goes_on(dtype):
    out = np.zeros(64)
    with heddle.check(print=False, lints=False) as report:
        cuda.jit(debug=True)(divide.py_func)[1, 32](np.ones(32, dtype), np.zeros(32, dtype), out)
    (finding,) = report.findings
    assert (finding.kind, finding.count, finding.accesses[0].op) == ("division", 32, "divide")
    assert (out[32:] == 7).all()


@cuda.jit(debug=True)
def slice_by(x, step):
    x[::step] = 1


def test_other_exceptions_of_debug_mode_are_raised(report):
    with pytest.raises(ValueError, match="step"):
        slice_by[1, 1](np.zeros(8), 0)


def test_a_block_ends_whose_loop_waits_for_diverged_threads():
    @cuda.jit
    def stuck(out):
        if cuda.threadIdx.x < 3:
            cuda.syncthreads()
        while cuda.threadIdx.x >= 3 and out[0] == 0:
            cuda.syncthreads_count(1)

    with heddle.check(print=False) as inner:
        stuck[1, 8](np.zeros(1))
    assert [f.kind for f in inner.findings] == ["barrier"]


def test_a_warp_whose_loop_waits_for_lanes_that_ended_stops_with_an_error():
    @cuda.jit
    def stuck(x):
        if cuda.threadIdx.x < 8:
            while cuda.all_sync(0xFFFF, x[0] == 0):
                pass
        elif cuda.threadIdx.x < 16:
            cuda.syncthreads()

    with heddle.check(print=False) as inner:
        with pytest.raises(heddle.KernelRuntimeError):
            stuck[1, 32](np.zeros(1))
    assert {f.kind for f in inner.findings} == {"warp"}


def test_an_update_may_read_before_a_barrier_in_its_line():
    @cuda.jit
    def k(out):
        i = cuda.threadIdx.x
        out[i] = i
        out[i] += 100 * cuda.syncthreads_and(True)

    out = np.zeros(8)
    with heddle.check(print=False) as inner:
        k[1, 8](out)
    assert inner.findings == []
    np.testing.assert_array_equal(out, np.arange(8) + 100)


HEAP = r"""
extern "C" __global__ void take(int** p) { *p = new int[4]; }
extern "C" __global__ void give(int** p) { delete[] *p; }
"""


def test_memory_of_the_outer_check_is_no_leak_of_the_inner_one():
    module, p = cp.RawModule(code=HEAP), cp.zeros(1, dtype=np.int64)
    with heddle.check(print=False) as outer:
        module.get_function("take")((1,), (1,), (p,))
        with heddle.check(print=False) as inner:
            module.get_function("take")((1,), (1,), (cp.zeros(1, dtype=np.int64),))
        module.get_function("give")((1,), (1,), (p,))
    assert [f.kind for f in inner.findings] == ["leak"]
    assert outer.findings == []


def test_findings_show_the_source_of_a_script_in_another_folder(tmp_path, monkeypatch):
    script, elsewhere = tmp_path / "script.py", tmp_path / "elsewhere"
    script.write_text(
        "import numpy as np\n"
        "from heddle import cuda\n"
        "@cuda.jit\n"
        "def k(x):\n"
        "    x[0] = cuda.threadIdx.x\n"
        "k[1, 32](np.zeros(1))\n"
    )
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    with heddle.check(print=False) as inner:
        exec(compile(script.read_text(), str(script), "exec"), {})
    assert [a.file for a in inner.findings[0].accesses] == [str(script)] * 2
    assert "x[0] = cuda.threadIdx.x" in str(inner)


WAITS = """
extern "C" __global__ void wait(volatile int *first, volatile int *second, int *out) {
  while (*first == 0) {}
  while (*second == 0) {}
  *second = 2;
  while (*second == 2) {}
  *out = 1;
}
"""


def test_threads_may_wait_for_the_host():
    first, second = cp.zeros(1, dtype=np.int32), cuda.mapped_array(1, np.int32)
    second[0], out = 0, cp.zeros(1, dtype=np.int32)

    def release():
        second[0] = 1
        with cp.cuda.Stream(non_blocking=True):
            first.set(np.ones(1, np.int32))
        time.sleep(2.5)
        second[0] = 3

    with heddle.check(print=False, lints=False) as report:
        cp.RawKernel(WAITS, "wait")((1,), (1,), (first, second, out), stream=cp.cuda.Stream())
        timer = threading.Timer(2.5, release)
        timer.start()
        cp.cuda.Device().synchronize()
        timer.join()
    assert (report.findings, out.get().tolist()) == ([], [1])


def test_an_interrupt_tells_where_threads_wait(run_heddle, tmp_path):
    (tmp_path / "p.py").write_text(
        "import os, signal, threading\n"
        "import cupy as cp\n"
        f"kernel = cp.RawKernel({WAITS!r}, 'wait')\n"
        "kernel((1,), (1,), tuple(cp.zeros(1, dtype='i4') for _ in range(3)))\n"
        "threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
        "cp.cuda.Device().synchronize()\n"
    )
    result = run_heddle("check", "--no-lints", "p.py")
    assert "KeyboardInterrupt" in result.stderr
    assert (
        "error: the launch was interrupted: 1 thread of the block waits at line 3 for other threads, "
        "but all threads of the block wait or have ended\n"
        "  <cuda source>:3: thread (0, 0, 0) of block (0, 0, 0) waits\n"
        "   3 |   while (*first == 0) {}\n"
    ) in result.stderr


BARRIERS = """
#include <cooperative_groups.h>
#include <cuda/barrier>
extern "C" __global__ void expect(int n, int *out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  if (threadIdx.x == 0)
    init(&barrier, n);
  __syncthreads();
  barrier.arrive_and_wait();
  out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
extern "C" __global__ void leave(int n) {
  if (blockIdx.x >= n)
    return;
  cooperative_groups::this_grid().sync();
}
"""


def check_barriers(name, grid, block, *arguments):
    with heddle.check(print=False, lints=False) as report:
        cp.RawModule(code=BARRIERS).get_function(name)((grid,), (block,), arguments)
    return report


def test_blocks_that_wait_for_each_other_end_and_the_program_goes_on():
    out = cp.zeros(128, dtype=np.int32)
    report = check_barriers("expect", 2, 64, np.int32(65), out)
    assert not out.get().any() and report.findings[0].count == 2
    assert report.findings[0].message == (
        "deadlock: 64 threads of the block wait at line 9 for other threads, "
        "but all threads of the block wait or have ended"
    )
    assert "arrive at the barrier, set the flag or release the lock" in report.findings[0].hint
    assert check_barriers("expect", 2, 64, np.int32(64), out).findings == []
    assert out.get().all()


@pytest.mark.parametrize(
    ("n", "message"),
    [
        (1, "1 block waits at line 15 while 2 blocks have ended"),
        (2, "2 blocks wait at line 15 while block (2, 0, 0) has ended"),
    ],
)
def test_blocks_that_end_before_a_grid_barrier_are_reported(n, message):
    (finding,) = check_barriers("leave", 3, 32, np.int32(n)).findings
    assert finding.message == f"divergent barrier: {message}"
    assert finding.hint.startswith("all blocks of the grid must reach the barrier equally often")


OUTSIDE = r"""
extern "C" __global__ void k(int* out) {
  __shared__ int s[4][4];
  s[ROW][threadIdx.x] = 1;
  out[threadIdx.x] = threadIdx.x;
}
"""


@pytest.mark.parametrize("row", [0, 3], ids=["of a row", "of the array"])
def test_an_index_that_debug_code_in_cpp_checks_is_one_finding_and_the_kernel_goes_on(row):
    out = np.full(5, -1, np.int32)
    kernel = heddle.RawKernel(OUTSIDE.replace("ROW", str(row)), "k", ("-G",))
    with heddle.check(print=False, lints=False) as inner:
        kernel(1, 5, (out,))
    (finding,) = inner.findings
    assert (finding.kind, finding.accesses[0].op, finding.accesses[0].line) == (
        "bounds",
        "write",
        4,
    )
    assert out.tolist() == [0, 1, 2, 3, 4]
