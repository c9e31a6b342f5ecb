"""Operators on all pairs of scalar types, at values for which processors, C and Python disagree."""

import itertools

import numpy as np
import oracle
import pytest

from heddle import cuda


@cuda.jit
def arithmetic(x, y, add, sub, mul, truediv, floordiv, mod):
    i = cuda.grid(1)
    if i < x.size:
        add[i] = x[i] + y[i]
        sub[i] = x[i] - y[i]
        mul[i] = x[i] * y[i]
        truediv[i] = x[i] / y[i]
        floordiv[i] = x[i] // y[i]
        mod[i] = x[i] % y[i]


@cuda.jit
def bitwise(x, y, and_, or_, xor, lshift, rshift):
    i = cuda.grid(1)
    if i < x.size:
        and_[i] = x[i] & y[i]
        or_[i] = x[i] | y[i]
        xor[i] = x[i] ^ y[i]
        lshift[i] = x[i] << y[i]
        rshift[i] = x[i] >> y[i]


@cuda.jit
def comparison(x, y, lt, le, gt, ge, eq, ne):
    i = cuda.grid(1)
    if i < x.size:
        lt[i] = x[i] < y[i]
        le[i] = x[i] <= y[i]
        gt[i] = x[i] > y[i]
        ge[i] = x[i] >= y[i]
        eq[i] = x[i] == y[i]
        ne[i] = x[i] != y[i]


@cuda.jit
def unary(x, neg, invert):
    i = cuda.grid(1)
    if i < x.size:
        neg[i] = -x[i]
        invert[i] = ~x[i]


@cuda.jit
def power(x, y, pow):
    i = cuda.grid(1)
    if i < x.size:
        pow[i] = x[i] ** y[i]


def operators_of(kernel):
    return list(kernel.py_func.__code__.co_varnames[2 : kernel.py_func.__code__.co_argcount])


def run(kernel, a_type, b_type):
    """Run each operator of the kernel on all pairs of edge values; return the pairs and a dict of results."""
    pairs = list(itertools.product(oracle.edge_values(a_type), oracle.edge_values(b_type)))
    x = np.array([a for a, _ in pairs], a_type)
    y = np.array([b for _, b in pairs], b_type)
    outputs = {
        op: np.zeros(len(pairs), oracle.result_type(op, a_type, b_type))
        for op in operators_of(kernel)
    }
    kernel[-(-len(pairs) // 128), 128](x, y, *outputs.values())
    return pairs, outputs


def expected(op, a_type, b_type, pairs):
    values = [oracle.evaluate(op, a, a_type, b, b_type) for a, b in pairs]
    return np.array(values, oracle.result_type(op, a_type, b_type))


def describe(op, pairs, found, wanted, equal):
    return "\n".join(
        f"{a!r} {op} {b!r}: {f!r}, not {w!r}"
        for (a, b), f, w, same in zip(pairs, found, wanted, equal)
        if not same
    )


def check(kernel, a_type, b_type):
    pairs, outputs = run(kernel, a_type, b_type)
    for op, found in outputs.items():
        wanted = expected(op, a_type, b_type, pairs)
        equal = found == wanted
        if found.dtype.kind == "f":
            with np.errstate(all="ignore"):
                equal = found.view(f"i{found.itemsize}") == wanted.view(f"i{found.itemsize}")
                equal |= np.isnan(found) & np.isnan(wanted)
                if op == "pow":
                    equal |= np.isclose(
                        found, wanted, rtol=1e-6 if found.itemsize == 4 else 1e-14, atol=0
                    )
        assert equal.all(), describe(op, pairs, found, wanted, equal)


every_pair = list(itertools.product(oracle.scalars, repeat=2))
integral_pairs = list(itertools.product(oracle.integral, repeat=2))


@pytest.mark.parametrize("a_type, b_type", every_pair)
def test_arithmetic_is_numbas(device, a_type, b_type):
    check(arithmetic, a_type, b_type)


@pytest.mark.parametrize("a_type, b_type", integral_pairs)
def test_bitwise_operators_and_shifts_are_pythons(device, a_type, b_type):
    check(bitwise, a_type, b_type)


@pytest.mark.parametrize("a_type", [*oracle.signed, *oracle.unsigned])
def test_integers_are_negated_and_inverted_before_they_are_widened(device, a_type):
    x = oracle.edge_values(a_type)
    neg = np.zeros(x.size, oracle.result_type("neg", a_type))
    invert = np.zeros_like(neg)
    unary[1, 32](x, neg, invert)
    np.testing.assert_array_equal(neg, -x)
    np.testing.assert_array_equal(invert, ~x)


@pytest.mark.parametrize("a_type", oracle.signed)
def test_the_lowest_constant_is_its_own_negative(device, a_type):
    lowest = np.dtype(a_type).type(np.iinfo(a_type).min)

    @cuda.jit
    def k(out):
        out[0] = -lowest

    out = np.zeros(1, np.int64)
    k[1, 1](out)
    assert out[0] == lowest


def test_remainders_of_constants_near_the_limits_are_pythons(device):
    highest, lowest = 2**63 - 1, -(2**63)

    @cuda.jit
    def k(out):
        out[0] = highest % -3
        out[1] = lowest % 3
        out[2] = lowest % highest
        out[3] = highest % lowest

    out = np.zeros(4, np.int64)
    k[1, 1](out)
    assert list(out) == [highest % -3, lowest % 3, lowest % highest, highest % lowest]


SUMS_OF_SHIFTS = [
    form.format(left, right)
    for k in (1, 2, 5, 31, 32, 33, 40, 63)
    for left in (f"(x << {k})", f"(x * {-(2**k)})", f"-(x << {k})")
    for right in [f"(x >> {64 - k})"] + ["(x < 0)", "(-1 if x < 0 else 0)"] * (k == 1)
    for form in ("{} + {}", "{} - {}", "{1} - {0}")
]


@pytest.mark.parametrize("a_type", [np.int64, np.uint64])
def test_sums_and_differences_of_shifts_are_no_rotations(device, a_type):
    source = "def k(values, out):\n    i = cuda.grid(1)\n    x = values[i]\n"
    source += "".join(f"    out[{n}, i] = {text}\n" for n, text in enumerate(SUMS_OF_SHIFTS))
    names = {"cuda": cuda}
    exec(source, names)
    values = np.array([0, 1, -1, 5, -5, 2**31, -(2**31), 2**63 - 1, -(2**63), 0x123456789ABCDEF])
    out = np.zeros((len(SUMS_OF_SHIFTS), values.size), np.int64)
    cuda.jit(names["k"])[1, values.size](values.astype(a_type), out)
    for text, found in zip(SUMS_OF_SHIFTS, out, strict=True):
        numbers = [int(x) for x in values.astype(a_type)]
        wanted = [(eval(text, {"x": x}) + 2**63) % 2**64 - 2**63 for x in numbers]
        assert found.tolist() == wanted, text


@pytest.mark.parametrize("a_type, b_type", every_pair)
def test_comparisons_are_by_value(device, a_type, b_type):
    check(comparison, a_type, b_type)


@pytest.mark.parametrize("a_type, b_type", every_pair)
def test_powers_are_numbas(device, a_type, b_type):
    check(power, a_type, b_type)


def test_the_remainder_of_a_zero_by_nan_is_nan(device):
    """Also if the compiler knows that the zero is one."""

    @cuda.jit
    def k(p, out):
        zero = p * 0.0
        out[0] = zero % (zero // zero)

    out = np.zeros(1)
    k[1, 1](-5, out)
    assert np.isnan(out[0])
