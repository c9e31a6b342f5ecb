"""Random kernels with local arrays give the same results in the interpreter before and after UnrollArrayLoops.

Each thread fills arrays in nested loops with constant, triangular and unknown trip counts, and adds up their elements.
HEDDLE_UNROLLED_KERNELS sets the number of kernels.
"""

import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from test_filecheck import find_heddle_opt

sys.path.append(str(Path(__file__).parents[1] / "fuzz"))
from simt_interpreter import Interpreter

from heddle import _heddle

KERNELS = int(os.environ.get("HEDDLE_UNROLLED_KERNELS", "60"))
CLEAN = "sroa,early-cse,instcombine<no-verify-fixpoint>"
PASSES = f"{CLEAN},loop-simplify,unroll-array-loops,simplifycfg,{CLEAN}"
TABLE = "__constant__ const int table[8] = {3, 0, 7, 1, 6, 2, 5, 4};\n"


class Writer:
    """Writes one kernel. Indices are taken modulo the array's size, so that all are valid."""

    def __init__(self, seed):
        self.rng = random.Random(f"unrolled {seed}")
        self.lines = []
        self.counters = []
        self.sizes = [self.rng.randrange(2, 10) for _ in range(self.rng.randrange(1, 4))]

    def write_kernel(self):
        self.add(0, 'extern "C" __global__ void kernel(const int *x, int *out, int n) {')
        self.add(1, "int t = threadIdx.x, v = x[t];")
        for number, size in enumerate(self.sizes):
            start = self.rng.choice(["= {}", ""])
            self.add(1, f"int a{number}[{size}] {start};")
            if not start:
                self.add(1, f"for (int f = 0; f < {size}; f++) a{number}[f] = v + f;")
        for _ in range(self.rng.randrange(1, 4)):
            self.write_loop(1)
        self.add(1, "for (int e = 0; e < 8; e++) out[8 * t + e] = v;")
        for number, size in enumerate(self.sizes):
            self.add(1, f"for (int e = 0; e < {min(size, 8)}; e++) out[8 * t + e] += a{number}[e];")
        self.add(0, "}")
        return TABLE + "\n".join(self.lines)

    def add(self, depth, text):
        self.lines.append("  " * depth + text)

    def write_loop(self, depth):
        counter = f"i{len(self.counters)}"
        self.add(depth, self.rng.choice(self.list_headers(counter)) + " {")
        self.counters.append(counter)
        for _ in range(self.rng.randrange(1, 4)):
            self.write_statement(depth + 1)
        self.counters.pop()
        self.add(depth, "}")

    def list_headers(self, counter):
        low, high = self.rng.randrange(3), self.rng.randrange(1, 7)
        headers = [f"for (int {counter} = {low}; {counter} < {low + high}; {counter}++)"] * 3
        headers += [
            f"for (int {counter} = {high}; {counter} >= 0; {counter} -= {self.rng.choice([1, 2])})",
            f"for (unsigned {counter} = 1; {counter} < 9; {counter} <<= 1)",
            f"for (int {counter} = 0; {counter} < n; {counter}++)",
        ]
        if self.counters:
            outer = self.rng.choice(self.counters)
            headers += [f"for (int {counter} = {outer} + 1; {counter} < 5; {counter}++)"] * 2
            headers += [f"for (int {counter} = 0; {counter} < (int){outer}; {counter}++)"]
        return headers

    def write_statement(self, depth):
        kind = self.rng.randrange(10)
        if kind < 3 and depth < 4:
            self.write_loop(depth)
        elif kind == 3 and depth < 5:
            self.add(
                depth, f"if ({self.make_index()} % 3 == 1 || v % 5 == {self.rng.randrange(5)}) {{"
            )
            self.write_statement(depth + 1)
            if self.rng.random() < 0.3:
                self.add(depth + 1, self.rng.choice(["break;", "continue;"]))
            self.add(depth, "}")
        elif kind == 4:
            self.add(depth, f"v = (v + {self.make_element()}) % 1009;")
        else:
            change = self.rng.choice(["=", "+=", "^="])
            self.add(
                depth,
                f"{self.make_element()} {change} {self.make_element()} + {self.make_index()};",
            )

    def make_element(self):
        number = self.rng.randrange(len(self.sizes))
        return f"a{number}[({self.make_index()}) % {self.sizes[number]}]"

    def make_index(self):
        counter = f"(unsigned){self.rng.choice(self.counters)}"
        other = f"(unsigned){self.rng.choice(self.counters)}"
        return self.rng.choice(
            [
                counter,
                counter,
                f"{counter} + 2 * {other}",
                f"({counter} ^ 1)",
                f"table[{counter} % 8]",
                f"({counter} > {other} ? {counter} : 3)",
                f"{counter} / 2",
                *(["(unsigned)v"] if self.rng.random() < 0.1 else []),
            ]
        )


def compile_to_simt_ir(source):
    options = _heddle.CudaOptions([])
    code, *_ = _heddle.compile_cuda_ahead(source, "kernel.cu", options, [], "cuda", None, "simt")
    return code.decode()


def run_passes(module):
    command = [find_heddle_opt(), "-passes=" + PASSES, "-S", "-"]
    run = subprocess.run(command, input=module, capture_output=True, text=True)
    assert run.returncode == 0, f"{run.stderr}\n{module}"
    return run.stdout


@pytest.mark.skipif(not find_heddle_opt(), reason="heddle-opt is not built")
def test_same_results():
    interpreter, unrolled = Interpreter(), 0
    x = np.arange(4, dtype=np.int32) * 7 + 1
    for seed in range(KERNELS):
        source = Writer(seed).write_kernel()
        module = compile_to_simt_ir(source)
        after = run_passes(module)
        unrolled += "is in registers" in after
        wanted, found = (
            interpreter.run(text, [x, np.zeros(32, np.int32), 3], block=(4,), pointers=True)
            for text in (module, after)
        )
        assert not wanted.error, f"seed {seed}: {wanted.error}\n{source}"
        assert not found.error, f"seed {seed}: {found.error}\n{source}"
        assert np.array_equal(wanted.arrays[1], found.arrays[1]), f"seed {seed}:\n{source}"
    interpreter.close()
    assert unrolled > KERNELS / 2
