"""The syntax of kernels of ``cupyx.jit``, rewritten for CuPy's rules: operators are calls of ``jit_arithmetic``'s.

    x * 2           operation("mul", "v", "i", mode)(x, 2)
    s = 0           s = int32(0)                  a variable keeps the type of its first value:
    s += x          s = kept(s, operation("add", ...)(s, x))
    for i in range(n)     i has n's type          threadIdx.x     unsigned(threadIdx.x)

Constants are computed as Python's numbers, also those of globals.
"""

import ast
import builtins
import copy
import functools
import inspect
import operator

import numpy as np

from heddle import cuda
from heddle.compat.cupyx import jit_arithmetic
from heddle.compat.cupyx.jit_arithmetic import types_of_numbers

_binary = {
    ast.Add: ("add", operator.add),
    ast.Sub: ("sub", operator.sub),
    ast.Mult: ("mul", operator.mul),
    ast.Div: ("truediv", operator.truediv),
    ast.FloorDiv: ("floordiv", operator.floordiv),
    ast.Mod: ("mod", operator.mod),
    ast.Pow: ("pow", operator.pow),
    ast.LShift: ("lshift", operator.lshift),
    ast.RShift: ("rshift", operator.rshift),
    ast.BitAnd: ("and", operator.and_),
    ast.BitOr: ("or", operator.or_),
    ast.BitXor: ("xor", operator.xor),
}
_comparisons = {
    ast.Eq: ("eq", operator.eq),
    ast.NotEq: ("ne", operator.ne),
    ast.Lt: ("lt", operator.lt),
    ast.LtE: ("le", operator.le),
    ast.Gt: ("gt", operator.gt),
    ast.GtE: ("ge", operator.ge),
}
_unary = {
    ast.USub: ("neg", operator.neg),
    ast.UAdd: ("pos", operator.pos),
    ast.Invert: ("invert", operator.invert),
}
_largest_folded = 1 << 64  # of a constant: others stay as they are written
_indices = {"threadIdx", "blockIdx", "blockDim", "gridDim"}
_calls_of_indices = {"cuda.grid", "cuda.gridsize", "jit.laneid"}


def with_c_rules(mode):
    """A rewriter of definitions for kernels of that mode, "cuda" or "numpy"."""

    def rewrite(definition, function):
        if not isinstance(definition, ast.FunctionDef):
            return definition
        rewriter = _Rewriter(definition, function, mode)
        definition.body = rewriter.statements(definition.body, rewriter.parameters)
        vars(function).setdefault("__heddle_names__", {}).update(rewriter.names)
        return definition

    return rewrite


def as_argument(value, mode):
    """An argument of a launch: numbers of Python's get the types that constants have."""
    code = _code_of(value)
    return value if code in ("v", "b") else np.dtype(types_of_numbers[mode][code]).type(value)


def _code_of(value):
    """The code of a number of Python's; "v" for anything else."""
    if isinstance(value, np.generic):
        return "v"
    if isinstance(value, bool):
        return "b"
    if isinstance(value, int):
        return "i" if -(1 << 31) <= value < 1 << 31 else "l"
    return "f" if isinstance(value, float) else "c" if isinstance(value, complex) else "v"


def _code(node):
    return _code_of(node.value) if isinstance(node, ast.Constant) else "v"


def _targets(statement):
    """The names that a statement certainly assigns."""
    match statement:
        case ast.Assign(targets=targets):
            parts = [part for target in targets for part in ast.walk(target)]
            return {p.id for p in parts if isinstance(p, ast.Name) and isinstance(p.ctx, ast.Store)}
        case ast.If(body=body, orelse=orelse):
            sides = [set().union(*map(_targets, side)) for side in (body, orelse)]
            return sides[0] & sides[1]
    return set()


