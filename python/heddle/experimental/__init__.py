"""numba.experimental: ``jitclass``.

jit_class     the decorator: what it takes
declarations  the attributes that a class declares
classes       the class that it becomes
"""

from heddle.experimental.jit_class import jitclass

__all__ = ["jitclass"]
