"""Rewrites the syntax of ``cupyx.jit`` kernels for CuPy's rules: operators become calls of ``jit_arithmetic``.

    x * 2           make_operation("mul", "v", "i", mode)(x, 2)
    s = 0           s = int32(0)                  a variable keeps the type of its first value:
    s += x          s = convert_to_type_of(s, make_operation("add", ...)(s, x))
    for i in range(n)     i has n's type          threadIdx.x     to_unsigned(threadIdx.x)

Constants, including globals, are folded as Python numbers.
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
_largest_folded = 1 << 64  # larger constants are not folded
_indices = {"threadIdx", "blockIdx", "blockDim", "gridDim"}
_calls_of_indices = {"cuda.grid", "cuda.gridsize", "jit.laneid"}


def make_rewriter(mode):
    """Makes the function that rewrites the definition of a kernel. mode: "cuda" or "numpy"."""

    def rewrite_definition(definition, function):
        if not isinstance(definition, ast.FunctionDef):
            return definition
        rewriter = _Rewriter(definition, function, mode)
        definition.body = rewriter.rewrite_statements(definition.body, rewriter.parameters)
        vars(function).setdefault("__heddle_names__", {}).update(rewriter.names)
        return definition

    return rewrite_definition


def convert_launch_argument(value, mode):
    """Converts a launch argument: Python numbers get the types of constants."""
    code = _get_number_type_code(value)
    return value if code in ("v", "b") else np.dtype(types_of_numbers[mode][code]).type(value)


def _get_number_type_code(value):
    """The type code of a Python number; "v" for anything else."""
    if isinstance(value, np.generic):
        return "v"
    if isinstance(value, bool):
        return "b"
    if isinstance(value, int):
        return "i" if -(1 << 31) <= value < 1 << 31 else "l"
    return "f" if isinstance(value, float) else "c" if isinstance(value, complex) else "v"


def _get_constant_type_code(node):
    return _get_number_type_code(node.value) if isinstance(node, ast.Constant) else "v"


def _list_assigned_names(statement):
    """The names that a statement always assigns."""
    match statement:
        case ast.Assign(targets=targets):
            parts = [part for target in targets for part in ast.walk(target)]
            return {p.id for p in parts if isinstance(p, ast.Name) and isinstance(p.ctx, ast.Store)}
        case ast.If(body=body, orelse=orelse):
            sides = [set().union(*map(_list_assigned_names, side)) for side in (body, orelse)]
            return sides[0] & sides[1]
    return set()


class _Rewriter(ast.NodeTransformer):
    """parameters: the function's parameters. names: maps the new names in the syntax to objects."""

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

    def rewrite_statements(self, body, known):
        """Rewrites statements. known: the variables that are assigned before the first statement."""
        out = []
        for statement in body:
            self._known = frozenset(known)
            done = self.visit(statement)
            out += done if isinstance(done, list) else [done]
            known = known | _list_assigned_names(statement)
        return out

    def _rewrite_nested_statements(self, body):
        before = self._known
        out = self.rewrite_statements(body, before)
        self._known = before
        return out

    def visit_If(self, node):
        node.test = self.visit(node.test)
        node.body, node.orelse = (
            self._rewrite_nested_statements(node.body),
            self._rewrite_nested_statements(node.orelse),
        )
        return node

    def visit_While(self, node):
        return self.visit_If(node)

    def visit_For(self, node):
        stop = self._find_range_stop(node.iter)
        node.iter = self.visit(node.iter)
        if stop is None or not isinstance(node.target, ast.Name):
            node.body, node.orelse = (
                self._rewrite_nested_statements(node.body),
                self._rewrite_nested_statements(node.orelse),
            )
            return node
        stop = self.visit(stop)
        before = []
        target, counter = node.target, self._make_temporary_name()
        value = ast.Name(counter, ast.Load())
        if target.id in self._known:
            value = self._convert_to_type_of(target.id, value, node)
        elif _get_constant_type_code(stop) != "v":
            value = self._cast_to_literal_type(stop, value)
        elif self._mode == "numpy":
            value = self._make_cast("int64", value, node)
        else:
            name = self._make_temporary_name()
            before = [self._set_location(node, ast.Assign([ast.Name(name, ast.Store())], stop))]
            place = 0 if len(node.iter.args) == 1 else 1
            node.iter.args[place] = self._set_location(node, ast.Name(name, ast.Load()))
            value = self._convert_to_type_of(name, value, node)
        first = self._set_location(node, ast.Assign([ast.Name(target.id, ast.Store())], value))
        node.target = self._set_location(target, ast.Name(counter, ast.Store()))
        known, self._known = self._known, self._known | {target.id}
        node.body, node.orelse = (
            [first, *self._rewrite_nested_statements(node.body)],
            self._rewrite_nested_statements(node.orelse),
        )
        self._known = known
        return [*before, node]

    def _find_range_stop(self, call):
        """The bound of a range; None for other iterables."""
        if not isinstance(call, ast.Call) or not 1 <= len(call.args) <= 3:
            return None
        found = self._resolve_global(call.func)
        if found is not range and getattr(found, "name", None) != "jit.range":
            return None
        return copy.deepcopy(call.args[0 if len(call.args) == 1 else 1])

    def visit_Assign(self, node):
        value = self.visit(node.value)
        node.targets = [self.visit(target) for target in node.targets]
        match node.targets, value:
            case [ast.Tuple(elts=targets)], ast.Tuple(elts=values) if len(targets) == len(values):
                pairs = zip(targets, values, strict=True)
                value.elts = [self._convert_assigned_value(target, part) for target, part in pairs]
            case [target], _:
                value = self._convert_assigned_value(target, value)
        node.value = value
        return node

    def _convert_assigned_value(self, target, value):
        if not isinstance(target, ast.Name):
            return value
        if target.id in self._known:
            return self._convert_to_type_of(target.id, value, value)
        return self._cast_to_literal_type(value, value)

    def visit_AugAssign(self, node):
        target, before = node.target, []
        if isinstance(target, ast.Subscript) and not isinstance(
            target.slice, (ast.Constant, ast.Name)
        ):
            name = self._make_temporary_name()
            index = self.visit(target.slice)
            before = [self._set_location(node, ast.Assign([ast.Name(name, ast.Store())], index))]
            target.slice = self._set_location(target, ast.Name(name, ast.Load()))
        old = copy.deepcopy(target)
        old.ctx = ast.Load()
        value = self._rewrite_binary(node.op, self.visit(old), self.visit(node.value), node)
        if isinstance(target, ast.Name):
            value = self._convert_to_type_of(target.id, value, node)
        return [*before, self._set_location(node, ast.Assign([target], value))]

    def visit_Return(self, node):
        if node.value is not None:
            value = self.visit(node.value)
            node.value = self._cast_to_literal_type(value, value)
        return node

    def visit_FunctionDef(self, node):
        return node  # a nested function has separate variables

    visit_Lambda = visit_FunctionDef

    # Expressions

    def visit_Name(self, node):
        if isinstance(node.ctx, ast.Load) and node.id not in self._locals:
            value = self._globals.get(node.id)
            if _get_number_type_code(value) != "v":
                return self._set_location(node, ast.Constant(value))
        return node

    def visit_BinOp(self, node):
        return self._rewrite_binary(node.op, self.visit(node.left), self.visit(node.right), node)

    def visit_Compare(self, node):
        if len(node.ops) != 1 or type(node.ops[0]) not in _comparisons:
            return self.generic_visit(node)
        left, right = self.visit(node.left), self.visit(node.comparators[0])
        return self._make_operation_or_fold(_comparisons[type(node.ops[0])], left, right, node)

    def visit_UnaryOp(self, node):
        value = self.visit(node.operand)
        if isinstance(node.op, ast.Not):
            node.operand = value
            return node
        name, compute = _unary[type(node.op)]
        if _get_constant_type_code(value) != "v":
            return self._fold_constants(compute, [value], node) or self._rewrite_unary(
                name, value, node
            )
        return self._rewrite_unary(name, value, node)

    def visit_BoolOp(self, node):
        # As in C, the result is a bool, not one of the operands.
        twice = [ast.UnaryOp(ast.Not(), ast.UnaryOp(ast.Not(), self.visit(v))) for v in node.values]
        node.values = [
            self._set_location(v, made) for v, made in zip(node.values, twice, strict=True)
        ]
        return node

    def visit_IfExp(self, node):
        like = [
            self._make_expression_of_same_type(node.orelse),
            self._make_expression_of_same_type(node.body),
        ]
        node.test = self.visit(node.test)
        sides = [self.visit(node.body), self.visit(node.orelse)]
        for i, (side, other) in enumerate(zip(sides, like, strict=True)):
            if other is None:
                sides[i] = self._cast_to_literal_type(side, side)
            else:
                sides[i] = self._make_operation_or_fold(
                    ("convert", None), side, self.visit(other), side
                )
        node.body, node.orelse = sides
        return node

    def visit_Attribute(self, node):
        named = getattr(self._resolve_global(node.value), "name", "")
        node.value = self.visit(node.value)
        if node.attr in ("x", "y", "z") and named.removeprefix("cuda.") in _indices:
            return self._register_and_make_call(jit_arithmetic.to_unsigned, [node], node)
        return node

    def visit_Call(self, node):
        function = self._resolve_global(node.func)
        node = self.generic_visit(node)
        args = node.args
        if function in (min, max) and len(args) > 1 and not node.keywords:
            name = function.__name__
            return functools.reduce(
                lambda a, b: self._make_operation_or_fold((name, function), a, b, node), args
            )
        if function in (int, float) and len(args) == 1:
            return self._make_cast("int64" if function is int else "float64", args[0], node)
        if getattr(function, "name", None) in _calls_of_indices:
            return self._register_and_make_call(jit_arithmetic.to_unsigned, [node], node)
        if isinstance(function, _device_functions):
            node.args = [self._cast_to_literal_type(arg, arg) for arg in args]
        return node

    def _make_expression_of_same_type(self, node):
        """Makes an expression of the same type that accesses no memory; None if there is none."""
        for part in ast.walk(node):
            is_call = isinstance(part, ast.Call) and not self._has_no_side_effects(part)
            if is_call or isinstance(part, ast.NamedExpr):
                return None
        return _Sampler(self).visit(copy.deepcopy(node))

    def _has_no_side_effects(self, call):
        """True if a call is known to have no side effects: min, max, or a number type."""
        function = self._resolve_global(call.func)
        return function in (min, max) or (
            isinstance(function, type) and issubclass(function, (int, float, np.generic))
        )

    def _rewrite_binary(self, op, left, right, at):
        if type(op) not in _binary:
            return self._set_location(at, ast.BinOp(left, op, right))
        return self._make_operation_or_fold(_binary[type(op)], left, right, at)

    def _make_operation_or_fold(self, operation, left, right, at):
        name, compute = operation
        codes = _get_constant_type_code(left), _get_constant_type_code(right)
        is_known = compute is not None and "v" not in codes
        if is_known and (folded := self._fold_constants(compute, [left, right], at)):
            return folded
        function = jit_arithmetic.make_operation(name, *codes, self._mode)
        return self._register_and_make_call(function, [left, right], at, "_".join((name, *codes)))

    def _fold_constants(self, compute, operands, at):
        values = [operand.value for operand in operands]
        if compute in (operator.pow, operator.lshift) and abs(values[1]) > 64:
            return None
        try:
            result = compute(*values)
        except (ArithmeticError, TypeError, ValueError):
            return None
        if isinstance(result, int) and not -_largest_folded < result < _largest_folded:
            return None
        return self._set_location(at, ast.Constant(result))

    def _rewrite_unary(self, name, value, at):
        return self._register_and_make_call(
            jit_arithmetic.make_unary_operation(name),
            [self._cast_to_literal_type(value, value)],
            at,
            name,
        )

    def _cast_to_literal_type(self, number, value):
        """Casts ``value`` to the type of ``number`` if that is a Python number."""
        code = _get_constant_type_code(number)
        return (
            value
            if code == "v"
            else self._make_cast(types_of_numbers[self._mode][code], value, value)
        )

    def _make_cast(self, type_name, value, at):
        return self._register_and_make_call(np.dtype(type_name).type, [value], at, type_name)

    def _convert_to_type_of(self, name, value, at):
        return self._register_and_make_call(
            jit_arithmetic.convert_to_type_of, [ast.Name(name, ast.Load()), value], at
        )

    def _register_and_make_call(self, function, arguments, at, name=None):
        name = f"__heddle_name_{name or function.__name__}"
        self.names[name] = function
        return self._set_location(at, ast.Call(ast.Name(name, ast.Load()), arguments, []))

    def _make_temporary_name(self):
        self._temporaries += 1
        return f"_heddle_{self._temporaries}"

    def _set_location(self, place, node):
        """Gives a new node the source location of another one."""
        for part in ast.walk(node):
            if not hasattr(part, "lineno") and "lineno" in part._attributes:
                ast.copy_location(part, place)
        return node

    def _resolve_global(self, node):
        """The object that a name, or a module's attribute, refers to; None for other expressions."""
        match node:
            case ast.Name(id=name) if name not in self._locals:
                return self._globals.get(name)
            case ast.Attribute(value=value, attr=attr):
                owner = self._resolve_global(value)
                return getattr(owner, attr, None) if inspect.ismodule(owner) else None
        return None


class _Sampler(ast.NodeTransformer):
    def __init__(self, rewriter):
        self._rewriter = rewriter

    def visit_Subscript(self, node):
        array = self.visit(node.value)
        return self._rewriter._register_and_make_call(
            jit_arithmetic.get_element_for_its_type, [array], node
        )


_device_functions = type(cuda.jit(device=True)(lambda: 0))
