"""HEDDLE_REPLAY: launches that fail on a GPU are recorded, and ``heddle check`` runs them on the CPU device.

The GPU is the driver for tests, which runs no kernels but fails launches on request. Each record is checked in another
process, after the program has been removed.
"""

import os
import re
import subprocess
import sys

import pytest
from test_driver_without_a_gpu import DRIVER, PACKAGE, pytestmark, run  # noqa: F401

ATTEMPT = """
def attempt(launch, code=700):
    driver.fakeCudaFailLaunch(code)
    try:
        launch()
    except BaseException as error:
        print(type(error).__name__, *getattr(error, "__notes__", ["no note"]))

"""


@pytest.fixture
def fail(run, tmp_path):  # noqa: F811
    """A function that runs a program with launches that fail, and returns the lines it printed."""

    def finish(source, **environment):
        records = str(tmp_path / "records")
        return run(ATTEMPT + source, **{"HEDDLE_REPLAY": records, **environment})

    return finish


@pytest.fixture
def check(tmp_path):
    """A function that runs ``heddle check`` with arguments, and returns the exit status and what it printed."""

    def finish(*arguments, folder=tmp_path / "records"):
        variables = {**os.environ, "PYTHONPATH": str(PACKAGE), "HEDDLE_LIBCUDA": str(DRIVER)}
        result = subprocess.run(
            [sys.executable, "-m", "heddle", "check", *arguments],
            cwd=folder,
            env=variables,
            capture_output=True,
            text=True,
            timeout=120,
        )
        return result.returncode, result.stdout + result.stderr

    return finish


@pytest.fixture
def replay(fail, check, tmp_path):
    """A function that runs a program with one launch that fails, removes it, and returns the report of the replay."""

    def finish(source, status=1, modules=(), **environment):
        for name, text in modules:
            (tmp_path / name).write_text(text)
        (note, *_) = fail(source, **environment)
        assert "the launch is recorded in" in note
        for name in ("program.py", *(name for name, _ in modules)):
            (tmp_path / name).unlink()
        (record,) = (tmp_path / "records").iterdir()
        code, report = check(record.name)
        assert code == status, report
        return report

    return finish


def errors(report):
    """The first lines of the errors in a report."""
    return re.findall(r"^error: (.*)", report, re.MULTILINE)


# Kernels in Python

SHIFT = """
@cuda.jit
def shift(x, y):
    i = cuda.grid(1)
    x[i] = y[i + 1]

a, b = cuda.to_device(np.arange(8.0)), cuda.to_device(np.arange(8.0))
"""


def test_an_invalid_access_is_reported_with_line_array_and_launch(replay):
    report = replay(SHIFT + "attempt(lambda: shift[2, 4](a, b))")
    assert errors(report) == [
        "out-of-bounds read of `y`: index 8 is out of bounds for axis 0 of 'y' with size 8"
    ]
    assert "    x[i] = y[i + 1]\n      |            ^^^^^^^^" in report
    assert re.search(
        r"kernel shift, launched with grid \(2, 1, 1\) and block \(4, 1, 1\) at .*program\.py:\d+",
        report,
    )


def test_the_exception_names_the_file_and_the_command(fail, tmp_path):
    (line, hint) = fail(SHIFT + "attempt(lambda: shift[1, 8](a, b), 716)")
    path = tmp_path / "records" / "shift.replay"
    assert line == f"CudaAPIError the launch is recorded in {path}"
    assert hint.strip().startswith(f"hint: 'heddle check {path}' runs it on the CPU device")


def test_a_launch_that_succeeds_leaves_no_file(fail, tmp_path):
    fail(SHIFT + "shift[1, 8](a, b); cuda.synchronize()")
    assert not (tmp_path / "records").exists()


def test_records_go_to_the_working_folder_and_keep_their_names(fail, tmp_path):
    source = "os.chdir(os.path.dirname(__file__))\n" + SHIFT + "attempt(lambda: shift[1, 8](a, b))"
    for _ in range(3):
        fail(source, HEDDLE_REPLAY="1")
    names = sorted(path.name for path in tmp_path.glob("*.replay"))
    assert names == ["shift-2.replay", "shift-3.replay", "shift.replay"]
    assert (tmp_path / "shift.replay").stat().st_mode & 0o777 == 0o600


