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
from dataclasses import dataclass, field

import numpy as np

import heddle
from heddle import cuda

LANES = np.arange(32)
WARPS = 2
WIDTHS = ["", "1", "4", "8", "16"]
HEAD = """extern "C" __global__ void kernel(const int* in, int* out) {
  __shared__ volatile int shared[128];
  __shared__ volatile int flags[8];
  const int l = threadIdx.x & 31, w = threadIdx.x >> 5;
  volatile int* s = shared + 64 * w;
  volatile int* f = flags + 4 * w;
  int a = in[threadIdx.x], b = l, c = 3, h = 1;
  s[l] = a; s[l + 32] = b;
  if (l < 4) f[l] = 0;"""
TAIL = "  out[threadIdx.x] = a + 7 * b + 31 * c + 101 * s[l] + 1009 * s[l + 32];\n}"
# Conditions that may differ between lanes, in C++ and in Python.
CONDITIONS = [
    *["l < 16", "l == 0", "l == 7", "l % 2 == 0", "l >= h", "l < h", "l < 31", "l > 3 && l < 9"],
    *["a > b", "b % 3 == 0", "a % 2 == 1", "l % (2 * h) == 0"],
]
# Indices that differ between lanes; PLACES are any indices.
PERMUTATIONS = ["l", "l ^ 1", "l ^ 5", "l ^ h", "31 - l", "(l + 1) & 31", "(l + h) & 31", "l + 32"]
PLACES = [*PERMUTATIONS, "0", "31", "17", "l + h", "l + 8", "a & 31", "(b + l) & 63"]


class State:
    """One warp: shared memory s, flags f, and the lanes' variables by name in v."""

    def __init__(self, values):
        self.s, self.f = np.zeros(64, np.int64), np.zeros(4, np.int64)
        self.v = {"l": LANES, "a": values.astype(np.int64), "b": LANES.copy()}
        self.v |= {"c": np.full(32, 3, np.int64), "h": np.full(32, 1, np.int64)}
        self.s[:32], self.s[32:] = values, LANES

    def evaluate(self, text):
        both = f"({text.replace('&&', ') & (')})"
        return np.broadcast_to(eval(both.replace("/", "//"), {}, self.v), 32)


@dataclass
class Statement:
    """One node of a kernel: `kind` is assign, load, store, step, set, sync, if, flag, loop, while or repeat."""

    kind: str
    text: tuple = ()
    body: list = field(default_factory=list)
    other: list = field(default_factory=list)

    def write(self, indent):
        t, pad = self.text, "  " * indent
        lines = lambda body: "".join(s.write(indent + 1) for s in body)  # noqa: E731
        if self.kind == "assign":
            return f"{pad}{t[0]} = ({t[1]}) % 1009;\n"
        if self.kind == "load":
            return f"{pad}{t[0]} = s[{t[1]}];\n"
        if self.kind == "store":
            return f"{pad}s[{t[0]}] = ({t[1]}) % 1009;\n"
        if self.kind == "step":
            return f"{pad}if (l < h) s[l] = (s[l] + s[l + h]) % 1009;\n"
        if self.kind == "set":
            return f"{pad}f[{t[0]}] = {t[1]};\n"
        if self.kind == "sync":
            return f"{pad}__syncthreads();\n"
        if self.kind == "if":
            other = f"{pad}}} else {{\n{lines(self.other)}" if self.other else ""
            return f"{pad}if ({t[0]}) {{\n{lines(self.body)}{other}{pad}}}\n"
        if self.kind == "flag":
            return f"{pad}if (f[{t[0]}]) {{\n{lines(self.body)}{pad}}}\n"
        if self.kind == "loop":
            return f"{pad}for ({t[0]}) {{\n{lines(self.body)}{pad}}}\n"
        if self.kind == "while":
            return f"{pad}for (int {t[0]} = {t[1]}; {t[0]} > 0; --{t[0]}) {{\n{lines(self.body)}{pad}}}\n"
        flag, count = t
        return (
            f"{pad}int {count} = 0;\n{pad}do {{\n{pad}  f[{flag}] = 0;\n{lines(self.body)}"
            f"{pad}}} while (f[{flag}] && ++{count} < 6);\n"
        )

    def run(self, state, active):
        t = self.text
        if self.kind in ("assign", "load"):
            value = state.evaluate(t[1])
            value = value % 1009 if self.kind == "assign" else state.s[value]
            state.v[t[0]] = np.where(active, value, state.v[t[0]])
        elif self.kind == "store":
            state.s[state.evaluate(t[0])[active]] = (state.evaluate(t[1]) % 1009)[active]
        elif self.kind == "step":
            h = state.v["h"]
            lanes = LANES[active & (LANES < h)]
            state.s[lanes] = (state.s[lanes] + state.s[(LANES + h)[lanes]]) % 1009
        elif self.kind == "set":
            if active.any():
                state.f[t[0]] = t[1]
        elif self.kind == "sync":
            pass
        elif self.kind == "if":
            taken = state.evaluate(t[0]).astype(bool)
            run_all(self.body, state, active & taken)
            run_all(self.other, state, active & ~taken)
        elif self.kind == "flag":
            if state.f[t[0]]:
                run_all(self.body, state, active)
        elif self.kind == "loop":
            rising = t[0].startswith("h = 1;")
            for h in (1, 2, 4, 8, 16) if rising else (16, 8, 4, 2, 1):
                state.v["h"] = np.where(active, h, state.v["h"])
                run_all(self.body, state, active)
            state.v["h"] = np.where(active, 32 if rising else 0, state.v["h"])
        elif self.kind == "while":
            count = state.evaluate(t[1])
            for i in range(4):
                run_all(self.body, state, active & (count > i))
        else:
            for _ in range(6):
                state.f[t[0]] = 0
                run_all(self.body, state, active)
                if not state.f[t[0]]:
                    break


