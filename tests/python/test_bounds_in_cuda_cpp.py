"""Pointers of CUDA C++ kernels that leave their allocation on the CPU device: an IndexError, nothing else changes."""

import numpy as np
import pytest

from heddle import RawKernel, cuda
from heddle.compat import cupy


def guarded(count):
    """An array of ones between 100 numbers on each side, and all of them."""
    memory = np.full(count + 200, 7, np.float32)
    array = np.frombuffer(memory.data, np.float32, count, 100 * memory.itemsize)
    array[...] = 1
    return array, memory


SOURCE = r"""
__device__ int table[5];
extern "C" __global__ void k(float* a, const int* index, int kind) {
  __shared__ float s[6];
  extern __shared__ float dynamic[];
  float local[7];
  int i = index[threadIdx.x];
  if (kind == 0) a[i] = 1;
  if (kind == 1) s[i] = 1;
  if (kind == 2) dynamic[i] = 1;
  if (kind == 3) { for (int k = 0; k < 7; ++k) local[k] = k; local[i] = 1; a[0] = local[threadIdx.x]; }
  if (kind == 4) table[i] = 1;
  if (kind == 5) atomicAdd(&a[i], 1.0f);
  if (kind == 6) ((float4*)a)[i] = make_float4(1, 2, 3, 4);
  if (kind == 7) memcpy(a + 4, a, i * sizeof(float));
  if (kind == 8) { float* p = a; for (int k = 0; k < i + 1; ++k) *p++ = 1; }
}
"""
SIZES = [8, 6, 9, 7, 5, 8, 2, 5, 8]


@pytest.mark.parametrize("width", ["1", "4", ""])
@pytest.mark.parametrize("kind", range(9))
def test_pointers_of_cuda_cpp_are_checked(cpu, monkeypatch, kind, width):
    monkeypatch.setenv("HEDDLE_WIDTH", width)
    kernel = RawKernel(SOURCE, "k")
    a, memory = guarded(8)
    kernel((1,), (1,), (a, np.full(1, SIZES[kind] - 1, np.int32), kind), shared_mem=36)
    with pytest.raises(IndexError, match=rf":{kind + 8}: index \d+ is out of bounds of") as error:
        kernel((1,), (1,), (a, np.full(1, SIZES[kind], np.int32), kind), shared_mem=36)
        cuda.synchronize()
    assert "kernel k, block (0, 0, 0), thread (0, 0, 0)" in str(error.value)
    assert (memory[:100] == 7).all() and (memory[-100:] == 7).all()


def test_a_pointer_to_a_part_reaches_the_whole_array(cpu):
    kernel = RawKernel(
        'extern "C" __global__ void k(float* a) { a[-1] = 2; a[(int)threadIdx.x + 4] = 3; }', "k"
    )
    whole = np.zeros(10, np.float32)
    kernel((1,), (1,), (whole[3:6],))
    assert whole[2] == 2 and whole[7] == 3
    with pytest.raises(IndexError, match="index 7 is out of bounds of 'a', which has 7 elements"):
        kernel((1,), (4,), (whole[3:6],))
        cuda.synchronize()


def test_device_arrays_are_checked_against_their_buffer(cpu):
    kernel = RawKernel('extern "C" __global__ void k(int* a, int i) { a[i] = 1; }', "k")
    a = cuda.to_device(np.zeros(10, np.int32))
    kernel((1,), (1,), (a, 9))
    with pytest.raises(IndexError, match="which has 10 elements"):
        kernel((1,), (1,), (a, 10))
        cuda.synchronize()


EMPTY = [
    lambda: np.zeros(0, np.float32),
    lambda: np.zeros((0, 5), np.float32),
    lambda: cuda.to_device(np.zeros(0, np.float32)),
    lambda: np.ndarray(0, np.float32, np.zeros(10, np.float32), 40),  # at the end of its memory
    lambda: np.zeros(2, np.uint8).view(np.uint16),  # fewer bytes than an element
]


