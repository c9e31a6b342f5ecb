"""Lints of heddle check: their numbers, hints and switches. tests/check has labelled programs."""

import json
import linecache

import numpy as np
import pytest

import heddle
from heddle import cuda
from heddle.checking.findings import make_finding
from heddle.compat import cupy as cp

pytestmark = pytest.mark.usefixtures("cpu")


@cuda.jit
def add_one_to_columns(a):
    x = cuda.grid(1)
    for y in range(a.shape[1]):
        a[x, y] += 1


def check_columns(**options):
    """The report of a launch whose neighboring threads access elements that are a row apart."""
    a = np.zeros((64, 32), np.float32)
    with heddle.check(print=False, **options) as report:
        add_one_to_columns[2, 32](a)
    np.testing.assert_array_equal(a, np.ones_like(a))
    return report


def test_a_lint_has_its_name_lines_and_numbers():
    (finding,) = check_columns().findings
    assert (finding.kind, finding.lint, finding.severity) == ("lint", "uncoalesced", "note")
    assert (finding.space, finding.array, finding.element) == ("global", "a", None)
    assert [(a.op, a.thread, a.block) for a in finding.accesses] == [
        ("read", None, None),
        ("write", None, None),
    ]
    assert "accesses to `a` touch 32 sectors of 32 bytes per warp on average" in finding.message
    assert "where 4 would suffice" in finding.message
    assert "exchange the roles of x and y" in finding.hint
    assert finding.launch.block == (32, 1, 1) and finding.launch.file == __file__


def test_the_report_lists_lints_last():
    @cuda.jit
    def race(a):
        a[0] = cuda.grid(1)

    with heddle.check(print=False) as report:
        add_one_to_columns[2, 32](np.zeros((64, 32), np.float32))
        race[1, 32](np.zeros(1, np.int32))
    text = str(report)
    assert text.startswith("error: race") and text.endswith("\nheddle check: 1 error, 1 lint")
    assert "\n\nnote: uncoalesced: accesses to `a` touch 32 sectors" in text
    assert "test_check_lints.py:21 in add_one_to_columns\n   21 |         a[x, y] += 1\n" in text


def test_each_check_has_the_lints_of_known_launches():
    first, second = check_columns(), check_columns()
    assert [f.message for f in first.findings] == [f.message for f in second.findings] != []


def test_other_arguments_have_other_lints():
    @cuda.jit
    def add_one(a, stride):
        a[stride * cuda.grid(1)] += 1

    names = []
    for stride in (1, 8):
        with heddle.check(print=False) as report:
            add_one[1, 32](np.zeros(256, np.float32), stride)
        names.append([f.lint for f in report.findings])
    assert names == [[], ["uncoalesced"]]


def test_lints_are_turned_off_by_the_argument():
    assert check_columns(lints=False).findings == []


def test_lints_are_turned_off_by_the_environment(monkeypatch):
    monkeypatch.setenv("HEDDLE_CHECK_LINTS", "0")
    assert check_columns().findings == []
    assert len(check_columns(lints=True).findings) == 1


PROGRAM = """\
import numpy as np
from heddle import cuda

@cuda.jit
def scale(x):
    x[cuda.grid(1)] *= 0.1

scale[1, 32](np.zeros(32, np.float32))
"""


@pytest.mark.parametrize(
    ("options", "environment", "lints"),
    [
        ([], {}, ["float64"]),
        (["--no-lints"], {}, []),
        ([], {"HEDDLE_CHECK_LINTS": "0"}, []),
    ],
)
def test_the_command_looks_for_lints_on_request(run_heddle, tmp_path, options, environment, lints):
    (tmp_path / "p.py").write_text(PROGRAM)
    file = tmp_path / "f.json"
    result = run_heddle("check", "--json", file, *options, tmp_path / "p.py", env=environment)
    assert result.returncode == 0
    assert [f["lint"] for f in json.loads(file.read_text())["findings"]] == lints


def test_a_program_in_a_process_of_the_program_has_lints(run_heddle, tmp_path):
    (tmp_path / "child.py").write_text(PROGRAM)
    start = (
        f"import subprocess, sys\nsubprocess.run([sys.executable, {str(tmp_path / 'child.py')!r}])"
    )
    (tmp_path / "p.py").write_text(start)
    result = run_heddle("check", tmp_path / "p.py")
    assert "hint: write `np.float32(0.1)`" in result.stderr


