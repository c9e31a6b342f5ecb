"""``cupy._core.create_ufunc``: ufuncs of statements in C++, one for each set of types."""

import numpy as np

from heddle.compat.cupy.array_kinds import is_array
from heddle.compat.cupy.elementwise import ElementwiseKernel
from heddle.compat.cupy.kernel_parameters import cpp_type


class CreatedUfunc:
    """``ufunc(*inputs, out=None, dtype=None)``: the first of the operations that the inputs convert to.

    An operation sees ``in0``, ``in1`` and so on, sets ``out0``, and knows their types as ``in0_type``, ``out0_type``.
    """

    def __init__(self, name, ops, routine=None, preamble="", doc="", **settings):
        self.name = self.__name__ = name
        self.__doc__ = doc
        self._preamble = preamble
        self._loop_prep = settings.get("loop_prep", "")
        self._loops = [_loop(op, routine) for op in ops]
        self.nin, self.nout = len(self._loops[0][0]), len(self._loops[0][1])
        self.nargs = self.nin + self.nout
        self._kernels = {}  # the number of a loop -> its kernel

    @property
    def types(self):
        return [
            "".join(t.char for t in inputs) + "->" + "".join(t.char for t in outputs)
            for inputs, outputs, _ in self._loops
        ]

    def __call__(self, *args, out=None, dtype=None):
        if len(args) not in (self.nin, self.nargs):
            raise TypeError(
                f"{self.name} takes {self.nin} arguments, or {self.nargs} with the outputs, not {len(args)}"
            )
        outputs = args[self.nin :] or (
            () if out is None else out if isinstance(out, tuple) else (out,)
        )
        number = self._number_of(args[: self.nin], dtype)
        types = self._loops[number][0]
        inputs = [
            value.astype(t, copy=False) if is_array(value) else t.type(value)
            for value, t in zip(args, types, strict=False)
        ]
        return self._kernel(number)(*inputs, *outputs)

    def _number_of(self, inputs, dtype):
        for number, (types, outputs, _) in enumerate(self._loops):
            if dtype is not None and outputs[0] != np.dtype(dtype):
                continue
            if dtype is not None or all(map(_converts, inputs, types)):
                return number
        raise TypeError(f"{self.name} has no operation for {[_kind(value) for value in inputs]}")

    def _kernel(self, number):
        if number not in self._kernels:
            inputs, outputs, routine = self._loops[number]
            named = [(f"in{k}", t) for k, t in enumerate(inputs)]
            results = [(f"out{k}", t) for k, t in enumerate(outputs)]
            typedefs = "".join(f"typedef {cpp_type(t)} {n}_type;\n" for n, t in [*named, *results])
            self._kernels[number] = ElementwiseKernel(
                ", ".join(f"{t.name} {n}" for n, t in named),
                ", ".join(f"{t.name} {n}" for n, t in results),
                routine,
                self.name,
                preamble=typedefs + self._preamble,
                loop_prep=self._loop_prep,
            )
        return self._kernels[number]

    def __repr__(self):
        return f"<ufunc '{self.name}'>"


def create_ufunc(name, ops, routine=None, preamble="", doc="", **settings):
    """A ufunc. ops: "ff->f" or ("ff->f", statement), in the order in which they are tried. routine: the statement of
    those that have none."""
    return CreatedUfunc(name, ops, routine, preamble, doc, **settings)


def _loop(op, routine):
    types, own = op if isinstance(op, tuple) else (op, routine)
    inputs, _, outputs = types.partition("->")
    outputs = outputs or inputs[:1]
    return [np.dtype(c) for c in inputs], [np.dtype(c) for c in outputs], own or routine


def _converts(value, wanted):
    """Whether a value is of a type, or converts to it; Python's numbers are of any type that holds them."""
    if is_array(value) or isinstance(value, np.generic):
        return np.can_cast(value.dtype, wanted)
    return np.can_cast(np.min_scalar_type(value), wanted, "same_kind")


def _kind(value):
    return str(value.dtype) if hasattr(value, "dtype") else type(value).__name__
