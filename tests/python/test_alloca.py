"""alloca in CUDA C++: memory of constant size, and of a size with a limit that the compiler sees."""

import numpy as np
import pytest
from in_cuda_cpp import run

from heddle.errors import UnsupportedError

SIZES = {
    "constant": "",
    "early return": "if (n > 64) return;",
    "remainder": "n %= 64; n &= 63;",
    "minimum": "n = min(n, 64);",
    "unsigned": "unsigned u = n; if (u >= 65) return; n = u;",
    "branch": "if (n > 10) { if (n > 60) return; }",
}


@pytest.mark.parametrize("limit", SIZES)
@pytest.mark.parametrize("call", ["alloca", "__builtin_alloca"])
def test_threads_have_private_memory(device, call, limit):
    source = """
    #include <alloca.h>
    extern "C" __global__ void k(int* out, int n) {
      LIMIT
      int* a = (int*)CALL(COUNT * sizeof(int));
      for (int i = 0; i < n; ++i) a[i] = i * threadIdx.x;
      int sum = 0;
      for (int i = 0; i < n; ++i) sum += a[n - 1 - i] * (i + 1);
      out[threadIdx.x] = sum;
    }"""
    source = source.replace("LIMIT", SIZES[limit]).replace("CALL", call)
    out = np.zeros(40, np.int32)
    run(source.replace("COUNT", "64" if limit == "constant" else "n"), out, 11, block=40)
    i = np.arange(11)
    np.testing.assert_array_equal(out, np.arange(40) * (i[::-1] * (i + 1)).sum())


def test_memory_of_a_branch_is_kept_until_the_end(device):
    source = """
    extern "C" __global__ void k(int* out, int n) {
      int* a = &out[32];
      if (threadIdx.x % 2) {
        a = (int*)alloca(4 * min(n, 8));
        a[n - 1] = threadIdx.x;
      }
      out[threadIdx.x] = a[n - 1];
    }"""
    out = np.full(64, -1, np.int32)
    run(source, out, 8, block=32)
    np.testing.assert_array_equal(out[:32], np.where(np.arange(32) % 2, np.arange(32), -1))


def test_a_function_in_a_loop_releases_its_memory(device):
    source = """
    __device__ int last(int n, int x) {
      int* a = (int*)alloca(n * 4);
      for (int i = 0; i < n; ++i) a[i] = x + i;
      return a[n - 1];
    }
    extern "C" __global__ void k(int* out, int n) {
      n = min(n, 16);
      int sum = 0;
      for (int i = 0; i < 1000; ++i) sum += last(n, i);
      out[threadIdx.x] = sum;
    }"""
    out = np.zeros(32, np.int32)
    run(source, out, 5, block=32)
    assert (out == sum(range(1000)) + 4000).all()


@pytest.mark.parametrize("limit", ["if (n > 16) return;", "n = n > 16 ? 16 : n;", "n &= 15;"])
def test_a_limit_before_a_loop_is_seen(device, limit):
    source = """
    __device__ int last(int n, int x) {
      int* a = (int*)alloca((n + 1) * sizeof(int));
      for (int i = 0; i < n; ++i) a[i] = x + i;
      return a[n - 1];
    }
    extern "C" __global__ void k(int* out, int n) {
      LIMIT
      int sum = 0;
      for (int i = 0; i < 10; ++i)
        for (int j = 0; j < 10; ++j) sum += last(n, i * j);
      out[threadIdx.x] = sum;
    }"""
    out = np.zeros(32, np.int32)
    run(source.replace("LIMIT", limit), out, 5, block=32)
    assert (out == 45 * 45 + 400).all()


def test_memory_is_aligned_for_every_type(device):
    source = """
    extern "C" __global__ void k(double* out, int n) {
      n = min(n, 7);
      char* a = (char*)alloca(n);
      double2* b = (double2*)alloca(16 * n);
      a[n - 1] = 1;
      b[n - 1] = make_double2(2, 3);
      out[0] = a[n - 1] + b[n - 1].x + b[n - 1].y + (size_t)b % 16;
    }"""
    out = np.zeros(1)
    run(source, out, 7)
    assert out[0] == 6


@pytest.mark.parametrize(
    "body",
    [
        "int* a = (int*)alloca(n * 4); a[0] = n; out[0] = a[n - 1];",
        "if (n < 1 << 20) { char* a = (char*)alloca(n); a[0] = n; out[0] = a[n - 1]; }",
        "int* a = 0; for (int i = 0; i < n; ++i) { f(i & 7); a = (int*)alloca(16); *a = i; } out[0] = *a;",
        "int* a = 0; for (int i = 0; i < n; ++i) { a = (int*)alloca(16); *a = i; } out[0] = *a;",
    ],
)
def test_memory_without_a_limit_is_refused(device, body):
    with pytest.raises(UnsupportedError, match="(?s)must be a constant.*with a limit"):
        functions = "__device__ void f(int n) { if (n > 3) *(volatile char*)alloca(n) = n; }"
        run(
            f'{functions} extern "C" __global__ void k(int* out, int n) {{ {body} }}',
            np.zeros(1, np.int32),
            1,
        )
