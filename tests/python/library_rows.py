"""The rows of the compiler's function tables, for tests that cover every row."""

from heddle import _heddle

ROWS = [row for row in _heddle.library() if row["in_kernels"]]


def names_in(module):
    """The names in ``module`` ("math", "numpy", "operator") that kernels support."""
    return [
        row["name"].removeprefix(module + ".")
        for row in ROWS
        if row["name"].startswith(module + ".")
    ]
