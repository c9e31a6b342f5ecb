"""numba.experimental: ``jitclass`` and ``structref``.

jit_class     the decorator: what it takes
declarations  the attributes that a class declares
classes       the class that it becomes
structref     structures with types of their own
"""

from heddle.experimental import structref
from heddle.experimental.jit_class import jitclass

__all__ = ["jitclass", "structref"]
