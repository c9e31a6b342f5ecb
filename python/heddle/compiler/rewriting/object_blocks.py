"""Blocks of ``with objmode(...)`` in compiled functions, which the Python interpreter runs.

A block becomes a function of the variables that it reads, which returns its declared outputs. Compiled code writes
numbers, and addresses of arrays, to an array of slots and makes two callbacks: the first runs the block and returns
the sizes of its results; the second copies the results to memory that the compiled code has allocated.
"""

import ast
import ctypes
import functools
import itertools

import numpy as np

from heddle import _heddle, types
from heddle.compiler import source
from heddle.compiler.library_registry import (
    compiled,
    define_function,
    dtype_of,
    is_array,
    is_number,
)
from heddle.compiler.object_mode import objmode
from heddle.compiler.rewriting.names_read_first import names_read_first
from heddle.compiler.signatures import parse_signature
from heddle.errors import TypingError, UnsupportedError

_numbers = itertools.count()
# Results of blocks, by the address of their slots, because Python has no storage for threads that share a loop.
_given = {}
_raised = []


class ObjectBlockError(Exception):
    """Marks an exception that leaves a block; ``pending`` returns it."""

    @staticmethod
    def pending():
        return _raised.pop() if _raised else RuntimeError("a block of objmode failed")


def replace_blocks_by_calls(definition, function):
    """Replaces each objmode block by a call of an object in the function's attribute ``__heddle_names__``. Raises
    UnsupportedError for blocks that cannot be calls."""
    return _Rewriter(function).visit(definition)


source.rewriters.append(replace_blocks_by_calls)


class _Rewriter(ast.NodeTransformer):
    def __init__(self, function):
        self._function = function
        code = function.__code__
        self._variables = {*code.co_varnames, *code.co_cellvars}
        self._stores = []  # the ast.Name nodes that are assigned

    def visit_FunctionDef(self, node):
        if not self._stores:
            self._stores = [
                part
                for part in ast.walk(node)
                if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
            ]
        return self.generic_visit(node)

    def visit_With(self, node):
        context = node.items[0].context_expr
        if len(node.items) != 1 or not isinstance(context, ast.Call):
            return node
        if self._value(context.func) is not objmode:
            return node
        self._refuse_exits(node)
        parts = [part for statement in node.body for part in ast.walk(statement)]
        names = [part for part in parts if isinstance(part, ast.Name)]
        inside = {id(name) for name in names}
        outside = {name.id for name in self._stores if id(name) not in inside}
        parameters = set(self._function.__code__.co_varnames[: _parameter_count(self._function)])
        known = self._variables & (outside | parameters)
        outputs = {keyword.arg: self._type(keyword) for keyword in context.keywords}
        inputs = sorted(known & names_read_first(node.body, outputs))
        return self._call(node, inputs, outputs)

    def _call(self, node, inputs, outputs):
        results = ast.Tuple([ast.Name(name, ast.Load()) for name in outputs], ast.Load())
        arguments = [ast.arg(name) for name in inputs]
        body = ast.FunctionDef(
            name="block",
            args=ast.arguments([], arguments, None, [], [], None, []),
            body=[*node.body, ast.Return(results)],
            decorator_list=[],
        )
        body.type_params = []
        module = ast.Module([ast.copy_location(body, node)], [])
        space = find_names(self._function)
        exec(
            compile(ast.fix_missing_locations(module), self._function.__code__.co_filename, "exec"),
            space,
        )
        name = f"__heddle_name_block_{next(_numbers)}"
        block = ObjectBlock(space["block"], list(outputs.values()))
        self._function.__dict__.setdefault("__heddle_names__", {})[name] = block
        call = ast.Call(
            ast.Name(name, ast.Load()), [ast.Name(value, ast.Load()) for value in inputs], []
        )
        target = ast.Tuple([ast.Name(output, ast.Store()) for output in outputs], ast.Store())
        made = ast.Assign([target], call) if outputs else ast.Expr(call)
        for part in ast.walk(made):
            ast.copy_location(part, node.items[0].context_expr)
        return made

    def _refuse_exits(self, node):
        loops = (ast.For, ast.While)
        for statement in node.body:
            inside = {
                id(p)
                for loop in ast.walk(statement)
                if isinstance(loop, loops)
                for p in ast.walk(loop)
            }
            for part in ast.walk(statement):
                leaves = isinstance(part, (ast.Return, ast.Yield, ast.YieldFrom)) or (
                    isinstance(part, (ast.Break, ast.Continue)) and id(part) not in inside
                )
                if leaves:
                    raise UnsupportedError(
                        f"{self._function.__name__}(): a block of objmode cannot be left by "
                        f"{type(part).__name__.lower()}\n"
                        "  hint: give a variable its value in the block, and leave after it"
                    )

    def _value(self, node):
        """The program's value of a name or of its attribute; None if it is unknown."""
        if isinstance(node, ast.Attribute):
            return getattr(self._value(node.value), node.attr, None)
        return find_names(self._function).get(node.id) if isinstance(node, ast.Name) else None

    def _type(self, keyword):
        try:
            declared = eval(
                compile(ast.Expression(keyword.value), "<objmode>", "eval"),
                find_names(self._function),
            )
            if isinstance(declared, str):
                return parse_signature(f"({declared},)").args[0]
            if isinstance(declared, _heddle.Type):
                return declared
        except Exception as error:
            raise TypingError(
                f"{self._function.__name__}(): objmode's type of {keyword.arg!r} is not a type: {error}"
            ) from None
        raise TypingError(
            f"{self._function.__name__}(): objmode's {keyword.arg!r} takes a type, such as "
            f"'float64[:]', not {declared!r}"
        )


