"""Generates random launches: kernels without races whose results do not depend on the order of threads.

Each thread writes only its own elements of an output; shared arrays are written and read with barriers in between; the
order of atomics does not affect results. Indices are taken modulo the extent, shifts and exponents are small, loops
have a bounded trip count.
"""

import random

import numpy as np
import oracle
from case import ArrayArgument, Case, SameArray
from generate_arguments import (
    draw_values,
    make_array_argument,
    make_record_argument,
    make_record_type,
    make_repeated_argument,
)
from generate_body import Body
from generate_expressions import Array, atomic_types, integers, is_float
from generate_helpers import Helper, fixed
from generate_statements import Source
from generate_tuples import named_tuples
from kernel_types import complexes


def generate(seed):
    """The launch for a seed; the same seed always gives the same launch."""
    rng = random.Random(seed)
    if rng.random() < 0.1:
        return generate_streaming(rng, seed)
    return generate_general(rng, seed)


def generate_general(rng, seed):
    flat = rng.random() < 0.75
    if flat:
        threads, blocks = rng.choice([32, 33, 40, 48, 64]), rng.choice([1, 2, 2, 3])
        grid, block, total = (blocks,), (threads,), (blocks * threads,)
    else:
        block = rng.choice([(8, 4), (4, 8), (16, 3), (5, 7)])
        grid = rng.choice([(1, 1), (2, 1), (1, 2)])
        total = tuple(g * b for g, b in zip(grid, block, strict=True))
    # Usually some threads have nothing to do.
    live = tuple(max(1, n - rng.choice([0, 1, 3, 5])) for n in total)

    helpers = []
    for i in range(rng.choice([0, 0, 1, 1, 2])):
        helpers.append(Helper(rng, i, list(helpers)))
    source = Source()
    body = Body(rng, source, helpers)
    body.is_kernel = True
    body.themes = {theme for theme, p in themes.items() if rng.random() < p}
    extra_types = [*complexes] if "complex" in body.themes else []
    extra_types += ["float16"] if "half" in body.themes else []
    arguments = {}

    # Scalar arguments.
    for i in range(rng.randint(0, 3)):
        t = rng.choice(oracle.scalars)
        name = f"p_{i}" if t != "bool" and not is_float(t) else f"s_{i}"
        value = draw_values(rng, t, 1, rng.random() < 0.2)[0]
        arguments[name] = value
        body.types[name] = t
        body.fixed.add(name)
    if rng.random() < 0.12:
        types = [rng.choice(oracle.scalars) for _ in range(rng.randint(1, 3))]
        arguments["several"] = tuple(draw_values(rng, t, 1, False)[0] for t in types)
        body.types["several"] = tuple(types)
    for i in range(rng.randint(1, 4)):
        special = extra_types and rng.random() < 0.5
        t = rng.choice(extra_types) if special else rng.choice(oracle.scalars)
        shape = rng.choice([live, (7,), (3, 5), (1,), total, (live[0],), (2, 3, 4)])
        if rng.random() < 0.08:
            argument = make_repeated_argument(rng, t, shape)
        else:
            argument = make_array_argument(rng, t, shape, wild=rng.random() < 0.15)
            argument.writeable = rng.random() < 0.9
        arguments[f"x{i}"] = argument
        body.arrays.append(Array(f"x{i}", t, shape, contiguous=argument.view == ""))
    for i in range(2 if extra_types and rng.random() < 0.5 else 0):
        t = rng.choice(extra_types)
        arguments[f"n_{i}"] = draw_values(rng, t, 1, False)[0]
        body.types[f"n_{i}"] = t
        body.fixed.add(f"n_{i}")
    if rng.random() < 0.1:
        arguments["empty"] = ArrayArgument(np.zeros(rng.choice([(0,), (3, 0)]), np.float32))

    own = "i" if flat else "i, j"
    for k in range(rng.randint(1, 3)):
        t = rng.choice(extra_types if extra_types and not k else oracle.scalars)
        extra = rng.choice([0, 0, 3] if flat else [0, 0, 2])
        name = f"out{k}"
        shape = live if not extra else rng.choice([(*live, extra), (extra, *live)])
        last = shape[: len(live)] == live
        arguments[name] = make_array_argument(rng, t, shape)
        if not extra:
            body.outputs.append((f"{name}[{own}]", t))
            if flat and rng.random() < 0.2:
                body.outputs.append((f"{name}[i - {live[0]}]", t))
        for m in range(extra):
            index = f"{own}, {m}" if last else f"{m}, {own}"
            body.outputs.append((f"{name}[{index}]", t))
        if extra:
            body.rows.append((f"{name}[{own}, {{}}]" if last else f"{name}[{{}}, {own}]", extra, t))
        # Another name for the same memory, of which each thread reads its own elements.
        if rng.random() < 0.15 and arguments[name].view == "":
            arguments[f"again{k}"] = SameArray(name)
            body.readable += [
                (place.replace(name, f"again{k}", 1), t)
                for place, t in body.outputs
                if place.startswith(f"{name}[")
            ]
    if "records" in body.themes:
        add_records(rng, body, arguments, own, live)
    add_atomics(rng, body, arguments, own, live)

    # Shared arrays, filled by every thread before any thread returns.
    thread = "t" if flat else "tx, ty"
    shared_lines = []
    if rng.random() < 0.55:
        for k in range(rng.choice([1, 1, 2])):
            t = rng.choice([*integers, "float32", "float64"])
            padded = block if rng.random() < 0.7 else (*block[:-1], block[-1] + 1)
            text = str(padded[0]) if flat else str(padded)
            shared_lines.append((f"sh{k}", t, text, block))
    write_indices(rng, source, flat)
    body.types |= {"i": "int64", "t": "int32"} if flat else {}
    body.types |= {} if flat else {"i": "int64", "j": "int64", "tx": "int32", "ty": "int32"}
    body.fixed |= set(body.types)
    for name, t, text, extents in shared_lines:
        source.add(f"{name} = cuda.shared.array({text}, np.{t})")
        initial = (
            body.make_real_literal()[0] if is_float(t) else f"{rng.choice(['i', '3', thread[0]])}"
        )
        initial = initial if initial != "t" or flat else "tx"
        source.add(f"{name}[{thread}] = {initial}")
        body.exchanges.append((name, t, thread, extents))
    if shared_lines:
        source.add("cuda.syncthreads()")
    inside = write_guard(rng, source, flat, live, total, arguments, body)
    body.returns = None if inside else lambda body: "return"
    body.uniform = not inside
    body.base_depth = source.depth
    returned = any("return" in line for line in source.lines)
    body.lanes = count_common_lanes(block, total, live if returned else total)
    body.budget = rng.choice([3, 4, 5, 6, 7, 8, 12])
    while body.budget > 0:
        body.write_statement()
    # Store the computed values.
    names = [n for n in body.list_assignable() if n not in arguments]
    for place, t in body.outputs:
        if names and rng.random() < 0.6:
            name = rng.choice(names)
            if t == "bool":
                source.add(f"{place} = bool({name})")
            elif t in complexes or t == "float16":
                source.add(f"{place} = {name}")
            elif not is_float(body.types[name]) or is_float(t):
                source.add(f"{place} = {name}")
    options = {"opt": False} if rng.random() < 0.15 else {}
    return make_case(seed, helpers, source, grid, block, arguments, options)