def test_views_of_the_same_memory_remain_aliases(replay):
    report = replay(SHIFT + "attempt(lambda: shift[1, 7](a[:7], a[::-1][::-1]))")
    assert any("race on global memory" in error for error in errors(report))


def test_a_strided_view_has_its_extent_and_its_elements(replay):
    report = replay("""
@cuda.jit
def k(column, out):
    out[int(column[1])] = column[3]

a = cuda.to_device(np.arange(12.0).reshape(3, 4))
attempt(lambda: k[1, 1](a[:, 2], cuda.device_array(6)))
""")
    assert set(errors(report)) == {
        "out-of-bounds write to `out`: index 6 is out of bounds for axis 0 of 'out' with size 6",
        "out-of-bounds read of `column`: index 3 is out of bounds for axis 0 of 'column' with size 3",
    }


ARGUMENTS = """
from collections import namedtuple

Pair = namedtuple("Pair", "first second")
record = np.dtype([("n", "i4"), ("x", "f8")], align=True)

@cuda.jit
def k(value, out, n=8):
    v = {expression}
    if v == 5:
        out[n] = v

out = cuda.to_device(np.zeros(8))
attempt(lambda: k[1, 1]({value}, out))
"""


@pytest.mark.parametrize(
    ("value", "expression"),
    [
        ("5", "value"),
        ("np.float32(5)", "value"),
        ("5 + 2j", "value.real"),
        ("True", "value + 4"),
        ("np.full(3, 5.0)", "value[2]"),
        ("cuda.In(np.full(3, 5.0))", "value[2]"),
        ("np.full((3, 4), 5.0).T[::-1]", "value[3, 0]"),
        ("np.full(1, 5, np.int16)[0]", "value"),
        ("memoryview(np.full(3, 5.0))", "value[2]"),
        ("cuda.to_device(np.full((3, 4), 5.0, order='F'))", "value[2, 3]"),
        ("cuda.to_device(np.arange(8.0))[::-1]", "value[2]"),
        (
            "Pair(2, (cuda.to_device(np.full(3, 3.0)), np.ones(2)))",
            "value.first + value.second[0][2]",
        ),
        ("np.array((5, 2.0), record)[()]", "value.n"),
        ("cuda.to_device(np.array([(1, 1.0), (5, 2.0)], record))", "value[1].n"),
        ("cuda.to_device(np.array((5, 2.0), record)[()])", "value.n"),
        ("Interface(cuda.to_device(np.full(3, 5.0)), stream=None)", "value[2]"),
        ("Producer(cuda.to_device(np.full(3, 5.0)))", "value[2]"),
        ("np.datetime64(5, 'D')", "5 if value == np.datetime64(5, 'D') else 0"),
        ("None", "5 if value is None else 0"),
    ],
)
def test_arguments_are_restored(replay, value, expression):
    report = replay(ARGUMENTS.format(value=value, expression=expression))
    assert errors(report) == [
        "out-of-bounds write to `out`: index 8 is out of bounds for axis 0 of 'out' with size 8"
    ]


@pytest.mark.parametrize("make", ["mapped_array", "managed_array", "pinned_array"])
def test_memory_that_the_host_shares_is_restored(replay, make):
    source = ARGUMENTS.format(value="shared[2:]", expression="value[0]")
    source = source.replace("out = ", f"shared = cuda.{make}(4)\nshared[:] = 5\nout = ")
    assert len(errors(replay(source))) == 1


def test_keyword_arguments_defaults_and_shared_memory_are_restored(replay):
    report = replay("""
@cuda.jit
def k(out, *, n, m=3):
    shared = cuda.shared.array(0, np.float64)
    shared[cuda.threadIdx.x] = n
    out[n + m] = shared[1 - cuda.threadIdx.x]

attempt(lambda: k[1, 2, 0, 16](cuda.to_device(np.zeros(8)), n=5))
""")
    assert len(errors(report)) == 2 and "race on shared memory: `shared`" in report
    assert "index 8 is out of bounds for axis 0 of 'out' with size 8" in report


