"""Kernels that rely on the threads of a warp running in lockstep: they read a neighbour's write to shared memory
without a barrier, as they may on a GPU."""

import numpy as np
import pytest

import heddle
from heddle import cuda, float32, int64

WIDTHS = [None, 1, 4, 8, 16, 32]


def reduce_last_warp(x, out):
    sums = cuda.shared.array(256, float32)
    t = cuda.threadIdx.x
    sums[t] = x[cuda.grid(1)]
    cuda.syncthreads()
    k = 128
    while k > 32:
        if t < k:
            sums[t] += sums[t + k]
        cuda.syncthreads()
        k //= 2
    if t < 32:
        sums[t] += sums[t + 32]
        sums[t] += sums[t + 16]
        sums[t] += sums[t + 8]
        sums[t] += sums[t + 4]
        sums[t] += sums[t + 2]
        sums[t] += sums[t + 1]
    if t == 0:
        out[cuda.blockIdx.x] = sums[0]


def reduce_by_loop(x, out):
    sums = cuda.shared.array(64, float32)
    t = cuda.threadIdx.x
    sums[t] = x[cuda.grid(1)] + x[cuda.grid(1) + 32]
    sums[t + 32] = 0
    for k in (16, 8, 4, 2, 1):
        sums[t] += sums[t + k]
    if t == 0:
        out[cuda.blockIdx.x] = sums[0]


def scan(x, out):
    sums = cuda.shared.array((2, 64), int64)
    t, y = cuda.threadIdx.x, cuda.threadIdx.y
    sums[y, t] = 0
    sums[y, t + 32] = x[y * 32 + t]
    sums[y, t + 32] += sums[y, t + 31]
    sums[y, t + 32] += sums[y, t + 30]
    sums[y, t + 32] += sums[y, t + 28]
    sums[y, t + 32] += sums[y, t + 24]
    sums[y, t + 32] += sums[y, t + 16]
    out[y * 32 + t] = sums[y, t + 32]


def scan_of_many_warps(x, out):
    sums = cuda.shared.array(256, int64)
    t = cuda.threadIdx.x
    i = (t >> 5) * 64 + 32 + (t & 31)
    sums[i - 32] = 0
    sums[i] = x[t]
    sums[i] += sums[i - 1]
    sums[i] += sums[i - 2]
    sums[i] += sums[i - 4]
    sums[i] += sums[i - 8]
    sums[i] += sums[i - 16]
    out[t] = sums[i]


@pytest.fixture
def numbers():
    return np.random.default_rng(7).integers(0, 9, 1024)


def jit(function, width, device):
    if width and device.type != "cpu":
        pytest.skip("a width is the CPU device's")
    return cuda.jit(width=width)(function) if width else cuda.jit(function)


@pytest.mark.parametrize("width", WIDTHS)
def test_a_reduction_ends_in_one_warp(device, numbers, width):
    out = np.zeros(4, np.float32)
    jit(reduce_last_warp, width, device)[4, 256](numbers.astype(np.float32), out)
    np.testing.assert_array_equal(out, numbers.reshape(4, 256).sum(1))


@pytest.mark.parametrize("width", WIDTHS)
def test_a_warp_reduces_in_a_loop(device, numbers, width):
    out = np.zeros(1, np.float32)
    jit(reduce_by_loop, width, device)[1, 32](numbers.astype(np.float32), out)
    assert out[0] == numbers[:64].sum()


@pytest.mark.parametrize("width", WIDTHS)
def test_warps_scan_rows(device, numbers, width):
    out = np.zeros(64, np.int64)
    jit(scan, width, device)[1, (32, 2)](numbers, out)
    np.testing.assert_array_equal(out.reshape(2, 32), numbers[:64].reshape(2, 32).cumsum(1))


@pytest.mark.parametrize("width", WIDTHS)
def test_each_warp_scans_a_part_of_its_own(device, numbers, width):
    out = np.zeros(128, np.int64)
    jit(scan_of_many_warps, width, device)[1, 128](numbers[:128], out)
    np.testing.assert_array_equal(out.reshape(4, 32), numbers[:128].reshape(4, 32).cumsum(1))


