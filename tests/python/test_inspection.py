"""``kernel.inspect()`` and ``heddle inspect``: reports about a compiled kernel."""

import html.parser
import io
import re

import numpy as np
import pytest

from heddle import cuda, types
from heddle.compiler.inspection.code_lines import (
    pair_ptx_with_source_lines,
    pair_simt_ir_with_source_lines,
)
from heddle.compiler.inspection.gpus import get_capability_limits
from heddle.compiler.inspection.occupancy import Needs, format_occupancy

PROGRAM = """\
import numpy as np
from numba import cuda

@cuda.jit
def scale(x, factor):
    i = cuda.grid(1)
    if i < x.size and factor > 0:
        x[i] *= factor

scale[1, 32](np.ones(4), 2.0)
print("done")
"""


def test_inspect_prints_resources_and_the_source(device):
    @cuda.jit
    def k(x):
        tile = cuda.shared.array(16, np.float64)
        tile[cuda.threadIdx.x] = x[cuda.grid(1)]
        cuda.syncthreads()
        x[cuda.grid(1)] = tile[0]

    k[1, 16](np.ones(16))
    output = io.StringIO()
    k.inspect(file=output)
    text = output.getvalue()
    assert text.startswith("k(array(float64, 1d, C))\n  device             ")
    assert "shared memory      128 bytes per block" in text
    assert re.search(r"registers          (\d+ per thread|those of the core: \d+)", text)
    assert re.search(r"^ *\d+ \|         cuda.syncthreads\(\)$", text, re.MULTILINE)


@cuda.jit
def axpy(a, x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] += a * x[i]


@pytest.fixture
def inspected():
    """A function that returns what kernel.inspect() prints: the lines under each heading, and those of the source."""

    def inspect(kernel, **options):
        output = io.StringIO()
        kernel.inspect(file=output, **options)
        facts, _, source = output.getvalue().partition("\n\n")
        headings, last = {}, None
        for line in facts.splitlines()[1:]:
            last = line[2:20].strip() or last
            headings.setdefault(last, []).append(line[21:])
        return headings, source.splitlines()

    return inspect


def test_the_plan_of_a_kernel_on_the_cpu(cpu, inspected):
    axpy[1, 64](2.0, np.ones(50), np.ones(50))
    facts, _ = inspected(axpy)
    assert re.fullmatch(r"runs \d+ threads along x at a time, as vectors", facts["plan"][0])
    assert re.search(r", \d+ cores?$", facts["device"][0])
    assert facts["occupancy"] == ["a core runs one block at a time"]


def test_without_optimisation_threads_run_alone_on_the_cpu(cpu, inspected):
    @cuda.jit(debug=True, opt=False)
    def k(x):
        x[cuda.grid(1)] = 1

    k[1, 8](np.ones(8))
    facts, _ = inspected(k)
    assert "one thread at a time" in facts["plan"][0]


@pytest.mark.parametrize("gpu", ["H100", "sm_90", "9.0", (9, 0)])
def test_a_kernel_on_a_gpu_that_is_not_here(device, inspected, gpu):
    axpy[1, 64](2.0, np.ones(50), np.ones(50))
    facts, source = inspected(axpy, gpu=gpu)
    assert facts["device"] == ["a GPU of compute capability 9.0"]
    assert facts["plan"] == [
        "in a large one-dimensional grid a thread does the work of 2 threads, "
        "with accesses of up to 16 bytes"
    ]
    assert facts["shared memory"] == ["0 bytes per block"]
    assert facts["occupancy"][:3] == [
        "at most, if registers suffice:",
        "of 2048 threads per multiprocessor:",
        "100 % in blocks of 64 (32 blocks)",
    ]
    assert source[-1].endswith("y[i] += a * x[i]")


def test_a_remark_of_a_gpu_that_is_not_here_stands_below_its_line(device, inspected):
    @cuda.jit
    def k(x):
        tile = cuda.shared.array(1024, np.float32)
        tile[cuda.threadIdx.x] = x[cuda.grid(1)]
        x[cuda.grid(1)] = tile[0]

    k[1, 32](np.ones(32, np.float32))
    facts, source = inspected(k, gpu="A100")
    assert facts["plan"] == ["threads are not coarsened"]
    assert facts["shared memory"] == ["4096 bytes per block"]
    at = next(i for i, line in enumerate(source) if line.startswith("      ^ "))
    assert "threads are not coarsened: line " in source[at]
    assert "tile[cuda.threadIdx.x] = " in source[at - 1]


def test_a_gpu_that_nobody_knows():
    axpy[1, 64](2.0, np.ones(50), np.ones(50))
    with pytest.raises(ValueError, match=r"unknown GPU 'H9': name a .*sm_90.* or .*H100"):
        axpy.inspect(gpu="H9")


@pytest.mark.parametrize(
    ("needs", "lines"),
    [
        (Needs(32, 0, 1024), ["100 % in blocks of 64 (32 blocks)"]),
        (Needs(40, 0, 64), ["75 % in blocks of 64 (24 blocks, limited by registers)"]),
        (
            Needs(None, 30000, 64),
            ["21 % in blocks of 64 (7 blocks, limited by shared memory)"],
        ),
    ],
    ids=["all", "registers", "shared memory"],
)
def test_occupancy_names_what_allows_no_more(needs, lines):
    first, *told = format_occupancy(needs, get_capability_limits((9, 0)))
    assert first == "of 2048 threads per multiprocessor:"
    assert [line.strip() for line in told[: len(lines)]] == lines


