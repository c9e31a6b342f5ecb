"""Controls the threads that run ``prange`` loops. The CPU device shares them."""

import contextlib

from heddle import _heddle, types
from heddle.compiler.intrinsics import find_intrinsic
from heddle.compiler.rewriting.chunk_size_blocks import register_chunk_size_context
from heddle.compiler.rewriting.object_calls import CallOfPython
from heddle.support.public_function import public

get_num_threads = find_intrinsic("heddle.get_num_threads")
get_thread_id = find_intrinsic("heddle.get_thread_id")


@public
def set_num_threads(n):
    """Limits ``prange`` loops that the calling thread starts to ``n`` threads.

    n: the number of threads, from 1 to the initial number (HEDDLE_NUM_THREADS or the number of processors). Raises
    TypeError if n is not an int and ValueError if it is out of range. Same as numba.set_num_threads. Host functions can
    also call it.

    >>> heddle.set_num_threads(1)
    >>> heddle.get_num_threads()
    1
    """
    if isinstance(n, bool) or not hasattr(n, "__index__"):
        raise TypeError(f"set_num_threads takes an int, not {n!r}")
    most = _heddle.most_threads()
    if not 1 <= n <= most:
        raise ValueError(f"the number of threads is 1 to {most}, not {n}")
    _heddle.set_thread_count(int(n))


@public
def threading_layer():
    """Returns 'workqueue', numba's name for a layer with a private thread pool, as in Heddle.

    Several threads of the program may run parallel loops at the same time, and processes may fork.

    >>> heddle.threading_layer()
    'workqueue'
    """
    return "workqueue"


@public
def get_parallel_chunksize():
    """The number of ``prange`` iterations that a thread takes at a time; 0 if Heddle chooses it.

    >>> heddle.get_parallel_chunksize()
    0
    """
    return _heddle.chunk_size()


@public
def set_parallel_chunksize(n):
    """Sets the number of ``prange`` iterations that a thread takes at a time (0: Heddle chooses). Returns the old
    number.

    Applies to loops that the calling thread starts. Raises TypeError if n is not an int, ValueError if n < 0.

    >>> before = heddle.set_parallel_chunksize(64)
    >>> heddle.set_parallel_chunksize(before)
    64
    """
    if isinstance(n, bool) or not hasattr(n, "__index__"):
        raise TypeError(f"set_parallel_chunksize takes an int, not {n!r}")
    if n < 0:
        raise ValueError(f"a chunk has 0 or more iterations, not {n}")
    before = _heddle.chunk_size()
    _heddle.set_chunk_size(int(n))
    return before


@contextlib.contextmanager
def parallel_chunksize(n):
    """``with parallel_chunksize(n):`` sets the chunk size inside the block and restores it afterwards.

    >>> with heddle.parallel_chunksize(64):
    ...     heddle.get_parallel_chunksize()
    64
    """
    before = set_parallel_chunksize(n)
    try:
        yield
    finally:
        set_parallel_chunksize(before)


CallOfPython(set_num_threads)
CallOfPython(get_parallel_chunksize, types.int64)
CallOfPython(set_parallel_chunksize, types.int64)
register_chunk_size_context(parallel_chunksize, set_parallel_chunksize)
