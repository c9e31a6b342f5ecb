"""NumPy's functions for functions of the host that are written in Python, upon ``np.empty`` and ``np.zeros``.

``implementations`` has for a name ("numpy.cumsum", "array.copy") what chooses an implementation by the types of the
arguments. Where none is chosen, the compiler's own row of that name is called.

registry          what the other files use; shapes: shapes that are made of others
creation          arrays of one value, of sequences of numbers, of what a program writes; copies
indexing          a[mask], a[indices], and assignments to them
lists             methods and operators of lists, np.array of them; dicts, hashed_sets: the same
typed_containers  numba.typed.List and Dict of other things
instances         builtins of instances of jitclasses
hash_tables       what dicts and hashed_sets share: where keys are
joining           concatenate, stack, append
splitting         split, array_split
rearranging       repeat, tile, roll, delete, insert, meshgrid
linear_equations  np.linalg, through lapack; decompositions, norms: the same
matrices          triangles and diagonals
searching         nonzero, searchsorted, select and the like
comparing         round, clip, isclose
sorting           sort, argsort, partition
sets              unique, union1d, isin
strings           operators of strings, find and the like; string_methods: the others, int() and float() of strings
order_statistics  median, percentile, quantile
statistics        bincount, histogram, cov, interp, convolve
reductions        along an axis
running           cumsum, diff, gradient
random            random, np.random and methods of np.random.Generator
dot               dot and @
products          outer, kron, cross
"""

# ruff: noqa: F401 - each registers what it implements
from heddle.host_library import (
    comparing,
    creation,
    decompositions,
    dicts,
    dot,
    hash_tables,
    hashed_sets,
    indexing,
    instances,
    joining,
    linear_equations,
    lists,
    matrices,
    norms,
    order_statistics,
    products,
    rearranging,
    reductions,
    running,
    searching,
    sets,
    sorting,
    splitting,
    statistics,
    string_methods,
    strings,
    typed_containers,
)
from heddle.host_library.random import (
    distributions,
    generator_counts,
    generator_distributions,
    generators,
    numpy_random,
    python_random,
)
from heddle.host_library.registry import implementations
