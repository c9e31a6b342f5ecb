"""``heddle run``: a program behaves as under ``python``, with heddle in place of numba."""

import pytest

ADD = """
import sys
import numpy as np
from numba import cuda

@cuda.jit
def add(a, b, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i] + b[i]

n = int(sys.argv[1])
a, b, out = np.arange(n, dtype=np.float32), np.ones(n, np.float32), np.zeros(n, np.float32)
add[(n + 127) // 128, 128](a, b, out)
print(out.sum() == (a + 1).sum())
"""


def test_a_program_written_for_numba_runs_as_it_is(run_script):
    result = run_script(ADD, "1000")
    assert (result.stderr, result.stdout) == ("", "True\n")


def test_a_program_with_device_arrays_and_streams_runs_as_it_is(run_script):
    result = run_script(
        "import numpy as np\n"
        "from numba import cuda, float32\n"
        "@cuda.jit('void(float32[:], float32)')\n"
        "def scale(x, f):\n"
        "    i = cuda.grid(1)\n"
        "    if i < x.shape[0]:\n"
        "        x[i] *= f\n"
        "stream = cuda.stream()\n"
        "d = cuda.to_device(np.ones(1000, np.float32), stream=stream)\n"
        "scale[8, 128, stream](d, float32(3))\n"
        "host = d.copy_to_host(stream=stream)\n"
        "stream.synchronize()\n"
        "print(host.sum())\n"
    )
    assert (result.stderr, result.stdout) == ("", "3000.0\n")


def test_a_program_that_guards_on_the_device_takes_the_branch_with_one(run_script):
    result = run_script("from numba import cuda\nprint(cuda.is_available(), cuda.detect())\n")
    assert result.stdout.endswith("True True\n")


def test_a_program_sees_its_arguments(run_script):
    result = run_script(
        "import sys; print(sys.argv[0].endswith('script.py'), sys.argv[1:])",
        "-v",
        "--x=1",
        "two words",
    )
    assert result.stdout == "True ['-v', '--x=1', 'two words']\n"


def test_a_program_is_the_main_module(run_script):
    result = run_script(
        "import sys\n"
        "x = 3\n"
        "print(__name__, sys.modules['__main__'].x, __file__.endswith('script.py'), __doc__, __spec__, __package__)\n"
    )
    assert result.stdout == "__main__ 3 True None None None\n"


def test_a_program_imports_from_its_own_folder(run_heddle, tmp_path):
    folder = tmp_path / "deep"
    folder.mkdir()
    (folder / "beside.py").write_text("value = 5\n")
    (folder / "script.py").write_text("import beside; print(beside.value)\n")
    assert run_heddle("run", folder / "script.py").stdout == "5\n"


def test_the_folder_of_the_caller_is_not_searched(run_heddle, tmp_path):
    (tmp_path / "beside.py").write_text("")
    folder = tmp_path / "deep"
    folder.mkdir()
    (folder / "script.py").write_text("import beside\n")
    assert (
        "ModuleNotFoundError: No module named 'beside'"
        in run_heddle("run", folder / "script.py").stderr
    )


@pytest.mark.parametrize(
    ("ending", "code"),
    [
        ("", 0),
        ("import sys; sys.exit()", 0),
        ("import sys; sys.exit(7)", 7),
        ("raise SystemExit(True)", 1),
        ("import sys; sys.exit('no luck')", 1),
        ("1 / 0", 1),
        ("import os; os._exit(9)", 9),
    ],
)
def test_the_exit_code_is_that_of_the_program(run_script, ending, code):
    assert run_script(ending).returncode == code


def test_the_text_of_an_exit_goes_to_stderr(run_script):
    result = run_script("import sys; sys.exit('no luck')")
    assert (result.stdout, result.stderr) == ("", "no luck\n")


def test_a_traceback_shows_the_frames_of_the_program_only(run_script, tmp_path):
    result = run_script("def f():\n    raise ValueError('lost')\n\nf()\n")
    # Python 3.13 marks the call with a line of its own.
    text = "".join(line for line in result.stderr.splitlines(True) if set(line.strip()) - set("~^"))
    assert text == (
        "Traceback (most recent call last):\n"
        f'  File "{tmp_path}/script.py", line 4, in <module>\n'
        "    f()\n"
        f'  File "{tmp_path}/script.py", line 2, in f\n'
        "    raise ValueError('lost')\n"
        "ValueError: lost\n"
    )