def test_races_and_uninitialized_values_are_found(replay):
    report = replay("""
@cuda.jit
def k(out):
    s = cuda.shared.array(64, np.float64)
    i = cuda.threadIdx.x
    if i != 7:
        s[i] = i
    out[i] = s[63 - i] + 1

attempt(lambda: k[1, 64](cuda.to_device(np.zeros(64))))
""")
    assert any(error.startswith("race on shared memory: `s[") for error in errors(report))
    assert any(error.startswith("uninitialized shared memory: `s[7]`") for error in errors(report))


def test_a_replay_without_findings_says_so(replay):
    report = replay(SHIFT + "attempt(lambda: shift[1, 7](a, b))", status=0)
    assert report.startswith("heddle check: no findings\nThe replay found nothing.")


def test_what_a_kernel_raises_is_shown(replay):
    report = replay("""
class Refused(Exception):
    pass

@cuda.jit(debug=True, opt=False)
def k(x):
    if x[0] == 3:
        raise Refused("three")

attempt(lambda: k[1, 1](cuda.to_device(np.full(1, 3))))
""")
    assert re.search(r"Refused: program\.py:\d+: three", report)


HELPERS = """
import enum
import math
import numpy as np
from heddle import cuda
import values

class Mode(enum.IntEnum):
    PLAIN = 1
    SCALED = 2

class Sizes:
    n = 4

table = np.array([1.0, 2.0])

@cuda.jit(device=True)
def factorial(n):
    return 1 if n <= 1 else n * factorial(n - 1)

def make_adder(amount):
    @cuda.jit(device=True)
    def add(x):
        return x + amount + values.offset + values.twice(1)
    return add

add = make_adder(3)

@cuda.jit
def kernel(out, mode):
    v = add(factorial(3) + table[1] + math.sqrt(4.0))
    if mode == Mode.SCALED:
        out[Sizes.n] = v
    if v == 25:
        out[Sizes.n + 1] = v
"""
VALUES = """
from heddle import cuda
offset = 10

@cuda.jit(device=True)
def twice(x):
    return 2 * x
"""


def test_kernels_of_modules_need_no_module(replay):
    source = "import helpers\nout = cuda.to_device(np.zeros(4))\n"
    source += "attempt(lambda: helpers.kernel[1, 1](out, helpers.Mode.SCALED))"
    report = replay(source, modules=[("helpers.py", HELPERS), ("values.py", VALUES)])
    assert len(errors(report)) == 2
    assert "helpers.py:33: thread" in report and "out[Sizes.n] = v" in report


def test_names_of_attributes_are_not_globals(replay):
    report = replay("""
import threading
size = threading.Lock()

@cuda.jit
def k(x):
    x[x.size] = 1

attempt(lambda: k[1, 1](cuda.to_device(np.zeros(3))))
""")
    assert len(errors(report)) == 1


def test_functions_that_call_each_other_and_classes_are_restored(replay):
    report = replay("""
import dataclasses

@dataclasses.dataclass
class Sizes:
    n: int = 8

    @property
    def last(self):
        return self.n - 1

    @staticmethod
    def double(n):
        return 2 * n

sizes = Sizes(8)

@cuda.jit(device=True)
def is_even(n):
    return True if n == 0 else is_odd(n - 1)

@cuda.jit(device=True)
def is_odd(n):
    return False if n == 0 else is_even(n - 1)

@cuda.jit("void(float64[:])")
def k(x):
    if is_even(np.int64(4)) and not is_even(np.int64(3)):
        x[Sizes.n] = sizes.n

attempt(lambda: k[1, 1](cuda.to_device(np.zeros(8))))
""")
    assert len(errors(report)) == 1


def test_kernels_with_extensions_get_the_prepared_arguments(replay):
    report = replay("""
class Wrapped:
    def __init__(self, array):
        self.array = array

class Unwrap:
    def prepare_args(self, type, value, stream, retr):
        return (type, value.array) if isinstance(value, Wrapped) else (type, value)

@cuda.jit(extensions=[Unwrap()])
def k(x):
    x[3] = 1

attempt(lambda: k[1, 1](Wrapped(cuda.to_device(np.zeros(3)))))
""")
    assert len(errors(report)) == 1


