"""Random kernels whose threads diverge and converge: barriers, warp operations and exits in loops and branches.

A kernel is a list of lines of Python, which convert_to_cpp converts to C++. Its threads do not race. Between two
barriers, the block is in a *phase*. In a reading phase all threads may read the shared arrays and none writes them. In
a writing phase each thread accesses its own elements, and atomics add. All threads that meet at a barrier agree on the
next phase. A barrier is placed only where all threads arrive that have not returned. A thread may leave a loop with
barriers early only if no barrier follows for it.
"""

import random
from dataclasses import dataclass, field, replace

from divergent_expressions import FULL, Expressions
from divergent_source import (
    AXES,
    BEGIN,
    CALL,
    END,
    HELPER,
    HELPER_END,
    ONE_AXIS,
    START,
    convert_to_cpp,
)

SHAPES = [(32,), (33,), (45,), (50,), (64,), (7,), (96,), (128,), (31,), (16, 4), (8, 8), (5, 9)]
SHAPES += [(33, 2), (8, 4, 3), (17, 3)]


@dataclass
class Kernel:
    seed: int
    lines: list
    language: str  # "python" or "c++"
    grid: tuple
    block: tuple
    n: int

    @property
    def source(self):
        return (
            convert_to_cpp(self.lines) if self.language == "c++" else "\n".join(self.lines) + "\n"
        )


def generate_kernel(seed):
    rng = random.Random(f"divergence {seed}")
    language = rng.choice(["python", "c++"])
    block, grid = rng.choice(SHAPES), (rng.choice([1, 2, 2, 3]),)
    writer = Writer(rng, len(block) > 1, block)
    return Kernel(seed, writer.write_kernel(), language, grid, block, rng.randrange(2, 14))


@dataclass
class Place:
    """The constructs that are allowed in a statement's position."""

    indent: str = "    "
    barriers: bool = True  # all threads that have not returned get here
    warps: bool = True  # all lanes of a warp that have not returned get here
    last: bool = True  # the end of the kernel follows
    depth: int = 0
    exits: list = field(default_factory=list)  # pairs: (keyword, the phase it requires)
    uniform_exits: list = field(
        default_factory=list
    )  # the same, for exits that all threads take together

    def inside(self, **changes):
        changes = {"last": False, **changes}
        return replace(self, indent=self.indent + "    ", depth=self.depth + 1, **changes)


