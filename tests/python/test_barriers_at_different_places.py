"""Whole warps that wait at different barriers of the same kind continue together, as PTX counts arrivals, not
places."""

import numpy as np
import pytest

import heddle
from heddle import KernelRuntimeError, cuda, int32

WIDTHS = [1, 4, 8, 16, 32]
ROUNDS = 5


def produce_and_consume(x, out, producers):
    tiles = cuda.shared.array((2, 64), int32)
    t, n = cuda.threadIdx.x, x.shape[1]
    if t < producers:
        for k in range(x.shape[0]):
            for i in range(t, n, producers):
                tiles[k & 1, i] = 2 * x[k, i]
            cuda.syncthreads()
        cuda.syncthreads()
    else:
        total = 0
        cuda.syncthreads()
        for k in range(x.shape[0]):
            total += tiles[k & 1, (t - producers + 1) % n]
            cuda.syncthreads()
        out[t - producers] = total


def check_pipeline(kernel, threads, producers):
    x = np.arange(ROUNDS * 64, dtype=np.int32).reshape(ROUNDS, 64) ** 2
    out = np.zeros(threads - producers, np.int32)
    kernel(x, out)
    expected = np.roll(2 * x.sum(axis=0), -1)[np.arange(threads - producers) % 64]
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("threads, producers", [(64, 32), (128, 32), (96, 64), (80, 64), (33, 32)])
def test_producers_and_consumers_wait_at_barriers_of_their_own(device, width, threads, producers):
    kernel = cuda.jit(width=width)(produce_and_consume)
    check_pipeline(lambda x, out: kernel[1, threads](x, out, producers), threads, producers)


def three_roles(x, out):
    s = cuda.shared.array((3, 32), int32)
    t, role = cuda.threadIdx.x % 32, cuda.threadIdx.x // 32
    k = 0
    if role == 0:
        while True:
            s[0, t] = x[k] + t
            cuda.syncthreads()
            k += 1
            if k == x.size:
                break
            cuda.syncthreads()
        cuda.syncthreads()
    elif role == 1:
        for k in range(x.size):
            cuda.syncthreads()
            s[1, 31 - t] = s[0, t] * 3
            cuda.syncthreads()
    else:
        total = 0
        for k in range(2 * x.size):
            cuda.syncthreads()
            if k % 2:
                total += s[1, t]
        out[t] = total


@pytest.mark.parametrize("width", WIDTHS)
def test_three_roles_loop_each_in_its_own_way(device, width):
    x, out = np.arange(1, 8, dtype=np.int32), np.zeros(32, np.int32)
    cuda.jit(width=width)(three_roles)[1, 96](x, out)
    np.testing.assert_array_equal(out, 3 * (x.sum() + x.size * np.arange(31, -1, -1)))


def roles_by_row(x, out):
    s = cuda.shared.array((4, 32), int32)
    t, row = cuda.threadIdx.x, cuda.threadIdx.y
    if row % 2 == 0:
        s[row, t] = x[t, row]
        cuda.syncthreads()
        out[t, row] = s[row + 1, 31 - t]
    else:
        s[row, t] = x[t, row] + 100
        if row == 1:
            cuda.syncthreads()
        else:
            cuda.syncthreads()
        out[t, row] = s[row - 1, 31 - t]


@pytest.mark.parametrize("width", WIDTHS)
def test_rows_of_a_block_have_roles(device, width):
    x, out = np.arange(128, dtype=np.int32).reshape(32, 4), np.zeros((32, 4), np.int32)
    cuda.jit(width=width)(roles_by_row)[1, (32, 4)](x, out)
    written = x + np.array([0, 100, 0, 100], np.int32)
    np.testing.assert_array_equal(out, written[::-1, [1, 0, 3, 2]])


@cuda.jit(device=True)
def wait():
    cuda.syncthreads()


@cuda.jit(device=True)
def publish(s, t, v):
    s[t] = v
    cuda.syncthreads()


def barriers_of_device_functions(out):
    s = cuda.shared.array(96, int32)
    t = cuda.threadIdx.x
    if t < 32:
        publish(s, t, t)
        wait()
    elif t < 64:
        publish(s, t, 10 * t)
        cuda.syncthreads()
    else:
        wait()
        s[t] = s[t - 32] + s[t - 64]
        wait()
    out[t] = s[(t + 32) % 96]


@pytest.mark.parametrize("width", WIDTHS)
def test_device_functions_wait_at_different_calls(device, width):
    out = np.zeros(96, np.int32)
    cuda.jit(width=width)(barriers_of_device_functions)[1, 96](out)
    s = np.concatenate([np.arange(32), 10 * np.arange(32, 64), 11 * np.arange(32) + 320])
    np.testing.assert_array_equal(out, np.roll(s, -32))


def votes_at_two_places(out):
    t = cuda.threadIdx.x
    if t < 64:
        out[t, 0] = cuda.syncthreads_count(t % 2)
        out[t, 1] = cuda.syncthreads_and(1)
        out[t, 2] = cuda.syncthreads_or(0)
    else:
        out[t, 0] = cuda.syncthreads_count(t % 4 == 0)
        out[t, 1] = cuda.syncthreads_and(t != 70)
        out[t, 2] = cuda.syncthreads_or(t == 70)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("threads", [128, 96, 72])
