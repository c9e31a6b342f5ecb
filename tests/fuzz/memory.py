"""The interpreter's arrays: views of a list of elements, and atomic operations on them."""

import copy
import itertools
import math

import arithmetic as ar


class Race(Exception):
    """Two threads access an element without being ordered, and one of them writes."""


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

    def find_position(self, *indices):
        at = self.offset
        for i, extent, stride in zip(indices, self.shape, self.strides, strict=True):
            if i < 0:
                i += extent
            if not 0 <= i < extent:
                raise OutOfBounds(f"index {i} of {extent}")
            at += i * stride
        return at

    def get(self, *indices):
        at = self.find_position(*indices)
        value = self.data[at]
        if self.watch and type(value) is not list:
            self.watch.read(at)
        if value is None:
            raise OutOfBounds("an element that was never written")
        return value if type(value) is not list else Record(value, at, self.watch)

    def put(self, value, *indices):
        at = self.find_position(*indices)
        if self.watch:
            self.watch.write(at)
        self.data[at] = value if type(value) is not Record else value.copy_fields()

    def change(self, operate, value, *indices):
        """Atomically set element = operate(element, value); return the old element."""
        at = self.find_position(*indices)
        if self.watch:
            self.watch.update(at)
        old = self.data[at]
        if old is None:
            raise OutOfBounds("an element that was never written")
        self.data[at] = operate(old, value)
        return old

    def view(self, *items):
        """Basic indexing with integers and slices, as in NumPy."""
        offset, shape, strides = self.offset, [], []
        left = len(self.shape) - sum(item is not None and item is not Ellipsis for item in items)
        at = items.index(Ellipsis) if Ellipsis in items else len(items)
        items = (*items[:at], *(slice(None),) * left, *items[at + 1 :])
        axes = iter(zip(self.shape, self.strides, strict=True))
        for item in items:
            if item is None:
                shape.append(1)
                strides.append(0)
                continue
            extent, stride = next(axes)
            if isinstance(item, slice):
                if item.step == 0:
                    raise OutOfBounds("a step of 0")
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

    def transpose(self, axes):
        shape, strides = (tuple(of[a] for a in axes) for of in (self.shape, self.strides))
        return Array(self.data, self.offset, shape, strides, self.watch)

    def reshape(self, shape):
        if shape.count(-1) == 1:
            rest = -math.prod(shape)
            if not rest or self.size % rest:
                raise OutOfBounds("a reshape to another size")
            shape = tuple(self.size // rest if n == -1 else n for n in shape)
        if math.prod(shape) != self.size or min(shape, default=0) < 0:
            raise OutOfBounds("a reshape to another size")
        if self.strides != packed_strides(self.shape):
            raise OutOfBounds("a reshape of what is not contiguous")
        return Array(self.data, self.offset, shape, packed_strides(shape), self.watch)

    def items(self):
        """The items of a loop over the array: elements, or views without the first dimension."""
        for i in range(self.shape[0]):
            yield self.get(i) if len(self.shape) == 1 else self.view(i)

    # Assignment to a view

    def iterate_indices(self):
        return itertools.product(*(range(n) for n in self.shape))

    def broadcast_value(self, value):
        """The value to assign to each element; the elements of an array are broadcast, after all are read."""
        if not isinstance(value, Array):
            return [value] * self.size
        extra = len(self.shape) - len(value.shape)
        if extra < 0:
            raise OutOfBounds("an array of more dimensions")
        for n, extent in zip(value.shape, self.shape[extra:], strict=True):
            if n not in (1, extent):
                raise OutOfBounds("a shape that does not fit")
        return [
            value.get(*(0 if n == 1 else i for i, n in zip(at[extra:], value.shape, strict=True)))
            for at in self.iterate_indices()
        ]

    def assign(self, value, convert=lambda v: v):
        values = self.broadcast_value(value)
        if isinstance(value, Array):
            values = [convert(v) for v in values]
        for at, v in zip(self.iterate_indices(), values, strict=True):
            self.put(v, *at)

    def update(self, value, operate):
        places = list(self.iterate_indices())
        values = self.broadcast_value(value)
        values = [operate(self.get(*at), v) for at, v in zip(places, values, strict=True)]
        for at, v in zip(places, values, strict=True):
            self.put(v, *at)

    @property
    def size(self):
        return math.prod(self.shape)


def packed_strides(shape):
    return tuple(math.prod(shape[axis + 1 :]) for axis in range(len(shape)))


def packed(shape, watch=None):
    """A C-contiguous array whose elements are uninitialized."""
    return Array([None] * math.prod(shape), 0, shape, packed_strides(shape), watch)


class Record:
    """A place that holds a record: the fields of an element, a list in which nested records are lists."""

    __slots__ = ("fields", "at", "watch")

    def __init__(self, fields, at, watch):
        self.fields = fields
        self.at = at
        self.watch = watch

    def get_field(self, i):
        if self.watch:
            self.watch.read(self.at)
        return self.fields[i]

    def put_field(self, value, i):
        if self.watch:
            self.watch.write(self.at)
        self.fields[i] = value

    def inner(self, i):
        return Record(self.fields[i], self.at, self.watch)

    def copy_fields(self):
        if self.watch:
            self.watch.read(self.at)
        return copy.deepcopy(self.fields)


class Watch:
    """Detects races on one allocation. The scheduler sets `thread`, and increments `epoch` when all threads that can
    see the allocation are ordered."""

    thread = None

    def __init__(self):
        self.accesses = {}

    def _record_access(self, at, kind):
        seen = self.accesses.setdefault(at, {})
        for other_kind, threads in seen.items():
            if kind == other_kind and kind != "write":
                continue
            if threads - {Watch.thread}:
                raise Race(f"element {at}: {kind} by {Watch.thread}, {other_kind} by {threads}")
        seen.setdefault(kind, set()).add(Watch.thread)

    def read(self, at):
        self._record_access(at, "read")

    def write(self, at):
        self._record_access(at, "write")

    def update(self, at):
        self._record_access(at, "update")

    def mark_ordered(self):
        self.accesses.clear()


def _make_wrapping(operate):
    def for_type(name):
        if name in ("float32", "float64"):
            return None
        wrap = ar.wrap[name]
        return lambda old, value: wrap(operate(old, value))

    return for_type


def _add(name):
    if name == "float32":
        return ar.add32
    return ar.add64 if name == "float64" else _make_wrapping(lambda a, b: a + b)(name)


def _sub(name):
    if name == "float32":
        return ar.sub32
    return ar.sub64 if name == "float64" else _make_wrapping(lambda a, b: a - b)(name)


def _min(name):
    return ar.fmin if name.startswith("float") else min


def _max(name):
    return ar.fmax if name.startswith("float") else max


def _make_constant(operate):
    return lambda name: operate


def _inc(old, value):
    return 0 if old >= value else old + 1


def _dec(old, value):
    return value if old == 0 or old > value else old - 1


# The new value of an element after an atomic operation, by the element's type.
atomics = {
    "add": _add,
    "sub": _sub,
    "min": _min,
    "max": _max,
    "nanmin": _min,
    "nanmax": _max,
    "and_": _make_constant(lambda a, b: a & b),
    "or_": _make_constant(lambda a, b: a | b),
    "xor": _make_constant(lambda a, b: a ^ b),
    "exch": _make_constant(lambda a, b: b),
    "inc": _make_constant(_inc),
    "dec": _make_constant(_dec),
    "cas": _make_constant(lambda a, pair: pair[1] if a == pair[0] else a),
}
