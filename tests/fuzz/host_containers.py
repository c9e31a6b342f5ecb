"""Compares random functions of lists, dicts, sets and strings in heddle.njit with Python and sometimes with numba.njit:
python tests/fuzz/host_containers.py --count 500 --jobs 4 --numba 50.

Each seed makes a function of numbers, strings, lists (also of strings, tuples and lists), dicts and sets, which may
raise, and its arguments: numbers, a string, a list, a typed list and a typed dict. The result, the changed arguments
and the class of an exception must be the same as in Python; afterwards, everything that heddle created must be freed.
--numba 50 also compares every 50th seed with numba, whose compiler takes seconds for such a function. The exit status
is 1 if anything failed.
"""

import gc
import os
import random
import re
import sys
import tempfile
from pathlib import Path

from host_functions import run_command_line

# Kinds of values, and the variables at the start of every function.
KINDS = {
    "i": "3",
    "t": "'ab'",
    "l": "[1, p]",
    "g": "[t0, 'x']",
    "u": "[(p, t0)]",
    "n": "[[1, 2], [p]]",
    "d": "{p: 1, 7: q}",
    "w": "{t0: 2}",
    "s": "{p, 5}",
}


class Writer:
    """Writes one function. A variable is a letter of KINDS and a number; r is a list, tl and td are typed
    containers."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []
        self.known = {kind: [] for kind in KINDS}
        self.known["i"] += ["p", "q"]
        self.known["t"].append("t0")
        self.known["l"] += ["r", "tl"]
        self.known["w"].append("td")
        self.fresh = 0
        # The kinds used in this function: with fewer of them, more functions are compared per second.
        self.kinds = self.random.sample(list(KINDS), 4)

    def pick(self, *choices):
        return self.random.choice(choices)

    def add(self, indent, text):
        self.lines.append("    " * indent + text)

    def make_expression(self, kind, depth=0):
        """An expression of that kind."""
        if depth > 2 or self.random.random() < 0.3:
            return self.random.choice(self.known[kind])
        return getattr(self, f"{kind}_expression")(
            lambda other: self.make_expression(other, depth + 1)
        )

    def pick_created(self, kind):
        """Picks a variable of that kind that the function creates, which excludes the typed containers tl and td."""
        return self.random.choice([name for name in self.known[kind] if name not in ("tl", "td")])

    def format_item(self, items, index, otherwise):
        return f"({items}[{index} % len({items})] if len({items}) > 0 else {otherwise})"

    def i_expression(self, e):
        items, words = self.random.choice(self.known["l"]), self.random.choice(self.known["g"])
        return self.pick(
            str(self.random.randint(-9, 30)),
            f"(({e('i')} {self.pick('+', '-', '*')} {e('i')}) % 1000)",
            f"({e('i')} {self.pick('//', '%')} {self.pick('3', '7', '11')})",
            self.format_item(items, e("i"), e("i")),
            self.format_item(items, e("i"), e("i")),
            f"len({e(self.pick('l', 't', 'g', 'u', 'd', 'w', 's', 'n'))})",
            f"{e('l')}.count({e('i')})",
            f"{items}.index({e('i')})" if self.random.random() < 0.2 else f"sum({e('l')})",
            f"{self.pick('min', 'max')}({e('l')})",
            f"{self.pick_created('d')}.get({e('i')}, {e('i')})",
            f"{self.random.choice(self.known['w'])}.get({e('t')}, {e('i')})",
            f"{self.pick_created('d')}[{e('i')}]" if self.random.random() < 0.2 else e("i"),
            f"{e('t')}.{self.pick('find', 'count')}({e('t')})",
            f"(ord({e('t')}[0]) if {self.make_condition()} else {e('i')})",
            f"int(str({e('i')}))",
            f"sum([len(z) for z in {words}])",
            f"sum([y * len(z) for y, z in {self.random.choice(self.known['u'])}])",
            f"sum([sum(z) for z in {self.random.choice(self.known['n'])}])",
            f"sum({e('s')})",
            f"({e('i')} if {self.make_condition()} else {e('i')})",
        )

    def make_condition(self):
        e = lambda kind: self.random.choice(self.known[kind])  # noqa: E731 - as in the others
        return self.pick(
            f"{e('i')} {self.pick('<', '<=', '==', '!=', '>')} {self.random.randint(-3, 12)}",
            f"{e('i')} in {e('l')}",
            f"{e('t')} in {e('g')}",
            f"{e('i')} not in {e('d')}",
            f"{e('t')} in {e('w')}",
            f"{e('i')} in {e('s')}",
            f"{e('t')} in {e('t')}",
            f"{e('t')} {self.pick('<', '==', '>=')} {e('t')}",
            f"{self.pick_created('l')} {self.pick('==', '!=')} {self.pick_created('l')}",
            f"{self.pick_created('s')} {self.pick('<=', '==', '>')} {self.pick_created('s')}",
            f"len({e('l')}) > {self.random.randint(0, 6)}",
            f"{e('t')}.{self.pick('startswith', 'endswith')}({e('t')})",
        )

    def make_slice_bounds(self):
        bound = lambda: self.pick("", "", str(self.random.randint(-5, 5)), "p")  # noqa: E731
        return f"{bound()}:{bound()}" + self.pick("", "", f":{self.pick(-2, -1, 1, 2)}")

    def t_expression(self, e):
        words = self.random.choice(self.known["g"])
        return self.pick(
            self.pick("''", "' a-b '", "'Hé-llo'", "'x,y,,z'", "'日本'"),
            f"({e('t')} + {e('t')})",
            f"({e('t')} * {self.random.randint(0, 3)})",
            f"{e('t')}[{self.make_slice_bounds()}]",
            f"str({e('i')})",
            f"{e('t')}.{self.pick('upper', 'lower', 'strip', 'title')}()",
            f"{e('t')}.replace({e('t')}, {self.pick(repr('z'), repr(''))})",
            f"{self.pick(repr('-'), repr(', '), repr(''))}.join({e('g')})",
            f"f'{{{self.random.choice(self.known['i'])}}}:{{{self.random.choice(self.known['t'])}}}'",
            self.format_item(words, e("i"), e("t")),
            f"({e('t')} if {self.make_condition()} else {e('t')})",
        )

    def l_expression(self, e):
        return self.pick(
            f"[{e('i')}, {e('i')}, {e('i')}]",
            f"[{e('i')} for a in {e('l')}]",
            f"[(a * {e('i')}) % 100 for a in {e('l')} if a % 2 == 0]",
            f"[a + b for a, b in zip({self.pick_created('l')}, {self.pick_created('l')})]",
            f"[a * b % 100 for a, b in enumerate({e('l')})]",
            f"({self.pick_created('l')} + {self.pick_created('l')})",
            f"({self.pick_created('l')} * {self.random.randint(0, 2)})",
            f"{self.pick_created('l')}[{self.make_slice_bounds()}]",
            f"{self.pick('sorted', 'list')}({e('l')})",
            f"sorted({e('s')})",
            f"list({self.pick_created('d')}.{self.pick('keys', 'values')}())",
            f"list(range({self.random.randint(0, 5)}))",
            f"[len(a) for a in {e('g')}]",
            f"[a for a, b in {e('u')}]",
            f"[a for b in {e('n')} for a in b]",
            f"{self.pick_created('l')}.copy()",
        )

    def g_expression(self, e):
        return self.pick(
            f"[{e('t')}, {e('t')}]",
            f"{e('t')}.split({self.pick(repr('-'), repr(','), '')})",
            f"[a.{self.pick('upper', 'strip')}() for a in {e('g')}]",
            f"[a for a in {e('t')}]",
            f"[str(a) for a in {e('l')}]",
            f"sorted({e('g')})",
            f"({e('g')} + {e('g')})",
            f"{e('g')}[{self.make_slice_bounds()}]",
            f"[a for a in {self.pick_created('w')}]",
        )

    def u_expression(self, e):
        return self.pick(
            f"[({e('i')}, {e('t')}), ({e('i')}, {e('t')})]",
            f"[(a, b) for a, b in zip({e('l')}, {e('g')})]",
            f"[(b, a) for a, b in {self.pick_created('w')}.items()]",
            f"sorted({e('u')})",
            f"[(a + 1, b + 'u') for a, b in {e('u')}]",
            f"{e('u')}[{self.make_slice_bounds()}]",
        )

    def n_expression(self, e):
        return self.pick(
            f"[{self.pick_created('l')}[:], {self.pick_created('l')}[:]]",
            f"[[a, {e('i')}] for a in {e('l')}]",
            f"[[b for b in range(a % 4)] for a in {e('l')}]",
            f"{e('n')}[{self.make_slice_bounds()}]",
            f"[sorted(a) for a in {e('n')}]",
        )

    def d_expression(self, e):
        return self.pick(
            f"{{{e('i')}: {e('i')}, {e('i')}: {e('i')}}}",
            f"{{a: b for b, a in enumerate({e('l')})}}",
            f"{{a % 5: {e('i')} for a in {e('l')}}}",
            f"{{len(a): b for a, b in {self.pick_created('w')}.items()}}",
            f"{self.pick_created('d')}.copy()",
        )

    def w_expression(self, e):
        return self.pick(
            f"{{{e('t')}: {e('i')}}}",
            f"{{a: len(a) for a in {e('g')}}}",
            f"{{str(a): b for a, b in {self.pick_created('d')}.items()}}",
        )

    def s_expression(self, e):
        return self.pick(
            f"{{{e('i')}, {e('i')}}}",
            f"set({self.pick_created('l')})",
            f"{{a % 6 for a in {e('l')}}}",
            f"({e('s')} {self.pick('|', '&', '-', '^')} {e('s')})",
        )

    def write_statement(self, indent):
        kind = self.random.choice(self.kinds)
        r, i, t = (
            self.random.random(),
            lambda: self.make_expression("i", 1),
            lambda: self.make_expression("t", 1),
        )
        if indent < 4 and r < 0.25:
            return self.write_compound_statement(indent)
        if r < 0.55:
            return self.write_assignment(indent, kind, indent == 1)
        items, numbers = self.random.choice(self.known["l"]), self.pick_created("l")
        words, pairs, rows = (
            self.pick_created("g"),
            self.pick_created("u"),
            self.pick_created("n"),
        )
        d, w, s = (
            self.pick_created("d"),
            self.random.choice(self.known["w"]),
            self.pick_created("s"),
        )
        self.add(
            indent,
            self.pick(
                f"{items}.append({i()})",
                f"{items}.insert({i()} % 4, {i()})",
                f"{numbers}.extend({self.pick_created('l')}[:5])",
                f"if len({items}) > {self.pick(0, 0, 1)}: {items}.pop({self.pick('', '0', '-1')})",
                f"if {i()} in {items}: {items}.remove({self.random.choice(self.known['i'])})",
                f"{items}.{self.pick('reverse', 'sort')}()",
                f"if len({items}) > 0: {items}[{self.pick('0', '-1')}] = {i()}",
                f"{numbers}[{self.random.randint(0, 2)}] = {i()}",
                f"{numbers} += {self.pick_created('l')}[:3]",
                f"{numbers}.clear()" if self.random.random() < 0.2 else f"{items}.append({i()})",
                f"{words}.append({t()})",
                f"{words}.sort()",
                f"{pairs}.append(({i()}, {t()}))",
                f"{pairs}.sort(reverse=True)",
                f"{rows}.append({numbers}[:4])",
                f"if len({rows}) > 0: {rows}[0].append({i()})",
                f"{d}[{i()}] = {i()}",
                f"{d}[{self.random.randint(0, 9)}] = {i()}",
                f"{d}.pop({i()}, 0)",
                f"{d}.setdefault({i()}, {i()})",
                f"{d}.update({self.pick_created('d')})",
                f"if {self.random.choice(self.known['i'])} in {d}: del {d}[{self.random.choice(self.known['i'])}]",
                f"{w}[{t()}] = {i()}",
                f"{w}[{t()}] = {w}.get({t()}, 0) + 1",
                f"{w}.pop({t()}, 0)",
                f"{s}.add({i()})",
                f"{s}.discard({i()})",
                f"{s}.remove({i()})"
                if self.random.random() < 0.2
                else f"{s}.update({numbers}[:4])",
                f"{self.pick_created('i')} = {i()}",
            ),
        )
        return None

    def write_assignment(self, indent, kind, is_new):
        cut = "[:24]" if kind in "tlgun" else ""
        value = f"({self.make_expression(kind)}){cut}"
        if kind == "l" and not cut:
            value = f"list{value}"
        if is_new:
            self.fresh += 1
            name = f"{kind}{self.fresh}"
        else:
            name = self.pick_created(kind)
        # The variable would get the type of a typed list.
        if any(typed in value for typed in ("(tl", "(td")) and kind in "lw":
            value = KINDS[kind]
        self.add(indent, f"{name} = {value}")
        if is_new:
            self.known[kind].append(name)

    def write_compound_statement(self, indent):
        number, text = f"a{indent}", f"b{indent}"
        head, names = self.pick(
            (f"if {self.make_condition()}:", {}),
            (f"if {self.make_condition()}:", {}),
            (f"for {number} in range({self.random.randint(1, 4)}):", {"i": number}),
            (f"for {number} in {self.random.choice(self.known['l'])}[:4]:", {"i": number}),
            (
                f"for {number}, {text} in enumerate({self.pick_created('g')}[:4]):",
                {"i": number, "t": text},
            ),
            (
                f"for {number}, {text} in {self.pick_created('u')}[:4]:",
                {"i": number, "t": text},
            ),
            (f"for {text} in {self.random.choice(self.known['t'])}[:5]:", {"t": text}),
            (
                f"for {text}, {number} in {self.pick_created('w')}.copy().items():",
                {"i": number, "t": text},
            ),
            (f"for {number} in sorted({self.pick_created('s')}):", {"i": number}),
            ("try:", {}),
        )
        self.add(indent, head)
        for kind, name in names.items():
            self.known[kind].append(name)
        for _ in range(self.random.randint(1, 3)):
            self.write_statement(indent + 1)
        for kind, name in names.items():
            self.known[kind].remove(name)
        if head == "try:":
            self.add(indent, "except Exception:")
            self.add(indent + 1, f"{self.pick_created('i')} = {self.random.randint(0, 9)}")
        elif head.startswith("for") and self.random.random() < 0.2:
            self.add(indent + 1, f"if {self.make_condition()}: {self.pick('break', 'continue')}")

    def write_source(self):
        self.add(0, "def f(p, q, t0, r, tl, td):")
        for kind, first in KINDS.items():
            self.fresh += 1
            self.add(1, f"{kind}{self.fresh} = {first}")
            self.known[kind].append(f"{kind}{self.fresh}")
        for _ in range(self.random.randint(1, 4)):
            self.write_statement(1)
        names = [self.pick_created(kind) for kind in self.kinds if kind != "s"]
        if "s" in self.kinds:
            names += [
                f"sorted({self.pick_created('s')})",
                self.pick_created("s"),
            ]
        self.add(1, f"return {', '.join(names)}")
        self.lines = [line for line in self.lines if not self.is_unused(line)]
        return "\n".join(self.lines) + "\n"

    def is_unused(self, line):
        """True if the line defines one of the first variables, which no other line uses."""
        name, _, value = line.strip().partition(" = ")
        others = "\n".join(other for other in self.lines if other != line)
        is_first = value in KINDS.values() and not line.startswith(" " * 8)
        return is_first and not re.search(rf"\b{name}\b", others)


def make_arguments(seed, typed):
    chance = random.Random(seed + 1_000_000)
    numbers = [chance.randint(-5, 20) for _ in range(chance.randint(1, 6))]
    items = [chance.randint(0, 9) for _ in range(chance.randint(1, 5))]
    words = {chance.choice(["a", "é", "ab", "日", "x-y"]): chance.randint(0, 9) for _ in range(3)}
    text = chance.choice(["", "a", "abc", "x,y-z", "éa日", "Hello World "])
    if typed:
        items, given = typed.List(items), words
        words = typed.Dict()
        for key, value in given.items():
            words[key] = value
    return chance.randint(-4, 9), chance.randint(0, 30), text, numbers, items, words


def to_python(value):
    """A result or an argument without numba's or heddle's classes, with True for a number that is a bool."""
    name = type(value).__name__
    if isinstance(value, tuple):
        return tuple(map(to_python, value))
    if name in ("list", "List"):
        return [to_python(item) for item in value]
    if name in ("dict", "Dict"):
        return [(to_python(key), to_python(item)) for key, item in value.items()]
    return sorted(value) if isinstance(value, set) else value


def call_and_record(function, seed, typed=None):
    arguments = make_arguments(seed, typed)
    try:
        result = "result", to_python(function(*arguments))
    except Exception as error:
        result = type(error).__name__, str(error)
    return *result, to_python(arguments)


def check_seed(seed, with_numba):
    """Compares the results of a seed's function. Returns a report of a failure; None if there is none."""
    import heddle
    from heddle._heddle import live_arrays

    source = Writer(seed).write_source()
    file = Path(tempfile.gettempdir()) / f"host_containers_{os.getpid()}.py"
    file.write_text(source)

    def made(decorate):
        names = {}
        exec(compile(source, str(file), "exec"), names)
        return decorate(names["f"])

    plain = call_and_record(made(lambda f: f), seed)
    gc.collect()
    gc.freeze()  # the collection after the call then examines only what the call created
    held = live_arrays()
    ours = call_and_record(made(heddle.njit), seed, heddle.typed)
    gc.collect()
    found = {"Python": plain, "heddle": ours}
    if live_arrays() != held:
        return format_report(seed, source, found | {"left": (live_arrays() - held, "", "")})
    if not is_same_outcome(ours, plain):
        return format_report(seed, source, found)
    if plain[0] == "result":
        print("compared", flush=True)
    if with_numba and seed % with_numba == 0:
        import numba

        theirs = call_and_record(made(numba.njit), seed, numba.typed)
        if theirs[0] not in ("TypingError", "UnsupportedError", "LoweringError"):
            if not is_same_outcome(ours, theirs) and not is_same_outcome(theirs, plain):
                print(f"numba differs from Python and heddle in seed {seed}", flush=True)
    return None


def is_same_outcome(a, b):
    """True if the results and the changed arguments are the same, or the classes of the exceptions."""
    return a[0] == b[0] and (a[0] != "result" or a[1:] == b[1:])


def format_report(seed, source, found):
    lines = [f"seed {seed}:", source]
    lines += [f"{who}: {what[0]}: {str(what[1:])[:900]}" for who, what in found.items()]
    return "\n".join(lines)


if __name__ == "__main__":
    os.environ.setdefault(
        "NUMBA_OPT", "3"
    )  # without its optimizer numba's code for containers crashes
    sys.exit(
        run_command_line(__file__, __doc__, lambda seed: Writer(seed).write_source(), check_seed)
    )
