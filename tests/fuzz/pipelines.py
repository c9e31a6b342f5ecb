"""Random pipelines of specialized warps: python tests/fuzz/pipelines.py --seconds 60 --seed 1.

Each stage is a group of warps, which reads the buffers of the stage before it and fills those of the next one. The
stages meet at named barriers: one that says that a buffer is full, and one that says that it is empty. A stage may also
exchange values and count threads at a barrier of its own. NumPy computes the correct result, and the interpreter of
SIMT IR runs a part of the pipelines. A pipeline with another result is printed; the exit status is then 1.
"""

import argparse
import os
import random
import subprocess
import sys
import time
from dataclasses import dataclass

import numpy as np

os.environ["HEDDLE_DEVICE"] = "cpu"  # the widths are the CPU's
import simt_interpreter  # noqa: E402

import heddle  # noqa: E402
from heddle import _heddle, cuda  # noqa: E402

WIDTHS = ["", "1"]
ELEMENTS = 48
BARRIERS = range(1, 16)
INTERPRETED = 5  # one of so many pipelines, because the interpreter is slow
SYNC = ["bar.sync", "barrier.sync", "barrier.sync.aligned", "barrier.cta.sync", "bar.cta.sync"]
ARRIVE = ["bar.arrive", "barrier.arrive", "barrier.arrive.aligned", "barrier.cta.arrive"]
COUNT = ["bar.red.popc.u32", "barrier.red.popc.u32", "barrier.cta.red.popc.aligned.u32"]


def write_instruction(rng, names, number, threads):
    """A barrier with its operands, as constants or in registers."""
    inputs = []
    for value in (number, threads):
        constraint = "n" if rng.random() < 0.3 and str(value).isdigit() else "r"
        inputs.append(f'"{constraint}"({value})')
    return f'asm volatile("{rng.choice(names)} %0, %1;" :: {", ".join(inputs)} : "memory");'


@dataclass
class Channel:
    """The buffers between two stages, and the numbers of their barriers, `full` and then `empty`."""

    buffers: int
    full: list
    empty: list
    counts: bool  # writers and readers wait at the full barrier, and count threads there

    def number_of(self, barriers, i):
        """The C++ expression for the barrier of iteration i."""
        if len(barriers) == 1:
            return str(barriers[0])
        step = barriers[1] - barriers[0]
        if all(b - a == step for a, b in zip(barriers, barriers[1:], strict=False)):
            return f"{barriers[0]} + {step} * ({i} % {self.buffers})"
        table = " : ".join(f"{i} % {self.buffers} == {b} ? {n}" for b, n in enumerate(barriers))
        return f"({table} : 0)"


@dataclass
class Stage:
    warps: int
    factor: int
    shift: int
    own: int  # the number of a barrier for this stage only; 0: none
    rotation: int  # of the elements, at that barrier
    counts: bool  # also counts threads there

    def compute(self, values, i):
        values = (values[::-1].astype(np.int64) * self.factor + self.shift + i) % 1009
        if self.own:
            values = np.roll(values, -self.rotation)
        if self.counts:
            firsts = values[: min(32 * self.warps, ELEMENTS)]
            values = (values + np.count_nonzero(firsts % 3 == 1)) % 1009
        return values


