"""Named barriers of inline PTX: warps of a block meet in parts, arrive without waiting, and count."""

import numpy as np
import pytest

import heddle
from heddle import KernelRuntimeError, UnsupportedError, cuda

WIDTHS = ["", "1"]
HEAD = """__device__ void wait(int b, int n) { asm volatile("bar.sync %0, %1;" :: "r"(b), "r"(n) : "memory"); }
__device__ void arrive(int b, int n) { asm volatile("bar.arrive %0, %1;" :: "r"(b), "r"(n) : "memory"); }
extern "C" __global__ void k(const int *in, int *out) {
  __shared__ int s[1024];
  int t = threadIdx.x, warp = t / 32;
"""


@pytest.fixture(params=WIDTHS, ids=["default width", "width 1"])
def width(request, monkeypatch):
    monkeypatch.setenv("HEDDLE_WIDTH", request.param)


def run(body, threads=128, values=None, size=1024):
    values = np.arange(1024, dtype=np.int32) if values is None else np.asarray(values, np.int32)
    out = cuda.to_device(np.zeros(size, np.int32))
    kernel = heddle.RawKernel(HEAD + body + "}", "k")
    kernel(1, threads, (cuda.to_device(values), out))
    return out.copy_to_host()


def test_halves_of_a_block_wait_in_turns(device, width):
    body = """for (int i = 0; i < 3 + 2 * (warp / 2); ++i) {
      s[t] = in[t] + i;
      wait(1 + warp / 2, 64);
      out[t] += s[t ^ 63];
      wait(1 + warp / 2, 64);
    }"""
    rounds = np.where(np.arange(128) < 64, 3, 5)
    expected = rounds * (np.arange(128) ^ 63) + rounds * (rounds - 1) // 2
    np.testing.assert_array_equal(run(body)[:128], expected)


PIPELINE = """int rounds = in[0], buffers = in[1], producers = in[2], all = in[3];
    if (t < producers) {
      for (int i = 0; i < rounds; ++i) {
        int b = i % buffers;
        wait(1 + b, all);
        for (int j = t; j < 64; j += producers) s[64 * b + j] = (j + 1) * (i + 3);
        arrive(5 + b, all);
      }
    } else if (t < all) {
      int c = t - producers;
      for (int b = 0; b < buffers; ++b) arrive(1 + b, all);
      for (int i = 0; i < rounds; ++i) {
        int b = i % buffers;
        wait(5 + b, all);
        for (int j = c; j < 64; j += all - producers) out[c] += s[64 * b + 63 - j] * (i + 1);
        if (i + buffers < rounds) arrive(1 + b, all);
      }
    }"""


@pytest.mark.parametrize("buffers", [1, 2, 4])
@pytest.mark.parametrize("producers, consumers", [(32, 32), (64, 32), (32, 96), (96, 128)])
def test_producers_run_ahead_of_consumers(device, width, producers, consumers, buffers):
    rounds, all = 4 + buffers, producers + consumers
    found = run(PIPELINE, all + 32, [rounds, buffers, producers, all])
    i, j = np.arange(rounds)[:, None], np.arange(64)
    expected = ((64 - j) * (i + 3) * (i + 1)).sum(0)
    sums = [expected[c::consumers].sum() for c in range(consumers)]
    np.testing.assert_array_equal(found[:consumers], sums)


def test_a_warp_that_arrives_does_not_wait(device, width):
    body = """if (warp == 0) { s[t] = 7; arrive(3, 64); s[32 + t] = 8; wait(4, 64); }
    else if (warp == 1) { wait(3, 64); out[t] = s[t - 32]; wait(4, 64); out[t] += s[t]; }"""
    assert (run(body, 64)[32:64] == 15).all()


def test_a_barrier_is_used_again_at_once(device, width):
    body = """for (int i = 0; i < 100; ++i) {
      if (warp == i % 4) s[t % 32] = i;
      wait(0, 128);
      out[t] = (out[t] * 3 + s[31 - t % 32]) % 1009;
      wait(15, 128);
    }"""
    expected = 0
    for i in range(100):
        expected = (expected * 3 + i) % 1009
    assert (run(body)[:128] == expected).all()


