"""A thread sees what others have stored before a barrier, a lock or a flag, also if its own path stores nothing.

Launches say that arrays do not overlap, and __restrict__ says the same. Neither says that memory keeps its value.
"""

import numpy as np
import pytest

import heddle
from heddle import cuda

pytestmark = pytest.mark.usefixtures("device")


@cuda.jit
def store_in_another_branch(g, o):
    t = cuda.threadIdx.x
    before = g[0]
    cuda.syncthreads()
    if t >= 32:
        if t == 40:
            g[0] = 7
        cuda.syncthreads()
    else:
        cuda.syncthreads()
        o[t] = 10 * before + g[0]


@cuda.jit
def store_and_return(g, o):
    t = cuda.threadIdx.x
    seen = 0
    for _ in range(3):
        seen = 10 * seen + g[0]
        cuda.syncthreads()
        if t == 40:
            g[0] = 7
            return
        cuda.syncthreads()
    o[t] = seen


@cuda.jit
def store_in_another_lane(g, o):
    t = cuda.threadIdx.x
    before = g[0]
    cuda.syncwarp()
    if t == 9:
        g[0] = 7
    cuda.syncwarp()
    after = g[0] if t != 9 else 7
    o[t] = 10 * before + after


SOURCE = """
extern "C" __global__ void store_in_another_branch(long long *__restrict__ g, long long *__restrict__ o) {
  int t = threadIdx.x;
  long long before = g[0];
  __syncthreads();
  if (t >= 32) {
    if (t == 40)
      g[0] = 7;
    __syncthreads();
  } else {
    __syncthreads();
    o[t] = 10 * before + g[0];
  }
}
__device__ long long load(const long long *__restrict__ g) { return g[0]; }
__device__ void store(long long *__restrict__ g, int t) {
  __syncthreads();
  if (t == 40)
    g[0] = 7;
  __syncthreads();
}
extern "C" __global__ void store_and_return(long long *__restrict__ g, long long *__restrict__ o) {
  int t = threadIdx.x;
  long long seen = 0;
  for (int k = 0; k < 3; ++k) {
    seen = 10 * seen + load(g);
    __syncthreads();
    if (t == 40) {
      g[0] = 7;
      return;
    }
    __syncthreads();
  }
  o[t] = seen;
}
extern "C" __global__ void store_in_a_function(long long *__restrict__ g, long long *__restrict__ o) {
  int t = threadIdx.x;
  long long before = load(g);
  store(g, t);
  o[t] = 10 * before + load(g);
}
"""

BRANCH = [17] * 32 + [0] * 32
RETURN = [177] * 40 + [0] + [177] * 23


def run(kernel, threads):
    g, o = cuda.to_device(np.ones(1, np.int64)), cuda.to_device(np.zeros(threads, np.int64))
    if isinstance(kernel, str):
        heddle.RawModule(code=SOURCE).get_function(kernel)((1,), (threads,), (g, o))
    else:
        kernel[1, threads](g, o)
    return o.copy_to_host().tolist()


@pytest.mark.parametrize(
    "kernel, wanted",
    [
        (store_in_another_branch, BRANCH),
        (store_and_return, RETURN),
        (store_in_another_lane, [17] * 32),
        ("store_in_another_branch", BRANCH),
        ("store_and_return", RETURN),
        ("store_in_a_function", [17] * 64),
    ],
)
def test_a_load_after_a_barrier_sees_the_store_of_another_thread(kernel, wanted):
    assert run(kernel, len(wanted)) == wanted


@cuda.jit
def add_under_a_lock(mutex, total, rounds):
    for _ in range(rounds):
        while cuda.atomic.cas(mutex, 0, 0, 1) != 0:
            pass
        cuda.threadfence()
        total[0] += 1
        cuda.threadfence()
        cuda.atomic.exch(mutex, 0, 0)


@cuda.jit
def add_under_a_lock_without_fences(mutex, total, rounds):
    for _ in range(rounds):
        while cuda.atomic.cas(mutex, 0, 0, 1) != 0:
            pass
        cuda.atomic.exch(total, 0, total[0] + 1)
        cuda.atomic.exch(mutex, 0, 0)


@pytest.mark.parametrize("kernel", [add_under_a_lock, add_under_a_lock_without_fences])
def test_a_lock_protects_a_sum_in_a_loop(kernel):
    mutex, total = cuda.to_device(np.zeros(1, np.int32)), cuda.to_device(np.zeros(1, np.int64))
    kernel[8, 1](mutex, total, 20)
    assert total.copy_to_host()[0] == 160


@cuda.jit
def pass_a_value_on(ready, value, o):
    if cuda.blockIdx.x == 0:
        o[0] = value[0]
        while cuda.atomic.add(ready, 0, 0) == 0:
            pass
        cuda.threadfence()
        o[1] = value[0]
    else:
        value[0] = 42
        cuda.threadfence()
        cuda.atomic.exch(ready, 0, 1)


def test_a_value_is_loaded_again_after_waiting_for_it():
    ready, value = cuda.to_device(np.zeros(1, np.int32)), cuda.to_device(np.zeros(1, np.int64))
    o = cuda.to_device(np.zeros(2, np.int64))
    pass_a_value_on[2, 1](ready, value, o)
    assert o.copy_to_host()[1] == 42
