"""``debug=True``: a kernel's mistakes become exceptions that name the problem, the line and the thread."""

import numpy as np
import pytest

from heddle import cuda, float32
from heddle.errors import KernelRuntimeError, UnsupportedError


class PoolIsEmpty(Exception):
    pass


class NeedsTwo(Exception):
    def __init__(self, a, b):
        super().__init__(a, b)
        self.b = b


def launch(kernel, *args, grid=1, block=1):
    kernel[grid, block](*args)
    cuda.synchronize()


@pytest.mark.parametrize("by_zero", [lambda x, y: x / y, lambda x, y: x % y, lambda x, y: x // y])
def test_fast_arithmetic_divides_by_zero_without_an_exception(device, by_zero):
    divided = cuda.jit(device=True)(by_zero)

    @cuda.jit(debug=True, fastmath=True)
    def k(values, y):
        values[0] = divided(float32(1), y)
        values[1] = 5

    values = np.zeros(2, np.float32)
    launch(k, values, np.float32(0))
    assert values[1] == 5


@pytest.mark.parametrize("index", [3, -4, 2**40, -(2**62)])
def test_an_index_out_of_bounds_names_array_index_and_size(device, index):
    @cuda.jit(debug=True)
    def k(values, i):
        values[i] = 1

    with pytest.raises(
        IndexError, match=rf"index {index} is out of bounds .*'values' with size 3"
    ) as error:
        launch(k, np.zeros(3), index)
    assert "test_debug_mode.py:" in str(error.value)


def test_the_error_names_kernel_block_thread_and_line(device):
    @cuda.jit(debug=True)
    def reader(values, out):
        x, y = cuda.grid(2)
        if x == 5 and y == 2:
            out[0] = values[x + 100]

    with pytest.raises(IndexError) as error:
        launch(reader, np.zeros(10), np.zeros(1), grid=(2, 3), block=(4, 2))
    text = str(error.value)
    line = reader.py_func.__code__.co_firstlineno + 4
    assert f"test_debug_mode.py:{line}:" in text and "kernel reader" in text
    assert error.value.tid == (1, 0, 0) and error.value.ctaid == (1, 1, 0)
    assert "thread (1, 0, 0)" in text and "block (1, 1, 0)" in text


@pytest.mark.parametrize("i, j, axis", [(2, 0, 0), (0, 3, 1), (-3, 0, 0), (0, -4, 1)])
def test_each_axis_is_checked(device, i, j, axis):
    @cuda.jit(debug=True)
    def k(a, i, j):
        a[i, j] += 1

    with pytest.raises(IndexError, match=f"axis {axis}"):
        launch(k, np.zeros((2, 3)), i, j)


def test_negative_indices_within_bounds_pass(device):
    @cuda.jit(debug=True)
    def k(a):
        a[-1, -3] = 5

    a = np.zeros((2, 3))
    launch(k, a)
    assert a[1, 0] == 5


def test_shared_local_and_view_accesses_are_checked(device):
    @cuda.jit(debug=True)
    def k(out, which, i):
        shared = cuda.shared.array(4, float32)
        local = cuda.local.array(5, float32)
        if which == 0:
            shared[i] = 1
        elif which == 1:
            local[i] = 1
        elif which == 2:
            out[2:][i] = 1
        else:
            cuda.atomic.add(out, i, 1)

    for which, size in enumerate((4, 5, 6, 8)):
        with pytest.raises(IndexError, match=f"size {size}"):
            launch(k, np.zeros(8), which, size)
        launch(k, np.zeros(8), which, size - 1)


def test_an_empty_array_has_no_element(device):
    @cuda.jit(debug=True)
    def k(a, out):
        out[0] = a[0]

    with pytest.raises(IndexError, match="size 0"):
        launch(k, np.zeros(0), np.zeros(1))


@pytest.mark.parametrize(
    "operation",
    [lambda a, b: a // b, lambda a, b: a % b, lambda a, b: a / b, lambda a, b: divmod(a, b)[0]],
    ids=["//", "%", "/", "divmod"],
)
@pytest.mark.parametrize("zero", [0, 0.0, np.uint8(0), np.float32(0)])
def test_division_by_zero_raises(device, operation, zero):
    divide = cuda.jit(device=True)(operation)

    @cuda.jit(debug=True)
    def k(out, x):
        out[0] = divide(7, x)

    with pytest.raises(ZeroDivisionError, match="by zero"):
        launch(k, np.zeros(1), zero)
    launch(k, np.zeros(1), zero + 1)


def test_division_by_zero_gives_numpys_values_without_debug(device):
    @cuda.jit
    def k(out, x):
        out[0], out[1], out[2], out[3] = 7 // x, 7 % x, 7 / x, -7.0 / x

    out = np.ones(4)
    launch(k, out, 0)
    np.testing.assert_array_equal(out, [0, 0, np.inf, -np.inf])


def test_an_assertion_that_fails_raises_with_its_message(device):
    @cuda.jit(debug=True)
    def k(x):
        assert x > 3, "x is too small"

    launch(k, 4)
    with pytest.raises(AssertionError, match="x is too small"):
        launch(k, 2)


def test_an_assertion_without_message_names_its_line(device):
    @cuda.jit(debug=True)
    def k(x):
        assert x > 3

    with pytest.raises(AssertionError, match=r"test_debug_mode.py:\d+"):
        launch(k, 2)


@pytest.mark.parametrize("debug", [False, True])
def test_raise_ends_the_kernel_with_the_exception(device, debug):
    @cuda.jit(debug=debug)
    def k(x):
        if x == 1:
            raise ValueError("x must not be 1")
        if x == 2:
            raise KeyError

    launch(k, 0)
    with pytest.raises(ValueError, match="x must not be 1"):
        launch(k, 1)
    with pytest.raises(KeyError):
        launch(k, 2)


def test_an_exception_class_of_the_program_is_raised(device):
    @cuda.jit(debug=True)
    def k(x):
        if x:
            raise PoolIsEmpty("nothing left")

    with pytest.raises(PoolIsEmpty, match="nothing left") as error:
        launch(k, 1)
    assert error.value.tid == (0, 0, 0) and "kernel k" in str(error.value)


def test_an_exception_class_of_a_function_is_raised(device):
    class Mine(ArithmeticError):
        pass

    @cuda.jit(debug=True)
    def k():
        raise Mine("here")

    with pytest.raises(Mine, match="here"):
        launch(k)


def test_an_exception_class_gets_all_its_arguments(device):
    @cuda.jit(debug=True)
    def k():
        raise NeedsTwo(1, 2)

    with pytest.raises(NeedsTwo, match=": 1") as error:
        launch(k)
    assert error.value.b == 2


def test_an_exception_class_that_refuses_the_arguments_is_raised_as_a_kernel_error(device):
    @cuda.jit(debug=True)
    def k():
        raise NeedsTwo(1)

    with pytest.raises(KernelRuntimeError, match=": 1"):
        launch(k)


def test_no_kernel_ends_the_program(device):
    @cuda.jit(debug=True)
    def k():
        raise SystemExit("bye")

    with pytest.raises(KernelRuntimeError, match="bye"):
        launch(k)


def test_an_exception_in_a_device_function_names_it(device):
    @cuda.jit(device=True)
    def check(x):
        if x > 2:
            raise ValueError("too large")
        return x

    @cuda.jit(debug=True)
    def k(out):
        out[0] = check(cuda.grid(1))

    with pytest.raises(ValueError, match="too large") as error:
        launch(k, np.zeros(1), block=8)
    assert "in check" in str(error.value)


def test_an_exception_whose_arguments_are_not_constants_is_refused(device):
    @cuda.jit(debug=True)
    def k(x):
        raise ValueError(x)

    with pytest.raises(UnsupportedError, match="must be constants"):
        launch(k, 1)


def test_an_index_of_a_tuple_is_checked(device):
    @cuda.jit(debug=True)
    def k(out, i):
        out[0] = (1, 2, 3)[i]

    launch(k, np.zeros(1), -3)
    with pytest.raises(IndexError, match="tuple index"):
        launch(k, np.zeros(1), 3)


def test_a_step_of_zero_raises(device):
    @cuda.jit(debug=True)
    def k(out, step):
        for i in range(0, 3, step):
            out[0] += 1

    with pytest.raises(ValueError, match="range"):
        launch(k, np.zeros(1), 0)


def test_the_next_launch_works_after_an_error(device):
    @cuda.jit(debug=True)
    def k(a, i):
        a[i] = 1

    a = np.zeros(3)
    with pytest.raises(IndexError):
        launch(k, a, 7)
    launch(k, a, 2)
    assert list(a) == [0, 0, 1]


def test_one_error_is_raised_when_many_threads_fail(device):
    @cuda.jit(debug=True)
    def k(a):
        a[cuda.grid(1) + a.size] = 1

    with pytest.raises(IndexError):
        launch(k, np.zeros(3), grid=64, block=64)
    cuda.synchronize()


def test_a_barrier_in_debug_mode_still_works(device):
    @cuda.jit(debug=True)
    def k(a):
        s = cuda.shared.array(8, float32)
        i = cuda.threadIdx.x
        s[i] = a[i]
        cuda.syncthreads()
        a[i] = s[7 - i]

    a = np.arange(8.0)
    launch(k, a, block=8)
    assert list(a) == [7, 6, 5, 4, 3, 2, 1, 0]


# Without debug=True a GPU does not notice that its stack is full, and its context is lost.
def test_a_recursion_without_end_at_run_time_is_an_error(cpu):
    @cuda.jit(device=True)
    def down(n):
        if n < 0:
            return 0
        return down(n + 1) + 1

    @cuda.jit
    def k(out):
        out[0] = down(1)

    with pytest.raises((RecursionError, MemoryError, KernelRuntimeError)):
        launch(k, np.zeros(1))
