"""Expressions and statements from tests/python/calls_numba.csv, which uses every name available in kernels."""

import ast
import copy
import csv
import functools
import warnings
from collections import defaultdict
from pathlib import Path

TABLE = Path(__file__).resolve().parents[1] / "python" / "calls_numba.csv"


@functools.cache
def list_functions():
    """The function definitions in the table, by group."""
    with open(TABLE, newline="") as file:
        sources = dict.fromkeys((row["group"], row["source"]) for row in csv.DictReader(file))
    found = defaultdict(list)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)  # `x is 1`
        for group, source in sources:
            definition = ast.parse(source).body[-1]
            if isinstance(definition, ast.FunctionDef):
                found[group].append(definition)
    return list(found.values())


class WithArguments(ast.NodeTransformer):
    """Replaces reads of a function's parameters by expressions."""

    def __init__(self, arguments):
        self.arguments = arguments

    def visit_Name(self, node):
        known = node.id in self.arguments and isinstance(node.ctx, ast.Load)
        return copy.deepcopy(self.arguments[node.id]) if known else node


def take_function_body(rng, argument):
    """The statements of a random function, with argument() in place of each parameter."""
    function = copy.deepcopy(rng.choice(rng.choice(list_functions())))
    arguments = {parameter.arg: argument() for parameter in function.args.args}
    return [WithArguments(arguments).visit(statement) for statement in function.body]


def take_expression(rng, argument):
    """The returned expression of a random function that consists of one return statement."""
    while True:
        match take_function_body(rng, argument):
            case [ast.Return(value=ast.expr() as value)]:
                return value


def take_statements(rng, argument):
    """The statements of a random function; its result is assigned to a variable."""
    body = []
    for statement in take_function_body(rng, argument):
        if isinstance(statement, ast.Return):
            value = statement.value or ast.Constant(None)
            statement = ast.Assign([ast.Name("result", ast.Store())], value)
        body.append(statement)
    return body
