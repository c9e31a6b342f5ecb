"""The threads that run the rounds of loops over ``prange``: those of the CPU device."""

import contextlib

from heddle import _heddle, types
from heddle.compiler.chunk_size_blocks import rewrite_blocks_of
from heddle.compiler.intrinsics import intrinsic
from heddle.compiler.object_blocks import CallOfPython
from heddle.public_function import public

get_num_threads = intrinsic("heddle.get_num_threads")
get_thread_id = intrinsic("heddle.get_thread_id")


@public
def set_num_threads(n):
    """Have at most ``n`` threads run loops over prange that this thread comes to.

    n: 1 to as many as there are at the start, which is the number of processors or what HEDDLE_NUM_THREADS says.
    Raises TypeError for what is no int, ValueError for another number.
    Same as numba.set_num_threads, in functions of the host, too.
    """
    if isinstance(n, bool) or not hasattr(n, "__index__"):
        raise TypeError(f"set_num_threads takes an int, not {n!r}")
    most = _heddle.most_threads()
    if not 1 <= n <= most:
        raise ValueError(f"the number of threads is 1 to {most}, not {n}")
    _heddle.set_thread_count(int(n))


@public
def threading_layer():
    """'workqueue': the name of numba's layer that has threads of its own, as Heddle has.

    Other threads of the program may come to parallel loops at the same time, and processes may be forked.
    """
    return "workqueue"


@public
def get_parallel_chunksize():
    """How many rounds of a loop over prange a thread takes at a time; 0 where that is left to Heddle."""
    return _heddle.chunk_size()


@public
def set_parallel_chunksize(n):
    """Have threads take ``n`` rounds of a loop over prange at a time; 0 leaves it to Heddle. Returns what it was.

    It counts for loops that the calling thread comes to. Raises TypeError for what is no int, ValueError for n < 0.
    """
    if isinstance(n, bool) or not hasattr(n, "__index__"):
        raise TypeError(f"set_parallel_chunksize takes an int, not {n!r}")
    if n < 0:
        raise ValueError(f"a chunk has 0 rounds or more, not {n}")
    before = _heddle.chunk_size()
    _heddle.set_chunk_size(int(n))
    return before


@contextlib.contextmanager
def parallel_chunksize(n):
    """``with parallel_chunksize(n):`` sets the size of chunks for the statements below, and then sets it back."""
    before = set_parallel_chunksize(n)
    try:
        yield
    finally:
        set_parallel_chunksize(before)


CallOfPython(set_num_threads)
CallOfPython(get_parallel_chunksize, types.int64)
CallOfPython(set_parallel_chunksize, types.int64)
rewrite_blocks_of(parallel_chunksize, set_parallel_chunksize)
