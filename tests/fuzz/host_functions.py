"""Compares random host functions in heddle.njit and numba.njit: python tests/fuzz/host_functions.py --count 500 --jobs
4.

Each seed makes a function of numbers and arrays (expressions, indexing, array expressions, reductions, loops, prange,
lists, exceptions) and its arguments; one in four is a generator, which is read up to some value. Results, changed
arrays and classes of exceptions must be the same; afterwards, arrays that heddle created must be freed. A difference is
printed with the source and the result of plain Python. Needs numba; the exit status is 1 if anything failed.
"""

import argparse
import ast
import faulthandler
import gc
import importlib.util
import itertools
import math
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from pathlib import Path

import numpy as np

SECONDS_PER_FUNCTION = 300
_relative = 1e-9


class Writer:
    """Writes one function. Names: i* int64, x* float64, v* float64 arrays, k* int64 arrays, all of length n."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []
        self.ints, self.floats = ["p", "q"], ["x", "y"]
        self.vectors, self.counts = ["v", "w"], ["k"]
        self.fresh = 0
        self.loops = 0
        self.yields = seed % 4 == 1

    def pick(self, *choices):
        return self.random.choice(choices)

    def make_name(self, kind):
        self.fresh += 1
        return f"{kind}{self.fresh}"

    def make_integer(self, depth=0):
        r = self.random
        if depth > 2 or r.random() < 0.25:
            return r.choice([str(r.randint(-6, 9)), *self.ints, "n"])
        a, b = (lambda: self.make_integer(depth + 1)), (lambda: self.make_real(depth + 1))
        return r.choice(
            [
                lambda: f"({a()} {self.pick('+', '-', '*')} {a()})",
                lambda: f"({a()} {self.pick('//', '%')} {a()})",
                lambda: f"({a()} {self.pick('&', '|', '^')} {a()})",
                lambda: f"({a()} >> {r.randint(0, 3)})",
                lambda: f"-{a()}" if r.random() < 0.5 else f"abs({a()})",
                lambda: f"{self.pick('min', 'max')}({a()}, {a()})",
                lambda: f"({a()} if {self.make_condition(depth + 1)} else {a()})",
                lambda: f"{r.choice(self.counts)}[{self.make_index(depth + 1)}]",
                lambda: f"{r.choice(self.counts)}.{self.pick('sum', 'min', 'max')}()",
                lambda: f"len({r.choice(self.vectors)})",
                lambda: f"{self.pick('np.argmax', 'np.argmin')}({r.choice(self.vectors)})",
                lambda: f"int({self.pick('math.floor', 'math.ceil')}({b()} % 50.0))",
                lambda: f"{r.choice(self.vectors)}[{r.choice(self.vectors)} > {b()}].size",
                lambda: f"np.searchsorted(np.sort({r.choice(self.vectors)}), {b()})",
            ]
        )()

    def make_index(self, depth):
        return f"{self.make_integer(depth)} % n"

    def make_real(self, depth=0):
        r = self.random
        if depth > 2 or r.random() < 0.2:
            return r.choice([f"{r.uniform(-4, 4):.3}", *self.floats])
        a, i = (lambda: self.make_real(depth + 1)), (lambda: self.make_integer(depth + 1))
        vector = lambda: self.make_vector(depth + 1)  # noqa: E731 - as the others
        return r.choice(
            [
                lambda: f"({a()} {self.pick('+', '-', '*')} {a()})",
                lambda: f"({a()} / {self.pick(a(), i())})",
                lambda: f"({a()} {self.pick('//', '%')} {a()})",
                lambda: f"({a()} + {i()})",
                lambda: f"({i()} / {i()})",
                lambda: f"math.sqrt(abs({a()}))",
                lambda: f"{self.pick('math.sin', 'np.cos', 'np.tanh', 'math.atan')}({a()})",
                lambda: f"({a()} if {self.make_condition(depth + 1)} else {a()})",
                lambda: f"{r.choice(self.vectors)}[{self.make_index(depth + 1)}]",
                lambda: f"{vector()}.{self.pick('sum', 'mean', 'min', 'max', 'std', 'prod')}()",
                lambda: f"{self.pick('np.sum', 'np.median', 'np.ptp', 'np.var')}({vector()})",
                lambda: f"np.dot({vector()}, {vector()})",
                lambda: f"m.{self.pick('sum', 'mean', 'max')}()",
                lambda: f"m[{i()} % m.shape[0], {i()} % m.shape[1]]",
                lambda: f"{r.choice(self.vectors)}[{self.make_slice()}].sum()",
            ]
        )()

    def make_slice(self):
        bound = lambda: self.pick(
            "", str(self.random.randint(-7, 7)), self.random.choice(self.ints)
        )  # noqa: E731
        return f"{bound()}:{bound()}" + self.pick("", "", f":{self.pick(-2, -1, 1, 2, 3)}")

    def make_condition(self, depth=0):
        r = self.random
        if depth > 2 or r.random() < 0.6:
            sides = [(self.make_integer, self.make_integer), (self.make_real, self.make_real)][
                r.random() < 0.5
            ]
            return f"({sides[0](depth + 1)} {self.pick('<', '<=', '==', '!=', '>')} {sides[1](depth + 1)})"
        return r.choice(
            [
                lambda: (
                    f"({self.make_condition(depth + 1)} {self.pick('and', 'or')} {self.make_condition(depth + 1)})"
                ),
                lambda: f"(not {self.make_condition(depth + 1)})",
                lambda: (
                    f"np.{self.pick('any', 'all')}({r.choice(self.vectors)} > {self.make_real(depth + 1)})"
                ),
                lambda: (
                    f"({self.make_integer(depth + 1)} in ({r.randint(0, 9)}, {r.choice(self.ints)}))"
                ),
            ]
        )()

    def make_vector(self, depth=0):
        r = self.random
        if depth > 2 or r.random() < 0.3:
            return r.choice(self.vectors)
        v, a = (lambda: self.make_vector(depth + 1)), (lambda: self.make_real(depth + 1))
        return r.choice(
            [
                lambda: f"({v()} {self.pick('+', '-', '*')} {v()})",
                lambda: f"({v()} {self.pick('+', '-', '*', '/')} {a()})",
                lambda: f"({v()} + {r.choice(self.counts)})",
                lambda: f"-{v()}",
                lambda: (
                    f"{self.pick('np.abs', 'np.sin', 'np.exp', 'np.floor', 'np.sign')}({v()} % 7.0)"
                ),
                lambda: f"np.where({v()} > {a()}, {v()}, {v()})",
                lambda: f"np.{self.pick('minimum', 'maximum')}({v()}, {v()})",
                lambda: f"{v()}[::-1]",
                lambda: f"np.{self.pick('cumsum', 'sort', 'copy', 'flip')}({v()})",
                lambda: f"np.clip({v()}, -1.5, {r.uniform(0, 3):.2})",
                lambda: f"np.roll({v()}, {r.randint(-9, 9)})",
                lambda: f"{v()}[np.argsort({r.choice(self.counts)} * n + np.arange(n))]",
                lambda: f"np.concatenate(({v()}, {v()}))[n:]",
                lambda: f"{v()}.reshape(n, 1).ravel()",
                lambda: f"np.full(n, {a()})",
                lambda: self.pick("np.zeros(n)", "np.ones(n)", "np.linspace(0.0, 1.0, n)"),
                lambda: f"np.interp({v()}, np.arange(n) * 1.0, {r.choice(self.vectors)})",
                lambda: f"(m[:, 0].sum() * {v()})",
            ]
        )()

    def add(self, indent, text):
        self.lines.append("    " * indent + text)

    def write_block(self, indent, size, in_prange=False):
        start = len(self.lines)
        for _ in range(size):
            self.write_statement(indent, in_prange)
        if len(self.lines) == start:
            self.add(indent, "pass")

    def write_scoped_block(self, indent, size, in_prange=False):
        """Write a block whose variables are not used after it."""
        kept = [list(names) for names in (self.ints, self.floats, self.vectors, self.counts)]
        self.write_block(indent, size, in_prange)
        self.ints, self.floats, self.vectors, self.counts = kept

    def write_statement(self, indent, in_prange):
        r = self.random
        if self.yields and not in_prange and r.random() < 0.25:
            self.write_yield(indent)
        kind = r.random()
        if kind < 0.2:
            value, new = self.make_integer(), self.make_name("i")
            self.add(indent, f"{new} = {value}")
            self.ints.append(new)
        elif kind < 0.4:
            value, new = self.make_real(), self.make_name("x")
            self.add(indent, f"{new} = {value}")
            self.floats.append(new)
        elif kind < 0.55:
            value, new = self.make_vector(), self.make_name("v")
            self.add(indent, f"{new} = {value}")
            self.vectors.append(new)
        elif kind < 0.62 and not in_prange:
            target = r.choice(self.vectors)
            self.add(
                indent,
                f"{target}[{self.make_slice()}] {self.pick('=', '+=', '*=')} {self.make_real()}",
            )
        elif kind < 0.67 and not in_prange:
            target = r.choice(self.vectors)
            self.add(
                indent,
                f"{target}[{target} {self.pick('<', '>')} {self.make_real()}] = {self.make_real()}",
            )
        elif kind < 0.72 and not in_prange:
            self.add(indent, f"total {self.pick('+=', '-=')} {self.make_real()}")
        elif kind < 0.79:
            self.add(indent, f"if {self.make_condition()}:")
            self.write_scoped_block(indent + 1, 2, in_prange)
            if r.random() < 0.5:
                self.add(indent, "else:")
                self.write_scoped_block(indent + 1, 2, in_prange)
        elif kind < 0.9 and self.loops < 3 and not in_prange:
            self.write_loop(indent)
        elif kind < 0.94 and not in_prange:
            new = self.make_name("l")
            self.add(indent, f"{new} = [{self.make_real()} * e for e in range({r.randint(1, 6)})]")
            self.add(indent, f"{new}.append({self.make_real()})")
            self.add(indent, f"total += {new}[{self.make_integer()} % len({new})]")
        elif kind < 0.97 and not in_prange:
            self.add(indent, f"if {self.make_condition()}:")
            self.add(
                indent + 1, f"raise {self.pick('ValueError', 'KeyError', 'IndexError')}('no', 1)"
            )
        else:
            value, new = self.make_vector(), self.make_name("k")
            self.add(indent, f"{new} = ({value} % 11.0).astype(np.int64)")
            self.counts.append(new)

    def write_yield(self, indent):
        self.add(
            indent,
            f"yield total + {self.make_real(1)}, {self.make_integer(1)}, {self.make_vector(1)}",
        )

    def write_loop(self, indent):
        self.loops += 1
        r = self.random
        index = self.make_name("i")
        kind = r.random()
        if kind < 0.4:
            self.add(indent, f"for {index} in range({self.pick('n', '5', 'n - 2', '7, 0, -2')}):")
            self.ints.append(index)
            self.write_scoped_block(indent + 1, 2)
            self.add(indent + 1, f"total += {self.make_real(1)}")
            self.ints.remove(index)
        elif kind < 0.6:
            item = self.make_name("x")
            self.add(indent, f"for {index}, {item} in enumerate({r.choice(self.vectors)}):")
            self.floats.append(item)
            self.add(indent + 1, f"total += {self.make_real(1)}")
            if r.random() < 0.5:
                self.add(indent + 1, f"if {self.make_condition(1)}:")
                self.add(indent + 2, self.pick("break", "continue"))
                self.add(indent + 1, "total += 1")
            self.floats.remove(item)
        else:
            out = self.make_name("v")
            self.add(indent, f"{out} = np.zeros(n)")
            self.add(indent, f"for {index} in prange(n):")
            self.ints.append(index)
            self.write_scoped_block(indent + 1, 2, in_prange=True)
            self.add(indent + 1, f"{out}[{index}] = {self.make_real(1)}")
            self.add(indent + 1, f"shared += {self.make_integer(1)} % 100")
            self.ints.remove(index)
            self.vectors.append(out)
        self.loops -= 1

    def write_source(self):
        self.add(0, "def f(p, q, x, y, v, w, k, m):")
        self.add(1, "n = len(v)")
        self.add(1, "total = 0.0")
        self.add(1, "shared = 0")
        self.write_block(1, self.random.randint(3, 8))
        if self.yields:
            self.write_yield(1)
            return "\n".join(self.lines) + "\n"
        results = ["total", "shared", self.make_integer(), self.make_real(), self.make_vector()]
        self.add(1, f"return {', '.join(results)}")
        return "\n".join(self.lines) + "\n"


def make_arguments(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.choice([1, 2, 5, 8, 33]))
    return (
        int(rng.integers(-5, 9)),
        int(rng.integers(1, 6)),
        float(rng.normal()),
        float(rng.uniform(0.5, 2)),
        rng.normal(size=n).round(3),
        rng.normal(size=n).round(3),
        rng.integers(-4, 9, n),
        rng.normal(size=(int(rng.integers(1, 5)), 3)).round(3),
    )


def call_and_record(function, seed):
    """The result or exception of a call, and its array arguments afterwards."""
    arguments = make_arguments(seed)
    try:
        with np.errstate(all="ignore"):
            result = function(*arguments)
            if hasattr(result, "__next__"):
                values = itertools.islice(result, seed // 4 % 40)
                result = tuple(np.copy(part) for value in values for part in value)
    except Exception as error:
        return (
            type(error).__name__,
            error.with_traceback(None),
            arguments,
        )  # the traceback holds arrays
    return "result", result, arguments


def is_same(a, b):
    if isinstance(a, tuple):
        return isinstance(b, tuple) and len(a) == len(b) and all(map(is_same, a, b))
    a, b = np.asarray(a), np.asarray(b)
    if a.dtype.kind in "iub":
        return a.shape == b.shape and a.dtype.kind == b.dtype.kind and np.array_equal(a, b)
    return a.shape == b.shape and np.allclose(a, b, rtol=_relative, atol=1e-9, equal_nan=True)


def is_too_large(value):
    """True if a number is so large that rounding or overflow may differ."""
    parts = value if isinstance(value, tuple) else (value,)
    return any(np.any(np.abs(np.asarray(part, dtype=float)) > 2.0**52) for part in parts)


def is_same_outcome(one, other):
    """True if two outcomes have the same class of exception, or the same results and arrays."""
    return one[0] == other[0] and (
        one[0] != "result" or (is_same(one[1], other[1]) and is_same(one[2], other[2]))
    )


def check_seed(seed, _):
    """Compares the results of a seed's function. Returns a report of a failure; None if there is none."""
    import numba

    import heddle
    from heddle._heddle import live_arrays

    source = Writer(seed).write_source()
    file = Path(tempfile.gettempdir()) / f"host_function_{os.getpid()}.py"
    file.write_text(source)

    def made(module, text=source, **others):
        names = {"np": np, "math": math, "prange": module.prange if module else range, **others}
        exec(compile(text, str(file), "exec"), names)
        return module.njit(names["f"], parallel=seed % 4 == 0) if module else names["f"]

    compiled = {}
    gc.collect()
    held = live_arrays()
    for module in (numba, heddle):
        try:
            compiled[module.__name__] = call_and_record(made(module), seed)
        except Exception as error:  # raised by the decorator instead of a call
            compiled[module.__name__] = type(error).__name__, error, ()
    theirs, ours = compiled["numba"], compiled["heddle"]
    gc.collect()
    if seed % 4 == 1 and live_arrays() != held:
        return format_report(seed, source, ("leak", live_arrays() - held), theirs)
    if isinstance(theirs[1], ImportError):
        return None  # numba's linear algebra needs SciPy
    if isinstance(theirs[1], numba.core.errors.NumbaError) and not isinstance(
        theirs[1], ArithmeticError
    ):
        return (
            None
            if not isinstance(ours[1], heddle.InternalError)
            else format_report(seed, source, ours, theirs)
        )
    print("compared", flush=True)
    if theirs[0] == ours[0] == "result":
        if is_same(ours[1], theirs[1]) and is_same(ours[2], theirs[2]):
            return None
        if is_too_large(theirs[1]) or is_too_large(theirs[2]):
            return None
    elif theirs[0] == ours[0]:
        return None
    plain = call_and_record(made(None), seed)
    if is_same_outcome(ours, plain):
        return None  # a bug in numba
    if ours[0] != "result":
        using_all = made(numba, text=use_every_value(source), kept=numba.njit(lambda value: value))
        if call_and_record(using_all, seed)[0] == ours[0]:
            return None
    if seed % 4 == 0 and is_same_outcome(ours, call_and_record(numba.njit(made(None)), seed)):
        return None  # a bug in numba's parallel functions: linspace(0, 1, 1) is NaN
    return format_report(seed, source, ours, theirs, plain)


