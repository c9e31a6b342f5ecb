"""Two host threads launch kernels that write the same array, each in its own stream."""

import threading

import numpy as np

from heddle import cuda


@cuda.jit
def mark(x, value):
    x[cuda.grid(1)] = value  #! race


x = cuda.to_device(np.zeros(64, np.int32))
streams = [cuda.stream(), cuda.stream()]
#+ streams = [streams[0], streams[0]]


def work(number):
    mark[2, 32, streams[number]](x, number)


threads = [threading.Thread(target=work, args=(number,)) for number in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
cuda.synchronize()
