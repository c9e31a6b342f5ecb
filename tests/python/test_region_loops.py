"""Kernels with barriers that the CPU device runs as one loop over the block's threads for each region between barriers:
the same results at every width as with coroutines, which width=1 uses."""

import numpy as np
import pytest

from heddle import RawKernel, cuda, float32, float64, int32, int64
from heddle.errors import KernelRuntimeError

WIDTHS = [4, 8, 16, 32]
BLOCKS = [64, 37, 5, (16, 3), (8, 4, 2), (5, 4, 3)]
BLOCKS_OF_GRID = 3
TOGETHER, COROUTINES = "its threads pass barriers together", "as coroutines: "


@pytest.fixture(autouse=True)
def on_the_cpu(device):
    if device.type != "cpu":
        pytest.skip("loops over a block's threads are the CPU device's")


@cuda.jit(device=True)
def number():
    """The number of the thread in its block."""
    t = cuda.threadIdx
    return t.x + cuda.blockDim.x * (t.y + cuda.blockDim.y * t.z)


@cuda.jit(device=True)
def count():
    return cuda.blockDim.x * cuda.blockDim.y * cuda.blockDim.z


def tree(out, n):
    shared = cuda.shared.array(64, float64)
    t, step = number(), 32
    shared[t] = t * 0.5
    cuda.syncthreads()
    while step > 0:
        if t < step and t + step < count():
            shared[t] += shared[t + step]
        cuda.syncthreads()
        step //= 2
    out[cuda.blockIdx.x * count() + t] = shared[0]


def kept_values_of_many_types(out, n):
    shared = cuda.shared.array(64, int64)
    t = number()
    half, single, odd, z = t * 0.25, float32(t) / float32(3), t % 2 == 1, complex(t, -t)
    big = int64(t) << 40
    shared[t] = big
    cuda.syncthreads()
    other = shared[(t + 1) % count()]
    cuda.syncthreads()
    if odd:
        out[cuda.blockIdx.x * count() + t] = half + single + z.imag + float64(other >> 40)
    else:
        out[cuda.blockIdx.x * count() + t] = float64(big >> 38) - single


def values_that_rounds_change(out, n):
    shared = cuda.shared.array(64, float64)
    t = number()
    a, b, k = 1.0, float64(t), 0
    while k < n:
        shared[t] = a
        cuda.syncthreads()
        a, b = b, a + shared[(t + k) % count()]
        if k % 3 == 1:
            cuda.syncthreads()
            shared[t] = b
        cuda.syncthreads()
        k += 1
    out[cuda.blockIdx.x * count() + t] = a + 10 * b


def arrays_of_a_thread(out, n):
    own = cuda.local.array(5, float64)
    t = number()
    for k in range(5):
        own[(k + t) % 5] = t + k
    total = 0.0
    for k in range(n):
        cuda.syncthreads()
        own[(k * t) % 5] += k
        total += own[k % 5]
    cuda.syncthreads()
    out[cuda.blockIdx.x * count() + t] = total + own[t % 5]


def barriers_under_uniform_branches(out, n):
    shared = cuda.shared.array(64, int32)
    t = number()
    for k in range(n):
        shared[t] = t * k
        if cuda.blockIdx.x == 1:
            cuda.syncthreads()
            out[cuda.blockIdx.x * count() + t] += shared[count() - 1 - t]
        elif k % 2 == 0:
            if n > 4:
                cuda.syncthreads()
            continue
        cuda.syncthreads()
        if k == 5:
            break
    out[cuda.blockIdx.x * count() + t] += shared[t]


def counts(out, n):
    t = number()
    total = 0
    for k in range(n):
        total += cuda.syncthreads_count(t % (k + 2) == 0)
        if cuda.syncthreads_and(t < 50 + k):
            total += 100
        if cuda.syncthreads_or(t == 36 + k):
            total += 1000
    out[cuda.blockIdx.x * count() + t] = total


