"""Blocks of ``with objmode(...)`` in compiled functions, which the Python interpreter runs.

A block becomes a function of the variables that it reads, which returns its declared outputs; see object_calls.
"""

import ast
import itertools

from heddle import _heddle
from heddle.compiler import source
from heddle.compiler.object_mode import objmode
from heddle.compiler.rewriting.names_read_first import list_names_read_first
from heddle.compiler.rewriting.object_calls import ObjectBlock
from heddle.compiler.signatures import parse_signature
from heddle.errors import TypingError, UnsupportedError

_numbers = itertools.count()


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
        if self._resolve_global(context.func) is not objmode:
            return node
        self._reject_statements_that_leave_block(node)
        parts = [part for statement in node.body for part in ast.walk(statement)]
        names = [part for part in parts if isinstance(part, ast.Name)]
        inside = {id(name) for name in names}
        outside = {name.id for name in self._stores if id(name) not in inside}
        parameters = set(self._function.__code__.co_varnames[: _count_parameters(self._function)])
        known = self._variables & (outside | parameters)
        outputs = {
            keyword.arg: self._evaluate_declared_type(keyword) for keyword in context.keywords
        }
        inputs = sorted(known & list_names_read_first(node.body, outputs))
        return self._make_block_and_call(node, inputs, outputs)

    def _make_block_and_call(self, node, inputs, outputs):
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
        space = collect_globals_and_closure(self._function)
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

    def _reject_statements_that_leave_block(self, node):
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

    def _resolve_global(self, node):
        """The program's value of a name or of its attribute; None if it is unknown."""
        if isinstance(node, ast.Attribute):
            return getattr(self._resolve_global(node.value), node.attr, None)
        return (
            collect_globals_and_closure(self._function).get(node.id)
            if isinstance(node, ast.Name)
            else None
        )

    def _evaluate_declared_type(self, keyword):
        try:
            declared = eval(
                compile(ast.Expression(keyword.value), "<objmode>", "eval"),
                collect_globals_and_closure(self._function),
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


def _count_parameters(function):
    code = function.__code__
    extra = bool(code.co_flags & 4) + bool(code.co_flags & 8)  # *args, **kwargs
    return code.co_argcount + code.co_kwonlyargcount + extra


def collect_globals_and_closure(function):
    """The globals of a function and the variables of enclosing functions."""
    space = dict(function.__globals__)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            space[name] = cell.cell_contents
        except ValueError:  # unassigned
            continue
    return space