def test_barrier_0_is_that_of_the_block(device, width):
    body = """if (warp == 0) { s[t] = 5; arrive(0, 128); }
    else { __syncthreads(); out[t] = s[t % 32]; }
    wait(1, 128);"""
    assert (run(body)[32:128] == 5).all()


def test_functions_of_cuda_wait_at_named_barriers(device, width):
    body = """s[t] = t;
    __barrier_sync_count(1 + warp / 2, 64);
    out[t] = s[t ^ 63];
    __barrier_sync(warp >= 0 ? 7 : 8);
    out[t] += s[127 - t];"""
    t = np.arange(128)
    np.testing.assert_array_equal(run(body)[:128], (t ^ 63) + 127 - t)


def test_a_barrier_without_a_count_is_for_the_block(device, width):
    body = """if (warp < 3) { s[t] = t; arrive(2, 128); }
    else { asm volatile("bar.sync %0;" :: "r"(warp - 1) : "memory"); out[t] = s[t - 32]; }
    if (warp < 2) wait(3, 64);"""
    np.testing.assert_array_equal(run(body)[96:128], np.arange(64, 96))


def test_the_block_does_not_wait_for_warps_that_returned(device, width):
    body = """if (warp == 1) return;
    if (warp < 3) wait(1, 64);
    out[t] = __syncthreads_count(t < 40) + 100 * __syncthreads_and(t != 40)
             + 1000 * __syncthreads_or(t == 41) + 10000 * __syncthreads_or(t == 100);"""
    found = run(body)[:128].reshape(4, 32)
    assert (found[[0, 2, 3]] == 32 + 100 + 10000).all() and (found[1] == 0).all()


@pytest.mark.parametrize("modifier", ["", ".cta", ".aligned"])
@pytest.mark.parametrize("kind, first, second", [("popc", 40, 4), ("and", 0, 0), ("or", 1, 1)])
def test_a_part_of_a_block_votes(device, width, modifier, kind, first, second):
    cta, aligned = (modifier, "") if modifier == ".cta" else ("", modifier)
    if kind == "popc":
        ptx, result = f"barrier{cta}.red.popc{aligned}.u32 %0, %1, 64, p;", ""
    else:
        ptx, result = (
            f"barrier{cta}.red.{kind}{aligned}.pred p, %1, 64, p;",
            "selp.u32 %0, 1, 0, p;",
        )
    body = f"""int r, yes = warp < 2 ? t < 40 : t % 16 == 3;
    asm volatile("{{ .reg .pred p; setp.ne.u32 p, %2, 0; {ptx} {result} }}"
                 : "=r"(r) : "r"(1 + warp / 2), "r"(yes) : "memory");
    out[t] = r;"""
    found = run(body)[:128].reshape(2, 64)
    assert (found[0] == first).all() and (found[1] == second).all()


def test_a_negated_predicate_is_counted(device, width):
    body = """int r;
    asm volatile("{ .reg .pred p; setp.lt.u32 p, %1, 10; bar.red.popc.u32 %0, 2, 64, !p; }"
                 : "=r"(r) : "r"(t) : "memory");
    out[t] = r;"""
    assert (run(body, 64)[:64] == 54).all()


def test_warps_exchange_values_between_named_barriers(device, width):
    body = """int v = in[t];
    for (int d = 16; d; d /= 2) v += __shfl_xor_sync(0xffffffffu, v, d);
    if (t % 32 == 0) s[warp] = v;
    wait(1 + warp / 2, 64);
    out[t] = s[warp] + 1000 * s[warp ^ 1];"""
    sums = np.arange(128).reshape(4, 32).sum(1)
    np.testing.assert_array_equal(run(body)[:128], (sums + 1000 * sums[[1, 0, 3, 2]]).repeat(32))


def test_rows_of_a_block_are_warps_in_order(device, width):
    kernel = heddle.RawKernel(
        """extern "C" __global__ void k(int *out) {
          __shared__ int s[4][32];
          s[threadIdx.y][threadIdx.x] = 100 * threadIdx.y + threadIdx.x;
          asm volatile("bar.sync %0, 64;" :: "r"(1 + threadIdx.y / 2) : "memory");
          out[32 * threadIdx.y + threadIdx.x] = s[threadIdx.y ^ 1][31 - threadIdx.x];
        }""",
        "k",
    )
    out = cuda.to_device(np.zeros(128, np.int32))
    kernel(1, (32, 4), (out,))
    expected = 100 * np.array([[1], [0], [3], [2]]) + np.arange(31, -1, -1)
    np.testing.assert_array_equal(out.copy_to_host().reshape(4, 32), expected)


