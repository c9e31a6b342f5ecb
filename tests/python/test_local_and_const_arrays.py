"""Arrays local to a thread, and constant arrays frozen into a kernel."""

import numpy as np
import pytest

import heddle
from heddle import cuda, float32, int32, int64
from heddle.errors import CompileError, TypingError

weights = np.array([[1, 2, 3], [4, 5, 6]], np.float32)


def test_each_thread_has_its_own_local_array(device):
    @cuda.jit
    def k(out):
        a = cuda.local.array(8, int64)
        i = cuda.grid(1)
        for j in range(8):
            a[j] = i * 10 + j
        cuda.syncthreads()
        total = 0
        for j in range(8):
            total += a[7 - j]
        out[i] = total

    out = np.zeros(64, np.int64)
    k[2, 32](out)
    np.testing.assert_array_equal(out, np.arange(64) * 80 + 28)


def test_a_local_array_of_two_dimensions(device):
    @cuda.jit
    def k(out):
        a = cuda.local.array((2, 3), dtype=float32)
        for i in range(2):
            for j in range(3):
                a[i, j] = i * 3 + j + 0.5
        out[0], out[1], out[2] = a[1, 2], a[-1][0], a.T[2, 0]
        out[3], out[4], out[5] = a.shape[0], a.size, a.itemsize

    out = np.zeros(6)
    k[1, 1](out)
    assert list(out) == [5.5, 3.5, 2.5, 2, 6, 4]


def test_a_local_array_in_a_loop_is_one_array(device):
    @cuda.jit
    def k(out):
        for i in range(3):
            a = cuda.local.array(4, int32)
            if i == 0:
                a[0] = 0
            a[0] += i
        out[0] = a[0]

    out = np.zeros(1)
    k[1, 1](out)
    assert out[0] == 3


def test_local_arrays_of_one_function_called_twice_are_apart(device):
    @cuda.jit(device=True)
    def total(n):
        a = cuda.local.array(4, int64)
        for i in range(4):
            a[i] = n
        return a[0] + a[1] + a[2] + a[3]

    @cuda.jit
    def k(out):
        out[0] = total(1) + 100 * total(2)

    out = np.zeros(1)
    k[1, 1](out)
    assert out[0] == 804


def test_a_local_array_is_passed_to_a_device_function(device):
    @cuda.jit(device=True)
    def fill(a, value):
        for i in range(a.size):
            a[i] = value + i

    @cuda.jit
    def k(out):
        a = cuda.local.array(3, int64)
        fill(a, 5)
        fill(a[1:], 10)
        out[0], out[1], out[2] = a[0], a[1], a[2]

    out = np.zeros(3)
    k[1, 1](out)
    assert list(out) == [5, 10, 11]


def test_a_recursion_has_a_local_array_for_each_call(device):
    @cuda.jit(device=True)
    def depth(n):
        a = cuda.local.array(2, int64)
        a[0] = n
        if n > 0:
            a[1] = depth(n - 1)
        else:
            a[1] = 0
        return a[0] + a[1]

    @cuda.jit
    def k(out):
        out[0] = depth(10)

    out = np.zeros(1)
    k[1, 1](out)
    assert out[0] == 55


@pytest.mark.parametrize("shape", [0, -3, (2, 0), 2.5, ("a",)])
def test_a_wrong_shape_is_refused(device, shape):
    @cuda.jit
    def k():
        cuda.local.array(shape, int32)

    with pytest.raises(CompileError, match="shape|length|integers"):
        k[1, 1]()


@pytest.mark.parametrize("dtype", [np.int32, np.dtype("f4"), float32])
def test_a_type_is_an_argument_of_a_kernel(device, dtype):
    @cuda.jit
    def kernel(a, out, dtype):
        local = cuda.local.array(4, dtype)
        for i in range(4):
            local[i] = a[i]
        for i in range(4):
            out[i] = local[i]

    a, out = np.arange(4) + 0.3, np.zeros(4)
    kernel[1, 1](a, out, dtype)
    np.testing.assert_array_equal(out, a.astype(np.int32 if dtype is np.int32 else np.float32))


def test_a_signature_has_types_as_parameters(device):
    @cuda.jit(heddle.types.void(int64[::1], heddle.typeof(np.int32)))
    def kernel(out, dtype):
        out[0] = dtype(2**32 + 7)

    out = np.zeros(1, np.int64)
    kernel[1, 1](out, np.int32)
    assert out[0] == 7