def test_debug_mode_keeps_them_in_step(device, numbers):
    out = np.zeros(4, np.float32)
    cuda.jit(debug=True, opt=False)(reduce_last_warp)[4, 256](numbers.astype(np.float32), out)
    np.testing.assert_array_equal(out, numbers.reshape(4, 256).sum(1))


CPP = r"""
template <class T> __device__ void warp_reduce(volatile T *s, int t) {
  s[t] += s[t + 32];
  s[t] += s[t + 16];
  s[t] += s[t + 8];
  s[t] += s[t + 4];
  s[t] += s[t + 2];
  s[t] += s[t + 1];
}
template <class T> __global__ void reduce(const T *x, T *out) {
  extern __shared__ char memory[];
  T *s = reinterpret_cast<T *>(memory);
  unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x * 2 + t;
  s[t] = x[i] + x[i + blockDim.x];
  __syncthreads();
  for (unsigned k = blockDim.x / 2; k > 32; k >>= 1) {
    if (t < k)
      s[t] += s[t + k];
    __syncthreads();
  }
  if (t < 32)
    warp_reduce<T>(s, t);
  if (t == 0)
    out[blockIdx.x] = s[0];
}
__global__ void scan(const int *x, int *out) {
  __shared__ volatile int s[4 * 64];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  volatile int *mine = s + 64 * warp + 32 + lane;
  mine[-32] = 0;
  *mine = x[threadIdx.x];
  for (int k = 1; k < 32; k *= 2)
    *mine += mine[-k];
  out[threadIdx.x] = *mine;
}
"""


@pytest.mark.parametrize("name", ["int", "double"])
def test_a_volatile_reduction_of_cpp(device, numbers, name):
    module = heddle.RawModule(code=CPP, name_expressions=[f"reduce<{name}>"])
    kernel = module.get_function(f"reduce<{name}>")
    x = cuda.to_device(numbers.astype({"int": np.int32, "double": np.float64}[name]))
    out = cuda.to_device(np.zeros(4, x.dtype))
    kernel((4,), (128,), (x, out), shared_mem=128 * x.dtype.itemsize)
    np.testing.assert_array_equal(out.copy_to_host(), numbers.reshape(4, 256).sum(1))


def test_a_volatile_scan_of_cpp(device, numbers):
    module = heddle.RawModule(code=CPP, name_expressions=["scan"])
    out = cuda.to_device(np.zeros(128, np.int32))
    module.get_function("scan")((1,), (128,), (cuda.to_device(numbers[:128].astype(np.int32)), out))
    sums = numbers[:128].reshape(4, 32).cumsum(1)
    np.testing.assert_array_equal(out.copy_to_host().reshape(4, 32), sums)


SCANS_BY_INDEX = {
    "int": "int t = threadIdx.x, i = 2 * t - (t & 31) + 32",
    "unsigned": "unsigned t = threadIdx.x, i = 2 * t - (t & 31) + 32",
    "short": "int t = threadIdx.x; short i = 2 * t - t % 32 + 32",
    "wide": "long long t = threadIdx.x, i = 2 * t - (t & 31) + 32",
    "by warps": "int t = threadIdx.x, i = (t >> 5) * 64 + 32 + (t & 31)",
}


@pytest.mark.parametrize("width", ["1", "4", "8", "16"])
@pytest.mark.parametrize("index", SCANS_BY_INDEX)
def test_a_volatile_scan_by_any_index(cpu, numbers, monkeypatch, index, width):
    monkeypatch.setenv("HEDDLE_WIDTH", width)
    code = f"""
    extern "C" __global__ void scan(const int *x, int *out) {{
      __shared__ volatile int s[256];
      {SCANS_BY_INDEX[index]};
      s[i - 32] = 0;
      s[i] = x[t];
      s[i] += s[i - 1];
      s[i] += s[i - 2];
      s[i] += s[i - 4];
      s[i] += s[i - 8];
      s[i] += s[i - 16];
      out[t] = s[i];
    }}"""
    out = np.zeros(128, np.int32)
    heddle.RawKernel(code, "scan")((1,), (128,), (numbers[:128].astype(np.int32), out))
    cuda.synchronize()
    np.testing.assert_array_equal(out.reshape(4, 32), numbers[:128].reshape(4, 32).cumsum(1))


