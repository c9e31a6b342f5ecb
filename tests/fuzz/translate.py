"""Translates a kernel's source for the interpreter: the same statements with numba's types made explicit.

Each operation becomes a call of arithmetic.py or an expression of Python integers; where paths meet, variables with
different types are converted (see kernel_types.py). A barrier or a warp operation becomes a yield of (site, request),
so a thread is a generator.

Code that the translation does not know raises Untranslatable: the fuzzer makes no such kernels, but shrinking one may.
"""

import ast

from kernel_types import (
    Untranslatable,
    convert_code,
    convert_to_truth,
    format_dotted_name,
    merge_variables,
    unify,
)
from translate_arrays import Arrays
from translate_calls import Calls
from translate_expressions import Expressions, operators
from translate_functions import Functions
from translate_loops import Loops
from translate_warps import Warps


class Program:
    """The functions of a module, each translated for the types that it is called with."""

    def __init__(self, source):
        self.functions = {}  # name -> number
        self.nodes = []  # the node of each function and lambda found so far
        self.numbers = {}  # such a node -> its number
        self.named_tuples = {}  # name -> the fields' names
        for node in ast.parse(source).body:
            if isinstance(node, ast.FunctionDef):
                self.functions[node.name] = self.get_number(node)
            elif (
                isinstance(node, ast.Assign) and format_dotted_name(node.value.func) == "namedtuple"
            ):
                fields = ast.literal_eval(node.value.args[1])
                self.named_tuples[node.targets[0].id] = tuple(fields)
        self.instances = {}
        self.lines = []
        self.sites = 0
        self.shared_arrays = []

    def get_number(self, node):
        if node not in self.numbers:
            self.numbers[node] = len(self.nodes)
            self.nodes.append(node)
        return self.numbers[node]

    def translate_instance(self, number, types, captured=()):
        """(name of the translated function, result type, whether it waits for other threads).

        types: the parameters' types, a tuple for *rest. captured: pairs (name, type) passed after them.
        """
        if isinstance(number, str):
            number = self.functions[number]
        key = (number, types, captured)
        if key not in self.instances:
            self.instances[key] = None
            node = self.nodes[number]
            result, waits = "none", False
            translated = f"f_{len(self.instances)}"
            while True:
                function = Function(self, node, types, captured, result)
                body = function.translate()
                if (function.result, function.waits) == (result, waits):
                    break
                result, waits = function.result, function.waits
            self.lines += [f"def {translated}({', '.join(['_c', *function.parameters])}):", *body]
            self.instances[key] = translated, result, waits
        if self.instances[key] is None:
            raise Untranslatable("recursion")
        return self.instances[key]


