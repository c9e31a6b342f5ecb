"""A search tree of a class whose attributes are of its own type."""

import numpy as np
from numba import deferred_type, int64, njit, optional
from numba.experimental import jitclass

tree_type = deferred_type()


@jitclass([("key", int64), ("left", optional(tree_type)), ("right", optional(tree_type))])
class Tree:
    def __init__(self, key):
        self.key = key
        self.left = None
        self.right = None

    def insert(self, key):
        node = self
        while True:
            if key == node.key:
                return False
            if key < node.key:
                if node.left is None:
                    node.left = Tree(key)
                    return True
                node = node.left
            else:
                if node.right is None:
                    node.right = Tree(key)
                    return True
                node = node.right


tree_type.define(Tree.class_type.instance_type)


@njit
def contains(node, key):
    while True:
        if node.key == key:
            return True
        child = node.left if key < node.key else node.right
        if child is None:
            return False
        node = child


def in_order(node):
    return [] if node is None else in_order(node.left) + [node.key] + in_order(node.right)


t = Tree(50)
keys = np.random.RandomState(0).permutation(100)
print(sum(t.insert(k) for k in keys))
print(in_order(t) == list(range(100)), t.left.key, t.right.key)
try:
    print(contains(t, 13), contains(t, 1000))
except Exception as error:
    print(type(error).__name__)
