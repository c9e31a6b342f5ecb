"""numba.experimental: ``jitclass`` and ``structref``.

jit_class     the decorator jitclass
declarations  parses the attribute declarations of a class
classes       builds the compiled class
structref     structures with user-defined types

>>> @heddle.experimental.jitclass([("count", int64)])
... class Counter:
...     def __init__(self):
...         self.count = 0
"""

from heddle.experimental import structref
from heddle.experimental.jit_class import jitclass

__all__ = ["jitclass", "structref"]
