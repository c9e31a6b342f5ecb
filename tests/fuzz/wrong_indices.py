"""Compares host functions with NumPy and Python for correct and wrong indices, axes and counts.

    python wrong_indices.py [--seconds 60] [--seed 0] [CALL ...]

Each call runs as written and compiled. Both must return equal values, or both raise exceptions of the same kind. Arrays
are views in the middle of larger ones; their margins hold a value that no result may contain and no call may change, so
reading or writing past an end shows without a crash. Failures are lines that start with FAIL.
"""

import argparse
import os
import random
import re
import sys
import time
import warnings

import numpy as np

from heddle import errors, njit

MARGIN = 64
POISON = -77777

# a: a float64 vector, m: a float64 matrix, i: an integer, k: an integer array, b: bools; text, items: Python objects.
# Parts are sorted, because processors have different partition functions in NumPy.
CALLS = """
np.take(a, i); np.take(a, k); np.take(m, i); np.take(m, k); a.take(i); a.take(k); np.take(a, zero); np.take(m, zero)
np.take(m, i, 0); np.take(m, k, 1); np.take(m, k, axis); np.take_along_axis(a, k, 0)
np.take_along_axis(m, square, axis)
a[i]; a[k]; a[zero]; m[i]; m[k]; m[i, j]; m[k, i]; m[:, k]; m[i, k]; m[k, k]; m[zero]; m[zero, i]; a[square]
a[b]; m[:, b]
a[i:j]; a[i:j:s]; a[::s]; m[i:j, s:]; m[::s, i]; m[i:, ::s]; a[b[:3]]; m[b, i]; a[tiny]; a[empty]; a[unsigned]
m[i:j][k]
np.delete(a, i); np.delete(a, k); np.delete(m, i, 0); np.delete(m, i, axis); np.delete(a, slice(i, j))
np.insert(a, i, 5.0); np.insert(a, k, 5.0); np.insert(m, i, 5.0, 0); np.insert(m, i, 5.0, axis)
np.choose(k, (a, a)); np.choose(i, (a, a)); np.compress(b, a); np.compress(b, m, axis); np.extract(b, a)
np.where(b, a, a)
np.diagonal(m, i); np.diag(m, i); np.diag(a, i); np.diagflat(a, i); np.trace(m, i); np.tril(m, i)
np.triu(m, i); np.eye(3, 4, i)
np.tri(3, 4, i); np.tril_indices(4, i); np.triu_indices(4, i); np.roll(a, i); np.roll(m, i)
np.roll(m, i, axis); np.rot90(m, i)
np.repeat(a, i); np.repeat(a, k); np.repeat(m, i, axis); np.tile(a, i); np.array_split(a, i); np.split(a, i)
np.array_split(a, k)
np.split(m, i, axis); np.sort(np.partition(a, i)); np.sort(np.argpartition(a, i)); np.sort(np.partition(m, i))
np.sort(m, axis)
np.argsort(m, axis)
np.searchsorted(a, a); np.digitize(a, a); np.bincount(k); np.bincount(k, a); np.bincount(k, minlength=i)
np.bincount(tiny)
np.unravel_index(i, (3, 4)); np.unravel_index(k, (3, 4)); np.ravel_multi_index((i, j), (3, 4))
np.ravel_multi_index((k, k), (3, 4))
np.sum(m, axis); np.max(m, axis); np.argmax(m, axis); np.argmin(m, axis); np.mean(m, axis); np.cumsum(m, axis)
np.prod(m, axis)
np.std(m, axis); np.median(m, axis); np.all(m, axis); np.any(m, axis); np.flip(m, axis)
np.expand_dims(m, axis); np.squeeze(m, axis)
np.concatenate((m, m), axis); np.stack((m, m), axis); np.swapaxes(m, axis, i); np.moveaxis(m, axis, i)
np.transpose(m, (i, j))
np.rollaxis(m, axis); np.diff(a, i); np.gradient(m, axis); np.linspace(0, 1, i); np.zeros(i); np.ones((i, j))
np.full(i, 3); np.empty(i).size
np.arange(i, j, s); np.reshape(a, (i, j)); a.reshape(i, j); np.resize(a, (i, j)); np.broadcast_to(a, (i, j))
m.reshape(-1, i)
np.count_nonzero(m, axis); np.nonzero(b); np.flatnonzero(a); np.percentile(a, i); np.quantile(a, i)
np.nanmax(m, axis); np.lexsort((a, a), axis)
np.apply_along_axis(np.sum, axis, m); np.hsplit(m, i); np.vsplit(m, i); np.polyval(a, i); np.vander(a, i)
np.convolve(a, k); np.ix_(k, k)
np.argwhere(b); np.append(a, k); np.append(m, m, axis); np.unique(k); np.isin(k, k); np.kron(k, k); np.outer(a, k)
np.fliplr(m); np.flipud(m); np.interp(i, a, a); np.histogram(a, i); np.histogram(a, k); np.indices((i, j))
np.ndindex(i, j); np.trapezoid(m, axis)
np.packbits(b); np.linalg.matrix_power(m, i); np.fill_diagonal(m, i); np.put(a, i, 5.0); np.put(a, k, 5.0)
np.put_along_axis(m, square, 5.0, axis)
np.place(a, b, a); np.putmask(a, b, a); np.copyto(a, a); a.item(i); m.item(i); a.itemset(i, 3.0); a.flat[i]
m.flat[i]; a.sort(axis); a.argmax(axis)
a.fill(i); m.sum(axis); m.cumsum(axis); m.repeat(i); m.swapaxes(axis, i); m.transpose(i, j)
m.diagonal(i); m.trace(i); a.searchsorted(i)
text[i]; text[i:j]; text[i:j:s]; text[::s]; text.find('b', i); text.find('b', i, j); text.index('b', i, j)
text.rfind('b', i); text.count('b', i, j)
text.startswith('b', i, j); text.endswith('b', i); text.center(i); text.ljust(i); text.rjust(i, '.')
text.zfill(i); text.expandtabs(i); text * i
text.split('b', i); text.rsplit('b', i); text.replace('b', 'c', i); text.rindex('b', i); text.splitlines()
text.partition('b'); chr(i); 'a' in text[i:]
items[i]; items[i:j]; items[i:j:s]; items[::s]; items * i; items.pop(i); items.index(2, i)
items.index(2, i, j); items.insert(i, 9); items.remove(i)
items.count(i); (1, 2, 3)[i]; (1, 2.5, 3)[i]; range(10)[i]; range(i, j, s)[k[0]]; range(i)[j]; table[i]
table.pop(i); table.get(i); table.setdefault(i, 5)
set(items).remove(i); set(items).discard(i); sum(items[i:j]); max(items[i:j]); sorted(items)[i]; list(range(i, j, s))
raw[i]; raw[k[0]]; i in table; i in items; np.bitwise_count(k)
np.lib.stride_tricks.sliding_window_view(a, i); np.lib.stride_tricks.sliding_window_view(m, i, axis); np.nanargmax(m)
""".replace("\n", ";").split(";")

