"""Statements in which threads cooperate."""

import oracle
from generate_expressions import Array, atomic_types, is_float


class Threads:
    def write_atomic(self):
        if not self.atomics:
            return self.write_assignment()
        self.rng.choice(self.atomics)(self)

    def write_exchange(self):
        """Write the thread's own element of a shared array, wait at a barrier, read other elements, wait again."""
        if not self.uniform or not self.exchanges:
            return self.write_store()
        name, element, own, extents = self.rng.choice(self.exchanges)
        if element in atomic_types and len(extents) == 1 and self.chance(0.2):
            return self.write_block_total(name, element, own)
        value = self.make_real(2) if is_float(element) else self.make_integer(2)
        self.add(f"{name}[{own}] = {value[0]}")
        self.write_barrier()
        target = self.make_name()
        read = self.make_element(Array(name, element, extents, padded=True))
        if self.chance(0.4):
            other, t = self.make_integer(1) if not is_float(element) else self.make_real(1)
            self.add(f"{target} = {read} + {other}")
            self.types[target] = oracle.result_type("add", element, t)
        else:
            self.add(f"{target} = {read}")
            self.types[target] = element
        self.write_barrier()

    def write_barrier(self):
        if self.chance(0.15):
            name = self.make_name()
            self.add(f"{name} = {self.format_vote()}")
            self.types[name] = "int32"
        else:
            self.add("cuda.syncthreads()")

    def format_vote(self):
        kind = self.rng.choice(["count", "and", "or"])
        return f"cuda.syncthreads_{kind}(np.int32({self.make_condition(1)}))"

    def write_vote(self):
        if not self.uniform:
            return self.write_assignment()
        name = self.make_name()
        self.add(f"{name} = {self.format_vote()}")
        self.types[name] = "int32"

    # Warps

    def write_warp_operation(self):
        """Write a warp operation, where every lane that has not returned arrives."""
        if not self.uniform:
            return self.write_assignment()
        name, rng = self.make_name(), self.rng
        mask = rng.choice(["0xffffffff", "0xffffffff", "-1"])
        if self.lanes == 32 and rng.random() < 0.35:
            return (
                self.write_half_warps(name) if rng.random() < 0.5 else self.write_warp_total(name)
            )
        shuffles = self.lanes and rng.random() < 0.55
        if shuffles:
            return self.write_shuffle(name, mask)
        kind = rng.random()
        if kind < 0.5:
            vote = rng.choice(["all", "any", "eq", "ballot"])
            self.add(f"{name} = cuda.{vote}_sync({mask}, {self.make_condition(1)})")
            self.types[name] = "int32" if vote == "ballot" else "bool"
        elif kind < 0.65:
            text = self.make_nonliteral(1)[0]
            text = f"np.{rng.choice(atomic_types)}({text} % 3)"
            if rng.random() < 0.5:
                self.add(f"{name} = cuda.match_any_sync({mask}, {text})")
            else:
                same = self.make_name()
                self.add(f"{name}, {same} = cuda.match_all_sync({mask}, {text})")
                self.types[same] = "bool"
            self.types[name] = "int32"
        elif kind < 0.92:
            t, op = rng.choice(atomic_types), rng.choice(["add", "min", "max", "and", "or", "xor"])
            self.add(f"{name} = cuda.reduce_{op}_sync({mask}, np.{t}({self.make_integer(1)[0]}))")
            self.types[name] = t
        else:
            self.add(rng.choice(["cuda.syncwarp()", f"cuda.syncwarp({mask})"]))
            self.add(f"{name} = cuda.lanemask_lt()")
            self.types[name] = "uint32"

    def write_block_total(self, shared, element, own):
        """Sum with a device function that contains block barriers."""
        name = self.make_name()
        self.add(f"{name} = block_total({shared}, {own}, {self.make_integer(1)[0]})")
        self.types[name] = oracle.result_type("add", "int64", element)

    def write_warp_total(self, name):
        """Sum with a device function that contains warp operations."""
        self.add(f"{name} = warp_total(np.int64({self.make_integer(1)[0]}))")
        self.types[name] = "int64"

    def write_half_warps(self, name):
        """Let the halves of a warp take different paths, each with its own mask."""
        t = self.rng.choice([*atomic_types, *oracle.floating])
        value = f"np.{t}({self.make_any(1)[0]})"
        self.add("if cuda.laneid < 16:")
        self.add(f"    {name} = cuda.shfl_sync(0xffff, {value}, {self.rng.randrange(16)})")
        self.add("else:")
        lane = self.rng.randrange(16)
        self.add(f"    {name} = cuda.shfl_xor_sync(0xffff0000, {value}, {lane})")
        self.types[name] = t

    def write_shuffle(self, name, mask):
        """Read another lane's value, of a lane that every warp has."""
        rng, full = self.rng, self.lanes == 32
        t = rng.choice([*atomic_types, *oracle.floating])
        value = f"np.{t}({self.make_any(1)[0]})"
        kind = rng.choice(["", "_up", "_down", "_xor"] if full else ["", "_up"])
        lane, lane_type = self.make_nonliteral(1)
        lane = f"np.int64({lane})" if lane_type == "uint64" else lane
        lane = f"{lane} % {32 if full else self.lanes}" if kind in ("", "_xor") else f"{lane} & 7"
        if rng.random() < 0.4:
            lane = str(rng.randrange(32 if full else self.lanes))
        width = f", {rng.choice([2, 4, 8, 16, 32])}" if full and rng.random() < 0.3 else ""
        self.add(f"{name} = cuda.shfl{kind}_sync({mask}, {value}, {lane}{width})")
        self.types[name] = t

    def write_shared_atomic(self):
        """Change elements of a shared array atomically between barriers; the order does not affect results."""
        fit = [e for e in self.exchanges if e[1] in atomic_types]
        if not self.uniform or not fit:
            return self.write_exchange()
        name, element, own, extents = self.rng.choice(fit)
        op = self.rng.choice(["add", "sub", "min", "max", "and_", "or_", "xor"])
        self.write_barrier()
        indices = [f"np.int64({self.make_nonliteral(1)[0]}) % {extent}" for extent in extents]
        index = indices[0] if len(indices) == 1 else f"({', '.join(indices)})"
        self.add(f"cuda.atomic.{op}({name}, {index}, {self.make_integer(2)[0]})")
        self.write_barrier()
        target = self.make_name()
        self.add(f"{target} = {self.make_element(Array(name, element, extents, padded=True))}")
        self.types[target] = element
        self.write_barrier()
