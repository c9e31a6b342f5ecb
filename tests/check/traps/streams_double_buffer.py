"""A pipeline of two streams with two buffers. Events say when a buffer is full, and when it is empty."""

import numpy as np

from heddle import cuda


@cuda.jit
def produce(buffer, step):
    i = cuda.grid(1)
    buffer[i] = step * 100 + i


@cuda.jit
def consume(buffer, total):
    i = cuda.grid(1)
    total[i] += buffer[i]


total = cuda.to_device(np.zeros(64, np.int64))
buffers = [cuda.device_array(64, np.int64) for _ in range(2)]
producer, consumer = cuda.stream(), cuda.stream()
full, empty = [cuda.event(), cuda.event()], [cuda.event(), cuda.event()]
for step in range(20):
    this = step % 2
    empty[this].wait(producer)
    produce[2, 32, producer](buffers[this], step)
    full[this].record(producer)
    full[this].wait(consumer)
    consume[2, 32, consumer](buffers[this], total)
    empty[this].record(consumer)
consumer.synchronize()
np.testing.assert_array_equal(total.copy_to_host(), 19000 + 20 * np.arange(64))
