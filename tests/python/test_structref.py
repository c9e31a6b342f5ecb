"""structref: structures with fields of any type, shared by Python and host functions."""

import operator

import numpy as np
import pytest

from heddle import float64, int64, njit, types
from heddle.errors import TypingError
from heddle.experimental import jitclass, structref
from heddle.extending import overload, overload_attribute, overload_method
from heddle.typed import List

pytestmark = pytest.mark.usefixtures("everything_is_freed")


@structref.register
class MyStructType(types.StructRef):
    """The structure in numba's documentation."""

    def preprocess_fields(self, fields):
        return tuple((name, types.unliteral(typ)) for name, typ in fields)


class MyStruct(structref.StructRefProxy):
    def __new__(cls, name, vector):
        return structref.StructRefProxy.__new__(cls, name, vector)

    @property
    def name(self):
        return name_of(self)

    @property
    def vector(self):
        return vector_of(self)


@njit
def name_of(self):
    return self.name


@njit
def vector_of(self):
    return self.vector


structref.define_proxy(MyStruct, MyStructType, ["name", "vector"])


@overload_method(MyStructType, "scaled")
def _scaled(self, factor):
    if self.field_dict["vector"] != factor:
        return lambda self, factor: self.vector * factor
    return None


@overload_attribute(MyStructType, "length")
def _length(self):
    return lambda self: len(self.vector)


@structref.register
class PairType(types.StructRef):
    pass


pair_type = PairType([("first", int64), ("second", float64)])


def test_python_makes_a_structure():
    alice = MyStruct("Alice", vector=np.arange(3.0))
    assert type(alice) is MyStruct and alice.name == "Alice"
    np.testing.assert_array_equal(alice.vector, [0, 1, 2])


def test_a_function_makes_changes_and_returns_a_structure():
    @njit
    def make_bob():
        bob = MyStruct("unnamed", vector=np.zeros(3))
        bob.name = "Bob"
        bob.vector = np.ones(3)
        return bob

    bob = make_bob()
    assert type(bob) is MyStruct and bob.name == "Bob"
    np.testing.assert_array_equal(bob.vector, [1, 1, 1])


def test_what_a_function_changes_python_sees():
    @njit
    def rename(person):
        person.name += "!"

    alice = MyStruct("Alice", np.zeros(1))
    rename(alice)
    assert alice.name == "Alice!"


def test_a_structure_has_the_types_of_its_values():
    a, b = MyStruct("a", np.zeros(2)), MyStruct("b", np.zeros((2, 2), np.int32))
    assert a._type.field_dict == {"name": types.unicode_type, "vector": float64[::1]}
    assert vector_of(b).dtype == np.int32 and a._type != b._type


def test_methods_and_attributes_are_overloads_for_the_class_of_types():
    @njit
    def used(s):
        return s.scaled(3), s.length

    scaled, length = used(MyStruct("a", np.arange(2.0)))
    np.testing.assert_array_equal(scaled, [0, 3])
    assert length == 2


def test_new_makes_a_structure_of_a_type_with_zeros():
    @njit
    def new_pair(x):
        pair = structref.new(pair_type)
        before = pair.first
        pair.first = x
        pair.second = x / 2
        return before, pair.first + pair.second

    assert new_pair(3) == (0, 4.5)


def test_structures_are_items_of_typed_lists():
    @njit
    def total(people):
        return sum([p.vector.sum() for p in people])

    assert total(List([MyStruct("a", np.ones(3)), MyStruct("b", np.ones(4))])) == 7


def test_an_exception_frees_the_structures_of_the_call():
    @njit
    def fail(n):
        made = [MyStruct("x", np.ones(i)) for i in range(n)]
        raise ValueError(made[0].name)

    with pytest.raises(ValueError, match="x"):
        fail(4)


def test_types_include_those_of_their_class():
    assert isinstance(pair_type, PairType) and isinstance(pair_type, types.StructRef)
    assert not isinstance(pair_type, MyStructType) and not isinstance(int64, types.StructRef)
    assert str(pair_type) == "PairType(first: int64, second: float64)"