@pytest.mark.parametrize("width", ["1", "4", ""])
@pytest.mark.parametrize("make", EMPTY)
@pytest.mark.parametrize("index", ["threadIdx.x", "0", "i", "threadIdx.x + 100000 * i"])
def test_memory_without_an_element_has_no_index(cpu, monkeypatch, width, make, index):
    monkeypatch.setenv("HEDDLE_WIDTH", width)
    kernel = RawKernel(
        f'extern "C" __global__ void k(void* a, int i) {{ ((float*)a)[{index}] = 1; }}', "k"
    )
    with pytest.raises(
        IndexError, match=r"index \d+ is out of bounds of 'a', which has \d+ elements"
    ):
        kernel((1,), (32,), (make(), 7))
        cuda.synchronize()


@pytest.mark.parametrize("width", ["1", "4", ""])
@pytest.mark.parametrize("bytes", [0, 3])
@pytest.mark.parametrize("offset", [0, 5000, 1000000])
def test_a_launch_without_shared_mem_has_no_dynamic_shared_memory(
    cpu, monkeypatch, width, bytes, offset
):
    monkeypatch.setenv("HEDDLE_WIDTH", width)
    kernel = RawKernel(
        """extern "C" __global__ void k(float* a, int offset) {
          extern __shared__ float d[];
          d[threadIdx.x + offset] = threadIdx.x;
          __syncthreads();
          a[threadIdx.x] = d[(threadIdx.x ^ 1) + offset];
        }""",
        "k",
    )
    with pytest.raises(IndexError, match=r":3: index \d+ .* 0 elements\n  hint: .*shared_mem"):
        kernel((1,), (32,), (np.zeros(32, np.float32), offset), shared_mem=bytes)
        cuda.synchronize()


def test_a_loop_over_missing_dynamic_shared_memory_is_checked(cpu):
    kernel = RawKernel(
        """extern "C" __global__ void k(int n) {
          extern __shared__ int d[];
          for (int i = threadIdx.x; i < n; i += blockDim.x) d[i] = -1;
        }""",
        "k",
    )
    kernel((4,), (32,), (0,))
    with pytest.raises(IndexError, match="0 elements"):
        kernel((4,), (32,), (1000000,))
        cuda.synchronize()


FILL = 'extern "C" __global__ void k(float* a, int i) { a[(int)threadIdx.x + i] = 1; }'


@pytest.mark.parametrize("make", [RawKernel, cupy.RawKernel])
@pytest.mark.parametrize("kind", ["whole", "view", "pointer", "unowned", "empty"])
def test_arrays_of_cupy_are_checked_against_their_memory(cpu, make, kind):
    kernel = make(FILL, "k")
    whole = cupy.zeros(128, np.float32)  # all of a piece of the pool's memory
    middle = whole.data + 256
    unowned = cupy.cuda.MemoryPointer(cupy.cuda.UnownedMemory(middle.ptr, 128, whole), 0)
    array, before, after = {
        "whole": (whole, 0, 128),
        "view": (whole[64:], 64, 64),
        "pointer": (middle, 64, 64),
        "unowned": (cupy.ndarray(8, np.float32, memptr=unowned), 0, 32),
        "empty": (cupy.zeros(0, np.float32), 0, 0),
    }[kind]
    if before + after:
        kernel((1,), (before + after,), (array, np.int32(-before)))
        assert cupy.asnumpy(whole).sum() == before + after
    for start, threads in [
        (after, 1),
        (-before - 1, 1),
        (-before, before + after + 1),
        (10**6, 64),
    ]:
        with pytest.raises(IndexError, match=f"out of bounds of 'a', which has {after} elements"):
            kernel((1,), (threads,), (array, np.int32(start)))
            cuda.synchronize()


def test_raw_arguments_of_elementwise_kernels_are_checked(cpu):
    kernel = cupy.ElementwiseKernel("raw T x, int32 start", "T y", "y = x[i + start]", "shifted")
    x = cupy.arange(128, dtype=np.float32)
    y = cupy.zeros(64, np.float32)
    kernel(x, 64, y)
    assert (cupy.asnumpy(y) == np.arange(64, 128)).all()
    for start in (65, -1, 10**6):
        with pytest.raises(IndexError, match="which has 128 elements"):
            kernel(x, start, y)
            cuda.synchronize()
