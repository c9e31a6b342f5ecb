"""jitclass: classes whose instances Python and host functions share; the owners of the objects in them."""

import collections

import numpy as np
import pytest

from heddle import boolean, float32, float64, int32, int64, njit, prange, types
from heddle.errors import TypingError, UnsupportedError
from heddle.experimental import jitclass
from heddle.typed import Dict, List

row_type = float64[::1]


pytestmark = pytest.mark.usefixtures("everything_is_freed")


@jitclass([("value", int32), ("array", float32[:])])
class Bag:
    """The class of numba's documentation."""

    def __init__(self, value):
        self.value = value
        self.array = np.zeros(value, dtype=np.float32)

    @property
    def size(self):
        return self.array.size

    def increment(self, val):
        for i in range(self.size):
            self.array[i] += val
        return self.array

    @staticmethod
    def add(x, y):
        return x + y

    def fail(self, value):
        self.value = value
        raise ValueError("refused", value)


@jitclass([("x", float64), ("y", float64)])
class Vector:
    def __init__(self, x, y=2.0):
        self.x = x
        self.y = y

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)

    def __rmul__(self, factor):
        return Vector(factor * self.x, factor * self.y)

    def __neg__(self):
        return Vector(-self.x, -self.y)

    def __isub__(self, other):
        self.x -= other.x
        self.y -= other.y
        return self

    def __eq__(self, other):
        return self.x == other.x and self.y == other.y

    def __hash__(self):
        return int(self.x) * 31 + int(self.y)

    def __lt__(self, other):
        return self.length < other.length

    def __len__(self):
        return 2

    def __getitem__(self, i):
        return self.x if i == 0 else self.y

    def __setitem__(self, i, value):
        if i == 0:
            self.x = value
        else:
            self.y = value

    def __contains__(self, value):
        return value == self.x or value == self.y

    def __abs__(self):
        return self.length

    def __float__(self):
        return self.length

    def __int__(self):
        return int(self.length)

    def __bool__(self):
        return self.length > 0

    @property
    def length(self):
        return np.sqrt(self.x**2 + self.y**2)

    @length.setter
    def length(self, value):
        factor = value / self.length
        self.x *= factor
        self.y *= factor


def parts(v):
    return v.x, v.y


def test_python_uses_an_instance():
    bag = Bag(4)
    assert (bag.size, bag.value, Bag.add(1, 2), bag.add(3, 4)) == (4, 4, 3, 7)
    np.testing.assert_array_equal(bag.increment(3), np.full(4, 3, np.float32))
    bag.value = 2.9
    assert bag.value == 2
    assert isinstance(bag, Bag) and not isinstance(Vector(1.0), Bag)
    assert Bag.__doc__ == "The class of numba's documentation."


def test_a_function_uses_the_same_instance():
    @njit
    def used(bag):
        bag.value += 10
        return bag.increment(1).sum() + bag.value, isinstance(bag, Bag), isinstance(bag, int)

    bag = Bag(4)
    bag.increment(3)
    assert used(bag) == (16.0 + 14, True, False)
    assert bag.value == 14


def test_a_function_makes_instances():
    @njit
    def made(n):
        v = Vector(1.0)
        for i in range(n):
            v = v + Vector(i, y=0.5)
        return v, Vector(y=1, x=2)

    first, second = made(4)
    assert (parts(first), parts(second)) == ((7.0, 4.0), (2.0, 1.0))


@pytest.mark.parametrize("compiled", [False, True])
def test_operators_and_builtins_call_methods(compiled):
    def all_of(v, w):
        u = 2.0 * (v + w)
        u -= w
        before = u[0], len(u), abs(v), float(v), int(v), bool(u), 3.0 in v, 3.0 not in v
        u[1] = 9
        return before, (-v).x, v == w, v != w, v < w, v > w, not v, u.y, hash(v)

    v, w = Vector(3.0, 4.0), Vector(5.0)
    before = (11.0, 2, 5.0, 5.0, 5, True, True, False)
    assert (njit(all_of) if compiled else all_of)(v, w) == (
        *(before, -3.0, False, True, True, False, False, 9.0, 97),
    )


@pytest.mark.parametrize("compiled", [False, True])
def test_properties_are_assigned(compiled):
    def halve(v):
        v.length = v.length / 2

    v = Vector(6.0, 8.0)
    (njit(halve) if compiled else halve)(v)
    assert parts(v) == (3.0, 4.0)


