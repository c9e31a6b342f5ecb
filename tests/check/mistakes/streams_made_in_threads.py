"""Host threads write the same array, each in a stream that it makes and drops."""

import threading

import numpy as np

from heddle import cuda


@cuda.jit
def mark(x, value):
    x[cuda.grid(1)] = value  #! race


x = cuda.to_device(np.zeros(64, np.int32))


def work(number):
    stream = cuda.stream()
    mark[2, 32, stream](x, number)
    #+ stream.synchronize()


for number in range(2):
    thread = threading.Thread(target=work, args=(number,))
    thread.start()
    thread.join()
cuda.synchronize()