def test_declared_signatures_and_captured_device_arrays_are_restored(replay):
    report = replay("""
table = cuda.to_device(np.arange(4.0))

@cuda.jit("void(float64[:], int64)")
def k(out, n):
    out[0] = table[n]

attempt(lambda: k[1, 1](cuda.to_device(np.zeros(1)), np.int8(4)))
""")
    assert errors(report) == [
        "out-of-bounds read of `table`: index 4 is out of bounds for axis 0 of 'table' with size 4"
    ]


def test_the_source_is_that_of_the_failed_program(fail, check, tmp_path):
    fail(SHIFT + "attempt(lambda: shift[1, 8](a, b))")
    program = tmp_path / "program.py"
    program.write_text(program.read_text().replace("y[i + 1]", "y[i]"))
    _, report = check("shift.replay")
    assert "x[i] = y[i + 1]" in report and len(errors(report)) == 1


def test_kernels_of_notebooks_are_shown_with_their_cells(fail, check, tmp_path):
    pytest.importorskip("nbclient")
    notebook = tmp_path / "book.ipynb"
    kernel, launch = SHIFT, "attempt(lambda: shift[1, 8](a, b))"
    source = f"""
import json
from heddle.cli import main
text = open(__file__).read()
cells = [text[: text.index("import json")], {kernel!r}, {launch!r}]
cells = [
    dict(cell_type="code", id=str(i), source=s, metadata={{}}, outputs=[], execution_count=None)
    for i, s in enumerate(cells)
]
spec = {{"kernelspec": {{"name": "python3", "display_name": "Python"}}}}
book = dict(nbformat=4, nbformat_minor=5, metadata=spec, cells=cells)
open({str(notebook)!r}, "w").write(json.dumps(book))
main(["run", {str(notebook)!r}])
"""
    fail(source)
    _, report = check("shift.replay")
    assert "Cell In[2]:4: thread" in report and "x[i] = y[i + 1]" in report
    assert "at Cell In[3]:1" in report


def test_an_interrupted_launch_is_recorded(replay):
    report = replay(
        """
import signal, threading
from heddle import _heddle

@cuda.jit
def k(x):
    if cuda.threadIdx.x < 4:
        cuda.syncthreads()
    x[cuda.threadIdx.x] = 1

def hang(*launch):
    driver.fakeCudaHold(True)
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()

configured = k[1, 8]
configured.pre_launch_callbacks.append(hang)
x = cuda.to_device(np.zeros(8))
attempt(lambda: configured(x), 0)
driver.fakeCudaHold(False)
""".replace("attempt(", "print('the launch is recorded in'); attempt(")
    )
    assert errors(report)[0].startswith("divergent barrier: 4 threads of the block wait")


# Kernels in CUDA C++

RAW = """
import heddle
module = heddle.RawModule(code='''{code}''', name_expressions=["k<float>"])
kernel = module.get_function("k<float>")
x = cuda.to_device(np.arange(64, dtype=np.float32))
"""


def test_pointers_reach_the_whole_allocation(replay):
    code = "template <typename T> __global__ void k(T* p, int n) { p[n] = p[0]; p[n + 1] = 1; }"
    report = replay(RAW.format(code=code) + "attempt(lambda: kernel(1, 1, (x[16:32], 47)))")
    assert errors(report) == [
        "out-of-bounds write to `p`: index 48 is out of bounds of 'p', which has 48 elements"
    ]
    assert "<cuda source>:1: thread (0, 0, 0)" in report


@pytest.mark.parametrize("pointer", ["x.address + 64", "np.uint64(x.address + 64)", "x[16:]"])
def test_addresses_and_arrays_of_one_memory_remain_aliases(replay, pointer):
    code = """
template <typename T> __global__ void k(T* p, const T* q, int n) {
  if (p + 16 == q && q[1] == 17) p[n] = 1;
}"""
    report = replay(RAW.format(code=code) + f"attempt(lambda: kernel(1, 1, (x, {pointer}, 64)))")
    assert errors(report) == [
        "out-of-bounds write to `p`: index 64 is out of bounds of 'p', which has 64 elements"
    ]


