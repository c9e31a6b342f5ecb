"""Compares kernels with random indices (generate_indices.py) on the CPU device with plain Python, one thread at a time.

A kernel must either raise an IndexError for a line, a thread and an index that is out of bounds in Python too, or give
the same results. In both cases the memory around its arrays must be unchanged.
"""

import linecache
import os
import re
import sys

import numpy as np
from generate_indices import generate

WIDTHS = (1, 4, 0)
GUARD = 256  # bytes before and after each array
ERROR = re.compile(r":(\d+): index (-?\d+) ")
PLACE = re.compile(r"block \((\d+), (\d+), (\d+)\), thread \((\d+), (\d+), (\d+)\)")


class Guarded:
    """An array between bytes that must not change."""

    def __init__(self, values, rng):
        self.memory = bytearray(rng.bytes(values.nbytes + 2 * GUARD))
        self.array = np.frombuffer(self.memory, values.dtype, values.size, GUARD)
        if values.ndim > 1:
            self.array = self.array.reshape(values.shape)
        self.array[...] = values
        self.before = bytes(self.memory)

    def is_intact(self):
        now, end = bytes(self.memory), len(self.memory) - GUARD
        return now[:GUARD] == self.before[:GUARD] and now[end:] == self.before[end:]


class Log:
    """Out-of-bounds indices of the running thread: {(phase, line, index)}."""

    def __init__(self):
        self.found = set()
        self.phase = 0

    def find_program_line(self):
        """The program's current line, below the calls of these classes."""
        frame = sys._getframe(1)
        while frame.f_code.co_filename != "plain":
            frame = frame.f_back
        return frame.f_lineno

    def add(self, index):
        self.found.add((self.phase, self.find_program_line(), index))


class Checked:
    """An array that logs indices out of bounds; such reads return 0, such writes do nothing."""

    def __init__(self, array, log, wraps):
        self.array, self.log, self.wraps = array, log, wraps

    def check_bounds(self, index):
        """Log every axis that is out of bounds: a check may be hoisted out of a loop while another is not."""
        parts = index if isinstance(index, tuple) else (index,)
        is_inside = True
        for part, extent in zip(parts, self.array.shape):
            if isinstance(part, slice):
                continue
            if not (-extent if self.wraps else 0) <= part < extent:
                self.log.add(int(part))
                is_inside = False
        return is_inside

    @property
    def size(self):
        return self.array.size

    @property
    def shape(self):
        return self.array.shape

    def __getitem__(self, index):
        if not self.check_bounds(index):
            # The row at an index out of bounds has no elements to check.
            is_row = not isinstance(index, tuple) and self.array.ndim > 1
            return Nothing(self) if is_row else 0
        found = self.array[index]
        return Checked(found, self.log, self.wraps) if isinstance(found, np.ndarray) else int(found)

    def __setitem__(self, index, value):
        if self.check_bounds(index):
            self.array[index] = np.array(int(value) % 2**64, np.uint64).astype(self.array.dtype)


class Nothing:
    """A row that does not exist."""

    def __init__(self, of):
        self.row = Checked(np.zeros(of.array.shape[1:], np.int64), of.log, of.wraps)

    def __getitem__(self, index):
        return self.row[index]


