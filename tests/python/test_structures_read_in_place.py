"""Structures with arrays as arguments of CUDA C++ kernels, which read them where the launch has put them."""

import numpy as np
import pytest

import heddle
from heddle import cuda

TABLE = np.dtype([("pointers", "u8", 20), ("sizes", "i4", 21), ("bytes", "u1", 12)], align=True)
TABLE_SOURCE = """
struct Table { float* pointers[20]; int sizes[21]; unsigned char bytes[12]; };
"""


def table(arrays=()):
    value = np.zeros((), TABLE)
    value["sizes"] = np.arange(21) * 3
    value["bytes"] = np.arange(12) + 5
    for i, array in enumerate(arrays):
        value["pointers"][i] = array.device_pointer
    return value[()]


def launch(body, *arguments, parameters, before="", grid=1, block=32, **options):
    code = f'{TABLE_SOURCE}{before}\nextern "C" __global__ void k({parameters}) {{ {body} }}'
    heddle.RawKernel(code, "k", **options)(grid, block, arguments)


def test_each_thread_reads_its_own_element(device):
    out = cuda.to_device(np.zeros(32, "i4"))
    body = "out[threadIdx.x] = t.sizes[threadIdx.x % 21] + t.bytes[threadIdx.x % 12] * n;"
    launch(body, out, table(), np.int32(2), parameters="int* out, Table t, int n")
    i = np.arange(32)
    np.testing.assert_array_equal(out.copy_to_host(), i % 21 * 3 + (i % 12 + 5) * 2)


def test_kernels_write_through_pointers_of_the_structure(device):
    arrays = [cuda.to_device(np.full(4, i, "f4")) for i in range(20)]
    body = "t.pointers[blockIdx.x][threadIdx.x] += t.sizes[blockIdx.x + 1] + x[threadIdx.x];"
    x = cuda.to_device(np.arange(4, dtype="f4"))
    launch(body, table(arrays), x, parameters="Table t, const float* x", grid=20, block=4)
    for i, array in enumerate(arrays):
        np.testing.assert_array_equal(array.copy_to_host(), i + (i + 1) * 3 + np.arange(4))


def test_a_kernel_may_change_its_own_copy(device):
    out = cuda.to_device(np.zeros(32, "i4"))
    body = """
    for (int i = 0; i < n; ++i) t.sizes[(i + threadIdx.x) % 21] += i + threadIdx.x;
    out[threadIdx.x] = t.sizes[n];"""
    launch(body, out, table(), np.int32(7), parameters="int* out, Table t, int n")
    want = [21 + sum(i + t for i in range(7) if (i + t) % 21 == 7) for t in range(32)]
    np.testing.assert_array_equal(out.copy_to_host(), want)


def test_functions_take_the_structure_by_reference(device):
    out = cuda.to_device(np.zeros(32, "i4"))
    before = """
    __device__ __noinline__ int sum(const Table& t, int n) {
      return n < 0 ? 0 : t.sizes[n] + sum(t, n - 1);
    }
    struct Functor { __device__ int operator()(Table& t, int i) const { return t.bytes[i]; } };"""
    body = "out[threadIdx.x] = sum(t, threadIdx.x % 21) + f(t, threadIdx.x % 12);"
    launch(
        body, out, table(), np.uint8(0), parameters="int* out, Table t, Functor f", before=before
    )
    i = np.arange(32)
    sums = np.cumsum(np.arange(21) * 3)
    np.testing.assert_array_equal(out.copy_to_host(), sums[i % 21] + i % 12 + 5)


def test_threads_read_it_between_barriers(device):
    out = cuda.to_device(np.zeros(64, "i4"))
    body = """
    __shared__ int s[64];
    int sum = 0;
    for (int i = 0; i < n + (threadIdx.x < 64); ++i) {
      s[threadIdx.x] = t.sizes[(threadIdx.x + i) % 21];
      __syncthreads();
      sum += s[63 - threadIdx.x] * t.bytes[i];
      __syncthreads();
    }
    out[threadIdx.x] = sum + __shfl_xor_sync(~0u, t.sizes[threadIdx.x % 21], 1);"""
    launch(body, out, table(), np.int32(3), parameters="int* out, Table t, int n", block=64)
    thread = np.arange(64)
    want = sum((63 - thread + i) % 21 * 3 * (i + 5) for i in range(4)) + (thread ^ 1) % 21 * 3
    np.testing.assert_array_equal(out.copy_to_host(), want)


@pytest.mark.parametrize("count", range(9, 18))
@pytest.mark.parametrize("type, dtype", [("unsigned char", "u1"), ("short", "i2"), ("bool", "?")])
def test_structures_of_every_size_keep_the_following_arguments(device, type, dtype, count):
    value = np.zeros((), np.dtype([("items", dtype, count)]))
    value["items"] = np.arange(count) % 2 if dtype == "?" else np.arange(count) * 7
    out = cuda.to_device(np.zeros(count, "f8"))
    source = f"""
    struct S {{ {type} items[{count}]; }};
    extern "C" __global__ void k(float a, S s, double b, double* out, S again) {{
      out[threadIdx.x] = a * s.items[threadIdx.x] + b * again.items[{count - 1} - threadIdx.x];
    }}"""
    heddle.RawKernel(source, "k")(1, count, (2.0, value[()], 0.5, out, value[()]))
    items = value["items"].astype("f8")
    np.testing.assert_array_equal(out.copy_to_host(), 2 * items + 0.5 * items[::-1])


def test_an_index_outside_of_its_array_is_an_error(cpu):
    out = cuda.to_device(np.zeros(32, "i4"))
    with pytest.raises(IndexError):
        launch("*out = t.sizes[n];", out, table(), 24, parameters="int* out, Table t, int n")
        cuda.synchronize()


def test_a_gpu_reads_parameter_memory(tmp_path, run_heddle):
    (tmp_path / "k.cu").write_text(
        TABLE_SOURCE + "__global__ void k(int* out, Table t) { *out = t.sizes[threadIdx.x]; }"
    )
    made = run_heddle("compile", "k.cu", "--arch", "sm_80")
    assert made.returncode == 0, made.stderr
    assert f"[{TABLE.itemsize}]" in made.stdout and ".local" not in made.stdout
