"""Rarer expressions, and expressions of complex numbers and float16: pairs (text, type)."""

import oracle
from generate_expressions import is_float, is_literal, math_type
from kernel_types import Named, Optional, complexes, result_type, unify


def is_number_tuple(t):
    """True if the type is a tuple of real numbers."""
    return isinstance(t, tuple) and all(item in oracle.scalars for item in t)


class Numbers:
    def make_special(self, depth, accept):
        """A rarer expression of an accepted type, or None."""
        makers = [
            self.make_function_call,
            self.make_lambda_call,
            self.make_sum_of_tuple,
            self.make_item_of_tuple,
            self.make_choice_by_none,
            self.make_choice_by_type,
            self.make_bit_operation,
            self.make_parts_of_float,
            self.make_extreme_of_tuple,
            self.make_test,
        ]
        if "complex" in self.themes:
            makers += [self.make_from_complex] * 4
        if "half" in self.themes:
            makers += [self.make_from_half] * 4
        for _ in range(4):
            found = self.rng.choice(makers)(depth - 1)
            if found is not None and found[1] in oracle.scalars and accept(found[1]):
                return found
        return None

    def make_function_call(self, depth):
        choices = [f for f in self.list_callable() if isinstance(f.result, str)]
        if not choices:
            return None
        function = self.rng.choice(choices)
        plain = not function.rest and not any(p.only_named for p in function.parameters)
        if plain and len(function.parameters) == 1 and self.chance(0.3):
            return (
                f"apply({function.name}, {self.make_helper_arguments(function, depth)})",
                function.result,
            )
        return f"{function.name}({self.make_helper_arguments(function, depth)})", function.result

    def make_lambda_call(self, depth):
        """A lambda that is called on the spot or by a device function."""
        name = self.make_name("l")
        text, t = self.make_nonliteral(depth)
        before = self.types
        self.types = {n: known for n, known in before.items() if n in self.fixed and n[0] != "w"}
        self.types[name] = t
        body, result = self.make_any(1)
        self.types = before
        if self.chance(0.5):
            return f"apply(lambda {name}: {body}, {text})", result
        return f"(lambda {name}: {body})({text})", result

    def make_tuple(self):
        """(text, types) of a tuple of numbers."""
        known = [(name, t) for name, t in self.types.items() if is_number_tuple(t)]
        if known and self.chance(0.6):
            return self.rng.choice(known)
        values = [self.make_any(0) for _ in range(self.rng.randint(1, 3))]
        return f"({', '.join(text for text, _ in values)},)", tuple(t for _, t in values)

    def make_sum_of_tuple(self, depth):
        text, types = self.make_tuple()
        t = "int64"
        for item in types:
            t = oracle.result_type("add", t, item)
        return f"sum({text})", t

    def make_item_of_tuple(self, depth):
        text, types = self.make_tuple()
        if isinstance(types, Named) and self.chance(0.7):
            i = self.rng.randrange(len(types))
            return f"{text}.{types.fields[i]}", types[i]
        if self.chance(0.1):
            return f"len({text})", "int64"
        i = self.rng.randrange(-len(types), len(types))
        return f"{text}[{i}]", types[i]

    def make_extreme_of_tuple(self, depth):
        known = [(n, t) for n, t in self.types.items() if is_number_tuple(t) and len(t) > 1]
        if not known:
            return None
        name, types = self.rng.choice(known)
        t = types[0]
        for item in types:
            t = unify(t, item)
        return f"{self.rng.choice(['min', 'max'])}(*{name})", t

    def make_choice_by_none(self, depth):
        known = [(name, t) for name, t in self.types.items() if isinstance(t, Optional)]
        if not known:
            return None
        name, t = self.rng.choice(known)
        test = self.rng.choice(["{} is None", "not {} is not None"])
        inside, other = f"{name} + {self.rng.choice([0, 1, 3])}", self.make_integer(depth)
        inside_type = oracle.result_type("add", t.value, "int64")
        t = unify(inside_type, other[1])
        return f"({other[0]} if {test.format(name)} else {inside})", t

    def make_choice_by_type(self, depth):
        """A choice by the type of a variable; the branch not taken would not compile for this type."""
        variables = self.list_variables(lambda t: t in oracle.scalars)
        if not variables:
            return None
        name, t = self.rng.choice(variables)
        classes = self.rng.choice(["int", "float", "(int, float)", "np.float32", "bool"])
        if is_float(t):
            classes = self.rng.choice(["int", "np.int32", "bool", "(int, np.int8)"])
            return f"(({name} & 1) if isinstance({name}, {classes}) else {name} * 2)", "float64"
        if t == "int64":
            return (
                f"({name} | 1 if isinstance({name}, {self.rng.choice(['int', '(float, int)'])}) else None)",
                t,
            )
        if "int" not in classes:
            text, other = self.make_integer(depth)
            if classes == "bool" and t == "bool":
                return None
            return f"({name}.nothing if isinstance({name}, {classes}) else {text})", other
        return None

    def make_bit_operation(self, depth):
        text, t = self.make_nonliteral(depth)
        if self.chance(0.3):
            return f"({text}).bit_count()", t
        wide = self.rng.choice(["uint32", "uint64"])
        return f"cuda.brev(np.{wide}({text}))", wide

    def make_parts_of_float(self, depth):
        text, t = self.make_real_value(depth)
        kind = self.rng.randrange(4)
        if kind == 0:
            return f"math.frexp({text})[1]", "int32"
        if kind == 1:
            return f"math.frexp({text})[0]", math_type(t)
        if kind == 2:
            return f"math.modf({text})[{self.rng.randrange(2)}]", math_type(t)
        return f"math.ldexp({text}, {self.rng.choice(['3', '-2', 'np.int32(1)', '0'])})", math_type(
            t
        )

    def make_test(self, depth):
        """A bool computed from types, tuples or numbers."""
        variables = self.list_variables(lambda t: t in oracle.scalars)
        if variables and self.chance(0.3):
            return f"isinstance({self.rng.choice(variables)[0]}, (int, float))", "bool"
        (a, _), (b, _) = self.make_nonliteral(depth), self.make_integer(depth)
        if self.chance(0.4):
            name = self.rng.choice(["lt", "le", "eq", "ne", "gt", "ge"])
            return f"operator.{name}({a}, {b})", "bool"
        c, _ = self.make_nonliteral(0)
        if self.chance(0.4):
            text, _ = self.make_tuple()
            return f"({a} {self.rng.choice(['in', 'not in'])} {text})", "bool"
        return f"(({a}, {c}) {self.rng.choice(['==', '!='])} ({b}, {c}))", "bool"

    # Complex numbers

    def make_from_complex(self, depth):
        text, t = self.make_complex(depth)
        part = "float32" if t == "complex64" else "float64"
        kind = self.rng.randrange(5)
        if kind == 0:
            return f"abs({text})", part
        if kind <= 2:
            return f"({text}).{'real' if kind == 1 else 'imag'}", part
        other, _ = self.make_complex(0) if self.chance(0.7) else self.make_nonliteral(0)
        return f"({text} {self.rng.choice(['==', '!='])} {other})", "bool"

    def make_complex_literal(self):
        value = self.rng.choice(["2j", "0.5j", "np.complex64(1.5j)", "complex(1.0, -2.0)"])
        return value, "complex64" if "64" in value else "complex128"

    def make_complex(self, depth):
        rng = self.rng
        if depth <= 0 or rng.random() < 0.2:
            return self.choose_leaf(lambda t: t in complexes, self.make_complex_literal)
        kind = rng.random()
        if kind < 0.55:
            op = rng.choice(["add", "sub", "mul"])
            a, ta = self.make_complex_value(depth - 1)
            b, tb = self.make_complex(depth - 1) if rng.random() < 0.6 else self.make_any(depth - 1)
            if rng.random() < 0.3:
                a, ta, b, tb = b, tb, a, ta
            return self.format_operation(op, a, b), result_type(op, ta, tb)
        if kind < 0.65:
            text, t = self.make_complex_value(depth - 1)
            return f"(-{text})", t
        if kind < 0.75:
            text, t = self.make_complex_value(depth - 1)
            return f"({text}).conjugate()", t
        if kind < 0.85:
            (a, ta), (b, tb) = self.make_real_value(depth - 1), self.make_real_value(depth - 1)
            t = "complex64" if ta == tb == "float32" else "complex128"
            return f"complex({a}, {b})", t
        if kind < 0.93:
            text, _ = (
                self.make_complex(depth - 1) if rng.random() < 0.5 else self.make_any(depth - 1)
            )
            t = rng.choice(complexes)
            return f"np.{t}({text})", t
        (a, ta), (b, tb) = self.make_complex(depth - 1), self.make_complex(depth - 1)
        return f"({a} if {self.make_condition(1)} else {b})", unify(ta, tb)

    def make_complex_value(self, depth):
        text, t = self.make_complex(depth)
        return (f"np.complex64({text})", "complex64") if text[0].isdigit() else (text, t)

    def write_complex_statement(self):
        self.write_number_statement(complexes, self.make_complex)

    # float16

    def make_from_half(self, depth):
        text, t = self.make_half(depth)
        kind = self.rng.randrange(5)
        if kind == 0:
            t = self.rng.choice(oracle.floating)
            return f"np.{t}({text})", t
        if kind == 1:
            other, _ = self.make_half(depth)
            return f"({text} {self.rng.choice(['<', '<=', '==', '!=', '>', '>='])} {other})", "bool"
        other, t = self.make_any(0)
        if is_literal(text) or t == "bool" or t == "int8":
            return f"int({text})", "int64"
        op = self.rng.choice(["add", "sub", "mul"])
        return self.format_operation(op, text, other), result_type(op, "float16", t)

    def make_half_literal(self):
        return f"np.float16({self.rng.choice([0.5, 1.5, 3, -2, 0.1])})", "float16"

    def make_half(self, depth):
        rng = self.rng
        if depth <= 0 or rng.random() < 0.2:
            return self.choose_leaf(lambda t: t == "float16", self.make_half_literal)
        kind = rng.random()
        a, _ = self.make_half(depth - 1)
        if kind < 0.5:
            b, _ = self.make_half(depth - 1)
            return self.format_operation(
                rng.choice(["add", "sub", "mul", "truediv"]), a, b
            ), "float16"
        if kind < 0.6:
            b = rng.choice(["np.int8(3)", "(cuda.threadIdx.x > 3)"])
            return self.format_operation(rng.choice(["add", "sub", "mul"]), a, b), "float16"
        if kind < 0.7:
            return f"(-{a})" if rng.random() < 0.5 else f"abs({a})", "float16"
        if kind < 0.85:
            return f"math.{rng.choice(['floor', 'ceil', 'trunc', 'fabs', 'sqrt'])}({a})", "float16"
        if kind < 0.93:
            text, _ = self.make_any(depth - 1)
            return f"np.float16({text})", "float16"
        b, _ = self.make_half(depth - 1)
        return f"({a} if {self.make_condition(1)} else {b})", "float16"

    def write_half_statement(self):
        self.write_number_statement(("float16",), self.make_half)

    # Statements for both

    def write_number_statement(self, types, make):
        """Assign to a variable of one of these types."""
        text, t = make(2)
        names = [
            name for name, known in self.types.items() if known == t and name not in self.fixed
        ]
        if names and self.chance(0.5):
            self.add(f"{self.rng.choice(names)} = {text}")
            return
        name = self.make_name("z")
        self.add(f"{name} = {text}")
        self.types[name] = t

    def write_number_store(self, place, t):
        make = self.make_half if t == "float16" else self.make_complex
        text, _ = make(self.depth) if self.chance(0.8) else self.make_any(2)
        self.add(f"{place} {self.rng.choice(['=', '=', '+='])} {text}")
