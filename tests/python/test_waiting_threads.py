"""Threads that wait in a loop for other threads' writes: the launch ends, whichever runs first."""

import numpy as np
import pytest

import heddle
from heddle import cuda, int32, int64

WAITS = "a thread may wait for another in a loop"


def remarks(kernel):
    return " ".join(line for lines in kernel.inspect_remarks().values() for line in lines)


@cuda.jit
def lock_at_once(lock, count):
    while cuda.atomic.cas(lock, 0, 0, 1) != 0:
        pass
    count[0] += 1
    cuda.threadfence()
    cuda.atomic.exch(lock, 0, 0)


@cuda.jit
def lock_in_branch(lock, count):
    done = False
    while not done:
        if cuda.atomic.cas(lock, 0, 0, 1) == 0:
            count[0] += 1
            cuda.threadfence()
            cuda.atomic.exch(lock, 0, 0)
            done = True


@cuda.jit
def lock_with_tickets(lock, count):
    mine = cuda.atomic.add(lock, 0, 1)
    while cuda.atomic.add(lock, 1, 0) != mine:
        cuda.nanosleep(20)
    count[0] += 1
    cuda.threadfence()
    cuda.atomic.add(lock, 1, 1)


@pytest.mark.parametrize("kernel", [lock_at_once, lock_in_branch, lock_with_tickets])
def test_a_lock_is_every_threads_once(device, kernel):
    count = np.zeros(1, np.int64)
    kernel[6, 40](np.zeros(2, np.int32), count)
    assert count[0] == 240
    if device.type == "cpu":
        assert f"as coroutines: {WAITS}" in remarks(kernel)


def test_a_thread_waits_for_one_that_runs_later(device):
    @cuda.jit
    def k(flags, out):
        i = cuda.grid(1)
        if i + 1 < flags.size:
            while cuda.atomic.add(flags, i + 1, 0) == 0:
                pass
        out[i] = i
        cuda.atomic.exch(flags, i, 1)

    out = np.zeros(300, np.int32)
    k[3, 100](np.zeros(300, np.int32), out)
    np.testing.assert_array_equal(out, np.arange(300))


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32])
def test_a_variable_holds_what_the_thread_waits_for(device, dtype):
    @cuda.jit
    def k(flag, given, out):
        t = cuda.threadIdx.x
        if t == 0:
            seen = flag.dtype.type(0)
            while seen == 0:
                seen = cuda.ldcv(flag, 3)
            out[0] = given[0] + seen
        if t == 40:
            given[0] = 7
            cuda.threadfence()
            cuda.stwt(flag, 3, 2)

    out = cuda.to_device(np.zeros(1, dtype))
    k[1, 64](cuda.to_device(np.zeros(4, dtype)), cuda.to_device(np.zeros(1, dtype)), out)
    assert out.copy_to_host() == 9


def test_a_warp_waits_for_another_before_a_barrier(device):
    @cuda.jit
    def k(flag, out):
        value = cuda.shared.array(1, int32)
        t = cuda.threadIdx.x
        if t < 32:
            while cuda.atomic.add(flag, 0, 0) == 0:
                pass
            if t == 0:
                value[0] = flag[0]
        elif t == 77:
            cuda.atomic.exch(flag, 0, 7)
        cuda.syncthreads()
        out[t] = value[0] + cuda.syncthreads_count(t % 2)

    out = np.zeros(96, np.int32)
    k[1, 96](np.zeros(1, np.int32), out)
    assert (out == 7 + 48).all()


def test_lanes_that_wait_come_to_a_warps_operation_later(device):
    @cuda.jit
    def k(flag, out):
        t = cuda.threadIdx.x
        if t % 32 == 0:
            while cuda.atomic.add(flag, 0, 0) < 2:
                pass
        elif t % 32 == 31:
            cuda.atomic.add(flag, 0, 1)
        cuda.syncwarp()
        out[t] = cuda.shfl_xor_sync(0xFFFFFFFF, t, 31)

    out = np.zeros(64, np.int32)
    k[1, 64](np.zeros(1, np.int32), out)
    np.testing.assert_array_equal(out, np.arange(64) ^ 31)


