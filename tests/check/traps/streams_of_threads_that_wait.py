"""Host threads pass an array on: each waits for its stream before the next thread goes on."""

import queue
import threading

import numpy as np

from heddle import cuda


@cuda.jit
def add(x, value):
    x[cuda.grid(1)] += value


x = cuda.to_device(np.zeros(64, np.int32))
turns = [queue.Queue() for _ in range(3)]


def work(number):
    stream = cuda.stream()
    for _ in range(3):
        turns[number].get()
        add[2, 32, stream](x, 1)
        stream.synchronize()
        turns[(number + 1) % 3].put(None)


threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
for thread in threads:
    thread.start()
turns[0].put(None)
for thread in threads:
    thread.join()
np.testing.assert_array_equal(x.copy_to_host(), np.full(64, 9))
