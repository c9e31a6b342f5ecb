"""``print`` in kernels: the text, where it goes, and that lines stay whole."""

import enum
import threading

import numpy as np
import pytest

from heddle import cuda
from heddle.errors import TypingError, UnsupportedError


class Weekday(enum.IntEnum):
    MONDAY = 1
    TUESDAY = 2


class Colour(enum.Enum):
    RED = 1.5
    BLUE = 2.5


def printed(capfd, kernel, *arguments, grid=1, block=1):
    """The lines that a launch writes to the process's standard output."""
    kernel[grid, block](*arguments)
    cuda.synchronize()
    return capfd.readouterr().out.splitlines()


@pytest.mark.parametrize(
    "value, text",
    [
        (np.int8(-128), "-128"),
        (np.int16(-32768), "-32768"),
        (np.int32(-7), "-7"),
        (np.int64(-(2**63)), "-9223372036854775808"),
        (np.uint8(255), "255"),
        (np.uint16(65535), "65535"),
        (np.uint32(2**32 - 1), "4294967295"),
        (np.uint64(2**64 - 1), "18446744073709551615"),
        (np.float32(0.5), "0.500000"),
        (np.float64(-1e20), "-100000000000000000000.000000"),
        (np.float64(np.finfo(np.float64).max), f"{np.finfo(np.float64).max:f}"),
        (np.float64(1e-7), "0.000000"),
        (np.float64(np.inf), "inf"),
        (np.float64(-np.inf), "-inf"),
        (np.float64(np.nan), "nan"),
        (1 - 2j, "(1.000000-2.000000j)"),
        (np.complex64(complex(0.5, np.inf)), "(0.500000+infj)"),
        (Weekday.TUESDAY, "2"),
        (True, "True"),
        (False, "False"),
    ],
    ids=str,
)
def test_a_scalar_is_written(device, capfd, value, text):
    @cuda.jit
    def k(a):
        print(a)

    assert printed(capfd, k, value) == [text]


def test_arguments_are_separated_by_spaces(device, capfd):
    @cuda.jit
    def k(i, x, b):
        print("at", i, "is", x, b, not b)

    assert printed(capfd, k, 3, 1.25, True) == ["at 3 is 1.250000 True False"]


def test_nothing_makes_an_empty_line(device, capfd):
    @cuda.jit
    def k():
        print()

    assert printed(capfd, k) == [""]


def test_text_is_written_as_it_is(device, capfd):
    name = "100% %d %s äöü \\ {0}"

    @cuda.jit
    def k():
        print(name, "a\tb")

    assert printed(capfd, k) == ["100% %d %s äöü \\ {0} a\tb"]


def test_a_tuple_is_written_as_python_does(device, capfd):
    @cuda.jit
    def k(i, x):
        print((i, x), (i,), (), ("a", (True, None), "it's"), (1, 2))

    lines = printed(capfd, k, 3, 0.5)
    assert lines == ["""(3, 0.500000) (3,) () ('a', (True, None), "it's") (1, 2)"""]


def test_the_thread_and_the_shape_of_the_launch_are_written_as_tuples(device, capfd):
    @cuda.jit
    def k():
        if cuda.grid(1) == 5:
            print(cuda.threadIdx, cuda.blockIdx, cuda.blockDim, cuda.gridDim)

    lines = printed(capfd, k, grid=(2, 1), block=4)
    assert lines == ["(1, 0, 0) (1, 0, 0) (4, 1, 1) (2, 1, 1)"]


def test_a_vector_is_written_as_a_tuple(device, capfd):
    @cuda.jit
    def k(x):
        print(cuda.float32x2(x, 2), cuda.int32x3(1, 2, 3))

    assert printed(capfd, k, 0.5) == ["(0.500000, 2.000000) (1, 2, 3)"]


def test_a_device_function_prints(device, capfd):
    @cuda.jit(device=True)
    def show(i):
        print("value", i)
        return i

    @cuda.jit
    def k():
        show(1)
        show(2)

    assert printed(capfd, k) == ["value 1", "value 2"]


def test_every_thread_prints_its_line_whole(device, capfd):
    @cuda.jit
    def k():
        i = cuda.grid(1)
        print("thread", i, "of", cuda.gridsize(1), "says", i * 3, "and", i * 0.5)

    lines = printed(capfd, k, grid=32, block=32)
    expected = [f"thread {i} of 1024 says {3 * i} and {i / 2:f}" for i in range(1024)]
    assert sorted(lines) == sorted(expected)