def _parameter_count(function):
    code = function.__code__
    extra = bool(code.co_flags & 4) + bool(code.co_flags & 8)  # *args, **kwargs
    return code.co_argcount + code.co_kwonlyargcount + extra


def find_names(function):
    """The globals of a function and the variables of enclosing functions."""
    space = dict(function.__globals__)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            space[name] = cell.cell_contents
        except ValueError:  # unassigned
            continue
    return space


class CallOfPython:
    """Lets compiled code call a Python function with the given result types."""

    def __init__(self, function, *results):
        def called(*values):
            value = function(*values)
            return (value,) if results else ()

        block = ObjectBlock(called, list(results))
        _heddle.overloads[function] = self
        self._choose = block.choose

    def choose(self, arguments, named, target):
        call = self._choose(arguments, named, target)
        return call and compiled(_make_first_result(call))


@functools.cache
def _make_first_result(call):
    def applied(*values):
        results = call(*values)
        return results[0] if len(results) > 0 else None

    return applied


class ObjectBlock:
    """Lets compiled code call a block. Its implementations depend on the types of the inputs."""

    def __init__(self, block, results, keeps_arguments=True):
        """keeps_arguments: the block may keep references to its arguments."""
        self._block, self._results, self._keeps = block, results, keeps_arguments
        self.__name__ = "objmode"
        _heddle.overloads[self] = self

    def __call__(self, *values):
        return self._block(*values)

    def choose(self, arguments, named, target):
        if target == "kernel":
            return None
        inputs = [_make_value(kind, f"x{i}", self._keeps) for i, kind in enumerate(arguments)]
        results = [_make_value(kind, f"y{i}") for i, kind in enumerate(self._results)]
        return compiled(_make_caller(self._block, inputs, results))


def _no_lines(at):
    """No further lines after a result is filled."""
    return []


