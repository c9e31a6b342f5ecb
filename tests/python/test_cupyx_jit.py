"""Kernels of cupyx.jit with the CuPy substitute."""

import math

import numpy as np
import pytest

from heddle import cuda
from heddle.compat import cupy
from heddle.compat.cupyx import jit
from heddle.errors import ConstantError, TypingError

pytestmark = pytest.mark.usefixtures("device")


def launched(kernel, *args, threads=32, **options):
    kernel((1,), (threads,), args, **options)
    return args[0].get()


def test_each_call_of_shared_memory_has_memory_of_its_own():
    @jit.rawkernel()
    def kernel(x):
        first = jit.shared_memory(np.float32, 32)
        second = jit.shared_memory(np.float32, 32)
        t = jit.threadIdx.x
        first[t] = t
        second[t] = 100
        jit.syncthreads()
        x[t] = first[31 - t] + second[t]

    x = cupy.zeros(32, np.float32)
    assert launched(kernel, x).tolist() == [131 - t for t in range(32)]


def test_shared_memory_of_size_none_is_the_launchs():
    @jit.rawkernel()
    def kernel(x):
        block = jit.shared_memory(np.int16, None)
        x[jit.threadIdx.x] = len(block)

    assert launched(kernel, cupy.zeros(4, np.int32), threads=4, shared_mem=80).tolist() == [40] * 4


def test_atomics_have_cupys_names_and_return_the_old_value():
    @jit.rawkernel()
    def kernel(x):
        x[8] = jit.atomic_add(x, 0, 1)
        jit.atomic_sub(x, 1, 1)
        jit.atomic_min(x, 2, 1)
        jit.atomic_max(x, 3, 100)
        jit.atomic_and(x, 4, 12)
        jit.atomic_or(x, 5, 12)
        jit.atomic_xor(x, 6, 12)
        jit.atomic_cas(x, 7, 10, 3)
        jit.atomic_exch(x, 9, 4)
        jit.atomic_inc(x, 10, 10)
        jit.atomic_dec(x, 11, 5)

    x = cupy.array(np.full(12, 10, np.uint32))
    expected = [11, 9, 1, 100, 8, 14, 6, 3, 10, 4, 0, 5]
    assert launched(kernel, x, threads=1).tolist() == expected


def test_atomics_take_the_types_that_cupys_take():
    @jit.rawkernel()
    def kernel(x, y):
        jit.atomic_exch(x, 0, x.dtype.type(2.5))
        jit.atomic_cas(y, 1, y.dtype.type(7), y.dtype.type(8))

    x, y = cupy.zeros(2, np.float32), cupy.full(2, 7, np.uint16)
    kernel((1,), (1,), (x, y))
    assert x.tolist() == [2.5, 0] and y.tolist() == [7, 8]


def test_range_takes_a_hint_and_device_functions_are_called():
    @jit.rawkernel(device=True)
    def plus(a, b):
        return a + b

    @jit.rawkernel(mode="numpy")
    def kernel(x):
        total = 0
        for i in jit.range(1, 10, 2, unroll=True):
            total = plus(total, i)
        for i in jit.range(3):
            total = plus(total, i)
        x[jit.threadIdx.x] = total + jit.laneid()

    assert launched(kernel, cupy.zeros(3, np.int32), threads=3).tolist() == [28, 29, 30]


def test_a_kernel_is_launched_by_brackets_on_a_stream():
    @jit.rawkernel()
    def kernel(x, value):
        i, j = jit.grid(2)
        x[i, j] = value + jit.gridsize(1)

    x = cupy.zeros((4, 6), np.float64)
    with cupy.cuda.Stream() as stream:
        kernel[(2, 3), (2, 2)](x, 0.5)
    stream.synchronize()
    assert (x.get() == 4.5).all()


def test_lanes_ask_about_each_other_and_bits_are_counted():
    @jit.rawkernel()
    def kernel(x):
        i = jit.threadIdx.x
        alike, same = jit.match_all_sync(0xFFFFFFFF, i % 2)
        x[0, i] = jit.popc(jit.match_any_sync(0xFFFFFFFF, i % 2))
        x[1, i] = jit.popc(jit.activemask()) + alike + same
        x[2, i] = jit.ffs(i)

    x = cupy.zeros((3, 32), np.int32)
    kernel[1, 32](x)
    first_bits = [(i & -i).bit_length() for i in range(32)]
    assert x.get().tolist() == [[16] * 32, [32] * 32, first_bits]