def test_lines_before_and_after_a_barrier_are_in_order(device, capfd):
    @cuda.jit
    def k():
        print("before")
        cuda.syncthreads()
        print("after", cuda.threadIdx.x)

    lines = printed(capfd, k, block=8)
    assert lines[:8] == ["before"] * 8
    assert sorted(lines[8:]) == [f"after {i}" for i in range(8)]


def test_a_line_in_a_loop_is_written_in_each_round(device, capfd):
    @cuda.jit
    def k(a):
        for i in range(a.size):
            if a[i] > 1:
                print(i, a[i] > 2)

    lines = printed(capfd, k, np.array([1, 2, 3]))
    assert lines == ["1 False", "2 True"]


def test_what_the_program_printed_before_stands_before(device, run_python):
    done = run_python(
        f"""
from heddle import cuda
@cuda.jit
def k():
    print("in the kernel")
with [d for d in cuda.all_devices() if d.type == {device.type!r}][0]:
    print("before")
    k[1, 1]()
    cuda.synchronize()
    print("after")
"""
    )
    assert done.stdout.splitlines() == ["before", "in the kernel", "after"], done.stderr


def test_printing_without_a_standard_output_is_no_error(cpu, run_python):
    done = run_python(
        """
import os, sys
from heddle import cuda
@cuda.jit
def k():
    print(1)
os.close(1)
k[1, 4]()
sys.stderr.write("done")
"""
    )
    assert done.stderr == "done"


def test_a_long_line_in_a_pipe_is_not_torn(cpu, run_python):
    done = run_python(
        """
import sys
from heddle import cuda
text = "x" * 300_000
@cuda.jit
def k():
    print(text)
k[8, 1]()
cuda.synchronize()
"""
    )
    assert done.stdout.splitlines() == ["x" * 300_000] * 8


def test_printing_does_not_wait_for_the_interpreter(cpu, capfd):
    @cuda.jit
    def k():
        print(cuda.grid(1))

    stream = cuda.stream()
    k[64, 16, stream]()
    threads = [threading.Thread(target=stream.synchronize) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert sorted(map(int, capfd.readouterr().out.split())) == list(range(1024))


def refusal(kernel, *arguments):
    with pytest.raises(TypingError) as caught:
        kernel[1, 1](*arguments)
    return str(caught.value)


def test_a_member_of_an_enumeration_is_written_by_its_name(device, capfd):
    @cuda.jit
    def k(n):
        print(Colour.RED, n, (Colour.BLUE, n))

    assert printed(capfd, k, 3) == ["Colour.RED 3 (<Colour.BLUE: 2.5>, 3)"]


def test_complex_numbers_in_a_tuple_are_written(device, capfd):
    @cuda.jit
    def k(n):
        print((n * 1j, 7), n)

    assert printed(capfd, k, 2.0) == ["((0.000000+2.000000j), 7) 2.000000"]


@pytest.mark.parametrize(
    "value, hint",
    [
        (Colour.RED, "as in x.value"),
        (np.datetime64("2020-01-01"), "subtract a date"),
        (np.timedelta64(3, "s"), "divide it by a unit"),
    ],
    ids=str,
)
def test_what_has_no_text_at_run_time_is_refused_with_what_to_print(device, value, hint):
    @cuda.jit
    def k(x):
        print(x)

    with pytest.raises(TypingError, match=f"(?s)print in a kernel writes numbers.*hint: .*{hint}"):
        k[1, 1](value)


def test_an_array_is_refused(device):
    @cuda.jit
    def k(a):
        print("a is", a)

    text = refusal(k, np.zeros(3))
    assert "numbers, constant strings and tuples of them, not array(float64, 1d, C)" in text
    assert "hint: print its elements one by one" in text


def test_a_line_has_any_number_of_values(device, capfd):
    @cuda.jit
    def k(a):
        t = (a, a, a, a, a, a, a, a)
        print(t, t, t, t, "and", a, t)

    assert printed(capfd, k, 1) == [
        " ".join(["(1, 1, 1, 1, 1, 1, 1, 1)"] * 4 + ["and 1 (1, 1, 1, 1, 1, 1, 1, 1)"])
    ]


def test_a_keyword_is_refused(device):
    @cuda.jit
    def k(a):
        print(a, sep="")

    assert "print takes no keyword arguments" in refusal(k, 1)
    with pytest.raises(UnsupportedError):
        k[1, 1](1)


def test_the_character_zero_is_refused(device):
    @cuda.jit
    def k():
        print("a\0b")

    assert "the character with the number 0" in refusal(k)
