"""The checker on labelled programs: tests/check/README.md describes them."""

import runpy
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import heddle

sys.path.append(str(Path(__file__).parents[1] / "check"))

from cases import FOLDER, disagreements, names, read_fixed, read_trap, read_wrong  # noqa: E402

pytestmark = pytest.mark.usefixtures("cpu")


@pytest.fixture
def check(tmp_path):
    """A function that runs a variant of a program in a new namespace, and returns how its findings differ from its
    marks."""

    def run(variant, name):
        file = tmp_path / f"{name}.py"
        file.write_text(variant.text)
        with heddle.check(print=False) as report:
            runpy.run_path(str(file))
        return disagreements(report.findings, file, variant)

    return run


@pytest.mark.parametrize("name", names("mistakes"))
def test_a_mistake_is_found_at_its_lines(check, name):
    assert check(read_wrong(FOLDER / "mistakes" / f"{name}.py"), name) == []


@pytest.mark.parametrize("name", names("mistakes"))
def test_nothing_is_found_after_the_fix(check, name):
    assert check(read_fixed(FOLDER / "mistakes" / f"{name}.py"), name) == []


@pytest.mark.parametrize("name", names("traps"))
def test_nothing_is_found_in_a_correct_program(check, name):
    assert check(read_trap(FOLDER / "traps" / f"{name}.py"), name) == []


PROGRAM = '''
a = 1  #! race #-
#+ b = 1
if a:
    #+ c = 2  #? race note
    d = 3  #! bounds
SOURCE = r"""
x = 1;  //-
//+ y = 1;
z = 1;  //? race note //! race
"""
'''


def list_marks(variant):
    return sorted(
        (line, mark.kind, mark.severity, mark.required)
        for line, marks in variant.marks.items()
        for mark in marks
    )


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return path


def test_a_program_has_a_variant_with_the_mistake(program):
    variant = read_wrong(program)
    lines = ["", "a = 1", "if a:", "    d = 3", 'SOURCE = r"""', "x = 1;", "z = 1;", '"""', ""]
    assert variant.text.split("\n") == lines
    assert list_marks(variant) == [
        (2, "race", "error", True),
        (4, "bounds", "error", True),
        (7, "race", "error", True),
        (7, "race", "note", False),
    ]
    assert variant.cpp_offset == 4


def test_a_program_has_a_variant_with_the_fix(program):
    variant = read_fixed(program)
    start = ["", "b = 1", "if a:", "    c = 2", "    d = 3", 'SOURCE = r"""', "y = 1;", "z = 1;"]
    assert variant.text.split("\n")[:8] == start
    assert list_marks(variant) == [(4, "race", "note", False)]


def find(kind, severity, *places):
    accesses = [SimpleNamespace(file=file, line=line) for file, line in places]
    return SimpleNamespace(kind=kind, severity=severity, lint="", accesses=accesses)


def test_findings_agree_with_marks_of_their_kind(program):
    variant, file = read_wrong(program), str(program)
    race = find("race", "error", (file, 2), ("<cuda source>", 3))  # line 7 of the file
    wrong_index = find("bounds", "error", (file, 4))
    assert disagreements([race, wrong_index], program, variant) == []
    (missing,) = disagreements([race], program, variant)
    assert missing == "line 4: no finding of kind bounds names it"
    (other,) = disagreements([race, wrong_index, find("race", "note", (file, 2))], program, variant)
    assert other == "race note of lines [2]: line 2 is not marked"
