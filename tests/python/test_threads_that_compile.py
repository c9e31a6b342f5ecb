"""Threads that call their first functions at the same time."""

import pytest

PROGRAMS = {
    "host": """
import threading, heddle
functions = [heddle.njit(lambda x, i=i: abs(x) + len([i])) for i in range(8)]
results = [None] * 8
def call(i):
    results[i] = functions[i](3)
""",
    "kernels": """
import threading, numpy as np
from heddle import cuda
def kernel(i):
    def add(out):
        out[cuda.threadIdx.x] += i
    return cuda.jit(add)
functions = [kernel(4) for i in range(8)]
results = [None] * 8
def call(i):
    out = np.zeros(4)
    functions[i][1, 4](out)
    results[i] = int(out[0])
""",
}
END = """
threads = [threading.Thread(target=call, args=(i,)) for i in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(results)
"""


@pytest.mark.parametrize("name", PROGRAMS)
def test_none_waits_for_ever(name, run_python):
    """A module being imported by one thread was awaited by the others, which held the interpreter lock that it
    needed."""
    done = run_python(PROGRAMS[name] + END)
    assert done.stdout == f"{[4] * 8}\n", done.stderr
