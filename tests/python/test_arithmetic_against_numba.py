"""The same operators compared with numba's compiler, if it is installed, and the few places where heddle differs."""

import numpy as np
import oracle
import pytest
from test_arithmetic import arithmetic, bitwise, comparison, operators_of, power, run, unary

numba = pytest.importorskip("numba")

functions = {
    arithmetic: lambda a, b: (a + b, a - b, a * b, a / b, a // b, a % b),
    bitwise: lambda a, b: (a & b, a | b, a ^ b, a << b, a >> b),
    comparison: lambda a, b: (a < b, a <= b, a > b, a >= b, a == b, a != b),
    power: lambda a, b: (a**b, 0),
}

integer_pairs = [("int8", "int8"), ("uint64", "uint64"), ("int64", "uint64"), ("uint16", "int32")]
pairs = [*integer_pairs, ("float32", "float32"), ("float64", "int64"), ("int16", "float32")]


def differs_on_purpose(op, a, b):
    """True if heddle defines a result that numba leaves to the machine, or keeps it exact.

    Shifts by a negative amount or by 64 and more: heddle gives an unbounded integer's result, as on a GPU; numba's is
    undefined.
    Exponents above 65536: integers wrap and keep their sign; numba computes with a float there, and refuses -2**63.
    Negative powers of floats that reach 0 on the way are infinite; numba raises ZeroDivisionError.
    The lowest integer divided by -1: wraps to itself, as on a GPU; numba gives 0.
    """
    if op == "floordiv" and isinstance(a, np.int64):
        return a == np.iinfo(np.int64).min and int(b) % 2**64 == np.iinfo(np.uint64).max
    if op in ("lshift", "rshift"):
        return not 0 <= b < 64
    return op == "pow" and (
        abs(int(b)) > 65536 or (isinstance(a, np.floating) and abs(a) < 1e-30 and b < 0)
    )


@pytest.mark.parametrize("a_type", [*oracle.signed, *oracle.unsigned])
def test_signs_of_integers_are_what_numba_gives(device, a_type):
    x = oracle.edge_values(a_type)
    neg, invert = np.zeros((2, x.size), oracle.result_type("neg", a_type))
    unary[1, 32](x, neg, invert)
    compiled = numba.njit(lambda a: (-a, ~a))
    for i, a in enumerate(x):
        assert (neg[i], invert[i]) == compiled(a), a


@pytest.mark.parametrize("kernel", functions, ids=lambda k: k.__name__)
@pytest.mark.parametrize("a_type, b_type", pairs)
def test_operators_give_what_numba_gives(device, kernel, a_type, b_type):
    if kernel is bitwise and "float" in a_type + b_type:
        pytest.skip("floats have no bitwise operators")
    values, outputs = run(kernel, a_type, b_type)
    compiled = numba.njit(error_model="numpy")(functions[kernel])
    for i, (a, b) in enumerate(values):
        if kernel is power and (not np.isfinite(b) or differs_on_purpose("pow", a, b)):
            continue
        for op, their in zip(operators_of(kernel), compiled(a, b)):
            if differs_on_purpose(op, a, b):
                continue
            ours = outputs[op][i]
            close = np.isclose(ours, their, rtol=1e-6, atol=0, equal_nan=True)
            assert ours == their or close, f"{a!r} {op} {b!r}: {ours!r}, numba has {their!r}"