class Function(Loops, Functions, Calls, Warps, Arrays, Expressions):
    """The translation of one function for one list of types."""

    def __init__(self, program, node, types, captured, result):
        self.program = program
        self.node = node
        self.wanted = result
        self.result = None
        self.waits = False
        self.loops = []
        self.temporaries = 0
        own = self.parameter_names(node)
        if len(types) != len(own):
            raise Untranslatable("a wrong number of arguments")
        self.env = dict(captured) | dict(zip(own, types, strict=True))
        self.parameters = [*own, *(name for name, _ in captured if name not in own)]

    def translate(self):
        if isinstance(self.node, ast.Lambda):
            body = [ast.Return(self.node.body)]
        else:
            body = self.node.body
        lines, env = self.translate_block(body, self.env, 1)
        if env is not None:
            self.add_result_type("none")
        if self.waits:
            lines.append("    if False: yield")
        self.result = self.result or "none"
        return lines or ["    pass"]

    def add_result_type(self, t):
        self.result = t if self.result in (None, t) else unify(self.result, t)

    def make_temporary(self):
        self.temporaries += 1
        return f"_t{self.temporaries}"

    # Statements: each method returns the lines and the variables after them; None if control does not get there.

    def translate_block(self, statements, env, depth):
        lines = []
        for statement in statements:
            if env is None:
                break
            more, env = self.translate_statement(statement, env, depth)
            lines += more
        return lines, env

    def translate_statement(self, node, env, depth):
        handler = getattr(self, "do_" + type(node).__name__, None)
        if handler is None:
            raise Untranslatable(type(node).__name__)
        return handler(node, env, depth)

    def convert_variables(self, start, to, depth):
        """Lines that convert the variables of `start` to those of `to`.

        A variable that must be None but is not becomes optional the next time that the loop's types are inferred.
        """
        pad = "    " * depth
        return [
            f"{pad}{name} = {convert_code(name, start[name], t)}"
            for name, t in to.items()
            if start[name] != t != "none" and convert_code(name, start[name], t) != name
        ]

    def do_Pass(self, node, env, depth):
        return [], env

    def do_Assign(self, node, env, depth):
        code, t = self.translate_expression(node.value, env)
        if len(node.targets) == 1:
            return self.translate_assignment(node.targets[0], code, t, env, depth)
        value = self.make_temporary()
        lines = [f"{'    ' * depth}{value} = {code}"]
        for target in node.targets:
            more, env = self.translate_assignment(target, value, t, env, depth)
            lines += more
        return lines, env

    def translate_assignment(self, target, code, t, env, depth):
        pad = "    " * depth
        if isinstance(target, ast.Name):
            return [f"{pad}{target.id} = {code}"], {**env, target.id: t}
        if isinstance(target, (ast.Subscript, ast.Attribute)):
            return [pad + self.translate_store(target, code, t, env)], env
        if isinstance(target, ast.Tuple) and isinstance(t, tuple) and len(target.elts) == len(t):
            whole = self.make_temporary()
            lines = [f"{pad}{whole} = {code}"]
            for i, (item, item_type) in enumerate(zip(target.elts, t, strict=True)):
                more, env = self.translate_assignment(item, f"{whole}[{i}]", item_type, env, depth)
                lines += more
            return lines, env
        raise Untranslatable("this target")

    def do_AugAssign(self, node, env, depth):
        pad, op = "    " * depth, operators[type(node.op)]
        value, value_type = self.translate_expression(node.value, env)
        if isinstance(node.target, ast.Name):
            if node.target.id not in env:
                raise Untranslatable("an unknown variable")
            old_type = env[node.target.id]
            code, t = self.translate_binary(op, node.target.id, old_type, value, value_type)
            return self.translate_assignment(node.target, code, t, env, depth)
        return [
            pad + line for line in self.translate_update(node.target, op, value, value_type, env)
        ], env

    def do_Expr(self, node, env, depth):
        code, _ = self.translate_expression(node.value, env)
        return ["    " * depth + code], env

    def do_Return(self, node, env, depth):
        code, t = (
            ("None", "none") if node.value is None else self.translate_expression(node.value, env)
        )
        self.add_result_type(t)
        if self.wanted != "none" and t != "none":
            code = convert_code(code, t, self.wanted)
        return [f"{'    ' * depth}return {code}"], None

    def do_If(self, node, env, depth):
        decided = self.evaluate_condition(node.test, env)
        if decided is not None:
            return self.translate_block(node.body if decided else node.orelse, env, depth)
        condition = convert_to_truth(*self.translate_expression(node.test, env))
        pad = "    " * depth
        yes, yes_env = self.translate_block(node.body, env, depth + 1)
        no, no_env = self.translate_block(node.orelse, env, depth + 1)
        after = merge_variables(yes_env, no_env)
        for lines, out in (yes, yes_env), (no, no_env):
            if out is not None:
                lines += self.convert_variables(out, after, depth + 1)
        lines = [f"{pad}if {condition}:", *(yes or [pad + "    pass"])]
        if no:
            lines += [f"{pad}else:", *no]
        return lines, after