def test_a_traceback_has_no_frames_of_heddle(run_script):
    result = run_script("from numba import cuda\ncuda.to_device([1, 2]).copy_to_host([0, 0])\n")
    assert result.stderr.count("File ") == 1
    assert result.stderr.endswith(
        "TypeError: copy_to_host copies to a NumPy array, not to a list\n"
    )


def test_a_traceback_keeps_the_exceptions_behind_an_exception(run_script):
    result = run_script(
        "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    raise ValueError('second') from e\n"
    )
    assert "ZeroDivisionError" in result.stderr
    assert result.stderr.endswith("ValueError: second\n")
    assert "run_program" not in result.stderr


def test_full_tracebacks_can_be_asked_for(run_script):
    result = run_script("1 / 0\n", env={"HEDDLE_FULL_TRACEBACKS": "1"})
    assert "run_program" in result.stderr


def test_a_syntax_error_is_shown_as_python_shows_it(run_script):
    result = run_script("x = = 3\n")
    assert result.returncode == 1
    assert "script.py" in result.stderr
    assert result.stderr.endswith("SyntaxError: invalid syntax\n")


def test_the_exception_hook_of_the_program_is_called(run_script):
    result = run_script(
        "import sys\nsys.excepthook = lambda *e: print('mine', e[0].__name__)\n1 / 0\n"
    )
    assert (result.stdout, result.returncode) == ("mine ZeroDivisionError\n", 1)


def test_an_interrupt_ends_the_program(run_script):
    result = run_script("raise KeyboardInterrupt\n")
    assert result.returncode == 130
    assert result.stderr.endswith("KeyboardInterrupt\n")


def test_functions_called_at_exit_are_called(run_script):
    assert run_script("import atexit; atexit.register(print, 'bye')").stdout == "bye\n"


def test_numbas_own_tests_import_each_other(run_script, tmp_path):
    for package, path in (("numba_cuda", "numba/cuda/tests/cudapy"), ("numba", "tests")):
        tests = tmp_path / "site" / package / path
        tests.mkdir(parents=True)
        (tmp_path / "site" / package / "__init__.py").touch()
        (tests / "__init__.py").touch()
        (tests / "cases.py").write_text(
            "from numba import cuda\nfrom numba.cuda.testing import CUDATestCase\n"
        )
    result = run_script(
        f"import sys; sys.path.insert(0, {str(tmp_path / 'site')!r})\n"
        "from numba.cuda.tests.cudapy.cases import cuda, CUDATestCase\n"
        "from numba.tests.cases import cuda as same\n"
        "from numba.tests.support import TestCase, needs_blas, skip_parfors_unsupported, _32bit\n"
        "print(cuda.__name__, same is cuda, TestCase.__module__)\n"
    )
    assert result.stdout == "heddle.cuda True heddle.compat.numba.test_support\n"


SUITE = """\
import unittest
from os.path import dirname
from numba.testing import load_testsuite

def load_tests(loader, tests, pattern):
    suite = unittest.TestSuite()
    suite.addTests(load_testsuite(loader, dirname(__file__)))
    return suite
"""

ONE_TEST = """\
from numba.cuda.testing import CUDATestCase

class TestOne(CUDATestCase):
    def test_one(self):
        self.assertTrue(True)
"""


def test_a_package_of_tests_loads_its_folder_as_numbas_do(run_heddle, tmp_path):
    package = tmp_path / "suite"
    (package / "inner").mkdir(parents=True)
    for path, text in {"__init__": SUITE, "test_a": ONE_TEST, "inner/__init__": SUITE}.items():
        (package / f"{path}.py").write_text(text)
    for name in ("test_b", "test_c", "other"):
        (package / "inner" / f"{name}.py").write_text(ONE_TEST)
    runner = "import numba.testing, sys; r = numba.testing.run_tests(['run', 'suite'])"
    result = run_heddle("run", "-c", f"{runner}; print(r.testsRun, r.wasSuccessful())")
    assert result.stdout == "3 True\n", result.stderr


def test_a_temporary_module_of_numbas_tests(run_script):
    result = run_script(
        "from numba.tests.support import create_temp_module\n"
        "text = 'from numba import jit_module\\ndef f(x): return x + 1\\njit_module({jit_options})'\n"
        "with create_temp_module(text, nopython=True) as module:\n"
        "    print(module.f(1), type(module.f).__name__)\n"
    )
    assert result.stdout == "2 HostDispatcher\n"


