"""Ctrl-C while a host function runs."""

import subprocess
import sys

from sanitizers import not_under_the_thread_sanitizer

PROGRAM = """
import os, signal, subprocess, sys, time
import numpy as np
from heddle import _heddle, njit, prange

@njit
def without_end(n):
    x = n
    kept = [np.zeros(3)]
    while x != 0:
        x = (x * 7 + 1) % 1000 + 1
    return x

@njit
def counted(n):
    total = 0
    for i in range(n * 10**12):
        try:
            total = (total * 3 + i) % 1000003
        except Exception:
            total = -1
    return total

@njit(parallel=True)
def parallel(n):
    total = 0.0
    for i in prange(n):
        x = 0.0
        for j in range(n * 10**12):
            x = x * 0.5 + j
        total += x
    return total

@njit
def some(n):
    total = 0
    for i in range(n):
        total = (total * 3 + i) % 1000003
    return total

def interrupt():
    subprocess.Popen(["sh", "-c", f"sleep 0.1; kill -INT {os.getpid()}"])
"""


CALLS = """
some(10)
for function, argument in ((without_end, 3), (counted, 1), (parallel, 3)):
    function(0)
    interrupt()
    start = time.monotonic()
    try:
        function(argument)
    except KeyboardInterrupt:
        print("interrupted", time.monotonic() - start < 20, _heddle.live_arrays())
print(some(10), parallel(0))

# A handler that raises nothing ends nothing.
seen = []
signal.signal(signal.SIGINT, lambda *arguments: seen.append(1))
os.kill(os.getpid(), signal.SIGINT)
print(some(10), seen)

# The exception of the program's own handler is raised.
def stop(*arguments):
    raise ValueError("stopped")

signal.signal(signal.SIGINT, stop)
njit(lambda: 1)()
interrupt()
try:
    counted(1)
except ValueError as e:
    print(e)
"""


@not_under_the_thread_sanitizer("it keeps a signal until the thread calls the system")
# The program is not in a file: its functions are rebuilt from their code.
def test_an_interrupt_ends_functions():
    result = subprocess.run(
        [sys.executable, "-c", PROGRAM + CALLS],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    expected = "interrupted True 0\n" * 3 + "14757 0.0\n14757 [1]\nstopped\n"
    assert result.stdout == expected, result.stderr


UFUNCS = """
import os, signal, subprocess, time
import numpy as np
from heddle import guvectorize, vectorize

def without_end(x):
    while x != 0:
        x = (x * 7 + 1) % 1000 + 1
    return x

def row_without_end(x, out):
    t = x[0]
    while t != 0:
        t = (t * 7 + 1) % 1000 + 1
    out[0] = out[1] = t

rows = ["void(int64[:], int64[:])"], "(n)->(n)"
FUNCTIONS = {
    "vectorize": vectorize(["int64(int64)"])(without_end),
    "as called": vectorize(without_end),
    "guvectorize": guvectorize(*rows)(row_without_end),
    "threads": vectorize(["int64(int64)"], target="parallel")(without_end),
    "rows on threads": guvectorize(*rows, target="parallel")(row_without_end),
}

def interrupted(expected):
    for name, function in FUNCTIONS.items():
        for count in (1, 3, 100_000):
            shape = (count, 2) if "row" in name or name == "guvectorize" else count
            function(np.zeros(shape, np.int64))
            subprocess.Popen(["sh", "-c", f"sleep 0.1; kill -INT {os.getpid()}"])
            start = time.monotonic()
            try:
                function(np.ones(shape, np.int64))
            except expected as error:
                took = time.monotonic() - start
                assert took < 20 and type(error) is expected, (name, count, took, error)
            assert (function(np.zeros(shape, np.int64)) == 0).all()

interrupted(KeyboardInterrupt)

def stop(*arguments):
    raise ValueError("stopped")

signal.signal(signal.SIGINT, stop)
interrupted(ValueError)
print("done")
"""


@not_under_the_thread_sanitizer("it keeps a signal until the thread calls the system")
def test_a_ufunc_raises_what_the_signal_raises():
    result = subprocess.run(
        [sys.executable, "-c", UFUNCS], capture_output=True, text=True, timeout=120, check=False
    )
    assert result.stdout == "done\n", result.stderr
