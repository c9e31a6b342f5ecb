"""The kernels of ufunc loops: each iteration applies a function to one element, or one part, of every operand."""

import math

import numpy as np

from heddle import _heddle
from heddle.compiler.dispatcher import Dispatcher
from heddle.cuda.native_devices import native_devices, pop_native, push_native
from heddle.ufuncs.kernel_texts import define_loop_function

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

    dtype: of its elements. core: the core dimensions of one iteration's part. is_array: the function takes an array.
    is_result: it receives the function's value or output.
    """

    def __init__(self, dtype, core=(), is_array=False, is_result=False):
        self.dtype, self.core = np.dtype(dtype), tuple(core)
        self.is_array, self.is_result = is_array, is_result

    def format_argument(self, name, form):
        """The expression for the function's argument in iteration i. form: a letter of a UfuncLoop's form."""
        if self.is_array and not self.core:
            return f"{name}[0:1]" if form == "s" else f"{name}[i:i + 1]"
        return f"{name}[0]" if form == "s" else f"{name}[i]"


def make_ufunc_loop(function, operands, target, options):
    """Makes a UfuncLoop. function: a device function. options: those of cuda.jit.

    target: "cpu" runs calls on one thread; others run large calls on all threads. The most common form is compiled at
    once, except for "cuda", which rarely needs one.
    """

    def compile_kernel_of_form(form):
        return _compile_kernel_of_form(function, operands, form, options)

    loop = _heddle.UfuncLoop(
        [(operand.dtype.itemsize, list(operand.core)) for operand in operands],
        # A function without results writes to any of its arguments.
        sum(operand.is_result for operand in operands) or len(operands),
        target != "cpu",
        compile_kernel_of_form,
    )
    if target != "cuda":
        loop.prepare("d" + "c" * len(operands))
    return loop


def _compile_kernel_of_form(function, operands, form, options):
    """Compiles a kernel for operands of a form, which src/bindings/kernels/ufunc_loop describes. Returns the
    Variant."""
    # As in NumPy, host functions do not contract a multiply and an add.
    kernel = Dispatcher(
        generate_loop_function(function, operands, form), {**options, "contract": False}
    )
    push_native(native_devices()[-1])  # the CPU device
    try:
        return kernel.variant_for(*_make_sample_operands(operands, form))
    finally:
        pop_native()


def generate_loop_function(function, operands, form):
    """Generates the kernel, a Python function, for operands of a form."""
    names = [f"x{i}" for i in range(len(operands))]
    parts = [o.format_argument(*pair) for o, *pair in zip(operands, names, form[1:], strict=True)]
    if any(operand.is_array for operand in operands):
        statement = f"function({', '.join(parts)})"
    else:
        statement = f"{parts[-1]} = function({', '.join(parts[:-1])})"
    template = _in_order if form[0] == "q" else _in_any_order
    text = template.format(names=", ".join(names), last=names[-1], statement=statement)
    return define_loop_function(text, {"function": function})


def _make_sample_operands(operands, form):
    """Makes arrays of the form, for their types and layouts."""
    # Five elements per row, because fewer would be compiled in as a constant.
    shapes = [(4,) + (5,) * len(operand.core) for operand in operands]
    sizes = [2 * math.prod(s) * o.dtype.itemsize for s, o in zip(shapes, operands, strict=True)]
    if form[0] != "d":  # the operands share memory
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