def test_the_threads_of_a_block_are_a_group():
    @jit.rawkernel()
    def kernel(x):
        block = jit.cg.this_thread_block()
        index, thread, extent = block.group_index(), block.thread_index(), block.dim_threads()
        row = block.thread_rank() + 8 * index.x
        x[row, 0] = block.size() + block.num_threads()
        x[row, 1] = thread.y * extent.x + thread.x + extent.y + extent.z + block.group_dim().x
        block.sync()
        jit.cg.sync(block)

    x = cupy.zeros((16, 2), np.int32)
    kernel[2, (4, 2)](x)
    assert x.get().tolist() == [[16, i + 7] for i in (*range(8), *range(8))]


def test_the_threads_of_a_launch_are_a_group():
    @jit.rawkernel()
    def kernel(x, sums):
        grid = jit.cg.this_grid()
        me, last = grid.thread_rank(), grid.num_threads() - 1
        x[me] = grid.block_rank() + grid.block_index().x + grid.num_blocks()
        grid.sync()
        blocks = grid.dim_blocks()
        sums[me] = x[last - me] + grid.is_valid() + blocks.x + blocks.z + grid.group_dim().y

    x, sums = cupy.zeros(6, np.int32), cupy.zeros(6, np.int32)
    kernel[3, 2](x, sums)
    assert x.get().tolist() == [3, 3, 5, 5, 7, 7]
    assert sums.get().tolist() == [13, 13, 11, 11, 9, 9]


def test_a_group_copies_to_shared_memory():
    @jit.rawkernel()
    def kernel(x, y):
        block = jit.cg.this_thread_block()
        tile = jit.shared_memory(np.int32, 64)
        jit.cg.memcpy_async(block, tile, 0, x, 64 * jit.blockIdx.x, 64 * 4)
        jit.cg.wait_prior(block, 1)
        jit.cg.wait(block)
        for i in range(block.thread_rank(), 64, block.size()):
            y[64 * jit.blockIdx.x + i] = tile[63 - i]

    x = cupy.arange(128, dtype=np.int32)
    y = cupy.zeros_like(x)
    kernel[2, 24](x, y)
    assert (y.get() == x.get().reshape(2, 64)[:, ::-1].ravel()).all()


def test_mistakes_are_told():
    @jit.rawkernel()
    def kernel(x, n):
        jit.shared_memory(np.float32, n)

    @jit.rawkernel()
    def empty(x):
        jit.shared_memory(np.float32, 0)

    x = cupy.zeros(3)
    with pytest.raises(TypingError, match="the shape of jit.shared_memory must be a constant"):
        kernel((1,), (1,), (x, 3))
    with pytest.raises(ConstantError, match="array length 0 is not positive"):
        empty((1,), (1,), (x,))
    with pytest.raises(TypeError, match="CuPy arrays and numbers, not list"):
        empty((1,), (1,), ([1],))
    with pytest.raises(TypeError, match=r"write empty\[grid, block\]\(...\)"):
        empty[1]
    with pytest.raises(ValueError, match="mode is"):
        jit.rawkernel(mode="c")
    with pytest.raises(RuntimeError, match="jit.laneid only works inside a kernel"):
        jit.laneid()
    with pytest.raises(AttributeError, match="heddle has no 'cupyx.jit.tid'"):
        jit.tid
    with pytest.raises(AttributeError, match="heddle has no 'cupyx.jit.cg.this_cluster'"):
        jit.cg.this_cluster


