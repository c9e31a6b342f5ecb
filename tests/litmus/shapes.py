"""The litmus tests: a few lines for each thread, and the outcome that must not appear.

A line is a list of operations on the locations x, y and z, which are 0 at first:

    x=1         a strong store                r0=x        a strong load
    X=1         a weak store                  r0?r1=X     a weak load if r0 is not 0; otherwise r1 is 1
    r0=x+1      an atomic addition            F           a fence

``forbidden`` is an expression of the registers and of the final values x, y and z, as NumPy arrays. ``needs`` is the
weakest fence that forbids it: "sc" (fence.sc, which is what __threadfence() is), "acq_rel", or "" without fences.

The facts are those of the PTX ISA's chapter on the memory consistency model, and of the literature's tests.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Shape:
    name: str
    threads: tuple
    forbidden: str
    needs: str

    @property
    def registers(self):
        """How many registers the threads have together."""
        return 1 + max(
            (n for n in range(8) if any(f"r{n}=" in line for line in self.threads)), default=-1
        )

    @property
    def only_atomics(self):
        return any("+" in line for line in self.threads)

    @property
    def has_weak_accesses(self):
        return any("X" in line for line in self.threads)


def _make_shape(name, forbidden, needs, *threads):
    return Shape(name, threads, forbidden, needs)


SHAPES = [
    _make_shape("MP", "(r0 == 1) & (r1 == 0)", "acq_rel", "x=1; F; y=1", "r0=y; F; r1=x"),
    _make_shape("MP+weak", "(r0 == 1) & (r1 == 0)", "acq_rel", "X=1; F; y=1", "r0=y; F; r0?r1=X"),
    _make_shape("SB", "(r0 == 0) & (r1 == 0)", "sc", "x=1; F; r0=y", "y=1; F; r1=x"),
    _make_shape("LB", "(r0 == 1) & (r1 == 1)", "acq_rel", "r0=x; F; y=1", "r1=y; F; x=1"),
    _make_shape("R", "(y == 2) & (r0 == 0)", "sc", "x=1; F; y=1", "y=2; F; r0=x"),
    _make_shape("S", "(r0 == 1) & (x == 2)", "acq_rel", "x=2; F; y=1", "r0=y; F; x=1"),
    _make_shape("2+2W", "(x == 1) & (y == 1)", "sc", "x=1; F; y=2", "y=1; F; x=2"),
    _make_shape(
        "WRC",
        "(r0 == 1) & (r1 == 1) & (r2 == 0)",
        "acq_rel",
        *("x=1", "r0=x; F; y=1", "r1=y; F; r2=x"),
    ),
    _make_shape(
        "ISA2",
        "(r0 == 1) & (r1 == 1) & (r2 == 0)",
        "acq_rel",
        *("x=1; F; y=1", "r0=y; F; z=1", "r1=z; F; r2=x"),
    ),
    _make_shape(
        "RWC",
        "(r0 == 1) & (r1 == 0) & (r2 == 0)",
        "sc",
        *("x=1", "r0=x; F; r1=y", "y=1; F; r2=x"),
    ),
    _make_shape(
        "IRIW",
        "(r0 == 1) & (r1 == 0) & (r2 == 1) & (r3 == 0)",
        "sc",
        *("x=1", "y=1", "r0=x; F; r1=y", "r2=y; F; r3=x"),
    ),
    _make_shape("CoRR", "(r0 == 1) & (r1 == 0)", "", "x=1", "r0=x; r1=x"),
    _make_shape("CoWW", "x == 1", "", "x=1; x=2", "r0=x"),
    _make_shape("CoRW1", "r0 == 1", "", "r0=x; x=1", "r1=x"),
    _make_shape("CoRW2", "(r0 == 1) & (x == 1)", "", "x=1", "r0=x; x=2"),
    _make_shape("CoWR", "(r0 == 2) & (x == 1)", "", "x=1; r0=x", "x=2"),
    _make_shape("RMW", "(x != 2) | (r0 == r1)", "", "r0=x+1", "r1=x+1"),
]
