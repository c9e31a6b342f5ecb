"""Takes one measurement in this process and prints it in milliseconds.

one_process.py import MODULE             importing MODULE
one_process.py first_call KERNEL         the first call of a kernel of kernels.py, compilation included
one_process.py calls KERNEL REPEATS      the median of REPEATS further calls
"""

import importlib
import statistics
import sys
import time


def milliseconds(call):
    start = time.perf_counter()
    call()
    return 1e3 * (time.perf_counter() - start)


def main(what, name, repeats="1"):
    if what == "import":
        print(milliseconds(lambda: importlib.import_module(name)))
        return
    import kernels

    call, check = kernels.CALLS[name]()
    first = milliseconds(call)
    check()
    if what == "first_call":
        print(first)
    else:
        print(statistics.median(milliseconds(call) for _ in range(int(repeats))))


if __name__ == "__main__":
    main(*sys.argv[1:])
