"""Random kernels whose warps run in lockstep: python tests/fuzz/lockstep.py --seconds 60 --seed 1.

The lanes of a warp exchange values through volatile shared memory without barriers, as old programs do. NumPy computes
the correct result: it executes each statement for all active lanes before the next one, also in branches and loops that
only some lanes run. Flags in shared memory end loops and choose branches for a whole warp. A kernel with another result
is made smaller and printed; the exit status is then 1.
"""

import argparse
import os
import random
import sys
import time
from dataclasses import dataclass

import numpy as np

os.environ["HEDDLE_DEVICE"] = "cpu"  # the widths are the CPU's
import heddle  # noqa: E402
from heddle import cuda  # noqa: E402

LANES = np.arange(32)
WARPS = 2
WIDTHS = ["", "1", "4", "8", "16"]
# One row of threads, or rows of which a warp has several.
BLOCKS = [(64, 1), (8, 8)]
HEAD = """extern "C" __global__ void kernel(const int* in, int* out, int n) {
  __shared__ volatile int shared[128];
  __shared__ volatile int flags[8];
  const int x = threadIdx.x, y = threadIdx.y, thread = y * blockDim.x + x;
  const int l = thread & 31, w = thread >> 5;
  volatile int* s = shared + 64 * w;
  volatile int* f = flags + 4 * w;
  int a = in[thread], b = l, c = 3, h = 1;
  s[l] = a; s[l + 32] = b;
  if (l < 4) f[l] = 0;
"""
TAIL = "  out[thread] = a + 7 * b + 31 * c + 101 * s[l] + 1009 * s[l + 32];\n}"
# Conditions that may differ between lanes, in C++ and in Python.
CONDITIONS = [
    *["l < 16", "l == 0", "l == 7", "l % 2 == 0", "l >= h", "l < h", "l < 31", "l > 3 && l < 9"],
    *["a > b", "b % 3 == 0", "a % 2 == 1", "l % (2 * h) == 0", "l % n == 0", "l / n == 1"],
    *["min(l, n) == n", "n > 3", "x == 3", "y % 4 == 1", "x < y", "x == 0"],
]
# No other condition implies these, or lanes would leave at the end of its branch, where none wait for them.
END_CONDITIONS = ["(a + l) % 5 == 2", "(b + l) % 3 == 1", "(a + c) % 4 == 3", "a % 11 < n"]
# Indices that differ between lanes; PLACES are any indices.
PERMUTATIONS = ["l", "l ^ 1", "l ^ 5", "l ^ h", "31 - l", "(l + 1) & 31", "(l + h) & 31", "l + 32"]
PLACES = [*PERMUTATIONS, "0", "31", "17", "l + h", "l + 8", "a & 31", "(b + l) & 63"]
NO_LANES = np.full(32, False)