def test_occupancy_is_what_the_driver_counts():
    lines = format_occupancy(
        Needs(32, 0, 128), get_capability_limits((7, 5)), lambda size: 1024 // size
    )
    assert lines[1:] == ["100 % in blocks of 64 (16 blocks)", "100 % in blocks of 128 (8 blocks)"]


def test_a_remark_stands_below_its_line(cpu):
    @cuda.jit
    def k(x):
        i = cuda.threadIdx.x
        if i < x[0]:
            cuda.syncthreads()
            x[i] = 1
        else:
            cuda.syncthreads()

    k[1, 32](np.full(32, 99))
    output = io.StringIO()
    k.inspect(file=output)
    lines = output.getvalue().splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("      ^ "))
    number = re.search(r"\bline (\d+)", lines[at])[1]
    assert lines[at - 1].split(" | ") == [number.rjust(5), "        if i < x[0]:"]


def test_lines_of_ptx():
    ptx = ".visible .entry k()\n{\n\t.loc\t1 7 3\n\tadd.u32 %r1;\n\t.loc\t1 0 3\n$L__tmp0:\n\tret;\n}\n"
    ptx += '\t.file\t1 "a.py"\n\t.section\t.debug\n\t.b8 1\n'
    expected = [(".visible .entry k()", None), ("{", None), ("\tadd.u32 %r1;", 7)]
    assert pair_ptx_with_source_lines(ptx) == [*expected, ("\tret;", None), ("}", None)]


def test_lines_of_simt_ir():
    text = "entry:\n  %0 = call i32 @f(), !dbg !7\n  ret void, !dbg !8\n\n!0 = !{}\n"
    text += (
        "!7 = !DILocation(line: 3, column: 7, scope: !3)\n!8 = !DILocation(line: 4, column: 1)\n"
    )
    assert pair_simt_ir_with_source_lines(text) == [
        ("entry:", None),
        ("  %0 = call i32 @f()", 3),
        ("  ret void", 4),
    ]


class Tags(html.parser.HTMLParser):
    """Checks that tags are closed in order, and collects the text of lines per column."""

    def __init__(self, text):
        super().__init__()
        self.open, self.columns, self.line = [], [], None
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        if tag == "meta":
            return
        self.open.append(tag)
        attributes = dict(attributes)
        if attributes.get("class") == "code":
            self.columns.append({})
        self.line = attributes.get("data-line") if tag == "p" else self.line

    def handle_endtag(self, tag):
        assert self.open.pop() == tag
        self.line = None if tag == "p" else self.line

    def handle_data(self, data):
        if self.line:
            lines = self.columns[-1]
            lines[int(self.line)] = lines.get(int(self.line), "") + data + "\n"


def test_the_page_has_the_source_beside_ptx_and_simt_ir(run_script, run_heddle, tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    result = run_heddle("inspect", "program.py", "--html", "page.html")
    assert (result.stderr, result.stdout, result.returncode) == ("", "done\n", 0)
    page = (tmp_path / "page.html").read_text()
    assert page.startswith("<!DOCTYPE html>")
    source, ptx, simt = Tags(page).columns
    assert "x[i] *= factor" in source[8]
    assert "if i < x.size" in source[7]
    assert "mul.f64" in ptx[8]
    assert "fmul" in simt[8]


def test_the_page_tells_of_a_named_gpu(run_heddle, tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    run_heddle("inspect", "--gpu", "A100", "program.py", "--html", "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "<h3>PTX of sm_80</h3>" in page
    assert ".target sm_80" in page
    assert "a GPU of compute capability 8.0" in page


def test_without_a_page_the_report_is_printed(run_heddle, tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    result = run_heddle("inspect", "program.py")
    assert result.stdout.startswith("done\nscale(array(float64, 1d, C), float64)\n")
    assert "    8 |         x[i] *= factor" in result.stdout


@pytest.mark.parametrize(
    "arguments, message",
    [
        ([], "name a program"),
        (["a.py", "--html"], "--html needs the name of a file"),
        (["--fast", "a.py"], "name a program"),
        (["--gpu", "H9", "a.py"], "unknown GPU 'H9'"),
    ],
    ids=["nothing", "no name", "unknown option", "unknown GPU"],
)
def test_a_wrong_use(run_heddle, arguments, message):
    result = run_heddle("inspect", *arguments)
    assert message in result.stderr
    assert result.returncode == 2


def test_a_device_function_is_compiled_for_its_code(device):
    function = cuda.jit(device=True)(lambda a, b: a + b)
    compiled = function.compile_device((types.int32, types.int32))
    assert compiled.signature.return_type == types.int64
    assert ".func" in function.inspect_asm((types.int32, types.int32))
    assert "define" in function.inspect_llvm((types.int32, types.int32))


def test_a_device_function_with_a_signature_can_be_inspected():
    @cuda.jit("float64(float64, int32)", device=True)
    def function(x, n):
        return x * n

    assert "function" in function.inspect_asm((types.float64, types.int32))
    assert list(function.inspect_llvm()) == [(types.float64, types.int32)]