# Values other than real numbers, and how often they are used.
themes = {"complex": 0.15, "half": 0.12, "records": 0.12}


def count_common_lanes(block, total, live):
    """The smallest number of lanes in a nonempty warp; None if they are not always the warp's first lanes."""
    size = int(np.prod(block))
    if live == total:
        return size % 32 or 32
    if len(block) > 1:
        return None
    counts = []
    for first in range(0, total[0], size):
        for start in range(first, first + size, 32):
            counts.append(max(0, min(32, first + size - start, live[0] - start)))
    return min(count for count in counts if count)


def add_records(rng, body, arguments, own, live):
    """Add an array of records to read, and one with a record for each thread."""
    dtype, fields = make_record_type(rng, oracle.scalars)
    shape = rng.choice([(5,), live])
    arguments["xr"] = make_record_argument(rng, dtype, shape)
    body.arrays += [Array("xr", t, shape, suffix=suffix) for suffix, t in fields]
    arguments["rec"] = make_record_argument(rng, dtype, live)
    body.outputs += [(f"rec[{own}]{suffix}", t) for suffix, t in fields]
    readers = [array for array in body.arrays if array.name == "xr"]
    body.records.append((f"rec[{own}]", readers, fields))


def write_indices(rng, source, flat):
    if flat:
        source.add(
            rng.choice(
                ["i = cuda.grid(1)"] * 2
                + ["i = np.int64(cuda.blockIdx.x) * cuda.blockDim.x + cuda.threadIdx.x"]
                + ["i = cuda.threadIdx.x + cuda.blockIdx.x * cuda.blockDim.x"]
            )
        )
        source.add("t = cuda.threadIdx.x")
    else:
        source.add("i, j = cuda.grid(2)")
        source.add("tx, ty = cuda.threadIdx.x, cuda.threadIdx.y")


def write_guard(rng, source, flat, live, total, arguments, body):
    """Keep threads without an element away from the arrays; return whether the rest is inside an if."""
    if live == total and rng.random() < 0.7:
        return False
    extents = [str(n) for n in live]
    outside = " or ".join(f"{v} >= {n}" for v, n in zip("ij", extents, strict=False))
    if rng.random() < 0.7:
        source.add(f"if {outside}:")
        source.add("    return")
        return False
    source.add(f"if {' and '.join(f'{v} < {n}' for v, n in zip('ij', extents, strict=False))}:")
    source.depth += 1
    return True