def test_attributes_of_every_kind():
    @jitclass(
        {
            "flag": boolean,
            "z": types.complex128,
            "name": types.unicode_type,
            "pair": types.Tuple((int64, types.unicode_type)),
            "bag": Bag.class_type.instance_type,
            "counts": types.DictType(types.unicode_type, int64),
            "rows": types.ListType(row_type),
        }
    )
    class Everything:
        def __init__(self, bag, name):
            self.flag = True
            self.z = 2
            self.name = "<" + name + ">"
            self.pair = (7, name)
            self.bag = bag
            self.counts = Dict.empty(types.unicode_type, int64)
            self.rows = List.empty_list(row_type)

        def put(self, name, row):
            self.counts[name] = self.counts.get(name, 0) + len(row)
            self.rows.append(row)
            self.bag.value += 1

    bag = Bag(1)
    all_of = Everything(bag, "né")
    all_of.put("a", np.arange(3.0))
    all_of.put("a", np.arange(2.0))
    all_of.rows[0][0] = 5
    assert (all_of.flag, all_of.z, all_of.name, all_of.pair) == (True, 2, "<né>", (7, "né"))
    assert (bag.value, dict(all_of.counts), len(all_of.rows)) == (3, {"a": 5}, 2)
    assert all_of.rows[0].tolist() == [5.0, 1.0, 2.0]
    all_of.bag = Bag(9)
    assert (all_of.bag.value, bag.value) == (9, 3)


@jitclass([("items", types.List(float64)), ("rows", types.List(row_type))])
class Pile:
    def __init__(self, items):
        self.items = items
        self.rows = [np.ones(2)]

    def refill(self, n):
        self.items = [i * 0.5 for i in range(n)]
        return len(self.items) + len(self.rows)


def test_lists_are_assigned_to_attributes_that_are_declared_as_lists():
    pile = Pile([1.0, 2.0])
    pile.items.append(3.0)
    assert list(pile.items) == [1, 2, 3]
    assert pile.refill(4) == 5
    assert list(pile.items) == [0, 0.5, 1, 1.5]
    pile.items = [7.0]
    assert list(pile.items) == [7]

    @njit
    def total():
        pile = Pile([2.5])
        pile.items.append(4.0)
        pile.items[0] += 1
        return sum(pile.items) + pile.rows[0].sum()

    assert total() == 9.5


def test_annotations_declare_attributes():
    @jitclass([("n", int32)])
    class Annotated:
        n: float
        x: float
        flag: bool
        name: str
        row: float64[:]
        pair: tuple[int, float]
        __hidden: int

        def __init__(self):
            self.n = 2.5
            self.x = 1
            self.name = "x"
            self.pair = (1, 2)
            self.__hidden = 4

        def hidden(self):
            return self.__hidden

    a = Annotated()
    assert (a.n, a.x, a.flag, a.name, a.row.size, a.pair) == (2, 1.0, False, "x", 0, (1, 2.0))
    assert a.hidden() == 4


def test_a_spec_is_an_ordered_dict_and_the_class_an_argument():
    class Plain:
        def doubled(self):
            return 2 * self.n

    class Counter(Plain):
        def __init__(self):
            self.n = 21

    compiled = jitclass(Counter, collections.OrderedDict(n=int64))
    assert compiled().doubled() == 42


def test_typed_lists_hold_instances():
    @njit
    def moved(vectors):
        for v in vectors:
            v.x += 1
        vectors.append(Vector(100.0))
        return [v.x for v in vectors], vectors[-1]

    vectors = List()
    vectors.append(Vector(1.0))
    vectors.append(Vector(2.0))
    xs, last = moved(vectors)
    assert (xs, len(vectors)) == ([2.0, 3.0, 100.0], 3)
    last.x = 7
    assert vectors[2].x == 7


def test_instances_that_stay_in_a_list_keep_their_objects():
    @njit
    def rotated(vectors):
        vectors.append(Vector(vectors[0].x + 10))
        vectors.append(vectors.pop(0))

    first, second = vectors = [Vector(1.0), Vector(2.0)]
    rotated(vectors)
    assert [v.x for v in vectors] == [2.0, 11.0, 1.0]
    assert vectors[0] is second
    assert vectors[2] is first


def test_an_array_of_the_program_is_shared():
    bag, values = Bag(1), np.zeros(3, np.float32)
    bag.array = values
    bag.increment(2)
    values[0] = 9
    assert values.tolist() == bag.array.tolist() == [9.0, 2.0, 2.0]


def test_an_array_stays_while_its_attribute_is_assigned():
    @njit
    def exchanged(bag):
        before = bag.array
        bag.array = np.ones(2, np.float32)
        return before.sum() + bag.array.sum()

    bag = Bag(3)
    bag.increment(5)
    assert exchanged(bag) == 17


def test_an_array_that_a_call_replaces_stays():
    @njit
    def replace(bag):
        bag.array = np.full(5, 2, np.float32)
        return 1

    @njit
    def used(bag):
        return bag.array[0] + replace(bag) + bag.array[0]

    bag = Bag(2)
    assert used(bag) == 3


