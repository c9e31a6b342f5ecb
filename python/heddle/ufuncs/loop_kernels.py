"""The kernels behind a ufunc's loop: each round applies a function to one element, or one part, of every operand."""

import math

import numpy as np

from heddle import _heddle
from heddle.compiler.dispatcher import Dispatcher
from heddle.cuda.native_devices import native_devices, pop_native, push_native
from heddle.ufuncs.kernel_texts import function_of

_in_any_order = """def loop({names}):
    i = grid(1)
    if i < {last}.shape[0]:
        {statement}
"""
_in_order = """def loop({names}):
    for i in range({last}.shape[0]):
        {statement}
"""


class Operand:
    """An argument of a ufunc's function.

    dtype: of its elements. core: the dimensions of the layout that one round's part of it has. is_array: whether the
    function takes it as an array. is_result: whether the function's value, or what it writes, goes there.
    """

    def __init__(self, dtype, core=(), is_array=False, is_result=False):
        self.dtype, self.core = np.dtype(dtype), tuple(core)
        self.is_array, self.is_result = is_array, is_result

    def part(self, name, form):
        """What the function gets of the array ``name`` in round i. form: a letter of a form of a UfuncLoop."""
        if self.is_array and not self.core:
            return f"{name}[0:1]" if form == "s" else f"{name}[i:i + 1]"
        return f"{name}[0]" if form == "s" else f"{name}[i]"


def make_loop(function, operands, target, options):
    """A UfuncLoop. function: a device function. options: those of cuda.jit.

    target: with "cpu" a call runs on one thread, else a large one on all. Its most common form is compiled at once, but
    not for "cuda", which mostly needs none.
    """

    def compile_form(form):
        return _compiled(function, operands, form, options)

    loop = _heddle.UfuncLoop(
        [(operand.dtype.itemsize, list(operand.core)) for operand in operands],
        # A function without results writes to any of its arguments.
        sum(operand.is_result for operand in operands) or len(operands),
        target != "cpu",
        compile_form,
    )
    if target != "cuda":
        loop.prepare("d" + "c" * len(operands))
    return loop


def _compiled(function, operands, form, options):
    """The Variant of a kernel for operands of a form, which src/bindings/kernels/ufunc_loop describes."""
    # Functions of the host round a product before it is added, as NumPy does.
    kernel = Dispatcher(loop_function(function, operands, form), {**options, "contract": False})
    push_native(native_devices()[-1])  # the CPU device
    try:
        return kernel.variant_for(*_samples(operands, form))
    finally:
        pop_native()


def loop_function(function, operands, form):
    """The kernel, a Python function, for operands of a form."""
    names = [f"x{i}" for i in range(len(operands))]
    parts = [o.part(*pair) for o, *pair in zip(operands, names, form[1:], strict=True)]
    if any(operand.is_array for operand in operands):
        statement = f"function({', '.join(parts)})"
    else:
        statement = f"{parts[-1]} = function({', '.join(parts[:-1])})"
    template = _in_order if form[0] == "q" else _in_any_order
    text = template.format(names=", ".join(names), last=names[-1], statement=statement)
    return function_of(text, {"function": function})


def _samples(operands, form):
    """Arrays of the form, for their types and for what a launch sees of them."""
    # Rows of five: of fewer elements, code would know the number.
    shapes = [(4,) + (5,) * len(operand.core) for operand in operands]
    sizes = [2 * math.prod(s) * o.dtype.itemsize for s, o in zip(shapes, operands, strict=True)]
    if form[0] != "d":  # one memory for all
        memory = [np.zeros(max(sizes), np.uint8)] * len(operands)
    else:
        memory = [np.zeros(size, np.uint8) for size in sizes]
    samples = []
    for operand, shape, letter, bytes_ in zip(operands, shapes, form[1:], memory, strict=True):
        strides = np.cumprod((operand.dtype.itemsize, *shape[:0:-1]))[::-1]
        step = 1 if letter == "c" else 2
        samples.append(
            np.ndarray(shape, operand.dtype, bytes_, 0, [int(s) * step for s in strides])
        )
    return samples
