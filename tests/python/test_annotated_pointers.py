"""cuda/annotated_ptr: properties of accesses, which change no result."""

import numpy as np
import pytest
from in_cuda_cpp import run

from heddle.compiler import cuda_libraries

PROPERTIES = ["shared", "global", "normal", "streaming", "persisting"]


@pytest.mark.parametrize("name", PROPERTIES)
def test_a_pointer_with_a_property_is_a_pointer(device, name):
    source = """
    #include <cuda/annotated_ptr>
    struct Two { int x, y; };
    extern "C" __global__ void k(int* out) {
      typedef cuda::access_property::NAME property;
      __shared__ Two s[4];
      cuda::annotated_ptr<Two, property> p(s), none;
      cuda::annotated_ptr<const Two, property> q = p;
      static_assert(sizeof(p) == sizeof(Two*), "");
      p[1] = Two{3, 4};
      p->x = 5;
      (*p).y = 6;
      out[0] = q->x + q->y + q[1].y + (bool)p + (bool)none + (p.get() == s);
      out[1] = cuda::annotated_ptr<Two, property>(s + 3) - p;
      *cuda::associate_access_property(out + 2, property()) = 7;
    }"""
    out = np.zeros(3, np.int32)
    run(source.replace("NAME", name), out)
    assert out.tolist() == [5 + 6 + 4 + 1 + 1, 3, 7]


def test_properties_known_at_run_time(device):
    source = """
    #include <cuda/annotated_ptr>
    extern "C" __global__ void k(int* out, int n) {
      typedef cuda::access_property P;
      P all[] = {P(), P::global(), P::normal(), P::streaming(), P::persisting(), P(P::normal(), 0.5f),
                 P(P::streaming(), 0.5f), P(P::persisting(), 0.5f), P(P::persisting(), 0.5f, P::streaming()),
                 P(P::normal(), 0.5f, P::streaming()), P(out, 4, 8, P::persisting()),
                 P(out, 4, 8, P::persisting(), P::streaming())};
      static_assert(sizeof(cuda::annotated_ptr<int, P>) == 2 * sizeof(int*), "");
      int i = threadIdx.x;
      cuda::annotated_ptr<int, P> p(out, all[i % 12]), q = cuda::annotated_ptr<int, P::streaming>(out);
      p[i] = (unsigned long long)P(P::persisting()) == (unsigned long long)P(P::persisting(), 1.0f);
      q[i] += cudaAccessProperty(P::streaming()) == cudaAccessPropertyStreaming;
      cuda::apply_access_property(out, n * sizeof(int), P::persisting());
      cuda::apply_access_property(out, n * sizeof(int), P::normal());
      if (n < 0) cuda::discard_memory(out, 4);
    }"""
    out = np.zeros(24, np.int32)
    run(source, out, 24, block=24)
    assert (out == 2).all()


@pytest.mark.parametrize("sync", ["barrier", "pipeline"])
def test_asynchronous_copies_from_annotated_pointers(device, sync):
    waits = {
        "barrier": "sync.arrive_and_wait();",
        "pipeline": "sync.producer_commit(); sync.consumer_wait(); __syncthreads();",
    }
    makes = {
        "barrier": """__shared__ cuda::barrier<cuda::thread_scope_block> sync;
          if (threadIdx.x == 0) init(&sync, blockDim.x); __syncthreads();""",
        "pipeline": "auto sync = cuda::make_pipeline();",
    }
    source = """
    #include <cuda/annotated_ptr>
    #include <cuda/barrier>
    #include <cuda/pipeline>
    extern "C" __global__ void k(const float* x, float* out) {
      __shared__ float s[64];
      MAKE
      int i = threadIdx.x;
      cuda::annotated_ptr<const float, cuda::access_property::streaming> from(x + i), other(x + 32 + i);
      cuda::annotated_ptr<float, cuda::access_property::shared> to(s + 32 + i);
      cuda::memcpy_async(s + i, from, sizeof(float), sync);
      cuda::memcpy_async(to, other, cuda::aligned_size_t<4>(4), sync);
      WAIT
      out[i] = s[63 - i];
    }"""
    x, out = np.arange(64, dtype=np.float32), np.zeros(32, np.float32)
    run(source.replace("MAKE", makes[sync]).replace("WAIT", waits[sync]), x, out, block=32)
    np.testing.assert_array_equal(out, 63 - np.arange(32))


@pytest.mark.skipif(not cuda_libraries.find_cub_folder(), reason="CUB is not installed")
def test_annotated_pointers_beside_cub(device):
    source = """
    #include <cub/block/block_reduce.cuh>
    #include <cuda/annotated_ptr>
    extern "C" __global__ void k(const int* x, int* out) {
      __shared__ typename cub::BlockReduce<int, 32>::TempStorage memory;
      cuda::annotated_ptr<const int, cuda::access_property::persisting> p(x);
      int sum = cub::BlockReduce<int, 32>(memory).Sum(p[threadIdx.x]);
      if (threadIdx.x == 0) *out = sum;
    }"""
    x, out = np.arange(32, dtype=np.int32), np.zeros(1, np.int32)
    run(source, x, out, block=32)
    assert out[0] == x.sum()