def test_bfloat16_has_its_name_in_cuda_cpp(run_script):
    result = run_script(
        "import numpy as np\n"
        "from numba import cuda, float32\n"
        "from numba.cuda._internal.cuda_bf16 import hsqrt, nv_bfloat16\n"
        "@cuda.jit\n"
        "def k(out):\n"
        "    out[0] = float32(hsqrt(nv_bfloat16(4.0)) + nv_bfloat16(1.5))\n"
        "out = np.zeros(1, np.float32)\n"
        "k[1, 1](out)\n"
        "print(out)\n"
    )
    assert (result.stderr, result.stdout) == ("", "[3.5]\n")


def test_objects_of_the_program_can_be_pickled(run_script):
    result = run_script(
        "import pickle\nclass C: pass\nprint(type(pickle.loads(pickle.dumps(C()))) is C)\n"
    )
    assert result.stdout == "True\n"


def test_the_source_of_the_program_can_be_read(run_script):
    result = run_script("import inspect\ndef f():\n    return 1\nprint(inspect.getsource(f))\n")
    assert result.stdout == "def f():\n    return 1\n\n"


def test_future_statements_of_heddle_do_not_leak(run_script):
    assert (
        run_script("def f(x: int): pass\nprint(f.__annotations__)\n").stdout
        == "{'x': <class 'int'>}\n"
    )


def test_a_program_may_have_another_encoding(run_heddle, tmp_path):
    (tmp_path / "latin.py").write_bytes(
        "# coding: latin-1\nprint(len('\u00e9'))\n".encode("latin-1")
    )
    assert run_heddle("run", "latin.py").stdout == "1\n"


def test_a_program_may_come_from_standard_input(run_heddle):
    assert run_heddle("run", "-", "x", input="import sys; print(sys.argv)").stdout == "['-', 'x']\n"


def test_a_kernel_may_come_from_standard_input(run_heddle):
    assert run_heddle("run", "-", "1000", input=ADD).stdout == "True\n"


def test_a_folder_with_a_main_program_runs(run_heddle, tmp_path):
    folder = tmp_path / "app"
    folder.mkdir()
    (folder / "__main__.py").write_text("import other, numba; print(other.x, numba)\n")
    (folder / "other.py").write_text("x = 4\n")
    assert run_heddle("run", "app").stdout.startswith("4 <module 'heddle.compat.numba'")


def test_a_module_runs(run_heddle, tmp_path):
    (tmp_path / "tool.py").write_text(
        "import sys, numba.cuda\nprint(__name__, sys.argv[1:], numba.cuda.__name__)\n"
    )
    assert run_heddle("run", "-m", "tool", "a", "-m").stdout == "__main__ ['a', '-m'] heddle.cuda\n"


def test_a_package_runs_as_a_module(run_heddle, tmp_path):
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "__init__.py").write_text("")
    (tmp_path / "pack" / "__main__.py").write_text(
        "from . import part\nprint(part.x, __package__)\n"
    )
    (tmp_path / "pack" / "part.py").write_text("x = 6\n")
    assert run_heddle("run", "-m", "pack").stdout == "6 pack\n"


def test_an_error_in_a_module_shows_its_frames_only(run_heddle, tmp_path):
    (tmp_path / "tool.py").write_text("1 / 0\n")
    result = run_heddle("run", "-m", "tool")
    assert result.stderr.count("File ") == 1
    assert result.returncode == 1


@pytest.mark.parametrize("name", ["no_such_module", "no.such.module", "os.path.x", "", "."])
def test_a_module_that_does_not_exist_is_told(run_heddle, name):
    result = run_heddle("run", "-m", name)
    assert result.returncode == 1
    assert result.stderr.startswith("heddle run: ")
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("source", [b"(" * 3000, b"def f(:\n"])
def test_a_file_that_is_no_program_is_told(run_heddle, tmp_path, source):
    (tmp_path / "bad.py").write_bytes(source)
    result = run_heddle("run", "bad.py")
    assert result.returncode == 1
    assert "Error" in result.stderr


def test_a_program_may_leave_without_a_standard_output(run_script):
    result = run_script("import sys\nsys.stdout = None\nsys.exit(3)\n")
    assert (result.stderr, result.returncode) == ("", 3)


def test_an_error_of_a_program_without_a_standard_output_is_shown(run_script):
    result = run_script("import sys\nsys.stdout = None\nraise ValueError(3)\n")
    assert result.stderr.endswith("ValueError: 3\n")
