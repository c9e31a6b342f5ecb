"""Shared memory addresses have 32 bits: an unsigned index below zero wraps around in CUDA C++, as on a GPU."""

import numpy as np
import pytest
from in_cuda_cpp import run

from heddle import RawKernel, cuda


@pytest.fixture(params=[None, "1", "4", "8"], autouse=True)
def width(device, request, monkeypatch):
    if request.param and device.type != "cpu":
        pytest.skip("a width is the CPU device's")
    if request.param:
        monkeypatch.setenv("HEDDLE_WIDTH", request.param)


@pytest.fixture(params=["0", "1"])
def bounds(request, monkeypatch):
    monkeypatch.setenv("HEDDLE_BOUNDS", request.param)


X = np.arange(1, 33, dtype=np.int32)

# Each is element 31 - t of s, whose element 32 is *end; n is 32, m is 0.
BELOW_ZERO = {
    "complement": "end[~t]",
    "difference": "end[n - t - 33]",
    "negative": "end[-t - 1u]",
    "product": "end[t * -1 - 1]",
    "sum": "end[2 * ~t + (t + 1)]",
    "shift": "*(int *)((char *)end + (~t << 2))",
    "wide": "end[m + ~t]",
    "wide sum": "end[(unsigned long long)n + ~t - 32]",
    "select": "end[n > 9 ? ~t : t]",
    "branch": "end[i]",
    "function": "at(end, ~t)",
    "volatile": "((volatile int *)end)[~t]",
    "atomic": "atomicAdd(&end[~t], 0)",
    "dynamic": "dynamic_end[~t]",
    "structure": "((Pair *)end)[~(t / 2)].of[1 - t % 2]",
    "row": "((int (*)[4])end)[~(t / 4)][3 - t % 4]",
}
PROGRAM = r"""
struct Pair { int of[2]; };
__device__ int at(int *place, unsigned i) { return place[i]; }
extern "C" __global__ void k(const int *x, int *out, unsigned n, unsigned long long m) {
  __shared__ int s[64];
  extern __shared__ int dynamic[];
  unsigned t = threadIdx.x, i;
  int *end = s + 32, *dynamic_end = dynamic + 32;
  s[t] = dynamic[t] = x[t];
  end[t] = -x[t];
  __syncthreads();
  if (t % 2) i = ~t;
  else i = n - t - 33;
  out[t] = EXPRESSION;
}"""


@pytest.mark.parametrize("index", BELOW_ZERO)
def test_an_unsigned_index_below_zero_wraps_around(device, bounds, index):
    kernel = RawKernel(PROGRAM.replace("EXPRESSION", BELOW_ZERO[index]), "k")
    out = cuda.to_device(np.zeros(32, np.int32))
    kernel(1, 32, (cuda.to_device(X), out, 32, 0), shared_mem=128)
    np.testing.assert_array_equal(out.copy_to_host(), X[::-1])


def test_a_store_below_zero_wraps_around(device, bounds):
    code = r"""
    extern "C" __global__ void k(const int *x, int *out) {
      __shared__ int s[64];
      unsigned t = threadIdx.x;
      int *end = s + 32;
      end[~t] = x[t];
      __syncthreads();
      end[t - 32] += 1;
      __syncthreads();
      out[t] = s[t];
    }"""
    out = np.zeros(32, np.int32)
    run(code, X, out, block=32)
    np.testing.assert_array_equal(out, X[::-1] + 1)


def test_an_index_below_zero_that_all_threads_have_wraps_around(device, bounds):
    code = r"""
    extern "C" __global__ void k(const int *x, int *out, unsigned n) {
      __shared__ int s[64];
      unsigned t = threadIdx.x;
      s[t] = x[t];
      __syncthreads();
      int *end = s + 32;
      for (unsigned i = 0; i < 4; ++i)
        out[4 * t + i] = end[i - n];
    }"""
    out = np.zeros(128, np.int32)
    run(code, X, out, 3, block=32)
    np.testing.assert_array_equal(out.reshape(32, 4)[:, :3], [X[-3:]] * 32)


def test_an_index_below_the_start_is_out_of_bounds(cpu):
    code = r"""
    extern "C" __global__ void k(int *out) {
      __shared__ int s[64];
      s[threadIdx.x] = 1;
      out[threadIdx.x] = s[threadIdx.x - 1];
    }"""
    with pytest.raises(IndexError, match=":5: index -1 is out of bounds of"):
        run(code, np.zeros(32, np.int32), block=32)