@pytest.mark.parametrize("dtype", [np.int8, np.uint64, np.float16, np.complex64])
def test_a_warp_reduces_values_of_any_type(dtype):
    @jit.rawkernel()
    def kernel(sums, x):
        WarpReduce = jit.cub.WarpReduce[dtype]
        memory = jit.shared_memory(dtype=WarpReduce.TempStorage, size=1)
        total = WarpReduce(memory[0]).Sum(x[jit.threadIdx.x])
        if jit.laneid() == 0:
            sums[jit.threadIdx.x // 32] = total

    x = cupy.array(np.arange(64) % 5, dtype)
    assert launched(kernel, cupy.zeros(2, dtype), x, threads=64).tolist() == [61, 65]


@pytest.mark.parametrize("operation, expected", [("Sum", 2016), ("Max", 63), ("Min", 0)])
def test_a_block_reduces_by_cubs_operations(operation, expected):
    operator = getattr(jit.cub, operation)

    @jit.rawkernel()
    def kernel(result, x):
        BlockReduce = jit.cub.BlockReduce[np.float32, 64]
        memory = jit.shared_memory(dtype=BlockReduce.TempStorage, size=1)
        total = BlockReduce(memory[0]).Reduce(x[jit.threadIdx.x], operator())
        if jit.threadIdx.x == 0:
            result[0] = total

    x = cupy.array(np.arange(64), np.float32)
    assert launched(kernel, cupy.zeros(1), x, threads=64).tolist() == [expected]


def test_a_template_without_arguments_is_refused():
    @jit.rawkernel()
    def kernel(x):
        jit.cub.WarpReduce(x[0])

    with pytest.raises(TypingError, match="WarpReduce"):
        launched(kernel, cupy.zeros(1))


def test_halves_are_added_atomically():
    @jit.rawkernel()
    def kernel(x, one):
        jit.atomic_add(x, jit.threadIdx.x % 2, one[0])

    assert (
        launched(kernel, cupy.zeros(2, np.float16), cupy.ones(1, np.float16)).tolist() == [16] * 2
    )


def test_a_kernel_that_cannot_be_compiled_raises_pythons_errors_as_in_cupy():
    @jit.rawkernel()
    def kernel(x):
        (x[0],) = jit.grid(1)

    for expected in (TypeError, ValueError, TypingError):
        with pytest.raises(expected, match="cannot unpack uint32"):
            launched(kernel, cupy.zeros(1))


def test_an_unknown_name_in_a_kernel_is_a_name_error():
    @jit.rawkernel()
    def kernel(x):
        x[0] = unknown_name  # noqa: F821

    with pytest.raises(NameError, match="name 'unknown_name' is not defined"):
        launched(kernel, cupy.zeros(1))


FACTOR = 3


def doubled(value):
    return 2 * value


def test_a_function_of_the_host_is_called_with_constants_while_compiling():
    @jit.rawkernel()
    def k(x):
        x[jit.threadIdx.x] += doubled(FACTOR) + math.factorial(4) + doubled(doubled(0.25))

    x = cupy.zeros(2)
    k[1, 2](x)
    assert list(x.get()) == [31, 31]


def test_numbas_kernels_call_no_function_of_the_host():
    @cuda.jit
    def k(x):
        x[0] = doubled(FACTOR)

    with pytest.raises(TypingError, match="cannot call function 'doubled'"):
        k[1, 1](np.zeros(1))


def test_a_function_that_is_no_kernels_is_refused_with_cupys_decorator():
    def plain(x):
        return 2 * x

    @jit.rawkernel()
    def kernel(x):
        x[0] = plain(x[0])

    with pytest.raises(
        TypingError, match="cannot call function 'plain', which is not compiled"
    ) as error:
        launched(kernel, cupy.zeros(4))
    assert "hint: decorate it with @jit.rawkernel(device=True)" in str(error.value)


def test_a_variable_keeps_the_type_of_its_first_value():
    @jit.rawkernel()
    def k(out, steps):
        state = np.uint32(3)
        small, real, flag = np.int8(100), np.float32(0.1), False
        for _ in range(steps):
            state = state * np.uint32(1664525) + np.uint32(1013904223)
            small += 100
            real = real * 1.1
            flag = steps
        out[0], out[1], out[2], out[3] = state >> np.uint32(16), small, real * 1.0, flag

    expected, real = 3, np.float32(0.1)
    for _ in range(2):
        expected = (expected * 1664525 + 1013904223) % 2**32
        real = real * np.float32(1.1)
    out = launched(k, cupy.zeros(4), 2, threads=1)
    assert out.tolist() == [expected >> 16, 44, real, 1]


def test_variables_that_are_exchanged_keep_their_types():
    @jit.rawkernel()
    def k(x):
        a, b = 1, 2.5
        a, b = b, a
        x[0], x[1] = a, b

    assert launched(k, cupy.zeros(2), threads=1).tolist() == [2, 1]


def test_a_parameter_and_a_variable_of_a_device_function_keep_their_types():
    @jit.rawkernel(device=True)
    def halved(n):
        n = n / 2
        return n

    @jit.rawkernel()
    def k(out, n):
        n += 0.75
        out[0], out[1] = n, halved(n)

    assert launched(k, cupy.zeros(2), 7, threads=1).tolist() == [7, 3]


def test_a_variable_of_two_branches_or_of_arrays_is_of_what_they_have_in_common():
    @jit.rawkernel()
    def k(x):
        part = x[1:]
        part = part[1:]
        if x[0] < 1:
            y = 1
        else:
            y = 2.5
        x[1] = y + part[0]

    assert launched(k, cupy.array([5.0, 0, 3]), threads=1).tolist() == [5, 5.5, 3]


def test_the_same_function_is_a_kernel_of_numbas_with_numbas_types():
    def count(out, n):
        n = n / 2
        out[0] = n

    of_cupy, of_numba = jit.rawkernel()(count), cuda.jit(count)
    assert launched(of_cupy, cupy.zeros(1), 7, threads=1).tolist() == [3]
    out = np.zeros(1)
    of_numba[1, 1](out, 7)
    assert out[0] == 3.5
