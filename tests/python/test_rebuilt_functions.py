"""Functions rebuilt from their bytecode behave as the originals, in every Python version on this machine."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import heddle

PROGRAM = Path(__file__).with_name("rebuilt_functions.py")
INSTALLED = Path.home() / ".pyenv" / "versions"
PYTHONS = {
    path.parts[-3]: path
    for path in sorted(INSTALLED.glob("3.1[1-9].*/bin/python"))
    if not path.parts[-3].startswith(".".join(map(str, sys.version_info[:2])))
}


@pytest.fixture(params=["this", *PYTHONS])
def python(request, tmp_path):
    """A function that runs a Python version with arguments; the result has stdout and stderr."""
    executable = PYTHONS.get(request.param, sys.executable)
    package = str(Path(heddle.__file__).parent.parent)

    def run(*arguments, **options):
        return subprocess.run(
            [executable, *arguments],
            env={**os.environ, "PYTHONPATH": package, "PYTHONDONTWRITEBYTECODE": "1"},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=100,
            **options,
        )

    return run


def test_rebuilt_functions_do_what_the_originals_do(python):
    result = python(PROGRAM, "60")
    assert (result.stderr, result.stdout) == ("", "83 are the same\n")


# The definition that the compiler reads, as text: the part of heddle that needs no compiled code.
SHOW = """
import ast
from heddle.compiler.source import parse_and_rewrite_definition, find_source_lines
def show(function):
    node, offset, first, text = parse_and_rewrite_definition(function, find_source_lines(function))
    print(ast.unparse(node), first, text[0])
"""
DEFINITION = "def k(x): return x + 1  # why\n"
REBUILT = "def k(x):\n    return x + 1 {} def k(x): return x + 1\n"
FOUND = "def k(x):\n    return x + 1 {} def k(x): return x + 1  # why\n"


def test_a_function_made_by_exec_is_rebuilt(python):
    result = python("-c", f"{SHOW}\nnames = {{}}\nexec({DEFINITION!r}, names)\nshow(names['k'])")
    assert (result.stderr, result.stdout) == ("", REBUILT.format(1))


def test_a_function_of_python_c_has_its_text(python):
    result = python("-c", SHOW + DEFINITION + "show(k)\n")
    assert (result.stderr, result.stdout) == ("", FOUND.format(7))


def test_a_function_from_standard_input_is_found_or_rebuilt(python):
    result = python("-", input=SHOW + DEFINITION + "show(k)\n")
    assert result.stdout in (REBUILT.format(7), FOUND.format(7)), result.stderr


def test_a_function_typed_at_the_prompt_is_found_or_rebuilt(python):
    result = python("-i", "-q", input=f"{SHOW}\n{DEFINITION}\nshow(k)\n")
    shown = result.stdout.replace("\n", "").split("return x + 1")
    assert shown[0].endswith("def k(x):    "), result.stderr
    assert shown[2].strip() in ("", "# why")


def test_texts_are_kept_when_they_are_asked_for(python):
    result = python(
        "-c",
        f"{SHOW}\nfrom heddle.compiler.kept_texts import start_keeping_source_texts\n"
        "start_keeping_source_texts()\nnames = {}\n"
        f"exec({DEFINITION!r}, names)\nexec({DEFINITION.replace('1', '2')!r}, {{}})\nshow(names['k'])",
    )
    assert (result.stderr, result.stdout) == ("", FOUND.format(1))


def test_texts_are_kept_no_more_after_the_stand_ins_are_gone(python):
    undone = "from heddle import compat\ncompat.install()\nnames = {}\ncompat.uninstall()\n"
    result = python("-c", f"{SHOW}\n{undone}exec({DEFINITION!r}, names)\nshow(names['k'])")
    assert (result.stderr, result.stdout) == ("", REBUILT.format(1))


def test_lines_are_those_of_the_program(python):
    text = "def k(x):\n\n    if x:\n        y = 1; z = 2\n    return (y,\n        z)\n"
    shows = "import heddle.compiler.bytecode as b\nprint(sorted(b.rebuild_with_lines(names['k'].__code__)[1].items()))"
    result = python("-c", f"names = {{}}\nexec({text!r}, names)\n{shows}")
    lines = [
        (1, "def k(x):"),
        (3, "    if x:"),
        (4, "        y = 1; z = 2"),
        (5, "    return (y, z)"),
    ]
    assert (result.stderr, result.stdout) == ("", f"{lines}\n")
