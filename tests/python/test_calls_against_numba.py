"""Ten thousand small functions: each one that numba-cuda accepts compiles and returns a value of numba's type.

calls_numba.csv records what numba-cuda 0.30.4 does with each; calls_numba_exceptions.csv lists the differences and the
reasons.
"""

import csv
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from compile_calls import read_table

ROWS = read_table()
FOLDER = Path(__file__).parent
PROCESSES = 2
MOST_EXCEPTIONS = 150

# Values that have types in numba and are compile-time constants in heddle.
OBJECTS = (
    r"(class|dtype|Module|type|Enum class<\w+>|IntEnum class<\w+>)\(.*\)|Dim3|readonly bytes.*"
)
OTHER_NAMES = {
    "GridGroup": "grid_group",
    "...": "ellipsis",
    "void*": "none*",
    "str>)": "str",
    "slice<a:b>": "slice",
    "Literal[slice](slice(0, 2, None))": "slice(int64, int64, none)",
    "nestedarray(float32, (3,))": "array(float32, 1d, C)",
}


def read_exceptions():
    with open(FOLDER / "calls_numba_exceptions.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    return {(row["types"], row["source"]): row["reason"] for row in rows}


def heddles_name(name):
    """heddle's name for a type of numba; type objects themselves are not compared."""
    if re.fullmatch(OBJECTS, name):
        return "object"
    name = re.sub(r"range_(state|iter)_(\w+)", r"range(\2)", name)
    while (plain := re.sub(r"(?<!\w)(iter|array\.flat)\((.*)\)", _inner, name)) != name:
        name = plain
    name = re.sub(r"type\(CUDADispatcher\(<function \w+>\)\)", "object", name)
    name = re.sub(r"ArrayCTypes\(dtype=(.*), ndim=\d\)", r"\1*", name)
    name = re.sub(r"nditer\(.*inputs=\((.*)\)\)", _arrays_of, name)
    return OTHER_NAMES.get(name, name)


def _arrays_of(match):
    """The nditer of arrays that numba writes as Array(int32, 1, 'C', False, aligned=True)."""
    arrays = re.findall(r"Array\((\w+), (\d), '(\w)'", match[1])
    return "nditer(" + ", ".join(f"array({a}, {n}d, {layout})" for a, n, layout in arrays) + ")"


def _inner(match):
    """(the text in the parentheses of `match`, the text after them)"""
    depth, text = 0, match[2] + ")"
    for i, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth < 0:
            return text[:i] + text[i + 1 :]
    return match[0]


def elements_named(name):
    """The same type with each tuple's elements written out."""
    pattern = r"UniTuple\(((?:[^()]|\([^()]*\))*?) x (\d+)\)"
    while (plain := re.sub(pattern, _written_out, name)) != name:
        name = plain
    return name


def _written_out(match):
    return "Tuple(" + ", ".join([match[1]] * int(match[2])) + ")"


def same_type(heddle, numba):
    return elements_named(heddle) == elements_named(heddles_name(numba))


def compiled(*seed):
    """The result of each row, compiled in two processes."""
    bounds = [len(ROWS) * i // PROCESSES for i in range(PROCESSES + 1)]
    command = [sys.executable, str(FOLDER / "compile_calls.py")]
    started = [
        subprocess.Popen([*command, *map(str, (first, last, *seed))], stdout=subprocess.PIPE)
        for first, last in zip(bounds, bounds[1:])
    ]
    found = []
    for process in started:
        output = process.communicate(timeout=300)[0]
        assert process.returncode == 0, "a row of the table ended the process that compiled it"
        found += json.loads(output)
    return found


@pytest.fixture(scope="module")
def results():
    return compiled()


def differences(results):
    return {
        (row["types"], row["source"]): (row["numba"], result)
        for row, result in zip(ROWS, results, strict=True)
        if row["numba"] != "refused" and not same_type(result, row["numba"])
    }


@pytest.mark.parametrize("group", dict.fromkeys(row["group"] for row in ROWS))
def test_what_numba_accepts_has_numbas_type(results, group):
    known = read_exceptions()
    of_group = {(row["types"], row["source"]) for row in ROWS if row["group"] == group}
    unknown = {
        key: what for key, what in differences(results).items() if key in of_group - set(known)
    }
    assert unknown == {}


def test_every_exception_is_one_and_has_a_reason(results):
    known = read_exceptions()
    assert set(known) <= set(differences(results))
    assert all(known.values()) and len(known) <= MOST_EXCEPTIONS


def test_no_row_shows_the_inside_of_the_compiler(results):
    assert [result for result in results if "InternalError" in result] == []


def test_no_row_with_another_type_of_argument_shows_the_inside_of_the_compiler():
    """`python compile_calls.py FIRST LAST SEED` tries other types."""
    assert [result for result in compiled(473212) if "InternalError" in result] == []


@pytest.mark.parametrize(
    "numba, heddle",
    [
        ("range_state_int64", "range(int64)"),
        (
            "zip(iter(array(int32, 1d, C)), range_iter_int64)",
            "zip(array(int32, 1d, C), range(int64))",
        ),
        ("array.flat(array(complex64, 1d, A))", "array(complex64, 1d, A)"),
        ("UniTuple(UniTuple(int64 x 2) x 2)", "Tuple(Tuple(int64, int64), Tuple(int64, int64))"),
        ("class(float32)", "object"),
    ],
)
def test_names_of_types_are_compared_by_what_they_mean(numba, heddle):
    assert same_type(heddle, numba)


def test_other_types_are_others():
    assert not same_type("float32", "float64") and not same_type("refused: x", "float64")
