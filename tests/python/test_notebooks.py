"""Notebooks under ``heddle run``, and ``%load_ext heddle`` in IPython: what cells print, draw and raise."""

import base64
import struct
import zlib

import pytest

pytest.importorskip("ipykernel")
pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")

ON_CPU = {"HEDDLE_DEVICE": "cpu"}

K = """\
@cuda.jit
def k(x):
    i = cuda.grid(1)
    if i < x.size:
        print({printed})
"""


@pytest.fixture
def run_notebook(tmp_path, run_heddle):
    """A function that makes a notebook from cells and runs it; returns the result and the saved notebook."""

    def run(*cells):
        made = [
            nbformat.v4.new_markdown_cell(cell[2:])
            if cell.startswith("# ")
            else nbformat.v4.new_code_cell(cell)
            for cell in cells
        ]
        nbformat.write(nbformat.v4.new_notebook(cells=made), tmp_path / "given.ipynb")
        saved = tmp_path / "saved.ipynb"
        environment = {**ON_CPU, "IPYTHONDIR": str(tmp_path / "ipython")}
        result = run_heddle("run", tmp_path / "given.ipynb", "--save", saved, env=environment)
        return result, nbformat.read(saved, as_version=4)

    return run


def png(red, green, blue):
    """A picture of one pixel."""

    def chunk(kind, data):
        check = struct.pack(">I", zlib.crc32(kind + data))
        return struct.pack(">I", len(data)) + kind + data + check

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0))
    point = chunk(b"IDAT", zlib.compress(bytes([0, red, green, blue])))
    return b"\x89PNG\r\n\x1a\n" + header + point + chunk(b"IEND", b"")


def test_a_notebook_prints_in_order_and_keeps_outputs_of_cells(run_notebook):
    picture = png(200, 100, 0)
    result, saved = run_notebook(
        "# Title",
        "import numpy as np\nfrom numba import cuda, njit\nprint(cuda.__name__)",
        K.format(printed="i, x[i]")
        + "print('before')\nk[1, 2](np.ones(2))\ncuda.synchronize()\nprint('after')",
        # Another text under the same name; the launch is not waited for.
        K.format(printed="-i") + "k[1, 2](cuda.to_device(np.ones(2)))",
        "@njit\ndef f(n):\n    print('host', n)\n    return n + 1\nf(1)",
        f"from IPython.display import Image\nImage(data={picture!r})",
        # The first definition's source survives; threads of the pool print.
        "many = cuda.to_device(np.ones(20000))\nk[200, 100](many[:3])\n%unload_ext heddle",
    )
    lines = ["heddle.cuda", "before", "0 1.000000", "1 1.000000", "after", "0", "-1", "host 1", "2"]
    lines += ["<IPython.core.display.Image object>", "0", "-1", "-2"]
    assert (result.stderr, result.stdout.splitlines(), result.returncode) == ("", lines, 0)
    texts = ["".join(o.get("text", "") for o in cell.outputs) for cell in saved.cells[1:]]
    assert texts == [
        "heddle.cuda\n",
        "before\n0 1.000000\n1 1.000000\nafter\n",
        "0\n-1\n",
        "host 1\n",
        "",
        "0\n-1\n-2\n",
    ]
    assert base64.b64decode(saved.cells[5].outputs[0].data["image/png"]) == picture


def test_the_cell_that_fails_is_named_and_the_last(run_notebook):
    result, saved = run_notebook(
        "from numba import cuda\nimport numpy as np",
        "# In debug mode an index is checked.",
        "@cuda.jit(debug=True, opt=False)\ndef k(x):\n    x[cuda.grid(1) + 4] = 1\n\nk[1, 1](np.ones(3))",
        "print('never')",
    )
    assert (result.stdout, result.returncode) == ("", 1)
    last = result.stderr.splitlines()[-1]
    assert "given.ipynb: cell 3 (In [2]) failed: IndexError: " in last
    assert "IndexError: Cell In[2]:3: index 4 is out of bounds" in last
    assert "----> 5 k[1, 1](np.ones(3))" in result.stderr
    assert "heddle/" not in result.stderr.replace("heddle run", "")
    assert [output.ename for output in saved.cells[2].outputs] == ["IndexError"]
    assert saved.cells[3].outputs == []


IN_IPYTHON = """
import io, sys
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()

def cell(text):
    kept, sys.stdout = sys.stdout, io.StringIO()
    try:
        assert shell.run_cell(text).success
        printed = sys.stdout.getvalue()
    finally:
        sys.stdout = kept
    print("[" + printed.strip("\\n") + "]")
"""


@pytest.fixture
def run_cells(run_python, tmp_path):
    """A function that runs cells in IPython without a notebook and returns what each prints."""

    def run(*cells):
        program = IN_IPYTHON + "".join(f"cell({text!r})\n" for text in cells)
        result = run_python(program, **ON_CPU, IPYTHONDIR=str(tmp_path / "ipython"))
        assert (result.stderr, result.returncode) == ("", 0), result.stdout
        return result.stdout[1:-2].split("]\n[")

    return run