class _Number:
    """A number in one slot; a complex number in two."""

    def __init__(self, kind, name):
        self.dtype, self.name = np.dtype(dtype_of(kind)), name
        self.slots = 2 if self.dtype.kind == "c" else 1

    def put(self, at):
        if self.dtype.kind == "c":
            return [f"floats[{at}] = {self.name}.real", f"floats[{at + 1}] = {self.name}.imag"]
        where = "floats" if self.dtype.kind == "f" else "slots"
        return [f"{where}[{at}] = {self.name}"]

    def read(self, slots, at):
        if self.dtype.kind == "c":
            parts = slots[at : at + 2].view(np.float64)
            return complex(parts[0], parts[1])
        if self.dtype.kind == "f":
            return float(slots[at : at + 1].view(np.float64)[0])
        return (
            bool(slots[at])
            if self.dtype.kind == "b"
            else int(slots[at : at + 1].view(_wide(self.dtype))[0])
        )

    def keep(self, value, slots, at):
        if self.dtype.kind in "cf":
            slots[at : at + self.slots].view(np.float64)[:] = (
                (complex(value).real, complex(value).imag) if self.slots == 2 else value
            )
        else:
            slots[at : at + 1].view(_wide(self.dtype))[0] = value

    def make(self, at):
        if self.dtype.kind == "c":
            return [f"{self.name} = type_{self.name}(complex(floats[{at}], floats[{at + 1}]))"]
        where = "floats" if self.dtype.kind == "f" else "slots"
        return [f"{self.name} = type_{self.name}({where}[{at}])"]

    def fill(self, value, slots, at):
        """Does nothing: the slots already have the value."""

    def names(self):
        return {f"type_{self.name}": self.dtype.type if self.dtype.kind != "b" else bool}


class _Time:
    """The count of a datetime64 or timedelta64."""

    slots = 1

    def __init__(self, kind, name):
        self.dtype, self.name = np.dtype(dtype_of(kind)), name

    def put(self, at):
        name = self.name
        return [
            f"one_{name} = np.empty(1, type_{name})",
            f"one_{name}[0] = {name}",
            f"slots[{at}] = one_{name}.view(np.int64)[0]",
        ]

    def read(self, slots, at):
        return slots[at].view(self.dtype)

    def names(self):
        return {f"type_{self.name}": self.dtype}


def _wide(dtype):
    return np.uint64 if dtype.kind == "u" else np.int64


class _Array:
    """The address, extents and strides of an array."""

    def __init__(self, kind, name):
        self.dtype, self.ndim, self.name = np.dtype(dtype_of(kind)), kind.ndim, name
        self.slots = 1 + 2 * self.ndim

    def put(self, at):
        lines = [f"slots[{at}] = {self.name}.ctypes.data"]
        for axis in range(self.ndim):
            lines += [
                f"slots[{at + 1 + axis}] = {self.name}.shape[{axis}]",
                f"slots[{at + 1 + self.ndim + axis}] = {self.name}.strides[{axis}]",
            ]
        return lines

    def read(self, slots, at):
        shape = tuple(int(n) for n in slots[at + 1 : at + 1 + self.ndim])
        strides = tuple(int(n) for n in slots[at + 1 + self.ndim : at + self.slots])
        low = sum(min(0, (n - 1) * s) for n, s in zip(shape, strides, strict=True) if n)
        high = sum(max(0, (n - 1) * s) for n, s in zip(shape, strides, strict=True) if n)
        if 0 in shape:
            return np.empty(shape, self.dtype)
        size = high - low + self.dtype.itemsize
        memory = (ctypes.c_char * size).from_address(int(slots[at]) + low)
        return np.ndarray(shape, self.dtype, memory, -low, strides)

    def keep(self, value, slots, at):
        array = np.asarray(value)
        if array.ndim != self.ndim or not np.can_cast(array.dtype, self.dtype, "same_kind"):
            raise TypeError(
                f"objmode: {self.dtype.name} array of {self.ndim} dimensions expected, "
                f"got {array.dtype.name} array of {array.ndim}"
            )
        slots[at + 1 : at + 1 + self.ndim] = array.shape

    def make(self, at):
        shape = "".join(f"slots[{at + 1 + axis}], " for axis in range(self.ndim))
        return [f"{self.name} = np.empty(({shape}), type_{self.name})", *self.put(at)]

    def fill(self, value, slots, at):
        self.read(slots, at)[...] = value

    def names(self):
        return {f"type_{self.name}": self.dtype}


