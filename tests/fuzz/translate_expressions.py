"""Expressions in kernels: each method returns (code, type)."""

import ast

import oracle
from kernel_types import (
    ArrayType,
    FunctionType,
    Named,
    Optional,
    RecordType,
    Untranslatable,
    convert_code,
    convert_to_truth,
    format_dotted_name,
    is_complex,
    is_float,
    is_number,
    is_scalar,
    part_of,
    result_type,
    unify,
)

operators = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "truediv",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.Pow: "pow",
    ast.BitAnd: "and_",
    ast.BitOr: "or_",
    ast.BitXor: "xor",
    ast.LShift: "lshift",
    ast.RShift: "rshift",
}
comparisons = {
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
    ast.Eq: "eq",
    ast.NotEq: "ne",
}
symbols = {"add": "+", "sub": "-", "mul": "*", "and_": "&", "or_": "|", "xor": "^"}
symbols |= {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}

places = {}
for _axis in "xyz":
    for _of in ("threadIdx", "blockIdx", "blockDim", "gridDim"):
        places[f"cuda.{_of}.{_axis}"] = f"_c.{_of}_{_axis}"
places["cuda.laneid"] = "_c.lane"
places["cuda.warpsize"] = "32"


# NumPy's names for functions of math.
numpy_twins = {"arcsin": "asin", "arccos": "acos", "arctan": "atan", "arctan2": "atan2"}
numpy_twins |= {"arcsinh": "asinh", "arccosh": "acosh", "arctanh": "atanh"}