def test_after_load_ext_prints_are_the_cells_and_numba_is_heddle(run_cells):
    _, name, printed, nothing = run_cells(
        "%load_ext heddle",
        "from numba import cuda\nimport numpy as np\nprint(cuda.__name__)",
        K.format(printed="x[i]") + "k[1, 2](np.ones(2))",
        "%unload_ext heddle\n",
    )
    assert (name, printed, nothing) == ("heddle.cuda", "1.000000\n1.000000", "")


def test_the_magic_shows_the_code_of_the_cells_kernels(run_cells):
    define = "@cuda.jit\ndef {0}(x):\n    x[cuda.grid(1)] += 1\n"
    _, ptx, given, never, without, other = run_cells(
        "%load_ext heddle\nfrom heddle import cuda\nimport numpy as np",
        "%%heddle compile --emit ptx --arch sm_80\n" + define.format("a") + "a[1, 2](np.ones(2))",
        "%%heddle compile --emit simt --signature 'void(int32[:])'\n" + define.format("b"),
        "%%heddle compile\n" + define.format("c"),
        "%%heddle compile\n1 + 1",
        "%%heddle compile --emit tea\n1 + 1",
    )
    assert ptx.startswith("a(array(float64, 1d, C)) -> none\n")
    assert ".target sm_80" in ptx
    assert ".entry a(" in ptx
    assert "define void @b(" in given
    assert "c was not compiled: launch or call it in the cell" in never
    assert "the cell defines no kernel" in without
    assert other.startswith("--emit is one of ptx")


def test_the_magic_shows_the_code_of_jitted_functions_and_its_usage(run_cells):
    define = "@njit\ndef f(x):\n    return x + 1\n"
    _, llvm, never, usage = run_cells(
        "%load_ext heddle\nfrom heddle import njit",
        "%%heddle compile --emit llvm\n" + define + "y = f(2.5)",
        "%%heddle compile --emit ptx --signature 'float64(float64)'\n" + define,
        "%%heddle compile --help\n1 + 1",
    )
    assert llvm.startswith("f(float64) -> float64\n")
    assert "fadd double" in llvm
    assert "f is a host function: it has --emit asm or llvm" in never
    assert usage.startswith("usage: %%heddle compile")


def test_what_a_jitted_function_raises_is_shown_at_its_line(run_notebook):
    result, _ = run_notebook(
        "from numba import njit",
        "@njit\ndef f(x):\n    if x > 1:\n        raise ValueError('too large')\n    return x",
        "f(3)",
    )
    assert "Cell In[2], line 4, in f" in result.stderr
    assert "----> 4         raise ValueError('too large')\n" in result.stderr


def test_a_file_that_is_no_notebook(run_heddle, tmp_path):
    (tmp_path / "wrong.ipynb").write_text("print(1)\n")
    result = run_heddle("run", "wrong.ipynb")
    assert result.stderr.startswith("heddle run: 'wrong.ipynb' is not a notebook: ")
    assert result.returncode == 2


def test_a_notebook_that_is_not_there(run_heddle):
    result = run_heddle("run", "absent.ipynb")
    assert result.stderr.startswith("heddle run: there is no file 'absent.ipynb' in ")
    assert result.returncode == 2


def test_a_notebook_in_another_language(run_heddle, tmp_path):
    notebook = nbformat.v4.new_notebook()
    notebook.metadata.kernelspec = {"name": "ir", "language": "R", "display_name": "R"}
    nbformat.write(notebook, tmp_path / "r.ipynb")
    result = run_heddle("run", "r.ipynb")
    assert result.stderr == "heddle run: 'r.ipynb' is a notebook in R, not in Python\n"


def test_a_notebook_takes_no_arguments(run_heddle):
    result = run_heddle("run", "a.ipynb", "--fast")
    assert "a notebook takes no arguments except --save out.ipynb, not '--fast'" in result.stderr
    assert result.returncode == 2


def test_without_nbclient_the_message_says_what_to_install(run_heddle, tmp_path):
    (tmp_path / "nbclient.py").write_text("raise ModuleNotFoundError('no', name='nbclient')\n")
    (tmp_path / "a.ipynb").write_text("{}")
    result = run_heddle("run", "a.ipynb", env={"PYTHONPATH": str(tmp_path)})
    message = (
        "heddle run: running a notebook needs nbclient\n  hint: pip install nbclient ipykernel\n"
    )
    assert result.stderr == message
    assert result.returncode == 1


SLOW = """\
@cuda.jit
def slow(x):
    for i in range(1 << 22):
        x[0] = (x[0] * 5 + i) % 1009
    print(x[0] > 1009)
"""


def test_unload_ext_waits_for_lines_of_kernels(run_cells):
    _, printed = run_cells(
        "%load_ext heddle\nfrom numba import cuda\nimport numpy as np",
        SLOW + "slow[1, 1](cuda.to_device(np.ones(1, np.int64)))\n%unload_ext heddle",
    )
    assert printed == "False"