class Warp:
    """Shared memory s, flags f, the lanes' variables by name in v, and their results."""

    def __init__(self, values, threads, width, n):
        self.s, self.f = np.zeros(64, np.int64), np.zeros(4, np.int64)
        self.v = {"l": LANES, "a": values.astype(np.int64), "b": LANES.copy(), "n": np.int64(n)}
        self.v |= {"x": threads % width, "y": threads // width}
        self.v |= {"c": np.full(32, 3, np.int64), "h": np.full(32, 1, np.int64)}
        self.s[:32], self.s[32:] = values, LANES
        self.out = np.zeros(32, np.int64)
        self.loops = []

    def evaluate(self, text):
        both = f"({text.replace('&&', ') & (')})".replace("/", "//")
        return np.broadcast_to(eval(both, {"min": np.minimum}, self.v), 32)


class Loop:
    """The lanes that have left an iteration, or the loop."""

    def __init__(self):
        self.continued, self.broken = NO_LANES, NO_LANES


def run_all(body, warp, active):
    """Executes statements for the active lanes. Returns those that reach the end."""
    for statement in body:
        if active.any():
            active = statement.run(warp, active)
    return active


def run_iteration(body, warp, active):
    """Executes the body of the innermost loop. Returns the lanes that have not left the loop."""
    loop = warp.loops[-1]
    loop.continued = NO_LANES
    return run_all(body, warp, active) | loop.continued


class Statement:
    """One node of a kernel. `run` executes it for the active lanes and returns those that go on after it."""

    parts = ()  # lists of statements inside

    def write(self, indent):
        return "  " * indent + self.text + "\n"


class Lines(Statement):
    """Statements in a row."""

    def __init__(self, body):
        self.parts = (body,)

    def write(self, indent):
        return "".join(s.write(indent) for s in self.parts[0])

    def run(self, warp, active):
        return run_all(self.parts[0], warp, active)


class Assign(Statement):
    def __init__(self, name, value):
        self.name, self.value = name, value
        self.text = f"{name} = ({value}) % 1009;"

    def run(self, warp, active):
        warp.v[self.name] = np.where(active, warp.evaluate(self.value) % 1009, warp.v[self.name])
        return active


class Load(Statement):
    def __init__(self, name, place):
        self.name, self.place = name, place
        self.text = f"{name} = s[{place}];"

    def run(self, warp, active):
        loaded = warp.s[warp.evaluate(self.place) % 64]
        warp.v[self.name] = np.where(active, loaded, warp.v[self.name])
        return active


class Store(Statement):
    def __init__(self, place, value):
        self.place, self.value = place, value
        self.text = f"s[{place}] = ({value}) % 1009;"

    def run(self, warp, active):
        warp.s[warp.evaluate(self.place)[active]] = (warp.evaluate(self.value) % 1009)[active]
        return active


class ReductionStep(Statement):
    text = "if (l < h) s[l] = (s[l] + s[l + h]) % 1009;"

    def run(self, warp, active):
        h = warp.v["h"]
        lanes = LANES[active & (LANES < h)]
        warp.s[lanes] = (warp.s[lanes] + warp.s[(LANES + h)[lanes]]) % 1009
        return active


class SetFlag(Statement):
    def __init__(self, flag, value):
        self.flag, self.value = flag, value
        self.text = f"f[{flag}] = {value};"

    def run(self, warp, active):
        warp.f[self.flag] = self.value
        return active


class Barrier(Statement):
    text = "__syncthreads();"

    def run(self, warp, active):
        return active


class Break(Statement):
    text = "break;"

    def run(self, warp, active):
        warp.loops[-1].broken = warp.loops[-1].broken | active
        return NO_LANES


class Continue(Statement):
    text = "continue;"

    def run(self, warp, active):
        warp.loops[-1].continued = warp.loops[-1].continued | active
        return NO_LANES


class Return(Statement):
    text = "{ out[thread] = a; return; }"

    def run(self, warp, active):
        warp.out[active] = warp.v["a"][active]
        return NO_LANES


class Compound(Statement):
    """A head, statements in braces, and an end."""

    end = "}"

    def __init__(self, head, body):
        self.head, self.parts = head, (body,)

    @property
    def body(self):
        return self.parts[0]

    def write(self, indent):
        pad = "  " * indent
        return f"{pad}{self.head} {{\n{self.write_body(indent + 1)}{pad}{self.end}\n"

    def write_body(self, indent):
        return "".join(s.write(indent) for s in self.body)


class If(Compound):
    def __init__(self, condition, body):
        super().__init__(f"if ({condition})", body)
        self.condition = condition

    def run(self, warp, active):
        taken = warp.evaluate(self.condition).astype(bool)
        return run_all(self.body, warp, active & taken) | (active & ~taken)


class IfFlag(Compound):
    def __init__(self, flag, body):
        super().__init__(f"if (f[{flag}])", body)
        self.flag = flag

    def run(self, warp, active):
        return run_all(self.body, warp, active) if warp.f[self.flag] else active


class LoopStatement(Compound):
    def run(self, warp, active):
        warp.loops.append(Loop())
        rest = self.run_iterations(warp, active)
        return rest | warp.loops.pop().broken


class ForDistance(LoopStatement):
    """A loop over the distances h of a scan or reduction, and its reset."""

    end = "}\n  h = 1;"

    def __init__(self, rising, body):
        order = "h = 1; h < 32; h *= 2" if rising else "h = 16; h > 0; h /= 2"
        super().__init__(f"for ({order})", body)
        self.distances = (1, 2, 4, 8, 16) if rising else (16, 8, 4, 2, 1)

    def run(self, warp, active):
        rest = super().run(warp, active)
        warp.v["h"] = np.where(rest, 1, warp.v["h"])
        return rest

    def run_iterations(self, warp, active):
        for h in self.distances:
            warp.v["h"] = np.where(active, h, warp.v["h"])
            active = run_iteration(self.body, warp, active)
        return active


class ForCount(LoopStatement):
    """A loop whose number of iterations may differ between lanes."""

    def __init__(self, name, times, body):
        super().__init__(f"for (int {name} = {times}; {name} > 0; --{name})", body)
        self.times = times

    def run_iterations(self, warp, active):
        count, ended = warp.evaluate(self.times), NO_LANES
        for i in range(int(count.max())):
            ended = ended | (active & (count <= i))
            active = run_iteration(self.body, warp, active & (count > i))
        return active | ended


class WhileFlag(LoopStatement):
    """A loop that the warp repeats while a lane sets a flag, six times at most."""

    def __init__(self, flag, count, body):
        super().__init__(f"for (int {count} = 0; {count} < 6; ++{count})", body)
        self.flag = flag

    def write_body(self, indent):
        pad = "  " * indent
        last = f"{pad}if (!f[{self.flag}]) break;\n"
        return f"{pad}f[{self.flag}] = 0;\n{super().write_body(indent)}{last}"

    def run_iterations(self, warp, active):
        loop = warp.loops[-1]
        for _ in range(6):
            if not active.any():
                break
            warp.f[self.flag], loop.continued = 0, NO_LANES
            rest = run_all(self.body, warp, active)
            if not warp.f[self.flag]:
                loop.broken = loop.broken | rest
                rest = NO_LANES
            active = rest | loop.continued
        return active


class Writer:
    def __init__(self, rng):
        self.rng, self.counts = rng, 0

    def make_body(self, depth=0, loops=()):
        return [self.make_statement(depth, loops) for _ in range(self.rng.randrange(2, 5))]

    def make_statement(self, depth, loops):
        rng = self.rng
        kind = rng.randrange(16)
        if not depth and rng.random() < 0.1:
            return Barrier()
        if kind < 2 and depth < 2 and ForDistance not in loops:
            body = self.make_body(depth + 1, (*loops, ForDistance))
            return ForDistance(rng.random() < 0.5, body)
        if kind == 2 and depth < 2:
            self.counts += 1
            flag = 1 + depth
            body = self.make_body(depth + 1, (*loops, WhileFlag))
            body.insert(rng.randrange(len(body) + 1), self.make_setter(flag))
            return WhileFlag(flag, f"n{self.counts}", body)
        if kind == 3 and depth < 2:
            return IfFlag(0, self.make_body(depth + 1, loops))
        if kind == 4:
            return self.make_setter(0) if rng.random() < 0.6 else SetFlag(0, 0)
        if kind == 12 and depth < 2:
            self.counts += 1
            times = rng.choice(["l & 3", "(a + l) & 3", "l / 8", "3 - (l & 1)", "3", "y & 3"])
            body = self.make_body(depth + 1, (*loops, ForCount))
            return ForCount(f"n{self.counts}", times, body)
        if kind == 13:
            return self.make_end(loops)
        if kind == 14 and depth < 2:
            return If(rng.choice(CONDITIONS), self.make_body(depth + 1, loops))
        if kind < 7:
            make = lambda: self.make_simple(rng.random() < 0.5)  # noqa: E731
            return If(rng.choice(CONDITIONS), [make() for _ in range(rng.randrange(1, 4))])
        if kind == 7 and ForDistance in loops:
            return ReductionStep()
        return self.make_simple(rng.random() < 0.5)

    def make_end(self, loops):
        """Some lanes return, or leave a loop or its iteration."""
        rng = self.rng
        end = rng.choice([Break, Continue, Break, Continue, Return] if loops else [Return])
        return If(rng.choice(END_CONDITIONS), [end()])

    def make_setter(self, flag):
        return If(self.rng.choice(CONDITIONS), [SetFlag(flag, 1)])

    def make_simple(self, writes):
        rng = self.rng
        if writes:
            return Store(rng.choice(PERMUTATIONS), self.make_expression())
        if rng.random() < 0.7:
            return Load(rng.choice("abc"), rng.choice(PLACES))
        return self.make_assignment()

    def make_assignment(self):
        return Assign(self.rng.choice("abc"), self.make_expression())

    def make_expression(self):
        rng = self.rng
        return f"{rng.choice('abcl')} + {rng.choice(['a', 'b', '2 * c', '5', 'l'])}"


@dataclass
class Case:
    """A kernel and its arguments."""

    body: list
    values: np.ndarray  # an int32 per thread
    block: tuple
    n: int

    def make_source(self):
        return f"{HEAD}{''.join(s.write(1) for s in self.body)}{TAIL}"

    def compute_expected(self):
        out = []
        threads = np.arange(32 * WARPS).reshape(WARPS, 32)
        for numbers, values in zip(threads, self.values.reshape(WARPS, 32), strict=True):
            warp = Warp(values, numbers, self.block[0], self.n)
            rest = run_all(self.body, warp, np.full(32, True))
            v = warp.v
            result = v["a"] + 7 * v["b"] + 31 * v["c"] + 101 * warp.s[:32] + 1009 * warp.s[32:]
            out.append(np.where(rest, result, warp.out))
        return np.concatenate(out)

    def find_wrong_widths(self, widths=WIDTHS):
        expected, wrong = self.compute_expected(), []
        for width in widths:
            os.environ["HEDDLE_WIDTH"] = width
            out = np.zeros(self.values.size, np.int32)
            kernel = heddle.RawKernel(self.make_source(), "kernel")
            kernel((1,), self.block, (self.values, out, np.int32(self.n)))
            cuda.synchronize()
            if not np.array_equal(out, expected):
                wrong.append(width)
        return wrong

    def shrink(self, width):
        """Removes the statements that the difference at a width does not need."""
        changed = True
        while changed:
            changed = False
            stack = [Lines(self.body)]
            while stack:
                for part in stack.pop().parts:
                    for i in reversed(range(len(part))):
                        removed = part.pop(i)
                        if self.find_wrong_widths([width]):
                            changed = True
                        else:
                            part.insert(i, removed)
                    stack += part


def make_case(seed):
    rng = random.Random(seed)
    values = np.random.default_rng(seed).integers(0, 1000, 32 * WARPS).astype(np.int32)
    body = Writer(rng).make_body()
    return Case(body, values, rng.choice(BLOCKS), rng.choice([1, 2, 3, 4, 5, 8, 31]))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--count", type=int, default=sys.maxsize, help="stop after so many kernels")
    parser.add_argument("--seed", type=int, default=random.randrange(10**9), help="the first seed")
    arguments = parser.parse_args()
    print(f"kernels from seed {arguments.seed}", flush=True)
    end, done = time.monotonic() + arguments.seconds, 0
    while done < arguments.count and time.monotonic() < end:
        seed = arguments.seed + done
        case = make_case(seed)
        wrong = case.find_wrong_widths()
        if wrong:
            case.shrink(wrong[0])
            sys.exit(
                f"{case.make_source()}\nseed {seed}: wrong at the widths {wrong}, "
                f"blocks {case.block}, n = {case.n}"
            )
        done += 1
    print(f"{done} kernels, no difference")


if __name__ == "__main__":
    main()
