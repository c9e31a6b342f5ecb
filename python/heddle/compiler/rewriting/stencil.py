"""``stencil``: functions of a point's neighbors, applied to whole arrays.

The kernel's relative indices become absolute ones in a function of a point. A second function calls it for every point
that has all its neighbors. Both are generated as source and compiled by ``njit``.
"""

import ast
import builtins
import functools
import itertools
import linecache
import numbers

from heddle.compiler.host_dispatcher import HostDispatcher
from heddle.compiler.host_jit import njit
from heddle.compiler.intrinsics import find_intrinsic
from heddle.compiler.source import find_source_lines, parse_and_rewrite_definition
from heddle.errors import OptionError, TypingError, UnsupportedError
from heddle.support.public_function import public

_options = ("cval", "neighborhood", "standard_indexing", "func_or_mode", "mode")
_numbers = itertools.count(1)

LATE = object()  # marks an option whose value is passed at each call of the stencil
LATE_CVAL = "cval_of_points"


def list_late_neighborhood_names(rank):
    """The names of the arguments for a neighborhood of this rank: a low and a high one for each axis."""
    return [f"{end}_{axis}_of_points" for axis in range(rank) for end in ("low", "high")]


@public
def stencil(func_or_mode="constant", **options):
    """Makes a function of whole arrays from a kernel that reads a point's neighbors by relative indices.

        @stencil
        def average(a):
            return (a[-1, 0] + a[1, 0] + a[0, -1] + a[0, 1]) / 4

    ``average(a, out=None)`` returns an array with a's shape and the kernel's return type. Points that lack neighbors
    get ``cval``. The points are divided among threads. Jitted functions may also call it.

    neighborhood: for each axis, the lowest and highest index that the kernel uses; the kernel may then use variables as
        indices within these bounds. cval: the value at the border, 0 by default. standard_indexing: names of arrays
        with absolute indices. mode: only "constant".
    Raises TypingError for an invalid kernel and OptionError for invalid options.
    Same as numba.stencil (numba 0.68, stencils/stencil).

    >>> @stencil
    ... def difference(a):
    ...     return a[1] - a[-1]
    >>> difference(np.array([0.0, 1.0, 4.0, 9.0]))
    array([0., 4., 8., 0.])
    """
    mode = func_or_mode if isinstance(func_or_mode, str) else options.pop("mode", "constant")
    if mode != "constant":
        raise OptionError(f"a stencil's mode is 'constant', not {mode!r}")
    if unknown := set(options) - set(_options):
        raise OptionError(
            f"stencil has no option {min(unknown)!r}; it has {', '.join(_options[:3])}"
        )

    @public
    def make_stencil_of_kernel(kernel):
        return make_stencil(kernel, **options)

    return (
        make_stencil_of_kernel
        if isinstance(func_or_mode, str)
        else make_stencil_of_kernel(func_or_mode)
    )


def make_stencil(kernel, cval=None, neighborhood=None, standard_indexing=(), known=None):
    """Makes the stencil of a kernel.

    cval, neighborhood: LATE if calls pass them, as the arguments LATE_CVAL and list_late_neighborhood_names(). known:
    parameters that are constant integers, which relative indices may use.
    """
    if cval is not None and cval is not LATE and not isinstance(cval, numbers.Number):
        raise OptionError(f"the cval of a stencil is a number, not {cval!r}")
    if isinstance(kernel, HostDispatcher):
        kernel = kernel.py_func
    node, line_offset, *_ = parse_and_rewrite_definition(kernel, find_source_lines(kernel))
    if isinstance(node, ast.Lambda):
        node = _convert_lambda_to_definition(node)
    if not isinstance(node, ast.FunctionDef):
        raise UnsupportedError("a stencil's kernel is written with def or lambda")
    if isinstance(standard_indexing, str):
        standard_indexing = (standard_indexing,)
    found = _RelativeIndices(
        kernel, node, line_offset, standard_indexing, neighborhood, known or {}
    )
    if neighborhood is None:
        neighborhood = found.find_neighborhood()
    elif neighborhood is not LATE and len(neighborhood) != found.rank:
        raise OptionError(
            f"neighborhood has {len(neighborhood)} pairs, but {kernel.__name__} uses {found.rank} indices"
        )
    if neighborhood is not LATE:
        neighborhood = tuple((int(low), int(high)) for low, high in neighborhood)
    names = dict(kernel.__globals__)
    names.update(zip(kernel.__code__.co_freevars, _get_closure_values(kernel), strict=True))
    point = njit(define_function_from_source(found.unparse_source(), found.name, kernel, names))
    source = _generate_source(found, neighborhood, cval)
    names = {
        "np": _import_numpy_late(),
        "prange": find_intrinsic("heddle.prange"),
        found.name: point,
    }
    if cval is not LATE:
        names[LATE_CVAL] = 0 if cval is None else cval
    whole = functools.update_wrapper(
        define_function_from_source(source, found.title, kernel, names), kernel
    )
    del whole.__wrapped__
    dispatcher = njit(whole, parallel=True)
    dispatcher.neighborhood = neighborhood
    return dispatcher


