"""NumPy's functions for functions of the host that are written in Python, upon ``np.empty`` and ``np.zeros``.

``implementations`` has for a name ("numpy.cumsum", "array.copy") what chooses an implementation by the types of the
arguments. Where none is chosen, the compiler's own row of that name is called.

registry          what the other files use; shapes: shapes that are made of others
creation          arrays of one value, of sequences of numbers, of what a program writes; copies
indexing          a[mask], a[indices], and assignments to them
lists             methods and operators of lists, np.array of them; dicts, hashed_sets: the same
typed_containers  numba.typed.List and Dict of other things
instances         builtins of instances of jitclasses
choices           calls of one of several functions
iterating         map, filter, functools.reduce, unpacked generators
heaps             heapq
hash_tables       what dicts and hashed_sets share: where keys are
joining           concatenate, stack, append
splitting         split, array_split
rearranging       repeat, tile, roll, delete, insert, meshgrid
matrices          triangles and diagonals
searching         nonzero, searchsorted, select and the like
comparing         round, clip, isclose
sorting           sort, argsort
partitioning      partition, argpartition
sets              unique, union1d, isin
strings           operators of strings, find and the like; string_methods: the others, int() and float() of strings
order_statistics  median, percentile, quantile
windows           hanning, kaiser and the like
statistics        bincount, histogram, cov, interp, convolve
reductions        along an axis
running           cumsum, diff, gradient
linear_algebra    np.linalg, dot, outer
random            random, np.random and methods of np.random.Generator
elementwise       functions of numbers over arrays: vectorize's, gcd, logaddexp and the like
broadcasting      sliding windows, moved axes, broadcast arrays and shapes
polynomials       numpy.polynomial.polynomial, roots
printing          print of arrays, lists, dates and complex numbers
"""

# ruff: noqa: F401 - each registers what it implements
from heddle.host_library import (
    broadcasting,
    choices,
    comparing,
    creation,
    dicts,
    elementwise,
    hash_tables,
    hashed_sets,
    hashing,
    heaps,
    indexing,
    iterating,
    joining,
    lists,
    matrices,
    order_statistics,
    partitioning,
    polynomials,
    printing,
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
    windows,
)
from heddle.host_library.linear_algebra import (
    decompositions,
    dot,
    linear_equations,
    norms,
    products,
)
from heddle.host_library.random import (
    distributions,
    further_distributions,
    generator_counts,
    generator_distributions,
    generators,
    numpy_random,
    python_random,
)
from heddle.host_library.registry import implementations
