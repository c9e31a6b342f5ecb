"""Random statements: assignments, branches, returns."""

import oracle
from generate_expressions import comparisons, is_float
from kernel_types import complexes, unify


class Source:
    """Lines of a function being written."""

    def __init__(self):
        self.lines = []
        self.depth = 1

    def add(self, line):
        self.lines.append("    " * self.depth + line)


class Statements:
    def add(self, line):
        self.source.add(line)

    def write_block(self, count):
        """Write an indented block of statements."""
        self.source.depth += 1
        before = dict(self.types)
        arrays, fixed = list(self.arrays), set(self.fixed)
        start = len(self.source.lines)
        for _ in range(count):
            self.write_statement()
        if len(self.source.lines) == start:
            self.add("pass")
        self.source.depth -= 1
        # Variables defined only on this path are not known after it.
        self.types = {name: self.types[name] for name in before}
        self.arrays, self.fixed = arrays, fixed

    def write_statement(self):
        if self.budget <= 0:
            return
        self.budget -= 1
        kinds = [
            (self.write_assignment, 8),
            (self.write_store, 4),
            (self.write_branch, 3),
            (self.write_counted_loop, 2),
            (self.write_while_loop, 1),
            (self.write_augmented_assignment, 3),
            (self.write_unpacking, 1),
            (self.write_helper_tuple, 1),
            (self.write_local_array, 1),
            (self.write_local_store, 2 if self.locals else 0),
            (self.write_view, 1.2),
            (self.write_atomic, 2.5 if self.atomics else 0),
            (self.write_exchange, 2.5 if self.exchanges else 0),
            (self.write_vote, 0.8 if self.uniform else 0),
            (self.write_early_return, 0.5 if self.returns else 0),
            (self.write_loop_exit, 3 if self.in_loop else 0),
            (self.write_item_loop, 1.8),
            (self.write_nested_function, 0.6),
            (self.write_optional, 0.5),
            (self.write_best, 0.6),
            (self.write_type_test, 0.5),
            (self.write_tuple_variable, 0.8),
            (self.write_complex_statement, 1.5 if "complex" in self.themes else 0),
            (self.write_half_statement, 1.5 if "half" in self.themes else 0),
            (self.write_row_statement, 2 if self.rows else 0),
            (self.write_record_statement, 1 if self.records else 0),
            (self.write_warp_operation, 5 if self.uniform and self.is_kernel else 0),
            (self.write_shared_atomic, 0.8 if self.exchanges else 0),
        ]
        statements, weights = zip(*kinds, strict=True)
        self.rng.choices(statements, weights)[0]()

    def convert_for_variable(self, name, value):
        """`value` converted for an assignment to this variable, so that the kind of its type stays the same."""
        text, t = value
        old = self.types.get(name)
        if old is None:
            return text, t
        new = unify(old, t)
        same_kind = is_float(new) == is_float(old) and (new == "bool") == (old == "bool")
        if same_kind and self.chance(0.5):
            return text, new
        if old == "bool":
            return f"bool({text})", old
        return f"np.{old}({text})", old

    def list_assignable(self):
        return [
            name for name, t in self.types.items() if t in oracle.scalars and name not in self.fixed
        ]

    def write_assignment(self):
        names = self.list_assignable()
        if names and self.chance(0.5):
            name = self.rng.choice(names)
            maker = self.make_real if is_float(self.types[name]) else self.make_integer
            maker = self.make_boolean if self.types[name] == "bool" else maker
            text, t = self.convert_for_variable(name, maker(self.depth))
        else:
            name = self.make_name()
            text, t = self.make_any(self.depth)
        self.add(f"{name} = {text}")
        self.types[name] = t

    def write_augmented_assignment(self):
        names = [n for n in self.list_assignable() if self.types[n] != "bool"]
        if not names:
            return self.write_assignment()
        name = self.rng.choice(names)
        t = self.types[name]
        if is_float(t):
            op, (text, other) = self.rng.choice("+-*"), self.make_any(2)
        else:
            op, (text, other) = (
                self.rng.choice(["+", "-", "*", "&", "|", "^"]),
                self.make_integer(2),
            )
        names_of = {"+": "add", "-": "sub", "*": "mul", "&": "and_", "|": "or_", "^": "xor"}
        new = unify(t, oracle.result_type(names_of[op], t, other))
        if is_float(new) != is_float(t):
            return self.write_assignment()
        self.add(f"{name} {op}= {text}")
        self.types[name] = new

    def write_unpacking(self):
        names = self.list_assignable()
        if len(names) >= 2 and self.chance(0.4):
            a, b = self.rng.sample(names, 2)
            if self.types[a] == self.types[b]:
                self.add(f"{a}, {b} = {b}, {a}")
                return
        first, second = self.make_name(), self.make_name()
        (x, tx), (y, ty) = self.make_any(2), self.make_any(2)
        if self.chance(0.3):
            whole = self.make_name("pair")
            self.add(f"{whole} = ({x}, {y})")
            self.add(f"{first}, {second} = {whole}[1], {whole}[0]")
            tx, ty = ty, tx
        elif self.chance(0.2):
            (x, tx), (y, ty) = self.make_nonliteral(2), self.make_integer(2)
            self.add(f"{first}, {second} = divmod({x}, {y})")
            tx = ty = oracle.divmod_type(tx, ty)
        elif self.chance(0.15):
            self.add(f"{first} = {second} = {x}")
            ty = tx
        else:
            self.add(f"{first}, {second} = {x}, {y}")
        self.types[first], self.types[second] = tx, ty

    def write_store(self):
        if not self.outputs:
            return self.write_assignment()
        place, t = self.rng.choice(self.outputs)
        if t in complexes or t == "float16":
            return self.write_number_store(place, t)
        text, other = self.make_boolean(2) if t == "bool" else self.make_any(self.depth)
        if t == "bool" or is_float(t) or not is_float(other) or self.chance(0.3):
            op = self.rng.choice(["=", "=", "=", "+=", "-="]) if t != "bool" else "="
        else:
            text, op = self.make_integer(self.depth)[0], "="
        if op != "=" and not is_float(t) and is_float(other):
            op = "="
        self.add(f"{place} {op} {text}")

    def write_branch(self):
        outer = self.uniform
        uniform = outer and self.chance(0.3)
        condition = self.make_uniform_condition() if uniform else self.make_condition()
        self.add(f"if {condition}:")
        self.uniform = uniform
        self.write_block(self.rng.randint(1, 3))
        if self.chance(0.25):
            self.add(f"elif {self.make_uniform_condition() if uniform else self.make_condition()}:")
            self.write_block(self.rng.randint(1, 2))
        if self.chance(0.4):
            self.add("else:")
            self.write_block(self.rng.randint(1, 3))
        self.uniform = outer

    def make_uniform_condition(self):
        """A condition with the same value for every thread of a block."""
        values = sorted(name for name in self.fixed if name.startswith(("p_", "u_")))
        value = self.rng.choice([*values, "cuda.blockIdx.x"])
        return f"{value} {self.rng.choice(comparisons)} {self.rng.choice([0, 1, 2, 5])}"

    def write_early_return(self):
        if self.returns is None or not self.chance(0.5):
            return self.write_assignment()
        self.add(f"if {self.make_condition()}:")
        self.source.depth += 1
        self.add(self.returns(self))
        self.lanes = None
        self.source.depth -= 1
