"""Random C++ functions with gotos into and out of loops, case labels inside loops, and early returns.

A function computes with unsigned integers and always terminates: each loop and each goto uses up `fuel` and stops
without it. It has the same meaning for every compiler: no signed overflow, no division by zero, no index out of bounds.
In a *uniform* program all threads of a block compute the same values, so barriers may appear anywhere.
"""

import random
from dataclasses import dataclass

from control_flow_in_ptx import write_ptx_function

VARIABLES = "abcde"
WORDS = 4  # of output per thread


@dataclass
class Program:
    seed: int
    uniform: bool
    source: str  # the function p<seed>(t, o) and the functions it calls


def generate_program(seed):
    rng = random.Random(f"control flow {seed}")
    uniform = rng.random() < 0.35
    functions = []
    helper = f"h{seed}" if rng.random() < 0.4 else None
    if helper and rng.random() < 0.4:
        functions.append(write_ptx_function(rng, helper, rng.randint(3, 30)))
    elif helper:
        writer = Writer(rng, uniform, budget=rng.randint(3, 12), fuel=rng.randint(3, 15))
        functions.append(writer.write_function(helper))
    writer = Writer(rng, uniform, rng.randint(4, 50), rng.randint(5, 150), helper)
    functions.append(writer.write_function(f"p{seed}"))
    return Program(seed, uniform, "".join(functions))


class Place:
    """The statements that are allowed here."""

    def __init__(self, depth=0, breaks=False, continues=False, cases=None, labels=True):
        self.depth = depth
        self.breaks = breaks
        self.continues = continues
        self.cases = cases  # the case labels that the enclosing switch does not have yet
        self.labels = labels

    def inside(self, **changes):
        return Place(**{**vars(self), "depth": self.depth + 1, **changes})


