"""A bool whose byte is neither 0 nor 1 is true. Such bools occur in views of other types and uninitialized memory."""

import numpy as np
import pytest

import heddle
from heddle import cuda, njit, prange, vectorize

BYTES = np.array([0, 1, 2, 3, 0, 127, 128, 254, 255, 0] * 4, np.uint8)
TRUE = BYTES != 0
FLAGS = BYTES.view(np.bool_)


@pytest.fixture(params=[None, "1", "4", "8"])
def width(device, request, monkeypatch):
    if request.param and device.type != "cpu":
        pytest.skip("a width is the CPU device's")
    if request.param:
        monkeypatch.setenv("HEDDLE_WIDTH", request.param)


# Each reads the bool of thread i as `v`.
IN_MEMORY = {
    "global": "bool v = f[i];",
    "volatile": "bool v = ((const volatile bool *)f)[i];",
    "shared": "__shared__ bool s[64]; ((unsigned char *)s)[i ^ 1] = bytes[i ^ 1]; __syncthreads();"
    " bool v = s[i];",
    "local": "bool l[4]; for (int n = 0; n < 4; ++n) ((unsigned char *)l)[n] = bytes[i - i % 4 + n];"
    " bool v = l[i % 4];",
    "constant": "bool v = table[i];",
    "variable": "bool v = variable[i];",
    "structure": "bool v = ((const Pair *)f)[i / 2].of[i % 2];",
    "copied structure": "Pair p = ((const Pair *)f)[i / 2]; bool v = p.of[i % 2];",
    "returned structure": "bool v = pair(f, i / 2).of[i % 2];",
    "parameter": "bool v = four.of[i % 4];",
    "reference": "const bool &v = f[i];",
    "function": "bool v = at(f, i);",
    "enumeration": "bool v = ((const Enum *)f)[i] != Enum::No;",
    "atomic": "bool v = __atomic_load_n(f + i, __ATOMIC_RELAXED);",
    "copy": "bool v; memcpy(&v, f + i, 1);",
}
PROGRAM = r"""
struct Pair { bool of[2]; };
struct Four { short before; bool of[4]; };
enum class Enum : bool { No, Yes };
__constant__ bool table[40];
__device__ bool variable[40];
__device__ __noinline__ bool at(const bool *f, int i) { return f[i]; }
__device__ __noinline__ Pair pair(const bool *f, int i) { return ((const Pair *)f)[i]; }
extern "C" __global__ void k(const bool *f, Four four, int *out) {
  int i = threadIdx.x;
  const unsigned char *bytes = (const unsigned char *)f;
  READ
  int *o = out + 6 * i;
  o[0] = v;
  o[1] = !v;
  if (v) o[2] = 1;
  if (not v) o[3] = 1;
  o[4] = (float)v + v;
  o[5] = v == true;
}"""


@pytest.mark.parametrize("place", IN_MEMORY)
def test_any_byte_but_zero_is_true_in_cpp(width, place):
    module = heddle.RawModule(code=PROGRAM.replace("READ", IN_MEMORY[place]))
    for name in ("table", "variable"):
        if name in IN_MEMORY[place]:
            module.get_global(name).copy_from_host(BYTES)
    four = np.zeros(1, [("before", "i2"), ("of", "u1", 4)])
    four["of"] = BYTES[:4]
    out = cuda.to_device(np.zeros((40, 6), np.int32))
    module.get_function("k")((1,), (40,), (cuda.to_device(FLAGS), four[0], out))
    true = np.tile(TRUE[:4], 10) if place == "parameter" else TRUE
    expected = np.stack([true, ~true, true, ~true, 2 * true, true], 1)
    np.testing.assert_array_equal(out.copy_to_host(), expected)


def test_a_branch_is_taken_one_way_in_cpp(width):
    code = r"""
    extern "C" __global__ void k(const bool *f, const float *c, float *out, int n) {
      __shared__ float a[64], b[64];
      int t = threadIdx.x;
      a[t] = b[t] = 0;
      __syncthreads();
      for (int i = 0; i < n; ++i) {
        const bool v = f[i];
        if (not v or i + 1 == n) {
          if (v) a[t] += c[i];
          else b[t] += c[i];
          __syncthreads();
        }
      }
      out[t] = a[t];
    }"""
    out = cuda.to_device(np.zeros(64, np.float32))
    flags = cuda.to_device(np.array([255, 0, 2, 255], np.uint8).view(np.bool_))
    heddle.RawKernel(code, "k")(1, 64, (flags, cuda.to_device(np.float32([1, 2, 4, 8])), out, 4))
    np.testing.assert_array_equal(out.copy_to_host(), 8)


def test_bools_are_copied_and_combined_in_cpp(width):
    code = r"""
    extern "C" __global__ void k(const bool *f, const bool *g, bool *out) {
      int i = threadIdx.x;
      bool *o = out + 6 * i;
      o[0] = f[i];
      o[1] = f[i] == g[i];
      o[2] = f[i] & g[i];
      o[3] = f[i] | g[i];
      o[4] = f[i] ^ g[i];
      o[5] = f[i] < g[i];
    }"""
    out = cuda.to_device(np.zeros((40, 6), np.bool_))
    others = cuda.to_device(np.roll(BYTES, 1).view(np.bool_))
    heddle.RawKernel(code, "k")(1, 40, (cuda.to_device(FLAGS), others, out))
    f, g = TRUE, np.roll(TRUE, 1)
    expected = np.stack([f, f == g, f & g, f | g, f ^ g, f < g], 1)
    np.testing.assert_array_equal(out.copy_to_host().view(np.uint8), expected)


def test_any_byte_but_zero_is_true_in_python_kernels(width):
    @cuda.jit
    def k(flags, pairs, out):
        i = cuda.grid(1)
        shared, local = cuda.shared.array(40, np.bool_), cuda.local.array(2, np.bool_)
        shared[i] = flags[i]
        local[0] = pairs[i].flag
        cuda.syncthreads()
        values = (flags[i], shared[i], local[0], pairs[i].flag, pairs[i].flags[1])
        for n in range(5):
            v = values[n]
            out[i, n, 0] = v
            out[i, n, 1] = not v
            out[i, n, 2] = v + v
            if not v:
                out[i, n, 3] = 1

    pairs = np.zeros(40, [("number", "i4"), ("flag", "?"), ("flags", "?", 2)])
    pairs.view(np.uint8).reshape(40, -1)[:, 4:] = BYTES[:, None]
    out = np.zeros((40, 5, 4), np.int32)
    k[1, 40](FLAGS, pairs, out)
    expected = np.stack([TRUE, ~TRUE, 2 * TRUE, ~TRUE], 1)
    np.testing.assert_array_equal(out, np.stack([expected] * 5, 1))


def test_any_byte_but_zero_is_true_in_host_functions():
    @njit(parallel=True)
    def count(flags):
        true = false = 0
        for i in prange(flags.size):
            if flags[i]:
                true += 1
            if not flags[i]:
                false += 1
        return true, false, flags.sum(), (~flags).sum(), flags[flags].size, np.unique(flags).size

    yes, no = TRUE.sum(), (~TRUE).sum()
    assert count(FLAGS) == (yes, no, yes, no, yes, 2)


def test_any_byte_but_zero_is_true_in_ufuncs(device):
    @vectorize(["int32(boolean)"], target="cuda")
    def choose(flag):
        return 3 if flag else 4

    np.testing.assert_array_equal(choose(FLAGS), np.where(TRUE, 3, 4))
