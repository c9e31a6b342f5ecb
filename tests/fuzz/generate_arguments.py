"""Arguments for generated launches: numbers, arrays with many layouts, records."""

import numpy as np
import oracle
from case import ArrayArgument
from kernel_types import part_of

views_1d = ["", "", "", "[::-1]", "[::2]", "[1:]", "[::-3]"]
views_2d = ["", "", ".T", "[::-1]", "[:, ::-1]", "[::2, 1:]", ".T[::-1, ::2]"]

bytes_of_bools = [0, 0, 0, 0, 0, 1, 1, 2, 128, 255]


def choose_base_shape(view, shape):
    """The shape of a base whose `view` has at least `shape`, and the view cut to that shape."""
    if len(shape) == 1:
        return (shape[0] * 3 + 2,), f"{view}[:{shape[0]}]" if view else f"[:{shape[0]}]"
    base = (shape[0] * 2 + 2, shape[1] * 2 + 2)
    if ".T" in view:
        base = base[::-1]
    return base, f"{view}[:{shape[0]}, :{shape[1]}]"


def draw_values(rng, dtype, count, wild):
    """Numbers of a type: small ones with exact sums and products, and values that often cause bugs."""
    if dtype == "bool":
        return np.array([rng.choice(bytes_of_bools) for _ in range(count)], np.uint8).view(np.bool_)
    if dtype in part_of:
        re, im = (draw_values(rng, part_of[dtype], count, wild) for _ in range(2))
        return (re + 1j * im).astype(dtype) if not wild else re.astype(dtype)
    if dtype == "float16":
        return np.array(
            [rng.randrange(-64, 65) / rng.choice([1, 2, 4]) for _ in range(count)], dtype
        )
    if dtype in oracle.floating:
        small = [rng.randrange(-256, 257) / rng.choice([1, 2, 4, 8]) for _ in range(count)]
        if wild:
            special = [np.inf, -np.inf, np.nan, -0.0, 0.0, 1e30, -1e-30, 0.1]
            small = [rng.choice(special) if rng.random() < 0.3 else x for x in small]
        return np.array(small, dtype)
    info = np.iinfo(dtype)
    low = max(int(info.min), -100)
    small = [rng.randrange(low, 101) for _ in range(count)]
    if wild:
        edges = [int(info.min), int(info.max), int(info.max) - 1, 0, 1, int(info.min) // 2]
        small = [rng.choice(edges) if rng.random() < 0.3 else x for x in small]
    return np.array(small, dtype)


def make_array_argument(rng, dtype, shape, views=True, wild=False):
    """An argument whose view has this shape, in one of several layouts."""
    if len(shape) > 2:
        base, text = make_deep_layout(rng, shape) if views else (shape, "")
    else:
        options = (views_1d if len(shape) == 1 else views_2d) if views else [""]
        view = rng.choice(options)
        if view == "":
            base, text = shape, ""
        elif view == ".T":
            base, text = shape[::-1], ".T"
        else:
            base, text = choose_base_shape(view, shape)
    count = int(np.prod(base))
    return ArrayArgument(draw_values(rng, dtype, count, wild).reshape(base), text)


def make_deep_layout(rng, shape):
    """(shape of a base, the view of it with the given three-dimensional shape)"""
    kind = rng.random()
    if kind < 0.4:
        return shape, ""
    if kind < 0.7:
        axes = list(range(len(shape)))
        rng.shuffle(axes)
        base = [0] * len(shape)
        for extent, axis in zip(shape, axes, strict=True):
            base[axis] = extent
        return tuple(base), f".transpose({', '.join(map(str, axes))})"
    steps = [rng.choice(["", "::2", "::-1"]) for _ in shape]
    cut = ", ".join(f":{n}" for n in shape)
    return tuple(n * 2 + 1 for n in shape), f"[{', '.join(s or ':' for s in steps)}][{cut}]"


def make_repeated_argument(rng, dtype, shape):
    """An argument in which each element appears many times, because a stride is 0."""
    base = tuple(n if rng.random() < 0.4 else 1 for n in shape)
    count = int(np.prod(base))
    argument = ArrayArgument(
        draw_values(rng, dtype, count, False).reshape(base), f"np.broadcast_to(base, {shape})"
    )
    argument.writeable = False
    return argument


def make_record_type(rng, scalars):
    """(a structured dtype, [(text after a record, type)] for each number in it)"""
    fields, places = [], []
    for name in "abc"[: rng.randint(2, 3)]:
        t = rng.choice(scalars)
        fields.append((name, t if t != "bool" else "?"))
        places.append((rng.choice([f".{name}", f"['{name}']"]), t))
    if rng.random() < 0.4:
        x, y = rng.choice(scalars), rng.choice(["int32", "float64"])
        inner = [("x", x if x != "bool" else "?"), ("y", y)]
        fields.append(("inner", np.dtype(inner, align=rng.random() < 0.5)))
        places += [(".inner.x", x), (rng.choice([".inner.y", "['inner']['y']"]), y)]
    return np.dtype(fields, align=rng.random() < 0.5), places


def make_record_argument(rng, dtype, shape):
    view = rng.choice(["", "", "[::-1]", "[::2]"]) if len(shape) == 1 else ""
    base, text = choose_base_shape(view, shape) if view else (shape, "")
    array = np.zeros(base, dtype)
    _fill(rng, array)
    return ArrayArgument(array, text)


def _fill(rng, array):
    for name in array.dtype.names:
        field = array[name]
        if field.dtype.names:
            _fill(rng, field)
        else:
            field[...] = draw_values(rng, field.dtype.name, field.size, False).reshape(field.shape)
