"""malloc, free, new and delete in CUDA C++."""

import numpy as np
import pytest
from in_cuda_cpp import run

import heddle
from heddle import cuda


def test_each_thread_gets_memory_of_its_own(device):
    out = np.zeros(100, np.int32)
    source = """__global__ void k(int* out) {
      int i = threadIdx.x;
      int* a = (int*)malloc(10 * sizeof(int));
      for (int j = 0; j < 10; ++j) a[j] = i + j;
      __syncthreads();
      for (int j = 0; j < 10; ++j) out[i] += a[j];
      free(a);
    }"""
    run(source, out, block=100)
    np.testing.assert_array_equal(out, 10 * np.arange(100) + 45)


def test_new_runs_constructors_and_delete_destructors(device):
    out = np.zeros(3, np.int32)
    source = """struct S {
      int* where;
      __device__ S() : where(nullptr) {}
      __device__ ~S() { if (where) ++*where; }
    };
    __global__ void k(int* out) {
      S* all = new S[3];
      for (int i = 0; i < 3; ++i) all[i].where = out + i;
      delete[] all;
      S* none = nullptr;
      delete none;
    }"""
    run(source, out)
    assert out.tolist() == [1, 1, 1]


def test_memory_that_is_freed_is_given_again(device):
    out = np.zeros(1, np.int32)
    source = """__global__ void k(int* out) {
      for (int round = 0; round < 1000; ++round) {
        char* p = (char*)malloc(5000);
        if (!p) ++out[0];
        free(p);
      }
    }"""
    run(source, out, grid=4, block=64)
    assert out[0] == 0


def test_memory_outlives_the_kernel_that_took_it(device):
    module = heddle.RawModule(
        code="""__device__ int* all;
    __global__ void take() { all = new int[8]; }
    __global__ void write() { all[threadIdx.x] = threadIdx.x; }
    __global__ void read(int* out) { out[threadIdx.x] = all[threadIdx.x]; }"""
    )
    out = cuda.to_device(np.zeros(8, np.int32))
    module.get_function("take")(1, 1, ())
    module.get_function("write")(1, 8, ())
    module.get_function("read")(1, 8, (out,))
    assert out.copy_to_host().tolist() == list(range(8))


@pytest.mark.parametrize("size", ["0", "1ull << 40", "9u << 20"])
def test_memory_that_is_not_there_is_null(device, size):
    out = np.ones(1, np.int32)
    run(f"__global__ void k(int* out) {{ out[0] = malloc({size}) != nullptr; }}", out)
    assert out[0] == 0


def test_a_full_heap_gives_null(device):
    out = np.zeros(1, np.int32)
    source = "__global__ void k(int* out) { while (malloc(100000)) ++out[0]; }"
    run(source, out)
    assert 30 <= out[0] <= 84


@pytest.mark.parametrize(
    "body",
    ["free(out);", "int* p = new int; delete p; delete p;", "char* p = new char[9]; free(p + 1);"],
    ids=["not of the heap", "twice", "inside"],
)
def test_an_address_that_is_no_allocation_is_not_freed(cpu, body):
    with pytest.raises(RuntimeError, match=r"1: free or delete of an address that malloc or new"):
        run("__global__ void k(int* out) { " + body + " }", np.zeros(4, np.int32))