STATEMENTS = """
a[i] = 5.0|a[k] = 5.0|a[k] = a[k]|a[zero] = 5.0|m[i] = 5.0|m[k] = 5.0|m[i, j] = 5.0|m[k, i] = 5.0|m[:, k] = 5.0
m[i, k] = 5.0
a[i:j] = 5.0|a[i:j:s] = 5.0|a[::s] = 5.0|a[i:j] = a[j:i]|m[i:j, s:] = 5.0|m[i] = a|m[:, i] = a|a[b] = 5.0
m[b] = 5.0|m[:, b] = 5.0
a[i] += 1|a[k] += 1|m[i, j] += 1|m[k] += 1|a[square] = 5.0|a[tiny] = 5.0|a[unsigned] = 5.0|a[empty] = 5.0
a.flat[i] = 5.0|m.flat[i] = 5.0
items[i] = 9|items[i:j] = [7, 8]|items[i:j:s] = [7, 8]|del items[i]|del items[i:j]|del items[i:j:s]
del items[::s]|items[i] += 1
del table[i]|table[i] = 4|table[i] += 1|items[::s] = [1, 2, 3]|items += items[i:]|items.extend(items[i:j])
m[i:j][k] = 5.0|a[b] = a|a.partition(i); a.sort()
""".replace("\n", "|").split("|")

