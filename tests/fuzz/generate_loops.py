"""Loops: over ranges and conditions, and over the items of tuples and arrays."""

import oracle
from generate_expressions import Array, is_float
from generate_numbers import is_number_tuple
from kernel_types import unify


class Items:
    """The iterable of a loop: its text, the item's name, and the item's type in each iteration.

    slots: a variable's name -> the list of its types, one per iteration, or the Array that it is a view of.
    """

    def __init__(self, text, target, slots, rounds=None):
        self.text = text
        self.target = target
        self.slots = slots
        self.rounds = rounds  # None if the type does not determine it

    @property
    def has_varying_types(self):
        return any(isinstance(t, list) and len(set(t)) > 1 for t in self.slots.values())


class Loops:
    def write_loop_body(self, uniform, count):
        outer, was = self.uniform, self.in_loop
        self.uniform, self.in_loop = uniform, not uniform
        self.loop_depth += 1
        self.write_block(count)
        self.loop_depth -= 1
        self.uniform, self.in_loop = outer, was

    def write_counted_loop(self):
        if self.loop_depth >= 2:
            return self.write_assignment()
        rng = self.rng
        uniform = self.uniform and self.chance(0.5)
        counter = self.make_name("u_" if uniform else "j")
        kind = rng.random()
        if uniform:
            bounds = rng.choice(["3", "2", "1, 4", "4, 0, -2", "cuda.blockIdx.x + 1", "2, 7, 2"])
            t = "int64"
        elif kind < 0.4:
            bounds, t = rng.choice(["4", "1, 6, 2", "5, -1, -1", "3, 0", "0"]), "int64"
        elif kind < 0.7:
            text, t = self.make_nonliteral(1)
            text = f"np.int64({text})" if t == "uint64" else text
            bounds, t = f"{text} % {rng.choice([3, 5, 6])}", "int64"
        elif kind < 0.85:
            text, _ = self.make_nonliteral(1)
            bounds, t = f"np.int32({text}) % 4, 9, {rng.choice([2, 3, 5])}", "int64"
        else:
            bounds, t = "np.int32(cuda.threadIdx.x & 3)", "int32"
        self.add(f"for {counter} in range({bounds}):")
        self.types[counter] = t
        self.fixed.add(counter)
        self.write_loop_body(uniform, rng.randint(1, 3))
        del self.types[counter]
        self.fixed.discard(counter)
        if not uniform and self.chance(0.25):
            self.add("else:")
            self.write_block(1)

    def write_while_loop(self):
        if self.loop_depth >= 2:
            return self.write_assignment()
        counter = self.make_name("w")
        text, _ = self.make_nonliteral(1)
        outer = self.uniform
        self.add(f"{counter} = np.int64({text}) % {self.rng.choice([3, 5, 7])}")
        endless = self.chance(0.2)
        self.types[counter] = "int64"
        self.fixed.add(counter)
        condition = f"{counter} > 0"
        if self.chance(0.4):
            condition = f"{condition} and {self.make_condition(1)}"
        self.add(f"while {'True' if endless else condition}:")
        self.source.depth += 1
        if endless:
            self.add(f"if not ({condition}):")
            self.add("    break")
        self.add(f"{counter} -= {self.rng.choice([1, 2])}")
        self.source.depth -= 1
        self.write_loop_body(False, self.rng.randint(1, 3))
        self.uniform = outer
        if not endless and self.chance(0.2):
            self.add("else:")
            self.write_block(1)

    def write_loop_exit(self):
        if not self.in_loop:
            return self.write_assignment()
        self.add(f"if {self.make_condition()}:")
        self.source.depth += 1
        self.add(self.rng.choice(["break", "continue"]))
        self.source.depth -= 1

    # Loops over items

    def write_item_loop(self):
        if self.loop_depth >= 2:
            return self.write_assignment()
        items = self.make_iterable()
        if items is None:
            return self.write_assignment()
        if items.has_varying_types:
            return self.write_loop_of_copies(items)
        uniform = self.uniform and self.chance(0.3)
        self.add(f"for {items.target} in {items.text}:")
        arrays = list(self.arrays)
        self.bind_items(items)
        self.write_loop_body(uniform, self.rng.randint(1, 3))
        self.unbind_items(items)
        self.arrays = arrays
        if not uniform and self.chance(0.25):
            self.add("else:")
            self.write_block(1)

    def bind_items(self, items):
        for name, slot in items.slots.items():
            if isinstance(slot, Array):
                self.arrays.append(slot)
            else:
                self.types[name] = slot[0]
                self.fixed.add(name)

    def unbind_items(self, items):
        for name in items.slots:
            self.types.pop(name, None)
            self.fixed.discard(name)

    def write_loop_of_copies(self, items):
        """Write a loop whose variable has another type in each iteration. The sum in it also changes its type."""
        total = self.make_name("total")
        start, t = self.rng.choice(
            [("0", "int64"), ("np.float32(0.5)", "float32"), ("False", "bool")]
        )
        varying = [name for name, slot in items.slots.items() if isinstance(slot, list)]
        name = self.rng.choice(varying)
        self.add(f"{total} = {start}")
        self.add(f"for {items.target} in {items.text}:")
        self.source.depth += 1
        self.add(f"{total} = {total} + {name}")
        whole, own, after = self.make_name(), self.make_name(), "int64"
        self.add(f"{whole} = np.float64({name})")
        if self.chance(0.5):
            self.add(
                f"if isinstance({name}, {self.rng.choice(['float', 'int', '(float, np.float32)'])}):"
            )
            self.add(f"    {own} = 1")
            self.add("else:")
            self.add(f"    {own} = 0")
        else:
            self.add(f"{own} = {self.rng.randrange(5)}")
        self.source.depth -= 1
        self.types[whole], self.types[own] = "float64", after
        self.write_loop_body(self.uniform and self.chance(0.3), self.rng.randint(1, 2))
        del self.types[whole], self.types[own]
        kept = t
        for item in items.slots[name]:
            t = oracle.result_type("add", t, item)
            kept = unify(kept, t)
        self.types[total] = kept
        if is_float(kept) is False and kept != t:
            del self.types[total]
        if self.chance(0.25):
            self.add("else:")
            self.write_block(1)

    def make_iterable(self):
        """An iterable, usually of few items; sometimes enumerated, zipped with another, or reversed."""
        first = self.make_sequence()
        if first is None:
            return None
        kind = self.rng.random()
        if kind < 0.2:
            count, start = self.make_name("c"), self.rng.choice(["", ", 2", ", -1"])
            slots = {count: ["int64"] * (first.rounds or 1), **first.slots}
            text = f"enumerate({first.text}{start})"
            return Items(text, f"{count}, {self.parenthesize(first.target)}", slots, first.rounds)
        if kind < 0.4:
            return self.make_zip(first)
        if kind < 0.55:
            slots = {n: s[::-1] if isinstance(s, list) else s for n, s in first.slots.items()}
            return Items(f"reversed({first.text})", first.target, slots, first.rounds)
        if kind < 0.65 and first.rounds:
            return Items(
                f"cuda.literal_unroll({first.text})", first.target, first.slots, first.rounds
            )
        return first

    def parenthesize(self, target):
        return f"({target})" if "," in target else target

    def make_zip(self, first):
        second = self.make_sequence()
        if second is None:
            return first
        copies = first.has_varying_types or second.has_varying_types
        if copies and (first.rounds is None or second.rounds is None):
            return first
        rounds = min(first.rounds, second.rounds) if first.rounds and second.rounds else None
        slots = {
            n: s[:rounds] if isinstance(s, list) and rounds else s
            for n, s in (first.slots | second.slots).items()
        }
        target = f"{self.parenthesize(first.target)}, {self.parenthesize(second.target)}"
        return Items(f"zip({first.text}, {second.text})", target, slots, rounds)

    def make_sequence(self):
        """A tuple or an array."""
        if self.chance(0.45):
            return self.make_array_sequence()
        name = self.make_name("e")
        known = [(n, t) for n, t in self.types.items() if is_number_tuple(t) and len(t)]
        if known and self.chance(0.4):
            text, types = self.rng.choice(known)
            return Items(text, name, {name: list(types)}, len(types))
        if self.chance(0.2):
            pairs = [(self.make_integer(0), self.make_real(0)) for _ in range(2)]
            if len({(a[1], b[1]) for a, b in pairs}) == 1:
                other = self.make_name("e")
                text = ", ".join(f"({a[0]}, {b[0]})" for a, b in pairs)
                slots = {name: [a[1] for a, _ in pairs], other: [b[1] for _, b in pairs]}
                return Items(f"({text})", f"{name}, {other}", slots, 2)
        count = self.rng.randint(1, 4)
        if self.chance(0.5):
            t = self.rng.choice(oracle.scalars)
            values = [(self.make_of_type(t, 0), t) for _ in range(count)]
        else:
            values = [self.make_any(self.rng.choice([0, 1])) for _ in range(count)]
        text = f"({', '.join(text for text, _ in values)},)"
        return Items(text, name, {name: [t for _, t in values]}, count)

    def make_array_sequence(self):
        """The first elements of an array, or the rows of one that has few."""
        arrays = [a for a in [*self.arrays, *self.locals] if not a.suffix and not a.padded]
        arrays = [a for a in arrays if a.element in oracle.scalars and min(a.shape) > 0]
        if not arrays:
            return None
        array = self.rng.choice(arrays)
        name, text = self.make_name("e"), array.name
        if array.shape[0] > 8 or self.chance(0.3):
            text += self.rng.choice(["[:3]", "[::-1][:4]", "[1:4]", "[-2:]"])
        if len(array.shape) == 1:
            return Items(text, name, {name: [array.element]})
        return Items(text, name, {name: Array(name, array.element, array.shape[1:])})
