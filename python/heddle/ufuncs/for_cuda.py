"""``cuda.vectorize`` and ``cuda.guvectorize``: the decorators with the target "cuda"."""

from heddle.support.public_function import public
from heddle.ufuncs import guvectorized, vectorized


@public
def vectorize(ftylist_or_function=(), target="cuda", **options):
    """``heddle.vectorize`` for the current device.

    >>> @cuda.vectorize(["float32(float32)"])
    ... def negate(a):
    ...     return -a
    """
    return vectorized.vectorize(ftylist_or_function, target, **options)


@public
def guvectorize(*args, target="cuda", **options):
    """``heddle.guvectorize`` for the current device.

    >>> @cuda.guvectorize(["void(float32[:], float32[:])"], "(n)->()")
    ... def total(values, result):
    ...     result[0] = values.sum()
    """
    return guvectorized.guvectorize(*args, target=target, **options)