def use_every_value(source):
    """Adds a use of every assigned value to the source.

    Without a use, numba removes an assignment, and with it the exception that its expression raises, if the function is
    parallel or has a comprehension.
    """
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            node.value = ast.Call(ast.Name("kept", ast.Load()), [node.value], [])
    return ast.unparse(ast.fix_missing_locations(tree))


def format_report(seed, source, ours, theirs, plain=None):
    lines = [f"seed {seed}:", source]
    for name, found in ("heddle", ours), ("numba", theirs), ("Python", plain):
        if found:
            text = str(found[1])
            lines.append(f"{name}: {found[0]}: {text[:600]}")
    return "\n".join(lines)


def run_worker(given, check):
    """The main loop of a worker process: prints a line for each seed that starts, and reports."""
    warnings.simplefilter("ignore")
    end = time.monotonic() + given.seconds
    failed = 0
    for seed in range(given.seed, given.seed + given.count, given.step):
        if time.monotonic() > end:
            break
        print(f"begin {seed}", flush=True)
        faulthandler.dump_traceback_later(SECONDS_PER_FUNCTION, exit=True)
        if found := check(seed, given.numba):
            failed += 1
            print(found, flush=True)
        faulthandler.cancel_dump_traceback_later()
    print(f"done {failed}", flush=True)


