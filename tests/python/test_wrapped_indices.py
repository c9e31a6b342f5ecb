"""Indices that are consecutive across threads except where they wrap around or step: equal results at every width."""

import numpy as np
import pytest

import heddle
from heddle import cuda, int32

WIDTHS = [1, 4, 8, 16, 32]
BY = [1, 2, 7, 8, 15, 16, 24, 31, 32, 33, 63, 64, 96, 100, 255, 256, 1000]
SIZE, MORE = 768, 1024


@pytest.fixture(autouse=True)
def on_the_cpu(device):
    if device.type != "cpu":
        pytest.skip("vectors are the CPU device's")


def loads(out, a, n, begin):
    t = cuda.grid(1)
    if t < out.size:
        i = t - begin
        out[t] = (
            a[i % n]
            + 3 * a[i // n]
            + 5 * a[i & n]
            + 7 * a[i & -n]
            + 9 * a[i & ~n]
            + 11 * a[(i ^ n) % a.size]
            + 13 * a[(i | n) % a.size]
            + 17 * a[(i >> 4) + (i >> (n & 7))]
        )


@pytest.mark.parametrize("begin", [0, 32, 256])
@pytest.mark.parametrize("n", BY)
def test_loads(n, begin):
    a = np.random.default_rng(1).integers(0, 1 << 20, 2 * MORE)
    results = []
    for width in WIDTHS:
        out = np.zeros(SIZE - 5, np.int64)
        cuda.jit(width=width)(loads)[SIZE // 64, 64](out, a, n, begin)
        results.append(out)
    i = np.arange(SIZE - 5) - begin
    want = a[i % n] + 3 * a[i // n] + 5 * a[i & n] + 7 * a[i & -n] + 9 * a[i & ~n]
    want += 11 * a[(i ^ n) % a.size] + 13 * a[(i | n) % a.size]
    want += 17 * a[(i >> 4) + (i >> (n & 7))]
    for out in results:
        np.testing.assert_array_equal(out, want)


BUTTERFLY = r"""
extern "C" __global__ void step(float* a, %(type)s stride, %(type)s half) {
  %(type)s i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < half) {
    %(type)s low = i %% stride, p = i / stride * 2 * stride + low;
    float x = a[p], y = a[p + stride];
    a[p] = x + y;
    a[p + stride] = x - y;
  }
}
extern "C" __global__ void in_shared_memory(float* out, const float* in, int bits) {
  extern __shared__ float s[];
  const int n = 1 << bits, base = blockIdx.x << bits;
  for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = in[base + i];
  for (int stride = n >> 1; stride > 0; stride >>= 1) {
    __syncthreads();
    int low = threadIdx.x & (stride - 1), p = 2 * (threadIdx.x - low) + low;
    float x = s[p], y = s[p + stride];
    s[p] = x + y;
    s[p + stride] = x - y;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[base + i] = s[i];
}
"""


def walsh(a, stride):
    pairs = a.reshape(-1, 2, stride)
    return np.stack([pairs[:, 0] + pairs[:, 1], pairs[:, 0] - pairs[:, 1]], axis=1).ravel()


@pytest.mark.parametrize("type", ["int", "unsigned", "long long", "size_t"])
def test_steps_of_a_butterfly(type):
    number = {"int": np.int32, "unsigned": np.uint32, "long long": np.int64, "size_t": np.uint64}
    kernel = heddle.RawModule(code=BUTTERFLY % {"type": type}).get_function("step")
    a = np.random.default_rng(2).integers(-9, 9, MORE).astype(np.float32)
    want = a.copy()
    for stride in [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]:
        kernel((4,), (128,), (a, number[type](stride), number[type](MORE // 2)))
        want = walsh(want, stride)
        np.testing.assert_array_equal(a, want)


def test_a_transform_in_shared_memory():
    kernel = heddle.RawModule(code=BUTTERFLY % {"type": "int"}).get_function("in_shared_memory")
    a = np.random.default_rng(3).integers(-9, 9, MORE).astype(np.float32)
    out = np.zeros_like(a)
    kernel((2,), (256,), (out, a, np.int32(9)), shared_mem=2048)
    want = a
    for stride in [256, 128, 64, 32, 16, 8, 4, 2, 1]:
        want = walsh(want, stride)
    np.testing.assert_array_equal(out, want)


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64, np.uint32, np.uint64])
def test_divisors_of_every_kind(dtype):
    """Including those for which processors trap."""
    source = r"""
    extern "C" __global__ void f(const T* x, T y, T* quotients, T* rests, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) { quotients[i] = x[i] / y; rests[i] = x[i] % y; }
    }"""
    names = ["signed char", "short", "int", "long long", "unsigned", "unsigned long long"]
    kinds = [np.int8, np.int16, np.int32, np.int64, np.uint32, np.uint64]
    code = f"typedef {names[kinds.index(dtype)]} T;\n" + source
    kernel = heddle.RawKernel(code, "f")
    info = np.iinfo(dtype)
    x = np.array([info.min, info.min + 1, info.max, 0, 1, 2, 100] * 9, dtype)
    for y in [1, 2, 7, info.max, *([info.min, -1, -2] if info.min else [])]:
        quotients, rests = np.zeros_like(x), np.zeros_like(x)
        kernel((1,), (64,), (x, dtype(y), quotients, rests, np.int32(x.size)))
        exact = [int(v) for v in x]
        q = [abs(v) // abs(y) * (1 if (v < 0) == (y < 0) else -1) for v in exact]
        r = [v - w * y for v, w in zip(exact, q, strict=True)]
        q = [(w - info.min) % (1 << info.bits) + info.min for w in q]
        np.testing.assert_array_equal(quotients, np.array(q, object).astype(dtype))
        np.testing.assert_array_equal(rests, np.array(r, object).astype(dtype))


def flattened(out, a, columns):
    i = cuda.grid(1)
    if i < out.size:
        row, column = i // columns, i % columns
        total = int32(0)
        for k in range(columns):
            total += a[row, k] * a[k, column]
        out[i] = total


@pytest.mark.parametrize("columns", [16, 24, 32, 37])
def test_a_flattened_matrix(columns):
    a = np.random.default_rng(4).integers(0, 9, (columns, columns)).astype(np.int32)
    for width in WIDTHS:
        out = np.zeros(columns * columns, np.int32)
        cuda.jit(width=width)(flattened)[-(-out.size // 128), 128](out, a, columns)
        np.testing.assert_array_equal(out, (a @ a).ravel())
