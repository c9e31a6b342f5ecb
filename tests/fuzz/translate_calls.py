"""Calls in kernels: of the program's own functions, of Python's, NumPy's and cuda's."""

import ast

import arithmetic as ar
import oracle
from kernel_types import (
    ArrayType,
    Untranslatable,
    complexes,
    convert,
    dotted,
    is_complex,
    is_float,
    is_integer,
    is_number,
    is_scalar,
    math_type,
    mixed_type,
    numpy_float_type,
    part_of,
    truth,
    unify,
)
from translate_expressions import comparisons, numpy_twins


class Calls:
    def on_Call(self, node, env):
        name = dotted(node.func)
        function, function_type = self.called_function(node.func, env)
        if function is not None:
            return self.call(function, function_type, node, env)
        if name in self.program.named_tuples and name not in env:
            return self.named_tuple(name, node, env)
        if node.keywords:
            raise Untranslatable("keywords")
        module, _, last = name.rpartition(".")
        if module == "cuda.atomic":
            return self.atomic(last, node, env)
        if module == "operator":
            return self.operator_function(last, node, env)
        if module == "np" and last in (*oracle.scalars, "float16", *complexes):
            code, t = self.number(node.args[0], env)
            return convert(code, t, last), last
        handler = getattr(self, f"call_{name.replace('.', '_')}", None)
        if handler is not None:
            return handler(node, env)
        if module in ("math", "np"):
            return self.function(module, last, node, env)
        if isinstance(node.func, ast.Attribute):
            return self.method(node, env)
        raise Untranslatable(f"a call of {name}")

    def operator_function(self, name, node, env):
        """A function of Python's operator module."""
        name = (
            name
            if name in ("ior", "invert", "is_", "is_not") or not name.startswith("i")
            else name[1:]
        )
        name = {"or": "or_", "and": "and_", "ior": "or_"}.get(name, name)
        if name in ("neg", "pos", "invert", "not_", "truth"):
            ((code, t),) = [self.number(a, env) for a in node.args]
            if name in ("not_", "truth"):
                return f"({'not ' if name == 'not_' else ''}{truth(code, t)})", "bool"
            return self.unary(name, code, t)
        left, right = [self.number(a, env) for a in node.args]
        if name in comparisons.values():
            return f"({self.compare(name, *left, *right)})", "bool"
        return self.binary(name, *left, *right)

    def arguments(self, node, env, count):
        if len(node.args) != count:
            raise Untranslatable("a wrong number of arguments")
        return [self.scalar(a, env) for a in node.args]

    def function(self, module, name, node, env):
        """A function of math or NumPy."""
        if name in ("frexp", "modf", "ldexp"):
            return self.parts_of_float(name, node, env)
        if module == "np" and name in ("maximum", "minimum", "fmax", "fmin"):
            (a, ta), (b, tb) = self.arguments(node, env, 2)
            t = mixed_type(ta, tb) or unify(ta, tb)
            a, b = convert(a, ta, t), convert(b, tb, t)
            integer = "max" if "max" in name else "min"
            return f"{name if is_float(t) else integer}({a}, {b})", t
        if module == "np" and name == "absolute":
            return self.call_abs(node, env, keep_bool=True)
        if module == "np" and name == "sign":
            ((a, t),) = self.arguments(node, env, 1)
            return (f"sign({a})" if is_float(t) else f"(({a} > 0) - ({a} < 0))"), t
        if any(is_complex(self.expression(a, env)[1]) for a in node.args):
            raise Untranslatable("a function of complex numbers")
        type_of = math_type if module == "math" else numpy_float_type
        twin = numpy_twins.get(name, name)
        if name in ("isnan", "isinf", "isfinite"):
            ((a, t),) = self.arguments(node, env, 1)
            if is_float(t):
                return f"{name}({a})", "bool"
            return ("True" if name == "isfinite" else "False"), "bool"
        binary = twin in ("atan2", "hypot", "fmod", "remainder", "copysign", "pow")
        values = self.arguments(node, env, 2 if binary else 1)
        if name == "pow" and is_float(values[0][1]) and is_integer(values[1][1]):
            raise Untranslatable("math.pow of an integer")
        if any(t == "float16" for _, t in values):
            return self.half_function(module, twin, values)
        t = type_of(values[0][1])
        for _, other in values[1:]:
            t = unify(t, type_of(other))
        if binary and module == "np":
            t = mixed_type(*(start for _, start in values)) or t
        codes = ", ".join(convert(code, start, t) for code, start in values)
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

    def half_function(self, module, name, values):
        """The functions that are exact in float16."""
        exact = name in ar.exact_functions or name == "sqrt"
        if module != "math" or not exact or len(values) != 1:
            raise Untranslatable(f"{name} of float16")
        ((code, t),) = values
        return (f"sqrt({code}, 'float16')" if name == "sqrt" else f"_exact_{name}({code})"), t

    def parts_of_float(self, name, node, env):
        values = self.arguments(node, env, 2 if name == "ldexp" else 1)
        t = math_type(values[0][1])
        code = convert(*values[0], t)
        if name != "ldexp":
            return f"{name}({code}, {t!r})", (t, "int32" if name == "frexp" else t)
        if not is_integer(values[1][1]):
            raise Untranslatable("ldexp by something else than an integer")
        return f"ldexp({code}, {values[1][0]}, {t!r})", t

    def call_abs(self, node, env, keep_bool=False):
        ((a, t),) = [self.number(a, env) for a in node.args]
        if is_complex(t):
            return f"_hypot_{part_of[t]}({a}.re, {a}.im)", part_of[t]
        if is_float(t):
            return f"fabs({a})", t
        if t == "bool":
            return (a, t) if keep_bool else (f"int({a})", "int8")
        return f"_wrap_{t}(abs({a}))", t

    def extreme(self, node, env, name):
        values = self.spread(node.args, env)
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
            code = convert(*values[0], t)
            for value in values[1:]:
                code = f"{function}({code}, {convert(*value, t)})"
            return code, t
        return f"{name}({', '.join(convert(*v, t) for v in values)})", t

    def call_min(self, node, env):
        return self.extreme(node, env, "min")

    def call_max(self, node, env):
        return self.extreme(node, env, "max")

    def call_int(self, node, env):
        ((a, t),) = self.arguments(node, env, 1)
        return (a, t) if is_integer(t) else (convert(a, t, "int64"), "int64")

    def call_float(self, node, env):
        ((a, t),) = self.arguments(node, env, 1)
        if t == "bool":
            raise Untranslatable("float() of a bool")
        return (a, t) if is_float(t) else (convert(a, t, "float64"), "float64")

    def call_bool(self, node, env):
        ((a, t),) = [self.number(a, env) for a in node.args]
        return truth(a, t), "bool"

    def call_complex(self, node, env):
        values = [self.scalar(a, env) for a in node.args]
        if len(values) != 2:
            raise Untranslatable("complex() of one value")
        t = "complex64" if all(t == "float32" for _, t in values) else "complex128"
        re, im = (convert(code, start, part_of[t]) for code, start in values)
        return f"Complex({re}, {im})", t

    def call_sum(self, node, env):
        code, types = self.expression(node.args[0], env)
        if not isinstance(types, tuple) or len(node.args) != 1:
            raise Untranslatable("this sum")
        whole = self.temporary()
        total, t = "0", "int64"
        for i, item in enumerate(types):
            total, t = self.binary("add", total, t, f"{whole}[{i}]", item)
        return f"({whole} := {code}, {total})[1]", t

    def call_isinstance(self, node, env):
        return repr(self.is_instance(node, env)), "bool"

    def call_round(self, node, env):
        ((a, t),) = self.arguments(node, env, 1)
        if is_float(t):
            return f"round_to_int({a})", "int64"
        return convert(a, t, "int64"), "int64"

    def call_divmod(self, node, env):
        left, right = self.arguments(node, env, 2)
        common = oracle.divmod_type(left[1], right[1])
        if common != oracle.result_type("floordiv", left[1], right[1]):
            left, right = ((convert(*value, common), common) for value in (left, right))
        a, b = self.temporary(), self.temporary()
        quotient, t = self.binary(
            "floordiv", f"({a} := {left[0]})", left[1], f"({b} := {right[0]})", right[1]
        )
        remainder, t2 = self.binary("mod", a, left[1], b, right[1])
        return f"({quotient}, {remainder})", (t, t2)

    def call_pow(self, node, env):
        left, right = self.arguments(node, env, 2)
        return self.binary("pow", *left, *right)

    def call_len(self, node, env):
        code, t = self.expression(node.args[0], env)
        if isinstance(t, tuple):
            return str(len(t)), "int64"
        return f"{code}.shape[0]", "int64"

    def call_cuda_selp(self, node, env):
        (c, tc), (a, ta), (b, tb) = self.arguments(node, env, 3)
        t = unify(ta, tb)
        t = "int64" if t == "bool" else t
        # Both sides are evaluated.
        both = f"({convert(b, tb, t)}, {convert(a, ta, t)})"
        return f"{both}[{truth(c, tc)}]", t

    def call_cuda_fma(self, node, env):
        values = self.arguments(node, env, 3)
        t = "float32" if all(t == "float32" for _, t in values) else "float64"
        return f"fma({', '.join(convert(*v, t) for v in values)}, {t!r})", t

    def call_cuda_cbrt(self, node, env):
        return self.function("math", "cbrt", node, env)

    def bit_operation(self, node, env, function, result=None):
        ((a, t),) = self.arguments(node, env, 1)
        if not is_integer(t):
            raise Untranslatable("bits of something else than an integer")
        return f"{function}({a}, {ar.bits[t]})", result or t

    def call_cuda_popc(self, node, env):
        return self.bit_operation(node, env, "count_bits")

    def call_cuda_clz(self, node, env):
        return self.bit_operation(node, env, "leading_zeros")

    def call_cuda_ffs(self, node, env):
        return self.bit_operation(node, env, "first_set", "uint32")

    def call_cuda_brev(self, node, env):
        ((a, t),) = self.arguments(node, env, 1)
        if not is_integer(t):
            raise Untranslatable("bits of something else than an integer")
        result = "uint64" if ar.bits[t] == 64 else "uint32"
        return f"reversed_bits({convert(a, t, result)}, {ar.bits[result]})", result

    def method(self, node, env):
        code, t = self.expression(node.func.value, env)
        if is_number(t) and node.func.attr == "conjugate" and not node.args:
            return (f"conjugate({code})" if is_complex(t) else code), t
        if t in oracle.integral and node.func.attr == "bit_count":
            return f"count_bits({code}, {ar.bits[t]})", t
        if isinstance(t, ArrayType):
            return self.array_method(code, t, node, env)
        raise Untranslatable(f"the method {node.func.attr}")

    # Places and barriers

    def place(self, node, what):
        n = node.args[0].value
        codes = [f"_c.{what}_{axis}" for axis in "xyz"[:n]]
        return (codes[0], "int64") if n == 1 else (f"({', '.join(codes)})", ("int64",) * n)

    def call_cuda_grid(self, node, env):
        return self.place(node, "grid")

    def call_cuda_gridsize(self, node, env):
        return self.place(node, "gridsize")

    def barrier(self, predicate="None"):
        return self.wait_for(f"('barrier', {predicate})")

    def wait_for(self, request):
        self.waits = True
        self.program.sites += 1
        return f"(yield ({self.program.sites}, {request}))"

    def call_cuda_syncthreads(self, node, env):
        return self.barrier(), "none"

    def vote(self, node, env, kind):
        code, t = self.scalar(node.args[0], env)
        if is_float(t):
            raise Untranslatable("a float predicate")
        return self.barrier(f"({kind!r}, {truth(code, t)})"), "int32"

    def call_cuda_syncthreads_count(self, node, env):
        return self.vote(node, env, "count")

    def call_cuda_syncthreads_and(self, node, env):
        return self.vote(node, env, "and")

    def call_cuda_syncthreads_or(self, node, env):
        return self.vote(node, env, "or")

    def call_cuda_threadfence(self, node, env):
        return "None", "none"