class _Text:
    """The code points of a string."""

    slots = 2

    def __init__(self, name):
        self.name = name

    def put(self, at):
        name = self.name
        return [
            f"codes_{name} = np.empty(len({name}), np.int32)",
            f"for i in range(len({name})):",
            f"    codes_{name}[i] = ord({name}[i])",
            f"slots[{at}] = codes_{name}.ctypes.data",
            f"slots[{at + 1}] = len({name})",
        ]

    def read(self, slots, at):
        return self._codes(slots, at).tobytes().decode("utf-32-le", "surrogatepass")

    def _codes(self, slots, at):
        count = int(slots[at + 1])
        if not count:
            return np.empty(0, np.int32)
        memory = (ctypes.c_int32 * count).from_address(int(slots[at]))
        return np.frombuffer(memory, np.int32)

    def keep(self, value, slots, at):
        slots[at + 1] = len(value)

    def make(self, at):
        name = self.name
        return [
            f"codes_{name} = np.empty(slots[{at + 1}], np.int32)",
            f"slots[{at}] = codes_{name}.ctypes.data",
        ]

    def after(self, at):
        name = self.name
        return [f'{name} = "".join([chr(code) for code in codes_{name}])']

    def fill(self, value, slots, at):
        self._codes(slots, at)[:] = np.frombuffer(
            value.encode("utf-32-le", "surrogatepass"), np.int32
        )

    def names(self):
        return {}


class _Tuple:
    """The elements of a tuple, in consecutive slots."""

    def __init__(self, kind, name, kept):
        self.name = name
        self.elements = [
            _make_value(each, f"{name}_{i}", kept) for i, each in enumerate(kind.types)
        ]
        self.slots = sum(element.slots for element in self.elements)

    def _places(self, at):
        for element in self.elements:
            yield element, at
            at += element.slots

    def put(self, at):
        names = "".join(f"{element.name}, " for element in self.elements)
        lines = [f"{names} = {self.name}"] if names else []
        return lines + [line for element, place in self._places(at) for line in element.put(place)]

    def read(self, slots, at):
        return tuple(element.read(slots, place) for element, place in self._places(at))

    def keep(self, value, slots, at):
        for (element, place), each in zip(self._places(at), value, strict=True):
            element.keep(each, slots, place)

    def make(self, at):
        return [line for element, place in self._places(at) for line in element.make(place)]

    def after(self, at):
        lines = [
            line
            for element, place in self._places(at)
            for line in getattr(element, "after", _no_lines)(place)
        ]
        return [*lines, f"{self.name} = ({''.join(f'{e.name}, ' for e in self.elements)})"]

    def fill(self, value, slots, at):
        for (element, place), each in zip(self._places(at), value, strict=True):
            element.fill(each, slots, place)

    def names(self):
        return {name: value for e in self.elements for name, value in e.names().items()}


class _Optional:
    """A flag, then the value if there is one."""

    def __init__(self, kind, name, kept):
        self.name, self.value = name, _make_value(kind.type, f"{name}_value", kept)
        self.slots = 1 + self.value.slots

    def put(self, at):
        name, value = self.name, self.value
        there = [f"{value.name} = {name}", f"slots[{at}] = 1", *value.put(at + 1)]
        return [f"if {name} is not None:", *(f"    {line}" for line in there)]

    def read(self, slots, at):
        return self.value.read(slots, at + 1) if slots[at] else None

    def keep(self, value, slots, at):
        slots[at] = value is not None
        if value is not None:
            self.value.keep(value, slots, at + 1)

    def make(self, at):
        return self.value.make(at + 1)

    def after(self, at):
        name, value = self.name, self.value
        lines = getattr(value, "after", _no_lines)(at + 1)
        return [*lines, f"{name} = None", f"if slots[{at}] != 0:", f"    {name} = {value.name}"]

    def fill(self, value, slots, at):
        if value is not None:
            self.value.fill(value, slots, at + 1)

    def names(self):
        return self.value.names()


class _Container:
    """The address of a list, dict or set, which Python may only read."""

    slots = 1

    def __init__(self, kind, name):
        self.kind, self.name = kind, name

    def put(self, at):
        return [f"slots[{at}] = {self.name}._address()"]

    def read(self, slots, at):
        return _heddle.container_at(self.kind, int(slots[at]))

    def names(self):
        return {}


