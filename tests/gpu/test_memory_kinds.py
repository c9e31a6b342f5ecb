"""Kinds of memory that only a GPU has: pinned, mapped and managed, large dynamic shared memory, and a lack of
memory."""

import numpy as np
import pytest

from heddle import cuda, float32


@cuda.jit
def add_one(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += 1


def test_copies_of_pinned_memory_run_beside_the_host():
    n = 1 << 20
    stream = cuda.stream()
    pinned = cuda.pinned_array(n, np.float32)
    pinned[:] = np.arange(n)
    d = cuda.to_device(pinned, stream=stream)
    add_one[n // 256, 256, stream](d)
    back = cuda.pinned_array(n, np.float32)
    d.copy_to_host(back, stream=stream)
    stream.synchronize()
    np.testing.assert_array_equal(back, pinned + 1)


def test_memory_can_be_pinned_for_a_while():
    a = np.arange(1000.0)
    stream = cuda.stream()
    with cuda.pinned(a):
        d = cuda.to_device(a, stream=stream)
        add_one[4, 256, stream](d)
        d.copy_to_host(a, stream=stream)
        stream.synchronize()
    np.testing.assert_array_equal(a, np.arange(1000) + 1)


def test_kernel_and_host_share_mapped_memory():
    a = cuda.mapped_array(1000, np.float32)
    a[:] = np.arange(1000)
    add_one[4, 256](a)
    cuda.synchronize()
    np.testing.assert_array_equal(a, np.arange(1000) + 1)


def test_memory_can_be_mapped_for_a_while():
    a = np.arange(1000.0)
    with cuda.mapped(a) as d:
        add_one[4, 256](d)
        cuda.synchronize()
    np.testing.assert_array_equal(a, np.arange(1000) + 1)


def test_kernel_and_host_share_managed_memory():
    a = cuda.managed_array(1000, np.int64)
    a[:] = 5
    for expected in (6, 7):
        add_one[4, 256](a)
        cuda.synchronize()
        assert (a == expected).all()


def test_a_host_array_is_copied_in_and_back(gpu):
    a = np.arange(1000.0)
    add_one[4, 256](a)
    np.testing.assert_array_equal(a, np.arange(1000) + 1)


def test_strided_host_arrays_keep_their_gaps():
    base = np.zeros((40, 60), np.int32)

    @cuda.jit
    def fill(x):
        i, j = cuda.grid(2)
        if i < x.shape[0] and j < x.shape[1]:
            x[i, j] = 1 + i * 100 + j

    view = base[::-2, 1::3]
    fill[(2, 2), (16, 16)](view)
    expected = np.zeros_like(base)
    expected[::-2, 1::3] = 1 + 100 * np.arange(20)[:, None] + np.arange(20)
    np.testing.assert_array_equal(base, expected)


@cuda.jit
def reverse_block(x):
    s = cuda.shared.array(0, float32)
    n = s.size
    for i in range(cuda.threadIdx.x, n, cuda.blockDim.x):
        s[i] = x[i]
    cuda.syncthreads()
    for i in range(cuda.threadIdx.x, n, cuda.blockDim.x):
        x[i] = s[n - 1 - i]


@pytest.mark.parametrize("kilobytes", [48, 49, 64, 96])
def test_dynamic_shared_memory_of_more_than_48_kilobytes(gpu, kilobytes):
    if kilobytes * 1024 > gpu.MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
        pytest.skip(f"this GPU gives a block {gpu.MAX_SHARED_MEMORY_PER_BLOCK_OPTIN} bytes")
    n = kilobytes * 256
    x = np.arange(n, dtype=np.float32)
    reverse_block[1, 256, 0, kilobytes * 1024](x)
    np.testing.assert_array_equal(x, np.arange(n)[::-1])


def test_all_the_shared_memory_there_is(gpu):
    most = gpu.MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
    x = np.arange(most // 4, dtype=np.float32)
    reverse_block[1, 256, 0, most](x)
    np.testing.assert_array_equal(x, np.arange(most // 4)[::-1])


def test_more_shared_memory_than_there_is_is_refused_with_the_limit(gpu):
    most = gpu.MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
    with pytest.raises(ValueError, match=f"at most {most}"):
        reverse_block[1, 256, 0, most + 1024](np.zeros(64, np.float32))


def test_out_of_memory_names_what_was_asked_and_what_is_free():
    asked = 1 << 42
    with pytest.raises(MemoryError, match=rf"{asked} bytes.*\d+ of \d+ bytes are free"):
        cuda.device_array(asked, np.int8)


def test_the_device_is_usable_when_memory_ran_out():
    kept = []
    with pytest.raises(MemoryError):
        for _ in range(200):
            kept.append(cuda.device_array(4 << 30, np.int8))
    assert kept
    del kept
    x = cuda.to_device(np.zeros(1000))
    add_one[4, 256](x)
    assert (x.copy_to_host() == 1).all()
    again = cuda.device_array(4 << 30, np.int8)
    assert again.size == 4 << 30


def test_freed_memory_is_used_again():
    free = cuda.current_context().get_memory_info()[0]
    size = free // 3
    for _ in range(20):
        x = cuda.device_array(size, np.int8)
        add_one[1, 32](x[:32])
        del x
    cuda.synchronize()


def test_an_array_dropped_after_a_launch_lives_until_the_kernel_has_run():
    n = 1 << 22
    total = cuda.to_device(np.zeros(1))

    @cuda.jit
    def count(x, total):
        i = cuda.grid(1)
        if x[i] == 3:
            cuda.atomic.add(total, 0, 1)

    stream = cuda.stream()
    for _ in range(10):
        x = cuda.to_device(np.full(n, 3, np.int32), stream=stream)
        count[n // 256, 256, stream](x, total)
        del x
        y = cuda.to_device(np.zeros(n, np.int32), stream=stream)
        del y
    stream.synchronize()
    assert total.copy_to_host()[0] == 10 * n


def test_memory_information_follows_allocations(run_python):
    done = run_python(
        """
        import numpy as np
        from heddle import cuda

        free, total = cuda.current_context().get_memory_info()
        assert 0 < free <= total
        x = cuda.device_array(8 << 30, np.int8)
        cuda.synchronize()
        print(free - cuda.current_context().get_memory_info()[0] >= 7 << 30)
        """
    )
    assert done.stdout == "True\n", done.stderr


def test_cupy_arrays_of_the_cpu_refuse_memory_of_a_gpu():
    from heddle.compat.cupy.arrays import ndarray

    with pytest.raises(TypeError, match="memory that the host can access"):
        ndarray((3,))
