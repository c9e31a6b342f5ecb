"""``kernel.inspect()`` and ``heddle inspect``: what became of a kernel, for people."""

import html.parser
import io
import re

import numpy as np
import pytest

from heddle import cuda, types
from heddle.inspection.code_lines import lines_of_ptx, lines_of_simt_ir
from heddle.inspection.report import occupancy

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
    assert "shared memory      128 bytes a block" in text
    assert re.search(r"registers          \d+ a thread", text)
    assert re.search(r"^ *\d+ \|         cuda.syncthreads\(\)$", text, re.MULTILINE)


def test_occupancy_is_told_in_parts_of_a_multiprocessors_threads():
    class Device:
        uses_host_memory = False

        def attribute(self, name):
            return {"MAX_THREADS_PER_MULTIPROCESSOR": 2048}[name]

    class Variant:
        device = Device()
        max_threads_per_block = 256

        def active_blocks_per_multiprocessor(self, threads, shared_bytes):
            return min(16, 1536 // threads)

    assert occupancy(Variant()) == (
        "50 % (16 blocks of 64 threads), 75 % (12 blocks of 128 threads), 75 % (6 blocks of 256 threads)"
    )


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
    assert lines_of_ptx(ptx) == [*expected, ("\tret;", None), ("}", None)]


def test_lines_of_simt_ir():
    text = "entry:\n  %0 = call i32 @f(), !dbg !7\n  ret void, !dbg !8\n\n!0 = !{}\n"
    text += (
        "!7 = !DILocation(line: 3, column: 7, scope: !3)\n!8 = !DILocation(line: 4, column: 1)\n"
    )
    assert lines_of_simt_ir(text) == [
        ("entry:", None),
        ("  %0 = call i32 @f()", 3),
        ("  ret void", 4),
    ]


class Tags(html.parser.HTMLParser):
    """Checks that tags are closed in order, and collects the text of lines by the column that they are in."""

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


def test_without_a_page_the_report_is_printed(run_heddle, tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    result = run_heddle("inspect", "program.py")
    assert result.stdout.startswith("done\nscale(array(float64, 1d, C), float64)\n")
    assert "    8 |         x[i] *= factor" in result.stdout


@pytest.mark.parametrize(
    "arguments, message",
    [
        ([], "inspect takes a program"),
        (["a.py", "--html"], "--html needs the name of a file"),
        (["--fast", "a.py"], "inspect takes a program"),
    ],
    ids=["nothing", "no name", "unknown option"],
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