PARAMETERS = (
    "a, m, i, j, s, k, zero, square, tiny, unsigned, empty, b, axis, text, items, table, raw"
)
INDICES = [0, 1, 2, 3, 4, 5, 6, 7, -1, -2, -4, -5, -6, -7, 8, 11, 12, 100, -100]
HUGE = [2**31, -(2**31), 2**62, -(2**62), 2**63 - 1, -(2**63)]
BODIES = [
    *(f"return {text.strip()}" for text in CALLS if text.strip()),
    *(text.strip() for text in STATEMENTS if text.strip()),
]


class Guarded:
    """Arrays inside larger ones whose margins are checked."""

    def __init__(self):
        self.whole = []

    def add_array(self, values):
        values = np.asarray(values)
        poison = np.array(POISON).astype(values.dtype)
        room = np.full(values.size + 2 * MARGIN, poison)
        view = room[MARGIN : MARGIN + values.size].reshape(values.shape)
        view[...] = values
        self.whole.append((room, values.size))
        return view

    def has_intact_margins(self):
        return all(
            (room[:MARGIN] == room[0]).all() and (room[MARGIN + size :] == room[0]).all()
            for room, size in self.whole
        )


def make_arguments(seed, guarded, allocates):
    """The arguments for a seed, the same for every call. If a number is a size, none is huge."""
    pick = random.Random(seed)

    def index():
        return pick.choice(INDICES if allocates or pick.random() < 0.5 else HUGE)

    def indices(shape):
        most = pick.choice([3, 3, 5, 8])
        count = int(np.prod(shape))
        return guarded.add_array(
            np.array([pick.randint(-most, most) for _ in range(count)], np.int64).reshape(shape)
        )

    k = indices(pick.choice([(3,), (5,), (1,), (0,)]))
    return [
        guarded.add_array(np.arange(5.0) + 1),
        guarded.add_array(np.arange(20.0).reshape(4, 5) + 1),
        index(),
        index(),
        pick.choice([1, 2, -1, -2, 3, 0, *([] if allocates else HUGE)]),
        k,
        np.array(index()),
        indices((2, 2)),
        guarded.add_array(np.array([pick.randint(-5, 6) for _ in range(3)], np.int8)),
        guarded.add_array(
            np.array([pick.choice([0, 1, 4, 5, 2**63, 2**64 - 1]) for _ in range(2)], np.uint64)
        ),
        np.zeros(0, np.int64),
        guarded.add_array(
            np.array([pick.random() < 0.5 for _ in range(pick.choice([5, 5, 4, 6]))])
        ),
        pick.choice([0, 1, -1, -2, 2, -3, 5, 2**40]),
        "abcabé",
        [1, 2, 3, 2],
        {0: 1, 3: 2, -1: 5},
        b"abc",
    ]


def prepare_arguments(values):
    """The arguments in the form that a compiled function takes."""
    from heddle import int64
    from heddle.typed import Dict

    table = Dict.empty(int64, int64)
    for key, value in values[-2].items():
        table[key] = value
    return [*values[:-2], table, values[-1]]


# Calls whose numbers are extents, counts, or axes for which NumPy allocates tables.
ALLOCATES = re.compile(
    r"split|repeat|tile|zeros|ones|full|empty|arange|range|linspace|resize|indices|tri|eye|center|just|zfill|"
    r"expandtabs|text \*|items \*|histogram|vander|ndindex|bincount|diag|power|rot90|insert|broadcast|axis|"
    r"trace|diff|transpose"
)
# Calls for which numba raises another exception than NumPy, or NumPy accepts an index past the end.
AS_NUMBA = {
    "return np.take_along_axis(m, square, axis)",  # ValueError if the shapes do not match
    "return np.extract(b, a)",  # the same
    "return np.insert(a, k, 5.0)",  # NumPy accepts an index past the end if it is inside the result
    "return np.bincount(k, a)",  # NumPy does not check the weights if there are no numbers
}
# Indexing with brackets is checked only if a program asks for it, as in numba.
CHECKED = {"boundscheck": True}

