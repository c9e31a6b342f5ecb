"""Generates a table of kernel expressions for cupyx.jit with their values, as computed by a C++ compiler.

    python tests/python/c_expressions.py > tests/python/c_expressions.csv       needs g++

Each line has the expression in Python, "i" or "f" for an integer or a float, and its value.
"""

import csv
import random
import subprocess
import sys
import tempfile
from pathlib import Path

# By type: the name of a variable, or an element of an array, and its value.
values = {
    "int8": ("b", -100),
    "uint8": ("B", 200),
    "int16": ("h", -30000),
    "uint16": ("H", 60000),
    "int32": ("i", -2000000001),
    "uint32": ("I", 4000000003),
    "int64": ("q", -9000000000000000007),
    "uint64": ("Q", 17000000000000000005),
    "float32": ("f", 2.75),
    "float64": ("d", -1234.5625),
}
_c_types = {
    "int8": "signed char",
    "uint8": "unsigned char",
    "int16": "short",
    "uint16": "unsigned short",
    "int32": "int",
    "uint32": "unsigned",
    "int64": "long",
    "uint64": "unsigned long",
    "float32": "float",
    "float64": "double",
}
_literals = {
    "7": "7",
    "-3": "-3",
    "2147483647": "2147483647",
    "3000000000": "3000000000L",
    "0.5": "0.5f",
    "-2.25": "-2.25f",
}
_integers = "bBhHiIqQ"
# The meaning of CuPy's operators that C does not have.
_prelude = r"""
#include <cmath>
#include <cstdio>
#include <type_traits>
template <class A, class B> using common = decltype(A() + B());
template <class T> constexpr bool real = std::is_floating_point_v<T>;
template <class A, class B> auto divide(A a, B b) {
  using T = std::conditional_t<real<common<A, B>>, common<A, B>, double>;
  return T(a) / T(b);
}
template <class A, class B> common<A, B> floor_divide(A x, B y) {
  common<A, B> a = x, b = y;
  if constexpr (real<common<A, B>>)
    return std::floor(a / b);
  else
    return b == 0 ? 0 : a / b - ((a % b != 0) && ((a < 0) != (b < 0)));
}
template <class A, class B> common<A, B> modulo(A x, B y) {
  common<A, B> a = x, b = y;
  return b == 0 ? 0 : a - floor_divide(a, b) * b;
}
template <class A, class B> common<A, B> smaller(A a, B b) { return common<A, B>(a) < common<A, B>(b) ? a : b; }
template <class A, class B> common<A, B> larger(A a, B b) { return common<A, B>(a) > common<A, B>(b) ? a : b; }
template <class T> void show(T x) {
  if constexpr (real<T>)
    std::printf("f %.17g\n", double(x));
  else
    std::printf("i %ld\n", long(x));
}
"""


class Expression:
    """python, c: the text in each language. is_bool, is_real: what is known about its type."""

    @property
    def is_constant(self):
        """CuPy computes constants as Python numbers."""
        return "[" not in self.python

    def __init__(self, python, c, is_bool=False, is_real=False):
        self.python, self.c, self.is_bool, self.is_real = python, c, is_bool, is_real


def _leaf(rng, integer=False):
    if rng.random() < 0.25:
        text = rng.choice([t for t in _literals if not integer or "." not in t])
        return Expression(f"({text})", f"({_literals[text]})", is_real="." in text)
    name = rng.choice(_integers if integer else [v[0] for v in values.values()])
    return Expression(f"{name}[0]", name, is_real=name in "fd")


def _number(rng, depth, integer=False):
    """An expression that is not a bool and not a constant, except for a literal."""
    while (made := _expression(rng, depth, integer)).is_bool or (depth and made.is_constant):
        pass
    return made


