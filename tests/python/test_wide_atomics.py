"""atomicCAS and atomicExch of 16 bytes in CUDA C++. GPUs have them from compute capability 9.0."""

import numpy as np
import pytest
from in_cuda_cpp import run

import heddle

SCOPES = ["", "_block", "_system"]


@pytest.fixture(autouse=True)
def wide(device):
    if device.type != "cpu" and device.compute_capability < (9, 0):
        pytest.skip("atomics of 16 bytes are there from compute capability 9.0 on")


@pytest.mark.parametrize("suffix", SCOPES)
@pytest.mark.parametrize("memory", ["global", "shared"])
def test_values_are_exchanged(device, memory, suffix):
    source = f"""
    struct alignas(16) Pair {{ unsigned long long x; double y; }};
    extern "C" __global__ void k(Pair* x, Pair* old) {{
      __shared__ Pair s[2];
      if (threadIdx.x == 0) {{ s[0] = x[0]; s[1] = x[1]; }}
      __syncthreads();
      Pair* p = {"x" if memory == "global" else "s"};
      if (threadIdx.x == 0) {{
        old[0] = atomicCAS{suffix}(p, Pair{{1, 2.5}}, Pair{{7, 8}});
        old[1] = atomicCAS{suffix}(p + 1, Pair{{1, 99}}, Pair{{7, 8}});
        old[2] = atomicExch{suffix}(p + 1, Pair{{5, 6}});
        old[3] = p[0];
        old[4] = p[1];
      }}
    }}"""
    pair = np.dtype([("x", "u8"), ("y", "f8")])
    x, old = np.array([(1, 2.5), (3, 4)], pair), np.zeros(5, pair)
    run(source, x, old, block=32)
    assert old.tolist() == [(1, 2.5), (3, 4), (3, 4), (7, 8), (5, 6)]
    assert x.tolist() == ([(7, 8), (5, 6)] if memory == "global" else [(1, 2.5), (3, 4)])


def test_integers_of_16_bytes(device):
    source = """
    extern "C" __global__ void k(ulonglong2* memory) {
      unsigned __int128* x = (unsigned __int128*)memory;
      x[1] = atomicCAS(x, (unsigned __int128)3 << 64 | 5, (unsigned __int128)1 << 127);
      atomicExch((__int128*)(x + 2), (__int128)-2);
    }"""
    x = np.array([5, 3, 0, 0, 0, 0], np.uint64)
    run(source, x)
    assert x.tolist() == [0, 1 << 63, 5, 3, 2**64 - 2, 2**64 - 1]


@pytest.mark.parametrize("blocks", [1, 64])
def test_threads_update_two_words_together(device, blocks):
    """Each thread adds to a sum and a count, which no other thread may see apart."""
    source = """
    struct alignas(16) Sum { unsigned long long count, total; };
    extern "C" __global__ void k(Sum* sum, int* torn) {
      unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
      Sum old = {0, 0};
      for (;;) {
        Sum seen = atomicCAS(sum, old, Sum{old.count + 1, old.total + i});
        if (seen.count == old.count && seen.total == old.total) break;
        old = seen;
      }
      Sum now = atomicCAS(sum, Sum{~0ull, 0}, Sum{0, 0});
      if (now.count == 0 || now.count > gridDim.x * blockDim.x) *torn = 1;
    }"""
    total, torn = np.zeros(2, np.uint64), np.zeros(1, np.int32)
    run(source, total, torn, grid=blocks, block=64)
    n = 64 * blocks
    assert total.tolist() == [n, n * (n - 1) // 2]
    assert torn[0] == 0


def test_threads_pass_on_a_value(device):
    """Each thread leaves its number and takes that of the one before: no number is lost."""
    source = """
    extern "C" __global__ void k(ulonglong2* left, unsigned long long* taken) {
      struct alignas(16) Two { unsigned long long x, y; };
      unsigned long long i = blockIdx.x * blockDim.x + threadIdx.x + 1;
      Two before = atomicExch((Two*)left, Two{i, ~i});
      taken[i - 1] = before.x == ~before.y ? before.x : 12345678;
    }"""
    left, taken = np.array([0, 2**64 - 1], np.uint64), np.zeros(512, np.uint64)
    run(source, left, taken, grid=8, block=64)
    assert sorted([*taken.tolist(), int(left[0])]) == list(range(513))


@pytest.mark.parametrize("type", ["ulonglong2", "Odd", "float2"])
def test_other_types_have_no_atomics(device, type):
    source = f"""
    struct Odd {{ unsigned long long x, y; }};
    extern "C" __global__ void k({type}* x) {{ atomicExch(x, x[1]); }}"""
    if type == "ulonglong2":
        run(source, np.zeros(4, np.uint64))
        return
    with pytest.raises(heddle.CompileError, match="no matching function for call to 'atomicExch'"):
        heddle.RawKernel(source, "k").compile()
