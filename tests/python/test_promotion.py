"""numba's promotion table, every row: the types of scalar expressions."""

import numpy as np
import pytest
from oracle import read_table

from heddle import _heddle, cuda
from heddle.errors import TypingError

functions = {
    "add": lambda a, b: a + b,
    "truediv": lambda a, b: a / b,
    "floordiv": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
    "pow": lambda a, b: a**b,
    "and_": lambda a, b: a & b,
    "lshift": lambda a, b: a << b,
    "rshift": lambda a, b: a >> b,
    "lt": lambda a, b: a < b,
    "neg": lambda a: -a,
    "invert": lambda a: ~a,
    "abs": lambda a: abs(a),
    "round": lambda a: round(a),
    "int": lambda a: int(a),
    "float": lambda a: float(a),
}
device_functions = {name: cuda.jit(device=True)(function) for name, function in functions.items()}


def name_of(row):
    return "-".join(filter(None, row))


def types_of(row):
    return [
        _heddle.scalar_types["boolean" if name == "bool" else name] for name in row[1:3] if name
    ]


def kernel_that_shows_the_type_of(op):
    """A kernel that cannot be compiled: the message shows the type of the expression."""
    f = device_functions[op]
    if op in ("neg", "invert", "abs", "round", "int", "float"):

        @cuda.jit
        def show(a):
            f(a).type

        return show

    @cuda.jit
    def show(a, b):
        f(a, b).type

    return show


def type_in_a_kernel(row):
    with pytest.raises(TypingError) as error:
        kernel_that_shows_the_type_of(row[0]).compile(tuple(types_of(row)))
    message = str(error.value).splitlines()[0]
    return message.split(": ")[1].split()[0] if "has no attribute 'type'" in message else "ERR"


@pytest.mark.parametrize("row", read_table(), ids=name_of)
def test_an_expression_in_a_kernel_has_numbas_type(row):
    assert type_in_a_kernel(row) == row[3]


literals = {
    "int64": lambda: 2**62,
    "int64 lowest": lambda: -9223372036854775808,
    "uint64": lambda: 2**63,
    "uint64 mask": lambda: 2**64 - 1,
    "uint64 shift": lambda: 1 << 63,
    "uint64 sum": lambda: 18446744073709551614 + 1,
    "float64": lambda: 2**-1,
    "float64 quotient": lambda: 1 / 3,
    "int64 zero": lambda: -7 // 2 * 0,
}


@pytest.mark.parametrize("name", literals)
def test_an_expression_of_literals_is_what_cpython_folds_it_to(device, name):
    f = cuda.jit(device=True)(literals[name])

    @cuda.jit
    def show():
        f().type

    @cuda.jit
    def k(out):
        out[0] = f()

    with pytest.raises(TypingError, match=f": {name.split()[0]} has no attribute"):
        show[1, 1]()
    out = np.zeros(1, name.split()[0])
    k[1, 1](out)
    assert out[0] == literals[name]()