def run_all(body, state, active):
    if active.any():
        for statement in body:
            statement.run(state, active)


class Writer:
    def __init__(self, rng):
        self.rng, self.counts = rng, 0

    def make_body(self, depth=0, in_loop=False):
        return [self.make_statement(depth, in_loop) for _ in range(self.rng.randrange(2, 5))]

    def make_statement(self, depth, in_loop):
        rng = self.rng
        kind = rng.randrange(14)
        if not depth and rng.random() < 0.1:
            return Statement("sync")
        if kind < 2 and depth < 2 and not in_loop:
            order = rng.choice(["h = 1; h < 32; h *= 2", "h = 16; h > 0; h /= 2"])
            reset = Statement("assign", ("h", "1"))
            loop = Statement("loop", (order,), self.make_body(depth + 1, in_loop=True))
            return Group([loop, reset])
        if kind == 2 and depth < 2:
            self.counts += 1
            flag = 1 + depth
            body = self.make_body(depth + 1, in_loop)
            body.insert(rng.randrange(len(body) + 1), self.make_setter(flag))
            return Statement("repeat", (flag, f"n{self.counts}"), body)
        if kind == 3 and depth < 2:
            return Statement("flag", (0,), self.make_body(depth + 1, in_loop))
        if kind == 4:
            return self.make_setter(0) if rng.random() < 0.6 else Statement("set", (0, 0))
        if kind == 12 and depth < 2:
            self.counts += 1
            times = rng.choice(["l & 3", "(a + l) & 3", "l / 8", "3 - (l & 1)"])
            return Statement(
                "while", (f"n{self.counts}", times), self.make_body(depth + 1, in_loop)
            )
        if kind < 7:
            make = lambda: self.make_simple(rng.random() < 0.5)  # noqa: E731
            body = [make() for _ in range(rng.randrange(1, 4))]
            other = [self.make_assignment()] if rng.random() < 0.3 else []
            return Statement("if", (rng.choice(CONDITIONS),), body, other)
        if kind == 7 and in_loop:
            return Statement("step")
        return self.make_simple(rng.random() < 0.5)

    def make_setter(self, flag):
        return Statement("if", (self.rng.choice(CONDITIONS),), [Statement("set", (flag, 1))])

    def make_simple(self, writes):
        rng = self.rng
        if writes:
            return Statement("store", (rng.choice(PERMUTATIONS), self.make_expression()))
        if rng.random() < 0.7:
            return Statement("load", (rng.choice("abc"), rng.choice(PLACES)))
        return self.make_assignment()

    def make_assignment(self):
        return Statement("assign", (self.rng.choice("abc"), self.make_expression()))

    def make_expression(self):
        rng = self.rng
        return f"{rng.choice('abcl')} + {rng.choice(['a', 'b', '2 * c', '5', 'l'])}"


class Group(Statement):
    """Statements in a row."""

    def __init__(self, body):
        super().__init__("group", (), body)

    def write(self, indent):
        return "".join(s.write(indent) for s in self.body)

    def run(self, state, active):
        run_all(self.body, state, active)


def make_source(body):
    return f"{HEAD}\n{''.join(s.write(1) for s in body)}{TAIL}"


def compute_expected(body, values):
    out = []
    for warp in values.reshape(WARPS, 32):
        state = State(warp)
        run_all(body, state, np.full(32, True))
        v = state.v
        out.append(v["a"] + 7 * v["b"] + 31 * v["c"] + 101 * state.s[:32] + 1009 * state.s[32:])
    return np.concatenate(out)


def find_wrong_widths(body, values, widths=WIDTHS):
    expected, wrong = compute_expected(body, values), []
    for width in widths:
        os.environ["HEDDLE_WIDTH"] = width
        out = np.zeros(values.size, np.int32)
        heddle.RawKernel(make_source(body), "kernel")((1,), (values.size,), (values, out))
        cuda.synchronize()
        if not np.array_equal(out, expected):
            wrong.append(width)
    return wrong


def shrink(body, is_wrong):
    """The statements that are needed for the difference."""
    root = Group(body)
    changed = True
    while changed:
        changed = False
        stack = [root]
        while stack:
            node = stack.pop()
            for part in (node.body, node.other):
                for i in reversed(range(len(part))):
                    removed = part.pop(i)
                    if is_wrong(root.body):
                        changed = True
                    else:
                        part.insert(i, removed)
                stack += part
    return root.body


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
        rng = random.Random(seed)
        body = Writer(rng).make_body()
        values = np.random.default_rng(seed).integers(0, 1000, 32 * WARPS).astype(np.int32)
        wrong = find_wrong_widths(body, values)
        if wrong:
            body = shrink(body, lambda b: bool(find_wrong_widths(b, values, wrong[:1])))
            sys.exit(f"{make_source(body)}\nseed {seed}: wrong at the widths {wrong}")
        done += 1
    print(f"{done} kernels, no difference")


if __name__ == "__main__":
    main()
