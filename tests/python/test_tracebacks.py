"""Tracebacks: only the program's own frames, colors on a terminal, the right place in any source."""

import linecache
import os
import pty
import subprocess
import sys
import traceback
from pathlib import Path

import numpy as np
import pytest

import heddle
from heddle import cuda

WRONG = "@cuda.jit\ndef wrong(x):\n    x[0] = nowhere\n"
HEDDLE = str(Path(heddle.__file__).resolve().parent)


@cuda.jit
def wrong(x):
    x[0] = nowhere  # noqa: F821


def files_of(action):
    """The files of the frames in the traceback of what `action` raises, below this function's own frame."""
    try:
        action()
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)[1:]
        return [os.path.realpath(frame.filename) for frame in frames]
    raise AssertionError("no error")


@pytest.mark.parametrize(
    "action",
    [
        lambda: wrong[1, 1](np.ones(1)),
        lambda: wrong(np.ones(1)),
        lambda: wrong[0, 1],
        lambda: wrong.forall(1)(np.ones(1)),
        lambda: wrong.compile("void(float32[:])"),
        lambda: wrong.specialize(np.ones(1)),
        lambda: cuda.jit("void(float32[:])")(wrong.py_func),
        lambda: cuda.jit(devise=True),
        lambda: cuda.jit(len),
        lambda: cuda.jit("void(flot32)"),
        lambda: cuda.jit(eval("lambda x: x"))[1, 1](1),
        lambda: cuda.compile_ptx(wrong.py_func, "void(float32[:])"),
        lambda: cuda.grid(1),
        lambda: cuda.threadIdx.x + 1,
        lambda: int(cuda.laneid),
        lambda: cuda.synchthreads,
        lambda: cuda.to_device(object()),
        lambda: cuda.device_array(-1),
    ],
    ids=[
        *("launch", "call", "grid", "forall", "compile", "specialize", "signature", "option"),
        *(
            "builtin",
            "type",
            "source",
            "ptx",
            "grid()",
            "index",
            "int",
            "name",
            "to_device",
            "shape",
        ),
    ],
)
def test_a_traceback_has_the_programs_frames_only(device, action):
    assert set(files_of(action)) == {os.path.realpath(__file__)}


def test_all_frames_are_shown_when_asked_for(run_python):
    result = run_python(
        "from heddle import cuda\ncuda.jit(devise=True)", HEDDLE_FULL_TRACEBACKS="1"
    )
    assert "jit_options.py" in result.stderr


def test_from_import_of_a_missing_name_shows_no_frames_of_heddle(run_python):
    stderr = run_python("from heddle.cuda import synchthreads").stderr
    assert "ImportError: heddle has no 'cuda.synchthreads'" in stderr
    assert "heddle/cuda/__init__.py" not in stderr


def test_public_functions_keep_their_name_signature_and_text():
    import inspect

    assert cuda.jit.__name__ == "jit" and "signature" in cuda.jit.__doc__
    assert list(inspect.signature(cuda.to_device).parameters) == ["obj", "stream", "copy", "to"]


# Color


def printed(source, tmp_path, terminal, **environment):
    """The output of a program to its standard error, which may be a terminal."""
    (tmp_path / "program.py").write_text(source)
    variables = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR")}
    variables |= {"PYTHONPATH": str(Path(heddle.__file__).parent.parent), "TERM": "xterm"}
    ours, theirs = pty.openpty() if terminal else os.pipe()
    with subprocess.Popen(
        [sys.executable, "program.py"], env=variables | environment, cwd=tmp_path, stderr=theirs
    ):
        os.close(theirs)
        text = b""
        try:
            while part := os.read(ours, 4096):
                text += part
        except OSError:  # the other end of the terminal is closed
            pass
    os.close(ours)
    return text.decode()


PROGRAM = "import numpy as np\nfrom heddle import cuda\n" + WRONG + "wrong[1, 1](np.ones(1))\n"
RED = "\x1b[31m"


def test_the_message_is_colored_on_a_terminal(tmp_path):
    assert RED in printed(PROGRAM, tmp_path, terminal=True)


def test_the_message_is_plain_in_a_file(tmp_path):
    text = printed(PROGRAM, tmp_path, terminal=False)
    assert "nowhere" in text and "\x1b" not in text


def test_no_color_is_respected(tmp_path):
    text = printed(PROGRAM, tmp_path, terminal=True, NO_COLOR="1")
    assert "nowhere" in text and RED not in text


def test_force_color_is_respected(tmp_path):
    assert RED in printed(PROGRAM, tmp_path, terminal=False, FORCE_COLOR="1")


def test_the_text_of_an_error_is_plain_even_with_a_terminal(tmp_path):
    program = PROGRAM.replace("wrong[1", "try:\n    wrong[1") + (
        "except Exception as error:\n    import sys, traceback\n    sys.stderr.write(str(error))\n"
        "    traceback.print_exc()\n"
    )
    text = printed(program, tmp_path, terminal=True)
    assert text.count("nowhere") >= 2 and RED not in text


