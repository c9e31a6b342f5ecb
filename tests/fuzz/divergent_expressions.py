"""Values and conditions for divergent kernels; all values are nonnegative."""

FULL = "0xffffffff"


class Expressions:
    """Writes expressions. Needs the attributes rng, reads, counters, threads and has_axes of Writer."""

    def chance(self, probability):
        return self.rng.random() < probability

    def choose_variable(self):
        return f"v{self.rng.randrange(3)}"

    def choose_leaf(self):
        rng = self.rng
        leaves = [
            str(rng.randrange(1, 9)),
            "t",
            self.choose_variable(),
            self.choose_variable(),
            "x[i]",
            "s[t]",
        ]
        leaves += self.counters[-1:]
        if self.reads:
            near = rng.choice(["1", "5", "count - 1", "n", f"{rng.randrange(32)}"])
            leaves += [f"s[(t + {near}) % count]"] * 4 + [f"s[{rng.randrange(self.threads)}]"]
            leaves += [f"g[b * count + (t + {near}) % count]"] * 2 + [f"c[{rng.randrange(4)}]"]
        return rng.choice(leaves)

    def make_value(self, depth=0):
        kind = self.rng.randrange(8)
        if kind < 4 or depth > 1:
            return self.choose_leaf()
        a, b = self.make_value(depth + 1), self.make_value(depth + 1)
        return [f"({a} + {b})", f"({a} * {b} % 1009)", f"({a} ^ {b})", f"({a} + 2 * {b})"][kind - 4]

    def make_narrow_condition(self):
        """A condition that is usually true for few threads."""
        rng = self.rng
        some = [f"t == {rng.randrange(self.threads)}"] * 3
        some += [f"x[i] == {rng.choice([*self.counters, '3'])}", f"lane == {rng.randrange(32)}"]
        some += [f"t % 16 == {rng.randrange(16)}", f"t >= {rng.randrange(1, self.threads + 3)}"]
        some += [f"{self.choose_variable()} % 11 == {rng.choice([*self.counters, '5'])}"]
        some += [f"t < {rng.randrange(1, 5)}", f"t > n + {rng.randrange(20)}"]
        if self.has_axes:
            some += [f"ty == {rng.randrange(4)}", f"tx == {rng.randrange(5)}"]
        return rng.choice(some)

    def make_divergent_condition(self):
        rng = self.rng
        some = [
            self.make_narrow_condition(),
            f"t % {rng.randrange(2, 5)} == 1",
            f"lane < {rng.randrange(1, 32)}",
        ]
        some += [f"x[i] % 2 == {rng.randrange(2)}", f"{self.choose_variable()} % 3 == 1"]
        some += [
            "s[t] % 3 == 0",
            f"not ({self.make_narrow_condition()})",
            f"{self.make_narrow_condition()} or {self.make_narrow_condition()}",
        ]
        return rng.choice(some)

    def make_uniform_condition(self):
        rng = self.rng
        some = [f"n > {rng.randrange(2, 12)}", "n % 2 == 0", f"b == {rng.randrange(2)}"]
        some += [f"{k} == {rng.randrange(3)}" for k in self.counters[-1:]] * 2
        return rng.choice(some)

    def make_condition(self):
        return (
            self.make_uniform_condition() if self.chance(0.2) else self.make_divergent_condition()
        )

    def make_warp_value(self, mask):
        rng, own = self.rng, f"v{self.rng.randrange(3)}"
        first = f"cuda.ffs({mask}) - 1" if mask != FULL else f"{rng.randrange(32)}"
        some = f"cuda.{rng.choice(['any', 'all', 'eq'])}_sync({mask}, {self.make_condition()})"
        return rng.choice(
            [
                f"cuda.popc(cuda.ballot_sync({mask}, {self.make_condition()}))",
                f"cuda.shfl_sync({mask}, {own}, {first})",
                f"cuda.shfl_{rng.choice(['up', 'down', 'xor'])}_sync({mask}, {own}, {rng.randrange(1, 32)})",
                f"int({some})"
                if "eq_" not in some
                else f"cuda.popc(cuda.match_any_sync({mask}, {own}))",
                f"cuda.popc(cuda.match_any_sync({mask}, {own} % 3))",
                f"cuda.reduce_{rng.choice(['add', 'max', 'min', 'xor'])}_sync({mask}, int32({own})) % 10007",
            ]
        )