def test_an_instance_of_a_loop_is_the_last_one():
    @njit
    def chosen(n):
        v = Vector(0.0)
        while n > 0:
            v = Vector(n) if n % 2 else v
            n -= 1
        return v

    assert (chosen(0).x, chosen(6).x) == (0.0, 1.0)


def test_what_a_method_did_before_it_raised_stays():
    @njit
    def caught(bag):
        try:
            bag.fail(3)
        except ValueError:
            return Bag(2).size
        return 0

    bag = Bag(1)
    with pytest.raises(ValueError) as raised:
        bag.fail(8)
    assert (raised.value.args, bag.value, caught(bag), bag.value) == (("refused", 8), 8, 2, 3)


def test_threads_of_a_loop_read_an_instance():
    @njit(parallel=True)
    def total(bag, n):
        s = 0.0
        for i in prange(n):
            s += bag.array[i % bag.size] + bag.value
        return s

    bag = Bag(4)
    bag.increment(1)
    assert total(bag, 1000) == 5000


def test_signatures_name_the_type_of_instances():
    bag_type = Bag.class_type.instance_type

    @njit(int64(bag_type))
    def value(bag):
        return bag.value

    assert value(Bag(3)) == 3
    assert (bag_type, types.typeof(Bag(1))) == (bag_type, bag_type)
    assert isinstance(bag_type, types.ClassInstanceType)
    with pytest.raises(TypeError):
        value(Vector(1.0))


# Mistakes


def test_an_attribute_that_is_not_declared_is_an_error():
    @njit
    def read(bag):
        return bag.valeu

    @njit
    def assigned(bag):
        bag.valeu = 1

    bag = Bag(1)
    for function in (read, assigned):
        with pytest.raises(TypingError, match=r"attribute 'valeu'[\s\S]*did you mean 'value'"):
            function(bag)
    with pytest.raises(AttributeError, match="valeu"):
        bag.valeu = 1
    with pytest.raises(TypingError, match="cannot assign unicode_type to attribute 'value'"):
        bag.value = "x"


def test_a_container_that_is_not_assigned_cannot_be_read():
    @jitclass({"rows": types.ListType(int64)})
    class Empty:
        def __init__(self):
            pass

        def count(self):
            return len(self.rows)

    with pytest.raises(AttributeError, match="'rows' is not assigned yet"):
        Empty().count()
    with pytest.raises(AttributeError, match="'rows' is not assigned yet"):
        _ = Empty().rows


def test_a_global_instance_is_no_constant():
    bag = Bag(2)

    @njit
    def value():
        return bag.value

    with pytest.raises(TypingError, match="pass it as an argument"):
        value()


def test_arguments_are_those_of_init():
    with pytest.raises(TypeError, match="missing a required argument: 'value'"):
        Bag()
    with pytest.raises(TypeError, match="too many positional arguments"):
        Bag(1, 2)

    @njit
    def wrong():
        return Bag(1, valeu=2)

    with pytest.raises(TypingError, match="unknown argument 'valeu'"):
        wrong()


def with_members(**members):
    return type("Wrong", (), {"__init__": lambda self: None, **members})


@pytest.mark.parametrize(
    "cls, spec, error, message",
    [
        (with_members(K=3), {"x": int64}, TypeError, "class members are not yet supported: K"),
        (with_members(x=[]), {"y": int64}, TypeError, "class members are not yet supported: x"),
        (with_members(x=lambda self: 1), {"x": int64}, NameError, "name shadowing: x"),
        (with_members(), {"x": 3}, TypeError, "spec values should be types, got 3"),
        (with_members(), [(3, int64)], TypeError, "spec keys should be strings, got 3"),
        (with_members(), 7, TypeError, "a dict or a list of pairs"),
        (with_members(), {"x": types.Set(int64)}, TypeError, "attribute 'x' cannot be set"),
        (with_members(__iter__=lambda self: 1), {}, TypeError, "'__iter__' is not supported"),
        (with_members(__init__=lambda self, *a: None), {}, UnsupportedError, "VAR_POSITIONAL"),
        (type("Wrong", (), {}), {}, TypeError, "has no method __init__"),
    ],
)
def test_what_no_class_can_be_is_refused(cls, spec, error, message):
    with pytest.raises(error, match=message):
        jitclass(cls, spec)


def test_a_jitclass_has_no_subclasses():
    with pytest.raises(TypeError, match="cannot subclass from a jitclass: Bag"):
        type("Sub", (Bag,), {})