def test_volatile_tiles_are_vectors(cpu):
    code = r"""
    extern "C" __global__ void turn(const float *x, float *out) {
      __shared__ volatile float tile[128];
      tile[threadIdx.x] = x[threadIdx.x];
      __syncthreads();
      out[threadIdx.x] = tile[127 - threadIdx.x];
    }"""
    kernel = heddle.RawKernel(code, "turn")
    x, out = np.arange(128, dtype=np.float32), np.zeros(128, np.float32)
    kernel((1,), (128,), (x, out))
    cuda.synchronize()
    np.testing.assert_array_equal(out, x[::-1])
    assert any("as vectors" in line for line in kernel.inspect_remarks())


COUNTS_BY_TAGS = """
__global__ void k(const int* values, unsigned* counts, int n) {
  volatile __shared__ unsigned s[16];
  unsigned tag = threadIdx.x << 27;
  if (threadIdx.x < 16) s[threadIdx.x] = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += 32) {
    unsigned count;
    do {
      count = tag | ((s[values[i]] & 0x7ffffff) + 1);
      s[values[i]] = count;
    } while (s[values[i]] != count);
  }
  __syncthreads();
  if (threadIdx.x < 16) counts[threadIdx.x] = s[threadIdx.x] & 0x7ffffff;
}"""


def test_a_thread_of_a_warp_sees_that_another_one_wrote_over_its_number(device):
    values = np.random.default_rng(1).integers(0, 16, 1000).astype(np.int32)
    counts = cuda.to_device(np.zeros(16, np.uint32))
    heddle.RawKernel(COUNTS_BY_TAGS, "k")(1, 32, (cuda.to_device(values), counts, 1000))
    np.testing.assert_array_equal(counts.copy_to_host(), np.bincount(values, minlength=16))


def test_a_warp_has_read_a_place_before_one_thread_writes_there(device):
    @cuda.jit
    def k(out):
        count = cuda.shared.array(1, int64)
        t = cuda.threadIdx.x
        if t == 0:
            count[0] = 0
        cuda.syncthreads()
        for i in range(out.shape[0]):
            cuda.atomic.add(count, 0, 1)
            cuda.syncthreads()
            counted = count[0]
            if t == 0:
                count[0] = 0
            cuda.syncthreads()
            out[i, t] = counted

    out = np.zeros((3, 32), np.int64)
    k[1, 32](out)
    np.testing.assert_array_equal(out, 32)


def test_a_warp_has_read_a_place_before_all_threads_write_there(device):
    @cuda.jit
    def k(x, out):
        last = cuda.shared.array(1, int64)
        t = cuda.threadIdx.x
        last[0] = 0
        cuda.syncthreads()
        for i in range(x.size):
            total = last[0] + x[i]
            last[0] = total
            cuda.syncthreads()
        out[t] = last[0]

    out = np.zeros(32, np.int64)
    k[1, 32](np.arange(10, dtype=np.int32), out)
    np.testing.assert_array_equal(out, 45)


SCANS_BY_SHIFT = {
    "int": "for (int d = 0; d < 5; ++d) { int h = 1 << d; ADD }",
    "unsigned": "for (unsigned d = 0; d < 5; ++d) { unsigned h = 1u << d; ADD }",
    "unrolled": '_Pragma("unroll") for (int d = 0; d < 5; ++d) { const int h = 1 << d; ADD }',
    "right": "for (int d = 4; d >= 0; --d) { int h = 16 >> d; ADD }",
    "difference": "for (int d = 5; d > 0; --d) { int h = 1 << (5 - d); ADD }",
    "wide": "for (long long d = 0; d < 5; ++d) { long long h = 1ll << d; ADD }",
    "char": "for (unsigned char d = 0; d < 5; ++d) { int h = 1 << d; ADD }",
}


@pytest.mark.parametrize("width", ["1", "4", "8", "16"])
@pytest.mark.parametrize("loop", SCANS_BY_SHIFT)
def test_a_scan_shifts_its_distance(cpu, numbers, monkeypatch, loop, width):
    monkeypatch.setenv("HEDDLE_WIDTH", width)
    loop = SCANS_BY_SHIFT[loop].replace("ADD", "if (lane >= h) s[t] = s[t - h] + s[t];")
    code = f"""
    extern "C" __global__ void scan(const int *x, int *out) {{
      __shared__ volatile int s[128];
      unsigned t = threadIdx.x;
      const unsigned lane = t & 31;
      s[t] = x[t];
      {loop}
      out[t] = s[t];
    }}"""
    out = np.zeros(128, np.int32)
    heddle.RawKernel(code, "scan")((1,), (128,), (numbers[:128].astype(np.int32), out))
    np.testing.assert_array_equal(out.reshape(4, 32), numbers[:128].reshape(4, 32).cumsum(1))


