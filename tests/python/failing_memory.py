"""Runs work while memory allocation fails; test_failing_memory.py starts this program with tests/failing's extension.

    python failing_memory.py SCENARIO HOW,... [N...]

In each attempt the N-th allocation of the extension fails; without N, each allocation of the work fails once in turn.
HOW: `one` makes only that allocation fail, `from` also all later ones, `fault` is a segmentation fault in the allocator
during a guarded compilation. An attempt must succeed or raise the expected exception; the same work must succeed
afterwards, sometimes on another thread. Prints each outcome and how often it occurred.
"""

import collections
import ctypes
import faulthandler
import itertools
import linecache
import os
import sys
import threading
import traceback

import numpy as np

import heddle
import heddle._heddle
from heddle import cuda

HOW = {"one": 1, "from": 2, "fault": 3}
SECONDS = 60  # for an attempt and what follows it
ATTEMPTS_PER_THREAD = 5

memory = ctypes.CDLL(heddle._heddle.__file__)
serial = itertools.count()
values = np.arange(1000, dtype=np.float32)


def python_kernel():
    """Work that compiles a kernel and launches it."""
    n = next(serial)
    source = f"def k(a, b):\n    i = cuda.grid(1)\n    if i < a.size:\n        b[i] = a[i] + {n}\n"
    file = f"kernel{n}.py"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    names = {"cuda": cuda}
    exec(compile(source, file, "exec"), names)
    kernel = cuda.jit(names["k"])

    def work():
        result = np.zeros_like(values)
        kernel[4, 256](values, result)
        np.testing.assert_array_equal(result, values + np.float32(n))

    return work


def cuda_program():
    n = next(serial)
    kernel = heddle.RawKernel(
        f"""
        __device__ int counts[{n + 1}];
        extern "C" __global__ void k(const float* a, float* b, int n) {{
          int i = blockIdx.x * blockDim.x + threadIdx.x;
          if (i < n) b[i] = a[i] + sizeof(counts) / 4;
        }}""",
        "k",
    )

    def work():
        result = np.zeros_like(values)
        kernel(4, 256, (values, result, 1000))
        np.testing.assert_array_equal(result, values + np.float32(n + 1))

    return work


@cuda.jit
def double(a):
    i = cuda.grid(1)
    if i < a.size:
        a[i] *= 2


@cuda.jit
def reverse_in_blocks(a):
    tile = cuda.shared.array(256, np.float32)
    i = cuda.threadIdx.x
    tile[i] = a[cuda.grid(1)]
    cuda.syncthreads()
    a[cuda.grid(1)] = tile[255 - i]


@cuda.jit
def from_the_next_lane(a):
    i = cuda.grid(1)
    a[i] = cuda.shfl_down_sync(0xFFFFFFFF, a[i], 1)


@cuda.jit
def say(a):
    if cuda.grid(1) == 0:
        print("the first of", a.size, "elements is", a[0], "of a kernel that prints a line")


@cuda.jit
def across_blocks(a):
    i = cuda.grid(1)
    cuda.cg.this_grid().sync()
    a[i] += 1


@cuda.jit(debug=True)
def beyond(a):
    a[a.size + cuda.grid(1)] = 1


def launch(kernel, elements=1 << 14, raises=()):
    """Launches a compiled kernel."""

    def work():
        array = np.ones(elements, np.float32)
        try:
            kernel[elements // 256, 256](array)
            assert not raises
        except raises:
            pass

    work()
    return lambda: work


def enqueue():
    """Enqueues launches and copies on a stream, with events and a callback."""
    stream = cuda.stream()
    array = cuda.device_array(1 << 14, np.float32)
    start, end = cuda.event(), cuda.event()
    double[64, 256, stream](array)

    def work():
        called = threading.Event()
        start.record(stream)
        array.copy_to_device(np.ones(1 << 14, np.float32), stream=stream)
        double[64, 256, stream](array)
        stream.add_callback(lambda *_: called.set())
        end.record(stream)
        stream.synchronize()
        assert (array.copy_to_host() == 2).all() and called.is_set()

    return lambda: work


def large_launch():
    """A launch that starts the worker threads: this process only compiles the kernel."""
    double.compile("void(float32[::1])")

    def work():
        array = np.ones(1 << 18, np.float32)
        double[1024, 256](array)
        assert (array == 2).all()

    return lambda: work


SCENARIOS = {
    "python kernel": lambda: python_kernel,
    "CUDA program": lambda: cuda_program,
    "launch": lambda: launch(double),
    "barriers": lambda: launch(reverse_in_blocks),
    "warps": lambda: launch(from_the_next_lane),
    "print": lambda: launch(say),
    "cooperative": lambda: launch(across_blocks, 1 << 11),
    "stream": enqueue,
    "error": lambda: launch(beyond, raises=IndexError),
    "first launch": large_launch,
}


def is_expected(how, error):
    if how == "fault":
        crashed = "Clang crashed" in str(error) or "the compiler crashed" in str(error)
        return crashed and isinstance(error, (heddle.InternalError, heddle.TypingError))
    return isinstance(error, MemoryError)


def attempt(make, how, n):
    """(how an attempt ended, the number of its allocations)"""
    faulthandler.dump_traceback_later(SECONDS, exit=True)
    work = make()
    end = "success"
    memory.fail_memory(HOW[how], n)
    try:
        work()
    except Exception as error:
        if not is_expected(how, error):
            raise
        end = f"{type(error).__name__}: {error}".split("\n")[0]
    finally:
        allocations = memory.restore_memory()
    try:
        cuda.synchronize()
    except MemoryError:
        pass  # of work that nobody waited for
    work()
    faulthandler.cancel_dump_traceback_later()
    return end, allocations


def attempt_in_child(make, how, n):
    """The same in a forked child process, which starts its own threads."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        try:
            end, allocations = attempt(make, how, n)
            elsewhere(make)
            os.write(writer, f"{allocations} {end}".encode())
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
    os.close(writer)
    with open(reader) as answer:
        allocations, _, end = answer.read().partition(" ")
    if os.waitpid(child, 0)[1]:
        sys.exit(f"the process that failed at allocation {n} ended")
    return end, int(allocations)


def elsewhere(make):
    """Run the work on another thread."""
    faulthandler.dump_traceback_later(SECONDS, exit=True)
    errors = []

    def run():
        try:
            make()()
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    faulthandler.cancel_dump_traceback_later()
    if errors:
        raise errors[0]


def attempts(scenario, make, how, numbers):
    for i, n in enumerate(numbers or itertools.count(1)):
        try:
            if scenario == "first launch":
                end, allocations = attempt_in_child(make, how, n)
            else:
                end, allocations = attempt(make, how, n)
                if i % ATTEMPTS_PER_THREAD == 0:
                    elsewhere(make)
        except Exception:
            print(f"after a failure of allocation {n}:", file=sys.stderr, flush=True)
            raise
        yield end
        if not numbers and allocations < n:
            return


def main(scenario, hows, *numbers):
    faulthandler.enable()
    make = SCENARIOS[scenario]()
    if scenario != "first launch":
        make()()
    for how in hows.split(","):
        ends = collections.Counter(attempts(scenario, make, how, [int(n) for n in numbers]))
        for end, times in ends.most_common():
            print(how, times, end)


if __name__ == "__main__":
    main(*sys.argv[1:])