# Groups of exceptions that count as the same kind, by the first name.
KINDS = [
    (IndexError,),
    (KeyError,),
    (ValueError, TypeError, OverflowError, MemoryError, ZeroDivisionError),
]


def classify_error(error):
    """The kinds of an error; an AxisError has two."""
    return {number for number, kind in enumerate(KINDS) if isinstance(error, kind)}


def call_and_record(function, values):
    try:
        return "value", function(*values)
    except errors.HeddleError as error:
        return "refused", error
    except Exception as error:
        return "raised", error


def to_plain(value):
    if isinstance(value, np.ndarray):
        return "array", value.shape, value.tolist()
    if isinstance(value, (list, tuple)):
        return [to_plain(item) for item in value]
    if isinstance(value, (np.generic,)):
        return value.item()
    return dict(value) if hasattr(value, "items") and not isinstance(value, dict) else value


def is_same(x, y):
    try:
        np.testing.assert_equal(to_plain(x), to_plain(y))
    except AssertionError:
        return False
    return True


def find_difference(body, python, compiled, seed):
    """Describes how the plain and the compiled call differ; None if they do not, "refused" if it does not compile."""
    guards = Guarded(), Guarded()
    allocates = ALLOCATES.search(body) is not None
    theirs, ours = (make_arguments(seed, guard, allocates) for guard in guards)
    ours = prepare_arguments(ours)
    how, expected = call_and_record(python, theirs)
    status, got = call_and_record(compiled, ours)
    if isinstance(got, errors.InternalError):
        return f"internal error: {got}"
    if not guards[1].has_intact_margins():
        return "wrote outside of an array"
    if status == "refused":
        return "refused"
    if how != status and not (status == "raised" and body in AS_NUMBA):
        return f"{how} {expected!r} expected, {status} {got!r}"
    if status == "raised":
        same = body in AS_NUMBA or classify_error(expected) & classify_error(got)
        return None if same else f"{expected!r} expected, raised {got!r}"
    if not is_same(expected, got):
        return f"{expected!r} expected, {got!r}"
    for name, x, y in zip(PARAMETERS.split(", "), theirs, ours, strict=True):
        if not is_same(x, y):
            return f"{name} is {y!r} afterwards, {x!r} expected"
    return None


def make_functions(body):
    space = {"np": np}
    lines = body.split("\n")
    exec(f"def f({PARAMETERS}):\n" + "".join(f"    {line}\n" for line in lines), space)
    options = {} if re.match(r"return (np\.|\w+\.\w+\()", body) else CHECKED
    return space["f"], njit(**options)(space["f"])


def main(seconds, seed, wanted, cases, part, parts):
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    end = time.monotonic() + seconds
    failures, count = 0, 0
    for body in [f"return {text}" for text in wanted] or BODIES[part::parts]:
        python, compiled = make_functions(body)
        for case in range(seed, seed + cases):
            if time.monotonic() > end:
                print("TIME", flush=True)
                break
            print("CASE", case, body, flush=True)
            problem = find_difference(body, python, compiled, case)
            count += 1
            if problem == "refused":
                print("REFUSED", body, flush=True)
                break
            elif problem:
                failures += 1
                print("FAIL", case, body, "->", problem.replace("\n", " ")[:300], flush=True)
                break
    print("END", count, "cases,", failures, "failures", flush=True)
    return failures


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cases", type=int, default=30)
    parser.add_argument("--part", default="0/1", help="the part to run, such as 0/2")
    parser.add_argument("calls", nargs="*")
    given = parser.parse_args()
    os.environ.setdefault("MALLOC_PERTURB_", "165")
    failures = main(
        given.seconds, given.seed, given.calls, given.cases, *map(int, given.part.split("/"))
    )
    sys.exit(failures > 0)
