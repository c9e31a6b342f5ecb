"""``cuda.vectorize``: the decorator of this package with the target "cuda"."""

from heddle.public_function import public
from heddle.ufuncs import vectorized


@public
def vectorize(ftylist_or_function=(), target="cuda", **options):
    """``heddle.vectorize`` for the current device."""
    return vectorized.vectorize(ftylist_or_function, target, **options)