def test_a_vote_is_that_of_the_whole_block(device, width, threads):
    out = np.zeros((threads, 3), np.int32)
    cuda.jit(width=width)(votes_at_two_places)[1, threads](out)
    assert (out == [32 + (threads - 64 + 3) // 4, 0, 1]).all()


def warps_that_shuffle(x, out):
    s = cuda.shared.array(32, int32)
    t = cuda.threadIdx.x
    if t < 32:
        v = x[t]
        for step in (16, 8, 4, 2, 1):
            v += cuda.shfl_down_sync(0xFFFFFFFF, v, step)
        s[t] = cuda.shfl_sync(0xFFFFFFFF, v, 0)
        cuda.syncthreads()
    else:
        cuda.syncthreads()
        out[t - 32] = s[t - 32] + cuda.popc(cuda.ballot_sync(0xFFFFFFFF, t % 2))


def test_warps_that_exchange_values_have_roles(device):
    x, out = np.arange(32, dtype=np.int32), np.zeros(32, np.int32)
    cuda.jit(warps_that_shuffle)[1, 64](x, out)
    assert (out == x.sum() + 16).all()


def some_warps_return(out):
    t = cuda.threadIdx.x
    if t >= 64:
        cuda.syncthreads()
        return
    if t < 32:
        cuda.syncthreads()
        cuda.syncthreads()
    else:
        cuda.syncthreads()
        out[t] += 1
        cuda.syncthreads()
    out[t] += 1


@pytest.mark.parametrize("width", WIDTHS)
def test_warps_that_returned_hold_up_nobody(device, width):
    out = np.zeros(128, np.int32)
    cuda.jit(width=width)(some_warps_return)[1, 128](out)
    np.testing.assert_array_equal(out, np.repeat([1, 2, 0, 0], 32))


CPP_PIPELINE = r"""
template <bool first> __device__ void arrive() { __syncthreads(); }
extern "C" __global__ void k(const int (*x)[64], int *out, int rounds, int producers) {
  __shared__ int tiles[2][64];
  int t = threadIdx.x;
  if (t < producers) {
    for (int k = 0; k < rounds; ++k) {
      for (int i = t; i < 64; i += producers) tiles[k & 1][i] = 2 * x[k][i];
      __syncthreads();
    }
    arrive<true>();
    return;
  }
  int total = 0;
  arrive<false>();
  for (int k = 0; k < rounds; __syncthreads(), ++k)
    total += tiles[k & 1][(t - producers + 1) & 63];
  out[t - producers] = total;
}
"""


@pytest.mark.parametrize("threads, producers", [(64, 32), (96, 64), (80, 64)])
def test_cpp_producers_and_consumers_wait_at_barriers_of_their_own(device, threads, producers):
    kernel = heddle.RawKernel(CPP_PIPELINE, "k")

    def launch(x, out):
        there, result = cuda.to_device(x), cuda.to_device(out)
        kernel(1, threads, (there, result, np.int32(ROUNDS), np.int32(producers)))
        result.copy_to_host(out)

    check_pipeline(launch, threads, producers)


CPP_VOTES = r"""
extern "C" __global__ void k(int *out) {
  int t = threadIdx.x;
  if (threadIdx.y == 0) {
    out[t] = __syncthreads_count(t & 1);
    asm volatile("bar.sync 0;" ::: "memory");
  } else {
    out[32 * threadIdx.y + t] = __syncthreads_count(threadIdx.y == 2);
    __syncthreads();
  }
  out[32 * threadIdx.y + t] += out[(32 * threadIdx.y + t + 32) % 96] > 0;
}
"""


def test_cpp_votes_and_inline_barriers_meet(device):
    out = cuda.to_device(np.zeros(96, np.int32))
    heddle.RawKernel(CPP_VOTES, "k")(1, (32, 3), (out,))
    assert (out.copy_to_host() == 49).all()


def lanes_apart(out):
    t = cuda.threadIdx.x
    if t < out[0]:
        cuda.syncthreads()
    else:
        cuda.syncthreads()


@pytest.mark.parametrize("width", WIDTHS)
def test_lanes_of_one_warp_at_different_barriers_are_an_error(cpu, width):
    kernel = cuda.jit(width=width)(lanes_apart)
    kernel[1, 96](np.array([64]))
    with pytest.raises(
        KernelRuntimeError, match="of warp 1 of block .* 8 threads wait there while 24"
    ):
        kernel[1, 96](np.array([40]))
        cuda.synchronize()


@pytest.mark.parametrize("width", WIDTHS)
def test_rows_that_share_a_warp_are_an_error(cpu, width):
    kernel = cuda.jit(width=width)(roles_by_row)
    with pytest.raises(KernelRuntimeError, match="every thread of warp 0 of block"):
        kernel[1, (20, 4)](np.zeros((32, 4), np.int32), np.zeros((32, 4), np.int32))
        cuda.synchronize()


def barriers_of_two_kinds(out):
    t = cuda.threadIdx.x
    if t < 32:
        cuda.syncthreads()
    else:
        out[t] = cuda.syncthreads_count(True)


@pytest.mark.parametrize("width", WIDTHS)
def test_barriers_of_different_kinds_are_an_error(cpu, width):
    kernel = cuda.jit(width=width)(barriers_of_two_kinds)
    with pytest.raises(
        KernelRuntimeError, match="32 threads wait there .*, which is of another kind"
    ):
        kernel[1, 64](np.zeros(64, np.int32))
        cuda.synchronize()
