"""A generated launch: its source and arguments, the expected contents of memory, and what a device leaves there."""

import itertools
import linecache
import math
from dataclasses import dataclass, field, replace

import interpret
import memory
import numpy as np
from arithmetic import Approx
from complex_numbers import Complex

_numbers = itertools.count()

header = """import math
import operator
from collections import namedtuple

import numpy as np

from heddle import cuda
"""


@dataclass
class ArrayArgument:
    """A view of a C-contiguous array. view: Python text appended to `base`, such as "[::-1]", ".T" or "", or an
    expression that contains `base`."""

    base: np.ndarray
    view: str = ""
    writeable: bool = True

    def make_view(self, base):
        return eval(
            self.view if "base" in self.view else "base" + self.view, {"base": base, "np": np}
        )

    def make_copy_and_view(self):
        """A copy of the base, and the view of it to pass to the launch."""
        base = self.base.copy()
        view = self.make_view(base)
        if not self.writeable:
            view.flags.writeable = False
        return base, view

    def to_interpreter_array(self):
        view = self.make_view(self.base)
        first, start = (a.__array_interface__["data"][0] for a in (self.base, view))
        size = self.base.itemsize
        strides = tuple(stride // size for stride in view.strides)
        offset = (start - first) // size if view.size else 0
        return view, memory.Array(
            interpret.to_interpreter_elements(self.base), offset, view.shape, strides
        )


@dataclass
class SameArray:
    """The same array as another argument; the launch then gets device arrays, since each NumPy array would be
    copied."""

    of: str


@dataclass
class Case:
    seed: int
    source: str  # only functions; `header` comes before them
    kernel: str
    grid: tuple
    block: tuple
    arguments: dict = field(default_factory=dict)  # name -> ArrayArgument, SameArray or scalar
    options: dict = field(default_factory=dict)  # for cuda.jit
    elementwise: bool = False  # thread i uses only element i of each array

    def list_values(self, arrays):
        """The launch's arguments in order: `arrays` by name, and the scalars."""
        return [
            arrays[a.of] if isinstance(a, SameArray) else arrays.get(name, a)
            for name, a in self.arguments.items()
        ]

    def with_source(self, source):
        return replace(self, source=source)


def run_in_interpreter(case, watched=False):
    """The expected contents of each array, by argument: a list of elements (Approx where devices may differ).

    Raises Ambiguous, OutOfBounds, Race, Diverged or Untranslatable for a kernel without a unique correct result.
    """
    arrays = {
        name: a.to_interpreter_array()
        for name, a in case.arguments.items()
        if isinstance(a, ArrayArgument)
    }
    values = case.list_values(arrays)
    interpret.run_launch(case.source, case.kernel, case.grid, case.block, values, watched)
    return {name: array.data for name, (_, array) in arrays.items()}


def load_module(case):
    """The names of the case's module: a dict."""
    file = f"<kernel {next(_numbers)} of seed {case.seed}>"
    text = header + case.source
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    names = {}
    try:
        exec(compile(text, file, "exec"), names)
        kernel = names[case.kernel]
        if case.options:
            from heddle import cuda

            names[case.kernel] = cuda.jit(**case.options)(kernel.py_func)
    finally:
        del linecache.cache[file]
    return names


def run_on_device(case, device, kernel=None):
    """The contents of the base of each array after the launch on `device`, by argument."""
    kernel = kernel or load_module(case)[case.kernel]
    bases, views = {}, {}
    for name, argument in case.arguments.items():
        if isinstance(argument, ArrayArgument):
            bases[name], views[name] = argument.make_copy_and_view()
    with device:
        shared = {a.of for a in case.arguments.values() if isinstance(a, SameArray)}
        on_device_now = {name: to_device(views[name]) for name in shared}
        views |= on_device_now
        kernel[case.grid, case.block](*case.list_values(views))
        synchronize()
        for name, array in on_device_now.items():
            array.copy_to_host(bases[name])
    return bases


def to_device(array):
    from heddle import cuda

    return cuda.to_device(array)


def synchronize():
    from heddle import cuda

    cuda.synchronize()


# Several times as many threads as a GPU runs at once: beyond that, a thread does the work of several.
MANY_THREADS = 1_300_000


def repeat_elements(case, repeats):
    """An elementwise case whose elements are repeated."""
    arguments = {
        name: replace(a, base=np.tile(a.base, repeats)) if isinstance(a, ArrayArgument) else a
        for name, a in case.arguments.items()
    }
    size = next(len(a.base) for a in arguments.values() if isinstance(a, ArrayArgument))
    return replace(case, arguments=arguments, grid=(-(-size // case.block[0]),))


def is_elementwise(case, wanted):
    """True if the interpreter also computes the same for both halves of twice repeated elements."""
    try:
        found = run_in_interpreter(repeat_elements(case, 2))
    except Exception:
        return False
    return all(repr(found[name]) == repr(2 * array) for name, array in wanted.items())


def find_differences_when_repeated(case, device, kernel, wanted):
    """find_differences() for a launch on elements repeated so often that each GPU thread handles several."""
    size = next(len(a.base) for a in case.arguments.values() if isinstance(a, ArrayArgument))
    repeats = -(-MANY_THREADS // size)
    wrong = []
    for name, array in run_on_device(repeat_elements(case, repeats), device, kernel).items():
        rows = array.reshape(repeats, size)
        raw = np.ascontiguousarray(rows).view(np.uint8).reshape(repeats, -1)
        for which in np.unique(np.r_[0, repeats - 1, np.flatnonzero((raw != raw[0]).any(1))[:3]]):
            row = find_differences(case, wanted, {name: rows[which]})
            wrong += [(name, which * size + at, have, want) for _, at, have, want in row]
    return wrong


def agrees(found, wanted):
    if isinstance(wanted, Complex):
        return agrees(found.real, wanted.re) and agrees(found.imag, wanted.im)
    if isinstance(wanted, list):
        return all(map(agrees, found, wanted))
    if isinstance(wanted, Approx):
        return abs(found - wanted.value) <= 2 * wanted.error + 1e-300
    if isinstance(wanted, float):
        if wanted != wanted:
            return found != found
        return found == wanted and (
            wanted != 0.0 or math.copysign(1, found) == math.copysign(1, wanted)
        )
    return found == wanted


def find_differences(case, wanted, found):
    """The elements that differ from the expected ones: (argument, index in the base, found, wanted)."""
    wrong = []
    for name, base in found.items():
        for at, (have, want) in enumerate(zip(base.ravel().tolist(), wanted[name], strict=True)):
            if have is not want and not agrees(have, want):
                wrong.append((name, at, have, want))
    return wrong