# Where


def shown(source, path, launch="k", names=()):
    """(the line number in the message, its source line, the text above the carets)"""
    namespace = {"cuda": cuda, "np": np, **dict(names)}
    exec(compile(source, path, "exec"), namespace)
    with pytest.raises(heddle.CompileError) as caught:
        namespace[launch][1, 1](np.ones(4))
    head, line, carets, *_ = str(caught.value).split("\n")
    return int(head.split(":")[1]), line.partition("|")[2], carets.partition("|")[2]


@pytest.fixture
def place(tmp_path):
    """A function that compiles a program; returns the line its message points to, and the underlined text."""

    def find(source, launch="k"):
        path = tmp_path / "program.py"
        path.write_text(source, encoding="utf-8")
        number, line, carets = shown(source, str(path), launch)
        assert line[1:] == source.split("\n")[number - 1]
        start = len(carets) - len(carets.lstrip())
        return number, line[start : len(carets)]

    return find


def test_a_decorated_function(device, place):
    source = "def same(f):\n    return f\n\n@same\n@cuda.jit(\n    debug=False,\n)\ndef k(x):\n    x[0] = nowhere\n"
    assert place(source) == (9, "nowhere")


def test_a_function_in_a_function(device, place):
    source = "def make():\n    @cuda.jit\n    def k(x):\n        x[0] = nowhere\n    return k\nk = make()\n"
    assert place(source) == (4, "nowhere")


def test_a_method_of_a_class(device, place):
    source = "class A:\n    @staticmethod\n    @cuda.jit\n    def k(x):\n        x[0] = nowhere\nk = A.k\n"
    assert place(source) == (5, "nowhere")


def test_a_statement_of_several_lines(device, place):
    source = "@cuda.jit\ndef k(\n    x,\n):\n    x[0] = (\n        1\n        + nowhere\n    )\n"
    assert place(source) == (7, "nowhere")


def test_a_line_that_goes_on(device, place):
    source = "@cuda.jit\ndef k(x):\n    x[0] = 1 + \\\n        nowhere\n"
    assert place(source) == (4, "nowhere")


def test_an_expression_over_several_lines_is_underlined_to_the_end_of_its_first(device, place):
    source = "@cuda.jit\ndef k(x):\n    x[0] = abs(1,\n               2)\n"
    assert place(source) == (3, "abs(1,")


def test_a_lambda(device, place):
    source = "k = cuda.jit(\n    lambda x:\n        nowhere(x)\n)\n"
    assert place(source) == (3, "nowhere")


def test_the_second_lambda_of_a_line(device, place):
    source = "j, k = cuda.jit(lambda x: here(x)), cuda.jit(lambda x: nowhere(x))\n"
    assert place(source) == (1, "nowhere")


def test_a_device_function_of_the_same_file(device, place):
    source = "@cuda.jit(device=True)\ndef f(v):\n    return nowhere\n\n@cuda.jit\ndef k(x):\n    x[0] = f(1)\n"
    assert place(source) == (3, "nowhere")


def test_a_line_with_tabs(device, place):
    source = "@cuda.jit\ndef k(x):\n\tif x[0]:\n\t\tx[0] =\tnowhere\n"
    number, underlined = place(source)
    assert number == 4 and underlined == "nowhere"


def test_a_line_with_accents(device, place):
    source = "@cuda.jit\ndef k(x):\n    größe, ñ = 1, x.é\n"
    assert place(source) == (3, "x.é")


def test_carets_stand_under_wide_characters(device, tmp_path):
    source = "@cuda.jit\ndef k(x):\n    値 = 幅 + 1\n"
    path = tmp_path / "wide.py"
    path.write_text(source, encoding="utf-8")
    _, line, carets = shown(source, str(path))
    # In a terminal's columns: 5 blanks, then 値 (2), " = " (3); 幅 takes two columns.
    assert line == "     値 = 幅 + 1" and carets == " " * 10 + "^^"


def test_a_cell_of_a_notebook(device):
    # As ipykernel does with a cell: a name that is no file, its lines in linecache.
    source = "# a cell\n" + WRONG.replace("wrong", "k")
    path = "/tmp/ipykernel_4711/3141592653.py"
    linecache.cache[path] = (len(source), None, source.splitlines(keepends=True), path)
    assert shown(source, path) == (4, "     x[0] = nowhere", "            ^^^^^^^")


def test_a_cell_that_is_run_again_shows_its_new_text(device):
    path = "/tmp/ipykernel_4711/2718281828.py"
    for name in ("nowhere", "elsewhere"):
        source = WRONG.replace("wrong", "k").replace("nowhere", name)
        linecache.cache[path] = (len(source), None, source.splitlines(keepends=True), path)
        assert shown(source, path)[1] == f"     x[0] = {name}"
