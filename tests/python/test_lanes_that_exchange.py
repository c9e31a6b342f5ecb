"""Kernels in which a warp lane reads from shared memory what other lanes wrote, without a barrier: one lane reads all
writes, all lanes read one write, or lanes swap values. CUDA's rules call these races, and on a GPU some of them read
old values. The CPU device runs the lanes of a warp in lockstep.
"""

import numpy as np
import pytest

import heddle
from heddle import cuda, float64, int64

X = np.random.default_rng(5).integers(0, 99, 96).astype(np.int32)
WARPS = X.reshape(3, 32)


@pytest.fixture(params=[None, "1", "4", "8", "16"], autouse=True)
def width(cpu, request, monkeypatch):
    if request.param:
        monkeypatch.setenv("HEDDLE_WIDTH", request.param)


FIRST_LANES = np.arange(32) == 0

# Each makes out[t] of x[t], where t is the thread and `lane` its place in the warp that begins at `first`; and what
# comes out.
CPP = {
    "one lane adds up": (
        """
        s[t] = x[t];
        if (lane == 0)
          for (int k = 0; k < 32; ++k)
            out[t] += s[first + k];""",
        np.where(FIRST_LANES, WARPS.sum(1, keepdims=True), 0),
    ),
    "one lane adds up what some wrote": (
        """
        s[t] = 0;
        __syncthreads();
        if (lane < 17) {
          int v = 0;
          for (int k = 0; k <= lane; ++k)
            v += x[first + k];
          s[t] = v;
        }
        if (lane == 0)
          for (int k = 0; k < 17; ++k)
            out[t] += s[first + k];""",
        np.where(FIRST_LANES, WARPS[:, :17].cumsum(1).sum(1, keepdims=True), 0),
    ),
    "between barriers": (
        """
        for (int r = 0; r < 3; ++r) {
          if (lane < 20)
            s[t] = x[t] + r;
          if (lane == 0)
            for (int k = 0; k < 20; ++k)
              out[t] += s[first + k];
          __syncthreads();
        }""",
        np.where(FIRST_LANES, 3 * (WARPS[:, :20].sum(1, keepdims=True) + 20), 0),
    ),
    "all read what one wrote": (
        """
        if (lane == 0)
          s[first] = x[t];
        out[t] = s[first] + lane;""",
        WARPS[:, :1] + np.arange(32),
    ),
    "all read what each wrote": (
        """
        s[t] = x[t];
        for (int k = 0; k < 32; ++k)
          out[t] += s[first + k] * (k < lane);""",
        WARPS.cumsum(1) - WARPS,
    ),
    "rotated twice": (
        """
        s[t] = x[t];
        int v = s[first + ((lane + 31) & 31)];
        s[t] = v;
        out[t] = s[first + ((lane + 31) & 31)];""",
        np.roll(WARPS, 2, 1),
    ),
    "reversed": ("s[t] = x[t]; out[t] = s[first + 31 - lane];", WARPS[:, ::-1]),
    "transposed": (
        "s[first + lane % 4 * 8 + lane / 4] = x[t]; out[t] = s[t];",
        WARPS.reshape(3, 8, 4).swapaxes(1, 2),
    ),
    "by a table": (
        "s[t] = x[t]; out[t] = s[first + x[t] % 32];",
        np.take_along_axis(WARPS, WARPS % 32, 1),
    ),
    "scattered": (
        "s[first + lane * 5 % 32] = x[t]; out[t] = s[t];",
        WARPS[:, np.arange(32) * 13 % 32],
    ),
    "volatile": (
        "volatile int *v = s; v[t] = x[t]; out[t] = v[first + (lane ^ 5)];",
        WARPS[:, np.arange(32) ^ 5],
    ),
    "after an early return": (
        "if (t >= n) return; s[t] = x[t]; out[t] = s[first + (lane ^ 1)];",
        WARPS[:, np.arange(32) ^ 1],
    ),
}


@pytest.mark.parametrize("exchange", CPP)
def test_lanes_read_what_others_wrote_in_cpp(exchange):
    statements, expected = CPP[exchange]
    code = f"""
    extern "C" __global__ void k(const int *x, int *out, int n) {{
      __shared__ int s[96];
      int t = threadIdx.x, lane = t % 32, first = t - lane;
{statements}
    }}"""
    out = cuda.to_device(np.zeros(96, np.int32))
    heddle.RawKernel(code, "k")(1, 96, (cuda.to_device(X), out, 96))
    np.testing.assert_array_equal(out.copy_to_host(), expected.ravel())


def test_the_first_warp_goes_on_alone():
    code = """
    extern "C" __global__ void k(const int *x, int *out) {
      __shared__ int s[96];
      int t = threadIdx.x;
      s[t] = x[t];
      __syncthreads();
      if (t < 32) {
        s[t] += s[t + 32] + s[t + 64];
        out[t] = s[31 - t];
      }
    }"""
    out = cuda.to_device(np.zeros(32, np.int32))
    heddle.RawKernel(code, "k")(1, 96, (cuda.to_device(X), out))
    np.testing.assert_array_equal(out.copy_to_host(), WARPS.sum(0)[::-1])


def one_adds_up(x, out):
    s = cuda.shared.array(96, float64)
    t = cuda.threadIdx.x
    s[t] = x[t]
    if t % 32 == 0:
        total = 0.0
        for k in range(32):
            total += s[t + k]
        out[t] = total


def all_read_one(x, out):
    s = cuda.shared.array(3, int64)
    t = cuda.threadIdx.x
    if t % 32 == 0:
        s[t // 32] = x[t]
    out[t] = s[t // 32]


def rotated(x, out):
    s = cuda.shared.array(96, int64)
    t = cuda.threadIdx.x
    s[t] = x[t]
    out[t] = s[t // 32 * 32 + (t + 31) % 32]


def scan_from_the_end(x, out):
    s = cuda.shared.array(192, int64)
    t = cuda.threadIdx.x
    i = 2 * t - (t & 31) + 32
    s[i - 32] = 0
    s[i] = x[t]
    s[i] += s[i - 1]
    s[i] += s[i - 2]
    s[i] += s[i - 4]
    s[i] += s[i - 8]
    s[i] += s[i - 16]
    out[t] = s[i]


def scan_of_dynamic_memory(x, out):
    s = cuda.shared.array(0, int64)
    t = cuda.threadIdx.x
    i = 2 * t - (t & 31) + 32
    s[i - 32] = 0
    s[i] = x[t]
    k = 1
    while k < 32:
        s[i] += s[i - k]
        k *= 2
    out[t] = s[i]


@pytest.mark.parametrize(
    ("kernel", "expected"),
    [
        (one_adds_up, np.where(FIRST_LANES, WARPS.sum(1, keepdims=True), 0)),
        (all_read_one, np.repeat(WARPS[:, :1], 32, 1)),
        (rotated, np.roll(WARPS, 1, 1)),
        (scan_from_the_end, WARPS.cumsum(1)),
        (scan_of_dynamic_memory, WARPS.cumsum(1)),
    ],
    ids=lambda v: getattr(v, "__name__", ""),
)
def test_lanes_read_what_others_wrote_in_python(kernel, expected):
    out = cuda.to_device(np.zeros(96, np.int64))
    cuda.jit(kernel)[1, 96, 0, 192 * 8](X, out)
    np.testing.assert_array_equal(out.copy_to_host(), expected.ravel())