def test_memory_objects_have_their_bounds(replay):
    code = "template <typename T> __global__ void k(T* p, int n) { p[n] = 1; }"
    source = "memory = cuda.current_context().memalloc(40)\n"
    report = replay(RAW.format(code=code) + source + "attempt(lambda: kernel(1, 1, (memory, 10)))")
    assert "index 10 is out of bounds of 'p', which has 10 elements" in report


def test_module_variables_and_structures_are_restored(replay):
    code = """
struct Size { float scale; int n; };
__constant__ float factors[3];
__device__ int offset, unused[3];
extern "C" __global__ void other(int* p) { *p = unused[threadIdx.x]++; }
template <typename T> __global__ void k(T* p, Size size) {
  p[(int)(factors[2] * size.scale) + offset + size.n] = 1;
  offset = 0;
}"""
    source = RAW.format(code=code)
    source += "module.get_global('factors').copy_from_host(np.array([1, 2, 3], np.float32))\n"
    source += "module.get_global('offset').copy_from_host(np.array([40], np.int32))\n"
    source += "size = np.array((5, 10), [('scale', 'f4'), ('n', 'i4')])[()]\n"
    report = replay(source + "attempt(lambda: kernel(1, 1, (x, size)))")
    assert "index 65 is out of bounds of 'p', which has 64 elements" in report


def test_a_misaligned_access_stays_misaligned(replay):
    code = "template <typename T> __global__ void k(T* p) { ((float4*)p)[0] = {}; }"
    report = replay(RAW.format(code=code) + "attempt(lambda: kernel(1, 1, (x[1:],)), 716)")
    assert [error.partition(":")[0] for error in errors(report)] == ["misaligned write to `p`"]


LISTS = """
struct Node {{ const Node* next; float* values; }};
template <typename T> __global__ void k({parameter}, T* out) {{
  const Node* last = {first};
  while (last->next)
    last = last->next;
  if (last->values[2] == 7)
    out[64] = 1;
}}"""


@pytest.mark.parametrize(
    ("parameter", "first", "argument"),
    [
        ("const Node* nodes", "nodes", "nodes.address"),
        ("Node node", "&node", "np.array((nodes.address, 0), [('n', 'u8'), ('v', 'u8')])[()]"),
        ("Node node", "&node", "np.array([nodes.address, 0], np.uint64)"),
        ("const Node** list", "list[1]", "cuda.to_device(np.array([0, nodes.address], 'u8'))"),
    ],
)
def test_pointers_in_memory_and_in_structures_are_followed(replay, parameter, first, argument):
    source = RAW.format(code=LISTS.format(parameter=parameter, first=first))
    report = replay(
        source
        + f"""
values = cuda.to_device(np.array([5, 6, 7], np.float32))
last = cuda.to_device(np.array([0, values.address], np.uint64))
nodes = cuda.to_device(np.array([last.address, 0], np.uint64))
attempt(lambda: kernel(1, 1, ({argument}, x)))
"""
    )
    assert errors(report) == [
        "out-of-bounds write to `out`: index 64 is out of bounds of 'out', which has 64 elements"
    ]


def test_a_pointer_to_unknown_memory_is_explained(replay):
    code = "template <typename T> __global__ void k(T** list, int n) { list[0][n] = 1; }"
    source = RAW.format(code=code) + "x = cuda.to_device(np.full(1, 1 << 40))\n"
    report = replay(source + "attempt(lambda: kernel(1, 1, (x.address, 2)))")
    assert errors(report) == [
        "out-of-bounds write to global memory: no memory is mapped at address 0x10000000008"
    ]
    assert "An address in no memory may also be one that the record does not contain" in report


def test_linked_code_is_restored(replay):
    report = replay('''
add = cuda.declare_device("add", "int32(int32, int32)", link=cuda.CUSource("""
extern "C" __device__ int add(int *result, int a, int b) { *result = a + b; return 0; }"""))

@cuda.jit
def k(x, n):
    x[add(n, 3)] = 1

attempt(lambda: k[1, 1](cuda.to_device(np.zeros(8)), 5))
''')
    assert "index 8 is out of bounds for axis 0 of 'x' with size 8" in report


# The same program on the CPU device

