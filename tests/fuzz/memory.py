"""Arrays of the interpreter: views of a list of elements, and what atomics do to them."""

import math

import arithmetic as ar


class Race(Exception):
    """Two threads access an element without order between them, and one writes."""


class OutOfBounds(Exception):
    pass


class Array:
    """A view: element (i, j) is data[offset + i * strides[0] + j * strides[1]]; strides count elements."""

    __slots__ = ("data", "offset", "shape", "strides", "watch")

    def __init__(self, data, offset, shape, strides, watch=None):
        self.data = data
        self.offset = offset
        self.shape = shape
        self.strides = strides
        self.watch = watch

    def place(self, *indices):
        at = self.offset
        for i, extent, stride in zip(indices, self.shape, self.strides, strict=True):
            if i < 0:
                i += extent
            if not 0 <= i < extent:
                raise OutOfBounds(f"index {i} of {extent}")
            at += i * stride
        return at

    def get(self, *indices):
        at = self.place(*indices)
        if self.watch:
            self.watch.read(at)
        value = self.data[at]
        if value is None:
            raise OutOfBounds("an element that was never written")
        return value

    def put(self, value, *indices):
        at = self.place(*indices)
        if self.watch:
            self.watch.write(at)
        self.data[at] = value

    def change(self, operate, value, *indices):
        """Atomically element = operate(element, value); the old element."""
        at = self.place(*indices)
        if self.watch:
            self.watch.update(at)
        old = self.data[at]
        if old is None:
            raise OutOfBounds("an element that was never written")
        self.data[at] = operate(old, value)
        return old

    def view(self, *items):
        """Basic indexing by integers and slices, as NumPy has it."""
        offset, shape, strides = self.offset, [], []
        items += (slice(None),) * (len(self.shape) - len(items))
        for item, extent, stride in zip(items, self.shape, self.strides, strict=True):
            if isinstance(item, slice):
                chosen = range(extent)[item]
                shape.append(len(chosen))
                strides.append(chosen.step * stride)
                offset += chosen.start * stride
                continue
            if item < 0:
                item += extent
            if not 0 <= item < extent:
                raise OutOfBounds(f"index {item} of {extent}")
            offset += item * stride
        return Array(self.data, offset, tuple(shape), tuple(strides), self.watch)

    @property
    def T(self):
        return Array(self.data, self.offset, self.shape[::-1], self.strides[::-1], self.watch)

    @property
    def size(self):
        return math.prod(self.shape)


def packed(shape, watch=None):
    """A C-contiguous array whose elements were never written."""
    strides = [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]
    return Array([None] * math.prod(shape), 0, shape, tuple(strides), watch)


class Watch:
    """Looks for races on one allocation. The scheduler sets `thread`, and counts `epoch` up where all threads that
    can see the allocation are ordered."""

    thread = None

    def __init__(self):
        self.accesses = {}

    def _note(self, at, kind):
        seen = self.accesses.setdefault(at, {})
        for other_kind, threads in seen.items():
            if kind == other_kind and kind != "write":
                continue
            if threads - {Watch.thread}:
                raise Race(f"element {at}: {kind} by {Watch.thread}, {other_kind} by {threads}")
        seen.setdefault(kind, set()).add(Watch.thread)

    def read(self, at):
        self._note(at, "read")

    def write(self, at):
        self._note(at, "write")

    def update(self, at):
        self._note(at, "update")

    def order(self):
        self.accesses.clear()


def _wrapped(operate):
    def for_type(name):
        if name in ("float32", "float64"):
            return None
        wrap = ar.wrap[name]
        return lambda old, value: wrap(operate(old, value))

    return for_type


def _add(name):
    if name == "float32":
        return ar.add32
    return ar.add64 if name == "float64" else _wrapped(lambda a, b: a + b)(name)


def _sub(name):
    if name == "float32":
        return ar.sub32
    return ar.sub64 if name == "float64" else _wrapped(lambda a, b: a - b)(name)


def _min(name):
    return ar.fmin if name.startswith("float") else min


def _max(name):
    return ar.fmax if name.startswith("float") else max


def _always(operate):
    return lambda name: operate


def _inc(old, value):
    return 0 if old >= value else old + 1


def _dec(old, value):
    return value if old == 0 or old > value else old - 1


# What an atomic operation leaves in an element, by the element's type.
atomics = {
    "add": _add,
    "sub": _sub,
    "min": _min,
    "max": _max,
    "nanmin": _min,
    "nanmax": _max,
    "and_": _always(lambda a, b: a & b),
    "or_": _always(lambda a, b: a | b),
    "xor": _always(lambda a, b: a ^ b),
    "exch": _always(lambda a, b: b),
    "inc": _always(_inc),
    "dec": _always(_dec),
    "cas": _always(lambda a, pair: pair[1] if a == pair[0] else a),
}