def test_a_sample_undoes_its_writes():
    @cuda.jit
    def count(x, total):
        cuda.atomic.add(total, 0, x[cuda.grid(1)])
        x[cuda.grid(1)] = 5

    x, total = np.ones(256, np.int32), np.zeros(1, np.int32)
    with heddle.check(print=False) as report:
        count[2, 128](x, total)
    assert (total[0], x.min(), report.findings) == (256, 5, [])


def test_a_sample_of_a_long_kernel_ends_early_and_does_not_change_it():
    @cuda.jit
    def average(x, rounds, out):
        s = cuda.shared.array(64, np.int32)
        t = cuda.threadIdx.x
        s[t] = x[t]
        for _ in range(rounds):
            cuda.syncthreads()
            v = s[(t + 1) % 64] + cuda.shfl_xor_sync(0xFFFFFFFF, s[t], 1)
            for _ in range(rounds):
                v = (v * 5 + 1) % 1000
            cuda.syncthreads()
            s[t] = v
        out[t] = s[t]

    x = np.arange(64, dtype=np.int32)
    outs = [np.zeros(64, np.int32) for _ in range(2)]
    average[1, 64](x, 60, outs[0])
    with heddle.check(print=False) as report:
        average[1, 64](x, 60, outs[1])
    np.testing.assert_array_equal(*outs)
    assert report.findings == []


def test_a_kernel_that_always_runs_exactly_has_lints():
    source = r"""
    extern "C" __global__ void sum_rows(const float* a, float* sums, int n) {
      float sum = 0;
      for (int k = 0; k < n; ++k) sum += a[n * threadIdx.x + k];
      sums[threadIdx.x] = sum;
      if (sum < 0) printf("%f", sum);
    }"""
    sums = cp.zeros(32, dtype=np.float32)
    with heddle.check(print=False) as report:
        a = cp.asarray(np.ones((32, 40), np.float32))
        cp.RawKernel(source, "sum_rows")((1,), (32,), (a, sums, np.int32(40)))
    assert [f.lint for f in report.findings] == ["uncoalesced"]


def test_races_of_a_sample_are_not_counted():
    @cuda.jit
    def race(a):
        a[0] += cuda.grid(1)

    counts = []
    for lints in (False, True):
        with heddle.check(print=False, lints=lints) as report:
            race[1, 32](np.zeros(1, np.int32))
        counts.append([(f.kind, f.count) for f in report.findings])
    assert counts[0] == counts[1] != []


def test_lints_are_found_in_a_sample_whose_indices_are_out_of_bounds():
    @cuda.jit
    def shift(a, out):
        i = cuda.grid(1)
        out[i] = a[8 * i + 1] + a[8 * i + 8]

    with heddle.check(print=False) as report:
        shift[1, 32](np.zeros(256, np.float32), np.zeros(32, np.float32))
    assert sorted(f.lint or f.kind for f in report.findings) == ["bounds", "uncoalesced"]


SOURCE = """\
import numpy as np
def k(x, tile, i, t):
    half = 0.5
    x[i] = half * x[i] + 3
    x[i] = 2.5e-3 * x[i] + .25
    tile = cuda.shared.array((16, 32), np.float32)
    tile[t, i] = tile[i]
    x[i] = float64(x[i]) / 3
def other(x, i):
    x[i, 0] = x[i].y
    x[i] = i / x.size
"""
CPP = """\
__device__ float f(float x) { return 1.5 * x; }
__global__ void k(float* x, Point* p) {
  __shared__ float tile[8][32];
  x[0] = tile[x][y];
  p[x].y = s[i];
}
__global__ void wide(float* x) {
  double d = 0.5 * x[0];
}
"""


@pytest.fixture
def describe(tmp_path, monkeypatch):
    """A function that makes the finding of a lint at lines of SOURCE or CPP."""
    (tmp_path / "k.py").write_text(SOURCE)
    (tmp_path / "k.cu").write_text(CPP)
    monkeypatch.chdir(tmp_path)
    linecache.clearcache()  # of the other tests' files

    def make(lint, *places, op="read", file="k.py", array="", numbers=(), why=""):
        accesses = [
            {
                "op": op,
                "file": file,
                "line": line,
                "column": column,
                "function": "k",
                "thread": None,
                "block": None,
            }
            for line, column in places
        ]
        shape = {"grid": (1, 1, 1), "block": (64, 1, 1), "launch_file": "", "launch_line": 0}
        raw = {"kind": "lint", "severity": "note", "space": "shared", "element": None, "count": 1}
        names = {"array": array, "kernel": "k", "why": why, "numbers": numbers, "lint": lint}
        return make_finding({**raw, **shape, **names, "accesses": accesses})

    return make