@dataclass
class Pipeline:
    rng: random.Random
    stages: list
    channels: list
    iterations: int
    idle: int  # warps that take no part
    idleReturn: bool  # they return at once instead of waiting at the end
    values: np.ndarray

    def compute_expected(self):
        rows = []
        for i, row in enumerate(self.values.reshape(self.iterations, ELEMENTS)):
            for s, stage in enumerate(self.stages):
                counts = s > 0 and self.channels[s - 1].counts
                seen = 32 * self.stages[s - 1].warps + 16 * stage.warps if counts else 0
                row = stage.compute(row, i + seen)
            rows.append(row)
        return np.array(rows, np.int32).ravel()

    @property
    def threads(self):
        return 32 * (sum(stage.warps for stage in self.stages) + self.idle)

    def write_barrier(self, names, number, threads):
        return write_instruction(self.rng, names, number, threads)

    def write_stage(self, s):
        stage, size = self.stages[s], 32 * self.stages[s].warps
        before = self.channels[s - 1] if s else None
        after = self.channels[s] if s < len(self.channels) else None
        meeting = [
            32 * (a.warps + b.warps) for a, b in zip(self.stages, self.stages[1:], strict=False)
        ]
        lines = [f"int t = threadIdx.x - {32 * sum(e.warps for e in self.stages[:s])};"]
        if before:
            empty = self.write_barrier(ARRIVE, before.number_of(before.empty, "b"), meeting[s - 1])
            lines.append(f"for (int b = 0; b < {before.buffers} && b < n; ++b) {{ {empty} }}")
        lines.append("for (int i = 0; i < n; ++i) {")
        source = f"in + {ELEMENTS} * i"
        shift = f"{stage.shift} + i"
        if before and before.counts:
            number = before.number_of(before.full, "i")
            lines += self.write_count(number, meeting[s - 1], "t % 2", "seen")
            shift += " + seen"
        elif before:
            lines.append(
                self.write_barrier(SYNC, before.number_of(before.full, "i"), meeting[s - 1])
            )
        if before:
            source = f"buffers{s - 1}[i % {before.buffers}]"
        target = f"out + {ELEMENTS} * i"
        if after:
            target = f"buffers{s}[i % {after.buffers}]"
        if stage.own:
            lines += [f"const int *from = {source}; int *to = scratch{s}[0];"]
        else:
            if after:
                lines.append(
                    self.write_barrier(SYNC, after.number_of(after.empty, "i"), meeting[s])
                )
            lines.append(f"const int *from = {source}; int *to = {target};")
        lines.append(
            f"for (int j = t; j < {ELEMENTS}; j += {size})"
            f" to[j] = (from[{ELEMENTS - 1} - j] * {stage.factor} + {shift}) % 1009;"
        )
        if before:
            empty = self.write_barrier(ARRIVE, before.number_of(before.empty, "i"), meeting[s - 1])
            lines.append(f"if (i + {before.buffers} < n) {{ {empty} }}")
        if stage.own:
            lines += self.write_exchange(s, target, after, meeting)
        if after and after.counts:
            lines += self.write_count(after.number_of(after.full, "i"), meeting[s], "1", "filled")
        elif after:
            lines.append(self.write_barrier(ARRIVE, after.number_of(after.full, "i"), meeting[s]))
        return "\n      ".join([*lines, "}"])

    def write_exchange(self, s, target, after, meeting):
        """The values move to the next buffer, rotated, between two barriers of the stage."""
        stage, size = self.stages[s], 32 * self.stages[s].warps
        lines = [self.write_barrier(SYNC, stage.own, size)]
        if stage.counts:
            mine = f"t < {ELEMENTS} && to[(t + {stage.rotation}) % {ELEMENTS}] % 3 == 1"
            lines += self.write_count(stage.own, size, mine, "more")
        more = " + more" if stage.counts else ""
        if after:
            lines.append(self.write_barrier(SYNC, after.number_of(after.empty, "i"), meeting[s]))
        lines += [
            f"int *last = {target};",
            f"for (int j = t; j < {ELEMENTS}; j += {size})"
            f" last[j] = (to[(j + {stage.rotation}) % {ELEMENTS}]{more}) % 1009;",
            self.write_barrier(SYNC, stage.own, size),
        ]
        return lines

    def write_count(self, number, threads, predicate, result):
        """A barrier that counts the threads whose predicate holds."""
        ptx = f"{{ .reg .pred p; setp.ne.u32 p, %3, 0; {self.rng.choice(COUNT)} %0, %1, %2, p; }}"
        operands = f'"r"({number}), "r"({threads}), "r"(int({predicate}))'
        return [f'int {result}; asm volatile("{ptx}" : "=r"({result}) : {operands} : "memory");']

    def make_source(self):
        self.rng.seed(self.iterations)  # the same text each time
        shared = [
            f"  __shared__ int buffers{c}[{channel.buffers}][{ELEMENTS}];\n"
            for c, channel in enumerate(self.channels)
        ]
        shared += [
            f"  __shared__ int scratch{s}[1][{ELEMENTS}];\n"
            for s, stage in enumerate(self.stages)
            if stage.own
        ]
        branches, end = [], 0
        for s, stage in enumerate(self.stages):
            end += 32 * stage.warps
            branches.append(f"if (threadIdx.x < {end}) {{\n      {self.write_stage(s)}\n  }}")
        if self.idleReturn:
            branches.append("{ return; }")
        return (
            'extern "C" __global__ void kernel(const int* in, int* out, int n) {\n'
            + "".join(shared)
            + "  "
            + " else ".join(branches)
            + "\n  __syncthreads();\n"
            + f"  if (threadIdx.x == 0) out[{ELEMENTS} * n] = 1;\n}}\n"
        )

    def run(self, width):
        os.environ["HEDDLE_WIDTH"] = width
        out = np.zeros(self.values.size + 1, np.int32)
        kernel = heddle.RawKernel(self.make_source(), "kernel")
        kernel((1,), (self.threads,), (self.values, out, np.int32(self.iterations)))
        cuda.synchronize()
        return out

    def interpret(self, interpreter):
        options = _heddle.CudaOptions([])
        code, *_ = _heddle.compile_cuda_ahead(
            self.make_source(), "k.cu", options, [], "cpu", None, "simt"
        )
        lower = [simt_interpreter.find_interpreter().with_name("heddle-opt"), "-S"]
        lower += ["-passes=lower-inline-ptx", "-"]
        code = subprocess.run(lower, input=code, capture_output=True, check=True).stdout
        arguments = [
            self.values,
            np.zeros(self.values.size + 1, np.int32),
            np.int32(self.iterations),
        ]
        found = interpreter.run(code.decode(), arguments, block=(self.threads,), pointers=True)
        return found.arrays[1] if found.error is None else found.error

    def find_wrong(self, interpreter):
        """The widths whose result is wrong, and "interpreter"."""
        expected = np.append(self.compute_expected(), np.int32(1))
        found = {width or "default": self.run(width) for width in WIDTHS}
        if interpreter:
            found["interpreter"] = self.interpret(interpreter)
        return {name: out for name, out in found.items() if not np.array_equal(out, expected)}


