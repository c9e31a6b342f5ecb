"""Compiles functions of calls_numba.csv in a separate process: ``python compile_calls.py FIRST LAST [SEED]``.

Prints a JSON list with the result of each row from FIRST up to LAST: the name of the result's type, or "refused" and
the reason. With a seed, one argument of each call gets the type of another row's argument, chosen at random.
"""

import csv
import json
import linecache
import random
import sys
import warnings
from pathlib import Path

import heddle.compat
from heddle import _heddle

FOLDER = Path(__file__).parent
TABLE = FOLDER / "calls_numba.csv"
PRELUDE = FOLDER / "calls_numba_prelude.py"


def read_table():
    """The rows: dicts with group, types, numba (a type's name or "refused") and source."""
    with open(TABLE, newline="") as file:
        return list(csv.DictReader(file))


def load_prelude():
    """The names available to the functions. ``import numba`` gives heddle's modules."""
    heddle.compat.install()
    names = {"__name__": "prelude"}
    exec(compile(PRELUDE.read_text(), str(PRELUDE), "exec"), names)
    return names


def define_function(source, names, file):
    """The device function `f` that a row's source defines; its source is stored as that of a file would be."""
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    space = dict(names)
    exec(compile(source, file, "exec"), space)
    return space["cuda"].jit(device=True)(space["f"])


def evaluate_types(row, names):
    return [eval(name, dict(names)) for name in filter(None, row["types"].split("; "))]


def replace_a_type(row, rows, choose):
    """The row with the type of one argument replaced by a type from another row."""
    types = row["types"].split("; ")
    others = choose.choice(rows)["types"].split("; ")
    types[choose.randrange(len(types))] = choose.choice(others)
    return row | {"types": "; ".join(filter(None, types))}


def name_result_type(row, names, file):
    """The name of the type that the row's function returns, or "refused" and the message."""
    try:
        function = define_function(row["source"], names, file)
        return _heddle.result_type(function, evaluate_types(row, names)).name
    except Exception as error:
        return f"refused: {type(error).__name__}: {error}"


if __name__ == "__main__":
    first, last, *seed = map(int, sys.argv[1:])
    warnings.simplefilter("ignore", SyntaxWarning)  # `x is 1`
    names = load_prelude()
    table = read_table()
    rows = table[first:last]
    if seed:
        choose = random.Random(seed[0])
        rows = [replace_a_type(row, table, choose) for row in rows]
    json.dump(
        [name_result_type(row, names, f"<row {first + i}>") for i, row in enumerate(rows)],
        sys.stdout,
    )