def test_init_returns_nothing():
    @jitclass([])
    class Wrong:
        def __init__(self):
            return 3

    with pytest.raises(TypeError, match=r"Wrong.__init__\(\) should return None"):
        Wrong()


def test_numbers_are_read_from_python_as_they_are_assigned():
    @jitclass([("a", types.int8), ("b", types.uint64), ("c", types.float32), ("d", types.boolean)])
    class Numbers:
        def __init__(self, a):
            self.a = a
            self.b = 2**64 - 1
            self.c = 0.1
            self.d = a < 0

    numbers = Numbers(-3)
    assert (numbers.a, numbers.b, numbers.c, numbers.d) == (-3, 2**64 - 1, np.float32(0.1), True)
    numbers.a, numbers.d = 300, 0
    assert (numbers.a, numbers.d) == (44, False)
    with pytest.raises(AttributeError, match="cannot be deleted"):
        del numbers.a
    with pytest.raises(AttributeError, match="no attributes before __init__"):
        Numbers.__new__(Numbers).a  # noqa: B018 - it raises


def test_an_instance_that_a_loop_makes_and_drops_is_counted_without_locked_instructions():
    @jitclass([("x", types.float64)])
    class Point:
        def __init__(self, x):
            self.x = x

    @njit
    def total(n):
        out = 0.0
        for i in range(n):
            out += Point(i).x
        return out

    assert total(4) == 6.0
    loop = total.inspect_asm(total.signatures[0])
    assert "heddle_host_new_list" in loop
    assert loop.count("lock") <= 2  # of references that others may have, too


def test_an_attribute_may_be_none():
    @jitclass({"next": types.none, "count": int64})
    class Last:
        def __init__(self, count):
            self.next = None
            self.count = count

    @njit
    def length(last):
        return last.count if last.next is None else -1

    last = Last(3)
    assert last.next is None
    assert length(last) == 3
    last.next = None
    with pytest.raises(TypingError, match="cannot assign int64 to attribute 'next'"):
        last.next = 1


def test_attributes_take_arrays_that_must_not_be_written():
    @jitclass({"steps": float64[:]})
    class Steps:
        def __init__(self, steps):
            self.steps = steps

    steps = Steps(np.broadcast_to(2.5, 4))
    assert njit(lambda s: s.steps.sum())(steps) == 10.0


def test_lists_tuples_and_optional_attributes_take_arrays_that_must_not_be_written():
    @jitclass({"steps": types.optional(float64[:]), "pair": types.Tuple((int64, float64[:]))})
    class Steps:
        def __init__(self, steps):
            self.steps = steps
            self.pair = (3, steps)

    array_type = float64[:]

    @njit
    def sums(steps):
        listed = List.empty_list(array_type)
        listed.append(steps)
        made = Steps(steps)
        return listed[0].sum(), made.pair[1].sum(), 0.0 if made.steps is None else made.steps.sum()

    assert sums(np.broadcast_to(2.5, 4)) == (10.0, 10.0, 10.0)


def test_attributes_that_are_numbers_take_arrays_without_dimensions():
    @jitclass({"found": boolean, "count": int32, "x": float64})
    class Result:
        def __init__(self, found, count, x):
            self.found = found
            self.count = count
            self.x = x

    @njit
    def result(found):
        return Result(np.array(found), np.array(3), np.array(2.5))

    made = result(True)
    assert (made.found, made.count, made.x) == (True, 3, 2.5)


def test_static_methods_may_have_names_with_underscores():
    @jitclass({"x": int64})
    class Number:
        def __init__(self, x):
            self.x = x

        @staticmethod
        def __prepare__(x):
            return x + 1

    assert Number(3).x == 3
    assert Number.__prepare__(3) == 4


@jitclass([("rows", types.List(types.List(types.int64)))])
class Triangle:
    def __init__(self, n):
        self.rows = [[1], [2, 3]]
        self.rows.append(self.rows[0])


def test_lists_of_lists_are_assigned_to_an_attribute_that_is_declared_so():
    assert [list(row) for row in Triangle(2).rows] == [[1], [2, 3], [1]]


def test_methods_get_lists_that_are_written_as_arguments():
    @jitclass([])
    class Longer:
        def __init__(self):
            pass

        def by_one(self, items):
            items.append(1)
            return items

    assert njit(lambda n: Longer().by_one([n, 2]))(5) == [5, 2, 1]


def test_the_spec_precedes_an_annotation_that_is_no_type():
    @jitclass({"seed": types.uint32})
    class Generator:
        seed: np.uint32
        steps: int

        def __init__(self, seed):
            self.seed = seed
            self.steps = 0

    made = Generator(3)
    assert (made.seed, made.steps) == (3, 0)
    made.seed = 2**32 - 1
    assert made.seed == 2**32 - 1
