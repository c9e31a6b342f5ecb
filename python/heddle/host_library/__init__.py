"""NumPy functions, container methods and others for host functions, written in Python.

``implementations`` maps a name ("numpy.cumsum", "array.copy") to an object that chooses an implementation by the types
of the arguments. If the object chooses none, the compiler uses its library row with that name.

``heddle.compiler.library_registry`` has the registry and the type tests that these modules use.

The function decorated with ``@implements("numpy.roll")``, ``_choose_roll_implementation``, makes this choice. It
returns an implementation such as ``_roll`` or ``_roll_along_axis``, or one that a function such as
``_specialize_stack`` makes for a dtype.

shapes            helpers for array shapes
creation          arrays from one value, from sequences of numbers and from the program's literals; copies
indexing          a[mask], a[indices], and assignments to them
lists             methods and operators of lists, np.array of lists; dicts, hashed_sets: the same for dicts and sets
typed_containers  numba.typed.List and Dict built from other containers
choices           calls of one of several functions
iterating         map, filter, functools.reduce, unpacking of generators
heaps             heapq
hash_tables       code that dicts and hashed_sets share: finding and storing keys
joining           concatenate, stack, append
splitting         split, array_split
rearranging       repeat, tile, roll, delete, insert, meshgrid
matrices          triangles and diagonals
searching         nonzero, searchsorted, select and the like
comparing         round, clip, isclose; comparison of string arrays
sorting           sort, argsort
partitioning      partition, argpartition
sets              unique, union1d, isin
strings           operators of strings, find and the like
string_methods    the other methods of strings; int() and float() of strings
bytes_objects     operators and methods of bytes objects
order_statistics  median, percentile, quantile
windows           hanning, kaiser and the like
statistics        bincount, histogram, cov, interp, convolve
reductions        reductions along an axis
running           cumsum, diff, gradient
linear_algebra    np.linalg, dot, outer
random            random, np.random and methods of np.random.Generator
hashing           hash
elementwise       scalar functions applied to arrays: those of vectorize, gcd, logaddexp and the like
broadcasting      sliding windows, moved axes, broadcasting of arrays and shapes
polynomials       numpy.polynomial.polynomial, roots
parts             functions of small arrays applied to the parts of larger ones: those of guvectorize
printing          print of arrays, lists, dates and complex numbers
"""

# ruff: noqa: F401 - importing a module registers its implementations
from heddle.compiler.library_registry import implementations
from heddle.host_library import (
    broadcasting,
    bytes_objects,
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
