"""Kernels whose source is in no file: from exec and eval, typed at a prompt, read from standard input, in doctests."""

import doctest
import linecache
import subprocess
import sys
import types

import numpy as np
import pytest

from heddle import cuda

KERNEL = "def k(x):\n    i = cuda.grid(1)\n    if i < x.size:  # the rest does nothing\n        x[i] += 2 * i\n"
PROGRAM = "import numpy as np\nfrom heddle import cuda\n"
LAUNCH = "x = np.ones(3)\nk[1, 4](x)\nprint(x)\n"
RESULT = "[1. 3. 5.]\n"


def runs(function):
    x = np.ones(3)
    cuda.jit(function)[1, 4](x)
    return list(x) == [1, 3, 5]


def names_after(run, *arguments):
    names = {"cuda": cuda}
    run(*arguments, names)
    return names


def test_a_kernel_made_by_exec(device):
    assert runs(names_after(exec, KERNEL)["k"])


def test_a_kernel_decorated_in_the_text(device):
    x = np.ones(3)
    names_after(exec, "@cuda.jit\n" + KERNEL)["k"][1, 4](x)
    assert list(x) == [1, 3, 5]


def test_a_kernel_made_by_compile_under_a_name_of_its_own(device):
    assert runs(names_after(exec, compile(KERNEL, "generated.py", "exec"))["k"])


def test_a_kernel_made_in_the_names_of_a_module(device):
    # linecache takes the module's text for that of every missing file: there, another ``runs`` stands on the same line.
    names = {**globals(), "__name__": __name__}
    text = "\n" * (runs.__code__.co_firstlineno - 1) + "def runs(function):\n    function[0] = 7\n"
    exec(compile(text, "missing.py", "exec"), names)
    x = np.zeros(2)
    cuda.jit(names["runs"])[1, 1](x)
    assert list(x) == [7, 0]


def test_a_kernel_compiled_under_the_name_of_another_file(device):
    assert runs(names_after(exec, compile(KERNEL, __file__, "exec"))["k"])


def test_a_kernel_made_from_a_syntax_tree(device):
    import ast

    tree = ast.parse(KERNEL)
    for node in ast.walk(tree):
        for place in ("lineno", "end_lineno", "col_offset", "end_col_offset"):
            if hasattr(node, place):
                setattr(node, place, 1)
    assert runs(names_after(exec, compile(tree, "<tree>", "exec"))["k"])


def test_a_kernel_made_from_a_code_object(device):
    code = compile(KERNEL, "<generated>", "exec").co_consts[0]
    assert runs(types.FunctionType(code, {"cuda": cuda}))


def test_a_device_function_made_by_eval(device):
    double = cuda.jit(device=True)(eval("lambda x, y=2: x * y if y else 0"))

    @cuda.jit
    def k(x):
        x[cuda.grid(1)] = double(x[cuda.grid(1)])

    x = np.ones(3)
    k[1, 3](x)
    assert list(x) == [2, 2, 2]


def test_kernels_of_one_template_are_told_apart(device):
    def made(value):
        names = {"cuda": cuda}
        exec(f"def k(x):\n    x[cuda.grid(1)] = {value}\n", names)
        return cuda.jit(names["k"])

    one, two = made(1), made(2)
    x = np.zeros(2)
    two[1, 1](x[:1])
    one[1, 1](x[1:])
    assert list(x) == [2, 1]


def test_a_kernel_whose_text_is_registered_shows_its_own_lines(device):
    text = "def k(x):\n    x[0] = y  # nowhere\n"
    linecache.cache["<mine>"] = (len(text), None, text.splitlines(True), "<mine>")
    names = names_after(exec, compile(text, "<mine>", "exec"))
    with pytest.raises(Exception, match=r"<mine>:2: (?s:.*)x\[0\] = y  # nowhere"):
        cuda.jit(names["k"])[1, 1](np.ones(1))


def test_text_that_is_registered_for_another_function_is_not_taken(device):
    text = KERNEL.replace("2 * i", "9 * i")
    linecache.cache["<shared>"] = (len(text), None, text.splitlines(True), "<shared>")
    assert runs(names_after(exec, compile(KERNEL, "<shared>", "exec"))["k"])


def test_an_error_in_a_rebuilt_kernel_shows_its_statement(device):
    names = names_after(exec, "\n\ndef k(x):\n    y = 1; x[0] = cuda.grd(y)\n")
    with pytest.raises(Exception) as caught:
        cuda.jit(names["k"])[1, 1](np.ones(1))
    first, line, caret, *_ = str(caught.value).splitlines()
    assert first == "<string>:4: heddle has no 'cuda.grd'"
    assert line.endswith("x[0] = cuda.grd(y)")
    assert line[caret.index("^") : caret.rindex("^") + 1] == "cuda.grd"


def test_a_kernel_in_a_doctest(device):
    def documented():
        """
        >>> @cuda.jit
        ... def k(x):
        ...     x[0] = 2  # in a doctest
        >>> x = np.ones(1)
        >>> k[1, 1](x); print(x)
        [2.]
        """

    found = doctest.DocTestFinder().find(documented, "documented", globs={"cuda": cuda, "np": np})
    assert doctest.DocTestRunner().run(found[0]).failed == 0


def python(*arguments, **options):
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, timeout=60, **options
    )


def test_a_kernel_of_python_c():
    result = python("-c", PROGRAM + "@cuda.jit\n" + KERNEL + LAUNCH)
    assert (result.stderr, result.stdout) == ("", RESULT)


def test_an_error_in_a_kernel_of_python_c_shows_its_line():
    text = PROGRAM + "@cuda.jit\ndef k(x):\n    x[0] = y  # nowhere\n" + LAUNCH
    assert "x[0] = y  # nowhere" in python("-c", text).stderr


def test_a_kernel_from_standard_input():
    result = python("-", input=PROGRAM + "@cuda.jit\n" + KERNEL + LAUNCH)
    assert (result.stderr, result.stdout) == ("", RESULT)


def test_a_kernel_typed_at_the_prompt():
    result = python("-i", "-q", input=PROGRAM + "@cuda.jit\n" + KERNEL + "\n" + LAUNCH)
    assert RESULT in result.stdout, result.stderr


GENERATED = f"from numba import cuda\nimport numpy as np\nnames = {{'cuda': cuda}}\nexec({KERNEL!r}, names)\n"


def test_a_generated_kernel_under_heddle_run(run_script):
    result = run_script(GENERATED + "k = cuda.jit(names['k'])\n" + LAUNCH)
    assert (result.stderr, result.stdout) == ("", RESULT)


def test_an_error_in_a_generated_kernel_under_heddle_run_shows_its_line(run_script):
    text = KERNEL.replace("x.size", "y").replace("does nothing", "is a mistake")
    result = run_script(
        f"from numba import cuda\nimport numpy as np\nnames = {{'cuda': cuda}}\nexec({text!r}, names)\n"
        "cuda.jit(names['k'])[1, 1](np.ones(1))"
    )
    assert "if i < y:  # the rest is a mistake" in result.stderr


def test_a_program_may_come_from_the_command_line(run_heddle):
    result = run_heddle("run", "-c", GENERATED + "k = cuda.jit(names['k'])\n" + LAUNCH, "x")
    assert (result.stderr, result.stdout) == ("", RESULT)