def _convert_lambda_to_definition(node):
    """Converts a lambda to a function definition on the same line."""
    result = ast.copy_location(ast.Return(node.body), node)
    named = ast.FunctionDef("kernel", node.args, [result], [], type_params=[])
    return ast.fix_missing_locations(ast.copy_location(named, node))


def _import_numpy_late():
    import numpy  # late: a process that only decorates needs none

    return numpy


def _get_closure_values(kernel):
    return [cell.cell_contents for cell in kernel.__closure__ or ()]


def define_function_from_source(source, name, kernel, names):
    """Compiles source that has its own file name, so that the compiler finds it."""
    file = f"<stencil {kernel.__name__} {next(_numbers)}>"
    linecache.cache[file] = len(source), None, source.splitlines(keepends=True), file
    names.setdefault("__name__", kernel.__module__)
    exec(compile(source, file, "exec"), names)
    return names[name]


class _RelativeIndices(ast.NodeTransformer):
    """Finds the relative indices of a kernel's arrays, and adds the point's index to them."""

    def __init__(self, kernel, node, line_offset, standard_indexing, neighborhood, known):
        self.line_offset = line_offset
        self.kernel = kernel
        self.title = kernel.__name__ if kernel.__name__.isidentifier() else "kernel"
        self.name = f"{self.title}_at_point"
        self.parameters = [argument.arg for argument in node.args.args]
        if node.args.vararg or node.args.kwarg or node.args.kwonlyargs or node.args.defaults:
            raise self.make_error(node, "a stencil's kernel has plain parameters only")
        if "out" in self.parameters:
            raise TypingError(
                "a stencil's kernel cannot have a parameter 'out', which names the result array"
            )
        if not self.parameters:
            raise self.make_error(node, "a stencil's kernel takes an array first")
        if wrong := set(standard_indexing) - set(self.parameters):
            raise OptionError(f"standard_indexing names {min(wrong)!r}, which is not a parameter")
        if self.parameters[0] in standard_indexing:
            raise OptionError("the first array of a stencil is indexed relative to the point")
        self.absolute = set(standard_indexing)
        self.known = known
        self.any_index = neighborhood is not None
        self.rank = 0
        self.offsets = []
        self.relative = set()
        self.given = node
        self.node = self.visit(node)
        if self.parameters[0] not in self.relative:
            raise self.make_error(
                node, f"the kernel has no relative index of its first array {self.parameters[0]!r}"
            )
        self.node.name, self.node.decorator_list, self.node.returns = self.name, [], None
        self.node.args.args += [ast.arg(index) for index in self.list_point_index_names()]

    def list_point_index_names(self):
        return [f"index_{axis}_of_point" for axis in range(self.rank)]

    def unparse_source(self):
        return ast.unparse(ast.fix_missing_locations(self.node))

    def find_neighborhood(self):
        columns = list(zip(*self.offsets, strict=True))
        return [(builtins.min(0, *column), builtins.max(0, *column)) for column in columns]

    def make_error(self, node, message):
        line = node.lineno + self.line_offset
        return TypingError(f"{self.kernel.__code__.co_filename}:{line}: {message}")

    def visit_Subscript(self, node):
        node = self.generic_visit(node)
        name = node.value.id if isinstance(node.value, ast.Name) else None
        if name not in self.parameters or name in self.absolute:
            return node
        if not isinstance(node.ctx, ast.Load):
            raise self.make_error(
                node, f"a stencil's kernel does not change its arrays: {ast.unparse(node)}"
            )
        offsets = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        for offset in offsets:
            if isinstance(offset, ast.Slice) and (
                offset.step or not offset.lower or not offset.upper
            ):
                raise self.make_error(
                    node, f"a relative slice has a start, a stop and no step: {ast.unparse(node)}"
                )
        if self.rank not in (0, len(offsets)):
            raise self.make_error(
                node, f"{ast.unparse(node)} has {len(offsets)} indices, but others have {self.rank}"
            )
        self.rank = len(offsets)
        self.relative.add(name)
        if not self.any_index:
            for ends in zip(*(self.compute_index_range(offset) for offset in offsets), strict=True):
                self.offsets.append(ends)
        sums = [
            _add_point_index(index, offset)
            for index, offset in zip(self.list_point_index_names(), offsets, strict=True)
        ]
        node.slice = ast.Tuple(sums, ast.Load()) if len(sums) > 1 else sums[0]
        return node

    def compute_index_range(self, offset):
        """The lowest and highest relative index of one axis."""
        if isinstance(offset, ast.Slice):
            return self.evaluate_constant_index(offset.lower), self.evaluate_constant_index(
                offset.upper
            ) - 1
        return (self.evaluate_constant_index(offset),) * 2

    def evaluate_constant_index(self, offset):
        names = {n.id for n in ast.walk(offset) if isinstance(n, ast.Name)}
        closure = dict(
            zip(self.kernel.__code__.co_freevars, _get_closure_values(self.kernel), strict=True)
        )
        own = {**self.known, **find_constant_variables(self.given)}
        known = {**self.kernel.__globals__, **closure, **own}
        if not names & (set(self.kernel.__code__.co_varnames) - set(own)):
            try:
                value = eval(ast.unparse(offset), {"__builtins__": {}}, known)
                return value.__index__()
            except (AttributeError, NameError, TypeError):
                pass
        raise self.make_error(
            offset,
            f"the relative index {ast.unparse(offset)} is not a constant integer\n"
            "  hint: give its range with stencil(neighborhood=((low, high), ...))",
        )