class _Record:
    """The address of a copy of a record."""

    slots = 1

    def __init__(self, kind, name):
        self.dtype, self.name = dtype_of(kind), name

    def put(self, at):
        copy = f"copy_{self.name}"
        return [
            f"{copy} = np.empty(1, type_{self.name})",
            f"{copy}[0] = {self.name}",
            f"slots[{at}] = {copy}.ctypes.data",
        ]

    def read(self, slots, at):
        memory = (ctypes.c_char * self.dtype.itemsize).from_address(int(slots[at]))
        return np.ndarray((), np.dtype((np.record, self.dtype)), memory).copy()[()]

    def names(self):
        return {f"type_{self.name}": self.dtype}


class _Nothing:
    slots = 0

    def put(self, at):
        return []

    def read(self, slots, at):
        return None

    def names(self):
        return {}


def _is_container(kind):
    return getattr(kind, "kind", "") in ("list", "dict", "set")


def _is_copied(kind):
    """True if Python's object for a value owns its memory."""
    if isinstance(kind, types.BaseTuple):
        return all(_is_copied(each) for each in kind.types)
    if not _is_container(kind):
        return not is_array(kind)
    parts = [kind.dtype] if kind.kind == "list" else kind.types
    return not kind.is_typed and all(_is_copied(part) for part in parts)


def _make_value(kind, name, kept=True):
    if is_array(kind):
        return _Array(kind, name)
    if is_number(kind):
        return _Number(kind, name)
    if isinstance(kind, (types.NPDatetime, types.NPTimedelta)) and name.startswith("x"):
        return _Time(kind, name)
    if isinstance(kind, types.UnicodeType):
        return _Text(name)
    if isinstance(kind, types.BaseTuple):
        return _Tuple(kind, name, kept)
    if isinstance(kind, types.Optional):
        return _Optional(kind, name, kept)
    if _is_container(kind) and name.startswith("x") and (not kept or _is_copied(kind)):
        return _Container(kind, name)
    if isinstance(kind, types.Record) and name.startswith("x"):
        return _Record(kind, name)
    if kind == types.none and name.startswith("x"):
        return _Nothing()
    raise UnsupportedError(
        f"a block of objmode takes and returns numbers, strings, arrays and tuples of these; it also takes records, "
        f"and lists, dicts and sets of numbers and strings, but not {kind}"
    )


def _make_caller(block, inputs, results):
    """Makes the function that compiled code calls with the inputs; it returns the results."""
    places = list(itertools.accumulate((v.slots for v in [*inputs, *results]), initial=0))
    at_inputs, at_results, count = places[: len(inputs)], places[len(inputs) : -1], places[-1]

    def slots_at(address):
        if not count:
            return np.empty(0, np.int64)
        return np.frombuffer((ctypes.c_int64 * count).from_address(address), np.int64)

    def run(address):
        try:
            slots = slots_at(address)
            values = block(*(v.read(slots, at) for v, at in zip(inputs, at_inputs, strict=True)))
            for value, v, at in zip(values, results, at_results, strict=True):
                v.keep(value, slots, at)
            _given[address] = values
        except BaseException as error:
            _raised.append(error)
            return 1
        return 0

    def give(address):
        try:
            slots, values = slots_at(address), _given.pop(address)
            for value, v, at in zip(values, results, at_results, strict=True):
                v.fill(value, slots, at)
        except BaseException as error:
            _raised.append(error)
            return 1
        return 0

    made = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)
    names = {"np": np, "run": made(run), "give": made(give), "ObjectBlockError": ObjectBlockError}
    lines = [f"slots = np.zeros({max(count, 1)}, np.int64)", "floats = slots.view(np.float64)"]
    for value, at in zip(inputs, at_inputs, strict=True):
        lines += value.put(at)
        names.update(value.names())
    lines += ["if run(slots.ctypes) != 0:", "    raise ObjectBlockError()"]
    for value, at in zip(results, at_results, strict=True):
        lines += value.make(at)
        names.update(value.names())
    lines += ["if give(slots.ctypes) != 0:", "    raise ObjectBlockError()"]
    for value, at in zip(results, at_results, strict=True):
        lines += getattr(value, "after", _no_lines)(at)
    parameters = "".join(f"x{i}, " for i in range(len(inputs)))
    lines += [f"return ({''.join(f'{v.name}, ' for v in results)})"]
    text = f"def applied({parameters}):\n" + "".join(f"    {line}\n" for line in lines)
    return define_function(text, names, number=next(_numbers))
