"""``cupy._core.create_ufunc``: ufuncs made of C++ statements, one for each set of types."""

import numpy as np

from heddle.compat.cupy.array_kinds import is_device_array
from heddle.compat.cupy.elementwise import ElementwiseKernel
from heddle.compat.cupy.kernel_parameters import name_cpp_type


class CreatedUfunc:
    """``ufunc(*inputs, out=None, dtype=None)``: runs the first operation whose types the inputs convert to.

    An operation reads ``in0``, ``in1`` and so on, sets ``out0``, and can name their types ``in0_type``, ``out0_type``.
    """

    def __init__(self, name, ops, routine=None, preamble="", doc="", **settings):
        self.name = self.__name__ = name
        self.__doc__ = doc
        self._preamble = preamble
        self._loop_prep = settings.get("loop_prep", "")
        self._loops = [_parse_operation(op, routine) for op in ops]
        self.nin, self.nout = len(self._loops[0][0]), len(self._loops[0][1])
        self.nargs = self.nin + self.nout
        self._kernels = {}  # the index of an operation -> its kernel

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
        number = self._find_loop_index(args[: self.nin], dtype)
        types = self._loops[number][0]
        inputs = [
            value.astype(t, copy=False) if is_device_array(value) else t.type(value)
            for value, t in zip(args, types, strict=False)
        ]
        kernel = self._get_or_create_kernel(number)
        if any(map(is_device_array, (*inputs, *outputs))):
            return kernel(*inputs, *outputs)
        results = kernel(*inputs, size=1)
        if isinstance(results, tuple):
            return tuple(result.reshape(()) for result in results)
        return results.reshape(())

    def _find_loop_index(self, inputs, dtype):
        if not any(map(is_device_array, inputs)):  # numbers alone have NumPy's types
            inputs = [np.asarray(value)[()] for value in inputs]
        for number, (types, outputs, _) in enumerate(self._loops):
            if dtype is not None and outputs[0] != np.dtype(dtype):
                continue
            if dtype is not None or all(map(_is_convertible, inputs, types)):
                return number
        raise TypeError(
            f"{self.name} has no operation for {[_get_type_name(value) for value in inputs]}"
        )

    def _get_or_create_kernel(self, number):
        if number not in self._kernels:
            inputs, outputs, routine = self._loops[number]
            named = [(f"in{k}", t) for k, t in enumerate(inputs)]
            results = [(f"out{k}", t) for k, t in enumerate(outputs)]
            typedefs = "".join(
                f"typedef {name_cpp_type(t)} {n}_type;\n" for n, t in [*named, *results]
            )
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
    """Create a ufunc. ops: a list of "ff->f" or ("ff->f", statement), tried in this order. routine: the statement for
    entries without one."""
    return CreatedUfunc(name, ops, routine, preamble, doc, **settings)


def _parse_operation(op, routine):
    types, own = op if isinstance(op, tuple) else (op, routine)
    inputs, _, outputs = types.partition("->")
    outputs = outputs or inputs[:1]
    return [np.dtype(c) for c in inputs], [np.dtype(c) for c in outputs], own or routine


def _is_convertible(value, wanted):
    """True if a value converts to the type ``wanted``; Python numbers convert to any type that can hold them."""
    if is_device_array(value) or isinstance(value, np.generic):
        return np.can_cast(value.dtype, wanted)
    return np.can_cast(np.min_scalar_type(value), wanted, "same_kind")


def _get_type_name(value):
    return str(value.dtype) if hasattr(value, "dtype") else type(value).__name__
