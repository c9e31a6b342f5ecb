"""Errors of kernels that a program has not waited for when it ends."""

import textwrap

import pytest

PROGRAM = """
import sys
import numpy as np
from heddle import cuda

@cuda.jit
def past_the_end(a):
    a[cuda.grid(1)] = 1

@cuda.jit
def negative(a):
    raise ValueError("negative")

x = cuda.to_device(np.zeros(64))
stream = cuda.stream()
"""


@pytest.fixture
def run(run_python):
    def finish(source, **environment):
        source = PROGRAM + textwrap.dedent(source)
        return run_python(source, HEDDLE_DEVICE="cpu", **environment)

    return finish


@pytest.mark.parametrize("where", ["[2, 64]", "[2, 64, stream]", "[2, 64, cuda.stream()]"])
def test_an_error_that_nobody_has_seen_is_a_warning_at_the_end(run, where):
    ended = run(f"past_the_end{where}(x)")
    assert ended.returncode == 0 and ended.stdout == ""
    assert "HeddleWarning: a kernel failed, and the program ended without" in ended.stderr
    assert "IndexError: program.py:8: index 64 is out of bounds" in ended.stderr
    assert "kernel past_the_end, block (1, 0, 0), thread (0, 0, 0)" in ended.stderr
    assert "hint: call cuda.synchronize()" in ended.stderr


def test_the_first_error_is_told(run):
    ended = run("""
        negative[1, 1, stream](x)
        stream.add_callback(lambda *_: past_the_end[2, 64](x))
    """)
    assert "ValueError: program.py:12: negative" in ended.stderr
    assert "IndexError" not in ended.stderr


def test_an_error_does_not_change_how_the_program_ends(run):
    ended = run("past_the_end[2, 64](x)\nsys.exit(3)")
    assert ended.returncode == 3 and "IndexError" in ended.stderr


def test_an_error_is_told_beside_another_exception(run):
    ended = run("past_the_end[2, 64](x)\nraise KeyError('other')")
    assert ended.returncode == 1
    assert "KeyError: 'other'" in ended.stderr and "IndexError" in ended.stderr


@pytest.mark.parametrize(
    "wait",
    ["cuda.synchronize()", "stream.synchronize()", "event.synchronize()", "x.copy_to_host(stream=stream)"],
)  # fmt: skip
def test_an_error_that_was_raised_is_not_told_again(run, wait):
    ended = run(f"""
        past_the_end[2, 64, stream](x)
        event = cuda.event()
        event.record(stream)
        try:
            {wait}
        except IndexError:
            print("raised")
    """)
    assert (ended.stdout, ended.stderr, ended.returncode) == ("raised\n", "", 0)


def test_an_error_that_ends_the_program_is_not_told_again(run):
    ended = run("past_the_end[2, 64](x)\ncuda.synchronize()")
    assert ended.returncode == 1
    assert "Traceback" in ended.stderr and ended.stderr.count("IndexError") == 1


def test_an_error_that_an_exit_function_raises_is_not_told_again(run):
    ended = run("""
        import atexit
        atexit.register(cuda.synchronize)
        past_the_end[2, 64](x)
    """)
    assert ended.returncode == 0 and ended.stderr.count("IndexError: program.py") == 1


def test_a_program_without_an_error_tells_nothing(run):
    ended = run("past_the_end[1, 64](x)")
    assert (ended.stderr, ended.returncode) == ("", 0)


def test_a_kernel_that_the_exit_stops_tells_nothing(run):
    source = """
        @cuda.jit
        def endless(x):
            while x[0] == 0:
                cuda.threadfence()

        endless[1, 1](x)
    """
    ended = run(source, HEDDLE_EXIT_TIMEOUT="0.2")
    assert (ended.stderr, ended.returncode) == ("", 0)


def test_a_forked_child_tells_nothing_of_its_parents_error(run):
    ended = run("""
        import os, time, warnings
        warnings.simplefilter("ignore", DeprecationWarning)  # of fork() in a process with threads
        past_the_end[2, 64, cuda.stream()](x)
        while not cuda.default_stream().query():
            time.sleep(0.001)
        sys.stdout.flush()
        child = os.fork()
        if child:
            assert os.waitpid(child, 0)[1] == 0
            try:
                cuda.synchronize()
            except IndexError:
                print("raised")
    """)
    assert (ended.stdout, ended.stderr, ended.returncode) == ("raised\n", "", 0)


def test_the_warning_can_be_filtered(run):
    ended = run("past_the_end[2, 64](x)", PYTHONWARNINGS="ignore")
    assert (ended.stderr, ended.returncode) == ("", 0)
