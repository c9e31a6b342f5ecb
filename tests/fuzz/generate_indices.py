"""Kernels with random indices, some out of bounds, in Python and CUDA C++: one statement per line, the same lines."""

import random
from dataclasses import dataclass, field

ELEMENTS = {"int64": "long long", "int32": "int", "int16": "short", "uint8": "unsigned char"}
BINS = 16


@dataclass
class Program:
    language: str  # "python" or "c++"
    source: str
    plain: str  # the kernel as a Python generator for one thread, which yields at barriers
    grid: int
    block: tuple
    arrays: dict  # name -> (dtype, shape)
    number: int  # the argument n
    features: list = field(default_factory=list)


def generate(seed):
    return Writer(random.Random(seed)).write_program()


class Writer:
    """Writes a kernel's lines; `self.python`, `self.cpp` and `self.plain` grow in parallel."""

    def __init__(self, rng):
        self.rng = rng
        self.is_cpp = rng.random() < 0.45
        self.python, self.cpp, self.plain = [], [], []
        self.depth = 0
        self.loops = 0
        self.features = set()
        self.block = (rng.choice([1, 7, 16, 32, 33, 40, 64, 96]),)
        if rng.random() < 0.15:
            self.block = (rng.choice([4, 8, 16]), rng.choice([2, 3, 4]))
        self.grid = rng.randint(1, 3)
        self.threads = self.grid * self.block[0] * (self.block[1] if len(self.block) > 1 else 1)
        self.each = rng.randint(1, 3)  # the elements of out that each thread owns
        self.is_backwards = rng.random() < 0.2
        self.shared, self.local = rng.randint(1, 80), rng.randint(1, 9)
        if rng.random() < 0.6:  # like most kernels
            self.shared = self.count_threads_per_block() + rng.randint(0, 3)
        near = rng.choice([0, 0, 0, 0, 1, 5, -1, -3, 17])
        size = max(1, self.threads + near)
        self.arrays = {
            "out": ("int64", (max(1, self.threads * self.each + rng.choice([0, 0, 0, 0, 2, -1])),)),
            "a": (rng.choice(list(ELEMENTS)), (size,)),
            "m": ("int32", (rng.choice([size, self.threads, 8]), rng.randint(1, 6))),
            "idx": ("int32", (max(1, self.threads + rng.choice([0, 0, 0, 3, -2])),)),
            "hist": ("int32", (BINS,)),
        }
        self.number = rng.choice([size, size, self.threads, size + 1, 0, 3])

    def count_threads_per_block(self):
        return self.threads // self.grid

    def add_line(self, python, cpp=None, plain=None):
        indent = "    " * (self.depth + 1)
        self.python.append(indent + python)
        self.plain.append(indent + (plain or python))
        self.cpp.append("  " * (self.depth + 1) + (cpp if cpp is not None else python + ";"))

    def close_block(self):
        """End a block. C++ puts the brace on the last line, so that line numbers stay equal."""
        self.depth -= 1
        self.cpp[-1] += " }"

    def format_element_of_m(self, first, second):
        """An element of m, which is a pointer in C++."""
        return f"m[({first}) * cols + {second}]" if self.is_cpp else f"m[{first}, {second}]"

    # Indices.

    def draw_small_number(self):
        return self.rng.choice([0, 0, 0, 1, 1, 2, 3, 7])

    def make_index(self):
        """An expression with the same value in both languages."""
        rng = self.rng
        c = self.draw_small_number()
        choices = [
            "t",
            "t",
            f"t + {c}",
            f"t - {c}",
            f"n - 1 - t - {c}" if rng.random() < 0.3 else "t",
            f"t * {rng.randint(1, 3)} % {rng.randint(1, 40)}",
            f"t // {rng.randint(2, 4)}" if not self.is_cpp else f"t / {rng.randint(2, 4)}",
            "idx[t]",
            f"idx[t % {rng.randint(1, 20)}]",
            "tid",
            str(c),
        ]
        if not self.is_cpp:
            choices += [f"-{c + 1}", f"-t - {c + 1}" if rng.random() < 0.3 else "-1"]
        for loop in range(self.loops):
            choices += [f"k{loop}", f"t + k{loop}", f"k{loop} * {rng.randint(1, 3)} + {c}"]
            choices += [f"t - k{loop}"] if rng.random() < 0.3 else []
        return rng.choice(choices)

    def make_small_index(self):
        names = [f"k{loop}" for loop in range(self.loops)]
        few = max(1, self.local)
        return self.rng.choice([str(self.rng.randint(0, 4)), f"t % {few}", f"tid % {few}", *names])

    def make_own_index(self):
        """An element of out that no other thread writes."""
        part = self.rng.randrange(self.each)
        if self.is_backwards:
            return f"{self.threads * self.each - 1} - t * {self.each} - {part}"
        return f"t * {self.each} + {part}"

    # Statements.

    def write_statement(self):
        rng = self.rng
        kinds = [
            self.write_read,
            self.write_read,
            self.write_row_read,
            self.write_store,
            self.write_atomic,
        ]
        kinds += [self.write_local_read, self.write_local_store, self.write_index_read]
        if self.depth < 2:
            kinds += [self.write_guard, self.write_guard, self.write_loop]
        if not self.is_cpp:
            kinds += [self.write_view_read, self.write_row_view_read]
        rng.choice(kinds)()

    def write_read(self):
        e = self.make_index()
        self.add_line(f"v = v + a[{e}]")

    def write_index_read(self):
        self.add_line(f"v = v + idx[{self.make_index()}]")

    def write_row_read(self):
        second = self.rng.choice([self.make_small_index(), "0", str(self.rng.randint(0, 5))])
        self.add_line(f"v = v + {self.format_element_of_m(self.make_index(), second)}")

    def write_view_read(self):
        self.features.add("view")
        self.add_line(f"v = v + a[{self.rng.randint(0, 3)}:][{self.make_index()}]")

    def write_row_view_read(self):
        self.features.add("view")
        self.add_line(f"v = v + m[{self.make_index()}][{self.make_small_index()}]")

    def write_store(self):
        self.add_line(f"out[{self.make_own_index()}] = v")

    def write_local_store(self):
        self.add_line(f"l[{self.make_small_index()}] = v")

    def write_local_read(self):
        self.add_line(f"v = v + l[{self.make_small_index()}]")

    def write_atomic(self):
        self.features.add("atomic")
        e = self.rng.choice([f"t % {BINS}", self.make_small_index(), "tid", f"v % {BINS + 2}"])
        if "v" in e:  # v may be negative, for which the languages differ
            e = f"(v * v) % {BINS + 1}" if self.rng.random() < 0.5 else f"t % {BINS}"
        self.add_line(
            f"cuda.atomic.add(hist, {e}, 1)",
            f"atomicAdd(&hist[{e}], 1);",
            f"hist[{e}] += 1",
        )

    def write_guard(self):
        rng = self.rng
        self.features.add("guard")
        conditions = [
            ("t < n", "t < n"),
            ("t < a.size", "t < na"),
            (f"t >= {rng.randint(0, 3)} and t < n - 1", None),
            (f"t % {rng.randint(2, 5)} == 0", None),
            (f"tid == {rng.randint(0, 20)}", None),
            ("t < n and t >= 1", None),
            ("t < m.shape[0]", "t < rows"),
            ("v > 100", None),
        ]
        python, cpp = rng.choice(conditions)
        cpp = (cpp or python).replace(" and ", " && ")
        self.add_line(f"if {python}:", f"if ({cpp}) {{")
        self.write_body()

    def write_loop(self):
        rng = self.rng
        self.features.add("loop")
        k = f"k{self.loops}"
        begin = rng.choice(["0", "0", "1", f"t % {rng.randint(2, 5)}"])
        end, cpp_end = rng.choice([(str(rng.randint(0, 9)), None), ("m.shape[1]", "cols")])
        if not self.loops and rng.random() < 0.15:  # plain Python is slow
            end, cpp_end = rng.choice([("a.size", "na"), ("n", None)])
        step = rng.choice([1, 1, 1, 2, 3])
        up = rng.random() < 0.85
        cpp_end = cpp_end or end
        if up:
            python = f"for {k} in range({begin}, {end}, {step}):"
            cpp = f"for (long long {k} = {begin}; {k} < {cpp_end}; {k} += {step}) {{"
        else:
            python = f"for {k} in range({end} - 1, -1, -{step}):"
            cpp = f"for (long long {k} = {cpp_end} - 1; {k} > -1; {k} -= {step}) {{"
        self.add_line(python, cpp)
        self.loops += 1
        self.write_body(ends=rng.random() < 0.2)
        self.loops -= 1

    def write_body(self, ends=False):
        self.depth += 1
        for _ in range(self.rng.randint(1, 3)):
            self.write_statement()
        if ends:
            self.features.add("break")
            self.add_line("if v > 300:", "if (v > 300) {")
            self.depth += 1
            self.add_line("break")
            self.close_block()
        self.close_block()

    def write_exchange(self):
        """Write to shared memory, wait at a barrier, read, and wait at a barrier."""
        self.features.add("shared")
        c = self.rng.choice([0, 0, 0, 1, 5])
        self.add_line(f"s[tid + {c}] = v")
        self.write_barrier()
        for _ in range(self.rng.randint(1, 2)):
            e = self.rng.choice(
                ["tid", "tid + 1", f"tid % {self.rng.randint(1, 20)}", "0", "tid - 1"]
            )
            self.add_line(f"v = v + s[{e}]")
        self.write_barrier()

    def write_barrier(self):
        self.add_line("cuda.syncthreads()", "__syncthreads();", "yield")

    def write_program(self):
        rng = self.rng
        self.write_start()
        for _ in range(rng.randint(1, 5)):
            self.write_exchange() if rng.random() < 0.2 else self.write_statement()
        self.add_line(f"out[{self.make_own_index()}] = v")  # keeps the reads from being removed
        language = "c++" if self.is_cpp else "python"
        source = "\n".join(self.cpp) + "\n}\n" if self.is_cpp else "\n".join(self.python) + "\n"
        plain = "\n".join(self.plain) + "\n"
        features = [f"{language}: {f}" for f in sorted(self.features)]
        return Program(
            language, source, plain, self.grid, self.block, self.arrays, self.number, features
        )

    def write_start(self):
        """Write the header and variables; shared and local memory start as zeros."""
        parameters = "out, a, m, idx, hist, n"
        types = {name: ELEMENTS[dtype] for name, (dtype, _) in self.arrays.items()}
        self.python.append(f"def kernel({parameters}):")
        self.plain.append(f"def kernel({parameters}, na, rows, cols, tid, t, s, l, per_block):")
        self.cpp.append(
            f'extern "C" __global__ void kernel({types["out"]}* out, const {types["a"]}* a, '
            "const int* m, const int* idx, int* hist, long long n, long long na, long long rows, "
            "long long cols) {"
        )
        flat, wide = "cuda.threadIdx.x", "(long long)threadIdx.x"
        if len(self.block) > 1:
            flat = "cuda.threadIdx.x + cuda.threadIdx.y * cuda.blockDim.x"
            wide = "(long long)threadIdx.x + threadIdx.y * blockDim.x"
        count = self.count_threads_per_block()
        self.add_line(f"tid = {flat}", f"long long tid = {wide};", "pass")
        self.add_line(
            f"t = cuda.blockIdx.x * {count} + tid",
            f"long long t = (long long)blockIdx.x * {count} + tid;",
            "pass",
        )
        self.add_line(
            f"s = cuda.shared.array({self.shared}, int64)",
            f"__shared__ long long s[{self.shared}];",
            "pass",
        )
        self.add_line(
            f"l = cuda.local.array({self.local}, int64)",
            f"long long l[{self.local}] = {{}}; long long v = 0;",
            "v = 0",
        )
        self.add_line(f"for i in range({self.local}):", "", "pass")
        self.add_line("    l[i] = 0", "", "pass")
        self.add_line("v = 0", "", "pass")
        self.add_line(
            f"for i in range(tid, {self.shared}, {count}):",
            f"for (long long i = tid; i < {self.shared}; i += {count})",
            "pass",
        )
        self.add_line("    s[i] = 0", "s[i] = 0;", "pass")
        self.write_barrier()