def test_a_warp_polls_memory_while_others_wait(device, width):
    body = """volatile int *flag = &s[512];
    if (t == 0) *flag = 0;
    __syncthreads();
    if (warp == 0) { while (*flag < 3) {} out[t] = *flag; }
    else for (int i = 1; i < 4; ++i) { wait(1, 96); if (t == 32) *flag = i; wait(1, 96); }"""
    assert (run(body)[:32] == 3).all()


def test_many_blocks_have_barriers_of_their_own(device, width):
    kernel = heddle.RawKernel(
        HEAD.replace("t = threadIdx.x", "t = threadIdx.x, b = blockIdx.x")
        + "s[t] = in[t] + b; wait(1 + warp / 2, 64); out[128 * b + t] = s[t ^ 63]; }",
        "k",
    )
    out = cuda.to_device(np.zeros(128 * 50, np.int32))
    kernel(50, 128, (cuda.to_device(np.arange(128, dtype=np.int32)), out))
    expected = (np.arange(128) ^ 63) + np.arange(50)[:, None]
    np.testing.assert_array_equal(out.copy_to_host().reshape(50, 128), expected)


GRID_SCAN = """#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void k(const int *in, int *out, int *sums) {
  __shared__ int parts[4], total;
  int t = threadIdx.x, warp = t / 32, v = in[128 * blockIdx.x + t];
  int sum = __reduce_add_sync(0xffffffffu, v);
  if (t % 32 == 0) parts[warp] = sum;
  if (warp) asm volatile("barrier.arrive 1, 128;" ::: "memory");
  else {
    asm volatile("barrier.sync 1, 128;" ::: "memory");
    if (t == 0) sums[blockIdx.x] = parts[0] + parts[1] + parts[2] + parts[3];
  }
  cg::this_grid().sync();
  if (warp == 3) {
    if (t == 96) for (int b = total = 0; b < blockIdx.x; ++b) total += sums[b];
    asm volatile("barrier.sync 2, 64;" ::: "memory");
  } else if (warp == 2) {
    asm volatile("barrier.sync 2, 64;" ::: "memory");
    out[32 * blockIdx.x + t - 64] = total;
  }
}"""


def test_blocks_with_named_barriers_meet_at_grid_barriers(device, width):
    values = np.arange(128 * 6, dtype=np.int32) % 71
    out, sums = cuda.to_device(np.zeros(32 * 6, np.int32)), cuda.to_device(np.zeros(6, np.int32))
    kernel = heddle.RawKernel(GRID_SCAN, "k", enable_cooperative_groups=True)
    kernel(6, 128, (cuda.to_device(values), out, sums))
    of_blocks = values.reshape(6, 128).sum(1)
    expected = (np.cumsum(of_blocks) - of_blocks).repeat(32)
    np.testing.assert_array_equal(out.copy_to_host(), expected)


LOOK_BACK = """extern "C" __global__ void k(const int *in, int *out, volatile int *prefixes) {
  __shared__ int sums[4], before;
  int t = threadIdx.x, warp = t / 32, b = blockIdx.x;
  int sum = __reduce_add_sync(0xffffffffu, in[128 * b + t]);
  if (t % 32 == 0) sums[warp] = sum;
  if (warp == 0) {
    if (t == 0) { while (b && prefixes[b - 1] < 0) {} before = b ? prefixes[b - 1] : 0; }
    __syncwarp();
    asm volatile("bar.arrive 1, 128;" ::: "memory");
  } else {
    asm volatile("bar.sync 1, 128;" ::: "memory");
    if (t == 32) { __threadfence(); prefixes[b] = before + sums[0] + sums[1] + sums[2] + sums[3]; }
    out[128 * b + t] = before;
  }
}"""


