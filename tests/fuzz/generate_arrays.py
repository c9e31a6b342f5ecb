"""Local arrays, views, and assignment to them."""

import numpy as np
from generate_expressions import Array, integers, is_float
from kernel_types import complexes


class Arrays:
    def write_local_array(self):
        if len(self.locals) >= 2 or self.source.depth != self.base_depth:
            return self.write_local_store()
        rng = self.rng
        name, element = self.make_name("loc"), rng.choice([*integers, "float32", "float64", "bool"])
        shape = rng.choice([(3,), (4,), (5,), (2, 3)])
        text = str(shape[0]) if len(shape) == 1 else str(shape)
        t = "np.bool_" if element == "bool" else f"np.{element}"
        self.add(f"{name} = cuda.local.array({text}, {t})")
        for axis, extent in enumerate(shape):
            self.source.depth += axis
            self.add(f"for q{axis} in range({extent}):")
            self.source.depth -= axis
        self.source.depth += len(shape)
        indices = ", ".join(f"q{axis}" for axis in range(len(shape)))
        value = self.make_boolean(1)[0] if element == "bool" else self.make_integer(1)[0]
        self.add(f"{name}[{indices}] = {value}")
        self.source.depth -= len(shape)
        self.locals.append(Array(name, element, shape))

    def write_local_store(self):
        if not self.locals:
            return self.write_assignment()
        array = self.rng.choice(self.locals)
        if len(array.shape) == 1 and array.element in integers and self.chance(0.3):
            part = self.rng.choice(["", "", "[::-1]", "[1:]"])
            step = self.rng.choice(["", ", 3", ", step=-2"])
            return self.add(f"fill({array.name}{part}, {self.make_integer(1)[0]}{step})")
        text = self.make_boolean(2)[0] if array.element == "bool" else None
        if text is None:
            text = self.make_any(2)[0] if is_float(array.element) else self.make_integer(2)[0]
        self.add(f"{self.make_element(array)} = {text}")

    def write_view(self):
        """Define a variable as a view of an array that is only read."""
        readable = [
            a for a in self.arrays if min(a.shape) >= 2 and a.name.startswith("x") and not a.suffix
        ]
        if not readable or self.source.depth != self.base_depth:
            return self.write_assignment()
        array = self.rng.choice(readable)
        r = self.rng.random()
        if r < 0.15:
            text = self.format_other_axes(array)
        elif r < 0.55 and array.contiguous:
            text = self.format_other_shape(array)
        else:
            text = self.format_slices(array)
        shape = eval(f"whole{text}", {"whole": np.empty(array.shape)}).shape
        if not shape or min(shape) == 0:
            return self.write_assignment()
        name = self.make_name("view")
        self.add(f"{name} = {array.name}{text}")
        self.arrays.append(Array(name, array.element, shape))

    def format_slices(self, array):
        texts = []
        for i, extent in enumerate(array.shape):
            left = len(array.shape) - i - 1
            if self.rng.random() < 0.3 and (left or any(":" in t for t in texts)):
                texts.append(str(self.rng.randrange(-extent, extent)))
                continue
            step = self.rng.choice(["", "::2", "::-1", "1:", ":-1", "1::2", "::-2", "-2:", ":"])
            texts.append(step or ":")
        if self.chance(0.1):
            texts.insert(self.rng.randrange(len(texts) + 1), "None")
        elif len(texts) > 1 and self.chance(0.2):
            at = self.rng.randrange(len(texts))
            texts[at:] = ["..."] if self.chance(0.5) else ["...", *texts[at + 1 :]]
        return f"[{', '.join(texts)}]"

    def format_other_axes(self, array):
        axes = list(range(len(array.shape)))
        self.rng.shuffle(axes)
        choices = [".T", ".transpose()", f".transpose({', '.join(map(str, axes))})"]
        choices.append(f".transpose(({', '.join(map(str, axes))},))")
        return self.rng.choice(choices)

    def format_other_shape(self, array):
        size = int(np.prod(array.shape))
        divisors = [n for n in range(1, size + 1) if size % n == 0]
        first = self.rng.choice(divisors)
        rest = f"{size // first}" if self.chance(0.5) else "-1"
        if self.chance(0.4):
            return self.rng.choice([".ravel()", ".reshape(-1)", f".reshape({size})"])
        return self.rng.choice([f".reshape({first}, {rest})", f".reshape(({rest}, {first}))"])

    # Assignment to views

    def write_row_statement(self):
        """Assign a number or a matching array to a whole view of the thread's own elements."""
        row, extent, t = self.rng.choice(self.rows)
        cut = self.rng.choice([":", ":", "1:", "::2", "::-1", ":-1"])
        length = len(np.empty(extent)[slice(*(int(p) if p else None for p in cut.split(":")))])
        target = row.format(cut)
        op = self.rng.choice(["=", "=", "=", "+=", "-="]) if t != "bool" else "="
        sources = self.list_row_sources(extent, length, t)
        if sources and self.chance(0.6):
            self.add(f"{target} {op} {self.rng.choice(sources)}")
        elif t in (*complexes, "float16"):
            self.add(f"{target} {op} {self.make_real(1)[0]}")
        else:
            maker = (
                self.make_boolean
                if t == "bool"
                else self.make_real
                if is_float(t)
                else self.make_integer
            )
            self.add(f"{target} {op} {maker(1)[0]}")

    def list_row_sources(self, extent, length, t):
        """Array expressions with the required number of elements, or one, of types that can be stored there."""

        def fits(other):
            if t in complexes:
                return True
            if t == "bool":
                return other == "bool"
            return (
                other in integers if t in integers else other in (*integers, "float32", "float64")
            )

        found = [
            own.format(cut)
            for own, own_extent, other in self.rows
            if own_extent == extent and fits(other)
            for cut in (":", "1:", "::2", "::-1", ":-1")
            if len(np.empty(extent)[slice(*(int(p) if p else None for p in cut.split(":")))])
            == length
        ]
        for array in [*self.arrays, *self.locals]:
            one = len(array.shape) == 1 and not array.suffix and not array.padded
            if one and array.shape[0] >= length and fits(array.element):
                found += [f"{array.name}[:{length}]", f"{array.name}[:1]"]
        return found