class Tally:
    """Collects what the processes report."""

    def __init__(self):
        self.lock = threading.Lock()
        self.begun = self.compared = self.failed = 0

    def count_output(self, lines):
        """Count and print the output of one process; return the seed in which it died, or None."""
        seeds = [int(line[6:]) for line in lines if line.startswith("begin ")]
        shown = [line for line in lines if not line.startswith(("begin ", "done ", "compared"))]
        ended = bool(lines) and lines[-1].startswith("done ")
        with self.lock:
            self.begun += len(seeds)
            self.compared += lines.count("compared")
            self.failed += int(lines[-1][5:]) if ended else 1
            if shown:
                print("\n".join(shown), flush=True)
            if not ended:
                print(f"a process died in seed {seeds[-1] if seeds else '?'}", flush=True)
        return None if ended or not seeds else seeds[-1]


def run_processes(file, given, first, tally):
    """Run every ``given.jobs``-th seed from ``first`` in a process; continue in a new one if it dies."""
    start, last = time.monotonic(), given.seed + given.count
    environment = {**os.environ, "NUMBA_NUM_THREADS": "2", "HEDDLE_NUM_THREADS": "2"}
    # numba's optimizer takes a third of the time and does not change values.
    environment.setdefault("NUMBA_OPT", "0")
    while first is not None and first < last:
        left = given.seconds - (time.monotonic() - start)
        if left <= 0:
            return
        command = [sys.executable, file, "--worker", "--seed", first, "--count", last - first]
        command += ["--step", given.jobs, "--seconds", left, "--numba", given.numba]
        with tempfile.TemporaryFile("w+") as log:
            subprocess.run(list(map(str, command)), stdout=log, stderr=log, env=environment)
            log.seek(0)
            died = tally.count_output(log.read().splitlines())
        first = None if died is None else died + given.jobs


