"""The entries of the evaluation stack, and queries about expressions."""

import ast

# Marks a missing ``self`` below the arguments of a call.
NULL = object()


class CannotRebuild(Exception):
    """The bytecode has a construct that kernels do not support. The text names it, as the object of a sentence."""


class UnusualFlow(CannotRebuild):
    """The nodes of a graph cannot be joined into one."""

    def __init__(self):
        super().__init__("an unusual flow of control")


class Iterator:
    """The iterator of a ``for`` loop."""

    def __init__(self, iterated):
        self.iterated = iterated


class Item:
    """The item of a loop's iterator, until it is assigned to its variable."""

    target = None


class Unpacking:
    """An unpacked value. It becomes an assignment once every part has a target."""

    def __init__(self, value, count, star=None):
        self.value = value
        self.targets = [None] * count
        self.star = star

    def list_unpacked_parts(self):
        """The stack entries; the first part is on top."""
        return [Part(self, index) for index in reversed(range(len(self.targets)))]

    def make_unpacking_target(self):
        """All targets as one; None while some are missing."""
        if None in self.targets:
            return None
        targets = list(self.targets)
        if self.star is not None:
            targets[self.star] = ast.Starred(targets[self.star])
        return ast.Tuple(targets)


class Part:
    """One part of an unpacked value."""

    def __init__(self, unpacking, index):
        self.unpacking = unpacking
        self.index = index


def make_literal(value):
    """The expression of a constant. A negative number is written with an operator, as in source."""
    if isinstance(value, tuple):
        return ast.Tuple([make_literal(item) for item in value])
    if isinstance(value, frozenset):
        return ast.Set([make_literal(item) for item in sorted(value, key=repr)])
    if isinstance(value, slice):  # constant in Python 3.14
        return ast.Slice(
            *(_make_slice_bound(bound) for bound in (value.start, value.stop, value.step))
        )
    if isinstance(value, complex) and value.real:
        return ast.BinOp(make_literal(value.real), ast.Add(), make_literal(complex(0, value.imag)))
    if isinstance(value, (int, float, complex)) and repr(value).startswith("-"):
        return ast.UnaryOp(ast.USub(), ast.Constant(-value))
    return ast.Constant(value)


def _make_slice_bound(value):
    return None if value is None else make_literal(value)


def make_name(identifier):
    return ast.Name(identifier)


def make_slice(lower, upper, step=None):
    bounds = (None if is_none_constant(bound) else bound for bound in (lower, upper, step))
    return ast.Slice(*bounds)


def is_none_constant(expression):
    return expression is None or (isinstance(expression, ast.Constant) and expression.value is None)


def negate_condition(test):
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return operand
        case ast.Compare(left=left, ops=[operator], comparators=right) if (
            type(operator) in _opposites
        ):
            return ast.Compare(left, [_opposites[type(operator)]()], right)
        case ast.BoolOp(op=operator, values=values) if _has_many_negations(values):
            opposite = ast.Or if isinstance(operator, ast.And) else ast.And
            return make_flat_bool_op(opposite, *map(negate_condition, values))
    return ast.UnaryOp(ast.Not(), test)


def _has_many_negations(tests):
    """True if at least half of the tests are negated, so that negating them does not make them longer."""
    negated = sum(isinstance(one, ast.UnaryOp) and isinstance(one.op, ast.Not) for one in tests)
    return 2 * negated >= len(tests)


# Not ``==``: a comparison may be neither for a NaN, and arrays differ.
_opposites = {ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In}


def make_flat_bool_op(operator, *tests):
    """``a and b and c`` as one flat expression."""
    values = []
    for test in tests:
        flat = isinstance(test, ast.BoolOp) and isinstance(test.op, operator)
        values += test.values if flat else [test]
    return ast.BoolOp(operator(), values)


def are_equal_expressions(one, other):
    return one is other or ast.dump(one) == ast.dump(other)


def mentions_name(expression, names):
    return any(isinstance(node, ast.Name) and node.id in names for node in ast.walk(expression))


def contains_call(expression):
    return any(isinstance(node, ast.Call) for node in ast.walk(expression))


def is_stable(expression, variables):
    """True if a later evaluation gives the same value, as long as no variable in it is assigned.

    variables: the function's local variables. An attribute of one may be a record field, which is in memory.
    """
    nodes = list(ast.walk(expression))
    in_memory = any(
        isinstance(node, (ast.Call, ast.Subscript))
        or (isinstance(node, ast.Attribute) and _find_root_name(node) in variables)
        for node in nodes
    )
    return not in_memory


def _find_root_name(expression):
    while isinstance(expression, ast.Attribute):
        expression = expression.value
    return expression.id if isinstance(expression, ast.Name) else None