def test_blocks_with_named_barriers_wait_for_earlier_blocks(device, width):
    values = np.arange(128 * 9, dtype=np.int32) % 71
    out = cuda.to_device(np.zeros(128 * 9, np.int32))
    prefixes = cuda.to_device(np.full(9, -1, np.int32))
    heddle.RawKernel(LOOK_BACK, "k")(9, 128, (cuda.to_device(values), out, prefixes))
    sums = np.cumsum(values.reshape(9, 128).sum(1))
    np.testing.assert_array_equal(prefixes.copy_to_host(), sums)
    np.testing.assert_array_equal(out.copy_to_host().reshape(9, 128)[1:, 32], sums[:-1])


SOURCE_OF_WAITS = """
extern "C" __device__ int wait_for(int *result, int number, int threads) {
  asm volatile("bar.sync %0, %1;" :: "r"(number), "r"(threads) : "memory");
  return *result = 0;
}"""


def test_a_python_kernel_calls_a_function_with_named_barriers(device, width):
    wait_for = cuda.declare_device(
        "wait_for", "int32(int32, int32)", link=cuda.CUSource(SOURCE_OF_WAITS)
    )

    @cuda.jit
    def k(out):
        s = cuda.shared.array(128, np.int32)
        t = cuda.threadIdx.x
        s[t] = t
        wait_for(1 + t // 64, 64)
        out[t] = s[t ^ 63]
        cuda.syncthreads()
        out[t] += s[127 - t]

    out = np.zeros(128, np.int32)
    k[1, 128](out)
    t = np.arange(128)
    np.testing.assert_array_equal(out, (t ^ 63) + 127 - t)


ENDLESS = [
    (
        "if (t < 64) wait(1, 96); __syncthreads();",
        r"barrier 1 at line 1 waits for 96 threads of block \(0, 0, 0\), but only 64 have arrived, and "
        r"others wait at barrier 0 at line 6",
    ),
    ("if (warp == 2) wait(3, 64);", "but only 32 have arrived, and all others have returned"),
    ("wait(1, 256);", "waits for 256 threads of .* but only 128 have arrived"),
    (
        "if (warp < 2) wait(1, 96); else wait(2, 96);",
        "barrier 1 at line 1 waits for 96 .* others wait at barrier 2 at line 1",
    ),
    (
        "if (t % 2) wait(1, 64); else wait(2, 64);",
        "is not reached by every thread of warp 0 of block .*: lane . waits there while lane . waits at "
        "barrier",
    ),
    (
        "if (t < 16) arrive(1, 64); else __syncwarp();",
        "lane 16 waits there while lane 0 waits at barrier 1",
    ),
    ("wait(in[16], 64);", "barrier 16 at line 1 does not exist: a block has barriers 0 to 15"),
    ("wait(1, in[48]);", "barrier 1 at line 1 is for 48 threads, which is not a multiple of 32"),
    ("arrive(1, in[0]);", "an arrival needs a number of threads that is not 0"),
    (
        "if (warp < 2) wait(1, 96); else wait(1, 64);",
        "is for 64 threads, but other warps .* for 96",
    ),
    (
        "wait(1, 64); if (warp) __syncthreads(); else out[t] = __syncthreads_count(1);",
        "barrier 0 at line 6 meets one of another kind",
    ),
]


@pytest.mark.parametrize("body, message", ENDLESS, ids=[row[0] for row in ENDLESS])
def test_a_wait_without_an_end_names_the_barrier(cpu, width, body, message):
    with pytest.raises(KernelRuntimeError, match=message) as error:
        run(body)
        cuda.synchronize()
    assert "thread (" in str(error.value)


REFUSED = [
    ("bar.sync 16, 64;", "a block has barriers 0 to 15"),
    ("bar.sync 1, 48;", "the number of threads is not a multiple of 32"),
    ("bar.arrive 1;", "an arrival needs the number of threads"),
    ("bar.arrive 1, 0;", "an arrival needs a number of threads that is not 0"),
    ("barrier.wait 1, 64;", "the supported barriers are .sync, .arrive and .red"),
]


@pytest.mark.parametrize("ptx, message", REFUSED, ids=[row[0] for row in REFUSED])
def test_wrong_operands_are_refused(cpu, ptx, message):
    with pytest.raises(UnsupportedError, match=message):
        run(f'asm volatile("{ptx}");')