RUNS = {
    "python": """
@cuda.jit
def k(x, y, out):
    s = cuda.shared.array(32, np.float64)
    i = cuda.threadIdx.x
    if i % 2:
        s[i] = x[i]
    out[i + 1] = s[31 - i] * y[i]

a = cuda.to_device(np.arange(64.0))
attempt(lambda: k[2, 32](a[::2], a[33:], a[:20]))
""",
    "host arrays": """
@cuda.jit
def k(x, y):
    i = cuda.grid(1)
    if i % 3 == 0:
        cuda.syncthreads()
    x[i] += y[i, 3 - i]

a = np.ones(40)
attempt(lambda: k[2, 16](a[::2], a.reshape(10, 4)[::-1]))
""",
    "cuda c++": """
import heddle
k = heddle.RawKernel(r'''
extern "C" __global__ void k(float* x, const float* y, int n) {
  __shared__ float s[64];
  int i = threadIdx.x;
  if (i != 5) s[i] = y[i];
  x[i + n] = s[63 - i] + 1;
  if (i == 0) x[-40] = 1 / (n - 40);
}''', "k")
a = cuda.to_device(np.arange(128, dtype=np.float32))
attempt(lambda: k(2, 64, (a[32:], a[10:90], 40)))
""",
    "cupyx.jit": """
from heddle import compat
compat.install()
import cupy
from cupyx import jit

@jit.rawkernel()
def k(x, y, n):
    i = jit.threadIdx.x
    x[i + 1] = y[i] * 2 + n

x = cupy.arange(32, dtype="f4")
attempt(lambda: k[1, 32](x, x[::-1], 3))
""",
    "numba": """
from heddle import compat
compat.install()
import numba
from numba import njit

@njit
def add(x, y):
    return x + y

def make(n):
    @numba.cuda.jit(fastmath=True)
    def k(x):
        own = numba.cuda.local.array(n, dtype=numba.float64)
        x[n] = add(own[1], numba.int64(3))
    return k

attempt(lambda: make(8)[1, 1](cuda.to_device(np.zeros(8))))
""",
}


@pytest.mark.parametrize("name", RUNS)
def test_a_replay_finds_what_a_run_on_the_cpu_device_finds(fail, check, tmp_path, name):
    (note, _) = fail(RUNS[name])
    assert "the launch is recorded in" in note
    _, replayed = check("k.replay")
    _, direct = check(str(tmp_path / "program.py"))
    assert errors(replayed) and errors(replayed) == errors(direct)


# Launches that are not recorded


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (
            "kernel = heddle.RawKernel('__global__ void k(int* p) { p[0] = 1; }', 'k')\n"
            "attempt(lambda: kernel(1, 1, (1 << 40,)))",
            "argument 1 (p): its address 0x10000000000 is in no memory of Fake GPU",
        ),
        (
            "kernel = heddle.RawKernel('extern \"C\" __global__ void k(int* p) { p[0] = 1; }', 'k')\n"
            "open('k.ptx', 'w').write(kernel.kernel.assembly)\n"
            "kernel = heddle.RawModule(path='k.ptx').get_function('k')\n"
            "attempt(lambda: kernel(1, 1, (x,)))",
            "a compiled module has no source, and runs only on GPUs",
        ),
        (
            "from heddle.extending import overload\ndef f(x):\n    pass\n"
            "overload(f, target='cuda')(lambda x: lambda x: x + 1)\n"
            "@cuda.jit\ndef k(x):\n    x[0] = f(1.0)\n"
            "attempt(lambda: k[1, 1](x))",
            "a record cannot contain the overloads of f()",
        ),
        (
            "import heddle.replay.memory as memory\n"
            "class Cpu:\n    memory_info = lambda self: (100, 200)\n"
            "memory.find_native_device = lambda name: Cpu()\n"
            "attempt(lambda: add[1, 1](x, x))",
            "the launch may access 800 bytes, and the host has 100 bytes of free memory",
        ),
    ],
    ids=["address", "image", "overload", "memory"],
)
def test_the_reason_for_a_missing_record_is_noted(fail, tmp_path, source, reason):
    setup = "import heddle\nx = cuda.to_device(np.zeros(100))\nadd[1, 1](x, x)\nos.chdir(os.path.dirname(__file__))\n"
    (line,) = fail(setup + source)
    assert line == f"CudaAPIError the launch is not recorded: {reason}"
    assert not (tmp_path / "records").exists()