def test_blocks_wait_for_all_blocks(device):
    @cuda.jit
    def wait_for_all(count, goal):
        cuda.syncthreads()
        if cuda.threadIdx.x == 0:
            cuda.threadfence()
            cuda.atomic.add(count, 0, 1)
            while cuda.atomic.add(count, 0, 0) < goal:
                pass
        cuda.syncthreads()

    @cuda.jit
    def k(count, x, out):
        i = cuda.grid(1)
        blocks = cuda.gridDim.x
        for step in range(3):
            x[i] = i * (step + 1)
            wait_for_all(count, (2 * step + 1) * blocks)
            out[i] += x[x.size - 1 - i]
            wait_for_all(count, (2 * step + 2) * blocks)

    out = np.zeros(20 * 64, np.int64)
    k[20, 64](np.zeros(1, np.int32), np.zeros(20 * 64, np.int64), out)
    np.testing.assert_array_equal(out, 6 * np.arange(20 * 64)[::-1])


def test_a_chained_scan_looks_back(device):
    code = r"""
    extern "C" __global__ void scan(const int *x, int *out, volatile int *state, volatile int *sums,
                                    volatile int *prefixes, int *next) {
      __shared__ int tile, own[128], before;
      if (threadIdx.x == 0)
        tile = atomicAdd(next, 1);
      __syncthreads();
      int t = threadIdx.x, b = tile;
      own[t] = x[b * 128 + t];
      __syncthreads();
      for (int d = 1; d < 128; d *= 2) {
        int v = t >= d ? own[t - d] : 0;
        __syncthreads();
        own[t] += v;
        __syncthreads();
      }
      if (t == 0) {
        sums[b] = own[127];
        __threadfence();
        state[b] = 1;
        int sum = 0, at = b - 1;
        while (at >= 0) {
          int s = state[at];
          if (s == 0)
            continue;
          __threadfence();
          if (s == 2) {
            sum += prefixes[at];
            break;
          }
          sum += sums[at--];
        }
        before = sum;
        prefixes[b] = sum + own[127];
        __threadfence();
        state[b] = 2;
      }
      __syncthreads();
      out[b * 128 + t] = own[t] + before;
    }"""
    blocks = 50
    x = np.random.default_rng(1).integers(-50, 50, blocks * 128).astype(np.int32)
    arrays = [cuda.to_device(a) for a in (x, np.zeros_like(x))]
    state = [cuda.to_device(np.zeros(blocks, np.int32)) for _ in range(3)]
    scan = heddle.RawKernel(code, "scan")
    scan((blocks,), (128,), (*arrays, *state, cuda.to_device(np.zeros(1, np.int32))))
    np.testing.assert_array_equal(arrays[1].copy_to_host(), np.cumsum(x))


def test_a_flag_in_shared_memory_of_cpp(device):
    code = r"""
    extern "C" __global__ void pass(int *out) {
      __shared__ volatile int turn;
      if (threadIdx.x == 0)
        turn = 0;
      __syncthreads();
      while (turn != blockDim.x - 1 - threadIdx.x) {}
      out[turn] = threadIdx.x;
      __threadfence_block();
      turn = turn + 1;
    }"""
    out = cuda.to_device(np.zeros(64, np.int32))
    heddle.RawKernel(code, "pass")((1,), (64,), (out,))
    np.testing.assert_array_equal(out.copy_to_host(), np.arange(64)[::-1])


# Thread t waits for thread t + 1: in a loop over the elements of a thread, and in one over the neighbors of an element.
ELEMENTS = """
  if (state[v] & 1) {
    if (state[v + 1] & 1) missing = 1; else state[v] = 2;
  }"""
NEIGHBORS = """
  if (state[v] & 1) {
    int i = v;
    while (i < v + 1 && (state[i + 1] & 1) == 0) i++;
    if (i < v + 1) missing = 1; else state[v] = 2;
  }"""


