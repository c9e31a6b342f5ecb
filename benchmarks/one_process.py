"""Takes one measurement in this process and prints it in milliseconds.

one_process.py import MODULE             importing MODULE
one_process.py first_call KERNEL         the first call of a kernel of kernels.py, including compilation
one_process.py first_raw_call            the first call of vector_add in CUDA C++, including compilation
one_process.py calls KERNEL REPEATS      the median of REPEATS further calls
one_process.py long_kernel LINES         the first call of a kernel with that many lines, including compilation
one_process.py message LINES             from launching a kernel with a mistake in its last line to the error text
"""

import importlib
import statistics
import sys
import time


def measure_milliseconds(call):
    start = time.perf_counter()
    call()
    return 1e3 * (time.perf_counter() - start)


def main(what, name="", repeats="1"):
    if what == "import":
        print(measure_milliseconds(lambda: importlib.import_module(name)))
        return
    if what == "first_raw_call":
        import cuda_cpp_kernels

        call, check = cuda_cpp_kernels.add_vectors(4096)
        print(measure_milliseconds(call))
        check()
        return
    if what in ("long_kernel", "message"):
        import long_kernel

        measure = {
            "long_kernel": long_kernel.measure_compile_time,
            "message": long_kernel.measure_time_to_message,
        }[what]
        print(measure(int(name)))
        return
    import kernels

    call, check = kernels.CALLS[name]()
    first = measure_milliseconds(call)
    check()
    if what == "first_call":
        print(first)
    else:
        print(statistics.median(measure_milliseconds(call) for _ in range(int(repeats))))


if __name__ == "__main__":
    main(*sys.argv[1:])
