"""jitclass: attributes that may be None, classes that refer to themselves, and slices passed to methods."""

import numpy as np
import pytest

from heddle import float64, int64, njit, types
from heddle.errors import TypingError
from heddle.experimental import jitclass
from heddle.typed import List

node = types.deferred_type()


@jitclass([("value", int64), ("next", types.optional(node))])
class Node:
    def __init__(self, value, next):
        self.value = value
        self.next = next


node.define(Node.class_type.instance_type)


@jitclass([("head", types.optional(node)), ("size", int64)])
class Stack:
    def __init__(self):
        self.head = None
        self.size = 0

    def push(self, value):
        self.head = Node(value, self.head)
        self.size += 1

    def pop(self):
        top = self.head
        if top is None:
            raise IndexError("pop from an empty stack")
        self.head = top.next
        self.size -= 1
        return top.value


@jitclass(
    [
        ("number", types.optional(int64)),
        ("array", types.optional(float64[:])),
        ("text", types.optional(types.unicode_type)),
    ]
)
class Maybe:
    def __init__(self):
        self.number = None
        self.text = "first"

    def number_or(self, otherwise):
        return otherwise if self.number is None else self.number

    def take(self, array):
        self.array = array


@jitclass([("values", float64[:, :])])
class Table:
    def __init__(self, n):
        self.values = np.arange(n * n).reshape(n, n).astype(np.float64)

    def __getitem__(self, index):
        return self.values[index]

    def __setitem__(self, index, value):
        self.values[index] = value


pytestmark = pytest.mark.usefixtures("everything_is_freed")


def test_a_class_refers_to_itself():
    stack = Stack()
    for value in range(5):
        stack.push(value)
    assert (stack.head.value, stack.head.next.value, stack.size) == (4, 3, 5)
    assert [stack.pop() for _ in range(5)] == [4, 3, 2, 1, 0]
    assert stack.head is None
    with pytest.raises(IndexError, match="empty stack"):
        stack.pop()


def test_a_function_follows_references_until_none():
    @njit
    def total(first):
        out, at = 0, first
        while at is not None:
            out += at.value
            at = at.next
        return out

    assert total(Node(1, Node(2, Node(3, None)))) == 6


def test_a_chain_is_freed_that_is_longer_than_the_stack():
    @njit
    def chained(n):
        first = Node(0, None)
        for i in range(1, n):
            first = Node(i, first)
        return first

    assert chained(500_000).value == 499_999


def test_none_where_a_value_is_needed_is_an_error():
    @njit
    def second(first):
        return first.next.value

    assert second(Node(1, Node(2, None))) == 2
    with pytest.raises(TypeError, match="got None"):
        second(Node(1, None))


def test_a_list_holds_instances_of_its_own_class():
    tree = types.deferred_type()

    @jitclass([("value", int64), ("branches", types.ListType(tree))])
    class Tree:
        def __init__(self, value):
            self.value = value
            self.branches = List.empty_list(tree)

        def total(self):
            out, waiting = 0, [self]
            while len(waiting) > 0:
                at = waiting.pop()
                out += at.value
                for branch in at.branches:
                    waiting.append(branch)
            return out

    tree.define(Tree.class_type.instance_type)
    root, branch = Tree(1), Tree(2)
    branch.branches.append(Tree(4))
    root.branches.append(branch)
    root.branches.append(Tree(8))
    assert root.total() == 15


def test_attributes_may_be_none():
    maybe = Maybe()
    assert (maybe.number, maybe.array, maybe.text, maybe.number_or(-1)) == (None, None, "first", -1)
    maybe.number, maybe.text = 5, "é" * 3
    maybe.take(np.ones(3))
    assert (maybe.number, maybe.array.sum(), maybe.text, maybe.number_or(-1)) == (5, 3.0, "ééé", 5)
    maybe.number = maybe.array = maybe.text = None
    assert (maybe.number, maybe.array, maybe.text) == (None, None, None)


def test_a_deferred_type_is_defined_once_and_before_its_use():
    later = types.deferred_type()

    @jitclass([("other", types.optional(later))])
    class Early:
        def __init__(self):
            self.other = None

    with pytest.raises(TypingError, match="whose type is not defined yet"):
        Early()
    with pytest.raises(TypeError, match="one of instances of a jitclass"):
        later.define(int64)
    later.define(Early.class_type.instance_type)
    assert Early().other is None
    with pytest.raises(TypeError, match="already defined"):
        later.define(Node.class_type.instance_type)


def test_python_passes_slices_to_methods():
    table = Table(4)
    table[1, 2] = 60.0
    table[3:, :2] = -1.0
    assert table[1, 2] == 60.0
    np.testing.assert_array_equal(table[1:3, 0], [4.0, 8.0])
    np.testing.assert_array_equal(table[::-2, 0], [-1.0, 4.0])
    np.testing.assert_array_equal(table[3], [-1.0, -1.0, 14.0, 15.0])


def test_functions_pass_slices_to_methods():
    @njit
    def changed(table):
        table[:2] = 1.0
        table[2, 1:3] = 2.0
        return table[1:3, 1:].sum(), table[-1][::-1][0]

    assert changed(Table(4)) == (3 * 1.0 + 2 * 2.0 + 11.0, 15.0)


def test_functions_pass_and_return_slices():
    @njit
    def shifted(s, by):
        return slice(s.start + by, s.stop + by, s.step)

    @njit
    def selected(values, s):
        return values[s], "abcdefg"[s], [1, 2, 3, 4, 5][s]

    assert shifted(slice(1, 4), 2) == slice(3, 6)
    numbers, text, items = selected(np.arange(6), shifted(slice(0, 3), 1))
    assert (numbers.tolist(), text, items) == ([1, 2, 3], "bcd", [2, 3, 4])
