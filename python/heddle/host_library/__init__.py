"""NumPy's functions for functions of the host that are written in Python, upon ``np.empty`` and ``np.zeros``.

``implementations`` has for a name ("numpy.cumsum", "array.copy") what chooses an implementation by the types of the
arguments. Where none is chosen, the compiler's own row of that name is called.

registry    what the other files use; shapes: shapes that are made of others
creation    arrays of one value, of sequences of numbers, of what a program writes; copies
indexing    a[mask], a[indices], and assignments to them
joining     concatenate, stack, repeat, tile and the like
reductions  along an axis
running     cumsum, diff
searching   nonzero, searchsorted, select and the like
products    dot, outer
"""

# ruff: noqa: F401 - each registers what it implements
from heddle.host_library import (
    creation,
    indexing,
    joining,
    products,
    reductions,
    running,
    searching,
)
from heddle.host_library.registry import implementations