def run_command_line(file, doc, source_of, check):
    """The command line of the program ``file``; returns how many seeds failed. check: returns None or a report."""
    parser = argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--count", type=int, help="functions to make (default 200; with --seconds, no limit)"
    )
    parser.add_argument("--seconds", type=float, default=math.inf, help="start none after this")
    parser.add_argument("--seed", type=int, default=1, help="first seed; others follow")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="number of processes")
    parser.add_argument("--show", action="store_true", help="print the function of --seed and stop")
    parser.add_argument(
        "--numba", type=int, default=0, help="also compare every N-th seed with numba"
    )
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--step", type=int, default=1, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.show:
        print(source_of(given.seed))
        return 0
    if given.worker:
        run_worker(given, check)
        return 0
    if given.count is None:
        given.count = 200 if given.seconds == math.inf else 10**9
    if given.numba and not importlib.util.find_spec("numba"):
        print("numba is not installed: compared with plain Python only", flush=True)
        given.numba = 0
    tally = Tally()
    firsts = range(given.seed, given.seed + min(given.jobs, given.count))
    threads = [
        threading.Thread(target=run_processes, args=(file, given, first, tally)) for first in firsts
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(f"{tally.begun} functions, {tally.compared} of them compared: {tally.failed} failed")
    return int(tally.failed > 0)


if __name__ == "__main__":
    if not importlib.util.find_spec("numba"):
        sys.exit("numba is not installed, with which this compares")
    sys.exit(
        run_command_line(__file__, __doc__, lambda seed: Writer(seed).write_source(), check_seed)
    )
