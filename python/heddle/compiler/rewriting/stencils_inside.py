"""``stencil`` in compiled functions: ``stencil(lambda a: ...)(x)``, and nested functions with the decorator.

The function contains the kernel's source, so the stencil can be created before compilation. The function then refers
to the stencil by name.
"""

import ast
import builtins
import copy
import itertools

from heddle.compiler import source
from heddle.compiler.rewriting.object_blocks import collect_globals_and_closure
from heddle.compiler.rewriting.stencil import (
    LATE,
    LATE_CVAL,
    define_function_from_source,
    find_constant_variables,
    list_late_neighborhood_names,
    make_stencil,
    stencil,
)
from heddle.errors import TypingError, UnsupportedError

_numbers = itertools.count(1)


def replace_stencils(definition, function):
    """Replaces each stencil by the name of an object in the function's attribute ``__heddle_names__``."""
    return _Rewriter(definition, function).visit(definition)


source.rewriters.append(replace_stencils)


class _Rewriter(ast.NodeTransformer):
    def __init__(self, definition, function):
        self._definition, self._function = definition, function
        self._names = collect_globals_and_closure(function)
        self._nested = {
            part.name: part
            for part in ast.walk(definition)
            if isinstance(part, ast.FunctionDef) and part is not definition
        }
        parameters = [p.arg for p in ast.walk(definition.args) if isinstance(p, ast.arg)]
        self._constants = find_constant_variables(definition, parameters)

    def visit_FunctionDef(self, node):
        if node is self._definition:
            node.body = [self.visit(statement) for statement in node.body]
            return node
        decorator = node.decorator_list[0] if len(node.decorator_list) == 1 else None
        if self._resolve_global(decorator) is stencil:
            options = {}
        elif self._is_stencil(decorator):
            options = self._evaluate_options(decorator)
        else:
            return self.generic_visit(node)
        made = ast.Assign(
            [ast.Name(node.name, ast.Store())], self._make_and_register_stencil(node, options, {})
        )
        return _copy_location(made, node)

    def visit_Call(self, node):
        if self._is_stencil(node):
            return self._make_and_register_stencil_of_call(node, {})
        if not self._is_stencil(node.func):
            return self.generic_visit(node)
        made = node.func
        known = {
            i: self._constants[argument.id]
            for i, argument in enumerate(node.args)
            if isinstance(argument, ast.Name) and argument.id in self._constants
        }
        late = self._find_late_options(made)
        node.func = self._make_and_register_stencil_of_call(made, known, late)
        node.args = [self.visit(argument) for argument in node.args]
        node.keywords = [self.visit(keyword) for keyword in node.keywords]
        for name, value in late.get("neighborhood", []) + late.get("cval", []):
            node.keywords.append(_copy_location(ast.keyword(name, self.visit(value)), made))
        return node

    def _find_late_options(self, call):
        """The options that are only known at the call: option name -> list of (argument name, expression)."""
        late = {}
        for keyword in call.keywords:
            if not self._reads_variables(keyword.value):
                continue
            if keyword.arg == "cval":
                late["cval"] = [(LATE_CVAL, keyword.value)]
            elif keyword.arg == "neighborhood" and _is_tuple_of_pairs(keyword.value):
                ends = [end for pair in keyword.value.elts for end in pair.elts]
                late["neighborhood"] = list(
                    zip(list_late_neighborhood_names(len(ends) // 2), ends, strict=True)
                )
        return late

    def _reads_variables(self, expression):
        """True if it has names that are not constants of the program."""
        return any(
            isinstance(part, ast.Name)
            and part.id not in self._names
            and part.id not in self._constants
            and not hasattr(builtins, part.id)
            for part in ast.walk(expression)
        )

    def _is_stencil(self, node):
        return isinstance(node, ast.Call) and self._resolve_global(node.func) is stencil

    def _resolve_global(self, node):
        """The program's value of a name or of its attribute; None if it is unknown."""
        if isinstance(node, ast.Attribute):
            return getattr(self._resolve_global(node.value), node.attr, None)
        return self._names.get(node.id) if isinstance(node, ast.Name) else None

    def _make_and_register_stencil_of_call(self, call, known, late=()):
        """Makes the stencil of a call. Returns its name.

        known: the arguments that are constants, by position. late: the options that the stencil's call passes.
        """
        if len(call.args) != 1:
            raise TypingError(f"{self._function.__name__}(): stencil takes one kernel")
        kernel = call.args[0]
        options = {**self._evaluate_options(call, late), **dict.fromkeys(late, LATE)}
        if isinstance(kernel, ast.Name) and kernel.id in self._nested:
            kernel = self._nested[kernel.id]
        return _copy_location(self._make_and_register_stencil(kernel, options, known), call)

    def _make_and_register_stencil(self, kernel, options, known):
        if isinstance(kernel, (ast.FunctionDef, ast.Lambda)):
            parameters = [argument.arg for argument in kernel.args.args]
            known = {parameters[i]: value for i, value in known.items() if i < len(parameters)}
            made = make_stencil(self._compile_inner_kernel(kernel), known=known, **options)
        elif (function := self._resolve_global(kernel)) is not None:
            made = make_stencil(function, **options)
        else:
            raise TypingError(
                f"{self._function.__name__}(): the kernel of stencil is not known at compile time\n"
                "  hint: write a lambda, or name a function that is defined in this one"
            )
        name = f"__heddle_name_stencil_{next(_numbers)}"
        self._function.__dict__.setdefault("__heddle_names__", {})[name] = made
        return ast.Name(name, ast.Load())

    def _evaluate_options(self, call, late=()):
        known = {**self._names, **self._constants}
        try:
            return {
                keyword.arg: eval(
                    compile(ast.Expression(keyword.value), "<stencil>", "eval"), known
                )
                for keyword in call.keywords
                if keyword.arg not in late
            }
        except NameError as error:
            raise UnsupportedError(
                f"{self._function.__name__}(): an option of stencil is not known at compile time: {error}\n"
                "  hint: write numbers, or make the stencil outside the function"
            ) from None

    def _compile_inner_kernel(self, kernel):
        """Compiles a kernel that is written inside the function."""
        kernel = copy.deepcopy(kernel)
        if isinstance(kernel, ast.Lambda):
            text = f"kernel = {ast.unparse(kernel)}\n"
            name = "kernel"
        else:
            kernel.decorator_list = []
            text, name = ast.unparse(kernel) + "\n", kernel.name
        own = {part.arg for part in ast.walk(kernel) if isinstance(part, ast.arg)}
        own |= {
            part.id
            for part in ast.walk(kernel)
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
        }
        code = self._function.__code__
        around = {*code.co_varnames, *code.co_cellvars} - own
        for part in ast.walk(kernel):
            if isinstance(part, ast.Name) and part.id in around and part.id not in self._constants:
                raise UnsupportedError(
                    f"{self._function.__name__}(): the kernel of stencil reads the variable {part.id!r} of the "
                    "enclosing function\n"
                    "  hint: pass it to the kernel as an argument"
                )
        return define_function_from_source(
            text, name, self._function, {**self._names, **self._constants}
        )


def _is_tuple_of_pairs(expression):
    return isinstance(expression, ast.Tuple) and all(
        isinstance(pair, ast.Tuple) and len(pair.elts) == 2 for pair in expression.elts
    )


def _copy_location(made, node):
    for part in ast.walk(made):
        ast.copy_location(part, node)
    return made