def test_a_wrong_dtype_is_refused_with_a_hint(device):
    @cuda.jit
    def k():
        cuda.local.array(3, "float33")

    with pytest.raises(TypingError, match="'float33' is not the name of a type"):
        k[1, 1]()


def test_an_alignment_must_be_a_power_of_two(device):
    @cuda.jit
    def k():
        cuda.local.array(3, float32, alignment=12)

    with pytest.raises(TypingError, match="power of two"):
        k[1, 1]()


def test_a_local_array_larger_than_a_thread_may_have_is_refused(device):
    @cuda.jit
    def k(out):
        a = cuda.local.array(1 << 24, int64)
        for i in range(a.size):
            a[i] = i
        out[0] = a[out[0]]

    with pytest.raises((CompileError, ValueError, MemoryError)) as error:
        k[1, 1](np.zeros(1, np.int64))
    assert "local" in str(error.value) or "stack" in str(error.value)


# Constants


def test_array_like_reads_a_global_array(device):
    @cuda.jit
    def k(out):
        c = cuda.const.array_like(weights)
        i, j = cuda.grid(2)
        out[i, j] = c[i, j] * 2

    out = np.zeros((2, 3))
    k[1, (2, 3)](out)
    np.testing.assert_array_equal(out, weights * 2)


@pytest.mark.parametrize(
    "dtype", [bool, np.int8, np.uint16, np.int32, np.int64, np.uint64, np.float32, np.float64]
)
@pytest.mark.parametrize("order", ["C", "F", "strided"])
def test_array_like_keeps_values_of_every_dtype_and_order(device, dtype, order):
    a = np.arange(12).reshape(3, 4).astype(dtype)
    a = {"C": a, "F": np.asfortranarray(a), "strided": np.repeat(a, 2, 1)[:, ::2]}[order]

    @cuda.jit
    def k(out):
        c = cuda.const.array_like(a)
        i, j = cuda.grid(2)
        out[i, j] = c[i, j]

    out = np.zeros((3, 4), dtype)
    k[1, (3, 4)](out)
    np.testing.assert_array_equal(out, a)


def test_array_like_freezes_the_contents(device):
    values = np.array([1, 2, 3])

    @cuda.jit
    def k(out):
        c = cuda.const.array_like(values)
        out[cuda.grid(1)] = c[cuda.grid(1)]

    out = np.zeros(3)
    k[1, 3](out)
    values[:] = 9
    k[1, 3](out)
    assert list(out) == [1, 2, 3]


def test_a_constant_array_cannot_be_written(device):
    @cuda.jit
    def k():
        c = cuda.const.array_like(weights)
        c[0, 0] = 1

    with pytest.raises(TypingError, match="read-only"):
        k[1, 1]()


def test_array_like_of_an_argument_is_the_argument(device):
    @cuda.jit
    def k(a):
        cuda.const.array_like(a)[0] = 1

    a = np.zeros(3)
    k[1, 1](a)
    assert a[0] == 1


def test_array_like_of_a_number_is_refused_with_a_hint(device):
    @cuda.jit
    def k(a):
        cuda.const.array_like(a)

    with pytest.raises(TypingError, match="takes an array"):
        k[1, 1](3)


def test_an_array_without_dimensions_has_one_element(device):
    @cuda.jit
    def k(out):
        one = cuda.local.array((), np.float32)
        one[()] = 2.5
        shared = cuda.shared.array((), np.int32)
        shared[()] = 3
        out[0] = one[()] + shared[()]

    out = np.zeros(1)
    k[1, 1](out)
    assert out[0] == 5.5


def test_a_shape_may_follow_from_a_branch_on_a_constant(device):
    wide = True

    @cuda.jit
    def k(out):
        a = cuda.local.array(8 if wide else 4, np.float32)
        if wide:
            n = 3
        else:
            n = 5
        b = cuda.local.array(n, np.float32)
        out[0] = len(a) * 10 + len(b)

    out = np.zeros(1)
    k[1, 1](out)
    assert out[0] == 83


def test_an_empty_constant_array_has_no_elements(device):
    nothing = np.zeros((0, 3))

    @cuda.jit
    def k(out):
        c = cuda.const.array_like(nothing)
        out[0], out[1] = c.size, c.shape[1]

    out = np.ones(2)
    k[1, 1](out)
    assert list(out) == [0, 3]


def test_an_array_of_a_dtype_that_kernels_lack_is_refused(device):
    table = np.array(["a", "b"], ">U1")

    @cuda.jit
    def k(out):
        out[0] = table[0]

    with pytest.raises(TypingError, match="dtype >U1"):
        k[1, 1](np.zeros(1))
