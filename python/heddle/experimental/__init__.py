"""numba.experimental: ``jitclass`` and ``structref``.

jit_class     the decorator jitclass
declarations  parses the attribute declarations of a class
classes       builds the compiled class
structref     structures with user-defined types
"""

from heddle.experimental import structref
from heddle.experimental.jit_class import jitclass

__all__ = ["jitclass", "structref"]
