"""Functions in kernels: device functions, nested functions, lambdas; binding of parameters and captured variables."""

import ast

from kernel_types import FunctionType, Named, Optional, Untranslatable


def _list_parameters(node):
    a = node.args
    if a.kwarg or a.posonlyargs:
        raise Untranslatable("these parameters")
    return [p.arg for p in a.args], a.vararg and a.vararg.arg, [p.arg for p in a.kwonlyargs]


def _find_names(node, kind):
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, kind)}


def _list_defaults(node):
    """Pairs (parameter, expression of its default)."""
    a = node.args
    found = list(
        zip([p.arg for p in a.args][len(a.args) - len(a.defaults) :], a.defaults, strict=True)
    )
    return found + [
        (p.arg, d) for p, d in zip(a.kwonlyargs, a.kw_defaults, strict=True) if d is not None
    ]


class Functions:
    def parameter_names(self, node):
        names, rest, only_named = _list_parameters(node)
        return [*names, *([rest] if rest else []), *only_named]

    # Definitions

    def do_FunctionDef(self, node, env, depth):
        if node.decorator_list:
            raise Untranslatable("a decorator")
        code, t = self.translate_function_value(node, env)
        return [f"{'    ' * depth}{node.name} = {code}"], {**env, node.name: t}

    def on_Lambda(self, node, env):
        return self.translate_function_value(node, env)

    def translate_function_value(self, node, env):
        """The value of a function definition: the values of captured variables and of defaults."""
        own = set(self.parameter_names(node))
        if not isinstance(node, ast.Lambda):
            own |= _find_names(node, ast.Store)
        captured = [
            name for name in sorted(_find_names(node, ast.Load)) if name in env and name not in own
        ]
        pairs = [(name, env[name], name) for name in captured]
        for name, default in _list_defaults(node):
            code, t = self.translate_expression(default, env)
            pairs.append((f"default of {name}", t, code))
        t = FunctionType(self.program.get_number(node), tuple((name, t) for name, t, _ in pairs))
        return f"({''.join(f'{code}, ' for _, _, code in pairs)})", t

    # Calls

    def find_called_function(self, node, env):
        """(code, type) of the function that an expression names; (None, None) if it is none of the program's."""
        if isinstance(node, ast.Name):
            if isinstance(env.get(node.id), FunctionType):
                return node.id, env[node.id]
            if node.id not in env and node.id in self.program.functions:
                return "()", FunctionType(self.program.functions[node.id])
        if isinstance(node, ast.Lambda):
            return self.translate_function_value(node, env)
        return None, None

    def translate_call(self, function, function_type, node, env):
        definition = self.program.nodes[function_type.number]
        value = self.make_temporary()
        captured = [
            (name, t, f"{value}[{i}]") for i, (name, t) in enumerate(function_type.captured)
        ]
        bound = self.bind_arguments(definition, node, env, captured)
        outer = [entry for entry in captured if not entry[0].startswith("default of ")]
        translated, result, waits = self.program.translate_instance(
            function_type.number,
            tuple(t for _, t in bound),
            tuple((name, t) for name, t, _ in outer),
        )
        codes = ["_c", *(code for code, _ in bound), *(code for _, _, code in outer)]
        if captured:
            codes[0] = f"(_c, {value} := {function})[0]"
        code = f"{translated}({', '.join(codes)})"
        self.waits |= waits
        return (f"(yield from {code})" if waits else code), result

    def bind_arguments(self, definition, node, env, captured):
        """(code, type) of each parameter, given a call's arguments."""
        names, rest, only_named = _list_parameters(definition)
        values = self.translate_spread_arguments(node.args, env)
        given = dict(zip(names, values, strict=False))
        left = values[len(names) :]
        if left and not rest:
            raise Untranslatable("too many arguments")
        for keyword in node.keywords:
            if keyword.arg in given or keyword.arg not in (*names, *only_named):
                raise Untranslatable("this keyword")
            given[keyword.arg] = self.translate_expression(keyword.value, env)
        defaults = dict(_list_defaults(definition))
        held = {name: (code, t) for name, t, code in captured}
        for name in (*names, *only_named):
            if name in given:
                continue
            if name not in defaults:
                raise Untranslatable("too few arguments")
            given[name] = held.get(f"default of {name}") or self.translate_expression(
                defaults[name], {}
            )
        if rest:
            given[rest] = f"({''.join(f'{code}, ' for code, _ in left)})", tuple(t for _, t in left)
        return [given[name] for name in self.parameter_names(definition)]

    def translate_spread_arguments(self, nodes, env):
        """(code, type) of each argument, including the items of `*tuple`."""
        values = []
        for node in nodes:
            if not isinstance(node, ast.Starred):
                values.append(self.translate_expression(node, env))
                continue
            code, t = self.translate_expression(node.value, env)
            if not isinstance(node.value, ast.Name) or not isinstance(t, tuple):
                raise Untranslatable("* of something else than a tuple's name")
            values += [(f"{code}[{i}]", item) for i, item in enumerate(t)]
        return values

    def translate_named_tuple(self, name, node, env):
        fields = self.program.named_tuples[name]
        values = dict(zip(fields, self.translate_spread_arguments(node.args, env), strict=False))
        values |= {k.arg: self.translate_expression(k.value, env) for k in node.keywords}
        if set(values) != set(fields):
            raise Untranslatable("not a value for each field")
        codes = "".join(f"{values[field][0]}, " for field in fields)
        return f"({codes})", Named(name, fields, [values[field][1] for field in fields])

    # Decisions during compilation

    def evaluate_condition(self, node, env):
        """True or False for a condition known before the kernel runs, else None."""
        if isinstance(node, ast.Constant) and isinstance(node.value, (bool, int, float)):
            return bool(node.value)
        if isinstance(node, ast.Compare) and all(
            map(self.is_literal, [node.left, *node.comparators])
        ):
            return bool(eval(compile(ast.Expression(node), "<literals>", "eval"), {}))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            inner = self.evaluate_condition(node.operand, env)
            return None if inner is None else not inner
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.Is, ast.IsNot)):
            is_none = self.is_none(node, env)
            if is_none in (True, False):
                return is_none == isinstance(node.ops[0], ast.Is)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id == "isinstance":
                return self.is_instance(node, env)
        if isinstance(node, ast.BoolOp):
            wanted = isinstance(node.op, ast.Or)
            answers = [self.evaluate_condition(value, env) for value in node.values]
            if wanted in answers:  # regardless of the values before it, which have no effects
                return wanted
            return None if None in answers else not wanted
        return None

    def is_none(self, node, env):
        """For `x is None`: True or False if the type decides, else the code that tests it."""
        if len(node.ops) != 1 or not _is_none_literal(node.comparators[0]):
            raise Untranslatable("this identity")
        code, t = self.translate_expression(node.left, env)
        if t == "none":
            return True
        return f"({code} is None)" if isinstance(t, Optional) else False

    def is_instance(self, node, env):
        _, t = self.translate_expression(node.args[0], env)
        if isinstance(t, Optional):
            raise Untranslatable("isinstance of what may be None")
        classes = node.args[1]
        names = [ast.unparse(c) for c in getattr(classes, "elts", [classes])]
        types = {"int": "int64", "float": "float64", "complex": "complex128", "bool": "bool"}
        for name in names:
            if name == "tuple":
                if isinstance(t, tuple):
                    return True
            elif t == types.get(name, name.removeprefix("np.").rstrip("_")):
                return True
        return False


def _is_none_literal(node):
    return isinstance(node, ast.Constant) and node.value is None
