"""Shared memory and barriers: which writes the threads of a block see from each other."""

import numpy as np
import pytest

from heddle import cuda, float32, float64, int32, int64, uint8
from heddle.errors import CompileError, KernelRuntimeError, TypingError


def test_threads_see_what_others_stored_before_the_barrier(device):
    @cuda.jit
    def reverse(a):
        s = cuda.shared.array(64, int32)
        i = cuda.threadIdx.x
        s[i] = a[i]
        cuda.syncthreads()
        a[i] = s[63 - i]

    a = np.arange(64, dtype=np.int32)
    reverse[1, 64](a)
    np.testing.assert_array_equal(a, np.arange(64)[::-1])


def test_each_block_has_its_own(device):
    @cuda.jit
    def k(out):
        s = cuda.shared.array(1, int64)
        if cuda.threadIdx.x == 0:
            s[0] = cuda.blockIdx.x
        cuda.syncthreads()
        out[cuda.grid(1)] = s[0]

    out = np.zeros(40 * 8, np.int64)
    k[40, 8](out)
    np.testing.assert_array_equal(out, np.arange(320) // 8)


def test_two_arrays_do_not_overlap(device):
    @cuda.jit
    def k(out):
        a = cuda.shared.array(4, uint8)
        b = cuda.shared.array(3, float64)
        i = cuda.threadIdx.x
        a[i] = 200 + i
        if i < 3:
            b[i] = i + 0.5
        cuda.syncthreads()
        out[i] = a[i] + b[i % 3]

    out = np.zeros(4)
    k[1, 4](out)
    np.testing.assert_array_equal(out, [200.5, 202.5, 204.5, 203.5])


def test_an_array_of_two_dimensions_transposes_a_tile(device):
    tile = 8

    @cuda.jit
    def transpose(a, out):
        s = cuda.shared.array((tile, tile + 1), float32)
        x, y = cuda.grid(2)
        s[cuda.threadIdx.x, cuda.threadIdx.y] = a[x, y]
        cuda.syncthreads()
        x = cuda.blockIdx.y * tile + cuda.threadIdx.x
        y = cuda.blockIdx.x * tile + cuda.threadIdx.y
        out[x, y] = s[cuda.threadIdx.y, cuda.threadIdx.x]

    a = np.arange(16 * 24, dtype=np.float32).reshape(16, 24)
    out = np.zeros((24, 16), np.float32)
    transpose[(2, 3), (tile, tile)](a, out)
    np.testing.assert_array_equal(out, a.T)


@pytest.mark.parametrize("dtype", [float32, np.float64, "int32", "u1", np.dtype("int16"), bool])
def test_the_dtype_has_many_spellings(device, dtype):
    @cuda.jit
    def k(out):
        s = cuda.shared.array(shape=2, dtype=dtype)
        s[0] = 1
        out[0] = s[0] + s.itemsize

    out = np.zeros(1)
    k[1, 1](out)
    assert out[0] in (2, 3, 5, 9)


def test_views_of_shared_memory_are_shared(device):
    @cuda.jit
    def k(out):
        s = cuda.shared.array((4, 4), int32)
        row = s[cuda.threadIdx.x, :]
        for j in range(4):
            row[j] = cuda.threadIdx.x * 4 + j
        cuda.syncthreads()
        column = s.T[cuda.threadIdx.x][1:]
        out[cuda.threadIdx.x] = column[0] + column[-1]

    out = np.zeros(4, np.int64)
    k[1, 4](out)
    np.testing.assert_array_equal(out, [16, 18, 20, 22])


def test_a_device_function_takes_shared_memory_and_waits(device):
    @cuda.jit(device=True)
    def total(s, n):
        cuda.syncthreads()
        result = 0
        for i in range(n):
            result += s[i]
        return result

    @cuda.jit
    def k(out):
        s = cuda.shared.array(32, int64)
        s[cuda.threadIdx.x] = cuda.threadIdx.x
        out[cuda.threadIdx.x] = total(s, cuda.blockDim.x)

    out = np.zeros(32, np.int64)
    k[1, 32](out)
    np.testing.assert_array_equal(out, 496)


# Dynamic shared memory


def test_dynamic_shared_memory_has_the_launchs_size(device):
    @cuda.jit
    def k(out):
        s = cuda.shared.array(0, float32)
        s[cuda.threadIdx.x] = cuda.threadIdx.x
        cuda.syncthreads()
        out[cuda.threadIdx.x] = s[cuda.blockDim.x - 1 - cuda.threadIdx.x]
        out[16] = s.size

    out = np.zeros(17)
    k[1, 16, 0, 16 * 4](out)
    np.testing.assert_array_equal(out, [*range(15, -1, -1), 16])


def test_views_at_offsets_share_dynamic_memory_out(device):
    @cuda.jit
    def k(out, n):
        ints = cuda.shared.array(0, int32)[:n]
        floats = cuda.shared.array(0, float32)[n : 2 * n]
        i = cuda.threadIdx.x
        ints[i] = i * 10
        floats[i] = i + 0.5
        cuda.syncthreads()
        j = (i + 1) % n
        out[i] = ints[j] + floats[j]

    out = np.zeros(8)
    k[1, 8, 0, 64](out, 8)
    np.testing.assert_array_equal(out, np.roll(np.arange(8) * 11 + 0.5, -1))


def test_arrays_of_dynamic_memory_start_at_the_same_place(device):
    @cuda.jit
    def k(out):
        a = cuda.shared.array(0, int32)
        b = cuda.shared.array(0, uint8)
        a[0] = 0x01020304
        out[0], out[1], out[2] = b[0], b[3], b.size

    out = np.zeros(3, np.int64)
    k[1, 1, 0, 12](out)
    assert list(out) == [4, 1, 12]


def test_static_and_dynamic_memory_do_not_overlap(device):
    @cuda.jit
    def k(out):
        a = cuda.shared.array(4, int64)
        b = cuda.shared.array(0, int64)
        i = cuda.threadIdx.x
        a[i], b[i] = 1, 2
        cuda.syncthreads()
        out[i] = a[i] * 10 + b[i]

    out = np.zeros(4, np.int64)
    k[1, 4, 0, 32](out)
    np.testing.assert_array_equal(out, 12)


# Wrong shapes and types


@pytest.mark.parametrize("shape", [-1, (3, 0), (2, -4), 1.5, "4", None])
def test_a_wrong_shape_is_refused(device, shape):
    @cuda.jit
    def k():
        cuda.shared.array(shape, int32)

    with pytest.raises(CompileError, match="shape|length"):
        k[1, 1]()


def test_a_shape_known_at_launch_only_is_refused_with_a_hint(device):
    @cuda.jit
    def k(n):
        cuda.shared.array(n, int32)

    with pytest.raises(TypingError, match="must be a constant") as error:
        k[1, 1](4)
    assert "shared.array(0" in str(error.value)


def test_more_shared_memory_than_a_block_has_is_refused_with_both_sizes(device):
    @cuda.jit
    def k():
        s = cuda.shared.array(100_000, float64)
        s[0] = 1

    with pytest.raises((CompileError, ValueError), match="800000|800,000") as error:
        k[1, 1]()
    assert "at most" in str(error.value) or "the limit is 49152" in str(error.value)


# Barriers


def test_a_barrier_in_a_loop_with_a_uniform_count(device):
    @cuda.jit
    def scan(a):
        s = cuda.shared.array(64, int64)
        i = cuda.threadIdx.x
        s[i] = a[i]
        step = 1
        while step < 64:
            cuda.syncthreads()
            x = s[i - step] if i >= step else 0
            cuda.syncthreads()
            s[i] += x
            step *= 2
        a[i] = s[i]

    a = np.arange(64)
    scan[1, 64](a)
    np.testing.assert_array_equal(a, np.cumsum(np.arange(64)))


def test_a_barrier_under_a_uniform_condition(device):
    @cuda.jit
    def k(out, wait):
        s = cuda.shared.array(8, int64)
        i = cuda.threadIdx.x
        s[i] = i
        if wait:
            cuda.syncthreads()
            out[i] = s[7 - i]
        else:
            out[i] = s[i]

    for wait in (True, False):
        out = np.zeros(8, np.int64)
        k[1, 8](out, wait)
        np.testing.assert_array_equal(out, np.arange(8)[:: -1 if wait else 1])


def test_a_returned_thread_does_not_hold_up_a_barrier(device):
    @cuda.jit
    def k(out):
        i = cuda.grid(1)
        if i >= out.size:
            return
        s = cuda.shared.array(64, int32)
        s[cuda.threadIdx.x] = i
        cuda.syncthreads()
        out[i] = s[(cuda.threadIdx.x + 1) % out.size]

    out = np.zeros(40, np.int32)
    k[1, 64](out)
    np.testing.assert_array_equal(out, (np.arange(40) + 1) % 40)


def test_threads_that_return_between_barriers_leave_the_later_ones(device):
    @cuda.jit
    def k(out):
        s = cuda.shared.array(16, int64)
        i = cuda.threadIdx.x
        for step in range(16):
            s[i] = step
            cuda.syncthreads()
            if i == step:
                return
            out[i] += s[15]
            cuda.syncthreads()

    out = np.zeros(16, np.int64)
    k[1, 16](out)
    np.testing.assert_array_equal(out, [i * (i - 1) // 2 for i in range(16)])


def test_threads_that_wait_at_different_barriers_are_an_error(cpu):
    @cuda.jit
    def k(out):
        if cuda.threadIdx.x == 0:
            cuda.syncthreads()
        else:
            cuda.syncthreads()

    with pytest.raises(KernelRuntimeError, match="1 thread waits there while 1 waits"):
        k[1, 2](np.zeros(2))


def test_the_threads_of_a_block_vote(device):
    @cuda.jit
    def k(out, limit):
        i = cuda.threadIdx.x
        out[i, 0] = cuda.syncthreads_count(i < limit)
        out[i, 1] = cuda.syncthreads_and(i < limit)
        out[i, 2] = cuda.syncthreads_or(i < limit)

    for limit in (0, 5, 40):
        out = np.zeros((40, 3), np.int64)
        k[1, 40](out, limit)
        np.testing.assert_array_equal(out, [[limit, limit == 40, limit > 0]] * 40)


def test_a_vote_takes_any_integer_as_truth(device):
    @cuda.jit
    def k(out):
        out[cuda.threadIdx.x] = cuda.syncthreads_count(cuda.threadIdx.x * 16)

    out = np.zeros(8, np.int64)
    k[1, 8](out)
    np.testing.assert_array_equal(out, 7)


def test_a_vote_counts_threads_that_have_not_returned(device):
    @cuda.jit
    def k(out):
        i = cuda.threadIdx.x
        if i % 2:
            return
        out[i] = cuda.syncthreads_count(True)
        out[i] += 100 * cuda.syncthreads_and(True)

    out = np.zeros(10, np.int64)
    k[1, 10](out)
    np.testing.assert_array_equal(out, [105, 0] * 5)


def test_a_barrier_that_some_threads_never_reach_is_an_error_with_kernel_line_and_block(cpu):
    @cuda.jit
    def stuck(out):
        if cuda.blockIdx.x == 2 and cuda.threadIdx.x < 3:
            cuda.syncthreads()
        while cuda.threadIdx.x >= 3 and out[0] == 0:
            cuda.syncthreads_count(1)
            if cuda.blockIdx.x != 2:
                return

    with pytest.raises(KernelRuntimeError) as error:
        stuck[3, 8](np.zeros(1))
    text = str(error.value)
    assert "stuck" in text and "test_shared_memory.py" in text and "(2, 0, 0)" in text


def test_a_launch_works_after_a_divergent_barrier(cpu):
    test_a_barrier_that_some_threads_never_reach_is_an_error_with_kernel_line_and_block(cpu)
    test_threads_see_what_others_stored_before_the_barrier(cpu)
