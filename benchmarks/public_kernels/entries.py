"""Entries of the tables: where a kernel is, and how it is launched."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

BFLOAT16 = "bfloat16"


@dataclass
class Launch:
    """One launch of a kernel.

    arguments: NumPy arrays and scalars. shared: bytes of dynamic shared memory. constants: values of ``__constant__``
    variables. wanted: expected contents of arguments, by position. check: a function of the arrays after the launch, by
    position; it returns true if they are right. types: types of the numbers in arrays of other types, by position, or
    BFLOAT16. changed: positions of the arrays to compare; by default all arrays that the launch changes.
    """

    grid: tuple
    block: tuple
    arguments: tuple
    shared: int = 0
    constants: dict = field(default_factory=dict)
    wanted: dict = field(default_factory=dict)
    check: Callable[[dict], bool] | None = None
    types: dict = field(default_factory=dict)
    changed: tuple | None = None


@dataclass(frozen=True)
class Kernel:
    """A kernel of a suite's files. make: a function of one of ``sizes`` (on GPUs, small) that returns a Launch.
    label: its name in tables, by default the file's and the function's.

    function: the kernel's name or the expression of its instance; in Python the function's name. defines, keep, drop,
    replace: as in device_code.make_program. names: other functions and variables of a Python file that the kernel uses.
    imports: pairs of a name in a Python file and its path in numba.
    tolerance: largest difference of results, relative to the largest value.
    """

    suite: str
    files: tuple[str, ...]
    function: str
    make: Callable[[int], Launch]
    sizes: tuple[int, int]
    label: str = ""
    defines: str = ""
    keep: str = ""
    drop: str = ""
    replace: tuple[tuple[str, str], ...] = ()
    names: tuple[str, ...] = ()
    imports: tuple[tuple[str, str], ...] = ()
    tolerance: float = 1e-3

    @property
    def name(self):
        file = self.files[-1].rpartition("/")[2].rpartition(".")[0]
        return f"{self.suite}: {self.label or f'{file} {self.function}'}"

    @property
    def is_python(self):
        return self.files[-1].endswith((".py", ".ipynb"))


def divide_up(a, b):
    return -(-a // b)


def make_rng():
    return np.random.default_rng(1)


def make_floats(*shape, low=-1.0, high=1.0):
    """Random float32 numbers. Large arrays repeat a part, because random numbers take time."""
    count = int(np.prod(shape))
    part = make_rng().random(min(count, (1 << 20) + 7), np.float32)
    part = part * np.float32(high - low) + np.float32(low)
    return np.resize(part, shape)


def make_ints(*shape, low=0, high=100, dtype=np.int32):
    count = int(np.prod(shape))
    part = make_rng().integers(low, high, min(count, (1 << 20) + 7), dtype)
    return np.resize(part, shape)


def make_zeros(*shape, dtype=np.float32):
    return np.zeros(shape, dtype)


def to_bfloat16(array):
    """The upper halves of float32 numbers."""
    return np.ascontiguousarray(array).view(np.uint16).reshape(*array.shape, 2)[..., 1].copy()


def from_bfloat16(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)