@pytest.mark.parametrize("step", [ELEMENTS, NEIGHBORS], ids=["elements", "neighbors"])
@pytest.mark.parametrize("per_thread", [1, 3])
def test_a_loop_inside_a_loop_reads_what_the_thread_waits_for(device, step, per_thread):
    code = f"""extern "C" __global__ void k(volatile int *state, int n) {{
      int missing;
      do {{
        missing = 0;
        for (int v = threadIdx.x; v < n; v += blockDim.x) {{ {step} }}
      }} while (missing);
    }}"""
    n = 8 * per_thread
    state = cuda.to_device(np.ones(n + 1, np.int32))
    state[n] = 0
    heddle.RawKernel(code, "k")((1,), (8,), (state, np.int32(n)))
    assert state.copy_to_host().tolist() == [2] * n + [0]


# Each thread t waits for thread t + 1, whose element is done if it is not 0; the last element is done at the start.
LOOPS_THAT_WAIT_AND_WRITE = {
    # Every iteration of the inner loop stores.
    "always stores": """
      bool again;
      do {
        again = false;
        for (int v = i; v < n; v += threads) {
          const int next = x[v + 1];
          x[v] = next == 0 ? 0 : next + 1;
          again |= next == 0;
        }
      } while (again);""",
    # The outer loop carries variables that only the inner loop sets.
    "variables of the outer loop": """
      int next = 0, missing = 1;
      while (true) {
        missing = 0;
        for (int v = i; v < n; v += threads)
          if (x[v] == 0) {
            next = x[v + 1];
            if (next) x[v] = next + 1; else missing++;
          }
        if (missing == 0) break;
      }""",
    # As before, declared where they are used, with votes of the warp in the conditions.
    "votes": """
      bool again;
      do {
        again = false;
        for (int v = i; __any_sync(~0u, v < n); v += threads) {
          int next;
          bool cond = false;
          if (v < n && x[v] == 0) { next = x[v + 1]; cond = true; }
          unsigned mask = __ballot_sync(~0u, cond);
          int of_lane;
          while (mask) {
            const int lane = __ffs(mask) - 1;
            mask &= mask - 1;
            const int theirs = __shfl_sync(~0u, next, lane);
            if (threadIdx.x % 32 == lane) of_lane = theirs;
          }
          if (cond) {
            if (of_lane) x[v] = of_lane + 1; else again = true;
          }
        }
      } while (__any_sync(~0u, again));""",
    # The inner loop advances the position that the outer loop ends at.
    "position": """
      int v = i;
      do {
        while (v < n && x[v + 1]) { x[v] = x[v + 1] + 1; v += threads; }
      } while (v < n);""",
    # The same store in each iteration, to the array that the loop reads.
    "repeated store": """
      for (int v = i; v < n; v += threads) {
        int next;
        do { ready[v] = 1; next = x[v + 1]; } while (next == 0 || ready[n - 1 - v] == 0);
        x[v] = next + 1;
      }""",
    # The loop keeps the values that it has read in shared memory, and reads again only those that were missing.
    "values in shared memory": """
      __shared__ int seen[2][64];
      const int t = threadIdx.x;
      int missing = 0, v = i;
      while (v < n) {
        if (missing == 0) {
          missing = 2;
          for (int j = 0; j < 2; j++) if ((seen[j][t] = x[v + 1 + j * (n - v - 1)])) missing--;
        } else {
          missing = 2;
          for (int j = 0; j < 2; j++)
            if (seen[j][t] || (seen[j][t] = x[v + 1 + j * (n - v - 1)])) missing--;
        }
        if (missing == 0) { x[v] = seen[0][t] + 1; v += threads; }
      }""",
    # The loop carries a value that it computes from memory.
    "computed value": """
      int twice = 0, v = i;
      while (v < n) {
        if (twice) { x[v] = twice / 2 + 1; v += threads; twice = 0; }
        else twice = x[v + 1] * 2;
      }""",
    # The number of polls is limited.
    "limit": """
      for (int v = i; v < n; v += threads) {
        int next = 0;
        for (int polls = 0; polls < 2000000000 && !next; polls++) next = x[v + 1];
        x[v] = next ? next + 1 : -1;
      }""",
}