def run_plain_python(program, arrays):
    """The results, and per block the indices out of bounds: {thread: {(phase, line, index)}}."""
    results = {name: array.copy() for name, array in arrays.items()}
    scope = {}
    is_cpp = program.language == "c++"
    plain = program.plain.replace(" && ", " and ")
    if is_cpp:
        plain = re.sub(r"t / (\d)", r"t // \1", plain)
        plain = plain.replace("a.size", "na").replace("m.shape[0]", "rows")
        plain = plain.replace("m.shape[1]", "cols")
    exec(compile(plain, "plain", "exec"), scope)
    rows, cols = arrays["m"].shape
    x = program.block[0]
    count = x * (program.block[1] if len(program.block) > 1 else 1)
    wrong = []
    shared, local = find_memory_sizes(program)
    for block in range(program.grid):
        memory = np.zeros(shared, np.int64)
        logs = [Log() for _ in range(count)]
        threads = []
        for tid, log in enumerate(logs):

            def of(array, log=log):
                flat = array.reshape(-1) if is_cpp else array
                return Checked(flat, log, wraps=not is_cpp)

            given = [of(results[name]) for name in ("out", "a", "m", "idx", "hist")]
            own = of(np.zeros(local, np.int64))
            threads.append(
                scope["kernel"](
                    *given,
                    program.number,
                    arrays["a"].size,
                    rows,
                    cols,
                    tid,
                    block * count + tid,
                    of(memory),
                    own,
                    count,
                )
            )
        going = list(zip(threads, logs))
        while going:
            rest = []
            for thread, log in going:
                if next(thread, "end") != "end":
                    log.phase += 1
                    rest.append((thread, log))
            going = rest
        wrong.append({(t % x, t // x): log.found for t, log in enumerate(logs) if log.found})
    return results, wrong


def find_memory_sizes(program):
    found = re.findall(
        r"(?:shared\.array\(|long long s\[|local\.array\(|long long l\[)(\d+)", program.source
    )
    return int(found[0]), int(found[1])


def load_kernel(program, width, name):
    import heddle
    from heddle import cuda

    if program.language == "c++":
        os.environ["HEDDLE_WIDTH"] = str(width) if width else ""
        return heddle.RawKernel(program.source, "kernel")
    linecache.cache[name] = (len(program.source), None, program.source.splitlines(True), name)
    scope = {"cuda": cuda, "int64": np.int64}
    exec(compile(program.source, name, "exec"), scope)
    return (cuda.jit(width=width) if width else cuda.jit)(scope["kernel"])


def run_kernel(program, kernel, arrays):
    from heddle import cuda

    if program.language == "c++":
        numbers = (program.number, arrays["a"].size, *arrays["m"].shape)
        block = (*program.block, 1, 1)[:3]
        kernel((program.grid,), block, (*arrays.values(), *numbers))
    else:
        kernel[program.grid, program.block](*arrays.values(), program.number)
    cuda.synchronize()


def find_problem(program, error, wrong, found, results, guarded, before):
    """The problem with the outcome of a launch, or None."""
    if not all(g.is_intact() for g in guarded.values()):
        return f"memory outside of the arrays has changed ({error})"
    for name in ("a", "m", "idx"):
        if not np.array_equal(guarded[name].array, before[name]):
            return f"{name} has changed"
    if error is None:
        if any(wrong):
            return f"no error; out of bounds are {describe_first(wrong)}"
        for name in ("out", "hist"):
            if not np.array_equal(found[name], results[name]):
                return f"{name} is\n{found[name]}\nand not\n{results[name]}"
        return None
    told, place = ERROR.search(str(error)), PLACE.search(str(error))
    if type(error).__name__ != "IndexError" or not told or not place:
        return f"{type(error).__name__}: {error}"
    line, index = int(told[1]), int(told[2])
    block, thread = int(place[1]), (int(place[4]), int(place[5]))
    known = wrong[block]
    # A thread continues after a barrier only if all threads have reached the barrier. In C++ an unused read need not
    # happen.
    phases = {phase for found in known.values() for phase, _, _ in found}
    if program.language != "c++":
        phases = {min(phases, default=0)}
    if not any((phase, line, index) in known.get(thread, ()) for phase in phases):
        return f"{error}\nout of bounds in that block are {describe_first([known])}"
    return None


def describe_first(wrong):
    return next(
        (
            f"block {b}, thread {t}: {sorted(known)}"
            for b, of in enumerate(wrong)
            for t, known in of.items()
        ),
        "none",
    )


def judge_seed(seed):
    program = generate(seed)
    rng = np.random.default_rng(seed)
    size = program.arrays["a"][1][0]
    before = {}
    for name, (dtype, shape) in program.arrays.items():
        before[name] = rng.integers(0, 50, shape).astype(dtype)
    before["idx"][...] = rng.integers(0, size, before["idx"].shape)
    if rng.random() < 0.3:
        before["idx"][rng.integers(before["idx"].size)] = rng.choice(
            [size, size + 9, -1, -size - 1]
        )
    before["hist"][...] = 0
    before["out"][...] = -1
    results, wrong = run_plain_python(program, before)
    for width in WIDTHS:
        guarded = {name: Guarded(values, rng) for name, values in before.items()}
        arrays = {name: g.array for name, g in guarded.items()}
        error = None
        try:
            run_kernel(program, load_kernel(program, width, f"<kernel {seed}>"), arrays)
        except Exception as raised:
            error = raised
        problem = find_problem(program, error, wrong, arrays, results, guarded, before)
        if problem:
            text = f"seed {seed}, width {width}, {program.language}, grid {program.grid}, "
            text += f"block {program.block}, n {program.number}, {program.arrays}: {problem}"
            return {"kind": "wrong", "text": text, "script": program.source}
    return {"kind": "ok", "text": ""}