class _Rewriter(ast.NodeTransformer):
    """parameters: the function's. names: what the new names in the syntax stand for."""

    def __init__(self, definition, function, mode):
        arguments = definition.args
        all_of_them = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
        self.parameters = frozenset(a.arg for a in all_of_them)
        self.names = {}
        self._mode = mode
        self._known = self.parameters
        self._temporaries = 0
        parts = list(ast.walk(definition))
        stored = {p.id for p in parts if isinstance(p, ast.Name) and isinstance(p.ctx, ast.Store)}
        self._locals = stored | self.parameters
        self._globals = {**vars(builtins), **function.__globals__}
        closure = inspect.getclosurevars(function).nonlocals if function.__closure__ else {}
        self._globals.update(closure)

    # Statements

    def statements(self, body, known):
        """The statements rewritten. known: the variables that have a value before the first."""
        out = []
        for statement in body:
            self._known = frozenset(known)
            done = self.visit(statement)
            out += done if isinstance(done, list) else [done]
            known = known | _targets(statement)
        return out

    def _nested(self, body):
        before = self._known
        out = self.statements(body, before)
        self._known = before
        return out

    def visit_If(self, node):
        node.test = self.visit(node.test)
        node.body, node.orelse = self._nested(node.body), self._nested(node.orelse)
        return node

    def visit_While(self, node):
        return self.visit_If(node)

    def visit_For(self, node):
        stop = self._stop_of(node.iter)
        node.iter = self.visit(node.iter)
        if stop is None or not isinstance(node.target, ast.Name):
            node.body, node.orelse = self._nested(node.body), self._nested(node.orelse)
            return node
        stop = self.visit(stop)
        before = []
        target, counter = node.target, self._temporary()
        value = ast.Name(counter, ast.Load())
        if target.id in self._known:
            value = self._kept(target.id, value, node)
        elif _code(stop) != "v":
            value = self._literal(stop, value)
        elif self._mode == "numpy":
            value = self._cast("int64", value, node)
        else:
            name = self._temporary()
            before = [self._at(node, ast.Assign([ast.Name(name, ast.Store())], stop))]
            place = 0 if len(node.iter.args) == 1 else 1
            node.iter.args[place] = self._at(node, ast.Name(name, ast.Load()))
            value = self._kept(name, value, node)
        first = self._at(node, ast.Assign([ast.Name(target.id, ast.Store())], value))
        node.target = self._at(target, ast.Name(counter, ast.Store()))
        known, self._known = self._known, self._known | {target.id}
        node.body, node.orelse = [first, *self._nested(node.body)], self._nested(node.orelse)
        self._known = known
        return [*before, node]

    def _stop_of(self, call):
        """The bound of a range; None for what loops go over besides."""
        if not isinstance(call, ast.Call) or not 1 <= len(call.args) <= 3:
            return None
        found = self._resolved(call.func)
        if found is not range and getattr(found, "name", None) != "jit.range":
            return None
        return copy.deepcopy(call.args[0 if len(call.args) == 1 else 1])

    def visit_Assign(self, node):
        value = self.visit(node.value)
        node.targets = [self.visit(target) for target in node.targets]
        match node.targets, value:
            case [ast.Tuple(elts=targets)], ast.Tuple(elts=values) if len(targets) == len(values):
                pairs = zip(targets, values, strict=True)
                value.elts = [self._assigned(target, part) for target, part in pairs]
            case [target], _:
                value = self._assigned(target, value)
        node.value = value
        return node

    def _assigned(self, target, value):
        if not isinstance(target, ast.Name):
            return value
        if target.id in self._known:
            return self._kept(target.id, value, value)
        return self._literal(value, value)

    def visit_AugAssign(self, node):
        target, before = node.target, []
        if isinstance(target, ast.Subscript) and not isinstance(
            target.slice, (ast.Constant, ast.Name)
        ):
            name = self._temporary()
            index = self.visit(target.slice)
            before = [self._at(node, ast.Assign([ast.Name(name, ast.Store())], index))]
            target.slice = self._at(target, ast.Name(name, ast.Load()))
        old = copy.deepcopy(target)
        old.ctx = ast.Load()
        value = self._binary(node.op, self.visit(old), self.visit(node.value), node)
        if isinstance(target, ast.Name):
            value = self._kept(target.id, value, node)
        return [*before, self._at(node, ast.Assign([target], value))]

    def visit_Return(self, node):
        if node.value is not None:
            value = self.visit(node.value)
            node.value = self._literal(value, value)
        return node

    def visit_FunctionDef(self, node):
        return node  # its variables are others

    visit_Lambda = visit_FunctionDef

    # Expressions

    def visit_Name(self, node):
        if isinstance(node.ctx, ast.Load) and node.id not in self._locals:
            value = self._globals.get(node.id)
            if _code_of(value) != "v":
                return self._at(node, ast.Constant(value))
        return node

    def visit_BinOp(self, node):
        return self._binary(node.op, self.visit(node.left), self.visit(node.right), node)

    def visit_Compare(self, node):
        if len(node.ops) != 1 or type(node.ops[0]) not in _comparisons:
            return self.generic_visit(node)
        left, right = self.visit(node.left), self.visit(node.comparators[0])
        return self._applied(_comparisons[type(node.ops[0])], left, right, node)

    def visit_UnaryOp(self, node):
        value = self.visit(node.operand)
        if isinstance(node.op, ast.Not):
            node.operand = value
            return node
        name, compute = _unary[type(node.op)]
        if _code(value) != "v":
            return self._folded(compute, [value], node) or self._unary(name, value, node)
        return self._unary(name, value, node)

    def visit_BoolOp(self, node):
        # As in C the result is a bool, not one of the operands.
        twice = [ast.UnaryOp(ast.Not(), ast.UnaryOp(ast.Not(), self.visit(v))) for v in node.values]
        node.values = [self._at(v, made) for v, made in zip(node.values, twice, strict=True)]
        return node

    def visit_IfExp(self, node):
        like = [self._sample(node.orelse), self._sample(node.body)]
        node.test = self.visit(node.test)
        sides = [self.visit(node.body), self.visit(node.orelse)]
        for i, (side, other) in enumerate(zip(sides, like, strict=True)):
            if other is None:
                sides[i] = self._literal(side, side)
            else:
                sides[i] = self._applied(("convert", None), side, self.visit(other), side)
        node.body, node.orelse = sides
        return node

    def visit_Attribute(self, node):
        named = getattr(self._resolved(node.value), "name", "")
        node.value = self.visit(node.value)
        if node.attr in ("x", "y", "z") and named.removeprefix("cuda.") in _indices:
            return self._call(jit_arithmetic.unsigned, [node], node)
        return node

    def visit_Call(self, node):
        function = self._resolved(node.func)
        node = self.generic_visit(node)
        args = node.args
        if function in (min, max) and len(args) > 1 and not node.keywords:
            name = function.__name__
            return functools.reduce(lambda a, b: self._applied((name, function), a, b, node), args)
        if function in (int, float) and len(args) == 1:
            return self._cast("int64" if function is int else "float64", args[0], node)
        if getattr(function, "name", None) in _calls_of_indices:
            return self._call(jit_arithmetic.unsigned, [node], node)
        if isinstance(function, _device_functions):
            node.args = [self._literal(arg, arg) for arg in args]
        return node

    def _sample(self, node):
        """An expression of the same type that reads no memory; None where that is not to be had."""
        for part in ast.walk(node):
            is_call = isinstance(part, ast.Call) and not self._converts(part)
            if is_call or isinstance(part, ast.NamedExpr):
                return None
        return _Sampler(self).visit(copy.deepcopy(node))

    def _converts(self, call):
        """Whether a call changes nothing: min, max, or a type."""
        function = self._resolved(call.func)
        return function in (min, max) or (
            isinstance(function, type) and issubclass(function, (int, float, np.generic))
        )

    def _binary(self, op, left, right, at):
        if type(op) not in _binary:
            return self._at(at, ast.BinOp(left, op, right))
        return self._applied(_binary[type(op)], left, right, at)

    def _applied(self, operation, left, right, at):
        name, compute = operation
        codes = _code(left), _code(right)
        is_known = compute is not None and "v" not in codes
        if is_known and (folded := self._folded(compute, [left, right], at)):
            return folded
        function = jit_arithmetic.operation(name, *codes, self._mode)
        return self._call(function, [left, right], at, "_".join((name, *codes)))

    def _folded(self, compute, operands, at):
        values = [operand.value for operand in operands]
        if compute in (operator.pow, operator.lshift) and abs(values[1]) > 64:
            return None
        try:
            result = compute(*values)
        except (ArithmeticError, TypeError, ValueError):
            return None
        if isinstance(result, int) and not -_largest_folded < result < _largest_folded:
            return None
        return self._at(at, ast.Constant(result))

    def _unary(self, name, value, at):
        return self._call(jit_arithmetic.unary(name), [self._literal(value, value)], at, name)

    def _literal(self, number, value):
        """``value`` as one of the type that the number has, where it is one of Python's."""
        code = _code(number)
        return (
            value if code == "v" else self._cast(types_of_numbers[self._mode][code], value, value)
        )

    def _cast(self, type_name, value, at):
        return self._call(np.dtype(type_name).type, [value], at, type_name)

    def _kept(self, name, value, at):
        return self._call(jit_arithmetic.kept, [ast.Name(name, ast.Load()), value], at)

    def _call(self, function, arguments, at, name=None):
        name = f"__heddle_name_{name or function.__name__}"
        self.names[name] = function
        return self._at(at, ast.Call(ast.Name(name, ast.Load()), arguments, []))

    def _temporary(self):
        self._temporaries += 1
        return f"_heddle_{self._temporaries}"

    def _at(self, place, node):
        """The new node, at the place of another one in the source."""
        for part in ast.walk(node):
            if not hasattr(part, "lineno") and "lineno" in part._attributes:
                ast.copy_location(part, place)
        return node

    def _resolved(self, node):
        """The object that a name, or an attribute of a module, stands for; None for what is computed."""
        match node:
            case ast.Name(id=name) if name not in self._locals:
                return self._globals.get(name)
            case ast.Attribute(value=value, attr=attr):
                owner = self._resolved(value)
                return getattr(owner, attr, None) if inspect.ismodule(owner) else None
        return None


class _Sampler(ast.NodeTransformer):
    def __init__(self, rewriter):
        self._rewriter = rewriter

    def visit_Subscript(self, node):
        array = self.visit(node.value)
        return self._rewriter._call(jit_arithmetic.element, [array], node)


_device_functions = type(cuda.jit(device=True)(lambda: 0))
