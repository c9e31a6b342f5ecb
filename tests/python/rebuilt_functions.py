"""A program for any supported Python version: checks that functions rebuilt from their bytecode behave the same.

It needs no compiled part of heddle. It prints the functions that differ and how many are equal.
"""

import ast
import random
import sys
import warnings

from heddle.compiler.bytecode import CannotRebuild, rebuild_with_lines

FUNCTIONS = """
def k(x, a, b, f): return a if a < b else b
def k(x, a, b, f): return 0 < a < b <= 5
def k(x, a, b, f): return (a or b, a and b, not a, a is None)
def k(x, a, b, f): x[a % 3] += f(a) if b else f(b)
def k(x, a, b, f): x[0], x[1] = x[1], x[0]
def k(x, a, b, f): a, b = b, a; return a, b
def k(x, a, b, f): a, b = f(1), f(2); return a, b
def k(x, a, b, f): a = x[0] = b = f(3); return a, b
def k(x, a, b, f): (a, b), *c = (1, 2), 3, 4; return a, b, c
def k(x, a, b, f): _, _ = a, b; return _
def k(x, a, b, f): x[1:] = x[:2]; return x[::2], x[a:b]
def k(x, a, b, f): return f(x[0], *x, c=a, d=b)
def k(x, a, b, f): return [a, b, *x], (a, *x), {a, b}, {"a": a, "b": b}
def k(x, a, b, f): return f"{a!r:>5}{b}", -2 ** 2, (-2) ** 2, 1 - -1j, +a, ~a
def k(x, a, b, f): return (lambda y, z=a: y + z if y else b)(b)
def k(x, a, b, f): global unused; unused = a; return unused
def k(x, a, b, f): del x[0]; return (a := f(a)) + a
def k(x, a, b, f): assert a < b, f(a)
def k(x, a, b, f): return a in (1, 2), a not in x, a is not b
---
def k(x, a, b, f):
    while a < 5 and not (x[0] > 3 or b == 2):
        if a == 3:
            a += 2
            continue
        for i in range(3):
            if i < a < 4:
                break
            x[i] += f(i) if a else b
        else:
            a += 1
        a += 1
    return a
---
def k(x, a, b, f):
    while True:
        a += 1
        if a > 9:
            break
        if a % 3:
            continue
        while a < 7:
            a += 2
            if f(a) == b:
                return a
    for i, (c, d) in enumerate(((1, 2), (3, a))):
        b += c * d
        if b > 20:
            raise ValueError(b)
    return b
---
def k(x, a, b, f):
    def inner(c):
        nonlocal a
        a += c
        for i in x:
            if i:
                return i
        return c
    return inner(b), a
---
def k(x, a, b, f):
    for i in x:
        for j in range(a):
            break
        x[0] = i
    else:
        if a:
            return 1
        elif b:
            pass
        else:
            return 2
    for i in x:
        return i
"""