def test_an_argument_without_a_form_in_files_is_named(fail):
    (line,) = fail("""
from heddle.extending import overload

class Unwrap:
    def prepare_args(self, type, value, stream, retr):
        return type, value

class Stuck(np.float64):
    def __reduce__(self):
        raise TypeError("it belongs to this process")

x = cuda.to_device(np.zeros(8))

@cuda.jit
def k(x, n):
    x[0] = n

attempt(lambda: k[1, 1](x, Stuck(3)))
""")
    assert (
        line
        == "CudaAPIError the launch is not recorded: argument 2 (n): it belongs to this process"
    )


def test_a_full_or_missing_folder_is_noted(fail, tmp_path):
    (tmp_path / "file").write_text("")
    (line,) = fail(
        SHIFT + "attempt(lambda: shift[1, 8](a, b))", HEDDLE_REPLAY=str(tmp_path / "file")
    )
    assert line.startswith("CudaAPIError the launch is not recorded: ") and "File exists" in line


def test_captured_launches_are_not_recorded(fail):
    lines = fail(
        SHIFT
        + "stream = cuda.stream()\ndriver.fakeCudaCapture(True)\nattempt(lambda: shift[1, 8, stream](a, b))\n"
        + "print(calls('cuMemcpyDtoHAsync'))"
    )
    assert lines == ["0"]


def test_rejected_launches_are_not_recorded(fail, tmp_path):
    lines = fail(SHIFT + "attempt(lambda: shift[1, 2000](a, b))\nattempt(lambda: shift[1, 2](a))")
    assert lines == ["LaunchShapeError no note", "TypeError no note"]
    assert not (tmp_path / "records").exists()


def test_the_cpu_device_records_nothing(fail, tmp_path):
    source = SHIFT.replace("cuda.to_device", "np.copy") + "attempt(lambda: shift[1, 8](a, b))"
    assert fail(source, HEDDLE_DEVICE="cpu") == ["IndexError no note"]
    assert not (tmp_path / "records").exists()


# Files


def change_bytes(path, change):
    path.write_bytes(change(path.read_bytes()))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda data: data[:-1],
            "is truncated: the program or the copy of the file did not finish",
        ),
        (
            lambda data: data[:40],
            "is truncated: the program or the copy of the file did not finish",
        ),
        (lambda data: data[: data.index(b"}\n") + 20], "is truncated"),
        (lambda data: data + b"x", "is damaged: it has bytes past its end"),
        (lambda data: b"", "is not the record of a launch: HEDDLE_REPLAY=1 writes those"),
        (lambda data: b"print(1)\n", "is not the record of a launch"),
        (
            lambda data: data.replace(b'"version": 1', b'"version": 2'),
            "has version 2 of the format",
        ),
        (
            lambda data: data.replace(b'"python": [3', b'"python": [2'),
            "contains bytecode of Python 2.",
        ),
        (lambda data: data.replace(b'"grid"', b'"gird"'), "is damaged"),
    ],
)
def test_other_files_are_refused(fail, check, tmp_path, change, message):
    fail(SHIFT + "attempt(lambda: shift[1, 8](a, b))")
    change_bytes(tmp_path / "records" / "shift.replay", change)
    code, report = check("shift.replay")
    assert code == 2 and report.startswith("heddle check: 'shift.replay' ")
    assert message in report and report.count("\n") == 1


def test_a_missing_file_and_arguments_are_refused(check, tmp_path):
    assert check("k.replay", folder=tmp_path) == (2, "heddle check: there is no file 'k.replay'\n")
    code, report = check("k.replay", "5", folder=tmp_path)
    assert code == 2 and "a recorded launch takes no arguments, such as '5'" in report


def test_the_json_report_of_a_replay(fail, check, tmp_path):
    fail(SHIFT + "attempt(lambda: shift[1, 8](a, b))")
    check("--json", "found.json", "shift.replay")
    text = (tmp_path / "records" / "found.json").read_text()
    assert '"array": "y"' in text and "program.py" in text