def divergent_loops_between_barriers(out, n):
    shared = cuda.shared.array(64, int32)
    t = number()
    rounds = 0
    for k in range(n):
        steps = 0
        while steps * steps < t + k:
            steps += 1
        shared[t] = steps
        cuda.syncthreads()
        rounds += shared[(t * 3) % count()] + steps
        cuda.syncthreads()
    out[cuda.blockIdx.x * count() + t] = rounds


def threads_that_return(out, n):
    shared = cuda.shared.array(64, int32)
    t = number()
    shared[t] = t
    if cuda.blockIdx.x * count() + t >= out.size - count() - 3:
        return
    cuda.syncthreads()
    total = shared[t // 2]
    cuda.syncthreads()
    for k in range(n):
        shared[t] = t * k
        total += 1000 * cuda.syncthreads_count(t % 2 == 0)
        total += shared[t // 2]
        cuda.syncthreads()
    out[cuda.blockIdx.x * count() + t] = -total


def loop_that_threads_leave(out, n):
    shared = cuda.shared.array(64, int32)
    t = number()
    total = 0
    for k in range(n):
        if t > 60 - 9 * k:
            break
        shared[t] = t * k
        total += 1000 * cuda.syncthreads_count(t % 2 == 0)
        total += shared[t // 2]
        cuda.syncthreads()
    out[cuda.blockIdx.x * count() + t] = total


def work_of_the_first_threads(out, n):
    shared = cuda.shared.array(64, int32)
    x, t = cuda.threadIdx.x, number()
    shared[t] = t + 1
    cuda.syncthreads()
    for last in range(n, -3, -3):
        if x <= last:
            shared[t] += 10
        cuda.syncthreads()
    for below in range(0, 90, 17):
        if below - 5 > x + n:
            shared[t] = 2 * shared[t] % 1000
        cuda.syncthreads()
    for step in range(1, 40, 13):
        kept = shared[(t + step) % count()]  # of every thread, also where it has no work
        cuda.syncthreads()
        if not x >= step:
            shared[t] += 1
        cuda.syncthreads()
        shared[t] += kept
        cuda.syncthreads()
    out[cuda.blockIdx.x * count() + t] = shared[t]


def values_of_the_first_threads(out, n):
    shared = cuda.shared.array(64, int32)
    t = number()
    shared[t] = 3 * t + 1
    cuda.syncthreads()
    for last in range(40, 0, -n):
        value, common = 0, 0
        if t < last:
            value = shared[(t + 1) % count()] + shared[t] // 2
            common = last // (n - 2)
        cuda.syncthreads()
        if t < last:
            shared[t] = value + common
        cuda.syncthreads()
        kept = 5
        if t < last:
            kept = shared[t] % 7
        cuda.syncthreads()
        shared[t] += kept  # of every thread
        cuda.syncthreads()
    out[cuda.blockIdx.x * count() + t] = shared[t]


def value_of_an_earlier_region(out, n):
    shared = cuda.shared.array(64, int32)
    x, t = cuda.threadIdx.x, number()
    shared[t] = 3 * t + n
    first, value, other = 1, 0, 0
    cuda.syncthreads()
    for _ in range(n, 0, -3):
        cuda.syncthreads()
        value = shared[t] % 10007  # of every thread, for the end
        cuda.syncthreads()
    if x < n:
        if x > 3:
            other = 0
        else:
            other = shared[(t + 6) % count()] // (n + 1)
        other = other // (n + 1)
    cuda.syncthreads()
    if cuda.threadIdx.z == 0:
        first = shared[t] % 10007
    else:
        shared[t] = first + other
    cuda.syncthreads()
    out[cuda.blockIdx.x * count() + t] = shared[t] + 100000 * first + 7 * value


def first_thread_of_a_row(out, n):
    shared = cuda.shared.array(64, int32)
    t = number()
    shared[t] = 3 * t + n
    cuda.syncthreads()
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        shared[t] = shared[t] // (n + 1) % 10007  # 64 bits become 32
    else:
        shared[t] = shared[t] % 10007 + 1
    cuda.syncthreads()
    out[cuda.blockIdx.x * count() + t] = shared[t]


def divided_differences(out, n):
    values = cuda.shared.array(64, float64)
    t, last = number(), count() - 1
    values[t] = (t * t + n) % 11
    cuda.syncthreads()
    for step in range(1, count()):
        value = 0.0
        if t <= last - step:
            value = (values[t + 1] - values[t]) / step
        cuda.syncthreads()
        if t <= last - step:
            values[t] = value
        cuda.syncthreads()
    out[cuda.blockIdx.x * count() + t] = values[t]


def work_of_some_rows(out, n):
    shared = cuda.shared.array(64, int32)
    x, y, t = cuda.threadIdx.x, cuda.threadIdx.y, number()
    shared[t] = t
    cuda.syncthreads()
    for k in range(3):
        if y % 2 == k % 2:
            shared[t] += 1000
        elif x < n:
            shared[t] = shared[t] * 2 // (n - 5)
        cuda.syncthreads()
    out[cuda.blockIdx.x * count() + t] = shared[t]


KERNELS = [
    tree,
    first_thread_of_a_row,
    value_of_an_earlier_region,
    divided_differences,
    work_of_some_rows,
    work_of_the_first_threads,
    values_of_the_first_threads,
    kept_values_of_many_types,
    values_that_rounds_change,
    arrays_of_a_thread,
    barriers_under_uniform_branches,
    counts,
    divergent_loops_between_barriers,
    threads_that_return,
    loop_that_threads_leave,
]


def remarks(kernel):
    return [line for lines in kernel.inspect_remarks().values() for line in lines]


def result(function, block, width):
    kernel = cuda.jit(width=width)(function)
    out = np.zeros(BLOCKS_OF_GRID * int(np.prod(block)))
    kernel[BLOCKS_OF_GRID, block](out, 7)
    return out, kernel


@pytest.mark.parametrize("block", BLOCKS, ids=str)
@pytest.mark.parametrize("function", KERNELS, ids=lambda f: f.__name__)
def test_every_width_gives_what_coroutines_give(function, block):
    expected, _ = result(function, block, 1)
    assert (expected != 0).any()
    way = COROUTINES if function is loop_that_threads_leave else TOGETHER
    for width in WIDTHS:
        got, kernel = result(function, block, width)
        assert any(way in line for line in remarks(kernel)), remarks(kernel)
        assert np.array_equal(got, expected), width


def barrier_for_some(out, n):
    if cuda.threadIdx.x < n:
        cuda.syncthreads()
        out[cuda.threadIdx.x] = 1
    else:
        cuda.syncthreads()


def loop_until_a_flag_is_set(out, n):
    flag = cuda.shared.array(1, int32)
    t = cuda.threadIdx.x
    flag[0] = 0
    cuda.syncthreads()
    while flag[0] < n:
        out[t] += 1
        cuda.syncthreads()
        if t == 0:
            flag[0] += 1
        cuda.syncthreads()
    out[t] += cuda.syncthreads_count(t < 3)


def test_barriers_that_may_differ_have_coroutines():
    kernel = cuda.jit(loop_until_a_flag_is_set)
    out = np.zeros(64)
    kernel[1, 64](out, 7)
    assert (out == 10).all()
    assert any(COROUTINES + "threads may reach different barriers" in r for r in remarks(kernel))
    kernel = cuda.jit(barrier_for_some)
    kernel[1, 64](out, 64)
    assert any(COROUTINES in line for line in remarks(kernel))
    with pytest.raises(KernelRuntimeError, match="not reached by every thread"):
        kernel[1, 64](out, 40)
        cuda.synchronize()


def test_the_thread_that_fails_is_told():
    @cuda.jit
    def kernel(out, n):
        t = cuda.threadIdx.x
        for k in range(n):
            cuda.syncthreads()
            assert t + k < 40, "too far"

    with pytest.raises(AssertionError, match=r"thread \(34, 0, 0\)"):
        kernel[1, 35](np.zeros(1), 7)
        cuda.synchronize()


def test_a_block_without_memory_for_its_frames_is_an_error(run_python):
    done = run_python(
        """
import resource
import numpy as np
from heddle import cuda, float64

@cuda.jit
def kernel(out, n):
    own = cuda.local.array(1 << 13, float64)
    t = cuda.threadIdx.x
    for k in range(n):
        own[(k * t) % (1 << 13)] = k
    cuda.syncthreads()
    out[t] = own[t]

out = np.zeros(1024)
kernel[1, 1024](out, 0)
cuda.synchronize()
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (1 << 20), used + (1 << 20)))
try:
    kernel[8, 1024](out, 0)
    cuda.synchronize()
    print("enough")
except MemoryError as error:
    print(error)
"""
    )
    assert "no memory for the local variables of a block's 1024 threads, 6553" in done.stdout, done


@pytest.mark.parametrize("n", [2, 7])
def test_values_that_only_some_iterations_change_are_kept_across_barriers(device, n):
    kernel = RawKernel(
        r"""
extern "C" __global__ void kernel(long long *o, const int *x, int *h, long long n) {
  __shared__ int s[96], c[1];
  int count = blockDim.x, t = threadIdx.x, b = blockIdx.x, i = b * count + t;
  long long v0 = t % 5, v1 = x[i], v2 = n;
  s[t] = 3 * t;
  if (t == 0) c[0] = 5;
  if (n % 2 == 0) {
    __syncthreads();
  } else if (n > 4) {
    for (int k = 0; k < b + 2; ++k) {
      __syncthreads();
      for (int j = 0; j < n % 4; ++j) {
        if (j == 1) {
          atomicAdd(&h[((s[7] ^ s[t]) + s[(t + 25) % count]) % 4], 2);
          atomicOr(&h[7], ((x[i] + 2 * s[(t + 5) % count]) * (v1 + 2 * s[(t + n) % count]) % 1009) % 107);
          atomicAdd(&h[(s[70] + x[i]) % 4], 2);
          continue;
        }
        __syncthreads();
        v0 = __syncthreads_count(n % 2 == 0);
        atomicAdd(&h[0], s[(t + 5) % count] % 107);
        o[2 * i] += v2 % 107;
        atomicAdd(&h[2], s[(t + n) % count] % 107);
      }
      if (v1 % 11 != 5) {
        o[2 * i] += s[(t + 1) % count];
        atomicAdd(&h[s[(t + count - 1) % count] % 4], 2);
        v2 = k + 2 * c[0] + 2 * (v0 + 2 * s[t]);
      }
    }
    if (t % 32 == 10) {
      atomicAdd(&h[(v1 + 2 * t + c[0]) % 4], 1);
      return;
    }
  }
  o[2 * i + 1] = v0 + 107 * v1 + v2;
}""",
        "kernel",
    )
    blocks, threads = 2, 96
    x = np.arange(blocks * threads, dtype=np.int32) * 7 % 13
    o, h = np.zeros((blocks * threads, 2), np.int64), np.zeros(8, np.int32)
    kernel((blocks,), (threads,), (o, x, h, n))

    t, b = np.tile(np.arange(threads), blocks), np.repeat(np.arange(blocks), threads)
    rounds, changes = (b + 2, x % 11 != 5) if n == 7 else (0 * b, x < 0)
    v2 = np.where(changes, rounds - 1 + 10 + 2 * (2 * 3 * t), n)
    added = 0 * t
    for k in range(rounds.max()):
        before = np.where(changes & (k > 0), k - 1 + 10 + 12 * t, n)
        added += np.where(k < rounds, 2 * (before % 107) + changes * 3 * ((t + 1) % threads), 0)
    v0 = 0 if n == 7 else t % 5
    np.testing.assert_array_equal(o[:, 0], added)
    wanted = np.where((n == 7) & (t % 32 == 10), 0, v0 + 107 * x.astype(np.int64) + v2)
    np.testing.assert_array_equal(o[:, 1], wanted)