@pytest.mark.parametrize("loop", LOOPS_THAT_WAIT_AND_WRITE)
@pytest.mark.parametrize("blocks", [1, 3])
def test_a_large_loop_that_writes_reads_what_the_thread_waits_for(device, loop, blocks):
    code = f"""extern "C" __global__ void k(volatile int *x, volatile int *ready, int n) {{
      const int i = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
      {LOOPS_THAT_WAIT_AND_WRITE[loop]}
    }}"""
    # With several elements per thread, a thread would wait for itself in the loops that finish one after another.
    finish_in_order = (
        "position",
        "repeated store",
        "values in shared memory",
        "computed value",
        "limit",
    )
    per_thread = 1 if loop in finish_in_order else 3
    n = 64 * blocks * per_thread
    x, ready = (cuda.to_device(np.zeros(n + 1, np.int32)) for _ in range(2))
    x[n] = 1
    heddle.RawKernel(code, "k")((blocks,), (64,), (x, ready, np.int32(n)))
    assert x.copy_to_host().tolist() == list(range(n + 1, 0, -1))


# Block i waits for block i + 1, and does something else in each iteration.
LOOPS_THAT_DO_MORE_THAN_WAIT = {
    "time limit": """
      const long long start = clock64();
      while (!flag[i + 1] && clock64() - start < (1ll << 60)) {}""",
    "trap": """
      const long long start = clock64();
      while (!flag[i + 1]) if (clock64() - start > (1ll << 60)) __trap();""",
    "second flag": """
      for (int polls = 0; !flag[i + 1];)
        if (++polls == 100) { polls = 0; if (*cancelled) break; }""",
    "growing delay": """
      float x = 1;
      for (unsigned delay = 8; !flag[i + 1]; delay = min(delay * 2, 1024u))
        for (unsigned t = 0; t < delay; t++) x = x * 1.0001f + 0.1f;
      if (x == 12345.f) return;""",
    "vector": """
      volatile int copy[2];
      do { for (int j = 0; j < 2; j++) copy[j] = flag[i + 1 + j * (gridDim.x - i - 1)]; } while (!copy[0]);""",
}


@pytest.mark.parametrize("loop", LOOPS_THAT_DO_MORE_THAN_WAIT)
def test_a_block_waits_in_a_loop_that_does_more(device, loop):
    code = f"""extern "C" __global__ void k(volatile int *flag, volatile int *cancelled) {{
      const int i = blockIdx.x;
      {LOOPS_THAT_DO_MORE_THAN_WAIT[loop]}
      flag[i] = 1;
    }}"""
    flag, cancelled = cuda.to_device(np.zeros(9, np.int32)), cuda.to_device(np.zeros(1, np.int32))
    flag[8] = 1
    heddle.RawKernel(code, "k")((8,), (1,), (flag, cancelled))
    assert flag.copy_to_host().tolist() == [1] * 9


# Each block but the last takes one item of those that the last block provides.
LOOPS_THAT_TAKE = {
    "the next one": """
      int j = i;
      while (atomicCAS(&items[j], 1, 2) != 1) j = (j + 1) % n;""",
    "a random one": """
      unsigned j = i * 7 + 1;
      do j = j * 1664525u + 1013904223u; while (atomicExch(&items[(j >> 8) % n], 2) != 1);""",
    "the first one of a queue": """
      int at;
      while ((at = atomicAdd(&ends[0], 1)) >= atomicAdd(&ends[1], 0)) atomicSub(&ends[0], 1);
      items[at] = 2;""",
}