def reduce_by_shifts(x, out):
    sums = cuda.shared.array(64, float32)
    t = cuda.threadIdx.x
    sums[t] = x[cuda.grid(1)] + x[cuda.grid(1) + 32]
    sums[t + 32] = 0
    for d in range(4, -1, -1):
        sums[t] += sums[t + (1 << d)]
    if t == 0:
        out[cuda.blockIdx.x] = sums[0]


@pytest.mark.parametrize("width", WIDTHS)
def test_a_warp_reduces_at_shifted_distances(device, numbers, width):
    out = np.zeros(1, np.float32)
    jit(reduce_by_shifts, width, device)[1, 32](numbers.astype(np.float32), out)
    assert out[0] == numbers[:64].sum()


REDUCTIONS_BY_REMAINDER = {
    "lane == 0": "if (lane % 2 == 0) s[t] += s[t + 1]; if (lane == 0) s[t] += s[t + 2];",
    "lane % 32": "if (lane % 2 == 0) s[t] += s[t + 1]; if (lane % 32 == 0) s[t] += s[t + 2];",
    "all remainders": """
      if (lane % 2 == 0) s[t] += s[t + 1];
      if (lane % 4 == 0) s[t] += s[t + 2];
      if (lane % 8 == 0) s[t] += s[t + 4];
      if (lane % 16 == 0) s[t] += s[t + 8];
      if (lane == 0) s[t] += s[t + 16];""",
    "loop": "for (int h = 1; h < 32; h *= 2) if (lane % (2 * h) == 0) s[t] += s[t + h];",
}


@pytest.mark.parametrize("width", ["1", "4", "8", "16"])
@pytest.mark.parametrize("steps", REDUCTIONS_BY_REMAINDER)
def test_a_lane_adds_what_other_lanes_added_before(cpu, numbers, monkeypatch, steps, width):
    monkeypatch.setenv("HEDDLE_WIDTH", width)
    code = f"""
    extern "C" __global__ void reduce(const int *x, int *out) {{
      __shared__ volatile int s[64];
      const int t = threadIdx.x, lane = t & 31;
      s[t] = x[t];
      {REDUCTIONS_BY_REMAINDER[steps]}
      out[t] = s[t];
    }}"""
    out = np.zeros(64, np.int32)
    heddle.RawKernel(code, "reduce")((1,), (64,), (numbers[:64].astype(np.int32), out))
    count = 4 if steps in ("lane == 0", "lane % 32") else 32
    sums = numbers[:64].reshape(2, 32)[:, :count].sum(1)
    np.testing.assert_array_equal(out[::32], sums)


FLAGS = {
    "cleared by all": "ch = 0;",
    "cleared by one": "if (l == 0) ch = 0;",
    "counted": "ch = 0; ++n;",
}


@pytest.mark.parametrize("width", ["1", "4", "8", "16"])
@pytest.mark.parametrize("clear", FLAGS)
def test_a_flag_ends_the_loop_of_a_warp(cpu, numbers, monkeypatch, clear, width):
    monkeypatch.setenv("HEDDLE_WIDTH", width)
    code = f"""
    __device__ bool order(volatile int *s, int l) {{
      int a = s[l], b = s[l + 1];
      if (a <= b)
        return false;
      s[l] = b; s[l + 1] = a;
      return true;
    }}
    extern "C" __global__ void sort(const int *x, int *out) {{
      __shared__ volatile int all[64], flags[2];
      int t = threadIdx.x, l = t & 31, n = 0;
      volatile int *s = all + (t & ~31), &ch = flags[t >> 5];
      s[l] = x[t];
      do {{
        {FLAGS[clear]}
        if (l % 2 == 0 && order(s, l)) ch = 1;
        if (l % 2 == 1 && l < 31 && order(s, l)) ch = 1;
      }} while (ch);
      out[t] = s[l];
    }}"""
    out = np.zeros(64, np.int32)
    heddle.RawKernel(code, "sort")((1,), (64,), (numbers[:64].astype(np.int32), out))
    np.testing.assert_array_equal(out.reshape(2, 32), np.sort(numbers[:64].reshape(2, 32)))