def _expression(rng, depth, integer=False):
    if depth == 0:
        return _leaf(rng, integer)
    kinds = ["arithmetic"] * 5 + [
        "floor",
        "shift",
        "bits",
        "unary",
        "invert",
        "compare",
        "choose",
        "extreme",
    ]
    kind = rng.choice(kinds + ([] if integer else ["divide", "logic"]))
    a = _number(rng, depth - 1, integer or kind in ("shift", "bits", "invert"))
    if a.is_constant and kind in ("unary", "invert", "shift"):
        return a
    if kind in ("unary", "invert"):
        op = "~" if kind == "invert" else "-"
        return Expression(f"({op}{a.python})", f"({op}{a.c})", is_real=a.is_real)
    if kind == "shift":
        op, by = rng.choice(["<<", ">>"]), rng.choice([1, 3, 16])
        return Expression(f"({a.python} {op} {by})", f"({a.c} {op} {by})")
    b = _number(rng, depth - 1, integer or kind == "bits")
    if a.is_constant and b.is_constant:
        return a
    real = a.is_real or b.is_real
    if kind == "bits":
        op = rng.choice("&|^")
        return Expression(f"({a.python} {op} {b.python})", f"({a.c} {op} {b.c})")
    if kind == "compare":
        op = rng.choice(["<", "<=", ">", ">=", "==", "!="])
        return Expression(f"({a.python} {op} {b.python})", f"({a.c} {op} {b.c})", is_bool=True)
    if kind == "logic":
        op, c_op = rng.choice([("and", "&&"), ("or", "||")])
        return Expression(f"({a.python} {op} {b.python})", f"({a.c} {c_op} {b.c})", is_bool=True)
    if kind == "divide":
        return Expression(f"({a.python} / {b.python})", f"divide({a.c}, {b.c})", is_real=True)
    if kind == "floor":
        # Of floats a % b is a difference of large numbers, in which a fused multiply-add shows.
        op, name = rng.choice([("//", "floor_divide")] + ([] if real else [("%", "modulo")]))
        return Expression(f"({a.python} {op} {b.python})", f"{name}({a.c}, {b.c})", is_real=real)
    if kind == "extreme":
        op, name = rng.choice([("min", "smaller"), ("max", "larger")])
        return Expression(f"{op}({a.python}, {b.python})", f"{name}({a.c}, {b.c})", is_real=real)
    if kind == "choose":
        x, y = _leaf(rng), _leaf(rng)
        return Expression(
            f"({a.python} if {x.python} < {y.python} else {b.python})",
            f"({x.c} < {y.c} ? {a.c} : {b.c})",
            is_real=real,
        )
    op = rng.choice("+-*")
    return Expression(f"({a.python} {op} {b.python})", f"({a.c} {op} {b.c})", is_real=real)


def generate(count, seed):
    """Different expressions with one variable each: (Python text, C text)."""
    rng = random.Random(seed)
    found = {}
    while len(found) < count:
        made = _expression(rng, rng.choice([1, 1, 2, 2, 3]))
        if "[" in made.python:
            found.setdefault(made.python, made.c)
    return found


def compute(expressions):
    """Their values as text: "i" or "f", and the number."""
    variables = "".join(
        f"volatile {_c_types[t]} {name} = {repr(v) + ('UL' if t == 'uint64' else '')};\n"
        for t, (name, v) in values.items()
    )
    lines = "".join(f"  show({c});\n" for c in expressions)
    # Each variable is read as a value, without volatile.
    reads = "".join(f"  {_c_types[t]} {n} = ::{n};\n" for t, (n, _) in values.items())
    with tempfile.TemporaryDirectory() as folder:
        source, program = Path(folder, "e.cpp"), Path(folder, "e")
        source.write_text(f"{_prelude}{variables}int main() {{\n{reads}{lines}}}\n")
        options = ["-std=c++17", "-O0", "-fwrapv", "-ffp-contract=off", "-w"]
        subprocess.run(["g++", *options, str(source), "-o", str(program)], check=True)
        return subprocess.run([program], check=True, capture_output=True, text=True).stdout.split(
            "\n"
        )


if __name__ == "__main__":
    expressions = generate(500, seed=1)
    results = compute(expressions.values())
    writer = csv.writer(sys.stdout, lineterminator="\n")
    for text, result in zip(expressions, results, strict=False):
        writer.writerow([text, *result.split()])
