"""Calls in kernels: of the program's own functions, of Python's, NumPy's and cuda's."""

import ast

import arithmetic as ar
import oracle
from kernel_types import (
    ArrayType,
    Untranslatable,
    complexes,
    convert_code,
    convert_to_truth,
    format_dotted_name,
    is_complex,
    is_float,
    is_integer,
    is_number,
    is_scalar,
    math_type,
    mixed_type,
    numpy_float_type,
    part_of,
    unify,
)
from translate_expressions import comparisons, numpy_twins


class Calls:
    def on_Call(self, node, env):
        name = format_dotted_name(node.func)
        function, function_type = self.find_called_function(node.func, env)
        if function is not None:
            return self.translate_call(function, function_type, node, env)
        if name in self.program.named_tuples and name not in env:
            return self.translate_named_tuple(name, node, env)
        if node.keywords:
            raise Untranslatable("keywords")
        module, _, last = name.rpartition(".")
        if module == "cuda.atomic":
            return self.translate_atomic(last, node, env)
        if module == "operator":
            return self.translate_operator_function(last, node, env)
        if module == "np" and last in (*oracle.scalars, "float16", *complexes):
            code, t = self.translate_number(node.args[0], env)
            return convert_code(code, t, last), last
        handler = getattr(self, f"call_{name.replace('.', '_')}", None)
        if handler is not None:
            return handler(node, env)
        if module in ("math", "np"):
            return self.translate_library_function(module, last, node, env)
        if isinstance(node.func, ast.Attribute):
            return self.translate_method(node, env)
        raise Untranslatable(f"a call of {name}")

    def translate_operator_function(self, name, node, env):
        """A function of Python's operator module."""
        name = (
            name
            if name in ("ior", "invert", "is_", "is_not") or not name.startswith("i")
            else name[1:]
        )
        name = {"or": "or_", "and": "and_", "ior": "or_"}.get(name, name)
        if name in ("neg", "pos", "invert", "not_", "truth"):
            ((code, t),) = [self.translate_number(a, env) for a in node.args]
            if name in ("not_", "truth"):
                return f"({'not ' if name == 'not_' else ''}{convert_to_truth(code, t)})", "bool"
            return self.translate_unary(name, code, t)
        left, right = [self.translate_number(a, env) for a in node.args]
        if name in comparisons.values():
            return f"({self.translate_comparison(name, *left, *right)})", "bool"
        return self.translate_binary(name, *left, *right)

    def translate_arguments(self, node, env, count):
        if len(node.args) != count:
            raise Untranslatable("a wrong number of arguments")
        return [self.translate_scalar(a, env) for a in node.args]

    def translate_library_function(self, module, name, node, env):
        """A function of math or NumPy."""
        if name in ("frexp", "modf", "ldexp"):
            return self.translate_parts_of_float(name, node, env)
        if module == "np" and name in ("maximum", "minimum", "fmax", "fmin"):
            (a, ta), (b, tb) = self.translate_arguments(node, env, 2)
            t = mixed_type(ta, tb) or unify(ta, tb)
            a, b = convert_code(a, ta, t), convert_code(b, tb, t)
            integer = "max" if "max" in name else "min"
            return f"{name if is_float(t) else integer}({a}, {b})", t
        if module == "np" and name == "absolute":
            return self.call_abs(node, env, keep_bool=True)
        if module == "np" and name == "sign":
            ((a, t),) = self.translate_arguments(node, env, 1)
            return (f"sign({a})" if is_float(t) else f"(({a} > 0) - ({a} < 0))"), t
        if any(is_complex(self.translate_expression(a, env)[1]) for a in node.args):
            raise Untranslatable("a function of complex numbers")
        type_of = math_type if module == "math" else numpy_float_type
        twin = numpy_twins.get(name, name)
        if name in ("isnan", "isinf", "isfinite"):
            ((a, t),) = self.translate_arguments(node, env, 1)
            if is_float(t):
                return f"{name}({a})", "bool"
            return ("True" if name == "isfinite" else "False"), "bool"
        binary = twin in ("atan2", "hypot", "fmod", "remainder", "copysign", "pow")
        values = self.translate_arguments(node, env, 2 if binary else 1)
        if name == "pow" and is_float(values[0][1]) and is_integer(values[1][1]):
            raise Untranslatable("math.pow of an integer")
        if any(t == "float16" for _, t in values):
            return self.translate_float16_function(module, twin, values)
        t = type_of(values[0][1])
        for _, other in values[1:]:
            t = unify(t, type_of(other))
        if binary and module == "np":
            t = mixed_type(*(start for _, start in values)) or t
        codes = ", ".join(convert_code(code, start, t) for code, start in values)
        if twin in ar.smooth:
            return f"_{twin}_{t}({codes})", t
        if twin in ar.exact_functions:
            return f"_exact_{twin}({codes})", t
        if twin in ("fmod", "remainder", "copysign"):
            return f"{twin}({codes})", t
        if twin == "sqrt":
            return f"sqrt({codes}, {t!r})", t
        if twin == "pow":
            return f"power({codes}, {t!r})", t
        raise Untranslatable(f"{module}.{name}")

    def translate_float16_function(self, module, name, values):
        """The functions that are exact in float16."""
        exact = name in ar.exact_functions or name == "sqrt"
        if module != "math" or not exact or len(values) != 1:
            raise Untranslatable(f"{name} of float16")
        ((code, t),) = values
        return (f"sqrt({code}, 'float16')" if name == "sqrt" else f"_exact_{name}({code})"), t

    def translate_parts_of_float(self, name, node, env):
        values = self.translate_arguments(node, env, 2 if name == "ldexp" else 1)
        t = math_type(values[0][1])
        code = convert_code(*values[0], t)
        if name != "ldexp":
            return f"{name}({code}, {t!r})", (t, "int32" if name == "frexp" else t)
        if not is_integer(values[1][1]):
            raise Untranslatable("ldexp by something else than an integer")
        return f"ldexp({code}, {values[1][0]}, {t!r})", t

    def call_abs(self, node, env, keep_bool=False):
        ((a, t),) = [self.translate_number(a, env) for a in node.args]
        if is_complex(t):
            return f"_hypot_{part_of[t]}({a}.re, {a}.im)", part_of[t]
        if is_float(t):
            return f"fabs({a})", t
        if t == "bool":
            return (a, t) if keep_bool else (f"int({a})", "int8")
        return f"_wrap_{t}(abs({a}))", t

    def translate_min_or_max(self, node, env, name):
        values = self.translate_spread_arguments(node.args, env)
        if not all(is_scalar(t) for _, t in values):
            raise Untranslatable("min and max of other things than numbers")
        if len(values) < 2:
            raise Untranslatable("min and max of one value")
        t = values[0][1]
        for _, other in values[1:]:
            t = unify(t, other)
        if is_float(t):
            # For two floats, a NaN loses; otherwise a later value wins if it compares as better.
            both_floats = len(values) == 2 and all(is_float(other) for _, other in values)
            function = f"f{name}" if both_floats else f"first_{name}"
            code = convert_code(*values[0], t)
            for value in values[1:]:
                code = f"{function}({code}, {convert_code(*value, t)})"
            return code, t
        return f"{name}({', '.join(convert_code(*v, t) for v in values)})", t

    def call_min(self, node, env):
        return self.translate_min_or_max(node, env, "min")

    def call_max(self, node, env):
        return self.translate_min_or_max(node, env, "max")

    def call_int(self, node, env):
        ((a, t),) = self.translate_arguments(node, env, 1)
        return (a, t) if is_integer(t) else (convert_code(a, t, "int64"), "int64")

    def call_float(self, node, env):
        ((a, t),) = self.translate_arguments(node, env, 1)
        if t == "bool":
            raise Untranslatable("float() of a bool")
        return (a, t) if is_float(t) else (convert_code(a, t, "float64"), "float64")

    def call_bool(self, node, env):
        ((a, t),) = [self.translate_number(a, env) for a in node.args]
        return convert_to_truth(a, t), "bool"

    def call_complex(self, node, env):
        values = [self.translate_scalar(a, env) for a in node.args]
        if len(values) != 2:
            raise Untranslatable("complex() of one value")
        t = "complex64" if all(t == "float32" for _, t in values) else "complex128"
        re, im = (convert_code(code, start, part_of[t]) for code, start in values)
        return f"Complex({re}, {im})", t

    def call_sum(self, node, env):
        code, types = self.translate_expression(node.args[0], env)
        if not isinstance(types, tuple) or len(node.args) != 1:
            raise Untranslatable("this sum")
        whole = self.make_temporary()
        total, t = "0", "int64"
        for i, item in enumerate(types):
            total, t = self.translate_binary("add", total, t, f"{whole}[{i}]", item)
        return f"({whole} := {code}, {total})[1]", t

    def call_isinstance(self, node, env):
        return repr(self.is_instance(node, env)), "bool"

    def call_round(self, node, env):
        ((a, t),) = self.translate_arguments(node, env, 1)
        if is_float(t):
            return f"round_to_int({a})", "int64"
        return convert_code(a, t, "int64"), "int64"

    def call_divmod(self, node, env):
        left, right = self.translate_arguments(node, env, 2)
        common = oracle.divmod_type(left[1], right[1])
        if common != oracle.result_type("floordiv", left[1], right[1]):
            left, right = ((convert_code(*value, common), common) for value in (left, right))
        a, b = self.make_temporary(), self.make_temporary()
        quotient, t = self.translate_binary(
            "floordiv", f"({a} := {left[0]})", left[1], f"({b} := {right[0]})", right[1]
        )
        remainder, t2 = self.translate_binary("mod", a, left[1], b, right[1])
        return f"({quotient}, {remainder})", (t, t2)

    def call_pow(self, node, env):
        left, right = self.translate_arguments(node, env, 2)
        return self.translate_binary("pow", *left, *right)

    def call_len(self, node, env):
        code, t = self.translate_expression(node.args[0], env)
        if isinstance(t, tuple):
            return str(len(t)), "int64"
        return f"{code}.shape[0]", "int64"

    def call_cuda_selp(self, node, env):
        (c, tc), (a, ta), (b, tb) = self.translate_arguments(node, env, 3)
        t = unify(ta, tb)
        t = "int64" if t == "bool" else t
        # Both sides are evaluated.
        both = f"({convert_code(b, tb, t)}, {convert_code(a, ta, t)})"
        return f"{both}[{convert_to_truth(c, tc)}]", t

    def call_cuda_fma(self, node, env):
        values = self.translate_arguments(node, env, 3)
        t = "float32" if all(t == "float32" for _, t in values) else "float64"
        return f"fma({', '.join(convert_code(*v, t) for v in values)}, {t!r})", t

    def call_cuda_cbrt(self, node, env):
        return self.translate_library_function("math", "cbrt", node, env)

    def translate_bit_operation(self, node, env, function, result=None):
        ((a, t),) = self.translate_arguments(node, env, 1)
        if not is_integer(t):
            raise Untranslatable("bits of something else than an integer")
        return f"{function}({a}, {ar.bits[t]})", result or t

    def call_cuda_popc(self, node, env):
        return self.translate_bit_operation(node, env, "count_bits")

    def call_cuda_clz(self, node, env):
        return self.translate_bit_operation(node, env, "leading_zeros")

    def call_cuda_ffs(self, node, env):
        return self.translate_bit_operation(node, env, "first_set", "uint32")

    def call_cuda_brev(self, node, env):
        ((a, t),) = self.translate_arguments(node, env, 1)
        if not is_integer(t):
            raise Untranslatable("bits of something else than an integer")
        result = "uint64" if ar.bits[t] == 64 else "uint32"
        return f"reversed_bits({convert_code(a, t, result)}, {ar.bits[result]})", result

    def translate_method(self, node, env):
        code, t = self.translate_expression(node.func.value, env)
        if is_number(t) and node.func.attr == "conjugate" and not node.args:
            return (f"conjugate({code})" if is_complex(t) else code), t
        if t in oracle.integral and node.func.attr == "bit_count":
            return f"count_bits({code}, {ar.bits[t]})", t
        if isinstance(t, ArrayType):
            return self.translate_array_method(code, t, node, env)
        raise Untranslatable(f"the method {node.func.attr}")

    # Places and barriers

    def translate_place(self, node, what):
        n = node.args[0].value
        codes = [f"_c.{what}_{axis}" for axis in "xyz"[:n]]
        return (codes[0], "int64") if n == 1 else (f"({', '.join(codes)})", ("int64",) * n)

    def call_cuda_grid(self, node, env):
        return self.translate_place(node, "grid")

    def call_cuda_gridsize(self, node, env):
        return self.translate_place(node, "gridsize")

    def emit_barrier(self, predicate="None"):
        return self.emit_wait(f"('barrier', {predicate})")

    def emit_wait(self, request):
        self.waits = True
        self.program.sites += 1
        return f"(yield ({self.program.sites}, {request}))"

    def call_cuda_syncthreads(self, node, env):
        return self.emit_barrier(), "none"

    def translate_vote(self, node, env, kind):
        code, t = self.translate_scalar(node.args[0], env)
        if is_float(t):
            raise Untranslatable("a float predicate")
        return self.emit_barrier(f"({kind!r}, {convert_to_truth(code, t)})"), "int32"

    def call_cuda_syncthreads_count(self, node, env):
        return self.translate_vote(node, env, "count")

    def call_cuda_syncthreads_and(self, node, env):
        return self.translate_vote(node, env, "and")

    def call_cuda_syncthreads_or(self, node, env):
        return self.translate_vote(node, env, "or")

    def call_cuda_threadfence(self, node, env):
        return "None", "none"