class Generator:
    """Writes functions of random statements. They terminate: every loop tests ``t`` or iterates over a few items."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.calls = self.loops = 0
        self.left = 25

    def function(self):
        blocks = [line for _ in range(3) for line in self.block(1)]
        return "\n".join(["def k(x, a, b, c, d, f, t):", *blocks])

    def one_of(self, *makers):
        return self.random.choice(makers)()

    def variable(self):
        return self.random.choice("abcd")

    def call(self, depth):
        self.calls += 1
        return f"f({self.calls}, {self.variable()})"

    def value(self, depth=0):
        if depth > 1 or self.random.random() < 0.4:
            return self.one_of(
                self.variable,
                lambda: str(self.random.randint(-3, 6)),
                lambda: f"x[{self.variable()} % 5]",
                lambda: self.call(depth),
            )
        one, two, test = self.value(depth + 1), self.value(depth + 1), self.test(depth + 1)
        return self.one_of(
            lambda: f"({one} {self.random.choice('+-&|^')} {two})",
            lambda: f"({one} if {test} else {two})",
            lambda: f"({one} {self.random.choice(['and', 'or'])} {two})",
            lambda: f"({self.variable()} := {one})",
            lambda: f"max({one}, *({two}, 1), key=lambda q: q + {self.variable()} if q else 3)",
            lambda: f"sum(x[{one} % 3:{two} % 5 + 1])",
        )

    def test(self, depth=0):
        one, two = self.value(depth + 1), self.value(depth + 1)
        compared = f"{one} {self.random.choice(['<', '>', '==', '!=', '<='])} {two}"
        if depth > 1 or self.random.random() < 0.4:
            return compared
        other = self.test(depth + 1)
        return self.one_of(
            lambda: f"{compared} < {self.value(depth + 1)}",
            lambda: f"({compared} {self.random.choice(['and', 'or'])} {other})",
            lambda: f"not ({other})",
            lambda: f"({compared} if {other} else {one})",
        )

    def block(self, indent):
        lines = []
        for _ in range(self.random.randint(1, 3)):
            made = self.statement(indent)
            lines += ["    " * indent + line for line in made[:1]] + made[1:]
        return lines

    def statement(self, indent):
        self.left -= 1
        kind = self.random.random()
        if indent > 4 or self.left < 0 or kind < 0.4:
            return [self.simple()]
        if kind < 0.6:
            other = ["    " * indent + "else:", *self.block(indent + 1)]
            return [
                f"if {self.test()}:",
                *self.block(indent + 1),
                *other * self.random.randint(0, 1),
            ]
        if kind < 0.7:
            leaves = ["break", "continue"] if self.loops else [f"return {self.value()}"]
            return [f"if {self.test()}: {self.random.choice(leaves)}"]
        self.loops += 1
        head = self.one_of(
            lambda: f"for {self.variable()} in range({self.value(1)} % 4):",
            lambda: (
                f"for {self.variable()}, x[{self.variable()} % 5] in ((1, 2), (3, {self.value(1)})):"
            ),
            lambda: f"while t() and {self.test()}:",
            lambda: "while t():",
        )
        body = self.block(indent + 1)
        self.loops -= 1
        return [head, *body]

    def simple(self):
        one, two, test = self.value(), self.value(), self.test()
        return self.one_of(
            lambda: f"{self.variable()} = {one}",
            lambda: f"x[{two} % 5] += {one}",
            lambda: f"{self.variable()}, {self.variable()} = {one}, {two}",
            lambda: f"{self.variable()} = x[{two} % 5] = {one}",
            lambda: f"assert {test}, {one}",
            lambda: one,
        )


def outcome(text, *arguments):
    """The result or exception of a function, the calls it makes, and the contents of its list afterwards."""
    names, calls, left = {}, [], iter(range(60))

    def f(*values, **named):
        calls.append((values, named))
        return values[-1] if len(calls) % 2 else len(calls)

    x = [1, 2, 3, 0, -1]
    functions = (f, lambda: next(left, 0)) if len(arguments) == 4 else (f,)
    try:
        exec(text, names)
        result = names["k"](x, *arguments, *functions)
    except (
        ArithmeticError,
        AssertionError,
        LookupError,
        TypeError,
        ValueError,
        NameError,
    ) as error:
        result = type(error), error.args
    return repr((result, calls, x))


def is_same(text, arguments):
    names = {}
    exec(text, names)
    again = ast.unparse(rebuild_with_lines(names["k"].__code__)[0])
    return all(outcome(text, *values) == outcome(again, *values) for values in arguments)


def main():
    warnings.simplefilter("ignore")
    lines, *blocks = FUNCTIONS.split("---\n")
    written = [*lines.strip().splitlines(), *blocks]
    generated = [Generator(seed).function() for seed in range(int(sys.argv[1]))]
    same = 0
    for text in [*written, *generated]:
        values = [(1, 2), (0, 5), (-3, 0)] if text in written else [(1, 2, 3, 4), (0, -1, 2, 0)]
        try:
            if is_same(text, values):
                same += 1
            else:
                print(f"differs:\n{text}")
        except CannotRebuild as reason:
            print(f"{reason}:\n{text}")
    print(same, "are the same")


main()
