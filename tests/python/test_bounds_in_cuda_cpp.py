"""Pointers of CUDA C++ kernels that leave their allocation on the CPU device: an IndexError, nothing else changes."""

import numpy as np
import pytest

from heddle import RawKernel, cuda


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