def test_a_field_that_is_none_is_refused():
    @njit
    def wrong(s):
        s.vectr = np.zeros(3)

    with pytest.raises(TypingError, match="cannot assign to attribute 'vectr'.*") as error:
        wrong(MyStruct("a", np.zeros(3)))
    assert "did you mean 'vector'?" in str(error.value)


def test_a_missing_argument_of_the_constructor_is_refused():
    @njit
    def wrong():
        return MyStruct("a").name

    with pytest.raises(TypingError, match="missing a required argument: 'vector'"):
        wrong()


def test_what_is_no_class_of_types_is_refused():
    with pytest.raises(TypeError, match="takes a subclass of types.StructRef"):
        structref.register(int)
    with pytest.raises(TypeError, match="define a subclass"):
        types.StructRef([("x", int64)])
    with pytest.raises(TypeError, match="subclass of StructRefProxy"):
        structref.define_boxing(PairType, int)


def test_a_field_may_be_none():
    @njit
    def chain(n):
        last = MyStruct(n, None)
        return MyStruct(n + 1, last).vector.name, last.vector is None, last

    name, is_none, last = chain(4)
    assert (name, is_none) == (4, True)
    assert last.name == 4
    assert last.vector is None


@structref.register
class ChainType(types.StructRef):
    def preprocess_fields(self, fields):
        return tuple(
            (name, types.Optional(self) if name == "next" else types.unliteral(typ))
            for name, typ in fields
        )


class Chain(structref.StructRefProxy):
    @property
    def total(self):
        return total_of_chain(self)


structref.define_proxy(Chain, ChainType, ["value", "next"])


@njit
def total_of_chain(chain):
    total = 0
    while chain is not None:
        total += chain.value
        chain = chain.next
    return total


def test_a_structure_has_a_field_of_its_own_type():
    @njit
    def chained(n):
        first = Chain(0, None)
        for i in range(1, n):
            one = Chain(i, None)
            one.next = first
            first = one
        return first

    assert chained(5).total == 10
    assert Chain(7, None).total == 7


@structref.register
class BoxType(types.StructRef):
    most = 7

    @property
    def holds_none(self):
        return isinstance(self.field_dict["value"], types.NoneType)

    def times(self, x):
        return x * self.most


class Box(structref.StructRefProxy):
    pass


structref.define_proxy(Box, BoxType, ["value"])


@overload_method(BoxType, "total")
def total_of_box(self):
    if self.holds_none:
        return lambda self: -1
    more = self.times(2)
    return lambda self: self.value + more


def test_a_type_of_structures_has_what_its_class_defines():
    total = njit(lambda box: box.total())
    assert (total(Box(1)), total(Box(None))) == (15, -1)
    assert not hasattr(types.int64, "holds_none")


@overload(operator.add)
def sum_of_boxes(a, b):
    if isinstance(a, BoxType) and isinstance(b, BoxType):
        return lambda a, b: Box(a.value + b.value)
    if isinstance(b, BoxType):
        return lambda a, b: Box(a + b.value)
    return None


@overload(operator.lt)
def is_smaller(a, b):
    if isinstance(b, BoxType):
        return lambda a, b: a < b.value
    return None


@overload(operator.getitem)
def item_of_box(a, i):
    if isinstance(a, BoxType):
        return lambda a, i: a.value * i
    return None


@overload(bool)
def is_full(a):
    if isinstance(a, BoxType):
        return lambda a: a.value != 0
    return None


def test_operators_are_functions_of_operator():
    @njit
    def both(a, b):
        c = 1 + (a + b)
        c += a
        return c.value, 3 < c, c[2], 1 if a else 2

    assert both(Box(0), Box(5)) == (6, True, 12, 2)


def test_operators_of_classes_are_functions_of_operator():
    @jitclass([("value", float64)])
    class Length:
        def __init__(self, value):
            self.value = value

        def __sub__(self, other):
            return self.value - other.value

    @overload(operator.mul)
    def area(a, b):
        if Length.class_type.instance_type in (a, b):
            return lambda a, b: a.value * b.value
        return None

    assert njit(lambda a, b: (a * b, a - b))(Length(2.0), Length(5.0)) == (10, -3)