@pytest.mark.parametrize("loop", LOOPS_THAT_TAKE)
def test_a_block_waits_until_it_can_take_an_item(device, loop):
    code = f"""extern "C" __global__ void k(int *items, int *ends, int n) {{
      const int i = blockIdx.x;
      if (i < n) {{
        {LOOPS_THAT_TAKE[loop]}
        return;
      }}
      for (int j = 0; j < n; j++) {{ atomicExch(&items[j], 1); __threadfence(); atomicAdd(&ends[1], 1); }}
    }}"""
    items, ends = (cuda.to_device(np.zeros(n, np.int32)) for n in (32, 2))
    heddle.RawKernel(code, "k")((33,), (1,), (items, ends, np.int32(32)))
    # Two blocks may find the same place of the queue, because each undoes its ticket if there is no item.
    allowed = {1, 2} if loop == "the first one of a queue" else {2}
    assert set(items.copy_to_host().tolist()) <= allowed


def test_a_loop_waits_for_a_vector_of_two_words(device):
    code = """extern "C" __global__ void k(int2 *pairs) {
      const int i = blockIdx.x;
      int2 next;
      do next = __ldcv(pairs + i + 1); while (next.x == 0);
      __stwt(pairs + i, make_int2(1, next.y + 1));
    }"""
    pairs = cuda.to_device(np.array([[0, 0]] * 8 + [[1, 1]], np.int32))
    heddle.RawKernel(code, "k")((8,), (1,), (pairs,))
    assert pairs.copy_to_host()[:, 1].tolist() == list(range(9, 0, -1))


def test_a_loop_around_plain_reads_does_not_wait(cpu):
    code = """extern "C" __global__ void k(int *x, int n) {
      int changed;
      do {
        changed = 0;
        for (int i = threadIdx.x; i < n; i += blockDim.x) if (x[i] > 9) { x[i] -= 9; changed = 1; }
      } while (changed);
    }"""
    x = cuda.to_device(np.arange(100, dtype=np.int32))
    kernel = heddle.RawKernel(code, "k")
    kernel((1,), (32,), (x, np.int32(100)))
    assert x.copy_to_host().max() == 9
    assert WAITS not in " ".join(kernel.inspect_remarks())


def test_one_bit_of_a_word_in_shared_memory(device):
    code = r"""
    extern "C" __global__ void wait(int *out) {
      __shared__ volatile unsigned flags;
      if (threadIdx.x == 0) flags = 0;
      __syncthreads();
      if (threadIdx.x == blockDim.x - 1) {
        __threadfence_block();
        flags = 32;
      }
      unsigned set = 0;
      while (!set) set = flags >> 5 & 1;
      out[threadIdx.x] = set;
    }"""
    out = cuda.to_device(np.zeros(64, np.int32))
    heddle.RawKernel(code, "wait")((1,), (64,), (out,))
    np.testing.assert_array_equal(out.copy_to_host(), np.ones(64))


def test_a_loop_with_a_barrier_waits_for_a_later_block(device):
    source = """
    __global__ void k(volatile int* flags, int n) {
      bool waits = true;
      while (waits) {
        int seen = blockIdx.x == n - 1 ? 1 : flags[32 * (blockIdx.x + 1) + threadIdx.x];
        if (seen) {
          flags[32 * blockIdx.x + threadIdx.x] = seen + 1;
          waits = false;
        }
        __syncthreads();
      }
    }"""
    flags = cuda.to_device(np.zeros((8, 32), np.int32))
    heddle.RawKernel(source, "k")(8, 32, (flags, 8))
    np.testing.assert_array_equal(
        flags.copy_to_host(), np.repeat(np.arange(9, 1, -1), 32).reshape(8, 32)
    )