def make_pipeline(seed):
    rng = random.Random(seed)
    free = list(BARRIERS)
    if rng.random() < 0.5:
        rng.shuffle(free)
    stages, channels = [], []
    for s in range(rng.choice([2, 2, 2, 3, 3, 4])):
        if s:
            buffers = rng.randrange(1, 4 if len(free) > 8 else 2)
            numbers, free = free[: 2 * buffers], free[2 * buffers :]
            counts = rng.random() < 0.4
            channels.append(Channel(buffers, numbers[:buffers], numbers[buffers:], counts))
        own = free.pop() if len(free) > 6 and rng.random() < 0.5 else 0
        counts = bool(own) and rng.random() < 0.5
        rotation, factor = rng.randrange(ELEMENTS), rng.randrange(1, 50)
        stages.append(Stage(rng.randrange(1, 4), factor, rng.randrange(100), own, rotation, counts))
    iterations = rng.randrange(1, 9)
    values = np.random.default_rng(seed).integers(0, 1000, iterations * ELEMENTS).astype(np.int32)
    idle, idleReturn = rng.randrange(2), rng.random() < 0.5
    return Pipeline(random.Random(), stages, channels, iterations, idle, idleReturn, values)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--count", type=int, default=sys.maxsize, help="stop after so many kernels")
    parser.add_argument("--seed", type=int, default=random.randrange(10**9), help="the first seed")
    arguments = parser.parse_args()
    print(f"pipelines from seed {arguments.seed}", flush=True)
    hasInterpreter = simt_interpreter.find_interpreter().exists()
    interpreter = simt_interpreter.Interpreter() if hasInterpreter else None
    end, done = time.monotonic() + arguments.seconds, 0
    while done < arguments.count and time.monotonic() < end:
        seed = arguments.seed + done
        pipeline = make_pipeline(seed)
        wrong = pipeline.find_wrong(interpreter if seed % INTERPRETED == 0 else None)
        if wrong:
            sys.exit(f"{pipeline.make_source()}\nseed {seed}: wrong: {wrong}")
        done += 1
    print(f"{done} pipelines, no difference")


if __name__ == "__main__":
    main()