def add_atomics(rng, body, arguments, own, live):
    """Add up to two arrays changed by atomics, each with one operation whose order does not affect results."""
    for k in range(rng.choice([0, 0, 1, 1, 2])):
        name, size = f"acc{k}", rng.choice([1, 3, 8])
        op = rng.choice(
            ["add", "sub", "min", "max", "and_", "or_", "xor", "inc", "dec", "cas", "exch"]
        )
        t = rng.choice(atomic_types)
        if op in ("add", "min", "max", "sub") and rng.random() < 0.35:
            t = rng.choice(oracle.floating)
            op = f"nan{op}" if op in ("min", "max") and rng.random() < 0.5 else op
        if op in ("inc", "dec"):
            t = rng.choice(["uint32", "uint64"])
        if op in ("cas", "exch"):
            # Each thread has its own element and may use the old value.
            arguments[name] = make_array_argument(rng, t, live)
            body.atomics.append(make_own_atomic(name, op, t, own))
            continue
        arguments[name] = make_array_argument(rng, t, (size,))
        body.atomics.append(make_shared_atomic(name, op, t, size))


def make_shared_atomic(name, op, t, size):
    def write(body):
        place, _ = body.make_integer(1)
        index = f"np.int64({place}) % {size}" if size > 1 else "0"
        if is_float(t):
            value = f"np.{t}(({body.make_integer(1)[0]}) % 64)"
        elif op in ("inc", "dec"):
            value = "5"
        else:
            value = body.make_integer(2)[0]
        body.add(f"cuda.atomic.{op}({name}, {index}, {value})")

    return write


def make_own_atomic(name, op, t, own):
    index = own if "," not in own else f"({own})"

    def write(body):
        values_ = body.make_integer(2)[0]
        if op == "cas":
            values_ = f"{name}[{own}] if {body.make_condition(1)} else {body.make_integer_literal()[0]}, {values_}"
        target = body.make_name()
        body.types[target] = t
        if op == "cas" and "," not in own and body.chance(0.3):
            body.add(f"{target} = cuda.atomic.compare_and_swap({name}[i : i + 1], {values_})")
            return
        body.add(f"{target} = cuda.atomic.{op}({name}, {index}, {values_})")

    return write


def generate_streaming(rng, seed):
    """Generates a kernel with one element per thread, at sizes around the factors of coarsening and vectorization."""
    n = rng.choice([1, 2, 3, 31, 255, 256, 257, 511, 640, 1000, 1021, 1500, 2047])
    threads = rng.choice([32, 64, 128, 256])
    blocks = -(-n // threads) + rng.choice([0, 0, 1])
    source = Source()
    body = Body(rng, source, [])
    body.uniform = False
    arguments = {}
    wide = rng.choice([["float32"], ["float64"], ["int32"], oracle.scalars])
    for i in range(rng.randint(1, 3)):
        t = rng.choice(wide)
        arguments[f"x{i}"] = make_array_argument(rng, t, (n,), views=rng.random() < 0.2)
    t = rng.choice(wide)
    arguments["out0"] = make_array_argument(rng, t, (n,), views=rng.random() < 0.1)
    if rng.random() < 0.3:
        arguments["p_0"] = draw_values(rng, rng.choice(wide), 1, False)[0]
    source.add("i = cuda.grid(1)")
    names = [name for name in arguments if name.startswith("x")]
    if rng.random() < 0.5:
        source.add(f"if i < {rng.choice(['out0.size', 'out0.shape[0]', str(n), 'x0.size'])}:")
        source.depth += 1
    else:
        source.add("if i >= out0.size:")
        source.add("    return")
    # The thread's element of each input is a variable; expressions use nothing else.
    for name in names:
        source.add(f"e_{name} = {name}[i]")
        body.types[f"e_{name}"] = arguments[name].base.dtype.name
    if "p_0" in arguments:
        body.types["p_0"] = arguments["p_0"].dtype.name
        body.fixed.add("p_0")
    body.budget = rng.randint(0, 3)
    while body.budget > 0:
        body.write_statement()
    text, _ = (
        body.make_boolean(2)
        if t == "bool"
        else body.make_any(2)
        if is_float(t)
        else body.make_integer(2)
    )
    source.add(f"out0[i] = {text}")
    case = make_case(seed, [], source, (blocks,), (threads,), arguments)
    whole = all(a.view == "" for a in arguments.values() if isinstance(a, ArrayArgument))
    own = not any(word in case.source for word in ("cuda.threadIdx", f"i < {n}:"))
    case.elementwise = whole and own
    return case


def make_case(seed, helpers, source, grid, block, arguments, options=()):
    order = list(arguments)
    random.Random(seed).shuffle(order)
    arguments = {name: arguments[name] for name in order}
    lines = ["@cuda.jit", f"def kernel({', '.join(arguments)}):", *source.lines]
    parts = [*(helper.source for helper in helpers), "\n".join(lines) + "\n"]
    used = [text for name, text in fixed.items() if any(name in part for part in parts)]
    parts = used + parts
    for name, fields in named_tuples.items():
        if any(f"{name}(" in part for part in parts):
            parts.insert(0, f'{name} = namedtuple("{name}", {list(fields)})\n')
    text = "\n\n".join(parts)
    return Case(seed, text, "kernel", grid, block, arguments, dict(options))
