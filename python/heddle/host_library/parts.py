"""Functions of small arrays applied to the parts of larger ones: objects of ``guvectorize`` in host functions."""

import functools

import numpy as np

from heddle import types
from heddle.compiler.library_registry import (
    compiled,
    define_function_from_text,
    get_element_dtype,
    is_array,
)
from heddle.host_library.shapes import find_broadcast_shape_of_two


@compiled
def _get_core_array_at_index(x, index):
    return x[index] if isinstance(x, np.ndarray) else x


@compiled
def _find_loop_strides(shape, strides, loop):
    """The strides of an array's leading dimensions when they are broadcast to the loop dimensions."""
    if len(loop) == 0:
        return ()
    if len(shape) < len(loop):
        return (0, *_find_loop_strides(shape, strides, loop[1:]))
    return (
        0 if shape[0] == 1 else strides[0],
        *_find_loop_strides(shape[1:], strides[1:], loop[1:]),
    )


class HostGeneralizedUfunc:
    """The host-side implementation of an object made by ``guvectorize``; kernels call its function directly."""

    def __init__(self, ufunc):
        self.name = self.__name__ = ufunc.__name__
        self._ufunc = ufunc
        self._function = compiled(ufunc.py_func)

    def choose_implementation(self, arguments, named, target):
        if target == "cuda" or named:
            return self._function
        layout = self._ufunc.layout
        count, inputs = len(arguments), len(layout.inputs)
        if count not in (inputs, len(layout.operands)):
            return self._function
        results = []
        if count == inputs < len(layout.operands):
            results = self._find_result_dtypes(arguments)
            if results is None:
                return self._function
        groups = layout.operands[:count]
        if any(_get_ndim(a) < len(group) for a, group in zip(arguments, groups, strict=True)):
            return self._function
        ranks = tuple(a.ndim if is_array(a) else None for a in arguments)
        singles = tuple(self._ufunc.list_one_element_arguments())
        return compiled(
            _make_core_array_loop(self._function, layout, ranks, singles, tuple(results))
        )

    def _find_result_dtypes(self, arguments):
        """The dtypes of results that the call creates, found by the signatures; None if they do not determine them."""
        if not self._ufunc.operands or not all(map(_is_array_or_number, arguments)):
            return None
        outs = [None] * self._ufunc.nout
        try:
            dtypes = self._ufunc.resolve_dtypes((*map(get_element_dtype, arguments), *outs))
        except TypeError:
            return None
        names = {name for group in self._ufunc.layout.inputs for name in group}
        known = all(name in names for group in self._ufunc.layout.results for name in group)
        return dtypes[self._ufunc.nin :] if known else None


def _get_ndim(a):
    return a.ndim if is_array(a) else 0


def _is_array_or_number(a):
    return is_array(a) or isinstance(a, (types.Number, types.Boolean))


@functools.cache
def _make_core_array_loop(function, layout, ranks, singles, results):
    """The function of arrays that calls ``function`` for their parts.

    ranks: the numbers of dimensions of the arguments; None for a number. singles: the indices of the arguments whose
    parts are numbers passed as arrays of one element. results: the dtypes of the results that the function creates.
    """
    names = [f"x{i}" for i in range(len(layout.operands))]
    given = names[: len(ranks)]
    space = {
        "np": np,
        "find_broadcast_shape_of_two": find_broadcast_shape_of_two,
        "function": function,
        "part": _get_core_array_at_index,
    }
    space["steps"] = _find_loop_strides
    lines = [f"def applied({', '.join(given)}):", "    loop = ()"]
    extents = {}
    for name, rank, group in zip(given, ranks, layout.operands, strict=False):
        start = 0 if rank is None else rank - len(group)
        if start:
            lines.append(f"    loop = find_broadcast_shape_of_two(loop, {name}.shape[:{start}])")
        for axis, dimension in enumerate(group, start):
            own = f"{name}.shape[{axis}]"
            if dimension in extents:
                lines.append(f"    if {own} != {extents[dimension]}:")
                text = f"'{dimension}' of the layout {layout.text} has different extents"
                lines.append(f"        raise ValueError({text!r})")
            extents.setdefault(dimension, own)
    for name, dtype in zip(names[len(ranks) :], results, strict=True):
        core = "".join(f"{extents[d]}, " for d in layout.operands[names.index(name)])
        lines.append(f"    {name} = np.empty((*loop, {core}), dtype_of_{name})")
        space[f"dtype_of_{name}"] = dtype
    for number, (name, group) in enumerate(zip(names, layout.operands, strict=True)):
        is_given = number < len(ranks)
        if is_given and ranks[number] is None:
            continue
        start = ranks[number] - len(group) if is_given else "len(loop)"
        if is_given and number >= len(layout.inputs):
            lines.append(f"    if {name}.shape[:{start}] != loop:")
            lines.append(
                f"        raise ValueError('result {name} does not have the shape of the loop')"
            )
        shape, strides = "*loop", f"*steps({name}.shape[:{start}], {name}.strides[:{start}], loop)"
        if not is_given:
            shape, strides = f"*{name}.shape", f"*{name}.strides"
        elif group:
            shape, strides = (
                f"{shape}, *{name}.shape[{start}:]",
                f"{strides}, *{name}.strides[{start}:]",
            )
        if number in singles and not group:
            shape, strides = f"{shape}, 1", f"{strides}, 0"
        lines.append(
            f"    {name} = np.lib.stride_tricks.as_strided({name}, ({shape},), ({strides},))"
        )
    parts = ", ".join(f"part({name}, index)" for name in names)
    lines += ["    for index in np.ndindex(loop):", f"        function({parts})"]
    if results:
        lines.append(f"    return {', '.join(names[len(ranks) :])}")
    return define_function_from_text("\n".join(lines) + "\n", space)