def find_constant_variables(definition, parameters=()):
    """The variables that are assigned one constant integer and nothing else.

    parameters: names that also have other values.
    """
    parts = list(ast.walk(definition))
    names = [part for part in parts if isinstance(part, ast.Name)]
    stored = [name.id for name in names if not isinstance(name.ctx, ast.Load)]
    stored += parameters
    return {
        part.targets[0].id: part.value.value
        for part in parts
        if isinstance(part, ast.Assign)
        and isinstance(part.targets[0], ast.Name)
        and isinstance(part.value, ast.Constant)
        and isinstance(part.value.value, int)
        and stored.count(part.targets[0].id) == 1
    }


def _add_point_index(index, offset):
    """Adds the point's index to a relative index or slice."""
    if isinstance(offset, ast.Slice):
        return ast.Slice(
            _add_point_index(index, offset.lower), _add_point_index(index, offset.upper)
        )
    return ast.BinOp(ast.Name(index, ast.Load()), ast.Add(), offset)


def _generate_source(found, neighborhood, cval):
    first, *others = found.parameters
    late = list_late_neighborhood_names(found.rank) if neighborhood is LATE else []
    late += [LATE_CVAL] if cval is LATE else []
    parameters = [*found.parameters, "out=None", *(f"{name}=0" for name in late)]
    lines = [f"def {found.title}({', '.join(parameters)}):"]

    def add_line(indent, text):
        lines.append(" " * 4 * indent + text)

    for name in others:
        if name in found.relative:
            smaller = " or ".join(
                f"{name}.shape[{k}] < {first}.shape[{k}]" for k in range(found.rank)
            )
            add_line(1, f"if {smaller}:")
            add_line(
                2,
                f"raise ValueError('array {name} is smaller than {first}, the first of the stencil')",
            )
    if neighborhood is LATE:
        begins = [f"begin_{axis}" for axis in range(found.rank)]
        for axis, begin in enumerate(begins):
            add_line(1, f"{begin} = max(0, -low_{axis}_of_points)")
            add_line(1, f"end_{axis} = {first}.shape[{axis}] - max(0, high_{axis}_of_points)")
    else:  # Literals tell compiled loops that no index is negative.
        begins = [str(builtins.max(0, -low)) for low, _ in neighborhood]
        for axis, (_, high) in enumerate(neighborhood):
            add_line(1, f"end_{axis} = {first}.shape[{axis}] - {builtins.max(0, high)}")
    arguments = ", ".join(found.parameters)
    has_points = " and ".join(f"end_{axis} > {begins[axis]}" for axis in range(found.rank))
    add_line(1, "if out is None:")
    # One result of the kernel, if there is any, determines the dtype.
    call = f"{found.name}({arguments}, {', '.join(begins)})"
    add_line(2, f"results = [{call} for _ in range(1 if {has_points} else 0)]")
    add_line(2, f"result = np.full({first}.shape, {LATE_CVAL}, np.array(results).dtype)")
    add_line(1, "else:")
    add_line(2, "result = out")
    if cval is not None:
        add_line(2, f"result[:] = {LATE_CVAL}")
    indices = found.list_point_index_names()
    for axis, index in enumerate(indices):
        add_line(
            1 + axis, f"for {index} in {'range' if axis else 'prange'}({begins[axis]}, end_{axis}):"
        )
    point = ", ".join(indices)
    add_line(1 + found.rank, f"result[{point}] = {found.name}({arguments}, {point})")
    add_line(1, "return result")
    return "\n".join(lines) + "\n"