@pytest.mark.parametrize(
    ("file", "line", "hint"),
    [
        ("k.py", 4, "write `np.float32(0.5)` in line 3"),
        ("k.py", 5, "write `np.float32(2.5e-3)` and `np.float32(.25)`"),
        ("k.py", 11, "convert integers before the operation: `np.float32(n)`"),
        ("k.cu", 1, "write `1.5f`"),
        ("k.cu", 4, "call the function for float32"),
    ],
)
def test_hints_at_float32_name_the_literals(describe, file, line, hint):
    # The function k of k.py asks for float64 in its last line.
    source = SOURCE.replace("    x[i] = float64(x[i]) / 3\n", "    pass\n")
    with open("k.py", "w") as program:
        program.write(source)
    assert describe("float64", (line, 5), op="compute", file=file).hint.startswith(hint)


@pytest.mark.parametrize(("file", "line"), [("k.py", 5), ("k.cu", 8)])
def test_a_function_that_names_float64_wants_it(describe, file, line):
    assert describe("float64", (line, 3), file=file) is None


@pytest.mark.parametrize(
    ("file", "place", "array", "hint"),
    [
        ("k.py", (7, 5), "tile", "as in `tile = cuda.shared.array((16, 33), ...)`"),
        ("k.py", (7, 18), "other", "index `i + i // 32`"),
        ("k.cu", (4, 10), "tile", "as in `tile[8][33]`"),
        ("k.cu", (5, 12), "s", "index `i + i / 32`"),
    ],
)
def test_hints_at_padding_show_the_declaration(describe, file, place, array, hint):
    finding = describe("bank-conflict", place, file=file, array=array, numbers=[8.0])
    assert finding.message.endswith(f"reads of `{array}` have 8-way bank conflicts on average")
    assert finding.hint.endswith(hint)


@pytest.mark.parametrize(
    ("file", "place", "hint"),
    [
        ("k.py", (10, 15), "store each field in an array"),
        ("k.cu", (5, 3), "store each field in an array"),
        ("k.py", (10, 5), "make the last axis the one that follows `threadIdx.x`"),
        ("k.py", (7, 5), "let the last index follow `threadIdx.x`"),
        ("k.py", (11, 5), "let neighboring threads access neighboring elements: thread t of n"),
    ],
)
def test_hints_at_the_order_depend_on_the_index(describe, file, place, hint):
    finding = describe("uncoalesced", place, file=file, array="x", numbers=[12.0, 4.0])
    assert finding.hint.startswith(hint)


@pytest.mark.parametrize(
    ("why", "numbers", "message", "hint"),
    [
        ("small blocks", [32], "32 blocks of 32 threads use 1024 of the 2048", "multiple of 32"),
        ("partial warps", [80, 96], "leave 16 of the 96 lanes of their warps", "multiple of 32"),
        ("shared memory", [49152, 256], "49152 bytes of shared memory use 256", "use less shared"),
    ],
)
def test_messages_of_low_occupancy(describe, why, numbers, message, hint):
    finding = describe("occupancy", why=why, numbers=numbers)
    assert message in finding.message and hint in finding.hint


@pytest.mark.parametrize(
    ("size", "message", "hint"),
    [(64, "known only at run time", "index it by constants"), (2048, "2048 bytes", "a smaller")],
)
def test_messages_of_local_arrays(describe, size, message, hint):
    finding = describe("local-array", (4, 12), array="half", numbers=[size])
    assert message in finding.message and hint in finding.hint


@pytest.mark.parametrize(
    ("why", "hint"), [("loop", "iterate equally often"), ("branch", "take the same side")]
)
def test_messages_of_divergence(describe, why, hint):
    finding = describe("divergence", (4, 12), op="branch", numbers=[8.25, 0.4], why=why)
    text = f"8.2 of a warp's 32 lanes are active in this {why} on average; the others waste 40%"
    assert text in finding.message and hint in finding.hint