def test_the_first_thread_of_a_block_waits_for_a_later_block(device):
    source = """
    __global__ void k(volatile int* flags, int n) {
      __shared__ int seen;
      do {
        if (threadIdx.x == 0) seen = blockIdx.x == n - 1 ? 1 : flags[blockIdx.x + 1];
        __syncthreads();
        if (seen && threadIdx.x == 0) flags[blockIdx.x] = seen + 1;
        const bool waits = !seen;
        __syncthreads();
        if (!waits) break;
      } while (true);
    }"""
    flags = cuda.to_device(np.zeros(8, np.int32))
    heddle.RawKernel(source, "k")(8, 32, (flags, 8))
    assert flags.copy_to_host().tolist() == list(range(9, 1, -1))


def test_an_error_behind_a_wait_ends_the_launch(device):
    @cuda.jit
    def k(flags, out):
        i = cuda.blockIdx.x
        if i == 0:
            while cuda.atomic.add(flags, 1, 0) == 0:
                pass
        elif i == 5:
            assert out.size > 100, "too small"
        if i != 1:
            cuda.atomic.exch(flags, 1, 1)

    with pytest.raises(AssertionError, match="too small"):
        k[8, 1](np.zeros(2, np.int32), np.zeros(8, np.int32))
        cuda.synchronize()


def test_an_interrupt_ends_a_wait_without_end(run_python):
    done = run_python(
        """
import _thread, threading
import numpy as np
from heddle import cuda

@cuda.jit
def k(flag):
    while cuda.atomic.add(flag, 0, 0) == 0:
        pass

flag = cuda.to_device(np.zeros(1, np.int32))
threading.Timer(0.5, _thread.interrupt_main).start()
try:
    k[4, 32](flag)
    cuda.synchronize()
except KeyboardInterrupt:
    print("interrupted")
""",
        HEDDLE_DEVICE="cpu",
    )
    assert done.stdout == "interrupted\n", done.stderr


@cuda.jit
def binary_search(a, x, out):
    i = cuda.grid(1)
    low, high = 0, a.size
    while low < high:
        middle = (low + high) // 2
        if a[middle] < x[i]:
            low = middle + 1
        else:
            high = middle
    out[i] = low


@cuda.jit
def root(parent, out):
    i = cuda.grid(1)
    x = i
    while parent[x] != x:
        x = parent[x]
    out[i] = x


@cuda.jit
def add_by_cas(x, out):
    old = out[0]
    while True:
        assumed = old
        old = cuda.atomic.cas(out, 0, assumed, assumed + x[cuda.grid(1)])
        if old == assumed:
            break


@cuda.jit
def insert(keys, table):
    i = cuda.grid(1)
    slot = keys[i] % table.size
    while True:
        old = cuda.atomic.cas(table, slot, -1, keys[i])
        if old == -1 or old == keys[i]:
            break
        slot = (slot + 1) % table.size


@cuda.jit
def take_work(next_one, out):
    while True:
        i = cuda.atomic.add(next_one, 0, 1)
        if i >= out.size:
            break
        out[i] = i


@cuda.jit
def until_settled(x, y):
    changed = cuda.shared.array(1, int64)
    t = cuda.threadIdx.x
    if t == 0:
        changed[0] = 1
    cuda.syncthreads()
    while changed[0]:
        cuda.syncthreads()
        if t == 0:
            changed[0] = 0
        cuda.syncthreads()
        if t > 0 and x[t] < x[t - 1] - 1:
            x[t] += 1
            changed[0] = 1
        cuda.syncthreads()


@cuda.jit
def reject(state, out):
    i = cuda.grid(1)
    n = 0
    while n < 10:
        state[i] = (state[i] * 1103515245 + 12345) & 0x7FFFFFFF
        if state[i] % 3 == 0:
            out[i] += state[i]
            n += 1


@pytest.mark.parametrize(
    ("kernel", "arrays"),
    [
        (binary_search, 3),
        (root, 2),
        (add_by_cas, 2),
        (insert, 2),
        (take_work, 2),
        (until_settled, 2),
        (reject, 2),
    ],
)
def test_loops_that_end_by_themselves_do_not_wait(cpu, kernel, arrays):
    kernel.compile((int64[::1],) * arrays)
    assert "coroutines" not in remarks(kernel)