class Writer:
    """Writes one function."""

    def __init__(self, rng, uniform, budget, fuel, helper=None):
        self.rng = rng
        self.uniform = uniform
        self.budget = budget
        self.fuel = fuel
        self.helper = helper
        self.lines = []
        self.labels = [f"L{i}" for i in range(rng.choice([0, 0, 1, 2, 3, 4, 6]))]
        self.unplaced = list(self.labels)
        rng.shuffle(self.unplaced)

    def write_function(self, name):
        rng = self.rng
        starts = ", ".join(
            f"{v} = t * {rng.choice([0, 1, 3, 77])} + {rng.randrange(99)}u" for v in VARIABLES
        )
        fuel = f"fuel = {self.fuel} + t % {rng.choice([1, 3, 7])}"
        self.lines = [
            f"FUNCTION unsigned {name}(unsigned t, unsigned* o) {{",
            f"unsigned {starts}, {fuel}, m[4] = {{1, t, 3, 4}};",
        ]
        if self.helper:
            self.lines.append(f"a ^= {self.helper}(t, o);")
        place = Place()
        while self.budget > 0:
            self.write_statements(place)
        while self.unplaced:
            self.lines.append(f"{self.unplaced.pop()}:;")
            self.write_statement(place)
        self.lines += [
            "return a + 3 * b + 5 * c + 7 * d + 9 * e + m[0] + 2 * m[1] + 4 * m[2] + 8 * m[3];",
            "}",
            "",
        ]
        return "\n".join(self.lines)

    # Expressions

    def make_value(self, depth=0):
        rng = self.rng
        if depth > 2 or rng.random() < 0.35:
            leaf = rng.randrange(10)
            if leaf < 6:
                return rng.choice(VARIABLES)
            if leaf < 7:
                return f"m[{rng.choice(['0', '3', f'{rng.choice(VARIABLES)} & 3'])}]"
            return f"{rng.choice([0, 1, 2, 3, 5, 31, 255, 0xFFFFFFFF])}u"
        x, y = self.make_value(depth + 1), self.make_value(depth + 1)
        kind = rng.randrange(12)
        if kind < 7:
            return f"({x} {rng.choice('+-*^&|+')} {y})"
        if kind < 8:
            return f"({x} {rng.choice(['>>', '<<'])} {rng.randrange(32)})"
        if kind < 9:
            return f"({x} {rng.choice('/%')} ({y} | 1))"
        if kind < 10:
            return f"({self.make_condition()} ? {x} : {y})"
        return f"({x} ^ {y})"

    def make_condition(self, depth=0):
        rng = self.rng
        x = rng.choice(VARIABLES)
        kind = rng.randrange(8)
        if kind < 2:
            return f"({x} & {rng.choice([1, 2, 3, 6])})"
        if kind < 4:
            return f"({x} % {rng.randint(2, 7)} {rng.choice(['==', '!=', '<', '>'])} {rng.randrange(4)})"
        if kind < 5:
            return f"({x} < {self.make_value(2)})"
        if kind < 6:
            return f"({x} {rng.choice(['==', '!='])} {rng.choice(VARIABLES)})"
        if depth < 2 and kind < 7:
            return f"({self.make_condition(depth + 1)} {rng.choice(['&&', '||'])} {self.make_condition(depth + 1)})"
        return f"!({x} & {rng.choice([1, 2, 4])})"

    # Statements

    def write_statements(self, place):
        for _ in range(self.rng.choice([1, 1, 2, 3])):
            self.write_statement(place)

    def write_block(self, place):
        self.write_statements(place)
        self.lines.append("}")

    def write_statement(self, place):
        rng = self.rng
        self.budget -= 1
        if place.labels and self.unplaced and rng.random() < 0.3:
            self.lines.append(f"{self.unplaced.pop()}:;")
        if place.cases and rng.random() < 0.45:
            self.lines.append(f"{place.cases.pop()}:;")
        if self.budget < 0 or place.depth > 5:
            return self.write_assignment(place)
        rng.choice(STATEMENTS)(self, place)

    def write_assignment(self, place):
        rng = self.rng
        target = rng.choice([*VARIABLES, "m[0]", f"m[{rng.choice(VARIABLES)} & 3]"])
        if rng.random() < 0.12:
            target = f"o[{rng.choice(VARIABLES)} & 3]"
        operator = rng.choice(["=", "+=", "+=", "^=", "^=", "-="])
        value = self.make_value()
        if self.helper and rng.random() < 0.1:
            value = f"{self.helper}({value}, o)"
        self.lines.append(f"{target} {operator} {value};")

    def write_step(self, place):
        self.lines.append(f"{self.rng.choice(VARIABLES)}{self.rng.choice(['++', '--'])};")

    def write_branch(self, place):
        self.lines.append(f"if ({self.make_condition()}) {{")
        self.write_statements(place.inside())
        if self.rng.random() < 0.4:
            self.lines.append("} else {")
            self.write_statements(place.inside())
        self.lines.append("}")

    def write_while_loop(self, place):
        self.lines.append(f"while (FUEL && {self.make_condition()}) {{")
        self.write_block(place.inside(breaks=True, continues=True))

    def write_do_loop(self, place):
        self.lines.append("do {")
        self.write_statements(place.inside(breaks=True, continues=True))
        self.lines.append(f"}} while (FUEL && {self.make_condition()});")

    def write_for_loop(self, place):
        counter = self.rng.choice(VARIABLES)
        self.lines.append(
            f"for ({counter} = 0; FUEL && {counter} < {self.rng.randint(1, 9)}; ++{counter}) {{"
        )
        self.write_block(place.inside(breaks=True, continues=True))

    def write_endless_loop(self, place):
        leave = self.rng.choice(["break", f"return {self.make_value(1)}"])
        self.lines.append(f"for (;;) {{ if (!FUEL) {leave};")
        self.write_block(place.inside(breaks=True, continues=True))

    def write_switch(self, place):
        rng = self.rng
        n = rng.randint(1, 6)
        cases = [f"case {i}" for i in range(n)]
        selector = f"{rng.choice(VARIABLES)} % {n + rng.randrange(2)}u"
        if rng.random() < 0.1:
            selector, far = f"{self.make_value()}", rng.choice([100, 0x80000000, 0xFFFFFFFF])
            cases.append(f"case {far}u")
        elif rng.random() < 0.1:
            selector = f"(unsigned long long){selector} << 33"
            cases = [f"case {i << 33}ull" for i in range(n)]
        elif rng.random() < 0.1:
            cases[-1] = f"case {n - 1} ... 200"
        if "% 0u" in selector:
            selector = "0u"
        if rng.random() < 0.6:
            cases.append("default")
        rng.shuffle(cases)
        self.lines.append(f"switch ({selector}) {{")
        inside = place.inside(breaks=True, cases=cases)
        for _ in range(rng.randint(1, 4)):
            if cases and rng.random() < 0.7:
                self.lines.append(f"{cases.pop()}:;")
            self.write_statements(inside)
            if rng.random() < 0.4:
                self.lines.append("break;")
        self.lines.append("}")

    def write_goto(self, place):
        if not self.labels:
            return self.write_assignment(place)
        label = self.rng.choice(self.labels)
        if self.rng.random() < 0.7:
            self.lines.append(f"if (FUEL && {self.make_condition()}) goto {label};")
        else:
            self.lines.append(f"if (!FUEL) return {self.make_value(1)}; goto {label};")

    def write_exit(self, place):
        ways = [f"return {self.make_value(1)};"]
        if place.breaks:
            ways += ["break;"] * 2
        if place.continues:
            ways += ["continue;"] * 2
        way = self.rng.choice(ways)
        self.lines.append(
            f"if ({self.make_condition()}) {way}" if self.rng.random() < 0.85 else way
        )

    def write_statement_expression(self, place):
        result = self.rng.choice(VARIABLES)
        self.lines.append(f"{result} ^= ({{ unsigned r = {self.make_value(1)};")
        self.write_statements(place.inside(breaks=False, continues=False, cases=None, labels=False))
        self.lines.append(f"r + {self.rng.choice(VARIABLES)}; }});")

    def write_exchange(self, place):
        if not self.uniform:
            return self.write_assignment(place)
        way = self.rng.choice(["MEET", "MEET", "EXCHANGE"])
        self.lines.append(f"{way}({self.rng.choice(VARIABLES)});")


STATEMENTS = (
    [Writer.write_assignment] * 5
    + [Writer.write_branch] * 3
    + [Writer.write_goto] * 4
    + [Writer.write_switch] * 3
    + [Writer.write_exit] * 2
    + [
        Writer.write_while_loop,
        Writer.write_do_loop,
        Writer.write_for_loop,
        Writer.write_endless_loop,
    ]
    * 1
    + [Writer.write_step, Writer.write_statement_expression]
    + [Writer.write_exchange] * 2
)