class Expressions:
    def translate_expression(self, node, env):
        handler = getattr(self, "on_" + type(node).__name__, None)
        if handler is None:
            raise Untranslatable(type(node).__name__)
        return handler(node, env)

    def translate_scalar(self, node, env):
        code, t = self.translate_expression(node, env)
        t = t.value if isinstance(t, Optional) else t
        if not is_scalar(t):
            raise Untranslatable(f"{t} where a number is needed")
        return code, t

    def translate_number(self, node, env):
        """Like scalar(), but also accepts complex numbers."""
        code, t = self.translate_expression(node, env)
        t = t.value if isinstance(t, Optional) else t
        if not is_number(t):
            raise Untranslatable(f"{t} where a number is needed")
        return code, t

    def on_Constant(self, node, env):
        value = node.value
        if value is True or value is False:
            return repr(value), "bool"
        if isinstance(value, int):
            if value >= 1 << 64:
                raise Untranslatable("a literal beyond uint64")
            return repr(value), "int64" if value < 1 << 63 else "uint64"
        if isinstance(value, float):
            return f"({value!r})", "float64"
        if isinstance(value, complex):
            return f"Complex({value.real!r}, {value.imag!r})", "complex128"
        if value is None:
            return "None", "none"
        raise Untranslatable(repr(value))

    def on_Name(self, node, env):
        if node.id not in env and node.id in self.program.functions:
            return "()", FunctionType(self.program.functions[node.id])
        if node.id not in env:
            raise Untranslatable(f"{node.id} may be undefined")
        return node.id, env[node.id]

    def on_Tuple(self, node, env):
        items = [self.translate_expression(item, env) for item in node.elts]
        return f"({', '.join(code for code, _ in items)},)", tuple(t for _, t in items)

    def on_Attribute(self, node, env):
        name = format_dotted_name(node)
        if name in places:
            return places[name], "int32"
        if name in ("math.pi", "math.e"):
            return f"_{name.replace('.', '_')}", "float64"
        code, t = self.translate_expression(node.value, env)
        if isinstance(t, Named) and node.attr in t.fields:
            i = t.fields.index(node.attr)
            return f"{code}[{i}]", t[i]
        if isinstance(t, RecordType):
            return self.translate_field(code, t, node.attr)
        if is_number(t) and node.attr in ("real", "imag"):
            if is_complex(t):
                return f"{code}.{'re' if node.attr == 'real' else 'im'}", part_of[t]
            zero = "0.0" if is_float(t) else "False" if t == "bool" else "0"
            return (code if node.attr == "real" else f"({code}, {zero})[1]"), t
        if not isinstance(t, ArrayType):
            raise Untranslatable(name)
        if node.attr == "T":
            return f"{code}.T", t
        if node.attr == "shape":
            return f"{code}.shape", ("int64",) * t.ndim
        if node.attr in ("size", "ndim"):
            return (f"{code}.size" if node.attr == "size" else str(t.ndim)), "int64"
        raise Untranslatable(node.attr)

    def on_UnaryOp(self, node, env):
        if isinstance(node.op, ast.Not):
            return (
                f"(not {convert_to_truth(*self.translate_expression(node.operand, env))})",
                "bool",
            )
        code, t = self.translate_number(node.operand, env)
        if isinstance(node.operand, ast.Constant):
            if isinstance(node.op, ast.USub) and t in ("int64", "float64"):
                return f"({-node.operand.value!r})", t
            raise Untranslatable("an operator that CPython folds")
        name = {ast.Invert: "invert", ast.USub: "neg", ast.UAdd: "pos"}[type(node.op)]
        return self.translate_unary(name, code, t)

    def translate_unary(self, op, code, t):
        if is_complex(t):
            if op == "invert":
                raise Untranslatable("~ of a complex number")
            return (f"complex_neg({code})" if op == "neg" else code), t
        if op == "invert":
            if t == "bool":
                return f"(not {code})", t
            result = result_type("invert", t)
            if result is None:
                raise Untranslatable("~ of a float")
            return convert_code(f"_wrap_{t}(~{code})", t, result), result
        result = result_type("neg", t)
        if op == "pos":
            return convert_code(code, t, result), result
        if is_float(result):
            return f"neg({code})", result
        own = result if t == "bool" else t  # narrow integers are negated before they are widened
        return convert_code(f"_wrap_{own}(-{code})", own, result), result

    def on_BinOp(self, node, env):
        left, right = (
            self.translate_expression(node.left, env),
            self.translate_expression(node.right, env),
        )
        if self.is_literal(node.left) and self.is_literal(node.right):
            raise Untranslatable("an operator that CPython folds")
        return self.translate_binary(operators[type(node.op)], *left, *right)

    def is_literal(self, node):
        if isinstance(node, ast.UnaryOp):
            return self.is_literal(node.operand)
        return isinstance(node, ast.Constant)

    def translate_binary(self, op, a, ta, b, tb):
        ta, tb = (t.value if isinstance(t, Optional) else t for t in (ta, tb))
        if isinstance(ta, tuple) and isinstance(tb, tuple) and op == "add":
            return f"({a} + {b})", tuple(ta) + tuple(tb)
        result = is_number(ta) and is_number(tb) and result_type(op, ta, tb)
        if not result:
            raise Untranslatable(f"{ta} {op} {tb}")
        if is_complex(result):
            part = part_of[result]
            return (
                f"complex_{op}_{part}({convert_code(a, ta, result)}, {convert_code(b, tb, result)})",
                result,
            )
        if result == "bool":
            return f"({a} {symbols[op]} {b})", result
        if op in ("lshift", "rshift"):
            function = "shift_left" if op == "lshift" else "shift_right"
            a, b = convert_code(a, ta, result), convert_code(b, tb, "int64")
            return f"_wrap_{result}({function}({a}, {b}))", result
        if is_float(result):
            if op == "pow" and tb in oracle.integral and is_float(ta):
                return f"whole_power({convert_code(a, ta, result)}, {b}, {result!r})", result
            a, b = convert_code(a, ta, result), convert_code(b, tb, result)
            if op == "pow":
                return f"power({a}, {b}, {result!r})", result
            return f"_{op}_{result}({a}, {b})", result
        if op in symbols:
            return f"_wrap_{result}({a} {symbols[op]} {b})", result
        a, b = convert_code(a, ta, result), convert_code(b, tb, result)
        if op == "pow":
            return f"integer_power({a}, {b}, {result!r})", result
        return f"_wrap_{result}({op}({a}, {b}))", result

    def on_Compare(self, node, env):
        if isinstance(node.ops[0], (ast.Is, ast.IsNot)):
            is_none = self.is_none(node, env)
            wanted = isinstance(node.ops[0], ast.Is)
            if is_none in (True, False):
                return repr(is_none == wanted), "bool"
            return (is_none if wanted else f"(not {is_none})"), "bool"
        if isinstance(node.ops[0], (ast.In, ast.NotIn)):
            return self.translate_membership(node, env)
        codes = []
        left, left_type = self.translate_operand(node.left, env)
        for i, (op, comparator) in enumerate(zip(node.ops, node.comparators, strict=True)):
            if type(op) not in comparisons:
                raise Untranslatable("this comparison")
            right, right_type = self.translate_operand(comparator, env)
            name = right
            if i + 1 < len(node.ops):
                name = self.make_temporary()
                right = f"({name} := {right})"
            codes.append(
                self.translate_comparison(comparisons[type(op)], left, left_type, right, right_type)
            )
            left, left_type = name, right_type
        return f"({' and '.join(codes)})", "bool"

    def translate_membership(self, node, env):
        items, types = self.translate_expression(node.comparators[0], env)
        value, t = self.translate_number(node.left, env)
        if len(node.ops) != 1 or not isinstance(types, tuple) or not all(map(is_number, types)):
            raise Untranslatable("this membership")
        x, whole = self.make_temporary(), self.make_temporary()
        same = [
            self.translate_comparison("eq", x, t, f"{whole}[{i}]", item)
            for i, item in enumerate(types)
        ]
        found = f"(({x} := {value}), ({whole} := {items}), {' or '.join(same) or 'False'})[2]"
        return (found if isinstance(node.ops[0], ast.In) else f"(not {found})"), "bool"

    def translate_operand(self, node, env):
        """A number or a tuple of numbers."""
        code, t = self.translate_expression(node, env)
        t = t.value if isinstance(t, Optional) else t
        if is_number(t) or (isinstance(t, tuple) and t and all(map(is_scalar, t))):
            return code, t
        raise Untranslatable(f"a comparison of {t}")

    def translate_comparison(self, op, a, ta, b, tb):
        if isinstance(ta, tuple) or isinstance(tb, tuple):
            if op not in ("eq", "ne") or not isinstance(ta, tuple) or not isinstance(tb, tuple):
                raise Untranslatable("the order of tuples")
            if len(ta) != len(tb):
                raise Untranslatable("tuples of different lengths")
            x, y = self.make_temporary(), self.make_temporary()
            pairs = zip(ta, tb, strict=True)
            same = [
                self.translate_comparison("eq", f"{x}[{i}]", s, f"{y}[{i}]", t)
                for i, (s, t) in enumerate(pairs)
            ]
            equal = f"(({x} := {a}), ({y} := {b}), {' and '.join(same)})[2]"
            return equal if op == "eq" else f"(not {equal})"
        if is_complex(ta) or is_complex(tb):
            if op not in ("eq", "ne"):
                raise Untranslatable("the order of complex numbers")
            common = result_type("add", ta, tb)
            return f"complex_{op}({convert_code(a, ta, common)}, {convert_code(b, tb, common)})"
        if is_float(ta) or is_float(tb):
            common = result_type("add", ta, tb)
            return f"{op}({convert_code(a, ta, common)}, {convert_code(b, tb, common)})"
        return f"{a} {symbols[op]} {b}"

    def on_BoolOp(self, node, env):
        nodes = list(node.values)
        while len(nodes) > 1:
            decided = self.evaluate_condition(nodes[0], env)
            if decided is None:
                break
            if decided == isinstance(node.op, ast.Or):
                return repr(decided), "bool"
            del nodes[0]
        values = [self.translate_number(value, env) for value in nodes]
        t = values[0][1]
        for _, other in values[1:]:
            t = unify(t, other)
        code = convert_code(*values[-1], t)
        for value, value_type in reversed(values[:-1]):
            name = self.make_temporary()
            condition = convert_to_truth(f"({name} := {value})", value_type)
            own = convert_code(name, value_type, t)
            code = (
                f"({code} if {condition} else {own})"
                if isinstance(node.op, ast.And)
                else f"({own} if {condition} else {code})"
            )
        return code, t

    def on_IfExp(self, node, env):
        decided = self.evaluate_condition(node.test, env)
        if decided is not None:
            return self.translate_expression(node.body if decided else node.orelse, env)
        condition = convert_to_truth(*self.translate_expression(node.test, env))
        yes, yes_type = self.translate_expression(node.body, env)
        no, no_type = self.translate_expression(node.orelse, env)
        t = unify(yes_type, no_type)
        return (
            f"({convert_code(yes, yes_type, t)} if {condition} else {convert_code(no, no_type, t)})",
            t,
        )