@pytest.mark.parametrize("width", ["1", "4", "8", "16"])
def test_all_lanes_read_the_winner_of_an_election(cpu, monkeypatch, width):
    monkeypatch.setenv("HEDDLE_WIDTH", width)
    code = """
    extern "C" __global__ void elect(const int *votes, int *out) {
      __shared__ volatile int leaders[2];
      int t = threadIdx.x;
      volatile int &leader = leaders[t >> 5];
      if (votes[t]) leader = t;
      out[t] = leader;
    }"""
    votes = np.zeros(64, np.int32)
    votes[[3, 40]] = 1
    out = np.zeros(64, np.int32)
    heddle.RawKernel(code, "elect")((1,), (64,), (votes, out))
    np.testing.assert_array_equal(out, np.repeat([3, 40], 32))


@pytest.mark.parametrize("width", ["1", "4", "8", "16"])
def test_lanes_exchange_values_in_loops_that_some_leave_early(cpu, numbers, monkeypatch, width):
    monkeypatch.setenv("HEDDLE_WIDTH", width)
    code = """
    extern "C" __global__ void pass(const int *x, int *out) {
      __shared__ volatile int s[32];
      int l = threadIdx.x;
      s[l] = x[l];
      for (int i = l / 4; i > 0; --i) {
        int v = s[l ^ 1];
        s[l] = v + 1;
      }
      out[l] = s[31 - l];
    }"""
    x = numbers[:32].astype(np.int32)
    out, lanes = np.zeros(32, np.int32), np.arange(32)
    heddle.RawKernel(code, "pass")((1,), (32,), (x, out))
    for i in range(8):
        x = np.where(lanes // 4 > i, x[lanes ^ 1] + 1, x)
    np.testing.assert_array_equal(out, x[::-1])


# Name: block, code of one warp (or more) with volatile s, w and win and n = 4, expected values by lane from input x.
LANES = np.arange(32)
OLD_PROGRAMS = {
    "rows of a block": ((4, 8), "s[t] = v; v = s[28 + (t & 3)];", lambda x: x[28 + (LANES & 3)]),
    "one row adds": (
        (8, 4),
        "s[t] = v; if (threadIdx.y < 1) s[threadIdx.x] += s[8 + threadIdx.x]; v = s[threadIdx.x];",
        lambda x: np.tile(x[:8] + x[8:16], 4),
    ),
    "pairs share an element": (
        (32, 1),
        "s[t & 1] = t; w[t] = s[t & 1]; v = w[t] == w[t ^ 2];",
        lambda x: np.ones(32),
    ),
    "election in a branch": (
        (32, 1),
        "s[t] = 0; if (t > 2) { win = t; s[t] = win == t; } v = 0; for (int i = 0; i < 32; i++) v += s[i];",
        lambda x: np.ones(32),
    ),
    "a conditional address": (
        (32, 1),
        "s[t] = v; s[t] = t > 0 ? s[t - 1] : t; v = s[t];",
        lambda x: np.r_[0, x[:31]],
    ),
    "loops of several lengths": (
        (32, 1),
        "s[t] = v; v = 0; for (int j = t; j < 32; j++) v += s[j];",
        lambda x: x[::-1].cumsum()[::-1],
    ),
    "a rank": (
        (32, 1),
        "s[t] = v; int r = 0; for (int i = 0; i < 32; i++) if (s[i] < v || (s[i] == v && i < t)) r++;"
        " s[r] = v; v = s[t];",
        np.sort,
    ),
}


def break_in_branch(x):
    x, runs = x.copy(), np.ones(32, bool)
    for i in range(3):
        reads = runs & (i != LANES % 3)
        v = x[(LANES + 1) & 31]
        runs &= ~(reads & (v < 4))
        x = np.where(reads & runs, v + i, x)
    return x


def return_in_loop(x):
    s, out, runs = x.copy(), x.copy(), np.ones(32, bool)
    for i in range(1, 4):
        reads = runs & (LANES % i == 0)
        v = s[(LANES + i) & 31]
        runs &= ~(reads & (v % 5 == 0))
        s, out = (np.where(reads & runs, new, old) for new, old in ((v + 1, s), (v, out)))
    return out


def fourth_lanes(x):
    fourth = LANES % 4 == 0
    s = np.where(fourth, x[(LANES + 1) & 31] + 1, x)
    return np.where(fourth, s[(LANES + 4) & 31], x)


def first_column_in_reverse(x):
    s, out = 0, x.copy()
    for row in (3, 2, 1, 0):
        s = 3 * s + x[8 * row]
        out[8 * row] = s
    return out


def last_loads_of_loops(x):
    s, out = x.copy(), x.copy()
    for i in range(3):
        runs = LANES % 2 + i < 3
        for h in (16, 8, 4, 2, 1):
            s[31 - LANES[runs]] = x[runs]
            low = LANES[runs & (h > LANES)]
            s[low + h] = low + 5
        out = np.where(runs, s[LANES ^ 1], out)
    return out


def two_continues(x):
    x = x.copy()
    for i in range(4):
        v = x[(LANES + 1) & 31]
        x = np.where((((LANES ^ i) & 3) != 0) & (v % 2 == 0), v + i, x)
    return x


OLD_PROGRAMS |= {
    "break in a branch": (
        (32, 1),
        "s[t] = v; for (int i = 0; i < 3; i++) if (i != t % 3) { int u = s[(t + 1) & 31]; if (u < 4) break;"
        " s[t] = u + i; } v = s[t];",
        break_in_branch,
    ),
    "two continues": (
        (32, 1),
        "s[t] = v; for (int i = 0; i < 4; i++) { if (((t ^ i) & 3) == 0) continue; int u = s[(t + 1) & 31];"
        " if (u & 1) continue; s[t] = u + i; } v = s[t];",
        two_continues,
    ),
    "last loads of loops": (
        (32, 1),
        "int u = v; for (int i = 0; i < 3 - t % 2; i++) { for (int h = 16; h > 0; h /= 2) {"
        " s[31 - t] = v; if (t < h) s[t + h] = t + 5; } u = s[t ^ 1]; } v = u;",
        last_loads_of_loops,
    ),
    "return in a loop": (
        (32, 1),
        "s[t] = v; for (int i = 1; i < 4; i++) if (t % i == 0) { int u = s[(t + i) & 31]; out[t] = v;"
        " if (u % 5 == 0) return; s[t] = u + 1; v = u; }",
        return_in_loop,
    ),
    "every n-th lane": (
        (32, 1),
        "s[t] = v; if (t % n == 0) { int u = s[(t + 1) & 31]; s[t] = u + 1; v = s[(t + n) & 31]; }",
        fourth_lanes,
    ),
    "one column adds": (
        (8, 4),
        "int y = threadIdx.y; s[y] = x[8 * y]; if (threadIdx.x == 0) {"
        " if (y >= 1) s[y] += s[y - 1]; if (y >= 2) s[y] += s[y - 2]; v = s[y]; }",
        lambda x: np.where(LANES % 8 == 0, x[::8].cumsum()[LANES // 8], x),
    ),
    "one column in reverse": (
        (8, 4),
        "s[0] = 0; if (threadIdx.x == 0) for (int i = 0; i < n; i++)"
        " if (threadIdx.y == 3 - i) { s[0] = 3 * s[0] + v; v = s[0]; }",
        first_column_in_reverse,
    ),
}


@pytest.mark.parametrize("width", ["1", "4", "8", "16"])
@pytest.mark.parametrize("name", OLD_PROGRAMS)
def test_old_programs_in_lockstep(cpu, numbers, monkeypatch, name, width):
    monkeypatch.setenv("HEDDLE_WIDTH", width)
    block, body, expect = OLD_PROGRAMS[name]
    code = f"""
    extern "C" __global__ void k(const int *x, int *out, int n) {{
      __shared__ volatile int s[64], w[32], win;
      int t = threadIdx.y * blockDim.x + threadIdx.x, v = x[t];
      {body}
      out[t] = v;
    }}"""
    x, out = numbers[:32].astype(np.int32), np.zeros(32, np.int32)
    heddle.RawKernel(code, "k")((1,), block, (x, out, np.int32(4)))
    np.testing.assert_array_equal(out, expect(x))
