"""Device arrays used by two processes."""

import multiprocessing

import numpy as np

from heddle import cuda


@cuda.jit
def add_ten(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += 10


def work_in_child(handle, queue):
    """In the other process: changes the parent's array, and says what it saw."""
    try:
        with handle as array:
            seen = array.copy_to_host()
            add_ten[1, 64](array)
            cuda.synchronize()
        queue.put(seen)
    except Exception as error:
        queue.put(f"{type(error).__name__}: {error}")


def exchange(array):
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    child = context.Process(target=work_in_child, args=(array.get_ipc_handle(), queue))
    child.start()
    seen = queue.get(timeout=90)
    child.join(60)
    assert not isinstance(seen, str), seen
    assert child.exitcode == 0
    return seen


def test_another_process_reads_and_writes_an_array():
    d = cuda.to_device(np.arange(50.0))
    cuda.synchronize()
    np.testing.assert_array_equal(exchange(d), np.arange(50))
    np.testing.assert_array_equal(d.copy_to_host(), np.arange(50) + 10)


def test_a_view_is_shared_from_where_it_starts():
    d = cuda.to_device(np.arange(50.0))
    cuda.synchronize()
    np.testing.assert_array_equal(exchange(d[10:20]), np.arange(10, 20))
    expected = np.arange(50.0)
    expected[10:20] += 10
    np.testing.assert_array_equal(d.copy_to_host(), expected)