class Writer(Expressions):
    """Writes the lines of one kernel, with or without a function that it calls."""

    def __init__(self, rng, has_axes, block):
        self.rng = rng
        self.threads = 1
        for extent in block:
            self.threads *= extent
        self.has_axes = has_axes
        self.lines = []
        self.reads = True  # whether the phase is a reading one
        self.counters = []  # of the enclosing loops, the same in all threads
        self.helper = None  # the phase in which the helper may be called; None without a helper
        self.in_helper = False
        self.apart = self.chance(0.15)  # whole warps wait for each other at different barriers
        self.budget = rng.choice([4, 8, 12, 24])

    def write_kernel(self):
        if self.chance(0.3):
            self.write_helper()
        for text in (BEGIN, AXES if self.has_axes else ONE_AXIS, START):
            self.lines += text.splitlines()
        self.write_sequence(Place(), self.rng.randrange(2, 7))
        return [*self.lines, END]

    def write_helper(self):
        """A per-thread function with an early return, which becomes a jump past several branches in the kernel."""
        axes, self.has_axes, self.in_helper = self.has_axes, False, True
        reads = self.reads = self.chance(0.5)
        self.lines += HELPER.splitlines()
        self.write_sequence(Place(barriers=False, warps=False), self.rng.randrange(2, 5))
        self.lines.append(HELPER_END)
        self.has_axes, self.in_helper, self.reads, self.helper = axes, False, True, reads
        self.budget = self.rng.choice([4, 8, 12])

    def add_line(self, place, text):
        if self.in_helper and text == "return":
            text = "return v0 % 10007"
        self.lines.append(place.indent + text)

    # Where all threads, or all lanes of a warp, arrive

    def write_sequence(self, place, size):
        """Write statements; return False if no barriers may follow."""
        for left in range(size, 0, -1):
            self.budget -= 1
            kind = self.rng.choices(*zip(*self.list_choices(place), strict=True))[0]
            if kind == "exit" and self.write_exit(place, left - 1):
                return
            if kind == "loop" and self.write_barrier_loop(place):
                self.write_sequence(replace(place, barriers=False, warps=False), min(left - 1, 2))
                return
            if kind not in ("exit", "loop"):
                getattr(self, f"write_{kind}")(place)

    def list_choices(self, place):
        yield "work", 6
        yield "exit", 2
        if self.helper == self.reads:
            yield "call", 3
        deep = place.depth > 3 or self.budget < 0
        if place.barriers:
            yield "barrier", 5
            if not deep:
                yield "loop", 3
                yield "uniform_branch", 1.5
        if place.warps:
            yield "warp_statement", 4
            if not deep:
                yield "warp_branch", 1
                yield "warp_loop", 1

    def write_call(self, place):
        self.add_line(place, f"{self.choose_variable()} = {CALL}")

    def write_barrier(self, place, reads=None):
        after = self.chance(0.5) if reads is None else reads
        name, target = "", self.choose_variable()
        if self.rng.randrange(6) >= 4:
            name = self.rng.choice(["count", "and", "or"])
        if self.apart and self.chance(0.4):
            self.add_line(
                place, f"if (t >> 5) {self.rng.choice(['==', '<', '!='])} {self.rng.randrange(3)}:"
            )
            self.write_effect(place.inside())
            self.write_barrier_call(place.inside(), name, target)
            self.add_line(place, "else:")
            self.write_barrier_call(place.inside(), name, target)
        else:
            self.write_barrier_call(place, name, target)
        self.reads = after

    def write_barrier_call(self, place, name, target):
        if name:
            condition = self.make_condition()
            self.add_line(place, f"{target} = int(cuda.syncthreads_{name}({condition}))")
        else:
            self.add_line(place, "cuda.syncthreads()")

    def write_exit(self, place, left):
        """Write side effects and a return, break or continue. Returns whether it also wrote the `left` statements."""
        exits = [word for word, reads in place.exits if reads in (None, self.reads)]
        word = self.rng.choice([*exits, *exits, "return"])
        together = [word for word, reads in place.uniform_exits if reads in (None, self.reads)]
        if together and self.chance(0.3):
            word, condition = self.rng.choice(together), self.make_uniform_condition()
        else:
            condition = self.make_narrow_condition()
        self.add_line(place, f"if {condition}:")
        inside = place.inside()
        for _ in range(self.rng.choice([1, 1, 2, 3])):
            self.write_effect(inside)
        nested = place.depth < 4 and self.chance(0.3)
        if not (nested and place.last and word == "return" and self.chance(0.5)):
            self.add_line(inside, word)
        if nested:
            self.add_line(place, "else:")
            inside = place.inside(last=place.last)
            self.add_line(inside, f"v0 = {self.make_value()}")
            self.write_sequence(inside, left)
        return nested

    def write_barrier_loop(self, place):
        """Write a loop with barriers. Returns whether some threads left it that do not reach a later barrier."""
        entry = self.reads
        final = place.last and self.chance(0.6)
        counter = f"k{len(self.counters)}"
        if len(self.counters) == 2:
            self.write_work(place)
            return False
        times = self.rng.choice(["3", "4", "n % 4", "2", "b + 2"])
        counts_down = self.chance(0.4)
        if counts_down:
            self.add_line(place, f"{counter} = {times}")
        loop = f"while {counter} > 0:" if counts_down else f"for {counter} in range({times}):"
        self.add_line(place, loop)
        self.counters.append(counter)
        together = [("break", entry), ("continue", entry)]
        exits = [("break", entry)] * final
        inside = place.inside(exits=exits, uniform_exits=together)
        self.add_line(inside, f"{counter} -= 1" if counts_down else f"v1 = (v1 + {counter}) % 1009")
        self.write_sequence(inside, self.rng.randrange(2, 6))
        if self.reads != entry or self.chance(0.3):
            self.write_barrier(inside, entry)
        if self.chance(0.3):
            inside = replace(inside, barriers=False, warps=False)
            inside.exits = [*exits, ("continue", entry)]
            self.write_exit(inside, 0)
            self.write_work(inside)
        self.counters.pop()
        self.reads = entry
        return final

    def write_uniform_branch(self, place):
        entry = self.reads
        self.add_line(place, f"if {self.make_uniform_condition()}:")
        self.write_sequence(place.inside(), self.rng.randrange(1, 4))
        if self.chance(0.5):
            if self.reads != entry:
                self.write_barrier(place.inside(), entry)
            return
        after, self.reads = self.reads, entry
        self.add_line(place, "else:")
        self.add_line(place.inside(), f"v2 = {self.make_value()}")
        self.write_sequence(place.inside(), self.rng.randrange(1, 4))
        if self.reads != after:
            self.write_barrier(place.inside(), after)

    def write_warp_branch(self, place):
        own = f"(t >> 5) {self.rng.choice(['==', '<', '!='])} {self.rng.randrange(3)}"
        vote = (
            f"cuda.{self.rng.choice(['any', 'all'])}_sync({FULL}, {self.make_narrow_condition()})"
        )
        self.add_line(place, f"if {self.rng.choice([own, own, vote])}:")
        inside = place.inside(barriers=False, exits=[], uniform_exits=[])
        self.write_sequence(inside, self.rng.randrange(1, 4))
        if self.chance(0.3):
            self.add_line(place, "else:")
            self.add_line(inside, f"v0 = {self.make_value()}")
            self.write_sequence(inside, self.rng.randrange(1, 3))

    def write_warp_loop(self, place):
        """Write a loop that the lanes of a warp run together; the trip count depends on the warp."""
        counter = f"j{self.rng.randrange(2)}"
        self.add_line(
            place, f"{counter} = {self.rng.choice(['t >> 5', '(t >> 5) + 2', '3', 'n % 3'])}"
        )
        self.add_line(place, f"while {counter} > 0:")
        inside = place.inside(barriers=False, exits=[], uniform_exits=[])
        self.add_line(inside, f"{counter} -= 1")
        self.write_effect(inside)
        if self.chance(0.5):
            self.add_line(inside, f"if {counter} == {self.rng.randrange(3)}:")
            self.write_effect(inside.inside())
            self.add_line(inside.inside(), self.rng.choice(["break", "continue", "return"]))
        for _ in range(self.rng.randrange(1, 3)):
            self.rng.choice([self.write_warp_statement, self.write_work])(inside)
        if self.chance(0.5):
            self.add_line(inside, "cuda.syncwarp()")

    # Warp operations

    def write_warp_statement(self, place):
        kind = self.rng.randrange(5)
        if kind < 2:
            self.add_line(place, f"{self.choose_variable()} = {self.make_warp_value(FULL)}")
        elif kind == 2:
            self.write_exchange(
                place, "", f"t - lane + (lane + {self.rng.randrange(1, 32)}) % lanes"
            )
        elif kind == 3:
            self.add_line(place, "cuda.syncwarp()")
        else:
            self.write_masked_operations(place)

    def write_masked_operations(self, place):
        """Write operations of the lanes that a vote selected."""
        mask = f"m{self.rng.randrange(2)}"
        condition = self.make_divergent_condition()
        self.add_line(place, f"{mask} = cuda.ballot_sync({FULL}, {condition})")
        self.add_line(place, f"if ({mask} >> lane) & 1:")
        inside = place.inside(barriers=False, warps=False, exits=[], uniform_exits=[])
        exchanges = False
        for _ in range(self.rng.randrange(1, 4)):
            kind = self.rng.randrange(5)
            if kind < 2:
                self.add_line(inside, f"{self.choose_variable()} = {self.make_warp_value(mask)}")
            elif kind == 2:
                exchanges = True
                self.write_exchange(inside, mask, f"t - lane + cuda.ffs({mask}) - 1")
            elif kind == 3:
                self.add_line(inside, f"cuda.syncwarp({mask})")
            else:
                self.write_work(inside)
        # Other lanes may read `w` after a lane of the mask has returned.
        if self.chance(0.5) or exchanges:
            self.add_line(place, "cuda.syncwarp()")

    def write_exchange(self, place, mask, neighbour):
        self.add_line(place, f"w[t] = {self.make_value()} % 10007")
        self.add_line(place, f"cuda.syncwarp({mask})")
        self.add_line(place, f"{self.choose_variable()} = w[{neighbour}]")
        self.add_line(place, f"cuda.syncwarp({mask})")

    # Statements of one thread

    def write_work(self, place, depth=0):
        kind = self.rng.randrange(8)
        if kind < 2 and depth < 3 and place.depth < 5:
            self.add_line(place, f"if {self.make_condition()}:")
            inside = place.inside(exits=[], uniform_exits=[])
            self.write_work(inside, depth + 1)
            if self.chance(0.3):
                self.write_work(inside, depth + 1)
            if self.chance(0.2):
                self.add_line(inside, "return" if self.chance(0.3) else f"v2 = {self.make_value()}")
            elif self.chance(0.4):
                self.add_line(place, "else:")
                self.write_work(inside, depth + 1)
        elif kind == 2 and depth < 2 and place.depth < 4:
            self.write_thread_loop(place, depth)
        elif kind < 6:
            self.write_effect(place)
        else:
            self.add_line(place, f"{self.choose_variable()} = {self.make_value()} % 10007")

    def write_thread_loop(self, place, depth):
        bound = self.rng.choice(["3", "t % 4", "x[i] % 5", "n % 4"])
        counter = f"q{depth}"
        self.add_line(place, f"for {counter} in range({bound}):")
        inside = place.inside(exits=[], uniform_exits=[])
        self.add_line(inside, f"v0 = (v0 + {counter}) % 1009")
        self.write_work(inside, depth + 1)
        if self.chance(0.6):
            self.add_line(inside, f"if {self.make_narrow_condition()}:")
            self.write_effect(inside.inside())
            self.add_line(
                inside.inside(), self.rng.choice(["break", "break", "continue", "return"])
            )
            self.write_work(inside, depth + 1)

    def write_effect(self, place):
        """Write a store to memory or an atomic."""
        rng = self.rng
        # Each element of h is used by one operation or two commuting ones, so that their order does not matter.
        element = rng.randrange(8)
        atomic = ["add", "sub", "add", "sub", "max", "min", "xor", "or_"][element]
        effects = [f"o[8 * i + {rng.randrange(7)}] = {self.make_value()}"] * 2
        effects += [f"o[8 * i + {rng.randrange(7)}] += {self.make_value()} % 10007"]
        effects += [f"cuda.atomic.{atomic}(h, {element}, {self.make_value()} % 10007)"]
        effects += [f"cuda.atomic.add(h, {self.make_value()} % 4, {rng.randrange(1, 5)})"]
        if not self.reads:
            effects += [f"{rng.choice(['s[t]', 'g[i]'])} = {self.make_value()} % 10007"] * 3
            effects += [f"cuda.atomic.add(c, {rng.randrange(4)}, {self.make_value()} % 1009)"]
        self.add_line(place, rng.choice(effects))
